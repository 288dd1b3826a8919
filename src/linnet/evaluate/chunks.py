"""One report on tagged sentences: tokens, chunks, unknown words, whole sentences (SPEC M-122).

Given the true tags of sentences and those a tagger gave them, :func:`evaluate_sequences` returns a
:class:`SequenceReport`.

*Tokens.* The error is the share of tokens with a wrong tag. If it is known which words the tagger
saw in training, the others are out of vocabulary (OOV), and

    error = oov_rate · oov_error + (1 − oov_rate) · known_error.

*Chunks.* When the tags code chunks (B-X, I-X, O and their like), a chunk is found if its start, its
end and its type are all right. With `correct` the number of those,

    precision = correct / guessed,   recall = correct / gold,   F1 = 2 · correct / (guessed + gold),

where 0 / 0 is 0. Chunks are read off any sequence of tags, legal or not, by the rule of
:mod:`linnet.data.tags`, which is that of the CoNLL shared tasks' scorer ``conlleval``: the figures
are its figures. Only NumPy is needed.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import offsets
from linnet.data.tags import are_chunk_tags
from linnet.errors import DataError
from linnet.evaluate.metrics import wilson_interval
from linnet.evaluate.report import ClassScore
from linnet.evaluate.rows import sentence_offsets
from linnet.evaluate.spans import (
    ChunkScore,
    chunk_score,
    chunk_scores,
    matched_chunks,
    sorted_numbers,
    token_offsets,
)

__all__ = [
    "SequenceReport",
    "Vocabulary",
    "evaluate_sequences",
    "known_word_error",
]

Ints = NDArray[np.int64]
Tags = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Vocabulary:
    """Errors on words the tagger did not see in training, and on those it did.

    `oov_rate` is the share of tokens with unknown words; an error is None without such tokens.
    """

    oov_tokens: int
    oov_rate: float
    oov_error: float | None
    known_error: float | None


@dataclass(frozen=True)
class SequenceReport:
    """What :func:`evaluate_sequences` found.

    Attributes
    ----------
    n_sentences, n_tokens : int
    accuracy, interval
        Share of tokens with the right tag, and its Wilson interval at 95 %.
    sentence_accuracy, sentence_interval
        Share of sentences with all tags right, and its interval.
    tags : dict
        Tag to :class:`~linnet.evaluate.ClassScore`, for every tag given or true, sorted.
    chunks : ChunkScore or None
        All types together; None when the tags are not those of chunks.
    chunk_types : dict
        Type of chunk to :class:`ChunkScore`, sorted.
    vocabulary : Vocabulary or None
        Needs the known words.
    confusions : tuple of (truth, guess, count)
        The ten most frequent mistakes, largest first.
    """

    n_sentences: int
    n_tokens: int
    accuracy: float
    interval: tuple[float, float]
    sentence_accuracy: float
    sentence_interval: tuple[float, float]
    tags: dict[str, ClassScore]
    chunks: ChunkScore | None = None
    chunk_types: dict[str, ChunkScore] | None = None
    vocabulary: Vocabulary | None = None
    confusions: tuple[tuple[str, str, int], ...] = ()

    @property
    def error(self) -> float:
        """Share of tokens with a wrong tag."""
        return 1.0 - self.accuracy

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values for JSON."""
        answer = asdict(self)
        answer["interval"] = list(self.interval)
        answer["sentence_interval"] = list(self.sentence_interval)
        answer["confusions"] = [list(row) for row in self.confusions]
        return {name: value for name, value in answer.items() if value is not None}


def evaluate_sequences(
    gold: Tags,
    guess: Tags,
    *,
    words: Sequence[Sequence[str]] | None = None,
    known: Container[str] | None = None,
) -> SequenceReport:
    """Compare the tags of sentences with the truth.

    Parameters
    ----------
    gold, guess : lists of lists of str
        The true tags of each sentence and those a tagger gave it.
    words : list of lists of str, optional
        The words of each sentence.
    known : container of str, optional
        The words the tagger saw in training; with `words` it gives the vocabulary figures.

    Examples
    --------
    >>> report = evaluate_sequences(
    ...     [["B-NP", "I-NP", "B-VP"], ["B-NP"]],
    ...     [["B-NP", "I-NP", "B-NP"], ["B-NP"]],
    ...     words=[["the", "dog", "ran"], ["rain"]],
    ...     known={"the", "dog", "rain"},
    ... )
    >>> report.accuracy, report.sentence_accuracy
    (0.75, 0.5)
    >>> report.chunks.correct, report.chunks.guessed, report.chunk_types["VP"].recall
    (2, 3, 0.0)
    >>> report.vocabulary.oov_error, report.vocabulary.known_error
    (1.0, 0.0)
    """
    offset = token_offsets(gold, guess)
    labels, (y, said) = sorted_numbers(chain.from_iterable(gold), chain.from_iterable(guess))
    right = y == said
    n, sentences = len(right), len(offset) - 1
    perfect = int((np.diff(offsets(~right)[offset]) == 0).sum())
    by_tag = chunk_scores((y, said, y[right]), len(labels))
    overall, by_type = _chunk_scores(labels, y, said, offset)
    return SequenceReport(
        n_sentences=sentences,
        n_tokens=n,
        accuracy=int(right.sum()) / n,
        interval=wilson_interval(int(right.sum()), n),
        sentence_accuracy=perfect / sentences,
        sentence_interval=wilson_interval(perfect, sentences),
        tags={
            label: ClassScore(score.precision, score.recall, score.f1, score.gold)
            for label, score in zip(labels, by_tag, strict=True)
        },
        chunks=overall,
        chunk_types=by_type,
        vocabulary=_vocabulary(words, known, gold, right),
        confusions=_confusions(labels, y[~right], said[~right]),
    )


def known_word_error(error: float, oov_error: float, oov_rate: float) -> float:
    """Return the error on known words that follows from the three figures tables print.

    Parameters
    ----------
    error, oov_error : float
        On all words and on unknown words, both as shares or both in percent.
    oov_rate : float
        Share of unknown words, below 1.

    Examples
    --------
    >>> round(known_word_error(5.69, 45.99, 0.0545), 3)
    3.367
    """
    if not 0 <= oov_rate < 1:
        raise DataError(
            f"the share of unknown words must be at least 0 and below 1, got {oov_rate}"
        )
    return (error - oov_rate * oov_error) / (1 - oov_rate)


def _chunk_scores(
    labels: list[str], y: Ints, said: Ints, offset: Ints
) -> tuple[ChunkScore | None, dict[str, ChunkScore] | None]:
    if not are_chunk_tags(labels):
        return None, None
    kinds, gold, [(guessed, recalled)] = matched_chunks(labels, offset, y, said)
    scores = chunk_scores((gold[:, 2], guessed[:, 2], gold[recalled, 2]), len(kinds))
    overall = chunk_score(len(gold), len(guessed), int(recalled.sum()))
    return overall, dict(zip(kinds, scores, strict=True))


def _vocabulary(
    words: Sequence[Sequence[str]] | None, known: Container[str] | None, gold: Tags, right: Any
) -> Vocabulary | None:
    if known is None:
        return None
    if words is None:
        raise DataError("known words need the words of the sentences: pass `words` too")
    sentence_offsets(gold, words, "words")
    seen = np.array([word in known for word in chain.from_iterable(words)])
    strange = int((~seen).sum())
    return Vocabulary(
        strange,
        strange / len(seen),
        float(np.mean(~right[~seen])) if strange else None,
        float(np.mean(~right[seen])) if strange < len(seen) else None,
    )


def _confusions(labels: list[str], gold: Ints, guess: Ints) -> tuple[tuple[str, str, int], ...]:
    pairs, counts = np.unique(gold * len(labels) + guess, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:10]
    rows = zip(pairs[order].tolist(), counts[order].tolist(), strict=True)
    return tuple((labels[p // len(labels)], labels[p % len(labels)], count) for p, count in rows)
