"""A stream of small reviews, and a way to break a run off."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

WORDS = [f"w{k}" for k in range(300)]
LABELS = ("neg", "pos", "so-so")


def reviews(n: int, labels: tuple[str, ...] = LABELS[:2], seed: int = 0) -> list[tuple[str, str]]:
    """Return labelled texts of Zipfian words, some of which speak for a label."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        gold = int(rng.integers(len(labels)))
        words = [WORDS[int(k) % 300] for k in rng.zipf(1.3, 12)]
        words += [f"{labels[gold]}{rng.integers(20)}"] if rng.random() < 0.7 else []
        rng.shuffle(words)
        rows.append((labels[gold], " ".join(words)))
    return rows


def write_tsv(path: Path, rows: list[tuple[str, str]]) -> Path:
    path.write_text("".join(f"{label}\t{text}\n" for label, text in rows), encoding="utf-8")
    return path


@pytest.fixture
def stream(tmp_path: Path) -> Path:
    return write_tsv(tmp_path / "reviews.tsv", reviews(1500))


class Killed(Exception):
    """What breaks a run off in these tests."""


def killed_after(blocks: int) -> Callable[[Any], None]:
    """Return a progress function that breaks the run off after so many blocks."""
    left = blocks

    def tell(progress: Any) -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            raise Killed

    return tell
