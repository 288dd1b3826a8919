"""What tests and docstring examples share: no display is needed, and no figure stays open."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def figures_are_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Draw without a display, and forget the figures of a test at its end."""
    monkeypatch.setenv("MPLBACKEND", "agg")
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
