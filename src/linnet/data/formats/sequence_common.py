"""What every sequence format shares: the sentences it yields, and the cells of a block of lines.

The tokens of all sentences stand one below the other. A column of them is one
:class:`~linnet.data.columns.TextColumn` over the bytes of the file, and ``offset`` says where each
sentence begins, so a million tokens cost a few arrays and no string.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn, offsets, runs
from linnet.data.formats.common import line_spans, places_of
from linnet.errors import DataError

__all__ = [
    "Attributes",
    "Notes",
    "Sequences",
    "lines_of",
    "spaced_cells",
    "tabbed_cells",
    "without_spaces_at_end",
]

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

_WHITE = np.zeros(256, bool)
_WHITE[[9, 10, 11, 12, 13, 32]] = True


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
        return Attributes(self.names[rows], values, offsets(length))

    def dicts(self) -> list[dict[str, float]]:
        """Return the features of each token as a dictionary; equal names are added up."""
        names = self.names.interned()
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
        texts = chosen.interned()
        return [texts[start:end] for start, end in pairwise(self.offset.tolist())]

    def features(self) -> list[list[dict[str, float]]]:
        """Return the features of a CRFsuite file, a dictionary a token, a list a sentence."""
        if self.attributes is None:
            raise DataError(f"a file of the format {self.format} has words but no features")
        bags = self.attributes.dicts()
        return [bags[start:end] for start, end in pairwise(self.offset.tolist())]

    def with_words(self) -> Sequences:
        """Return the sentences of a CRFsuite file, every token with its first feature for a word.

        A token without features is an underscore.
        """
        if self.attributes is None:
            return self
        names, bounds = self.attributes.names.to_list(), self.attributes.offset.tolist()
        words = [names[first] if first < last else "_" for first, last in pairwise(bounds)]
        columns = {"word": TextColumn.from_strings(words), **self.columns}
        return replace(self, columns=columns, word="word")

    def tag_ids(self) -> tuple[list[str], NDArray[np.int32]]:
        """Return the L distinct tags, sorted, and the number of each token's tag among them."""
        if self.tag is None:
            raise DataError("the sentences have no tags")
        tags, numbers = self.columns[self.tag].distinct()
        labels = sorted(tags)
        rank = np.empty(len(labels), np.int32)
        rank[[tags.index(label) for label in labels]] = np.arange(len(labels))
        return labels, rank[np.array(numbers, np.int64)]

    def with_tags(self, tags: Sequence[Sequence[str]], name: str = "tag") -> Sequences:
        """Return the sentences with other tags, in the place of the old ones or as last column."""
        lengths, counts = np.diff(self.offset).tolist(), [len(row) for row in tags]
        if counts != lengths:
            where = f"there are {len(self)} sentences and tags for {len(tags)}"
            if len(counts) == len(lengths):
                row = next(row for row in range(len(counts)) if counts[row] != lengths[row])
                where = f"sentence {row} has {lengths[row]} tokens and {counts[row]} tags"
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
            offset=offsets(length),
            lines=self.lines[chosen],
            notes=None,
            attributes=None if self.attributes is None else self.attributes.take(tokens),
            texts=None if self.texts is None else self.texts[chosen],
            characters=None if self.characters is None else self.characters[tokens],
            ids=None if self.ids is None else [self.ids[row] for row in chosen.tolist()],
        )


def _ink_spans(data: Bytes) -> tuple[Ints, Ints]:
    """Return where the runs of bytes between ASCII white space start and end."""
    ink = np.zeros(len(data) + 2, bool)
    np.logical_not(_WHITE[data], out=ink[1:-1])
    edges = np.flatnonzero(ink[1:] != ink[:-1])
    return edges[::2], edges[1::2]


def lines_of(data: Bytes) -> tuple[Ints, Ints]:
    """Return where each line starts and ends; a line of white space alone is an empty one."""
    start, end = line_spans(data)
    first = data[np.minimum(start, max(len(data) - 1, 0))] if len(data) else data
    for line in np.flatnonzero((end > start) & _WHITE[first]).tolist():
        if data[start[line] : end[line]].tobytes().isspace():
            end[line] = start[line]
    return start, end


def without_spaces_at_end(data: Bytes, start: Ints, end: Ints) -> Ints:
    """Return where each line ends when the spaces there are left out."""
    end = end.copy()
    while len(data) and (spaced := (end > start) & (data[np.maximum(end - 1, 0)] == 32)).any():
        end -= spaced
    return end


def spaced_cells(
    data: Bytes, start: Ints, end: Ints, chosen: NDArray[np.bool_]
) -> tuple[Ints, Ints, Ints]:
    """Return the cells of the chosen lines between white space, and their number in each.

    Parameters
    ----------
    data : uint8 array
    start, end : int64 arrays of shape (lines,)
        Of all lines of the block.
    chosen : bool array of shape (lines,)

    Returns
    -------
    low, high : int64 arrays of shape (cells,)
    counts : int64 array of shape (chosen lines,)
    """
    low, high = _ink_spans(data)
    counts = np.diff(np.searchsorted(low, np.append(start, len(data))))
    if not chosen.all():
        keep = np.repeat(chosen, counts)
        low, high, counts = low[keep], high[keep], counts[chosen]
    return low, high, counts


def tabbed_cells(
    data: Bytes, start: Ints, end: Ints, chosen: NDArray[np.bool_]
) -> tuple[Ints, Ints, Ints]:
    """Return the cells of the chosen lines between tabs; see :func:`spaced_cells`."""
    start, end = start[chosen], end[chosen]
    tabs = places_of(data, 9)
    first, last = np.searchsorted(tabs, start), np.searchsorted(tabs, end)
    counts = last - first + 1
    heads = np.cumsum(counts) - counts  # the first cell of each line
    low, high = (np.empty(counts.sum(), np.int64) for _ in range(2))
    inner = np.ones(len(low), bool)
    inner[heads] = False
    used = tabs[runs(first, counts - 1)]
    low[heads], low[inner] = start, used + 1
    inner[:] = True
    inner[heads + counts - 1] = False
    high[heads + counts - 1], high[inner] = end, used
    return low, high, counts
