"""Numbered and named features: SVMlight's ``label index:value`` and bags ``feature:count``."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data._svmlight_parse import Limits, parse_exact, parse_fast
from linnet.data.bags import read_bags
from linnet.data.formats.common import Bag, Blocks, Examples, Plan, label_texts
from linnet.errors import DataError, FormatError

__all__ = ["read_amazon", "read_vectors", "write_amazon", "write_vectors"]

_FILLED = re.compile(rb"^[ \t\r]*[^ \t\r\n#]", re.MULTILINE)
_MARK = "#label#"


def read_vectors(blocks: Blocks, plan: Plan) -> Iterator[Examples]:
    """Yield the rows of an SVMlight file.

    Blocks are as wide as the highest index so far. Whether indices start at 0 is decided by the
    first block; an index 0 after that is an error that says so.
    """
    from linnet.data.svmlight import _assemble

    limits = Limits(None, plan.n_features)
    width = plan.n_features or 0
    for first, block in blocks:
        rows = parse_fast(block, limits)
        if rows is None:
            rows = parse_exact(block, first, plan.file, limits)
        if not len(rows.labels):
            continue
        if limits.zero_based is None:
            limits.zero_based = limits.saw_zero
        top = int(rows.indices.max(initial=-1)) + bool(limits.zero_based)
        width = max(width, top)
        limits.n_features, open_width = width, limits.n_features
        matrix, y = _assemble([rows], limits, np.dtype(np.float64))
        limits.n_features = open_width
        yield plan.examples("vector", matrix, _spelled(y), _filled_lines(block, first))


def _spelled(y: NDArray[Any]) -> list[str]:
    known: dict[float, str] = {}
    return [known.setdefault(value, str(value)) for value in y.tolist()]


def _filled_lines(block: bytes, first: int) -> NDArray[np.int64]:
    """Return the numbers of the lines that hold more than a comment."""
    feeds = np.flatnonzero(np.frombuffer(block, np.uint8) == 10)
    starts = np.fromiter((match.start() for match in _FILLED.finditer(block)), np.int64)
    return first + np.searchsorted(feeds, starts)


def write_vectors(examples: Examples, row: int) -> Iterator[str]:
    """Yield ``label index:value`` lines of a matrix, or of bags whose features are numbers."""
    if examples.y is None:
        raise DataError("SVMlight lines need a label each, and the examples have none")
    for number, (bag, label) in enumerate(zip(examples.bags(), examples.y, strict=True)):
        where = f"example {row + number + 1}"
        try:
            pairs = sorted((int(name), value) for name, value in bag.items())
            labels = [float(name) for name in label_texts(label)]
        except ValueError:
            raise DataError(
                f"{where}: SVMlight numbers its features and labels, but these have names; write "
                "JSONL, bags (.review) or Vowpal Wabbit instead"
            ) from None
        if (pairs and pairs[0][0] < 1) or len(labels) != 1:
            raise DataError(f"{where}: SVMlight needs one label and feature numbers from 1")
        yield f"{_short(labels[0])}{''.join(f' {i}:{_short(v)}' for i, v in pairs)}\n"


def read_amazon(blocks: Blocks, plan: Plan) -> Iterator[Examples]:
    """Yield the bags of ``feature:count ... #label#:label`` lines; blank lines are skipped."""
    for first, block in blocks:
        lines = block.decode().split("\n")
        numbers = [first + at for at, line in enumerate(lines) if line.rstrip(" \r")]
        if not plan.labels:  # a label need not be there when none is wanted
            lines = [_with_label(line) for line in lines]
        try:
            bags, labels = read_bags(io.StringIO("\n".join(lines)))
        except FormatError as error:
            line = first + (error.line or 1) - 1
            raise FormatError(
                error.message, file=plan.file, line=line, column=error.column
            ) from None
        if bags:
            yield plan.examples("bag", bags, labels, np.array(numbers, np.int64))


def _with_label(line: str) -> str:
    bare = line.rstrip(" \r")
    return f"{bare} {_MARK}:?" if bare and f"{_MARK}:" not in bare else line


def write_amazon(examples: Examples, row: int) -> Iterator[str]:
    """Yield ``feature:count ... #label#:label`` lines."""
    if examples.y is None:
        raise DataError(f"the lines of this format end with {_MARK}:label; the examples have none")
    for number, (bag, label) in enumerate(zip(examples.bags(), examples.y, strict=True)):
        yield _amazon_line(bag, label_texts(label), f"example {row + number + 1}")


def _amazon_line(bag: Bag, labels: list[str], where: str) -> str:
    if len(labels) != 1:
        raise DataError(f"{where}: this format has one label a line, not {len(labels)}")
    for text in (*bag, *labels):
        if not text or text == _MARK or not {" ", "\n", "\r"}.isdisjoint(text):
            raise DataError(f"{where}: {text!r} cannot be written as a bag; write JSONL instead")
    pairs = "".join(f"{name}:{_short(count)} " for name, count in bag.items())
    return f"{pairs}{_MARK}:{labels[0]}\n"


def _short(value: float) -> str:
    if not np.isfinite(value):
        raise DataError("a value is NaN or infinite")
    return repr(float(value)).removesuffix(".0")
