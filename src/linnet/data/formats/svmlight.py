"""The sparse format of SVMlight, LIBSVM and LIBLINEAR: ``label index:value ...`` (SPEC D-10).

One example a line. Indices ascend and start at 1 (some files start at 0). Features left out are
zero. Text after ``#`` is a comment; blank lines are skipped. ``qid:n`` says which lines are ranked
against each other: :func:`read_svmlight` gives it on request, and a classifier, for which it means
nothing, reads it over as SVMlight does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from linnet.data.columns import offsets
from linnet.data.files import Source, read_blocks, source_name, write_atomically
from linnet.data.formats._svmlight_parse import Limits, SparseRows, parse_rows
from linnet.data.formats.common import NUMBER, Blocks, Examples, Plan, label_texts, shortest
from linnet.errors import DataError, FormatError, ParameterError

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["read", "read_svmlight", "recognise", "write", "write_svmlight"]

_EXACT = 2**53  # integers up to here are exact in a double
_QUERY = re.compile(rb"[ \t]qid:([0-9]+)(?=[ \t\r]|$)")
_FILLED = re.compile(rb"^[ \t\r]*[^ \t\r\n#]", re.MULTILINE)


def recognise(filled: list[str]) -> str | None:
    """Say why lines are of this format: most have a colon, and all are numbers and pairs."""
    line = re.compile(rf"{NUMBER}(?:[ \t]+(?:qid:\d+|\d+:{NUMBER}))*[ \t]*(?:#.*)?")
    pairs = sum(":" in text for text in filled)
    rows = [text for text in filled if not text.startswith("#")]
    if pairs * 2 > len(filled) and all(map(line.fullmatch, rows)):
        return "is a number and index:value pairs"
    return None


def read(blocks: Blocks, plan: Plan) -> Iterator[Examples]:
    """Yield the rows of each block.

    Blocks are as wide as the highest index so far. Whether indices start at 0 is decided by the
    first block; an index 0 after that is an error that says so.
    """
    limits = Limits(None, plan.n_features)
    width = plan.n_features or 0
    for first, block in blocks:
        rows = parse_rows(block, first, plan.file, limits)
        if not len(rows.labels):
            continue
        if limits.zero_based is None:
            limits.zero_based = limits.saw_zero
        width = max(width, int(rows.indices.max(initial=-1)) + bool(limits.zero_based))
        matrix, y = _assemble([rows], limits, width, np.dtype(np.float64))
        known: dict[float, str] = {}
        labels = [known.setdefault(value, str(value)) for value in y.tolist()]
        yield plan.examples("vector", matrix, labels, _filled_lines(block, first, len(y)))


def _filled_lines(block: bytes, first: int, rows: int) -> NDArray[np.int64]:
    """Return the numbers of the lines that hold more than a comment, as many as there are rows."""
    if rows == block.count(b"\n") + (not block.endswith(b"\n")):
        return np.arange(first, first + rows, dtype=np.int64)
    feeds = np.flatnonzero(np.frombuffer(block, np.uint8) == 10)
    starts = np.fromiter((match.start() for match in _FILLED.finditer(block)), np.int64)
    return first + np.searchsorted(feeds, starts)


def write(examples: Examples, row: int, plan: Plan) -> Iterator[str]:
    """Yield the lines of a matrix, or of bags whose features are numbers."""
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
        yield f"{shortest(labels[0])}{''.join(f' {i}:{shortest(v)}' for i, v in pairs)}\n"


def read_svmlight(
    source: Source,
    *,
    n_features: int | None = None,
    zero_based: bool | Literal["auto"] = "auto",
    dtype: DTypeLike = np.float64,
    query_ids: bool = False,
) -> Any:
    """Read an SVMlight file.

    Parameters
    ----------
    source : path or file
        Plain, ``.gz`` or ``.zst``; ``-`` is standard input; or an open file.
    n_features : int, optional
        Number of columns; by default as many as the highest index needs. Give the training
        set's number when reading a test set.
    zero_based : bool or "auto"
        Whether the first feature has index 0. "auto" decides for 0 when index 0 occurs.
    dtype : float64 or float32
        Type of the values.
    query_ids : bool
        Return the number after ``qid:`` of each line too; every line must then have one.

    Returns
    -------
    X : csr_matrix of shape (examples, n_features)
    y : array of shape (examples,)
        int64 when every label is a whole number, else float64.
    q : int64 array of shape (examples,)
        With ``query_ids`` only.

    Raises
    ------
    FormatError
        With file, line and column, when a line does not follow the format; when the file has no
        example or is damaged.

    Examples
    --------
    >>> import io
    >>> X, y = read_svmlight(io.BytesIO(b"+1 1:0.5 3:2  # first\\n-1 2:1\\n"))
    >>> X.toarray().tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]], [1, -1])
    >>> X, y, q = read_svmlight(io.BytesIO(b"2 qid:7 1:1\\n1 qid:7 2:1\\n"), query_ids=True)
    >>> q.tolist()
    [7, 7]
    """
    if zero_based not in (True, False, "auto"):
        raise ParameterError(f"zero_based must be True, False or 'auto', not {zero_based!r}")
    if n_features is not None and n_features < 0:
        raise ParameterError(f"n_features must not be negative, got {n_features}")
    kind = np.dtype(dtype)
    if kind not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ParameterError(f"dtype must be float32 or float64, not {kind}")
    limits = Limits(None if zero_based == "auto" else bool(zero_based), n_features)
    blocks: list[SparseRows] = []
    queries: list[int] = []
    for first_line, block in read_blocks(source):
        rows = parse_rows(block, first_line, source_name(source), limits)
        if query_ids:
            queries += _query_ids(block, first_line, source_name(source))
        with np.errstate(over="ignore"):  # found by _assemble
            blocks.append(rows._replace(values=rows.values.astype(kind, copy=False)))
    if not any(len(rows.labels) for rows in blocks):
        raise FormatError("the file holds no example", file=source_name(source), line=1, column=1)
    X, y = _assemble(blocks, limits, n_features, kind)
    return (X, y, np.array(queries, np.int64)) if query_ids else (X, y)


def _query_ids(block: bytes, first_line: int, file: str) -> list[int]:
    """Return the number after ``qid:`` of each line that holds an example."""
    queries = []
    for number, line in enumerate(block.split(b"\n"), first_line):
        if not _FILLED.match(line):
            continue
        given = _QUERY.findall(line.partition(b"#")[0])
        if len(given) != 1 or len(given[0]) > 18:
            raise FormatError(
                f"expected one qid:number of at most 18 digits, found {len(given)}; read the file "
                "without query_ids",
                file=file, line=number, column=1,
            )  # fmt: skip
        queries.append(int(given[0]))
    return queries


def _assemble(
    blocks: list[SparseRows], limits: Limits, width: int | None, dtype: np.dtype[Any]
) -> tuple[csr_matrix, NDArray[np.int64] | NDArray[np.float64]]:
    """Join the blocks of a file into one matrix and one label array."""
    from scipy.sparse import csr_matrix

    labels, lengths, indices, values = map(np.concatenate, zip(*blocks, strict=True))
    if not np.isfinite(values).all():
        raise DataError("a value is too large for float32; read the file with dtype=float64")
    zero_based = limits.saw_zero if limits.zero_based is None else limits.zero_based
    if not zero_based:
        indices -= 1
    if width is None:
        width = int(indices.max(initial=-1)) + 1
    matrix = csr_matrix(
        (values, indices, offsets(lengths)), shape=(len(labels), width), dtype=dtype
    )
    whole = bool((np.trunc(labels) == labels).all() and np.abs(labels).max() <= _EXACT)
    return matrix, labels.astype(np.int64) if whole else labels


def write_svmlight(
    path: str | PathLike[str],
    X: Any,
    y: ArrayLike,
    *,
    zero_based: bool = False,
    comment: str | None = None,
    query_ids: ArrayLike | None = None,
) -> None:
    """Write an SVMlight file that :func:`read_svmlight` reads back without loss.

    Parameters
    ----------
    path : str or path-like
        The file, compressed when it ends in ``.gz`` or ``.zst``; ``-`` is standard output.
    X : array or sparse matrix of shape (examples, features)
        Stored zeros of a sparse matrix are written, zeros of a dense array are not.
    y : array of shape (examples,)
        Numeric labels.
    zero_based : bool
        Whether to call the first feature 0 instead of 1.
    comment : str, optional
        Lines put before the examples, each after ``# ``.
    query_ids : array of int of shape (examples,), optional
        Written as ``qid:n`` after the label: which examples are ranked against each other.

    Examples
    --------
    >>> write_svmlight("-", [[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]], [1, -1])
    1 1:0.5 3:2
    -1 2:1
    """
    from scipy.sparse import csr_matrix

    matrix = csr_matrix(X)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    labels = np.asarray(y)
    _check_writable(matrix, labels)
    queries = [""] * len(labels)
    if query_ids is not None:
        given = np.asarray(query_ids)
        if given.shape != labels.shape or given.dtype.kind not in "iu" or (given < 0).any():
            raise DataError(f"query_ids must hold {len(labels)} whole numbers, none below 0")
        queries = [f" qid:{number}" for number in given.tolist()]
    numbers = _numbers(matrix.data)
    indices = (matrix.indices + (0 if zero_based else 1)).tolist()
    bounds = matrix.indptr.tolist()
    with write_atomically(path) as out:
        for line in (comment or "").splitlines():
            out.write(f"# {line}\n")
        for row, label in enumerate(_numbers(labels)):
            span = slice(bounds[row], bounds[row + 1])
            pairs = [f" {i}:{v}" for i, v in zip(indices[span], numbers[span], strict=True)]
            out.write(f"{label}{queries[row]}{''.join(pairs)}\n")


def _check_writable(matrix: csr_matrix, labels: NDArray[Any]) -> None:
    if labels.shape != (matrix.shape[0],):
        raise DataError(f"X has {matrix.shape[0]} rows, but y has shape {labels.shape}")
    if labels.dtype.kind not in "biuf":
        raise DataError(f"labels must be numbers, not {labels.dtype}; encode them first")
    if matrix.data.dtype.kind not in "biuf":
        raise DataError(f"values must be real numbers, not {matrix.data.dtype}")
    for name, numbers in (("X", matrix.data), ("y", labels)):
        if not np.isfinite(numbers).all():
            raise DataError(f"{name} holds NaN or infinity, which the format cannot express")
        if numbers.dtype.kind in "iu" and numbers.size and np.abs(numbers).max() > _EXACT:
            raise DataError(f"{name} holds integers beyond 2**53, which do not survive a double")


def _numbers(array: NDArray[Any]) -> list[str]:
    """Write each number as short as it can be read back exactly."""
    if array.dtype.kind in "biu":
        return [str(int(number)) for number in array.tolist()]
    if array.dtype == np.float32:  # nine digits name every float32
        return [f"{number:.9g}" for number in array.tolist()]
    return [repr(number).removesuffix(".0") for number in array.astype(np.float64).tolist()]
