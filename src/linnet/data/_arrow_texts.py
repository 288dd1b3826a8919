"""Where the texts of an Arrow column lie: its byte buffer and the span of each row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError

__all__ = ["spans"]

Spans = tuple[Any, NDArray[np.int64], NDArray[np.int64]]


def spans(column: Any, *, empty_nulls: bool) -> Spans:
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
    data, start, end = spans(array.dictionary, empty_nulls=True)
    codes = array.indices.to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    return data, start[codes], end[codes]
