"""Naive Bayes with normal features: iris, the reference, numerical care, the contract."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.utils.estimator_checks import check_estimator

from linnet.data import load_iris
from linnet.errors import DataError, ParameterError
from linnet.learn.naive_bayes import GaussianNB
from linnet.reference.gaussian_naive_bayes import gaussian

Data = tuple[NDArray[np.float64], NDArray[np.int64]]

VARIANCES: list[Any] = ["per-class", "per-feature", "shared", 1.0, 0.25]
each_variance = pytest.mark.parametrize("variance", VARIANCES)


def clouds(seed: int = 0, rows: int = 60, cols: int = 4, classes: int = 3) -> Data:
    rng = np.random.default_rng(seed)
    y = np.concatenate(
        [np.tile(np.arange(classes), 2), rng.integers(classes, size=rows - 2 * classes)]
    )
    return rng.normal(size=(classes, cols))[y] + rng.normal(size=(rows, cols)), y


def errors(model: GaussianNB, X: NDArray[np.float64], y: NDArray[np.int64]) -> tuple[int, int]:
    """Return the errors by resubstitution and by leaving one out."""
    wrong = int((model.fit(X, y).predict(X) != y).sum())
    left_out = 0
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        left_out += int(model.fit(X[rest], y[rest]).predict(X[i : i + 1])[0] != y[i])
    return wrong, left_out


@pytest.mark.spec("R-01", "M-13", "M-12")
@pytest.mark.parametrize(
    ("variance", "expected"), [("per-class", (6, 7)), ("per-feature", (6, 6)), (1.0, (11, 12))]
)
@pytest.mark.parametrize("var_smoothing", [0.0, 1e-9])
def test_iris_errors_are_exact(
    variance: Any, expected: tuple[int, int], var_smoothing: float
) -> None:
    iris = load_iris()
    model = GaussianNB(variance, var_smoothing=var_smoothing, n_threads=1)
    two = iris.y > 0
    assert errors(model, iris.X[two], iris.y[two]) == expected
    assert errors(model, iris.X, iris.y) == expected
    two = iris.y < 2
    assert errors(model, iris.X[two], iris.y[two]) == (0, 0)


@pytest.mark.spec("M-12", "M-13", "A-11")
@each_variance
@pytest.mark.parametrize("classes", [2, 3])
def test_parameters_and_scores_are_those_of_the_reference(variance: Any, classes: int) -> None:
    X, y = clouds(classes=classes)
    model = GaussianNB(variance, var_smoothing=0.0).fit(X, y)
    if isinstance(variance, str):
        oracle = gaussian(X, y, classes, variance=variance)
    else:
        oracle = gaussian(X, y, classes, variance="given", value=variance)
    np.testing.assert_allclose(model.theta_, oracle.means.T, atol=1e-12)
    np.testing.assert_allclose(model.means_, model.theta_)
    np.testing.assert_allclose(model.var_, oracle.variances.T, rtol=1e-12)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), oracle.scores(X), rtol=1e-12)
    if variance == "per-class":
        assert not hasattr(model, "coef_")
        return
    weights, bias = (table.T for table in oracle.linear())
    if classes == 2:
        weights, bias = weights[1:] - weights[:1], bias[1:] - bias[:1]
    np.testing.assert_allclose(model.coef_, weights, atol=1e-12)
    np.testing.assert_allclose(model.intercept_, bias, atol=1e-12)


@pytest.mark.spec("M-12", "M-05", "C-26")
@pytest.mark.parametrize("variance", VARIANCES[1:])
@pytest.mark.parametrize("classes", [2, 3])
def test_densities_and_linear_weights_choose_the_same_labels(variance: Any, classes: int) -> None:
    X, y = clouds(1, classes=classes)
    model = GaussianNB(variance).fit(X, y)
    new = np.random.default_rng(2).normal(scale=3, size=(500, X.shape[1]))
    linear = new @ model.coef_.T + model.intercept_
    chosen = linear.argmax(axis=1) if classes > 2 else (linear[:, 0] >= 0).astype(int)
    np.testing.assert_array_equal(model.predict(new), chosen)


@pytest.mark.spec("M-12")
def test_unit_variance_exports_the_means_and_their_half_squares() -> None:
    X, y = clouds()
    model = GaussianNB(variance=1.0).fit(X, y)
    np.testing.assert_allclose(model.coef_, model.theta_)
    prior = np.bincount(y) / len(y)
    np.testing.assert_allclose(np.exp(model.class_log_prior_), prior, rtol=1e-15)
    expected = np.log(prior) - 0.5 * (model.theta_**2).sum(axis=1)
    np.testing.assert_allclose(model.intercept_, expected, atol=1e-12)


def test_parameters_and_posteriors_are_those_of_scikit_learn() -> None:
    X, y = clouds(3)
    weights = np.random.default_rng(3).random(len(y))
    twin = sklearn.naive_bayes.GaussianNB().fit(X, y, weights)
    # scikit-learn takes the share of the variance of the data without their weights
    share = 1e-9 * X.var(axis=0).max()
    ours = GaussianNB(var_smoothing=0.0).fit(X, y, weights)
    np.testing.assert_allclose(ours.theta_, twin.theta_, rtol=1e-12)
    np.testing.assert_allclose(ours.var_ + share, twin.var_, rtol=1e-12)
    np.testing.assert_allclose(ours.predict_log_proba(X), twin.predict_log_proba(X), atol=1e-6)


@pytest.mark.spec("M-13", "C-05")
@each_variance
def test_dense_sparse_and_dictionary_input_give_the_same_model(variance: Any) -> None:
    X, y = clouds(4)
    X[np.abs(X) < 0.5] = 0.0
    dense = GaussianNB(variance).fit(X, y)
    for other in (sp.csr_matrix(X), [{f"f{j}": v for j, v in enumerate(row)} for row in X]):
        model = GaussianNB(variance).fit(other, y)
        np.testing.assert_allclose(model.var_, dense.var_, rtol=1e-12)
        np.testing.assert_allclose(model.predict_proba(other), dense.predict_proba(X), atol=1e-12)


@each_variance
def test_very_sparse_rows_score_like_the_dense_formula(variance: Any) -> None:
    rng = np.random.default_rng(5)
    X = sp.random(80, 200, 0.03, "csr", rng=rng)
    y = np.arange(80) % 3
    model = GaussianNB(variance).fit(X, y)
    full = X.toarray()[:, None, :]
    terms = np.log(2 * np.pi * model.var_) + (full - model.theta_) ** 2 / model.var_
    expected = model.class_log_prior_ - 0.5 * terms.sum(axis=2)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), expected, rtol=1e-9)


@pytest.mark.spec("C-01")
def test_a_large_offset_costs_no_precision() -> None:
    X, y = clouds(6)
    plain = GaussianNB(var_smoothing=0.0).fit(X, y)
    moved = GaussianNB(var_smoothing=0.0).fit(X + 1e6, y)
    np.testing.assert_allclose(moved.var_, plain.var_, rtol=1e-8)
    np.testing.assert_allclose(
        moved.predict_joint_log_proba(X + 1e6), plain.predict_joint_log_proba(X), rtol=1e-7
    )


@pytest.mark.spec("M-20", "M-127")
@each_variance
def test_the_history_holds_the_joint_log_likelihood(variance: Any) -> None:
    X, y = clouds(7)
    weights = np.random.default_rng(7).random(len(y))
    model = GaussianNB(variance, var_smoothing=0.01).fit(X, y, weights)
    joint = model.predict_joint_log_proba(X)[np.arange(len(y)), y]
    np.testing.assert_allclose(model.history_["objective"], [-(weights @ joint)], rtol=1e-12)
    assert (model.n_iter_, model.optimality_) == (1, 0.0)


@pytest.mark.spec("C-10")
@settings(deadline=None, max_examples=30)
@given(
    st.sampled_from(VARIANCES),
    st.lists(st.integers(1, 59), min_size=1, max_size=4, unique=True),
    st.integers(0, 10_000),
)
def test_pieces_one_after_the_other_give_the_model_of_the_whole(
    variance: Any, cuts: list[int], seed: int
) -> None:
    X, y = clouds(seed)
    whole, pieces = GaussianNB(variance).fit(X, y), GaussianNB(variance)
    for first, last in itertools.pairwise([0, *sorted(cuts), len(y)]):
        pieces.partial_fit(X[first:last], y[first:last], classes=[0, 1, 2])
    for name in ("theta_", "var_", "epsilon_", "class_log_prior_"):
        np.testing.assert_allclose(getattr(pieces, name), getattr(whole, name), rtol=1e-10)
    np.testing.assert_allclose(pieces.predict_proba(X), whole.predict_proba(X), atol=1e-9)


def test_pieces_of_dictionaries_may_bring_new_names() -> None:
    bags = [{"a": 1.0}, {"a": 2.0}, {"a": 1.0, "b": 3.0}, {"b": 1.0}]
    y = [0, 1, 0, 1]
    whole = GaussianNB().fit(bags, y)
    pieces = GaussianNB().partial_fit(bags[:2], y[:2]).partial_fit(bags[2:], y[2:])
    np.testing.assert_allclose(pieces.var_, whole.var_, rtol=1e-12)


@pytest.mark.spec("M-01", "M-08")
@each_variance
def test_posteriors_sum_to_one_and_are_never_nan(variance: Any) -> None:
    X, y = clouds(8)
    model = GaussianNB(variance).fit(X, y)
    far = np.vstack([X, 1e8 * X, np.zeros_like(X)])
    proba = model.predict_proba(far)
    np.testing.assert_allclose(proba.sum(axis=1), 1, atol=1e-12)


@pytest.mark.spec("M-08")
def test_one_feature_has_the_variance_of_the_lecture() -> None:
    model = GaussianNB(var_smoothing=0.0).fit(
        [[1.0], [2.0], [3.0], [4.0], [0.0], [1.0]], [0] * 4 + [1] * 2
    )
    assert (model.theta_[0, 0], model.var_[0, 0]) == (2.5, 1.25)
    joint = model.predict_joint_log_proba([[1.0], [2.0], [3.0], [4.0]])[:, 0]
    assert (joint - model.class_log_prior_[0]).sum() == pytest.approx(-6.122041, abs=5e-7)


def test_the_number_of_threads_does_not_change_a_bit() -> None:
    rng = np.random.default_rng(9)
    X, y, weights = rng.normal(size=(4000, 20)), rng.integers(3, size=4000), rng.random(4000)
    one = GaussianNB(n_threads=1).fit(X, y, weights)
    for n_threads in (2, 5):
        many = GaussianNB(n_threads=n_threads).fit(X, y, weights)
        np.testing.assert_array_equal(many.var_, one.var_)
        np.testing.assert_array_equal(many.predict_proba(X), one.predict_proba(X))


def test_a_class_without_examples_is_never_chosen() -> None:
    X, y = clouds(10, classes=2)
    for variance in VARIANCES:
        model = GaussianNB(variance, fit_prior=False).partial_fit(X, y, classes=[0, 1, 2])
        assert (model.predict_proba(X)[:, 2] == 0).all()
        assert np.isfinite(model.var_).all()


def test_a_zero_variance_is_refused_with_its_place_or_smoothed() -> None:
    X, y = [[1.0, 2.0], [1.0, 3.0], [1.0, 4.0], [2.0, 5.0]], ["a", "a", "b", "b"]
    with pytest.raises(DataError, match="variance of feature x0 in class a is 0"):
        GaussianNB(var_smoothing=0.0).fit(X, y)
    assert np.isfinite(GaussianNB().fit(X, y).predict_log_proba(X)).all()
    with pytest.raises(DataError, match="give the variance"):
        GaussianNB().fit([[1.0], [1.0]], y[1:3])
    assert GaussianNB(variance=2.0).fit([[1.0], [1.0]], y[1:3]).predict([[1.0]]).tolist() == ["b"]


def test_one_example_is_a_piece_but_not_yet_a_model() -> None:
    X, y = clouds(12)
    model = GaussianNB().partial_fit(X[:1], y[:1], classes=[0, 1, 2])
    with pytest.raises(DataError, match="is 0"):
        model.predict(X)
    for i in range(1, len(y)):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
    np.testing.assert_allclose(model.var_, GaussianNB().fit(X, y).var_, rtol=1e-10)


def test_the_quadratic_model_drops_the_weights_of_an_earlier_linear_fit() -> None:
    X, y = clouds(11)
    model = GaussianNB("shared").fit(X, y).set_params(variance="per-class").fit(X, y)
    assert not hasattr(model, "coef_") and not hasattr(model, "intercept_")


@pytest.mark.parametrize("variance", ["own", 0.0, -1.0, np.nan, None])
def test_wrong_variances_are_refused(variance: Any) -> None:
    with pytest.raises(ParameterError, match="variance must be"):
        GaussianNB(variance).fit(*clouds())


def test_wrong_smoothing_is_refused() -> None:
    with pytest.raises(ParameterError, match="var_smoothing"):
        GaussianNB(var_smoothing=-1.0).fit(*clouds())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("variance", ["per-class", "per-feature", "shared"])
def test_the_estimator_keeps_the_contract_of_scikit_learn(variance: Any) -> None:
    check_estimator(GaussianNB(variance))
