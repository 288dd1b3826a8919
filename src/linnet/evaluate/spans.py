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

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.tags import are_chunk_tags, split_tag
from linnet.errors import DataError, ParameterError
from linnet.evaluate.chunks import ChunkScore, _checked, _chunks, _counted, _keys, _numbered

__all__ = ["SpanScores", "span_scores"]

Ints = NDArray[np.int64]


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
    >>> found = span_scores([["B-NP", "I-NP", "O", "B-VP"]], [["B-NP", "O", "O", "B-NP"]])
    >>> found.mistakes
    {'type': 1, 'boundary': 1, 'missed': 0, 'invented': 0}
    >>> found.lengths["2"].recall, found.lengths["1"].guessed
    (0.0, 2)
    """
    if isinstance(longest, bool) or not isinstance(longest, (int, np.integer)) or longest < 1:
        raise ParameterError(f"longest must be a positive integer, got {longest!r}")
    offset = _checked(gold, guess, "guessed tags")
    tags, (y, said) = _numbered(chain.from_iterable(gold), chain.from_iterable(guess))
    if not are_chunk_tags(tags):
        raise DataError(f"spans need tags of chunks such as B-NP, I-NP and O, got {tags[:5]}")
    kinds = sorted({split_tag(tag)[1] for tag in tags if split_tag(tag)[0] != "O"})
    true, named = _chunks(tags, kinds, y, offset), _chunks(tags, kinds, said, offset)
    n, k = len(y), len(kinds)
    found = np.isin(_keys(true, n, k), _keys(named, n, k))
    parts = (true, named, true[found])
    of_type = [part[:, 2] for part in parts]
    of_size = [np.minimum(part[:, 1] - part[:, 0], longest) - 1 for part in parts]
    by_type = _counted(of_type[0], of_type[1], of_type[2], len(kinds))
    by_length = _counted(of_size[0], of_size[1], of_size[2], longest)
    names = [*map(str, range(1, longest)), f"{longest}+"]
    return SpanScores(
        dict(zip(kinds, by_type, strict=True)),
        {
            name: score
            for name, score in zip(names, by_length, strict=True)
            if score.gold or score.guessed
        },
        _mistakes(true, named, found, n),
    )


def _mistakes(true: Ints, named: Ints, found: NDArray[np.bool_], n: int) -> dict[str, int]:
    lost = true[~found]
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
    before = np.concatenate([[0], np.cumsum(np.cumsum(edge)[:n] > 0)])
    answer: NDArray[np.bool_] = before[chunks[:, 1]] > before[chunks[:, 0]]
    return answer
