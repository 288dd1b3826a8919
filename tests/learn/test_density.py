"""Normal densities, Gaussian Bayes and Parzen windows are the lecture's formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KernelDensity, KNeighborsClassifier

from linnet import GaussianBayes, GaussianNB, ParzenWindows
from linnet.data import SimpleDataSet, make_gaussians
from linnet.errors import DataError, ParameterError
from linnet.learn.density import MultivariateNormal, UnivariateNormal, parzen_log_density
from linnet.reference import density as reference

KINDS = ("full", "diagonal", "pooled", "pooled-diagonal")


def mixture(classes: int = 3, n: int = 90, J: int = 4, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    spread = rng.normal(size=(classes, J, J))
    X = (
        np.einsum("nij,nj->ni", spread[y], rng.normal(size=(n, J)))
        + rng.normal(size=(classes, J))[y]
    )
    return X, y


# --- the normal density ------------------------------------------------------------------------


@pytest.mark.spec("M-08", "F-15", "A-43", "A-44")
def test_the_univariate_estimate_has_the_lecture_numbers() -> None:
    normal = UnivariateNormal.fit([1, 2, 3, 4])
    assert (normal.mean, normal.variance) == (2.5, 1.25)
    assert normal.log_likelihood([1, 2, 3, 4]) == pytest.approx(-6.122041, abs=1e-6)


@pytest.mark.spec("M-08", "X-10")
@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(-50, 50), min_size=3, max_size=12).filter(lambda x: np.ptp(x) > 1e-3))
def test_the_likelihood_is_flat_at_the_univariate_estimate(sample: list[float]) -> None:
    best = UnivariateNormal.fit(sample)
    scale = np.sqrt(best.variance)
    top = best.log_likelihood(sample)
    for mean, factor in ((1e-4, 1.0), (-1e-4, 1.0), (0.0, 1 + 1e-4), (0.0, 1 - 1e-4)):
        near = UnivariateNormal(best.mean + mean * scale, best.variance * factor)
        assert near.log_likelihood(sample) < top
    steps = [UnivariateNormal(best.mean + h * scale, best.variance) for h in (1e-5, -1e-5)]
    up, down = (normal.log_likelihood(sample) for normal in steps)
    assert abs(up - down) / 2e-5 < 1e-5 * len(sample)


def test_a_sample_without_spread_has_no_univariate_density() -> None:
    with pytest.raises(DataError, match=r"All values of the sample are 0.1"):
        UnivariateNormal.fit([0.1] * 7)
    for bad in ([], [[1.0]], [1.0, np.nan], ["a"]):
        with pytest.raises(DataError):
            UnivariateNormal.fit(bad)
    with pytest.raises(ParameterError):
        UnivariateNormal(0.0, 0.0)


@pytest.mark.spec("M-09")
def test_the_multivariate_estimate_is_numpys_covariance_and_scipys_density() -> None:
    X, _ = mixture()
    normal = MultivariateNormal.fit(X)
    np.testing.assert_allclose(normal.covariance, np.cov(X.T, ddof=0), rtol=1e-12)
    assert (normal.covariance == normal.covariance.T).all()
    assert np.linalg.eigvalsh(normal.covariance).min() > 0
    peer = multivariate_normal(normal.mean, normal.covariance)
    np.testing.assert_allclose(normal.log_density(X), peer.logpdf(X), rtol=1e-10)


def test_weights_count_examples_in_the_estimates() -> None:
    X, _ = mixture(n=20)
    times = np.arange(20) % 3
    weighted, repeated = (
        MultivariateNormal.fit(X, times),
        MultivariateNormal.fit(X.repeat(times, 0)),
    )
    np.testing.assert_allclose(weighted.covariance, repeated.covariance, rtol=1e-12)


@pytest.mark.spec("M-09")
def test_a_singular_covariance_is_refused_by_name_and_ridge_helps() -> None:
    X, y = mixture(2, J=3)
    X = np.column_stack([X, X[:, 0] - 2 * X[:, 2]])
    with pytest.raises(DataError, match="feature 3 is a linear combination of those before it"):
        MultivariateNormal.fit(X).log_density(X)
    assert np.isfinite(MultivariateNormal.fit(X, ridge=0.1).log_density(X)).all()
    for covariance in ("full", "pooled"):
        with pytest.raises(DataError, match="feature x3 is a linear combination.*ridge > 0"):
            GaussianBayes(covariance).fit(X, y)
    X[:, 1] = 0.1
    for covariance in KINDS:
        with pytest.raises(DataError, match="feature x1 is constant"):
            GaussianBayes(covariance).fit(X, y)
        assert np.isfinite(
            GaussianBayes(covariance, ridge=1e-3).fit(X, y).decision_function(X)
        ).all()


# --- Gaussian Bayes ----------------------------------------------------------------------------


@pytest.mark.spec("M-10", "M-11", "M-13", "M-05")
@pytest.mark.parametrize("ridge", [0.0, 0.3])
@pytest.mark.parametrize("covariance", KINDS)
def test_joint_scores_are_those_of_the_reference(covariance: Any, ridge: float) -> None:
    X, y = mixture()
    model = GaussianBayes(covariance, ridge=ridge).fit(X, y)
    twin = reference.gaussian_bayes(X, y, 3, covariance=covariance, ridge=ridge)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), twin.scores(X), rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, atol=1e-12)
    objective = -twin.scores(X)[np.arange(len(y)), y].sum()
    np.testing.assert_allclose(model.history_["objective"], objective, rtol=1e-9)


@pytest.mark.spec("M-11", "C-26")
@pytest.mark.parametrize("covariance", ["pooled", "pooled-diagonal", 0.7, "matrix"])
def test_one_covariance_makes_the_scores_linear(covariance: Any) -> None:
    X, y = mixture()
    if covariance == "matrix":
        covariance = np.cov(X.T)
    model = GaussianBayes(covariance).fit(X, y)
    difference = model.predict_joint_log_proba(X) - (X @ model.coef_.T + model.intercept_)
    np.testing.assert_allclose(
        difference - difference[:, :1], 0, atol=1e-10 * np.abs(difference).max()
    )
    assert not hasattr(GaussianBayes("full").fit(X, y), "coef_")


@pytest.mark.spec("M-10", "M-11")
def test_peers_agree() -> None:
    X, y = mixture()
    joint = GaussianBayes().fit(X, y).predict_joint_log_proba(X)
    for k in range(3):
        peer = multivariate_normal(X[y == k].mean(axis=0), np.cov(X[y == k].T, ddof=0))
        np.testing.assert_allclose(joint[:, k], peer.logpdf(X) + np.log((y == k).mean()), rtol=1e-9)
    linear = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    np.testing.assert_allclose(
        GaussianBayes("pooled").fit(X, y).predict_proba(X), linear.predict_proba(X), atol=1e-9
    )


@pytest.mark.spec("M-10", "M-12", "M-13")
def test_naive_bayes_is_the_diagonal_case() -> None:
    X, y = mixture()
    pairs = [
        (GaussianBayes(0.7), GaussianNB(0.7)),
        (GaussianBayes("diagonal"), GaussianNB("per-class", var_smoothing=0)),
        (GaussianBayes("pooled-diagonal"), GaussianNB("per-feature", var_smoothing=0)),
        (GaussianBayes(0.7 * np.eye(4)), GaussianNB(0.7)),
    ]
    for model, naive in pairs:
        ours, theirs = model.fit(X, y), naive.fit(X, y)
        np.testing.assert_allclose(
            ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-11
        )
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.spec("R-01", "X-11", "M-10", "M-11")
@pytest.mark.parametrize(
    ("covariance", "resubstitution", "leave_one_out"),
    [
        ("full", 3, 4),
        ("diagonal", 6, 7),
        ("pooled", 3, 3),
        ("pooled-diagonal", 6, 6),
        (1.0, 11, 12),
    ],
)
def test_iris_error_counts(covariance: Any, resubstitution: int, leave_one_out: int) -> None:
    data = load_iris()
    for first, last, expected in ((50, 150, True), (0, 150, True), (0, 100, False)):
        X, y = data.data[first:last], data.target[first:last]
        model = GaussianBayes(covariance, n_threads=1)
        errors = int((model.fit(X, y).predict(X) != y).sum())
        assert errors == (resubstitution if expected else 0)
        rest = ~np.eye(len(y), dtype=bool)
        missed = sum(
            int(model.fit(X[own], y[own]).predict(X[~own])[0] != y[~own][0]) for own in rest
        )
        assert missed == (leave_one_out if expected else 0)


@pytest.mark.spec("R-01")
def test_iris_covariance_determinants() -> None:
    data = load_iris()
    model = GaussianBayes().fit(data.data, data.target)
    np.testing.assert_allclose(
        np.linalg.det(model.covariance_[1:]), [1.746807e-5, 1.224425e-4], rtol=1e-6
    )


@pytest.mark.spec("M-14", "W-21")
@pytest.mark.parametrize("p1", [0.5, 0.9])
@pytest.mark.parametrize("v", [0.25, 1.0, 4.0])
def test_the_optimal_classifier_errs_at_the_bayes_rate(v: float, p1: float) -> None:
    errors = {
        0.5: {0.25: 0.002339, 1.0: 0.078650, 4.0: 0.239750},
        0.9: {0.25: 0.001318, 1.0: 0.038996, 4.0: 0.090836},
    }
    means, n = [[-1, -1], [1, 1]], 200_000
    best = GaussianBayes.from_parameters(means, v, [p1, 1 - p1])
    X, y = make_gaussians(n, means, v, [p1, 1 - p1], seed=3, draw_classes=True)
    expected = errors[p1][v]
    assert abs((best.predict(X) != y).mean() - expected) < 4 * np.sqrt(expected / n)
    if v == 1.0:
        boundary = -best.intercept_[0] / best.coef_[0, 0]
        assert boundary == pytest.approx(1.098612 if p1 == 0.9 else 0.0, abs=1e-6)


@pytest.mark.spec("F-09", "M-14", "A-10")
def test_unequal_variances_have_a_circle_for_boundary() -> None:
    data = SimpleDataSet(g1=[[-1, -1], 1], g2=[[1, 1], 0.25])
    covariances = [v * np.eye(2) for v in data.variances]
    best = GaussianBayes.from_parameters(data.means, covariances, data.priors)
    angles = np.linspace(0, 2 * np.pi, 50)
    circle = 5 / 3 + 2.116542 * np.column_stack([np.cos(angles), np.sin(angles)])
    np.testing.assert_allclose(best.decision_function(circle), 0, atol=2e-5)
    X = np.random.default_rng(0).normal(size=(50, 2))
    np.testing.assert_allclose(best.predict_joint_log_proba(X), data.scores(X), rtol=1e-12)
    X, y = make_gaussians(200_000, data.means, data.variances, seed=1, draw_classes=True)
    assert abs((best.predict(X) != y).mean() - 0.024153) < 4 * np.sqrt(0.024153 / 200_000)


@pytest.mark.parametrize("covariance", KINDS)
def test_pieces_add_up_to_the_fit_on_all(covariance: Any) -> None:
    X, y = mixture()
    whole = GaussianBayes(covariance).fit(X, y)
    parts = GaussianBayes(covariance)
    for piece in np.array_split(np.arange(len(y)), 4):
        parts.partial_fit(X[piece], y[piece], classes=[0, 1, 2])
    np.testing.assert_allclose(parts.covariance_, whole.covariance_, rtol=1e-10)
    np.testing.assert_allclose(
        parts.predict_joint_log_proba(X), whole.predict_joint_log_proba(X), rtol=1e-8
    )
    model = GaussianBayes(covariance).partial_fit([{"a": 1.0}, {"a": 2.0}, {"a": 4.0}], [0, 0, 1])
    model.partial_fit([{"a": 1.0, "b": 2.0}] * 2, [1, 0])
    assert model.n_features_in_ == 2 and model.means_.shape == (2, 2)


@pytest.mark.parametrize(
    "given",
    [
        "round",
        -1.0,
        [1.0, -1.0],
        [[1.0, 2.0], [0.0, 1.0]],
        [[1, 2], [2, 1]],
        np.nan,
        [1.0, 1.0, 1.0],
        np.ones((2, 2, 3)),
    ],
)
def test_covariances_that_are_none_are_refused(given: Any) -> None:
    with pytest.raises(ParameterError):
        GaussianBayes(given).fit([[0.0, 1.0], [1.0, 0.0], [3.0, 1.0], [1.0, 2.0]], [0, 0, 1, 1])


# --- Parzen windows ----------------------------------------------------------------------------


@pytest.mark.spec("M-106", "A-51", "F-15")
def test_two_points_and_a_gaussian_window() -> None:
    value = np.exp(parzen_log_density([[0.5]], [[0.0], [1.0]], 1.0))
    assert value[0] == pytest.approx(0.352065, abs=1e-6)


@pytest.mark.spec("M-106")
@pytest.mark.parametrize("window", ["gaussian", "hypercube"])
def test_the_density_integrates_to_one(window: Any) -> None:
    sample = np.array([[-1.0], [0.3], [0.35], [2.0]])
    x = np.linspace(-8, 9, 200_001)
    p = np.exp(parzen_log_density(x[:, None], sample, 0.7, window))
    assert np.trapezoid(p, x) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.spec("M-106", "M-01")
@pytest.mark.parametrize("window", ["gaussian", "hypercube"])
def test_windows_are_those_of_the_reference_and_of_a_peer(window: Any) -> None:
    X, y = mixture()
    model = ParzenWindows(1.5, window).fit(X[:60], y[:60])
    twin = reference.parzen_joint(X, X[:60], y[:60], 3, 1.5, window)
    with np.errstate(all="ignore"):
        joint = np.exp(model._joint(model._read(X, reset=False)))
    np.testing.assert_allclose(joint, twin, rtol=1e-10)
    if window == "gaussian":
        peer = KernelDensity(bandwidth=1.5).fit(X[:60])
        ours = parzen_log_density(X, X[:60], 1.5)
        np.testing.assert_allclose(ours, peer.score_samples(X), rtol=1e-10)


@pytest.mark.spec("M-106")
def test_narrow_windows_decide_like_the_nearest_neighbour_and_wide_ones_like_the_prior() -> None:
    X, y = mixture(n=120)
    nearest = KNeighborsClassifier(1).fit(X[:60], y[:60]).predict(X[60:])
    narrow = ParzenWindows(1e-6).fit(X[:60], y[:60])
    np.testing.assert_array_equal(narrow.predict(X[60:]), nearest)
    wide = ParzenWindows(1e6).fit(X[:60], y[:60])
    np.testing.assert_allclose(
        wide.predict_proba(X), np.exp([wide.class_log_prior_] * 120), rtol=1e-6
    )


def test_points_that_no_cube_reaches_are_counted_in_a_warning() -> None:
    model = ParzenWindows(1.0, "hypercube").fit([[0.0], [3.0]], ["a", "b"])
    assert model.predict([[0.5], [2.5]]).tolist() == ["a", "b"]
    with pytest.warns(UserWarning, match="1 of 1 rows have probability 0"):
        assert model.predict_proba([[9.0]]).tolist() == [[0.5, 0.5]]


def test_windows_in_pieces_and_with_weights() -> None:
    X, y = mixture(2, n=40)
    times = np.arange(40) % 3
    weighted = ParzenWindows().fit(X, y, sample_weight=times)
    repeated = ParzenWindows().fit(X.repeat(times, 0), y.repeat(times))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-10)
    parts = ParzenWindows().partial_fit(X[:20], y[:20]).partial_fit(X[20:], y[20:])
    np.testing.assert_array_equal(parts.predict(X), ParzenWindows().fit(X, y).predict(X))
    model = ParzenWindows().partial_fit([{"a": 1.0}, {"a": 2.0}], [0, 1])
    assert model.partial_fit([{"b": 1.0}], [1]).sample_.shape == (3, 2)


@pytest.mark.parametrize("setting", [{"h": 0}, {"h": np.inf}, {"h": "wide"}, {"window": "round"}])
def test_windows_that_are_none_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        ParzenWindows(**setting).fit([[0.0], [1.0]], [0, 1])
