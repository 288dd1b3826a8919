"""AdaGrad in the core takes the steps of the plain algorithm."""

from __future__ import annotations

import numpy as np
import pytest

import linnet
from linnet.learn.flat.incremental import Adaptive
from linnet.reference.adagrad import adagrad
from linnet.text.extractor import Rows


@pytest.mark.parametrize("n_features", [7, 21])  # eight are moved side by side
@pytest.mark.parametrize("n_classes", [2, 3])
def test_steps_and_scores_are_those_of_the_plain_algorithm(n_classes: int, n_features: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, n_features)).astype(np.float32)
    gold = rng.integers(n_classes, size=60).astype(np.int32)
    learner = linnet.MaxEnt(solver=linnet.AdaGrad(rate=0.4))
    core = learner.incremental(n_features, n_classes)
    assert isinstance(core, Adaptive)
    start = np.arange(61) * n_features
    rows = Rows(start, np.tile(np.arange(n_features, dtype=np.int32), 60), X.ravel())
    met = core.meet(rows, gold)
    plain = adagrad(X.astype(np.float64), gold, n_classes, rate=0.4)
    np.testing.assert_allclose(met.scores, plain.scores, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(core.weights()[0], plain.weights, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(core.weights()[1], plain.intercept, rtol=1e-4, atol=1e-5)


def test_in_memory_adagrad_is_refused_with_what_there_is() -> None:
    with pytest.raises(linnet.errors.ParameterError, match="solver"):
        linnet.MaxEnt(solver="adagrad").fit([[0.0], [1.0]], ["a", "b"])
