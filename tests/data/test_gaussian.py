"""Gaussian classes and their Bayes-optimal classifier (SPEC D-01, M-14, W-21, F-09)."""

from __future__ import annotations

from math import log, sqrt
from typing import Any

import numpy as np
import pytest

from linnet.data.gaussian import SimpleDataSet, make_gaussians
from linnet.errors import ParameterError


def simple(v1: float = 1.0, v2: float | None = None, **options: Any) -> SimpleDataSet:
    other = v1 if v2 is None else v2
    return SimpleDataSet(g1=[[-1, -1], v1], g2=[[1, 1], other], **options)


@pytest.mark.spec("D-01", "A-06")
def test_the_exercise_call_gives_fifty_training_and_fifty_test_points() -> None:
    data = SimpleDataSet(
        nr_examples=100, g1=[[-1, -1], 1], g2=[[1, 1], 1], balance=0.5, split=[0.5, 0, 0.5]
    )
    assert data.train_X.shape == data.test_X.shape == (50, 2)
    assert data.dev_X.shape == (0, 2)
    assert len(data.dev_y) == 0
    everything = np.concatenate([data.train_y, data.dev_y, data.test_y])
    assert np.bincount(everything).tolist() == [50, 50]
    assert data.train_x is data.train_X


@pytest.mark.spec("D-01", "A-06")
@pytest.mark.parametrize(("n", "balance"), [(100, 0.29), (7, 0.5), (10, 0.0), (10, 1.0), (0, 0.5)])
def test_the_first_class_has_its_share_rounded_down(n: int, balance: float) -> None:
    data = SimpleDataSet(n, balance=balance, split=(1, 0, 0))
    assert int((data.train_y == 0).sum()) == int(n * balance)
    assert len(data.train_y) == n


@pytest.mark.spec("D-01")
def test_parts_are_prefixes_of_one_order() -> None:
    whole = SimpleDataSet(103, split=(1, 0, 0), seed=5)
    cut = SimpleDataSet(103, split=(0.5, 0.2, 0.3), seed=5)
    assert [len(cut.train_y), len(cut.dev_y), len(cut.test_y)] == [51, 21, 31]
    joined = np.concatenate([cut.train_X, cut.dev_X, cut.test_X])
    np.testing.assert_array_equal(joined, whole.train_X)


@pytest.mark.spec("D-01", "C-02")
def test_the_same_seed_gives_the_same_data_and_another_seed_other_data() -> None:
    first, again, other = (SimpleDataSet(seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.train_X, again.train_X)
    np.testing.assert_array_equal(first.test_y, again.test_y)
    assert not np.array_equal(first.train_X, other.train_X)


@pytest.mark.spec("D-01", "A-07", "A-08", "A-09")
def test_the_second_entry_is_the_variance() -> None:
    n = 100_000
    data = simple(0.25, 4.0, nr_examples=2 * n, split=(1, 0, 0))
    for label, (mean, variance) in enumerate([(-1, 0.25), (1, 4.0)]):
        points = data.train_X[data.train_y == label]
        assert np.abs(points.mean(axis=0) - mean).max() < 4 * sqrt(variance / n)
        assert np.abs(points.var(axis=0) - variance).max() < 4 * variance * sqrt(2 / n)


@pytest.mark.spec("A-81")
def test_classes_are_drawn_only_on_request() -> None:
    counts = {int((SimpleDataSet(seed=s, split=(1, 0, 0)).train_y).sum()) for s in range(5)}
    assert counts == {50}
    _, y = make_gaussians(100_000, [[0.0], [1.0]], priors=[0.2, 0.8], draw_classes=True)
    assert y.sum() != 80_000
    assert abs(y.mean() - 0.8) < 4 * sqrt(0.16 / 1e5)


W21 = [(0.25, 0.002339, 0.001318), (0.5, 0.022750, 0.012200), (1.0, 0.078650, 0.038996),
       (2.0, 0.158655, 0.070061), (4.0, 0.239750, 0.090836)]  # fmt: skip


@pytest.mark.spec("W-21", "M-14")
@pytest.mark.parametrize(("variance", "balanced", "skewed"), W21)
def test_bayes_errors_are_those_of_the_specification(
    variance: float, balanced: float, skewed: float
) -> None:
    assert simple(variance).bayes_error() == pytest.approx(balanced, abs=5e-7)
    assert simple(variance, balance=0.9).bayes_error() == pytest.approx(skewed, abs=5e-7)


@pytest.mark.spec("W-21", "M-14", "F-09")
@pytest.mark.parametrize(("v1", "v2"), [(v, v) for v, _, _ in W21] + [(1.0, 0.25), (0.5, 2.0)])
@pytest.mark.parametrize("balance", [0.5, 0.9])
def test_the_optimal_rule_errs_on_a_sample_as_often_as_it_should(
    v1: float, v2: float, balance: float
) -> None:
    n = 1_000_000
    data = simple(v1, v2, nr_examples=n, balance=balance, split=(1, 0, 0))
    error = float((data.scores(data.train_X).argmax(axis=1) != data.train_y).mean())
    exact = data.bayes_error()
    assert abs(error - exact) < 4 * sqrt(exact * (1 - exact) / n)


@pytest.mark.spec("W-21", "M-12")
def test_the_linear_form_has_the_printed_weights() -> None:
    params = simple().get_bayes_optimal()
    np.testing.assert_allclose(
        params, [[-1.693147, -1.693147], [-1.0, 1.0], [-1.0, 1.0]], atol=5e-7
    )


@pytest.mark.spec("W-21", "A-07")
@pytest.mark.parametrize("variance", [0.25, 1.0, 3.0])
def test_linear_scores_differ_from_densities_by_a_constant_per_point(variance: float) -> None:
    data = simple(variance, balance=0.9)
    params = data.get_bayes_optimal()
    linear = params[0] + data.train_X @ params[1:]
    shift = linear - data.scores(data.train_X)
    np.testing.assert_allclose(shift[:, 0], shift[:, 1], atol=1e-10)


@pytest.mark.spec("W-21")
def test_a_skewed_prior_moves_the_boundary_towards_the_rare_class() -> None:
    b, w1, w2 = np.diff(simple(balance=0.9).get_bayes_optimal(), axis=1)[:, 0]
    assert w1 == w2
    assert -b / w1 == pytest.approx(0.5 * log(9)) == pytest.approx(1.098612, abs=5e-7)


@pytest.mark.spec("F-09", "A-10")
def test_unequal_variances_have_a_circle_for_a_boundary() -> None:
    data = simple(1.0, 0.25)
    angles = np.linspace(0, 2 * np.pi, 50)
    circle = 5 / 3 + 2.116542 * np.column_stack([np.cos(angles), np.sin(angles)])
    scores = data.scores(circle)
    np.testing.assert_allclose(scores[:, 0], scores[:, 1], atol=1e-5)
    assert data.bayes_error() == pytest.approx(0.024153, abs=5e-7)
    with pytest.raises(ParameterError, match="circle"):
        data.get_bayes_optimal()


def test_bayes_error_of_degenerate_classes() -> None:
    same = SimpleDataSet(g1=[[0], 1], g2=[[0], 1], balance=0.3)
    assert same.bayes_error() == pytest.approx(0.3)
    buried = SimpleDataSet(g1=[[0], 0.9], g2=[[0], 1], balance=0.01)  # never the best guess
    assert buried.bayes_error() == pytest.approx(0.01)
    empty = SimpleDataSet(balance=1.0)
    assert empty.bayes_error() == 0
    with pytest.raises(ParameterError, match="no share"):
        empty.get_bayes_optimal()


@pytest.mark.spec("A-79")
def test_several_classes_in_any_dimension() -> None:
    X, y = make_gaussians(10, np.eye(3) * 100, [1.0, 2.0, 3.0], [0.5, 0.25, 0.25])
    assert X.shape == (10, 3)
    assert np.bincount(y).tolist() == [5, 2, 3]
    assert (X.argmax(axis=1) == y).all()


@pytest.mark.parametrize(
    "options",
    [
        {"balance": 1.5},
        {"split": (0.5, 0.5)},
        {"split": (0.9, 0.2, 0.1)},
        {"split": (1.1, -0.1, 0)},
        {"g1": [[-1, -1], 0]},
        {"g1": [[-1, -1], float("nan")]},
        {"g1": [[-1], 1]},
        {"g1": [1, 2, 3]},
        {"nr_examples": -1},
    ],
)
def test_senseless_parameters_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        SimpleDataSet(**options)


@pytest.mark.parametrize(
    "options", [{"means": [1, 2]}, {"priors": [0.5, 0.6]}, {"variances": [1, 2, 3]}]
)
def test_make_gaussians_checks_its_shapes(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        make_gaussians(**{"n": 5, "means": [[0.0], [1.0]], **options})
