"""Labelled data of one file, whatever its kind, and what people are told about it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from linnet.cli.shared.console import say, shown

__all__ = ["Labelled", "shortened", "tell"]

_SNIPPET = 160  # characters of an example
_SURE = ("", "by its name", "as asked for")
_FACTS = ("numbers", "not read", "rows of values")  # followed by columns, not by a reason


class Labelled(ABC):
    """The examples of one file, with labels if it has any.

    Attributes
    ----------
    X : the examples, as a model takes them
    y : list of labels, of lists of labels or of lists of tags; None without any
    lines : array of shape (n,)
        Where each example starts in its file.
    decisions : tuple of str
        What was found out about the file.
    """

    X: Any
    y: list[Any] | None
    lines: Any
    decisions: Sequence[str]

    def __len__(self) -> int:
        return len(self.y or [])

    @abstractmethod
    def no_labels(self, what: str = "labels") -> str:
        """Say that the file has no labels, and what to do."""

    @abstractmethod
    def take(self, rows: Any) -> Labelled:
        """Return some of the examples."""

    @property
    def whole(self) -> Any:
        """Examples and labels as :func:`linnet.compare` takes them."""
        return self.X

    def hold_out(self, share: float, seed: int, quiet: bool) -> tuple[Any, Any]:
        """Return the rows to train on and those held out, copies on one side."""
        from linnet.data.copies import Copies
        from linnet.data.splits import hold_out

        return hold_out(Copies.of(self.X), share, seed)

    def place(self, row: int, token: int | None = None) -> dict[str, Any]:
        """Return where an example, or a token of it, stands."""
        return {"line": int(self.lines[row])}

    @abstractmethod
    def snippet(self, row: int, token: int | None = None) -> str:
        """Return an example for people, in one line and not too long."""

    @abstractmethod
    def groups(self, name: str) -> list[Any]:
        """Return the group of each example, or of each token."""

    @abstractmethod
    def whole_groups(self, name: str) -> list[str]:
        """Return the group of each example, by which data are cut into parts."""


def tell(data: str, decisions: Sequence[str], quiet: bool) -> None:
    """Say in one line what was found out about a file; ``linnet data show`` says why, too."""
    if decisions:
        say(f"{shown(data)}: {', '.join(map(_without_reason, decisions))}", quiet)


def _without_reason(decision: str) -> str:
    """Return what was decided, and why only where a column was guessed.

    Examples
    --------
    >>> _without_reason("label is column 1: by its name"), _without_reason("numbers: column age")
    ('label is column 1', 'numbers: column age')
    >>> _without_reason("the class is column c13: the last one")
    'the class is column c13: the last one'
    """
    what, _, why = decision.partition(": ")
    guessed = "column" in what and why not in _SURE
    return decision if guessed or what.startswith(_FACTS) else what


def shortened(text: str) -> str:
    """Return a text in one line and not too long."""
    from linnet.explain.text import visible

    words = " ".join(visible(text).split())
    return words if len(words) <= _SNIPPET else words[: _SNIPPET - 1] + "…"
