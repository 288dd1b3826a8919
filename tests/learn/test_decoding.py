"""Many sentences are scored from a copy of the weights they meet, few from the weights."""

from __future__ import annotations

import numpy as np
import pytest

from linnet import _core


def scores_of(
    start: np.ndarray, column: np.ndarray, value: np.ndarray | None, sentence: np.ndarray,
    pairs: tuple[np.ndarray, np.ndarray], weights: np.ndarray, L: int, threads: int,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    rng = np.random.default_rng(7)
    potentials = _core.Potentials(rng.normal(size=(L, L)), rng.normal(size=L), rng.normal(size=L))
    matrix = _core.Matrix(start, column, value, len(pairs[0]) - 1)
    chain = _core.Chain(matrix, sentence, *pairs, L)
    labels, scores = np.empty(sentence[-1], np.int32), np.empty(len(sentence) - 1)
    _core.decode(chain, weights, potentials, 0, labels, scores, threads)
    return labels, scores


@pytest.mark.spec("C-02")
@pytest.mark.parametrize("L", [1, 2, 7, 22, 33])
@pytest.mark.parametrize("kind", [None, np.float32, np.float64])
def test_a_sentence_scores_the_same_bits_alone_and_among_many(L: int, kind: type | None) -> None:
    rng = np.random.default_rng(L)
    J, lengths = 4000, rng.integers(0, 9, 600)
    counts = np.where(rng.random(J) < 0.1, L, rng.integers(0, min(L, 5) + 1, J))
    pair_start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    pair_label = np.concatenate(
        [np.sort(rng.choice(L, count, replace=False)) for count in counts]
    ).astype(np.int32)
    weights = rng.normal(size=len(pair_label))
    sentence = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    columns = [
        np.unique((J * rng.random(rng.integers(0, 12)) ** 4).astype(np.int32))
        for _ in range(sentence[-1])
    ]
    start = np.concatenate([[0], np.cumsum([len(row) for row in columns])]).astype(np.int64)
    column = np.concatenate(columns).astype(np.int32)
    value = None if kind is None else rng.normal(size=len(column)).astype(kind)
    pairs = (pair_start, pair_label)
    labels, scores = scores_of(start, column, value, sentence, pairs, weights, L, 1)
    many = scores_of(start, column, value, sentence, pairs, weights, L, 3)
    np.testing.assert_array_equal(many[0], labels)
    np.testing.assert_array_equal(many[1], scores)
    for s in range(0, 600, 7):
        first, last = sentence[s], sentence[s + 1]
        own = slice(start[first], start[last])
        alone = scores_of(
            start[first : last + 1] - start[first], column[own],
            None if value is None else value[own], np.array([0, last - first]), pairs, weights,
            L, 1,
        )  # fmt: skip
        np.testing.assert_array_equal(alone[0], labels[first:last])
        assert alone[1][0] == scores[s]
