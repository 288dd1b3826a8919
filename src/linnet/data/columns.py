"""A column of texts as one buffer of UTF-8 bytes and the spans of its rows.

Reading a file into Python strings costs more than counting its words. A :class:`TextColumn` keeps
the bytes as they were read (a block of a file, a memory map, an Arrow buffer) and says where each
text begins and ends; a string is made only for a row that is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.threads import thread_count

__all__ = ["TextColumn", "offsets", "originals_of", "runs"]

Spans = tuple[Any, NDArray[np.int64], NDArray[np.int64]]


def offsets(lengths: ArrayLike) -> NDArray[np.int64]:
    """Return where each of several runs begins, and where the last ends, of their lengths."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def runs(start: NDArray[np.int64], length: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return start[i], start[i] + 1, ... (length[i] numbers) for every i, one after the other.

    Examples
    --------
    >>> runs(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(length) - length
    answer: NDArray[np.int64] = np.arange(int(length.sum())) + np.repeat(start - before, length)
    return answer


def originals_of(texts: _core.Texts) -> NDArray[np.int64]:
    """Return for each text the number of the first that equals it."""
    original = np.empty(len(texts), np.int64)
    texts.originals(original, thread_count(None))
    return original


class TextColumn:
    """A column of UTF-8 texts without Python strings.

    Parameters
    ----------
    buffer : bytes-like
        Bytes, a memory map, a memoryview or a NumPy array of uint8. It is not copied, and must not
        change while the column is in use.
    start, end : int64 array of shape (rows,)
        Row i is ``buffer[start[i]:end[i]]``. Rows may overlap, repeat and come in any order.

    Attributes
    ----------
    buffer : bytes-like
        As given.
    data : uint8 array
        The same bytes as an array, a view.
    start, end : int64 array of shape (rows,)

    Examples
    --------
    >>> column = TextColumn(b"1\\tgood\\n-1\\tpoor\\n", [2, 10], [6, 14])
    >>> column[0], len(column), list(column[::-1])
    ('good', 2, ['poor', 'good'])
    """

    __slots__ = ("buffer", "data", "end", "start")

    def __init__(self, buffer: Any, start: ArrayLike, end: ArrayLike) -> None:
        self.buffer = buffer
        self.data: NDArray[np.uint8] = _as_bytes(buffer)
        self.start: NDArray[np.int64] = np.ascontiguousarray(start, dtype=np.int64)
        self.end: NDArray[np.int64] = np.ascontiguousarray(end, dtype=np.int64)
        if self.start.ndim != 1 or self.start.shape != self.end.shape:
            shapes = f"{self.start.shape} and {self.end.shape}"
            raise DataError(f"start and end must be arrays of one length, got shapes {shapes}")
        if len(self.start) and (
            self.start.min() < 0
            or self.end.max() > len(self.data)
            or bool((self.start > self.end).any())
        ):
            raise DataError(f"a text lies outside the buffer of {len(self.data)} bytes")

    @classmethod
    def from_strings(cls, texts: Iterable[str]) -> TextColumn:
        """Make a column of Python strings.

        Raises
        ------
        DataError
            When an entry is not a string, or holds a lone surrogate, which UTF-8 cannot express.

        Examples
        --------
        >>> TextColumn.from_strings(["good", "", "bühne"]).nbytes
        10
        """
        texts = texts if isinstance(texts, list) else list(texts)
        try:
            joined = "".join(texts).encode()
            if len(joined) == sum(map(len, texts)):
                lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
            else:
                sizes = (len(text.encode()) for text in texts)
                lengths = np.fromiter(sizes, dtype=np.int64, count=len(texts))
        except (TypeError, UnicodeEncodeError):
            raise _not_a_text(texts) from None
        return cls._joined(joined, lengths)

    @classmethod
    def _joined(cls, joined: bytes, lengths: NDArray[np.int64]) -> TextColumn:
        """Return the texts that stand one after the other in a buffer."""
        bounds = offsets(lengths)
        return cls(joined, bounds[:-1], bounds[1:])

    @classmethod
    def from_arrow(cls, array: Any, *, nulls: Literal["error", "empty"] = "error") -> TextColumn:
        """Make a column of an Arrow array, sharing its memory where the layout allows it.

        Parameters
        ----------
        array : pyarrow array or chunked array, or an object that exports one
            Of type string, large_string, string_view, or a dictionary of these. A pandas or
            polars column is accepted too.
        nulls : {"error", "empty"}
            Whether a missing text is an error or an empty text.

        Examples
        --------
        >>> import pyarrow as pa
        >>> list(TextColumn.from_arrow(pa.array(["good", None]), nulls="empty"))
        ['good', '']
        """
        if nulls not in ("error", "empty"):
            raise ParameterError(f"nulls must be 'error' or 'empty', not {nulls!r}")
        return cls(*_arrow_spans(array, empty_nulls=nulls == "empty"))

    @classmethod
    def concatenate(cls, columns: Sequence[TextColumn]) -> TextColumn:
        """Return the texts of several columns as one, over a buffer of their own.

        Examples
        --------
        >>> parts = [TextColumn.from_strings(["a"]), TextColumn.from_strings(["b", "c"])]
        >>> TextColumn.concatenate(parts).to_list()
        ['a', 'b', 'c']
        """
        lengths = np.concatenate(
            [np.empty(0, np.int64), *(column.end - column.start for column in columns)]
        )
        return cls._joined(b"".join([column.compact().buffer for column in columns]), lengths)

    def __len__(self) -> int:
        return len(self.start)

    @overload
    def __getitem__(self, rows: int | np.integer[Any]) -> str: ...
    @overload
    def __getitem__(self, rows: slice | Sequence[int] | NDArray[Any]) -> TextColumn: ...
    def __getitem__(
        self, rows: int | np.integer[Any] | slice | Sequence[int] | NDArray[Any]
    ) -> str | TextColumn:
        if isinstance(rows, (int, np.integer)):
            start, end = self._span(int(rows))
            return _decoded(int(rows), self.data[start:end].tobytes())
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            if not rows.size:
                rows = rows.astype(np.int64)
        return TextColumn(self.buffer, self.start[rows], self.end[rows])

    def __iter__(self) -> Iterator[str]:
        return (_decoded(row, text) for row, text in enumerate(self.raw()))

    def _span(self, row: int) -> tuple[int, int]:
        if not -len(self) <= row < len(self):
            raise IndexError(f"row {row} of a column of {len(self)} texts")
        return int(self.start[row]), int(self.end[row])

    def __repr__(self) -> str:
        return f"<TextColumn of {len(self)} texts, {self.nbytes} bytes>"

    def __reduce__(self) -> tuple[Any, ...]:
        whole = self.compact()  # a memory map cannot be sent to another process, its bytes can
        return TextColumn, (whole.buffer, whole.start, whole.end)

    @property
    def nbytes(self) -> int:
        """Number of bytes of all texts together."""
        return int((self.end - self.start).sum())

    def to_list(self) -> list[str]:
        """Return the texts as Python strings."""
        return list(self)

    def raw(self) -> Iterator[bytes]:
        """Return an iterator over the texts as bytes."""
        spans = zip(self.start.tolist(), self.end.tolist(), strict=True)
        if isinstance(self.buffer, bytes):
            data = self.buffer
            return (data[start:end] for start, end in spans)
        view = self.data.data  # a memoryview
        return (bytes(view[start:end]) for start, end in spans)

    def distinct(self) -> tuple[list[str], list[int]]:
        """Return the different texts in the order they come in, and the number of each row's.

        Examples
        --------
        >>> TextColumn(b"DT NN DT", [0, 3, 6], [2, 5, 8]).distinct()
        (['DT', 'NN'], [0, 1, 0])
        """
        first, numbers = self._kinds()
        return list(self[first]), numbers.tolist()

    def interned(self) -> list[str]:
        """Return the texts as Python strings, equal ones as one object."""
        first, numbers = self._kinds()
        strings = np.empty(len(first), dtype=object)
        strings[:] = list(self[first])
        return list(strings[numbers].tolist())

    def originals(self) -> NDArray[np.int64]:
        """Return for each text the number of the first that equals it.

        Examples
        --------
        >>> TextColumn(b"DT NN DT", [0, 3, 6], [2, 5, 8]).originals().tolist()
        [0, 1, 0]
        """
        return originals_of(_core.Texts(self.data, self.start, self.end, self))

    def _kinds(self) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Return the first row of each different text, and the number of each row's text."""
        original = self.originals()
        first = np.flatnonzero(original == np.arange(len(self)))
        number = np.empty(len(self), np.int64)
        number[first] = np.arange(len(first))
        return first, number[original]

    def compact(self) -> TextColumn:
        """Return the same texts over a buffer that holds nothing else.

        Examples
        --------
        >>> TextColumn(b"1\\tgood\\n", [2], [6]).compact().buffer
        b'good'
        """
        view = self.data.data  # a memoryview
        spans = zip(self.start.tolist(), self.end.tolist(), strict=True)
        joined = b"".join([view[start:end] for start, end in spans])
        return self._joined(joined, self.end - self.start)


def _decoded(row: int, text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        where = f"byte 0x{text[error.start]:02x} at position {error.start}"
        raise DataError(f"text {row} is not UTF-8: {where}") from None


def _as_bytes(buffer: Any) -> NDArray[np.uint8]:
    if isinstance(buffer, np.ndarray):
        if buffer.dtype != np.uint8 or buffer.ndim != 1 or not buffer.flags.c_contiguous:
            raise DataError("a buffer that is a NumPy array must be a contiguous row of uint8")
        return buffer
    try:
        return np.frombuffer(buffer, dtype=np.uint8)
    except (TypeError, ValueError, BufferError) as error:
        raise DataError(f"the buffer of a TextColumn must hold bytes: {error}") from None


def _not_a_text(texts: list[Any]) -> DataError:
    """Return the error that names the entry which is no text."""
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            return DataError(f"text {row} is of type {type(text).__name__}, not a string")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            what = f"a lone surrogate at character {error.start}"
            return DataError(f"text {row} holds {what}; encode with errors='replace' first")
    return DataError("the texts cannot be encoded as UTF-8")


def _arrow_spans(column: Any, *, empty_nulls: bool) -> Spans:
    """Return (bytes, start, end) of a string column; see :meth:`TextColumn.from_arrow`."""
    array = _one_array(column)
    if array.null_count:
        if not empty_nulls:
            row = int(np.flatnonzero(array.is_null().to_numpy(zero_copy_only=False))[0])
            missing = f"{array.null_count} of {len(array)} texts are missing, first in row {row}"
            raise DataError(f"{missing}; drop them, or read missing texts as empty")
        array = array.fill_null("")
    return _dictionary_spans(array) if _is_dictionary(array) else _string_spans(array)


def _is_dictionary(array: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_dictionary(array.type))


def _one_array(column: Any) -> Any:
    """Return a column as one Arrow array of type string, large_string or dictionary."""
    import pyarrow as pa

    if not isinstance(column, (pa.Array, pa.ChunkedArray)):
        try:
            exported = hasattr(column, "__arrow_c_stream__")
            column = pa.chunked_array(column) if exported else pa.array(column)
        except (TypeError, ValueError, pa.ArrowException) as error:
            raise DataError(f"the texts cannot be read as an Arrow column: {error}") from None
    dictionary = pa.types.is_dictionary(column.type)
    kind = column.type.value_type if dictionary else column.type
    if not len(column) or pa.types.is_null(kind):
        return column.cast(pa.large_string()) if pa.types.is_null(kind) else pa.array([], "string")
    if str(kind) not in ("string", "large_string", "string_view"):
        raise DataError(f"a text column must hold strings, but its Arrow type is {column.type}")
    if str(kind) == "string_view" or (
        isinstance(column, pa.ChunkedArray) and column.num_chunks > 1 and not dictionary
    ):
        column = column.cast(pa.large_string())  # joined chunks may exceed 2^31 bytes
    if isinstance(column, pa.ChunkedArray):
        if dictionary and column.num_chunks > 1:
            column = column.unify_dictionaries()
        column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
        if isinstance(column, pa.ChunkedArray):
            column = column.chunk(0)
    return column


def _string_spans(array: Any) -> Spans:
    wide = str(array.type) == "large_string"
    _, offsets, data = array.buffers()
    kind = np.dtype(np.int64 if wide else np.int32)
    if offsets is None or not len(array):
        return b"", np.zeros(len(array), np.int64), np.zeros(len(array), np.int64)
    skip = array.offset * kind.itemsize
    bounds = np.frombuffer(offsets, dtype=kind, count=len(array) + 1, offset=skip)
    bounds = bounds.astype(np.int64, copy=False)
    return b"" if data is None else data, bounds[:-1], bounds[1:]


def _dictionary_spans(array: Any) -> Spans:
    """Return spans into the dictionary: repeated texts share their bytes."""
    data, start, end = _arrow_spans(array.dictionary, empty_nulls=True)
    codes = array.indices.to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    return data, start[codes], end[codes]
