"""What every format shares: the examples it yields and the plan it reads by."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn
from linnet.errors import DataError, FormatError

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = [
    "NUMBER",
    "Bag",
    "Blocks",
    "Examples",
    "Label",
    "Mistake",
    "Plan",
    "Wishes",
    "at_least_one",
    "label_texts",
    "line_spans",
    "parsed_lines",
    "places_of",
    "shortest",
    "split_labels",
    "takes_what",
]

Bag = dict[str, float]
Blocks = Iterable[tuple[int, bytes]]
Label = str | int
Parameters = ParamSpec("Parameters")
Parsed = TypeVar("Parsed")

#: A number as files write it, in a regular expression.
NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"

_PIECE = 1 << 18


class Mistake(Exception):
    """What is wrong in a line, and from which column on; the reader knows file and line."""

    def __init__(self, message: str, column: int | None = None) -> None:
        super().__init__(message)
        self.column = column

    def at(self, file: str, line: int) -> FormatError:
        """Return the error that says where the line stands."""
        return FormatError(str(self), file=file, line=line, column=self.column)


@dataclass(frozen=True)
class Examples:
    """Labelled or unlabelled examples of one file, or of one block of it.

    Attributes
    ----------
    kind : {"text", "bag", "vector", "columns"}
        What one example is: a text, a dictionary of counts, a sparse row, or a row of several
        columns.
    X : TextColumn, list of dict, csr_matrix or RowTable
    y : list of str, list of int, list of list, or None
        Labels as the file spells them; a list of lists when a row may have several; None when
        the file has none.
    format : str
        Name of the file's format.
    lines : int64 array of shape (examples,)
        Line each example starts on, or its row number where the format has no lines; from 1.
    decisions : tuple of str
        What was found out about the file, a sentence each.
    ids : list of str, optional
        Names of the examples where the file gives them.
    """

    kind: str
    X: Any
    y: list[Any] | None
    format: str
    lines: NDArray[np.int64]
    decisions: tuple[str, ...] = ()
    ids: list[str] | None = None

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def multilabel(self) -> bool:
        """Whether a row may have several labels."""
        return bool(self.y) and isinstance(self.y[0], list)  # type: ignore[index]

    def take(self, rows: slice) -> Examples:
        """Return a slice of the examples."""
        y = None if self.y is None else self.y[rows]
        ids = None if self.ids is None else self.ids[rows]
        table = self.kind == "columns"
        X = self.X.take(range(len(self))[rows]) if table else self.X[rows]
        return replace(self, X=X, y=y, lines=self.lines[rows], ids=ids)

    def bags(self) -> Iterator[Bag]:
        """Yield each example of kind "bag" or "vector" as a dictionary.

        A feature of a sparse row is named by its number in an SVMlight file, which is from 1.
        """
        if self.kind == "bag":
            yield from self.X
        elif self.kind == "vector":
            yield from _named_rows(self.X)
        else:
            raise DataError(f"examples of kind {self.kind!r} are not bags of features")


def _named_rows(matrix: csr_matrix) -> Iterator[Bag]:
    bounds = matrix.indptr.tolist()
    for start, end in pairwise(bounds):
        names = (matrix.indices[start:end] + 1).astype(str).tolist()
        yield dict(zip(names, matrix.data[start:end].tolist(), strict=True))


def takes_what(
    stream: Callable[Parameters, object],
) -> Callable[[Callable[..., Parsed]], Callable[Parameters, Parsed]]:
    """Give a reader of whole files the parameters of the stream that it passes them on to."""
    streamed = inspect.signature(stream)
    shown = [one for name, one in streamed.parameters.items() if name != "block_bytes"]

    def decorate(read: Callable[..., Parsed]) -> Callable[Parameters, Parsed]:
        answer = inspect.signature(read).return_annotation
        read.__signature__ = inspect.Signature(shown, return_annotation=answer)  # type: ignore[attr-defined]
        return read

    return decorate


def at_least_one(blocks: Iterable[Parsed], file: str, what: str) -> Iterator[Parsed]:
    """Yield blocks; where there are none, the file holds `what` and is refused."""
    empty = True
    for block in blocks:
        empty = False
        yield block
    if empty:
        raise FormatError(f"the file holds {what}", file=file)


def parsed_lines(
    blocks: Blocks, plan: Plan, parse: Callable[[bytes], Parsed | None]
) -> Iterator[tuple[list[Parsed], NDArray[np.int64]]]:
    """Yield what `parse` makes of the lines of each block, and their numbers.

    Blank lines, and those of which `parse` makes None, are skipped. A :class:`Mistake` becomes the
    error that says where it is.
    """
    for first, block in blocks:
        records, numbers = [], []
        for number, line in enumerate(block.split(b"\n"), first):
            if line and not line.isspace():
                try:
                    record = parse(line.removesuffix(b"\r"))
                except Mistake as mistake:
                    raise mistake.at(plan.file, number) from None
                if record is not None:
                    records.append(record)
                    numbers.append(number)
        if records:
            yield records, np.array(numbers, np.int64)


@dataclass(frozen=True)
class Wishes:
    """What the caller has decided; None leaves a decision to the recognition."""

    format: str | None = None
    text: str | int | None = None
    label: str | int | None = None
    header: bool | None = None
    delimiter: str | None = None
    quoting: bool | None = None
    labels: bool = True
    columns: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Plan:
    """How one file is read or written: what was found out about it and what the caller decided.

    A column of texts or of words, and one of labels or of tags, are called by name; columns of a
    file without names are called "1", "2", and so on, those of rows of values c1, c2, …. In place
    of one column of texts there may be several `inputs`, pairs of a name and what it holds:
    "text", "category" or "number". The last lines are for one format each.
    """

    file: str
    format: str
    delimiter: str | None = None
    header: bool = False
    columns: tuple[str, ...] = ()
    text: str | None = None
    inputs: tuple[tuple[str, str], ...] = ()
    label: str | None = None
    decisions: tuple[str, ...] = ()
    labels: bool = True
    quoting: bool = False
    label_separator: str | None = None
    safe_csv: bool = False
    nulls: str = "error"
    errors: str = "strict"
    n_features: int | None = None
    comments: str | None = None
    tokens: str = "whitespace"
    cut: str = "split"
    ignored: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """Number of columns of a column file, else 0."""
        return len(self.columns)

    @property
    def used(self) -> list[str]:
        """The columns of a file of rows to learn from."""
        return [name for name in self.columns if name not in (self.label, *self.ignored)]

    def cells(self, column: TextColumn) -> list[Any]:
        """Return the labels of a column, lists of them where a cell may hold several."""
        labels = column.interned()
        if self.label_separator is None:
            return labels
        return [split_labels(label, self.label_separator) for label in labels]

    def examples(
        self,
        kind: str,
        X: Any,
        y: list[Any] | None,
        lines: NDArray[np.int64],
        ids: list[str] | None = None,
    ) -> Examples:
        """Return a block's examples, without labels when none are wanted."""
        return Examples(
            kind, X, y if self.labels else None, self.format, lines, self.decisions, ids
        )


def places_of(data: NDArray[np.uint8], byte: int) -> NDArray[np.int64]:
    """Return where a byte occurs, a cache-sized piece at a time."""
    places = [
        np.flatnonzero(data[at : at + _PIECE] == byte) + at for at in range(0, len(data), _PIECE)
    ]
    return np.concatenate(places) if places else np.empty(0, np.int64)


def line_spans(data: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each line of a block starts and ends, without its line feed and return."""
    feeds = places_of(data, 10)
    if len(data) and data[-1] != 10:
        feeds = np.append(feeds, len(data))
    start = np.empty_like(feeds)
    start[:1] = 0
    start[1:] = feeds[:-1] + 1
    returns = (feeds > start) & (data[np.maximum(feeds - 1, 0)] == 13)
    return start, feeds - returns


def split_labels(text: str, separator: str) -> list[str]:
    """Return the labels of a cell that holds several."""
    return [part for part in (part.strip() for part in text.split(separator)) if part]


def label_texts(labels: Label | Sequence[Label]) -> list[str]:
    """Return one row's label or labels as strings."""
    return [str(label) for label in labels] if isinstance(labels, list) else [str(labels)]


def shortest(value: float) -> str:
    """Return a finite number as short as it can be read back exactly."""
    if not isfinite(value):
        raise DataError("a value is NaN or infinite")
    return repr(float(value)).removesuffix(".0")
