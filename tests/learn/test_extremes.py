"""Numbers at the ends of what can be held: a right answer or one of linnet's errors, never NaN."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

import linnet
from linnet.errors import DataError, LinnetError, ParameterError
from linnet.learn.density.parzen import parzen_log_density

FLAT: list[Any] = [
    linnet.GaussianNB(), linnet.GaussianNB(variance="per-feature"), linnet.GaussianBayes(),
    linnet.GaussianBayes(covariance="diagonal"), linnet.MultinomialNB(), linnet.BernoulliNB(),
    linnet.ParzenWindows(), linnet.LinearRegression(), linnet.LinearRegression(ridge=1.0),
    linnet.Perceptron(), linnet.MIRA(), linnet.SVM(), linnet.MaxEnt(), linnet.MaxEnt(solver="sgd"),
    linnet.KernelSVM(), linnet.KernelSVM(kernel="polynomial"), linnet.KernelPerceptron(),
    linnet.KernelPerceptron(kernel="linear"), linnet.DecisionTree(), linnet.MemoryBased(),
    linnet.MemoryBased(metric="l2"), linnet.MemoryBased(metric="cosine"),
]  # fmt: skip
SEQUENCES: list[Any] = [
    linnet.CRF(), linnet.MEMM(), linnet.StructuredPerceptron(), linnet.StructuredMIRA(),
    linnet.StructuredSVM(),
]  # fmt: skip
UNITS = [1e-310, 1e-200, 1e-155, 1e100, 1e155, 1e300, 1e307]
HUGE = 10**400
RNG = np.random.default_rng(0)
POSITIVE = np.abs(RNG.normal(size=(12, 3))) + np.eye(12, 3)
SIGNED = RNG.normal(size=(12, 3))
Y = np.arange(12) % 3
SENTENCES = [[["w=the"], ["w=dog"], ["w=runs"]], [["w=dogs"], ["w=run"]]] * 4
TAGS = [["D", "N", "V"], ["N", "V"]] * 4

quiet = pytest.mark.filterwarnings(
    "ignore::UserWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)


def answers(model: Any, X: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return what a model says about rows, but for what it refuses to say."""
    found = []
    for name in ("predict", "predict_proba", "decision_function"):
        try:
            found.append(np.asarray(getattr(model, name)(X), dtype=np.float64))
        except (LinnetError, AttributeError):
            continue
    return found


@quiet
@pytest.mark.parametrize("model", FLAT, ids=repr)
@pytest.mark.parametrize("unit", UNITS)
def test_no_size_of_the_features_gives_nan_or_a_foreign_error(model: Any, unit: float) -> None:
    for X in (POSITIVE * unit, SIGNED * unit, sp.csr_matrix(POSITIVE * unit)):
        try:
            fitted = clone(model).fit(X, Y)
        except LinnetError:
            continue
        for query in (POSITIVE * unit, POSITIVE, POSITIVE * 1e-310, POSITIVE * 1e307):
            for found in answers(fitted, query):
                assert np.isfinite(found).all()
        for name in ("coef_", "intercept_"):
            assert np.isfinite(getattr(fitted, name, 0.0)).all()


@pytest.mark.parametrize(
    "model",
    [
        linnet.GaussianNB(), linnet.GaussianBayes(), linnet.ParzenWindows(), linnet.KernelSVM(),
        linnet.LinearRegression(), linnet.KernelPerceptron(),
    ],
    ids=repr,
)  # fmt: skip
def test_values_that_cannot_be_squared_are_refused(model: Any) -> None:
    with pytest.raises(DataError, match="squares overflow; divide X by a constant"):
        clone(model).fit(POSITIVE * 1e300, Y)
    fitted = clone(model).fit(POSITIVE, Y)
    with pytest.raises(DataError, match="squares overflow"):
        fitted.predict(POSITIVE * 1e300)


def test_scores_that_overflow_are_refused() -> None:
    model = linnet.Perceptron().fit(POSITIVE * 1e155, Y)
    with pytest.raises(DataError, match="scores overflow"):
        model.decision_function(POSITIVE * 1e155)


def test_a_regression_whose_weights_cannot_be_held_is_refused() -> None:
    with pytest.raises(DataError, match="fit overflowed"):
        linnet.LinearRegression().fit(POSITIVE * 1e-310, Y)
    with pytest.raises(DataError, match="squares overflow"):
        linnet.LinearRegression().fit(POSITIVE, Y * 1e300)


def test_a_density_of_points_far_away_is_finite() -> None:
    assert np.isfinite(parzen_log_density([[1e149]], [[0.0], [1.0]], h=1e-160)).all()
    near, far = np.exp(parzen_log_density([[0.5], [1e9]], [[0.0], [1.0]], h=1.0))
    assert near > 0.3 and far == 0.0
    with pytest.raises(DataError, match="squares overflow"):
        parzen_log_density([[1e300]], [[0.0]], h=1.0)


def numbers_of(model: Any) -> list[str]:
    return [
        name
        for name, value in model.get_params(deep=False).items()
        if not isinstance(value, bool) and name != "verbose"
    ]


@quiet
@pytest.mark.parametrize("model", FLAT + SEQUENCES, ids=repr)
@pytest.mark.parametrize("number", [HUGE, -HUGE, 1e-320, np.nan])
def test_parameters_that_are_no_floats_are_refused_by_name_or_used(model: Any, number: Any) -> None:
    data = (SENTENCES, TAGS) if model in SEQUENCES else (POSITIVE, Y)
    for name in numbers_of(model):
        changed = clone(model).set_params(**{name: number})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            try:
                changed.fit(*data).predict(data[0])
            except LinnetError:
                continue


@pytest.mark.parametrize("model", [linnet.SVM, linnet.MaxEnt, linnet.KernelSVM, linnet.MIRA])
def test_an_integer_too_large_for_a_float_is_named(model: Any) -> None:
    with pytest.raises(ParameterError, match="C must be .*an integer too large for a float"):
        model(C=HUGE).fit(POSITIVE, Y)
    with pytest.raises(ParameterError, match="random_state"):
        linnet.Perceptron(random_state=HUGE).fit(POSITIVE, Y)
