"""Forged model files of every kind are refused when they are loaded, or give finite answers."""

from __future__ import annotations

from pathlib import Path

from .kinds import KINDS
from .running import run


def test_a_forged_file_is_refused_or_gives_finite_answers(tmp_path: Path) -> None:
    tally = run(seed=0, count=1500, names=list(KINDS), folder=tmp_path, workers=1)
    shown = [
        f"python -m tests.fuzz --seed 0 --replay {case.number}  # {case.kind}: {case.changes}\n"
        f"{case.what}"
        for case in tally.failures
    ]
    assert not shown, "\n".join(shown)
    assert tally.refused > 500 and tally.answered > 200  # it tries both
