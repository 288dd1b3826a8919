"""Bags of features and labelled texts, one document a line.

* A bag line (SPEC D-02) is ``feature:count feature:count ... #label#:label``. A feature may hold
  colons, so a pair is split at its last one (A-77).
* A labelled text (D-05) is ``label<TAB>tokens``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from os import PathLike

from linnet.data.files import Source, read_lines, source_name, write_atomically
from linnet.errors import DataError, FormatError

__all__ = [
    "count_words",
    "labelled_lines",
    "read_bags",
    "read_labelled_text",
    "write_bags",
    "write_labelled_text",
]

_LABEL = "#label#"
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


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
    bags: list[dict[str, float]] = []
    labels: list[str] = []
    for number, line in read_lines(source, encoding):
        pairs = line.rstrip(" ")
        if not pairs:
            continue
        try:
            bag, label = _parse_bag(pairs)
        except _Mistake as mistake:
            raise FormatError(
                mistake.message,
                file=source_name(source),
                line=number,
                column=mistake.column,
            ) from None
        bags.append(bag)
        labels.append(label)
    return bags, labels


class _Mistake(Exception):
    def __init__(self, message: str, column: int) -> None:
        self.message = message
        self.column = column


def _parse_bag(line: str) -> tuple[dict[str, float], str]:
    *tokens, last = line.split(" ")
    start = len(line) - len(last)
    if not last.startswith(f"{_LABEL}:") or len(last) == len(_LABEL) + 1:
        raise _Mistake(f"the line must end with {_LABEL}:label, found {last!r}", start + 1)
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
        raise _Mistake(f"expected feature:count, found {token!r}", column)
    if feature == _LABEL:
        raise _Mistake(f"{_LABEL} must be the last entry of its line", column)
    if not _NUMBER.fullmatch(count) or not isfinite(float(count)):
        where = column + len(feature) + 1
        raise _Mistake(f"count {count!r} of {feature!r} is not a finite number", where)
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
        for number, (bag, label) in enumerate(zip(bags, labels, strict=True), 1):
            for text in (*bag, label):
                if not text or text == _LABEL or not {" ", "\n", "\r"}.isdisjoint(text):
                    raise DataError(f"bag {number}: {text!r} cannot be written in this format")
            if not all(map(isfinite, bag.values())):
                raise DataError(f"bag {number} holds a count that is NaN or infinite")
            pairs = [f"{name}:{_shortest(count)} " for name, count in bag.items()]
            out.write(f"{''.join(pairs)}{_LABEL}:{label}\n")


def _shortest(count: float) -> str:
    return repr(float(count)).removesuffix(".0")


def read_labelled_text(source: Source, encoding: str = "utf-8") -> tuple[list[str], list[str]]:
    """Read ``label<TAB>text`` lines.

    Parameters
    ----------
    source : path or file
        Plain, ``.gz`` or ``.zst``; ``-`` is standard input; or an open file.
    encoding : str
        The file's encoding.

    Returns
    -------
    labels, texts : lists of str
        The text is all that follows the first tab.

    Raises
    ------
    FormatError
        When a line has no tab or no label. Empty lines are skipped.

    Examples
    --------
    >>> import io
    >>> read_labelled_text(io.StringIO("1\\tShoken , monk\\n-1\\tA site\\n"))
    (['1', '-1'], ['Shoken , monk', 'A site'])
    """
    lines = list(labelled_lines(source, encoding))
    return [label for _, label, _ in lines], [text for _, _, text in lines]


def labelled_lines(source: Source, encoding: str = "utf-8") -> Iterator[tuple[int, str, str]]:
    """Yield (line number, label, text) through a file of ``label<TAB>text`` lines."""
    for number, line in read_lines(source, encoding):
        if not line:
            continue
        label, tab, text = line.partition("\t")
        if not tab:
            message = "expected label<TAB>text, but the line has no tab"
            raise FormatError(message, file=source_name(source), line=number, column=len(line) + 1)
        if not label:
            message = "the label before the tab is empty"
            raise FormatError(message, file=source_name(source), line=number, column=1)
        yield number, label, text


def write_labelled_text(
    path: str | PathLike[str], labels: Iterable[str], texts: Iterable[str]
) -> None:
    """Write ``label<TAB>text`` lines that :func:`read_labelled_text` reads back without loss.

    A label must not be empty nor hold a tab, and neither label nor text may hold a line break.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "titles.txt"
    >>> write_labelled_text(path, ["1"], ["Shoken , monk"])
    >>> path.read_text().split("\\t")
    ['1', 'Shoken , monk\\n']
    """
    with write_atomically(path) as out:
        for number, (label, text) in enumerate(zip(labels, texts, strict=True), 1):
            if not label or not {"\t", "\n", "\r"}.isdisjoint(label):
                raise DataError(f"text {number}: label {label!r} is empty or holds a tab or break")
            if not {"\n", "\r"}.isdisjoint(text):
                raise DataError(f"text {number} holds a line break; replace it by a space")
            out.write(f"{label}\t{text}\n")
