"""Drawing sentences from a hidden Markov model: tags one after the other, each with its word."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.learn.chain.scores import Edges
from linnet.learn.shared.drawing import draw, draw_lengths

__all__ = ["UNKNOWN", "draw_tags"]

UNKNOWN = "<unk>"  # the word that stands for all those not seen in training
LONGEST = 100_000  # tokens in a sentence that does not stop

Ints = NDArray[np.int64]


def draw_tags(
    rng: np.random.Generator, edges: Edges, n: int, length: Any, *, stop: bool
) -> list[Ints]:
    """Return the tags of n sentences, by their numbers.

    Parameters
    ----------
    edges : Edges
        Log probabilities.
    length : int, pair or array of shape (n,), optional
        Needed where no stop symbol ends a sentence, and refused where one does.
    stop : bool
        Whether ``edges.stop`` are probabilities of ending.
    """
    if stop != (length is None):
        raise ParameterError(
            "A sentence ends by the stop symbol of this model; leave out length."
            if stop
            else "This model has no stop symbol, so nothing in it ends a sentence; pass length."
        )
    start, after, ends = (np.exp(part) for part in (edges.start, edges.transition, edges.stop))
    second = None if edges.second is None else np.exp(edges.second)
    lengths = np.full(n, LONGEST) if stop else draw_lengths(rng, length, n)
    alive = np.flatnonzero(lengths > 0)
    tags: list[list[int]] = [[] for _ in range(n)]
    last = draw(rng, start[None, :], np.zeros(len(alive), np.int64))
    before = last
    while len(alive):
        for sentence, tag in zip(alive.tolist(), last.tolist(), strict=True):
            tags[sentence].append(tag)
        size = len(tags[alive[0]])
        going = lengths[alive] > size
        if stop:
            if not going.all():
                raise DataError(f"A sentence has {LONGEST} tokens and no end: stop is too rare.")
            going = rng.random(len(alive)) >= ends[last]
        alive, before, last = alive[going], before[going], last[going]
        if second is None or size == 1:
            weights, rows = after, last
        else:
            weights, rows = second.reshape(-1, len(start)), before * len(start) + last
        before, last = last, draw(rng, weights, rows)
    return [np.array(row, np.int64) for row in tags]
