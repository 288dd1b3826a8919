"""Warnings on the command line: each once, in one line, without the place in the source."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["silence", "warnings_once"]

# How scikit-learn begins, and what its sentence means to those who have a file and no program.
_IN_OUR_WORDS = {
    "The number of unique classes is greater than 50%": "there are hardly more examples than "
    "labels, so there is little to learn from; if these are no labels, name their column with "
    "--label",
}


@contextmanager
def warnings_once() -> Iterator[None]:
    """Print warnings of the block on standard error, equal ones once."""
    told: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        from linnet.data.terminal import escaped

        text = " ".join(str(message).split())
        for start, ours in _IN_OUR_WORDS.items():
            text = ours if text.startswith(start) else text
        if text not in told:
            told.add(text)
            print(f"linnet: warning: {escaped(text)}", file=sys.stderr, flush=True)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


def silence(quiet: bool) -> bool:
    """Print no warnings from here to the end of the block of :func:`warnings_once`."""
    if quiet:
        warnings.showwarning = lambda *_, **__: None
    return quiet
