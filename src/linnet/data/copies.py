"""Examples that are the same as others: they must not be on both sides of a cut.

A text that is learned from and also held out measures memory, not learning. So parts are cut among
the originals, the first of each kind, and every copy follows its original.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.data.columns import TextColumn, originals_of

__all__ = ["FEWEST", "Copies", "in_words"]

FEWEST = 20  # different examples; with fewer, parts are cut as if there were no copies
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Copies:
    """Which example is a copy of which.

    Attributes
    ----------
    original : array of shape (n,)
        For each example the number of the first that equals it, itself if there is none before.
    """

    original: Indices

    @classmethod
    def of(cls, X: Any) -> Copies:
        """Find the copies among texts, bags, vectors, rows of values or sentences.

        Examples
        --------
        >>> Copies.of(["a film", "a book", "a film"]).original.tolist()
        [0, 1, 0]
        """
        original = _original_texts(X)
        if original is not None:
            return cls(original)
        first: dict[Hashable, int] = {}
        place = first.setdefault
        originals = [place(key, number) for number, key in enumerate(_keys(X))]
        return cls(np.array(originals, dtype=np.int64))

    @property
    def originals(self) -> Indices:
        """The numbers of the examples that equal none before them, ascending."""
        return np.flatnonzero(self.original == np.arange(len(self.original)))

    @property
    def n(self) -> int:
        """The number of copies."""
        return len(self.original) - len(self.originals)

    @property
    def matter(self) -> bool:
        """Whether there are copies, and enough examples that differ to cut between them."""
        return FEWEST <= len(self.originals) < len(self.original)

    def sizes(self) -> Indices:
        """Return how many examples each original stands for, itself included."""
        counts: Indices = np.bincount(self.original, minlength=len(self.original))
        return counts[self.originals]

    def spread(self, part: Indices) -> Indices:
        """Return the examples that `part`, places in :attr:`originals`, stands for, ascending.

        Examples
        --------
        >>> Copies.of(["a", "b", "a", "c"]).spread(np.array([0, 2])).tolist()
        [0, 2, 3]
        """
        chosen = np.zeros(len(self.original), dtype=bool)
        chosen[self.originals[part]] = True
        return np.flatnonzero(chosen[self.original])


def in_words(n: int, total: int, what: str) -> str:
    """Return the number of copies for people.

    Examples
    --------
    >>> in_words(1204, 25000, "texts")
    '1,204 of 25,000 texts are copies of others; copies share a fold'
    """
    text = f"{n:,} of {total:,} {what} are copies of others"
    if total - n < FEWEST:
        return f"{text}: with {total - n} different ones, scores on a part of them say little"
    return f"{text}; copies share a fold"


def _original_texts(X: Any) -> Indices | None:
    """Return the originals of texts, which the core finds; None for other examples."""
    if isinstance(X, TextColumn):
        return X.originals()
    if not isinstance(X, (list, tuple)) or not X or not isinstance(X[0], str):
        return None
    try:
        return originals_of(_core.Texts(X))
    except TypeError:  # not all are texts
        return None


def _keys(X: Any) -> Iterable[Hashable]:
    """Yield for each example what equals that of its copies and no other's."""
    if hasattr(X, "indptr") and hasattr(X, "tocsr"):
        return _sparse_keys(X.tocsr())
    if hasattr(X, "sentences") and hasattr(X, "offset"):
        names = X.inputs if X.word is None else [X.word]
        return (repr(rows) for rows in zip(*map(X.sentences, names), strict=True))
    if hasattr(X, "names") and hasattr(X, "rows"):
        return (repr(row) for row in X.rows())
    if hasattr(X, "to_pylist"):
        return list(X.to_pylist())
    if len(getattr(X, "shape", ())) == 2:
        return (row.tobytes() if row.dtype != object else repr(row.tolist()) for row in np.array(X))
    return (_key(example) for example in X)


def _sparse_keys(csr: Any) -> Iterator[tuple[bytes, bytes]]:
    ends = csr.indptr.tolist()
    for a, b in pairwise(ends):
        yield csr.indices[a:b].tobytes(), csr.data[a:b].tobytes()


def _key(example: Any) -> Hashable:
    if isinstance(example, str):
        return example
    if isinstance(example, Mapping):
        return frozenset(example.items())
    return repr(example)  # a sentence: words, or tuples of columns
