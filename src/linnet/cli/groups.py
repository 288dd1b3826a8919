"""What each example belongs to, by a column of its file or a comment above its sentence."""

from __future__ import annotations

import re
from typing import Any

from linnet.cli.helpers import shown
from linnet.errors import DataError, ParameterError

__all__ = ["comment_groups", "example_groups"]

_COMMENT = re.compile(r"#\s*([^=]*?)\s*=\s*(.*)")


def example_groups(data: str, reading: dict[str, Any], name: str, n: int) -> list[str]:
    """Return a column of a file of n examples; the file is read once more.

    Parameters
    ----------
    data : str
    reading : dict
        What :func:`linnet.data.examples.read_examples` takes.
    name : str
    n : int
    """
    from linnet.data.examples import read_examples

    refuse_stdin(data)
    rows = read_examples(data, **{**reading, "label": name}).y
    if rows is None or len(rows) != n:
        raise DataError(f"{shown(data)} has no column {name!r} with a value for every row")
    return [" ".join(map(str, row)) if isinstance(row, list) else str(row) for row in rows]


def comment_groups(sequences: Any, name: str) -> list[str] | None:
    """Return the value of a comment such as ``# genre = news`` above each sentence.

    A sentence without one has that of the sentence before; None if no sentence has one.
    """
    notes = sequences.notes
    if notes is None:
        return None
    found = {}
    for row, text in zip(notes.sentence.tolist(), notes.texts.to_list(), strict=True):
        match = _COMMENT.match(text)
        if match and match[1] == name:
            found[row] = match[2].strip()
    if not found:
        return None
    groups, last = [], "(none)"
    for row in range(len(sequences)):
        last = found.get(row, last)
        groups.append(last)
    return groups


def refuse_stdin(data: str) -> None:
    """Refuse standard input, which cannot be read twice."""
    if data == "-":
        raise ParameterError("groups need the data to be read twice; pass a file, not -")
