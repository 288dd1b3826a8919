"""Parsing blocks of ``label index:value ...`` lines, twice.

:func:`parse_fast` looks at a block as one array of bytes: it checks the shape of all lines at
once, then converts all numbers at once. It answers None for anything out of the ordinary.
:func:`parse_exact` goes through the same block line by line; it is the definition of the format,
and raises a :class:`~linnet.errors.FormatError` that points at the character in question.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.data.formats.common import NUMBER, Mistake

__all__ = ["Limits", "SparseRows", "parse_exact", "parse_fast", "parse_rows"]

_COMMENT = re.compile(rb"#[^\n]*")
_QUERY = re.compile(rb"(?<=[ \t])qid:[0-9]+(?=[ \t\r\n]|$)")
_QUERY_FIRST = re.compile(rb"^[ \t\r]*qid:", re.MULTILINE)
_TOKEN = re.compile(r"[^ \t\r]+")
_NUMBER = re.compile(NUMBER)
_INDEX_MAX = 2**31 - 1
_TO_LINES = bytes.maketrans(b": \t\r", b"\n\n\n\n")


class SparseRows(NamedTuple):
    """The examples of one block; indices are as in the file."""

    labels: NDArray[np.float64]  # (rows,)
    lengths: NDArray[np.int64]  # (rows,) pairs in each row
    indices: NDArray[np.int64]  # (pairs,)
    values: NDArray[np.float64]  # (pairs,)


@dataclass
class Limits:
    """Which indices a file may use, given what has been seen of it so far.

    When the caller leaves the base open (`zero_based` None), index 0 shows a 0-based file and
    index `n_features` a 1-based one; both together are a contradiction.
    """

    zero_based: bool | None
    n_features: int | None
    saw_zero: bool = False
    saw_top: bool = False

    def admit(self, indices: NDArray[np.int64]) -> bool:
        """Take note of a block's indices if all are allowed; else change nothing."""
        if not indices.size:
            return True
        low, high = int(indices.min()), int(indices.max())
        zero = self.saw_zero or low == 0
        top = self.saw_top or high == self.n_features
        if self._objection(low, zero, top) or self._objection(high, zero, top):
            return False
        self.saw_zero, self.saw_top = zero, top
        return True

    def objection(self, index: int) -> str | None:
        """Say what is wrong with the next index, or take note of it."""
        zero = self.saw_zero or index == 0
        top = self.saw_top or index == self.n_features
        problem = self._objection(index, zero, top)
        if problem is None:
            self.saw_zero, self.saw_top = zero, top
        return problem

    def _objection(self, index: int, zero: bool, top: bool) -> str | None:
        if index > _INDEX_MAX:
            return f"index {index} is larger than {_INDEX_MAX}"
        if index == 0 and self.zero_based is False:
            return "index 0, but indices start at 1; pass zero_based=True for a 0-based file"
        if self.n_features is None:
            return None
        last = self.n_features - 1 if self.zero_based else self.n_features
        if index > last:
            return f"index {index} is beyond the last feature {last} (n_features={self.n_features})"
        if self.zero_based is None and zero and top:
            return (
                f"index {index}: the file uses both 0 and {self.n_features}, which needs "
                f"{self.n_features + 1} features, but n_features={self.n_features}"
            )
        return None


def parse_rows(block: bytes, first_line: int, file: str, limits: Limits) -> SparseRows:
    """Return the rows of a block, the fast way where that can be done."""
    rows = parse_fast(block, limits)
    return parse_exact(block, first_line, file, limits) if rows is None else rows


def parse_fast(block: bytes, limits: Limits) -> SparseRows | None:
    """Return the rows of a block, or None when it needs :func:`parse_exact`."""
    if b"#" in block:
        block = _COMMENT.sub(b"", block)
    if b"qid:" in block:
        if _QUERY_FIRST.search(block):
            return None  # a line without a label
        block = _QUERY.sub(b"", block)
    shape = _line_shapes(np.frombuffer(block + b"\n", dtype=np.uint8))
    if shape is None:
        return None
    first, n_tokens = shape  # of each row: its label's token; tokens in all
    numbers = _all_numbers(block, 2 * n_tokens - len(first))
    if numbers is None:
        return None
    is_label = np.zeros(len(numbers), dtype=bool)
    is_label[2 * first - np.arange(len(first))] = True  # every other token gives two numbers
    labels, pairs = numbers[is_label], numbers[~is_label].reshape(-1, 2)
    lengths = np.diff(first, append=n_tokens) - 1
    large = pairs[:, 0].max(initial=0) > _INDEX_MAX
    if large or not np.isfinite(labels).all() or not np.isfinite(pairs[:, 1]).all():
        return None
    indices = pairs[:, 0].astype(np.int64)
    ascending = np.diff(indices) > 0
    starts = np.cumsum(lengths)[:-1]
    ascending[starts[(starts > 0) & (starts < len(indices))] - 1] = True
    if not ascending.all() or not limits.admit(indices):
        return None
    return SparseRows(labels, lengths, indices, np.ascontiguousarray(pairs[:, 1]))


def _line_shapes(data: NDArray[np.uint8]) -> tuple[NDArray[np.int64], int] | None:
    """Check that every line is blank or ``label digits:something ...``.

    Returns the number of each row's first token, and the number of tokens.
    """
    marks = np.flatnonzero((data < ord("0")) | (data > ord("9")))
    kinds = data[marks]
    is_colon = kinds == ord(":")
    is_end = kinds == ord("\n")
    is_space = is_end | (kinds == ord(" ")) | (kinds == ord("\t")) | (kinds == ord("\r"))
    if is_colon[0]:
        return None
    colons = np.flatnonzero(is_colon)
    before = colons - 1
    if not is_space[before].all() or not (marks[colons] - marks[before] > 1).all():
        return None  # something other than digits between a space and a colon
    after_colon = data[marks[colons] + 1]
    if ((after_colon <= ord(" ")) | (after_colon == ord(":"))).any():
        return None
    gaps = marks[is_space]
    filled = np.diff(gaps, prepend=-1) > 1  # a token stands before this gap
    token_of_gap = np.cumsum(filled)
    line_ends = token_of_gap[is_end[is_space]]  # tokens up to each line's end
    line_starts = np.concatenate([[0], line_ends[:-1]])
    first: NDArray[np.int64] = line_starts[line_starts < line_ends]
    n_tokens = int(token_of_gap[-1])
    pair_tokens = token_of_gap[np.searchsorted(gaps, marks[colons])] - 1
    if len(colons) != n_tokens - len(first) or np.isin(first, pair_tokens).any():
        return None
    return first, n_tokens


def _all_numbers(block: bytes, expected: int) -> NDArray[np.float64] | None:
    """Convert every number of a block, in order, if there are as many as expected."""
    try:
        numbers = _numbers_by_arrow(block.translate(_TO_LINES))
    except ImportError:
        numbers = _numbers_by_numpy(block.translate(_TO_LINES))
    return numbers if numbers is not None and len(numbers) == expected else None


def _numbers_by_arrow(lines: bytes) -> NDArray[np.float64] | None:
    """Convert numbers, one a line, with pyarrow: about four times as fast as NumPy."""
    import pyarrow
    from pyarrow import csv

    if not lines.strip():
        return np.empty(0)
    try:
        table = csv.read_csv(
            pyarrow.py_buffer(lines),
            read_options=csv.ReadOptions(column_names=["number"]),
            parse_options=csv.ParseOptions(quote_char=False),
            convert_options=csv.ConvertOptions(
                column_types={"number": pyarrow.float64()}, null_values=[]
            ),
        )
    except pyarrow.ArrowInvalid:
        return None
    numbers: NDArray[np.float64] = table["number"].to_numpy()
    return numbers


def _numbers_by_numpy(lines: bytes) -> NDArray[np.float64] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # NumPy's way to say "not a number"
        try:
            return np.fromstring(lines, sep=" ")
        except (DeprecationWarning, ValueError):
            return None


def parse_exact(block: bytes, first_line: int, file: str, limits: Limits) -> SparseRows:
    """Return the rows of a block, or raise FormatError at the first mistake."""
    labels: list[float] = []
    lengths: list[int] = []
    indices: list[int] = []
    values: list[float] = []
    for number, raw in enumerate(block.split(b"\n"), first_line):
        text = raw.decode("latin-1").partition("#")[0]  # one character a byte
        tokens = [(match.group(), match.start() + 1) for match in _TOKEN.finditer(text)]
        if not tokens:
            continue
        try:
            labels.append(_label(*tokens[0]))
            row = _pairs(tokens[1:], limits)
        except Mistake as mistake:
            raise mistake.at(file, number) from None
        lengths.append(len(row))
        indices.extend(index for index, _ in row)
        values.extend(value for _, value in row)
    return SparseRows(
        np.array(labels, dtype=np.float64),
        np.array(lengths, dtype=np.int64),
        np.array(indices, dtype=np.int64),
        np.array(values, dtype=np.float64),
    )


def _label(token: str, column: int) -> float:
    if "," in token:
        raise Mistake(f"label {token!r}: several labels on one line are not supported", column)
    return _number(token, "label", column)


def _pairs(tokens: list[tuple[str, int]], limits: Limits) -> list[tuple[int, float]]:
    row: list[tuple[int, float]] = []
    for token, column in tokens:
        name, colon, rest = token.partition(":")
        if not colon:
            raise Mistake(f"expected index:value, found {token!r}", column)
        if name == "qid":
            if not rest.isdecimal():
                raise Mistake(f"expected qid:number, found {token!r}", column)
            continue
        if not (name.isascii() and name.isdecimal()):
            raise Mistake(f"index {name!r} is not a whole number", column)
        index = int(name)
        if row and index <= row[-1][0]:
            trouble = "is given twice" if index == row[-1][0] else f"follows {row[-1][0]}"
            raise Mistake(f"index {index} {trouble}; indices of a line must ascend", column)
        if problem := limits.objection(index):
            raise Mistake(problem, column)
        if not rest:
            raise Mistake(f"index {index} has no value after the colon", column + len(name) + 1)
        row.append((index, _number(rest, "value", column + len(name) + 1)))
    return row


def _number(text: str, what: str, column: int) -> float:
    if text.lower().lstrip("+-") in {"nan", "inf", "infinity"}:
        raise Mistake(f"{what} {text!r} is not finite", column)
    if not _NUMBER.fullmatch(text):
        raise Mistake(f"{what} {text!r} is not a number", column)
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise Mistake(f"{what} {text!r} is too large for a double", column)
    return number
