"""Items as python-crfsuite takes them, flattened to attributes and values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["CRFSuiteError", "ItemSequence", "as_items", "attributes"]


class CRFSuiteError(Exception):
    """What python-crfsuite raises when training fails."""


class ItemSequence:
    """A sentence of items, read once and asked often.

    Parameters
    ----------
    pyseq : iterable of items

    Examples
    --------
    >>> ItemSequence([{"w": "a", "n": 2, "in": {"x": True}}, ["b"]]).items()
    [{'w:a': 1.0, 'n': 2.0, 'in:x': 1.0}, {'b': 1.0}]
    """

    def __init__(self, pyseq: Iterable[Any]) -> None:
        self.sequence = list(pyseq)

    def items(self) -> list[dict[str, float]]:
        """Return the attributes of each item with their values."""
        return [dict(attributes(item)) for item in self.sequence]

    def __len__(self) -> int:
        return len(self.sequence)

    def __repr__(self) -> str:
        return f"<ItemSequence ({len(self)})>"


def as_items(sequence: Any) -> list[Any]:
    """Return the items of a sentence; a text among them is a list of its characters, as there."""
    items = sequence.sequence if isinstance(sequence, ItemSequence) else list(sequence)
    return [list(item) if isinstance(item, str) else item for item in items]


def attributes(item: Any) -> Iterator[tuple[str, float]]:
    """Yield the attributes of an item, in its order, with their values."""
    if not isinstance(item, dict):
        for name in item:
            yield _text(name), 1.0
        return
    for key, value in item.items():
        name = _text(key)
        if isinstance(value, (dict, list, set)):
            for inner, number in attributes(value):
                yield f"{name}:{inner}", number
        elif isinstance(value, (str, bytes)):
            yield f"{name}:{_text(value)}", 1.0
        else:
            yield name, float(value)


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if not isinstance(value, str):
        raise TypeError(f"an attribute must be a str, got {type(value).__name__}")
    return value
