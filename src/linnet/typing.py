"""What the public methods take, for editors and type checkers; nothing here runs.

A text by itself is no list of texts and a sentence no list of sentences, although Python would go
through their characters and words: the types below do not admit them, so a checker tells of it.

Examples
--------
>>> from linnet.typing import Labels, Texts
>>> def longest(texts: Texts, labels: Labels) -> int: ...
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from linnet.data.columns import TextColumn
    from linnet.data.rows import RowTable
    from linnet.data.sequences import Sequences
    from linnet.learn.chain.sentences import Ragged
    from linnet.model.readers.tokens import Tokens

__all__ = [
    "Arrow", "ArrowChunks", "Bags", "Column", "Frame", "Labels", "Matrix", "Rows", "Sentences",
    "Tags", "TextInput", "Texts", "Vectors", "Weights",
]  # fmt: skip


class Column(Protocol):
    """An array of NumPy, or a column of pandas or polars."""

    @property
    def dtype(self) -> Any:
        """What the entries are."""

    def __len__(self) -> int: ...

    def __getitem__(self, key: Any, /) -> Any: ...


class Arrow(Protocol):
    """A column of Arrow, of whatever library."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...


class ArrowChunks(Protocol):
    """A column of Arrow in chunks, of whatever library."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class Matrix(Protocol):
    """A sparse matrix or array of SciPy."""

    @property
    def shape(self) -> Any:
        """Rows and columns."""

    def tocsr(self) -> Any:
        """Return it row by row."""


class Frame(Protocol):
    """A data frame of pandas or polars."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""

    def __len__(self) -> int: ...


#: Texts, many of them: a text by itself is none.
Texts: TypeAlias = (
    "list[str] | tuple[str, ...] | Iterator[str] | TextColumn | Column | Arrow | ArrowChunks"
)
#: Dictionaries of features: numbers, truths, symbols, lists of symbols.
Bags: TypeAlias = "Sequence[Mapping[str, Any]] | Iterator[Mapping[str, Any]]"
#: What a classifier of texts takes; of several columns a frame, an Arrow table, or columns by name.
TextInput: TypeAlias = "Texts | Bags | Matrix | Frame | RowTable | Mapping[str, Any]"
#: Vectors as an array, a matrix or rows of numbers; or dictionaries of features.
Vectors: TypeAlias = (
    "Column | Matrix | Frame | Bags | Sequence[list[Any] | tuple[Any, ...] | Column]"
)
#: Rows of values, symbols and numbers.
Rows: TypeAlias = (
    "RowTable | Frame | Column| Sequence[list[Any] | tuple[Any, ...]] | Sequence[Mapping[str, Any]]"
)
#: A label for each example; lists of labels, or a table of 0 and 1, for several.
Labels: TypeAlias = "list[Any] | tuple[Any, ...] | Column | Matrix | Frame | Arrow | ArrowChunks"
#: Sentences, each a list of words, of tuples (word first) or of dictionaries of features.
Sentences: TypeAlias = "Sequences | Tokens | Ragged | Sequence[list[Any] | tuple[Any, ...]]"
#: A list of tags for each sentence.
Tags: TypeAlias = "Sequence[list[str] | tuple[str, ...]]"
#: A number for each example.
Weights: TypeAlias = "Sequence[float] | Column"
