"""AdaGrad in the core takes the steps of the plain algorithm."""

from __future__ import annotations

import numpy as np
import pytest

import linnet
from linnet.learn.flat.incremental import Adaptive
from linnet.text.extractor import Rows


def _plain(X: np.ndarray, gold: np.ndarray, n_classes: int, rate: float) -> tuple:
    """Return weights, intercepts and the scores that each row was met with, for the log loss."""
    X = np.hstack([X, np.ones((len(X), 1))])
    columns = 1 if n_classes == 2 else n_classes
    W, G = np.zeros((X.shape[1], columns)), np.zeros((X.shape[1], columns))
    met = []
    for x, k in zip(X, gold, strict=True):
        scores = x @ W
        met.append(scores)
        if n_classes == 2:
            residual = 1.0 / (1.0 + np.exp(-scores)) - k
        else:
            residual = np.exp(scores - np.logaddexp.reduce(scores)) - np.eye(n_classes)[k]
        gradient = np.outer(x, residual)
        G += gradient**2
        W -= rate * gradient / (np.sqrt(G) + 1e-10)
    return W[:-1], W[-1], np.array(met)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_steps_and_scores_are_those_of_the_plain_algorithm(n_classes: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 7)).astype(np.float32)
    gold = rng.integers(n_classes, size=60).astype(np.int32)
    learner = linnet.MaxEnt(solver=linnet.AdaGrad(rate=0.4))
    core = learner.incremental(7, n_classes)
    assert isinstance(core, Adaptive)
    rows = Rows(np.arange(0, 421, 7), np.tile(np.arange(7, dtype=np.int32), 60), X.ravel())
    met = core.meet(rows, gold)
    W, b, scores = _plain(X.astype(np.float64), gold, n_classes, 0.4)
    np.testing.assert_allclose(met.scores, scores, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(core.weights()[0], W, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(core.weights()[1], b, rtol=1e-4, atol=1e-5)


def test_in_memory_adagrad_is_refused_with_what_there_is() -> None:
    with pytest.raises(linnet.errors.ParameterError, match="solver"):
        linnet.MaxEnt(solver="adagrad").fit([[0.0], [1.0]], ["a", "b"])
