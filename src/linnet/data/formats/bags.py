"""Amazon reviews: bags of named features, one example a line (SPEC D-02).

A line is ``feature:count feature:count ... #label#:label``. A feature may hold colons, so a pair is
split at its last one (A-77).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from math import isfinite
from os import PathLike
from typing import NamedTuple

from linnet.data.files import Source, source_name, write_atomically
from linnet.data.formats.blocks import text_blocks
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

__all__ = [
    "BagForm",
    "bag_lines",
    "count_words",
    "read",
    "read_all",
    "read_bags",
    "recognise",
    "write",
    "write_bags",
]

_BLOCK = 1 << 23
_LABEL = "#label#"
_NUMBER = re.compile(NUMBER)


def recognise(filled: list[str]) -> str | None:
    """Say why lines are bags of features with a label each."""
    return "has #label#:" if all(f"{_LABEL}:" in line for line in filled) else None


def read(blocks: Blocks, plan: Plan) -> Iterator[Examples]:
    """Yield the bags of ``feature:count ... #label#:label`` lines; blank lines are skipped."""
    parse = partial(_parse_bag, labelled=plan.labels)
    for records, lines in parsed_lines(blocks, plan, parse):
        bags, labels = map(list, zip(*records, strict=True))
        yield plan.examples("bag", bags, labels, lines)


def write(examples: Examples, row: int, plan: Plan) -> Iterator[str]:
    """Yield ``feature:count ... #label#:label`` lines."""
    if examples.y is None:
        raise DataError(f"the lines of this format end with {_LABEL}:label; the examples have none")
    labels = map(label_texts, examples.y)
    return bag_lines(zip(examples.bags(), labels, strict=True), _BAG, row)


def count_words(text: str) -> dict[str, float]:
    """Count the words of a text: what white space separates, case kept (SPEC W-10).

    Examples
    --------
    >>> count_words("A site , located in Maizuru , Kyoto")[","]
    2.0
    """
    return {word: float(count) for word, count in Counter(text.split()).items()}


def read_bags(source: Source, encoding: str = "utf-8") -> tuple[list[dict[str, float]], list[str]]:
    """Read bags of features.

    Parameters
    ----------
    source : path or file
        Plain, ``.gz`` or ``.zst``; ``-`` is standard input; or an open file.
    encoding : str
        The file's encoding.

    Returns
    -------
    bags : list of dict
        Feature to count. A feature given twice on a line counts the sum.
    labels : list of str

    Raises
    ------
    FormatError
        With file, line and column. Blank lines are skipped.

    Examples
    --------
    >>> import io
    >>> read_bags(io.StringIO("good:2 9:30:1 #label#:positive\\n"))
    ([{'good': 2.0, '9:30': 1.0}], ['positive'])
    """
    return read_all(source, encoding, _parse_bag)


def read_all(
    source: Source, encoding: str, parse: Callable[[bytes], tuple[Bag, str] | None]
) -> tuple[list[Bag], list[str]]:
    """Return the bags and labels of a file."""
    blocks = text_blocks(source, _BLOCK, encoding, None)
    parts = parsed_lines(blocks, Plan(source_name(source), "bags"), parse)
    records = [record for part, _ in parts for record in part]
    return [bag for bag, _ in records], [label for _, label in records]


def _parse_bag(raw: bytes, labelled: bool = True) -> tuple[Bag, str]:
    line = raw.decode().rstrip(" ")
    if not labelled and f"{_LABEL}:" not in line:
        line += f" {_LABEL}:?"  # a label need not be there when none is wanted
    *tokens, last = line.split(" ")
    start = len(line) - len(last)
    if not last.startswith(f"{_LABEL}:") or len(last) == len(_LABEL) + 1:
        raise Mistake(f"the line must end with {_LABEL}:label, found {last!r}", start + 1)
    bag: dict[str, float] = {}
    column = 1
    for token in tokens:
        if token:
            feature, count = _parse_pair(token, column)
            bag[feature] = bag.get(feature, 0.0) + count
        column += len(token) + 1
    return bag, last[len(_LABEL) + 1 :]


def _parse_pair(token: str, column: int) -> tuple[str, float]:
    feature, colon, count = token.rpartition(":")
    if not colon or not feature:
        raise Mistake(f"expected feature:count, found {token!r}", column)
    if feature == _LABEL:
        raise Mistake(f"{_LABEL} must be the last entry of its line", column)
    if not _NUMBER.fullmatch(count) or not isfinite(float(count)):
        where = column + len(feature) + 1
        raise Mistake(f"count {count!r} of {feature!r} is not a finite number", where)
    return feature, float(count)


def write_bags(
    path: str | PathLike[str],
    bags: Iterable[Mapping[str, float]],
    labels: Iterable[str],
) -> None:
    """Write bags that :func:`read_bags` reads back without loss.

    Features and labels must not be empty nor hold a space or a line break, which the format
    cannot express.

    Examples
    --------
    >>> write_bags("-", [{"good": 2, "9:30": 1}], ["positive"])
    good:2 9:30:1 #label#:positive
    """
    with write_atomically(path) as out:
        out.writelines(bag_lines(zip(bags, ([label] for label in labels), strict=True), _BAG))


def bag_lines(
    labelled: Iterable[tuple[Mapping[str, float], list[str]]], form: BagForm, row: int = 0
) -> Iterator[str]:
    """Yield a line a bag, if its form can hold all of its words and numbers."""
    for number, (bag, labels) in enumerate(labelled, row + 1):
        where = f"{form.name} {number}"
        if len(labels) != 1:
            raise DataError(f"{where}: this format has one label a line, not {len(labels)}")
        for text in (*bag, *labels):
            if not form.can_hold(text):
                raise DataError(
                    f"{where}: {text!r} cannot be written in this format; write JSONL instead"
                )
        if not all(map(isfinite, bag.values())):
            raise DataError(f"{where} holds a number that is NaN or infinite")
        yield form.line(bag, labels[0])


def _is_word(text: str) -> bool:
    return bool(text) and text != _LABEL and {" ", "\n", "\r"}.isdisjoint(text)


def _bag_line(bag: Mapping[str, float], label: str) -> str:
    pairs = [f"{name}:{shortest(count)} " for name, count in bag.items()]
    return f"{''.join(pairs)}{_LABEL}:{label}\n"


class BagForm(NamedTuple):
    """How bags are spelled: what a line is called, which words it can hold, and the line itself."""

    name: str
    can_hold: Callable[[str], bool]
    line: Callable[[Mapping[str, float], str], str]


_BAG = BagForm("bag", _is_word, _bag_line)
