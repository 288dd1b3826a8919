"""Memory-based learning with numbers at the ends of what can be held: no crash, no NaN."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet import FeatureWeights, MemoryBased
from linnet.errors import DataError
from linnet.learn.memory.checks import VOTES

ROWS: list[list[Any]] = [[0.1, "a"], [0.4, "b"], [0.1, "b"], [0.4, "a"]] * 2
LABELS = list("xyyx") * 2


def assert_shares(shares: NDArray[np.float64]) -> None:
    assert np.isfinite(shares).all() and (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


@pytest.mark.parametrize("metric", ["overlap", "mvdm", "l1", "l2", "linf", "lk"])
@pytest.mark.parametrize("vote", VOTES)
@pytest.mark.parametrize("neighbors", ["distances", "examples"])
def test_a_number_far_beyond_training_is_answered(metric: Any, vote: Any, neighbors: Any) -> None:
    for weights in ("gain_ratio", "none", [0.0, 1.0], [1e308, 1e308]):
        model = MemoryBased(2, metric, weights, neighbors, vote).fit(ROWS, LABELS)
        for number in (1e308, -1e308, 1e-310):
            assert_shares(model.predict_proba([[number, "a"], [number, "unseen"]]))
            distances, rows = model.kneighbors([[number, "a"]], k=8)
            assert np.isfinite(distances).all() and sorted(rows[0]) == list(range(8))


def test_a_feature_without_weight_does_not_count_however_large_it_is() -> None:
    model = MemoryBased(1, feature_weights=[0.0, 1.0]).fit(ROWS, LABELS)
    assert model.predict([[1e308, "a"], [-1e308, "b"]]).tolist() == ["x", "y"]
    power = MemoryBased(1, "l2", [0.0, 1.0]).fit(ROWS, LABELS)
    assert power.predict([[1e308, "a"], [-1e308, "b"]]).tolist() == ["x", "y"]


@pytest.mark.parametrize("metric", ["overlap", "l1", "l2", "linf", "lk"])
@pytest.mark.parametrize("weights", [np.nan, np.inf])
def test_stored_weights_that_are_no_numbers_do_not_break_the_search(
    metric: Any, weights: float
) -> None:
    for neighbors in ("distances", "examples"):
        model = MemoryBased(2, metric, neighbors=neighbors).fit(ROWS, LABELS)  # type: ignore[arg-type]
        bad = np.array([weights, weights])
        for changed in ({"weight": bad}, {"scale": bad}, {"weight": bad[:1].repeat(2) * -1}):
            model._memory = replace(model._memory, **changed)
            assert_shares(model.predict_proba(ROWS))
            assert model.kneighbors(ROWS, k=2)[1].min() >= 0


@pytest.mark.parametrize("p", [2.0, 3.0, 100.0])
def test_powers_that_cannot_be_held_still_order_the_rows(p: float) -> None:
    X = np.array([[0.0, 1.0], [1e250, 2.0], [3e250, 3.0]])
    model = MemoryBased(1, "lk" if p != 2.0 else "l2", p=p).fit(X, list("abc"))
    distances, rows = model.kneighbors([[0.9e250, 0.0], [2.5e250, 1.0]], k=3)
    assert rows.tolist() == [[1, 0, 2], [2, 1, 0]]
    np.testing.assert_allclose(distances[0], [0.1e250, 0.9e250, 2.1e250])


def test_large_powers_of_ordinary_numbers_are_those_of_their_shares() -> None:
    model = MemoryBased(1, "lk", p=120.0).fit([[0.0, 0.0, "a"], [4e3, 4e3, "b"]], [0, 1])
    distances, _ = model.kneighbors([[3e3, 3e3, "b"]], k=2)
    expected = [1e3 * 2 ** (1 / 120), 3e3 * 2 ** (1 / 120)]
    np.testing.assert_allclose(distances[0], expected, rtol=1e-12)


def test_a_column_whose_range_cannot_be_held_is_refused() -> None:
    X = [[1e308, 1.0], [-1e308, 2.0]]
    for metric in ("overlap", "mvdm", "l2"):
        with pytest.raises(DataError, match="from -1e.308 to 1e.308.*divide"):
            MemoryBased(metric=metric).fit(X, [0, 1])  # type: ignore[arg-type]
    with pytest.raises(DataError, match="divide"):
        FeatureWeights.from_data(X, [0, 1])


@pytest.mark.parametrize("unit", [1e-320, 1e-300, 1e200, 1e307])
@pytest.mark.parametrize("neighbors", ["distances", "examples"])
def test_angles_do_not_depend_on_the_unit_of_length(unit: float, neighbors: Any) -> None:
    rng = np.random.default_rng(0)
    X, Q = rng.integers(0, 8, (30, 6)).astype(float), rng.integers(0, 8, (9, 6)).astype(float)
    X[3] = 0.0
    y = np.arange(30) % 3
    plain = MemoryBased(3, "cosine", neighbors=neighbors).fit(X, y)
    large = MemoryBased(3, "cosine", neighbors=neighbors).fit(X * unit, y)
    for queries in (Q, Q * unit):
        distances, _ = large.kneighbors(queries, k=30)
        expected, _ = plain.kneighbors(Q, k=30)
        np.testing.assert_allclose(distances, expected, atol=1e-3 if unit == 1e-320 else 1e-14)
        if unit != 1e-320:  # of which too few digits are left
            assert (large.predict(queries) == plain.predict(Q)).all()
    assert_shares(large.predict_proba(Q * unit))


@pytest.mark.parametrize("unit", [1e18, 1e19, 1e25, 1e160, 1e300])
def test_euclids_distances_of_large_vectors_are_those_of_small_ones_enlarged(unit: float) -> None:
    rng = np.random.default_rng(1)
    X, Q = sp.csr_matrix(rng.normal(size=(300, 5))), sp.csr_matrix(rng.normal(size=(40, 5)))
    y = np.arange(300) % 3
    for neighbors in ("distances", "examples"):
        plain = MemoryBased(3, "l2", neighbors=neighbors).fit(X, y)  # type: ignore[arg-type]
        large = MemoryBased(3, "l2", neighbors=neighbors).fit(X * unit, y)  # type: ignore[arg-type]
        distances, rows = large.kneighbors(Q * unit, k=5)
        expected, same_rows = plain.kneighbors(Q, k=5)
        assert (rows == same_rows).all()
        np.testing.assert_allclose(distances / unit, expected, rtol=1e-12)
        assert (large.predict(Q * unit) == plain.predict(Q)).all()
