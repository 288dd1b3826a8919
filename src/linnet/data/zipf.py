"""Labelled texts of any size, drawn from Zipf's law.

Word r of a vocabulary of V (r = 1, 2, ...) has probability proportional to r^-s. A document of
class c has a length drawn from a Poisson distribution and, for each word, is with probability
`signal` about its class: the word is then drawn by the same law from the class's own order of the
vocabulary, otherwise from the common one. The classes are equally likely.

Documents are drawn in units of fixed size, each from its own stream of random numbers, so that
document number i is the same however many are asked for and however they are written.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.data.columns import TextColumn, offsets
from linnet.data.files import write_bytes_atomically
from linnet.data.formats.common import Examples
from linnet.errors import ParameterError
from linnet.threads import thread_count

__all__ = ["make_corpus", "write_corpus"]

_UNIT_WORDS = 1 << 17  # about how many words are drawn together; part of what a seed means
_LONGEST = 16  # bytes that the core may write for a word or a label; none has as many
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"


def make_corpus(
    n_documents: int,
    *,
    n_classes: int = 2,
    vocabulary: int = 50_000,
    mean_length: float = 100,
    exponent: float = 1.1,
    signal: float = 0.05,
    seed: int = 0,
) -> Examples:
    """Return labelled texts drawn from Zipf's law.

    Parameters
    ----------
    n_documents : int
    n_classes : int
        Labels are ``c0``, ``c1``, ...
    vocabulary : int
        Number of different words.
    mean_length : float
        Mean number of words of a document, each of which has at least one.
    exponent : float
        How steeply the words' frequencies fall.
    signal : float
        Share of words that tell of the class, from 0 to 1.
    seed : int
        The same seed gives the same documents.

    Returns
    -------
    :class:`Examples`
        Of kind "text".

    Examples
    --------
    >>> corpus = make_corpus(3, mean_length=4, seed=1)
    >>> len(corpus.X), sorted(set(corpus.y)) <= ["c0", "c1"]
    (3, True)
    """
    law = _Law(n_classes, vocabulary, mean_length, exponent, signal, seed)
    if n_documents < 1:
        raise ParameterError(f"n_documents must be at least 1, got {n_documents}")
    return _examples(b"".join(_lines(law, n_documents, None)))


def _examples(block: bytes) -> Examples:
    """Return the examples of ``label<TAB>text`` lines."""
    data = np.frombuffer(block, np.uint8)
    tabs, feeds = np.flatnonzero(data == 9), np.flatnonzero(data == 10)
    start = np.concatenate([[0], feeds[:-1] + 1])
    labels = TextColumn(block, start, tabs).interned()
    numbers = np.arange(1, len(feeds) + 1)
    return Examples("text", TextColumn(block, tabs + 1, feeds), labels, "labelled", numbers)


def write_corpus(
    path: str | os.PathLike[str],
    n_documents: int | None = None,
    *,
    size: int | None = None,
    n_classes: int = 2,
    vocabulary: int = 50_000,
    mean_length: float = 100,
    exponent: float = 1.1,
    signal: float = 0.05,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[int, int]:
    """Write labelled texts drawn from Zipf's law, in memory that does not grow.

    Takes what :func:`make_corpus` takes.

    Parameters
    ----------
    path : str or path-like
        The file, in the format of its name: ``.tsv``, ``.jsonl``, ``.csv``, ``.parquet``, ``.ft``
        and others; compressed when it ends in ``.gz`` or ``.zst``; ``-`` is standard output, in
        ``label<TAB>text`` lines.
    n_documents : int, optional
    size : int, optional
        Instead of a number of documents: write until there are so many bytes of
        ``label<TAB>text`` lines, whatever the format; the document that reaches it is the last.
    progress : function, optional
        Called with the numbers of documents and bytes written so far.

    Returns
    -------
    documents, bytes : int
        How many were written, as ``label<TAB>text`` lines.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "corpus.tsv"
    >>> documents, size = write_corpus(path, size=10_000)
    >>> size == path.stat().st_size >= 10_000
    True
    """
    if (n_documents is None) == (size is None):
        raise ParameterError("give either n_documents or size")
    wanted = n_documents if size is None else size
    if wanted is not None and wanted < 1:
        name = "n_documents" if size is None else "size"
        raise ParameterError(f"{name} must be at least 1, got {wanted}")
    law = _Law(n_classes, vocabulary, mean_length, exponent, signal, seed)
    documents = written = 0
    with _writer(path) as write:
        for block in _lines(law, n_documents, size):
            write(block)
            documents += block.count(b"\n")
            written += len(block)
            if progress is not None:
                progress(documents, written)
    return documents, written


@contextmanager
def _writer(path: str | os.PathLike[str]) -> Iterator[Callable[[bytes], Any]]:
    """Yield a function that writes lines, in the format of the file's name."""
    from linnet.data.writing import example_writer, format_to_write

    if path == "-" or format_to_write(path) == "labelled":
        with write_bytes_atomically(path) as out:
            yield out.write
        return
    with example_writer(path) as write:
        yield lambda block: write(_examples(block))


def _lines(law: _Law, documents: int | None, size: int | None) -> Iterator[bytes]:
    """Yield units of lines until there are so many documents or bytes."""
    for block in _units(law, documents):
        if size is not None and len(block) >= size:
            yield block[: block.index(b"\n", size - 1) + 1]
            return
        yield block
        size = None if size is None else size - len(block)


def _units(law: _Law, documents: int | None) -> Iterator[bytes]:
    """Yield units of lines in order, drawn on all cores; without end if no number is given."""
    threads = thread_count(None)
    asked: deque[Future[bytes]] = deque()
    law.unit(0, 1)  # so that the threads share what is made once
    with ThreadPoolExecutor(threads) as pool:
        try:
            for number in count():
                first = number * law.unit_documents
                if documents is not None and first >= documents:
                    break
                wanted = law.unit_documents if documents is None else documents - first
                asked.append(pool.submit(law.unit, number, min(wanted, law.unit_documents)))
                if len(asked) > 2 * threads:
                    yield asked.popleft().result()
            while asked:
                yield asked.popleft().result()
        finally:
            for unit in asked:
                unit.cancel()


@dataclass(frozen=True)
class _Law:
    """The distribution of the documents."""

    n_classes: int
    vocabulary: int
    mean_length: float
    exponent: float
    signal: float
    seed: int

    def __post_init__(self) -> None:
        for name in ("n_classes", "vocabulary"):
            if not 1 <= getattr(self, name) <= 10_000_000:
                raise ParameterError(f"{name} must be from 1 to 10 million")
        if not 1 <= self.mean_length <= 1e6:
            raise ParameterError(f"mean_length must be from 1 to a million, got {self.mean_length}")
        if not 0 <= self.exponent <= 10:
            raise ParameterError(f"exponent must be from 0 to 10, got {self.exponent}")
        if not 0 <= self.signal <= 1:
            raise ParameterError(f"signal must be from 0 to 1, got {self.signal}")
        if self.seed < 0:
            raise ParameterError(f"seed must not be negative, got {self.seed}")

    @cached_property
    def cumulative(self) -> NDArray[np.float64]:
        """Probability of a rank or a lower one, (vocabulary,)."""
        weights = np.arange(1, self.vocabulary + 1, dtype=np.float64) ** -self.exponent
        sums = np.cumsum(weights)
        shares: NDArray[np.float64] = sums / sums[-1]
        return shares

    @cached_property
    def guide(self) -> NDArray[np.int32]:
        """Rank at which the search for a number in [k, k + 1) / len(guide) begins."""
        parts = 1 << max(4 * self.vocabulary - 1, 1).bit_length()
        ranks = np.searchsorted(self.cumulative, np.arange(parts) / parts, side="right")
        return ranks.astype(np.int32)

    @cached_property
    def unit_documents(self) -> int:
        """Documents drawn together: fewer when they are long, so that a unit stays small."""
        return int(max(1, min(1024, _UNIT_WORDS / self.mean_length)))

    @cached_property
    def steps(self) -> NDArray[np.int64]:
        """How far each class's order of the vocabulary is shifted, (n_classes,)."""
        rng = np.random.Generator(np.random.Philox(key=self.seed))
        return rng.integers(0, self.vocabulary, self.n_classes)

    @cached_property
    def spelling(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Every word (with a space), then every label (with a tab), and where each begins."""
        words = [f"{_word(number)} " for number in range(self.vocabulary)]
        spelled = words + [f"c{number}\t" for number in range(self.n_classes)]
        return np.frombuffer("".join(spelled).encode(), np.uint8), offsets([*map(len, spelled)])

    def unit(self, number: int, count: int) -> bytes:
        """Return the first `count` lines of a unit."""
        rng = np.random.Generator(np.random.Philox(key=self.seed, counter=[0, 0, 0, number + 1]))
        classes = rng.integers(0, self.n_classes, self.unit_documents)[:count]
        lengths = 1 + rng.poisson(self.mean_length - 1, self.unit_documents)
        drawn, wanted = int(lengths.sum()), int(lengths[:count].sum())
        chances, about = rng.random(drawn)[:wanted], rng.random(drawn)[:wanted]
        out = np.empty((wanted + len(classes)) * _LONGEST, np.uint8)
        size = _core.spell_documents(
            self.cumulative, self.guide, self.steps, self.signal, *self.spelling, classes,
            lengths[:count], chances, about, out,
        )  # fmt: skip
        return out[:size].tobytes()


def _word(number: int) -> str:
    """Return a pronounceable word of its own for each number, short for small numbers."""
    syllables = len(_CONSONANTS) * len(_VOWELS)
    word = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, syllables)
        consonant, vowel = divmod(digit, len(_VOWELS))
        word = _CONSONANTS[consonant] + _VOWELS[vowel] + word
    return word
