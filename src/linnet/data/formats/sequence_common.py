"""What every sequence format shares: the sentences it yields.

The tokens of all sentences stand one below the other. A column of them is one
:class:`~linnet.data.columns.TextColumn` over the bytes of the file, and ``offset`` says where each
sentence begins, so a million tokens cost a few arrays and no string.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn
from linnet.data.formats._cell_spans import runs
from linnet.data.formats.common import Blocks
from linnet.data.limits import longest_line, too_long
from linnet.errors import DataError

__all__ = ["Attributes", "Notes", "Sequences", "sentence_blocks"]

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Attributes:
    """Named features of tokens, a varying number each.

    Token i has the features ``names[offset[i]:offset[i + 1]]`` with the same rows of `values`
    (1 throughout when that is None).
    """

    names: TextColumn
    values: NDArray[np.float64] | None
    offset: Ints

    def take(self, tokens: Ints) -> Attributes:
        """Return the features of some tokens."""
        length = np.diff(self.offset)[tokens]
        rows = runs(self.offset[tokens], length)
        values = None if self.values is None else self.values[rows]
        return Attributes(self.names[rows], values, _offsets(length))

    def dicts(self) -> list[dict[str, float]]:
        """Return the features of each token as a dictionary; equal names are added up."""
        names = _strings(self.names)
        values = [1.0] * len(names) if self.values is None else self.values.tolist()
        answer = []
        for start, end in pairwise(self.offset.tolist()):
            bag: dict[str, float] = {}
            for name, value in zip(names[start:end], values[start:end], strict=True):
                bag[name] = bag.get(name, 0.0) + value
            answer.append(bag)
        return answer


@dataclass(frozen=True)
class Notes:
    """Lines of a file that are no tokens and are kept for writing: comments, ranges, empty nodes.

    Line i stands in sentence ``sentence[i]`` before the token of row ``token[i]``.
    """

    sentence: Ints
    token: Ints
    texts: TextColumn


@dataclass(frozen=True)
class Sequences:
    """Sentences of one file, or of one block of it.

    Attributes
    ----------
    format : str
        Name of the file's format.
    columns : dict of str to TextColumn
        Every column of the file by name, in order; a row is a token.
    offset : int64 array of shape (sentences + 1,)
        Sentence s has the rows ``offset[s]`` to ``offset[s + 1] - 1``.
    lines : int64 array of shape (sentences,)
        Line each sentence starts on, from 1.
    word, tag : str or None
        Names of the columns of words and of tags, if there are such.
    decisions : tuple of str
        What was found out about the file, a sentence each.
    delimiter : str
        What stands between the columns.
    notes : Notes, optional
        Lines that are no tokens.
    attributes : Attributes, optional
        The features of the tokens in a CRFsuite file.
    texts : TextColumn, optional
        Raw text, a row a sentence.
    characters : int64 array of shape (tokens, 2), optional
        Where each token starts and ends in its text, in characters.
    ids : list of str, optional
        Names of the sentences where the file gives them.
    """

    format: str
    columns: dict[str, TextColumn]
    offset: Ints
    lines: Ints
    word: str | None = "word"
    tag: str | None = None
    decisions: tuple[str, ...] = ()
    delimiter: str = "\t"
    notes: Notes | None = None
    attributes: Attributes | None = None
    texts: TextColumn | None = None
    characters: Ints | None = None
    ids: list[str] | None = None

    def __len__(self) -> int:
        return len(self.offset) - 1

    @property
    def n_tokens(self) -> int:
        """Number of tokens of all sentences together."""
        return int(self.offset[-1])

    @property
    def words(self) -> TextColumn:
        """The column of words."""
        if self.word is None:
            raise DataError(f"a file of the format {self.format} has features but no words")
        return self.columns[self.word]

    @property
    def inputs(self) -> dict[str, TextColumn]:
        """The columns that a tagger may look at: all but the tags."""
        return {name: column for name, column in self.columns.items() if name != self.tag}

    @cached_property
    def tags(self) -> list[list[str]] | None:
        """The tags of each sentence as strings, "" where a token has none; None without tags."""
        return None if self.tag is None else self.sentences(self.tag)

    def sentences(self, column: str | None = None) -> list[list[str]]:
        """Return a column as one list of strings a sentence; the words by default."""
        chosen = self.words if column is None else self.columns[column]
        texts = _strings(chosen)
        return [texts[start:end] for start, end in pairwise(self.offset.tolist())]

    def features(self) -> list[list[dict[str, float]]]:
        """Return the features of a CRFsuite file, a dictionary a token, a list a sentence."""
        if self.attributes is None:
            raise DataError(f"a file of the format {self.format} has words but no features")
        bags = self.attributes.dicts()
        return [bags[start:end] for start, end in pairwise(self.offset.tolist())]

    def tag_ids(self) -> tuple[list[str], NDArray[np.int32]]:
        """Return the L distinct tags, sorted, and the number of each token's tag among them."""
        if self.tag is None:
            raise DataError("the sentences have no tags")
        column = self.columns[self.tag]
        data, known = _bytes(column), dict[bytes, int]()
        bounds = zip(column.start.tolist(), column.end.tolist(), strict=True)
        seen = [known.setdefault(data[start:end], len(known)) for start, end in bounds]
        names = {raw.decode(): number for raw, number in known.items()}
        labels = sorted(names)
        rank = np.empty(len(labels), np.int32)
        rank[[names[label] for label in labels]] = np.arange(len(labels))
        return labels, rank[np.array(seen, np.int64)]

    def with_tags(self, tags: Sequence[Sequence[str]], name: str = "tag") -> Sequences:
        """Return the sentences with other tags, in the place of the old ones or as last column."""
        lengths, given = np.diff(self.offset).tolist(), [len(row) for row in tags]
        if given != lengths:
            where = f"there are {len(self)} sentences and tags for {len(tags)}"
            if len(given) == len(lengths):
                row = next(row for row in range(len(given)) if given[row] != lengths[row])
                where = f"sentence {row} has {lengths[row]} tokens and {given[row]} tags"
            raise DataError(f"tags must be one list a sentence with one tag a token, but {where}")
        column = TextColumn.from_strings([tag for row in tags for tag in row])
        chosen = name if self.tag is None else self.tag
        return replace(self, columns={**self.columns, chosen: column}, tag=chosen)

    def with_tag_column(self, name: str | None) -> Sequences:
        """Return the same sentences with another column, or none, taken for the tags."""
        if name is not None and (name not in self.columns or name == self.word):
            columns = ", ".join(column for column in self.columns if column != self.word)
            raise DataError(f"there is no column {name!r} for tags; there are: {columns or 'none'}")
        return replace(self, tag=name)

    def take(self, rows: slice | Sequence[int] | NDArray[np.integer]) -> Sequences:
        """Return some of the sentences, in the order asked for; notes are left out."""
        chosen = np.arange(len(self))[rows]
        length = np.diff(self.offset)[chosen]
        tokens = runs(self.offset[chosen], length)
        return replace(
            self,
            columns={name: column[tokens] for name, column in self.columns.items()},
            offset=_offsets(length),
            lines=self.lines[chosen],
            notes=None,
            attributes=None if self.attributes is None else self.attributes.take(tokens),
            texts=None if self.texts is None else self.texts[chosen],
            characters=None if self.characters is None else self.characters[tokens],
            ids=None if self.ids is None else [self.ids[row] for row in chosen.tolist()],
        )


def sentence_blocks(blocks: Blocks, file: str) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of whole sentences, of blocks of whole lines; a blank line ends a sentence."""
    held, line = bytearray(), 1
    for first, block in blocks:
        line = line if held else first
        since = max(len(held) - 1, 0)
        held += block
        cut = 0
        for mark in (b"\n\n", b"\n\r\n"):
            at = held.rfind(mark, since)
            cut = max(cut, at + len(mark)) if at >= 0 else cut
        if cut:
            done = bytes(held[:cut])
            del held[:cut]
            yield line, done
            line += done.count(b"\n")
        if len(held) > longest_line():
            raise too_long(file, line, "sentence", "a blank line ends a sentence; ")
    if held:
        yield line, bytes(held)


def _strings(column: TextColumn) -> list[str]:
    """Return the texts of a column, equal ones as one object."""
    data, known = _bytes(column), dict[bytes, str]()
    texts = []
    for start, end in zip(column.start.tolist(), column.end.tolist(), strict=True):
        raw = data[start:end]
        text = known.get(raw)
        if text is None:
            text = known[raw] = raw.decode()
        texts.append(text)
    return texts


def _bytes(column: TextColumn) -> bytes:
    return column.buffer if isinstance(column.buffer, bytes) else column.data.tobytes()


def _offsets(lengths: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
