"""Sentences and tags as the core tags from left to right: numbers of words, and rows of weights.

Each different word is looked at once, whatever the number of tokens: how it is spelled, and what
its neighbours see of it. What depends on tags is looked up in lists that are made of the names of
all features.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.foreign.perceptron.reader import WordReader

__all__ = ["AFTER", "BEFORE", "Asked", "TagRows", "normal"]

Ints = NDArray[np.int32]
#: What stands before the first and behind the last word.
BEFORE, AFTER = ("-START-", "-START2-"), ("-END-", "-END2-")
_WHOLE, _FIRST, _END = slice(None), slice(1), slice(-3, None)
_BOTH, _WITH_WORD = "i tag+i-2 tag ", "i-1 tag+i word "


@dataclass(frozen=True)
class Asked:
    """The words of sentences by numbers, and the rows of the features that they decide alone.

    Attributes
    ----------
    offset : array of shape (sentences + 1,)
    words, contexts : arrays
        The numbers of the words, and of what neighbours see of them, with two more at both ends.
    spelled : array of shape (different words, 2)
        The rows of the end and the first letter of a word.
    place : array of shape (different words,)
        The place of a word in the dictionary, -1 if it has none.
    normal : list of str
        What neighbours see, by its number.
    context : array of shape (len(normal), 7)
        Its rows.
    """

    offset: NDArray[np.int64]
    words: Ints
    contexts: Ints
    spelled: Ints
    place: Ints
    normal: list[str]
    context: Ints

    @classmethod
    def of(cls, sentences: Sequence[Sequence[str]], reader: WordReader) -> Asked:
        """Number the words of sentences."""
        different = list(dict.fromkeys(word for words in sentences for word in words))
        number = {word: k for k, word in enumerate(different)}
        seen = [normal(word) for word in different]
        names = list(dict.fromkeys((*BEFORE, *AFTER, *seen)))
        number_of = {name: k for k, name in enumerate(names)}
        of_word = np.array([number_of[name] for name in seen], np.int32)
        offset = np.zeros(len(sentences) + 1, np.int64)
        np.cumsum([len(words) for words in sentences], out=offset[1:])
        words = np.fromiter(
            (number[word] for words in sentences for word in words), np.int32, int(offset[-1])
        )
        contexts = np.empty(len(words) + 4 * len(sentences), np.int32)
        ends = 4 * np.arange(len(sentences))
        places = np.arange(len(words)) + np.repeat(ends + 2, np.diff(offset))
        contexts[places] = of_word[words] if len(words) else 0
        for shift, name in enumerate(BEFORE):
            contexts[offset[:-1] + ends + shift] = number_of[name]
        for shift, name in enumerate(AFTER):
            contexts[offset[1:] + ends + 2 + shift] = number_of[name]
        spelled = _columns(reader, different, ("i suffix ", _END), ("i pref1 ", _FIRST))
        context = _columns(
            reader, names, ("i word ", _WHOLE), ("i-1 word ", _WHOLE), ("i-1 suffix ", _END),
            ("i-2 word ", _WHOLE), ("i+1 word ", _WHOLE), ("i+1 suffix ", _END),
            ("i+2 word ", _WHOLE),
        )  # fmt: skip
        place = reader.places_of(different)
        return cls(offset, words, contexts, spelled, place, names, context)


def _columns(reader: WordReader, words: list[str], *features: tuple[str, slice]) -> Ints:
    """Return the rows of features: what their names begin with, and what of a word follows."""
    columns = [reader.rows_of([begin + word[part] for word in words]) for begin, part in features]
    return np.column_stack(columns)


@dataclass(frozen=True)
class TagRows:
    """The rows of the features that depend on tags.

    Tags have their numbers; behind them come the two that stand before the first word. A few
    names are asked for one by one; where more would be asked than there are, all are sorted.
    """

    tags: tuple[str, ...]
    reader: WordReader

    @classmethod
    def of(cls, tags: Sequence[str], reader: WordReader) -> TagRows:
        """Return the rows of these tags."""
        return cls((*tags, *BEFORE), reader)

    @property
    def bias(self) -> int:
        """The row that every word has."""
        return int(self.reader.rows_of(["bias"])[0])

    @cached_property
    def last(self) -> Ints:
        """The rows of the tag before."""
        return self._rows("i-1 tag ")

    @cached_property
    def one_before(self) -> Ints:
        """The rows of the tag before that."""
        return self._rows("i-2 tag ")

    def _rows(self, prefix: str) -> Ints:
        return self.reader.rows_of([prefix + tag for tag in self.tags])

    @cached_property
    def both(self) -> _core.KeyedRows:
        """The rows of both tags before."""
        if len(self.tags) ** 2 < self.reader.n_features:
            pairs = self._asked(_BOTH, self.tags)
        else:
            pairs = [
                (tag, other, row)
                for other, of_tags in enumerate(map(self._sorted(_BOTH).get, self.tags))
                for tag, row in of_tags or ()
            ]
        return _keyed(pairs, len(self.tags))

    @cached_property
    def _by_word(self) -> Mapping[str, list[tuple[int, int]]]:
        return self._sorted(_WITH_WORD)

    def with_words(self, words: Sequence[str]) -> _core.KeyedRows:
        """Return the rows of pairs of the tag before and a word, by the numbers of both."""
        if "_by_word" not in vars(self) and len(words) * len(self.tags) < self.reader.n_features:
            pairs = [(word, tag, row) for tag, word, row in self._asked(_WITH_WORD, words)]
        else:
            pairs = [(number, tag, row) for number, word in enumerate(words)
                     for tag, row in self._by_word.get(word, ())]  # fmt: skip
        return _keyed(pairs, len(words))

    def _asked(self, prefix: str, others: Sequence[str]) -> list[tuple[int, int, int]]:
        """Return (number of a tag, number of what follows it, row) for the names that there are."""
        tags = [(tag, name) for tag, name in enumerate(self.tags) if " " not in name]  # ends a tag
        names = [f"{prefix}{name} {text}" for _, name in tags for text in others]
        rows = self.reader.rows_of(names).reshape(len(tags), len(others))
        return [(tags[k][0], other, int(rows[k, other])) for k, other in np.argwhere(rows >= 0)]

    def _sorted(self, prefix: str) -> Mapping[str, list[tuple[int, int]]]:
        """Return (number of a tag, row) by what follows the tag in all names that begin so."""
        numbers = defaultdict[str, list[int]](list)  # a tag may be called as what stands before
        for number, tag in enumerate(self.tags):
            numbers[tag].append(number)
        rows = defaultdict[str, list[tuple[int, int]]](list)
        for row, name in enumerate(self.reader.names.tolist()):
            if name.startswith(prefix):
                tag, _, text = name[len(prefix) :].partition(" ")
                rows[text] += [(number, row) for number in numbers.get(tag, ())]
        return dict(rows)


def _keyed(pairs: list[tuple[int, int, int]], owners: int) -> _core.KeyedRows:
    """Return rows by (owner, key)."""
    table = np.array(sorted(pairs), np.int32).reshape(-1, 3)
    start = np.searchsorted(table[:, 0], np.arange(owners + 1)).astype(np.int64)
    key, row = (np.ascontiguousarray(table[:, column]) for column in (1, 2))
    return _core.KeyedRows(start, key, row)


def normal(word: str) -> str:
    """Return a word as its neighbours see it.

    Examples
    --------
    >>> [normal(word) for word in ("Rome", "well-known", "-", "1991", "12th")]
    ['rome', '!HYPHEN', '-', '!YEAR', '!DIGITS']
    """
    if "-" in word and word[0] != "-":
        return "!HYPHEN"
    if word.isdigit() and len(word) == 4:
        return "!YEAR"
    return "!DIGITS" if word[0].isdigit() else word.lower()
