"""A cluster of three worker processes, and a small model of quality."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import linnet


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """Return a client of a local cluster of three processes with a thread each."""
    from linnet.scale import cluster_client

    with cluster_client("local:3") as client:
        yield client


@pytest.fixture(scope="session")
def quality(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the file of a model that tells good pages from bad ones."""
    path = tmp_path_factory.mktemp("model") / "quality.linnet"
    texts = [f"{word} page number {n}" for n in range(20) for word in ("fine", "poor")]
    linnet.TextClassifier(C=1.0, ngrams=1).fit(texts, ["hq", "lq"] * 20).save(path)
    return str(path)


@pytest.fixture
def crawl(tmp_path: Path) -> list[Path]:
    """Return eight parts of JSON lines, of different lengths."""
    import json

    words = ("fine", "poor", "fine poor", "number", "page poor")
    files = []
    for part in range(8):
        rows = [
            {
                "id": f"{part}-{n}",
                "text": f"{words[(n + part) % 5]} page " * (1 + n % 4),
                "source": ("web", "book")[n % 2],
            }
            for n in range(40 + 7 * part)
        ]
        files.append(tmp_path / f"part-{part}.jsonl")
        files[-1].write_text("".join(json.dumps(row) + "\n" for row in rows))
    return files
