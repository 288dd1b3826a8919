"""Rows of weights are added in strips, exponentials taken by lanes: the same as NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linnet import _core


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("valued", [False, True])
@pytest.mark.parametrize("scale", [1.0, 400.0])  # 400: most exponentials are 0
@pytest.mark.parametrize("L", [1, 3, 4, 7, 8, 13, 24, 31, 33, 57, 66])
def test_objective_and_gradient_of_any_number_of_labels_are_those_of_numpy(
    L: int, scale: float, valued: bool, observed: bool
) -> None:
    rng = np.random.default_rng(L)
    n, J = 23, 9
    X = (rng.random((n, J)) < 0.5) * (rng.normal(size=(n, J)) if valued else 1.0)
    token, column = np.nonzero(X)
    start = np.searchsorted(token, np.arange(n + 1)).astype(np.int64)
    values = X[token, column] if valued else None
    matrix = _core.Matrix(start, column.astype(np.int32), values, J)
    pair_start = np.arange(J + 1, dtype=np.int64) * L
    pair_label = np.tile(np.arange(L, dtype=np.int32), J)
    following: tuple[Any, Any] = (None, None)
    if observed:
        following = np.arange(L + 1, dtype=np.int64), np.arange(L, dtype=np.int32)
    sentence = np.arange(n + 1, dtype=np.int64)  # of one token each, so the sums have a closed form
    chain = _core.Chain(matrix, sentence, pair_start, pair_label, L, *following, 1, None)
    gold, cost = rng.integers(0, L, n).astype(np.int32), rng.uniform(0.5, 2.0, n)
    w, gradient = rng.normal(size=chain.weights), np.empty(chain.weights)
    w[: J * L] *= scale
    value = _core.crf_evaluate(chain, gold, cost, 0.0, w, gradient, 1)

    bias = w[J * L + L * L :].reshape(2, L).sum(axis=0)
    scores = X @ w[: J * L].reshape(J, L) + bias
    top = scores.max(axis=1, keepdims=True)
    log_z = np.log(np.exp(scores - top).sum(axis=1)) + top[:, 0]
    residual = cost[:, None] * (np.exp(scores - log_z[:, None]) - (gold[:, None] == np.arange(L)))
    assert value == pytest.approx((cost * (log_z - scores[np.arange(n), gold])).sum(), rel=1e-12)
    found, expected = gradient[: J * L].reshape(J, L), X.T @ residual
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11 * scale)
