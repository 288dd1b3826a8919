"""What a part holds: the examples of texts, of sentences or of rows, read on a worker.

A :class:`Form` knows one kind of examples: how a partition of Dask becomes examples and labels, how
a file is cut into stretches, and how a stretch is read.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from linnet.data.columns import TextColumn, offsets
from linnet.data.formats.rows import read_rows
from linnet.data.formats.sequence_common import Sequences
from linnet.errors import DataError
from linnet.model.readers.rows import as_table
from linnet.model.readers.tokens import Tokens, read_tags, read_tokens
from linnet.stream.sources import Place, Sources
from linnet.stream.tagging import Sentences

__all__ = ["Form", "Piece", "RecordForm", "Stretch", "WholeFiles", "form_of", "plain_labels"]

_BLOCK = 1 << 20  # bytes that are parsed together


@dataclass(frozen=True)
class Piece:
    """The examples of a part and their labels."""

    X: Any
    y: list[Any]

    def __sizeof__(self) -> int:
        columns = getattr(self.X, "columns", [self.X])  # tokens have several
        return sum(int(getattr(column, "nbytes", 100 * len(column))) for column in columns)


class Stretch(NamedTuple):
    """A stretch of a file, from a place to another; to its end where that is None."""

    file: str
    start: Place
    end: Place | None
    block_bytes: int


class Form(ABC):
    """One kind of examples.

    Parameters
    ----------
    text, label : str or None
        The columns, or keys, of the example and of its label.
    reading : dict
        How files are read.
    """

    what: str

    def __init__(self, text: Any, label: Any, reading: Mapping[str, Any]) -> None:
        self.text, self.label, self.reading = text, label, dict(reading)

    def piece(self, value: Any) -> Piece:
        """Return the examples of a partition of Dask: a data frame, items, or a pair (X, y)."""
        if isinstance(value, Piece):
            return value
        if hasattr(value, "columns") and hasattr(value, "iloc"):
            return self._of_frame(value)
        if isinstance(value, tuple) and len(value) == 2:
            return self._pair(*value)
        items = list(value)
        if not items:
            raise DataError("it is empty; leave it out, or make fewer partitions")
        if all(isinstance(item, Mapping) for item in items):
            return self._of_records(items)
        if not all(isinstance(item, (tuple, list)) and len(item) == 2 for item in items):
            raise DataError(
                f"each item must be a pair of {self.what} and its label, or a dictionary; got "
                f"{str(items[0])[:80]!r}"
            )
        return self._pair([x for x, _ in items], [y for _, y in items])

    @abstractmethod
    def _pair(self, X: Any, y: Any) -> Piece:
        """Return checked examples and labels."""

    def _of_frame(self, frame: Any) -> Piece:
        text, label = self._column(frame, "text"), self._column(frame, "label")
        return self._pair(frame[text].tolist(), frame[label].tolist())

    def _of_records(self, items: list[Any]) -> Piece:
        text, label = self.text or "text", self.label or "label"
        for key in (text, label):
            if any(key not in item for item in items):
                raise DataError(f"an item has no {key!r}; say which keys hold text and label")
        return self._pair([item[text] for item in items], [item[label] for item in items])

    def _column(self, frame: Any, role: str) -> Any:
        name = getattr(self, role)
        name = role if name is None else name
        if name not in frame.columns:
            listed = ", ".join(map(str, frame.columns))
            raise DataError(f"there is no column {name!r} of the {role}; there are {listed}")
        return name

    def cuts(self, file: str, part_bytes: int) -> list[Stretch]:
        """Cut a file into stretches of about so many bytes, which depend on the file alone."""
        block_bytes = min(part_bytes, _BLOCK)
        each = max(1, part_bytes // block_bytes)
        places = [Place()]
        for number, (_, after) in enumerate(self._blocks(file, Place(), block_bytes), 1):
            if number % each == 0:
                places.append(after)
            last = after
        if places[-1] != last:
            places.append(last)
        ends = [*places[1:-1], None]
        return [
            Stretch(file, start, end, block_bytes) for start, end in zip(places, ends, strict=False)
        ]

    def read(self, stretch: Stretch) -> Piece:
        """Return the examples of a stretch."""
        pieces = []
        for piece, after in self._blocks(stretch.file, stretch.start, stretch.block_bytes):
            pieces.append(piece)
            if after == stretch.end:
                break
        if not pieces:
            raise DataError("it holds no examples")
        return self._joined(pieces)

    @abstractmethod
    def _blocks(self, file: str, start: Place, block_bytes: int) -> Iterator[tuple[Piece, Place]]:
        """Yield the blocks of a file from a place on, each with the place after it."""

    @abstractmethod
    def _joined(self, pieces: list[Piece]) -> Piece:
        """Return the examples of all pieces in one."""


class TextForm(Form):
    """Texts with labels."""

    what = "a text"

    def _pair(self, X: Any, y: Any) -> Piece:
        texts = X if isinstance(X, TextColumn) else TextColumn.from_strings(X)
        labels = plain_labels(y)
        if len(labels) != len(texts):
            raise DataError(f"it has {len(texts)} texts and {len(labels)} labels")
        return Piece(texts, labels)

    def _blocks(self, file: str, start: Place, block_bytes: int) -> Iterator[tuple[Piece, Place]]:
        wishes = {"text": self.text, "label": self.label}
        chosen = {name: wish for name, wish in wishes.items() if wish is not None}
        sources = Sources([file], block_bytes=block_bytes, **chosen, **self.reading)
        for block, after in sources.blocks(start):
            yield Piece(block.X, block.y or []), after

    def _joined(self, pieces: list[Piece]) -> Piece:
        texts = TextColumn.concatenate([piece.X for piece in pieces]).compact()
        return Piece(texts, [label for piece in pieces for label in piece.y])


class SentenceForm(Form):
    """Sentences with a tag for each token."""

    what = "a sentence"

    def piece(self, value: Any) -> Piece:
        """Return the sentences of a partition."""
        if isinstance(value, Sequences):
            if value.tags is None:
                raise DataError("its sentences have no tags to learn")
            return self._pair(value, value.tags)
        return super().piece(value)

    def _pair(self, X: Any, y: Any) -> Piece:
        tokens = read_tokens(X)
        return Piece(tokens, read_tags(y, tokens))

    def _blocks(self, file: str, start: Place, block_bytes: int) -> Iterator[tuple[Piece, Place]]:
        sources = Sentences([file], block_bytes=block_bytes, **self.reading)
        for tokens, gold, after in sources.tagged(start):
            yield Piece(tokens, gold), after

    def _joined(self, pieces: list[Piece]) -> Piece:
        if len(pieces) == 1:
            return pieces[0]
        tokens = [piece.X for piece in pieces]
        columns = [
            [cell for part in tokens for cell in part.strings(c)]
            for c in range(min(len(part.columns) for part in tokens))
        ]
        lengths = [length for piece in pieces for length in map(len, piece.y)]
        joined = Tokens(tuple(columns), offsets(lengths))
        return Piece(joined, [tags for piece in pieces for tags in piece.y])


class WholeFiles(Form):
    """Examples whose files are parts as they are: what a column holds is seen in all its rows."""

    def cuts(self, file: str, part_bytes: int) -> list[Stretch]:
        """Return the whole file."""
        return [Stretch(file, Place(), None, part_bytes)]

    def _joined(self, pieces: list[Piece]) -> Piece:
        return pieces[0]


class RecordForm(WholeFiles):
    """Examples of several columns, one of which is the label."""

    def _of_frame(self, frame: Any) -> Piece:
        label = self._column(frame, "label")
        return self._pair(frame.drop(columns=[label]), frame[label].tolist())

    def _of_records(self, items: list[Any]) -> Piece:
        label = self.label or "label"
        if any(label not in item for item in items):
            raise DataError(f"an item has no {label!r}; say which key holds the label")
        rows = [{name: v for name, v in item.items() if name != label} for item in items]
        return self._pair(rows, [item[label] for item in items])


class RowForm(RecordForm):
    """Rows of attribute values with labels."""

    what = "a row"

    def _pair(self, X: Any, y: Any) -> Piece:
        return Piece(as_table(X), plain_labels(y))

    def _blocks(self, file: str, start: Place, block_bytes: int) -> Iterator[tuple[Piece, Place]]:
        chosen: dict[str, Any] = {} if self.label is None else {"label": str(self.label)}
        rows = read_rows(file, **chosen, **self.reading)
        if rows.labels is None:
            raise DataError(f"{file} has no labels to learn; name their column")
        yield Piece(rows.table, list(rows.labels)), Place(0, len(rows.table))


def plain_labels(y: Any) -> list[Any]:
    """Return labels as Python has them."""
    return [label.item() if hasattr(label, "item") else label for label in y]


def form_of(kind: str, text: Any, label: Any, reading: Mapping[str, Any]) -> Form:
    """Return the form of examples: of "texts", "sentences", "rows", "vectors" or "features"."""
    from linnet.scale.training.learner_pieces import FeatureForm, VectorForm

    forms: dict[str, type[Any]] = {
        "texts": TextForm, "sentences": SentenceForm, "words": SentenceForm, "rows": RowForm,
        "vectors": VectorForm, "features": FeatureForm,
    }  # fmt: skip
    form: Form = forms[kind](text, label, reading)
    return form
