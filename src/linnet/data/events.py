"""Event files of maximum-entropy toolkits: the label first, then features (SPEC E-03).

A line is ``label feature feature:value ...``, parted by white space. A feature without a value
has the value 1. A feature may hold colons: what follows the last one is a value only if it is a
number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from math import isfinite
from os import PathLike

from linnet.data.files import Source, read_lines, source_name, write_atomically
from linnet.errors import DataError, FormatError

__all__ = ["read_events", "write_events"]

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def read_events(
    source: Source, encoding: str = "utf-8"
) -> tuple[list[dict[str, float]], list[str]]:
    """Read events.

    Parameters
    ----------
    source : path or file
        Plain, ``.gz`` or ``.zst``; ``-`` is standard input; or an open file.
    encoding : str
        The file's encoding.

    Returns
    -------
    bags : list of dict
        Feature to value. A feature given twice on a line counts the sum.
    labels : list of str

    Raises
    ------
    FormatError
        When a value is too large for a number, with file, line and column. Blank lines are
        skipped.

    Examples
    --------
    >>> import io
    >>> read_events(io.StringIO("outdoor sunny humid:0.5 at:home\\n"))
    ([{'sunny': 1.0, 'humid': 0.5, 'at:home': 1.0}], ['outdoor'])
    """
    bags: list[dict[str, float]] = []
    labels: list[str] = []
    for number, line in read_lines(source, encoding):
        tokens = list(re.finditer(r"\S+", line))
        if not tokens:
            continue
        bag: dict[str, float] = {}
        for token in tokens[1:]:
            name, value = _split(token[0])
            if not isfinite(value):
                raise FormatError(
                    f"the value of {name!r} is too large",
                    file=source_name(source),
                    line=number,
                    column=token.start() + len(name) + 2,
                )
            bag[name] = bag.get(name, 0.0) + value
        bags.append(bag)
        labels.append(tokens[0][0])
    return bags, labels


def _split(token: str) -> tuple[str, float]:
    name, _, value = token.rpartition(":")
    if name and _NUMBER.fullmatch(value):
        return name, float(value)
    return token, 1.0


def write_events(
    path: str | PathLike[str],
    bags: Iterable[Mapping[str, float]],
    labels: Iterable[str],
) -> None:
    """Write events that :func:`read_events` reads back without loss.

    Features and labels must not be empty nor hold white space, which the format cannot express.

    Examples
    --------
    >>> write_events("-", [{"sunny": 1, "humid": 0.5, "at:9": 1}], ["outdoor"])
    outdoor sunny humid:0.5 at:9:1
    """
    with write_atomically(path) as out:
        for number, (bag, label) in enumerate(zip(bags, labels, strict=True), 1):
            for text in (*bag, label):
                if not text or len(text.split()) != 1 or text.strip() != text:
                    raise DataError(f"event {number}: {text!r} cannot be written in this format")
            if not all(map(isfinite, bag.values())):
                raise DataError(f"event {number} holds a value that is NaN or infinite")
            out.write(" ".join([label, *(_shown(*pair) for pair in bag.items())]) + "\n")


def _shown(name: str, value: float) -> str:
    plain = value == 1 and _split(name) == (name, 1.0)
    return name if plain else f"{name}:{repr(float(value)).removesuffix('.0')}"
