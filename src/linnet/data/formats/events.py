"""Event files of maximum-entropy toolkits: ``label feature feature:value ...`` (SPEC E-03).

White space parts the words of a line. A feature without a value has the value 1; what follows the
last colon of a feature is a value only if it is a number. A line of plain words could be anything,
so the format is taken by its name or the suffix ``.events`` only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from os import PathLike

from linnet.data.files import Source, write_atomically
from linnet.data.formats.bags import BagForm, bag_lines, read_all
from linnet.data.formats.common import (
    NUMBER,
    Bag,
    Blocks,
    Examples,
    Mistake,
    Plan,
    label_texts,
    parsed_lines,
    shortest,
)
from linnet.errors import DataError

__all__ = ["read", "read_events", "write", "write_events"]

_NUMBER = re.compile(NUMBER)


def read(blocks: Blocks, plan: Plan) -> Iterator[Examples]:
    """Yield the bags of each block; blank lines are skipped."""
    for records, lines in parsed_lines(blocks, plan, _parse_event):
        bags, labels = map(list, zip(*records, strict=True))
        yield plan.examples("bag", bags, labels, lines)


def write(examples: Examples, row: int, plan: Plan) -> Iterator[str]:
    """Yield ``label feature:value ...`` lines."""
    if examples.y is None:
        raise DataError("the lines of this format begin with a label; the examples have none")
    labels = map(label_texts, examples.y)
    return bag_lines(zip(examples.bags(), labels, strict=True), _EVENT, row)


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
    return read_all(source, encoding, _parse_event)


def _parse_event(raw: bytes) -> tuple[Bag, str] | None:
    tokens = list(re.finditer(r"\S+", raw.decode()))
    bag: Bag = {}
    for token in tokens[1:]:
        name, value = _split(token[0])
        if not isfinite(value):
            raise Mistake(f"the value of {name!r} is too large", token.start() + len(name) + 2)
        bag[name] = bag.get(name, 0.0) + value
    return (bag, tokens[0][0]) if tokens else None


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
        out.writelines(bag_lines(zip(bags, ([label] for label in labels), strict=True), _EVENT))


def _event_line(bag: Mapping[str, float], label: str) -> str:
    return " ".join([label, *(_shown(*pair) for pair in bag.items())]) + "\n"


def _shown(name: str, value: float) -> str:
    plain = value == 1 and _split(name) == (name, 1.0)
    return name if plain else f"{name}:{shortest(value)}"


_EVENT = BagForm("event", lambda text: text.split() == [text], _event_line)
