"""What parts with few of all features give: the bits of whole tables, by way of some rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from linnet.scale.training.losses import Direction, Point, RowProblem
from linnet.scale.training.sums import FewRows, added, dense


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.floats(0.05, 1.0))
def test_a_sum_of_some_rows_has_the_bits_of_the_sum_of_all(seed, parts, share):
    rng = np.random.default_rng(seed)
    few = []
    for _ in range(parts):
        ids = np.flatnonzero(rng.random(30) < share)
        few.append(FewRows(ids, rng.normal(size=(len(ids), 3)), 30))
    whole = [part.whole() for part in few]
    total = added(whole)
    assert np.array_equal(dense(added(few)), total)
    assert np.array_equal(added([whole[0], *few[1:]]), total)


@pytest.mark.parametrize("bias", [0.0, 1.0])
@pytest.mark.parametrize("loss", ["squared_hinge", "log"])
def test_a_part_that_looks_at_its_own_features_gives_what_one_gives_that_looks_at_all(loss, bias):
    rng = np.random.default_rng(1)
    rows = sp.random(12, 400, 0.02, format="csr", random_state=2)
    rest = sp.csr_matrix(np.ones((1, 400)))  # one row that has all features, and no cost
    gold = rng.integers(0, 3, 13).astype(np.int32)
    cost = np.append(np.full(12, 0.7), 0.0)
    few = RowProblem(rows, gold[:12].copy(), cost[:12].copy(), 3, loss, "columns", bias)
    all_rows = sp.vstack([rows, rest], "csr")
    every = RowProblem(all_rows, gold, cost, 3, loss, "columns", bias)
    point = Point("here", rng.normal(size=3 * (400 + bool(bias))))
    some = np.zeros((400 + bool(bias), 3))
    some[:, [0, 2]] = rng.normal(size=(len(some), 2))
    narrow = Direction.of(some.ravel(), 3)
    assert narrow.columns.tolist() == [0, 2]
    for part in (few, every):
        part.evaluate(point)
    pairs = [(one.evaluate(point), one.hessian_diagonal(point)) for one in (few, every)]
    (ours, slope), diagonal = pairs[0]
    (theirs, slope_of_all), diagonal_of_all = pairs[1]
    assert isinstance(slope, FewRows) and not isinstance(slope_of_all, FewRows)
    np.testing.assert_allclose(ours, theirs)
    np.testing.assert_allclose(dense(slope), slope_of_all, atol=1e-12)
    np.testing.assert_allclose(dense(diagonal), diagonal_of_all, atol=1e-12)
    whole = Direction(some, None)
    products = [dense(one.hessian_times(point, whole)).reshape(-1, 3) for one in (few, every)]
    np.testing.assert_allclose(*products, atol=1e-12)
    active = dense(few.hessian_times(point, narrow)).reshape(-1, 2)
    assert np.array_equal(active, products[0][:, [0, 2]])
