"""Shared fixtures: where real data lives, and the SPEC marks."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_dir() -> Callable[[str], Path]:
    """Return a function that finds one real data set or skips the test."""
    base = Path(os.environ.get("LINNET_DATA", ROOT.parent / "shared" / "data"))

    def find(name: str) -> Path:
        folder = base / name
        if not folder.is_dir():
            pytest.skip(f"data set {name!r} not found in {base} (set LINNET_DATA)")
        return folder

    return find
