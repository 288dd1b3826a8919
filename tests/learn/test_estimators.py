"""What every learner must do: scikit-learn's contract, the same bits on any number of threads,
copies, pipelines, use from many threads and processes."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import linnet
from linnet.learn.flat.base import Learner
from linnet.public import public_homes

from .risks import words

LEARNERS = {
    name: learner
    for name in public_homes()
    if isinstance(learner := getattr(linnet, name), type) and issubclass(learner, Learner)
}

# Settings beside the defaults, which are always checked. The tolerances are tight where a check
# compares two fits to seven digits.
TIGHT: dict[str, Any] = {"tol": 1e-15, "max_iter": 100_000}
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "MaxEnt": [
        {"solver": "newton", "tol": 1e-10},
        {"solver": "dual_cd"},
        {"solver": "lbfgs", "tol": 1e-14},
        {"penalty": "l1", "tol": 1e-14},
        {"multi_class": "ovr"},
    ],
    "SVM": [
        TIGHT,
        {"loss": "squared_hinge"},
        {"multi_class": "ovr", **TIGHT},
        {"multi_class": "ovo"},
        {"loss": "squared_hinge", "multi_class": "ovr"},
    ],
    "Perceptron": [{"average": False}],
    "GaussianBayes": [
        {"ridge": 0.1},
        {"covariance": "pooled", "ridge": 0.1},
        {"covariance": 400.0},
    ],
    "ParzenWindows": [{"h": 10.0}],
    "DecisionTree": [{"criterion": "information_gain"}, {"pruning": "pessimistic"}],
    "KernelSVM": [
        {"kernel": "linear", "tol": 1e-9},
        {"gamma": 0.1, "multi_class": "ovr", "penalize_intercept": True, "tol": 1e-9},
    ],
    "KernelPerceptron": [{"kernel": "linear", "average": False}],
    "MemoryBased": [
        {"k": 3, "metric": "l1", "neighbors": "examples"},
        {"k": 3, "metric": "l2", "vote": "inverse_linear"},
        {"k": 5, "metric": "cosine", "neighbors": "examples"},
        {"metric": "mvdm", "kinds": "symbolic"},
    ],
}
CHECKED = [
    learner(**settings)
    for name, learner in LEARNERS.items()
    for settings in [{}, *SETTINGS.get(name, [])]
]

WITHIN_TOL = "two descriptions of one problem are solved to within tol, not to seven digits"
ONE_AT_A_TIME = "an online learner takes a step for each row: two rows of weight 1 are two steps"
SINGULAR = "a class of the check has too few different rows for a covariance, which is refused"
NARROW = "windows of width 1 never reach the other class, so no prior outweighs the density"
COUNTS = "the data of the check are negative, counts are not"
WEIGHT_CHECKS = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)


def expected_failures(estimator: Any) -> dict[str, str]:
    """Return the checks of scikit-learn that a learner cannot pass, each with its reason."""
    if isinstance(estimator, (linnet.Perceptron, linnet.MIRA)):
        return dict.fromkeys(WEIGHT_CHECKS, ONE_AT_A_TIME)
    if isinstance(estimator, (linnet.MaxEnt, linnet.SVM)) and estimator.tol > 1e-12:
        exact = estimator.solver == "newton"  # its last step overshoots tol by far
        return {} if exact else dict.fromkeys(WEIGHT_CHECKS, WITHIN_TOL)
    if isinstance(estimator, linnet.GaussianBayes) and estimator.covariance == "full":
        few = ("check_sample_weights_shape", "check_sample_weights_not_overwritten")
        return {} if estimator.ridge else dict.fromkeys((*few, *WEIGHT_CHECKS), SINGULAR)
    if isinstance(estimator, linnet.ParzenWindows) and estimator.h == 1.0:
        return {"check_class_weight_classifiers": NARROW}
    if isinstance(estimator, linnet.KernelSVM) and estimator.tol > 1e-6:
        return dict.fromkeys(WEIGHT_CHECKS, WITHIN_TOL)
    if isinstance(estimator, linnet.MultinomialNB):
        negative = ("check_class_weight_classifiers", "check_decision_proba_consistency")
        return dict.fromkeys(negative, COUNTS)
    return {}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(CHECKED, expected_failed_checks=expected_failures)
def test_the_contract_of_scikit_learn_holds(estimator: Any, check: Any) -> None:
    check(estimator)


# --- the same bits -----------------------------------------------------------------------------

FITS: dict[str, Any] = {
    "maxent newton": linnet.MaxEnt(solver="newton"),
    "maxent dual": linnet.MaxEnt(solver="dual_cd"),
    "maxent lbfgs": linnet.MaxEnt(solver="lbfgs"),
    "maxent l1": linnet.MaxEnt(penalty="l1", tol=1e-2),
    "maxent cg": linnet.MaxEnt(solver="conjugate_gradient"),
    "maxent gd": linnet.MaxEnt(solver="gradient_descent", max_iter=10),
    "maxent gis": linnet.MaxEnt(solver="gis", max_iter=10),
    "maxent iis": linnet.MaxEnt(solver="iis", max_iter=10),
    "maxent ovr": linnet.MaxEnt(solver="dual_cd", multi_class="ovr"),
    "maxent sgd": linnet.MaxEnt(solver="sgd", max_iter=3),
    "svm": linnet.SVM(),
    "svm squared": linnet.SVM(loss="squared_hinge"),
    "svm ovr": linnet.SVM(multi_class="ovr"),
    "svm ovo": linnet.SVM(multi_class="ovo"),
    "svm squared ovr": linnet.SVM(loss="squared_hinge", multi_class="ovr", solver="newton"),
    "svm sgd": linnet.SVM(solver="sgd", max_iter=3),
    "perceptron": linnet.Perceptron(max_iter=3),
    "mira": linnet.MIRA(max_iter=3),
    "kernel svm": linnet.KernelSVM(kernel="linear"),
    "kernel svm ovr": linnet.KernelSVM(multi_class="ovr", penalize_intercept=True),
    "kernel perceptron": linnet.KernelPerceptron(kernel="linear", max_iter=3),
    "multinomial naive bayes": linnet.MultinomialNB(),
    "bernoulli naive bayes": linnet.BernoulliNB(),
    "gaussian naive bayes": linnet.GaussianNB(),
    "regression": linnet.LinearRegression(),
    "memory": linnet.MemoryBased(5, "cosine", neighbors="examples"),
}
each_fit = pytest.mark.parametrize("model", FITS.values(), ids=FITS.keys())


@pytest.fixture(scope="module", params=[2, 20], ids=["two classes", "twenty classes"])
def large(request: Any) -> tuple[sp.csr_matrix, Any]:
    rng = np.random.default_rng(0)
    X = sp.random(3000, 5000, 0.01, format="csr", random_state=0)
    X.data = rng.integers(1, 5, X.nnz) / 4
    scores = X @ rng.normal(size=(5000, request.param)) + rng.gumbel(size=(3000, request.param))
    return X, scores.argmax(axis=1)


def learnt(model: Any) -> list[Any]:
    """Return all numbers a fit has left behind, but for the time it took."""
    state = {key: value for key, value in vars(model).items() if key.endswith("_")}
    history = state.pop("history_", None) or {}
    state.update({f"history {k}": v for k, v in history.items() if k != "seconds"})
    return [(key, state[key]) for key in sorted(state) if isinstance(state[key], np.ndarray)]


@pytest.mark.spec("C-02")
@pytest.mark.filterwarnings("ignore")
@each_fit
def test_the_result_is_the_same_bits_on_one_two_and_four_threads(model: Any, large: Any) -> None:
    X, y = large
    if isinstance(model, linnet.SVM) and model.multi_class == "ovo":
        X, y = X[:600], y[:600] % 5
    if isinstance(model, (linnet.LinearRegression, linnet.GaussianNB)):
        X = X[:, :100]
    seed = {"random_state": 3} if "random_state" in model.get_params() else {}
    fits = []
    for threads in (1, 2, 4):
        clf = clone(model).set_params(n_threads=threads, **seed).fit(X, y)
        fits.append([*learnt(clf), ("predicted", clf.predict(X))])
    for other in fits[1:]:
        for (key, value), (name, twin) in zip(fits[0], other, strict=True):
            assert key == name
            np.testing.assert_array_equal(value, twin, err_msg=key)


@pytest.mark.spec("C-02")
@pytest.mark.parametrize("name", ["svm", "maxent dual", "maxent sgd", "perceptron", "mira"])
def test_another_seed_is_another_order(name: str) -> None:
    X, y = words()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fits = [
            clone(FITS[name]).set_params(random_state=s, max_iter=2).fit(X, y) for s in (1, 1, 2)
        ]
    np.testing.assert_array_equal(fits[0].coef_, fits[1].coef_)
    assert (fits[0].coef_ != fits[2].coef_).any()


# --- copies, searches, threads and processes ---------------------------------------------------


@pytest.mark.filterwarnings("ignore")
@each_fit
def test_copies_predict_alike_and_clones_are_unfitted(model: Any) -> None:
    X, y = words(classes=3)
    model = clone(model).fit(X, y)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(twin.predict(X), model.predict(X))
        for (key, value), (_, other) in zip(learnt(model), learnt(twin), strict=True):
            np.testing.assert_array_equal(value, other, err_msg=key)
    fresh = clone(model)
    assert fresh.get_params() == model.get_params() and not learnt(fresh)
    before = pickle.dumps(learnt(model))
    model.predict(X)
    assert pickle.dumps(learnt(model)) == before


@pytest.mark.filterwarnings("ignore")
@each_fit
def test_learners_work_in_pipelines_and_cross_validation(model: Any) -> None:
    X, y = words(classes=3)
    scores = cross_val_score(make_pipeline(MaxAbsScaler(), clone(model)), X, y, cv=3)
    assert np.isfinite(scores).all()
    assert not is_classifier(model) or scores.mean() > 0.5


def test_a_grid_search_finds_c() -> None:
    X, y = words(classes=3)
    for model in (linnet.MaxEnt(), linnet.SVM()):
        search = GridSearchCV(model, {"C": [1e-6, 0.1]}, cv=3).fit(X, y)
        assert search.best_params_ == {"C": 0.1}


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib_runs_fits_side_by_side(backend: str) -> None:
    X, y = words(classes=3)
    model = linnet.SVM(random_state=0)
    expected = [clone(model).set_params(C=C).fit(X, y).coef_ for C in (0.01, 0.1)]
    fits = Parallel(n_jobs=2, backend=backend)(
        delayed(clone(model).set_params(C=C).fit)(X, y) for C in (0.01, 0.1)
    )
    for fitted, coef in zip(fits, expected, strict=True):
        np.testing.assert_array_equal(fitted.coef_, coef)


@pytest.mark.filterwarnings("ignore")
def test_one_model_and_one_matrix_serve_many_python_threads() -> None:
    X, y = words(rows=400, classes=4)
    models = [clone(model) for model in FITS.values() if is_classifier(model)]
    expected = [clone(model).set_params(**seed(model)).fit(X, y).predict(X) for model in models]

    def work(k: int) -> bool:
        model = clone(models[k % len(models)]).set_params(**seed(models[k % len(models)])).fit(X, y)
        return bool((model.predict(X) == expected[k % len(models)]).all())

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(2 * len(models))))
        shared = models[0].fit(X, y)
        answers = list(pool.map(lambda _: shared.predict(X), range(32)))
    assert all((answer == answers[0]).all() for answer in answers)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_refused_fit_leaves_the_fitted_model_whole(name: str) -> None:
    model = LEARNERS[name]()
    X = np.random.default_rng(0).integers(0, 5, size=(40, 3)).astype(float)
    y = (X[:, 0] > X[:, 1]).astype(int)
    before = model.fit(X, y).predict(X)
    for wide, labels in ((np.ones((4, 9)), [1, 1, 1]), (np.full((4, 9), np.nan), [0, 1, 0, 1])):
        with pytest.raises(linnet.errors.LinnetError):
            model.fit(wide, labels)
    assert model.n_features_in_ == 3
    assert (model.predict(X) == before).all()


def seed(model: Any) -> dict[str, int]:
    return {"random_state": 0} if "random_state" in model.get_params() else {}


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory by RLIMIT_AS")
@pytest.mark.skipif(
    "san.so" in os.environ.get("LD_PRELOAD", ""), reason="a sanitizer needs that memory"
)
def test_a_system_that_gives_no_more_threads_is_served_by_fewer() -> None:
    script = (
        "import resource, numpy as np, linnet\n"
        "X, y = np.eye(200), np.arange(200) % 2\n"
        "linnet.MaxEnt(n_threads=1).fit(X, y)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))\n"
        "print(linnet.MaxEnt(n_threads=2000).fit(X, y).score(X, y))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=30,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "1.0\n"), done.stderr


@pytest.mark.spec("C-18")
def test_probabilities_are_offered_only_where_the_model_has_them() -> None:
    has = {name for name, learner in LEARNERS.items() if hasattr(learner, "predict_proba")}
    counting = {"MultinomialNB", "BernoulliNB", "GaussianNB", "MemoryBased", "DecisionTree"}
    assert has == counting | {"MaxEnt", "GaussianBayes", "ParzenWindows", "LabelTree"}
