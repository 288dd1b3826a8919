"""From what users pass as texts to what the core reads: views of UTF-8 bytes.

A list of str, a :class:`~linnet.data.columns.TextColumn`, a pandas, polars or Arrow column: none
of them is copied. Lists of sentences become columns of tokens, natively where they are plain.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.data.columns import TextColumn
from linnet.errors import DataError

__all__ = ["TokenColumns", "as_list", "as_texts", "plain_columns"]


def as_texts(texts: Any) -> _core.Texts:
    """Hand a column of texts to the core.

    Raises
    ------
    DataError
        For a single string, a table, or an entry that is not a text; it names the entry.

    Examples
    --------
    >>> len(as_texts(["one", "two"]))
    2
    """
    texts = _column(texts)
    if isinstance(texts, TextColumn):
        return _core.Texts(texts.data, texts.start, texts.end, texts)
    try:
        return _core.Texts(texts)
    except TypeError:
        raise _refusal(texts) from None


def as_list(texts: Any) -> list[str]:
    """Return a column of texts as a list of str, for the parts that are written in Python.

    Examples
    --------
    >>> as_list(("one", "two"))
    ['one', 'two']
    """
    texts = _column(texts)
    if isinstance(texts, TextColumn):
        return texts.to_list()
    as_texts(texts)  # refuses what is not a text
    return list(texts)


def _refusal(texts: list[Any] | tuple[Any, ...]) -> DataError:
    """Return the error that names the first entry that is not a text."""
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            missing = text is None or (isinstance(text, float) and text != text)
            what = "is missing" if missing else f"is of type {type(text).__name__}"
            remedy = "drop it or write ''" if missing else "decode or convert it first"
            return DataError(f"Text {row} {what}, but every text must be a str; {remedy}.")
        try:
            text.encode()
        except UnicodeEncodeError:
            return DataError(
                f"Text {row} holds half of a surrogate pair, which UTF-8 cannot express; clean it "
                "with text.encode('utf-8', 'replace').decode()."
            )
    return DataError("The texts changed while they were read.")


def _column(texts: Any) -> TextColumn | list[Any] | tuple[Any, ...]:
    if isinstance(texts, (list, tuple, TextColumn)):
        return texts
    if isinstance(texts, (str, bytes)):
        raise DataError("Expected a list of texts, got a single one; pass [text].")
    if getattr(texts, "ndim", 1) != 1:
        raise DataError(f"Expected one column of texts, got an array of shape {texts.shape}.")
    kind = type(texts).__module__.partition(".")[0]
    if kind in ("pyarrow", "polars"):
        return TextColumn.from_arrow(texts)
    if kind == "pandas" and str(texts.dtype) != "object":
        return TextColumn.from_arrow(texts)
    if hasattr(texts, "tolist"):
        return list(texts.tolist())
    try:
        return list(texts)
    except TypeError:
        raise DataError(f"Expected texts, got {type(texts).__name__}.") from None


class TokenColumns(NamedTuple):
    """Columns of cells, where sentences begin, and whether all words are visible ASCII."""

    columns: list[TextColumn]
    offset: NDArray[np.int64]
    visible: bool


def plain_columns(sentences: Any) -> TokenColumns | None:
    """Return the columns of lists of words or tuples of str; None for what needs a closer look.

    Examples
    --------
    >>> plain = plain_columns([[("He", "PRP"), ("ran", "VBD")], []])
    >>> [column.to_list() for column in plain.columns], plain.offset.tolist(), plain.visible
    ([['He', 'ran'], ['PRP', 'VBD']], [0, 2, 2], True)
    >>> plain_columns([["He", 3]]) is None
    True
    """
    read = _core.token_columns(sentences)
    if read is None:
        return None
    offset = np.empty(read.sentences + 1, np.int64)
    read.copy(offset)
    columns = []
    for number, size in enumerate(read.sizes):
        cells, bound = np.empty(size, np.uint8), np.empty(offset[-1] + 1, np.int64)
        read.copy_column(number, cells, bound)
        columns.append(TextColumn(cells, bound[:-1], bound[1:]))
    return TokenColumns(columns, offset, read.visible)
