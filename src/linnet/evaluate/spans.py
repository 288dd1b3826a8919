"""Which spans a tagger finds: by type, by length, and what goes wrong with the others.

A chunk is right if start, end and type are. By length, recall looks at the true chunks of that
many tokens and precision at the guessed ones; a right chunk has the same length in both. Of the
true chunks that were not found,

- *type*: the guess has the same tokens and another type;
- *boundary*: a guessed chunk overlaps it;
- *missed*: none does;

and a guessed chunk that overlaps no true one is *invented*.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import offsets
from linnet.data.tags import CLOSING, OPENING, are_chunk_tags, split_tag
from linnet.errors import DataError
from linnet.evaluate.rows import numbered, ratio, sentence_offsets
from linnet.learn.shared.checks import check_count

__all__ = [
    "ChunkScore",
    "SpanScores",
    "chunk_score",
    "chunk_scores",
    "matched_chunks",
    "sorted_numbers",
    "span_scores",
    "token_offsets",
]

Ints = NDArray[np.int64]
Tags = Sequence[Sequence[str]]


@dataclass(frozen=True)
class ChunkScore:
    """How chunks were found: `gold` there are, `guessed` were named, `correct` of them rightly."""

    precision: float
    recall: float
    f1: float
    gold: int
    guessed: int
    correct: int


@dataclass(frozen=True)
class SpanScores:
    """What :func:`span_scores` found.

    `types` and `lengths` lead from a type or a length ("1", "2", …, the last with a +) to its
    :class:`~linnet.evaluate.ChunkScore`; `mistakes` counts "type", "boundary", "missed" and
    "invented" chunks.
    """

    types: dict[str, ChunkScore]
    lengths: dict[str, ChunkScore]
    mistakes: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)


def span_scores(
    gold: Sequence[Sequence[str]], guess: Sequence[Sequence[str]], longest: int = 5
) -> SpanScores:
    """Score the chunks of tagged sentences by type and by length.

    Parameters
    ----------
    gold, guess : lists of lists of str
        True and predicted tags such as B-NP, I-NP and O, in any scheme of chunks.
    longest : int
        Chunks of this many tokens or more are counted together.

    Examples
    --------
    >>> scores = span_scores([["B-NP", "I-NP", "O", "B-VP"]], [["B-NP", "O", "O", "B-NP"]])
    >>> scores.mistakes
    {'type': 1, 'boundary': 1, 'missed': 0, 'invented': 0}
    >>> scores.lengths["2"].recall, scores.lengths["1"].guessed
    (0.0, 2)
    """
    check_count("longest", longest)
    offset = token_offsets(gold, guess)
    tags, (y, said) = sorted_numbers(chain.from_iterable(gold), chain.from_iterable(guess))
    if not are_chunk_tags(tags):
        raise DataError(f"spans need tags of chunks such as B-NP, I-NP and O, got {tags[:5]}")
    kinds, true, [(named, recalled)] = matched_chunks(tags, offset, y, said)
    parts = (true, named, true[recalled])
    by_type = chunk_scores((part[:, 2] for part in parts), len(kinds))
    sizes = (np.minimum(part[:, 1] - part[:, 0], longest) - 1 for part in parts)
    by_length = chunk_scores(sizes, longest)
    names = [*map(str, range(1, longest)), f"{longest}+"]
    return SpanScores(
        dict(zip(kinds, by_type, strict=True)),
        {
            name: score
            for name, score in zip(names, by_length, strict=True)
            if score.gold or score.guessed
        },
        _mistakes(true, named, recalled, len(y)),
    )


def _mistakes(true: Ints, named: Ints, recalled: NDArray[np.bool_], n: int) -> dict[str, int]:
    lost = true[~recalled]
    same_place = np.isin(lost[:, 0] * (n + 1) + lost[:, 1], named[:, 0] * (n + 1) + named[:, 1])
    touched = _overlaps(lost, named, n)
    return {
        "type": int(same_place.sum()),
        "boundary": int((touched & ~same_place).sum()),
        "missed": int((~touched).sum()),
        "invented": int((~_overlaps(named, true, n)).sum()),
    }


def _overlaps(chunks: Ints, others: Ints, n: int) -> NDArray[np.bool_]:
    """Say of each chunk whether any of the others shares a token with it."""
    edge = np.bincount(others[:, 0], minlength=n + 1) - np.bincount(others[:, 1], minlength=n + 1)
    before = offsets(np.cumsum(edge)[:n] > 0)
    answer: NDArray[np.bool_] = before[chunks[:, 1]] > before[chunks[:, 0]]
    return answer


def token_offsets(gold: Tags, guess: Tags) -> Ints:
    """Return where sentences begin, of which at least one has a token."""
    offset = sentence_offsets(gold, guess, "guessed tags")
    if not offset[-1]:
        raise DataError("there is nothing to evaluate; pass at least one token")
    return offset


def sorted_numbers(*sequences: Iterable[str]) -> tuple[list[str], list[Ints]]:
    """Return the distinct labels of several sequences, sorted, and each sequence as numbers."""
    seen, numbers = numbered(*sequences)
    rank = np.empty(len(seen), np.int64)
    rank[np.argsort(np.array(seen, object), kind="stable")] = np.arange(len(seen))
    return sorted(seen), [rank[row] for row in numbers]


def chunk_scores(parts: Iterable[Ints], kinds: int) -> list[ChunkScore]:
    """Return the score of each kind; the parts were true, named, and named rightly."""
    counts = (np.bincount(part, minlength=kinds).tolist() for part in parts)
    return [chunk_score(*row) for row in zip(*counts, strict=True)]


def chunk_score(gold: int, guessed: int, correct: int) -> ChunkScore:
    """Return precision, recall and F1 of so many chunks."""
    precision, recall = ratio([correct, correct], [guessed, gold]).tolist()
    f1 = float(ratio(2 * correct, gold + guessed))
    return ChunkScore(precision, recall, f1, gold, guessed, correct)


def matched_chunks(
    labels: list[str], offset: Ints, gold: Ints, *guesses: Ints
) -> tuple[list[str], Ints, list[tuple[Ints, NDArray[np.bool_]]]]:
    """Return the types of chunks, the true chunks, and for each guess its chunks and what it found.

    Parameters
    ----------
    labels : list of str
        Tags of chunks.
    offset : array of shape (sentences + 1,)
    gold, guesses : arrays of shape (tokens,)
        Numbers of tags.

    Returns
    -------
    kinds : list of str
        Sorted.
    true : array of shape (chunks, 3)
        Start, end and number of the type.
    matches : list of (array of shape (guessed chunks, 3), bool array of shape (chunks,))
    """
    kinds = sorted({split_tag(label)[1] for label in labels if split_tag(label)[0] != "O"})
    true, *named = (_chunks(labels, kinds, tags, offset) for tags in (gold, *guesses))

    def keys(chunks: Ints) -> Ints:  # one number a chunk, different for different chunks
        answer: Ints = (chunks[:, 0] * (len(gold) + 1) + chunks[:, 1]) * len(kinds) + chunks[:, 2]
        return answer

    return kinds, true, [(chunks, np.isin(keys(true), keys(chunks))) for chunks in named]


def _chunks(labels: list[str], kinds: list[str], tags: Ints, offset: Ints) -> Ints:
    """Return start, end and number of the type of all chunks, shape (chunks, 3)."""
    parts = [split_tag(label) for label in labels]
    number = {kind: place for place, kind in enumerate(kinds)}
    inside = np.array([mark != "O" for mark, _ in parts])[tags]
    opening = np.array([mark in OPENING for mark, _ in parts])[tags]
    closing = np.array([mark in CLOSING for mark, _ in parts])[tags]
    kind = np.array([-1 if mark == "O" else number[kind] for mark, kind in parts])[tags]
    fresh = np.ones(len(tags) + 1, bool)  # nothing goes on from the token before
    fresh[1:-1] = ~inside[:-1] | (kind[1:] != kind[:-1]) | closing[:-1] | opening[1:]
    fresh[offset] = True
    begins = np.flatnonzero(inside & fresh[:-1])
    ends = np.flatnonzero(inside & fresh[1:]) + 1
    return np.stack([begins, ends, kind[begins]], axis=1)
