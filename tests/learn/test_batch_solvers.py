"""The batch solvers of the core reach one optimum, certify it, and keep their own promises."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from linnet import _core
from linnet.data.tiny import REVIEW_TEST, REVIEWS
from linnet.learn.shared.inputs import checked_features
from linnet.reference.iterative_scaling import generalised, improved, targets
from linnet.reference.joint_map import features as joint_features

DESCENT = ("newton", "lbfgs", "conjugate_gradient", "gradient_descent")
SCALING = ("gis", "iis")


@dataclass
class Problem:
    """Data and objective; `C` weighs the losses."""

    X: object
    y: np.ndarray
    K: int
    C: float = 1.0
    loss: str = "log"
    form: str = ""
    bias: float = 1.0
    penalize_bias: bool = True
    l2: float = 1.0
    l1: float = 0.0

    def __post_init__(self):
        self.features = checked_features(self.X)
        joint = self.loss == "log" and self.K > 2
        self.form = self.form or ("joint" if joint else "columns")
        count = len(self.y)
        self.data = {
            "x": self.features.matrix,
            "gold": self.y.astype(np.int32),
            "cost": np.full(count, float(self.C)),
            "classes": self.K,
            "loss": self.loss,
            "form": self.form,
            "bias": self.bias,
            "penalize_bias": self.penalize_bias,
            "l2": self.l2,
        }

    def zeros(self):
        columns = 1 if self.K == 2 or self.form == "grouped" else self.K
        return np.zeros((self.features.cols + (self.bias != 0), columns))

    def smooth(self, W):
        """The objective without l1, and its gradient."""
        gradient = np.empty_like(W)
        return _core.objective(**self.data, weights=W, gradient=gradient, threads=1), gradient

    def solve(self, solver, tolerance=1e-8, max_iterations=50_000, W=None, threads=2, **options):
        result = Result(self.zeros() if W is None else W.copy())
        _core.minimize(
            **{"solver": solver, "l1": self.l1, "tolerance": tolerance, "memory": 10}
            | {"initial_step": 1.0, "max_iterations": max_iterations, "threads": threads}
            | {"decrease": 1e-4, "shrink": 0.5, "visible": False}
            | {"weights": result.W, "record": result.record}
            | self.data
            | options
        )
        return result


@dataclass
class Result:
    W: np.ndarray
    rows: list = field(default_factory=list)

    def record(self, iteration, objective, gap, gradient_norm, step):
        assert iteration == len(self.rows)
        self.rows.append((objective, gap, gradient_norm))

    @property
    def objectives(self):
        return np.array([row[0] for row in self.rows])

    @property
    def value(self):
        return self.rows[-1][0]


def counts(rows=120, cols=30, seed=0):
    X = sp.random(rows, cols, 0.15, random_state=seed, format="csr")
    X.data = np.ceil(3 * X.data)
    return X


def labels(K, rows=120, seed=0):
    return np.random.default_rng(seed).integers(0, K, rows)


def reviews():
    names = sorted({word for text in REVIEWS.texts for word in text.split()})
    X = np.array([[text.split().count(word) for word in names] for text in REVIEWS.texts], float)
    test = np.array([REVIEW_TEST.split().count(word) for word in names], float)
    return X, np.array([label == "+" for label in REVIEWS.labels], dtype=int), test, names


@pytest.mark.spec("M-56", "M-58", "M-59", "M-60", "M-61", "M-92")
@pytest.mark.parametrize("solver", [*DESCENT[1:], *SCALING])
@pytest.mark.parametrize("penalize_bias", [True, False])
@pytest.mark.parametrize("K", [2, 5])
def test_every_solver_reaches_the_log_loss_optimum_of_newton(solver, penalize_bias, K):
    problem = Problem(counts(), labels(K), K, C=0.5, penalize_bias=penalize_bias)
    best = problem.solve("newton", 1e-12)
    found = problem.solve(solver)
    assert found.value == pytest.approx(best.value, rel=1e-6)
    assert found.value - best.value <= found.rows[-1][1] + 1e-12 * best.value
    difference = found.W - best.W
    if not penalize_bias and K > 2:  # a shift of all biases changes nothing
        difference[-1] -= difference[-1].mean()
    assert np.abs(difference).max() < 2e-3


@pytest.mark.spec("M-92")
@pytest.mark.parametrize("solver", DESCENT[1:])
@pytest.mark.parametrize("loss", ["squared_hinge", "squared"])
@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("penalize_bias", [True, False])
def test_every_descent_solver_reaches_the_optimum_of_other_losses(solver, loss, K, penalize_bias):
    problem = Problem(counts(), labels(K), K, loss=loss, penalize_bias=penalize_bias)
    best = problem.solve("newton", 1e-12).value
    assert problem.solve(solver).value == pytest.approx(best, rel=1e-6)


@pytest.mark.spec("M-59", "M-92")
@pytest.mark.parametrize("K", [2, 4])
def test_lbfgs_reaches_the_optimum_of_scikit_learn(K):
    X, y = counts(), labels(K)
    peer = LogisticRegression(C=0.7, tol=1e-12, max_iter=10_000, fit_intercept=False).fit(X, y)
    found = Problem(X, y, K, C=0.7, bias=0.0).solve("lbfgs", 1e-13)
    np.testing.assert_allclose(found.W.T, peer.coef_, atol=1e-5)


@pytest.mark.spec("F-04", "M-53", "M-57", "M-58", "M-59", "M-60", "M-61", "A-41")
@pytest.mark.parametrize("solver", [*DESCENT, *SCALING])
@pytest.mark.parametrize(
    ("lam", "best", "negative"),
    [(1, 0.5334190474, 0.584834), (0.1, 0.2525300417, 0.714473), (0.01, 0.0704367368, 0.833080)],
)
def test_five_reviews_have_the_optimum_of_the_fixture(solver, lam, best, negative):
    X, y, test, names = reviews()
    found = Problem(X, y, 2, C=2 / (5 * lam)).solve(solver, 1e-11)
    assert found.objectives[0] * lam / 2 == pytest.approx(np.log(2), abs=1e-15)
    assert found.value * lam / 2 == pytest.approx(best, abs=1e-9)
    score = np.append(test, 1.0) @ found.W[:, 0]
    assert 1 / (1 + np.exp(score)) == pytest.approx(negative, abs=2e-6)
    if lam == 1:  # each of the fixture's two columns holds half of the single vector
        assert -found.W[-1, 0] / 2 == pytest.approx(0.047870, abs=2e-6)
        assert -found.W[names.index("predictable"), 0] / 2 == pytest.approx(0.060777, abs=2e-6)


@pytest.mark.spec("R-04", "M-59")
@pytest.mark.parametrize("solver", ["lbfgs", "conjugate_gradient"])
def test_amazon_books_have_the_optimum_of_the_record(solver, data_dir):
    from linnet.data.corpora import SentimentCorpus

    corpus = SentimentCorpus("books", folder=data_dir("amazon_books"), cutoff_on="all")
    y = 1 - corpus.train_y
    for lam, best, accuracy in [(1.0, 0.622402779, 0.79), (0.01, 0.206444386, 0.8425)]:
        found = Problem(corpus.train_X, y, 2, C=2 / (lam * len(y))).solve(solver, 1e-9)
        assert found.value * lam / 2 == pytest.approx(best, abs=2e-9)
        positive = corpus.test_X @ found.W[:-1, 0] + found.W[-1, 0] > 0
        assert (positive == (corpus.test_y == 0)).mean() == pytest.approx(accuracy)


@pytest.mark.spec("M-57", "A-65")
def test_gradient_descent_never_increases_the_objective_and_makes_the_gradient_vanish():
    X, y, _, _ = reviews()
    found = Problem(X, y, 2, C=0.4).solve("gradient_descent", 1e-14)
    assert (np.diff(found.objectives) < 0).all()
    assert found.rows[-1][2] < 1e-6


@pytest.mark.spec("M-56", "M-57")
@pytest.mark.parametrize("initial_step", [1e-6, 1.0, 1e6])
def test_gradient_descent_finds_its_step_size_from_any_start(initial_step):
    problem = Problem(counts(), labels(2), 2)
    found = problem.solve("gradient_descent", 1e-6, initial_step=initial_step)
    assert found.value == pytest.approx(problem.solve("newton").value, rel=1e-6)


@pytest.mark.spec("M-58")
def test_conjugate_gradients_end_within_as_many_steps_as_a_quadratic_has_dimensions():
    X = np.random.default_rng(3).normal(size=(60, 20))
    found = Problem(X, labels(2, 60), 2, loss="squared", bias=0.0).solve(
        "conjugate_gradient", 1e-13
    )
    assert len(found.rows) - 1 <= 20


@pytest.mark.spec("M-55", "M-60")
@pytest.mark.parametrize("solver", [*DESCENT, *SCALING])
@pytest.mark.parametrize("K", [2, 3])
def test_without_a_penalty_the_model_means_match_the_observed_ones(solver, K):
    rng = np.random.default_rng(1)
    problem = Problem(rng.integers(0, 3, (60, 4)).astype(float), labels(K, 60), K, l2=0.0)
    found = problem.solve(solver, 1e-8)
    _, gradient = problem.smooth(found.W)
    assert np.abs(gradient).max() / 60 < 1e-6


@pytest.mark.spec("M-60")
@pytest.mark.parametrize(("solver", "reference"), [("gis", generalised), ("iis", improved)])
@pytest.mark.parametrize("lam", [0.0, 0.05])
def test_scaling_takes_the_steps_of_the_reference(solver, reference, lam):
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 3, (40, 3)).astype(float), rng.integers(0, 3, 40)
    F = joint_features(np.hstack([X, np.ones((40, 1))]), 3)
    expected = reference(F, targets(F, y), lam=lam, n_iter=7)
    found = Problem(X, y, 3, C=1 / 40, l2=lam).solve(solver, 0.0, max_iterations=7)
    np.testing.assert_allclose(found.objectives, [-v for v in expected.objective], rtol=1e-12)
    shape = found.W.shape
    by_feature = expected.weights.reshape(shape[::-1]).T
    difference = found.W - by_feature
    if lam == 0.0:  # the reference's slack feature moves all labels alike
        difference -= difference.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(difference, np.zeros(shape), atol=1e-12)


@pytest.mark.spec("M-60")
@pytest.mark.parametrize("solver", SCALING)
@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("l2", [0.0, 1.0])
def test_scaling_never_increases_the_objective(solver, K, l2):
    found = Problem(counts(), labels(K), K, l2=l2).solve(solver, 1e-7, max_iterations=500)
    assert (np.diff(found.objectives) <= 1e-14 * found.objectives[0]).all()
    assert np.isfinite(found.W).all()


@pytest.mark.spec("W-13", "W-14", "M-60", "M-70", "A-61")
@pytest.mark.parametrize("solver", [*SCALING, "lbfgs"])
@pytest.mark.parametrize(
    ("outcomes", "throws", "weight", "p"),
    [
        ([1, 0, 1, 0], [3, 2, 0, 0], np.log(1.5), [0.3, 0.2, 0.3, 0.2]),
        ([0, 0, 0, 1, 1, 1], [10, 0, 0, 30, 0, 0], np.log(3), [1 / 12] * 3 + [1 / 4] * 3),
    ],
)
def test_grouped_rows_solve_the_maximum_entropy_examples(solver, outcomes, throws, weight, p):
    K, count = len(outcomes), sum(throws)
    X = np.tile(np.array(outcomes, float)[:, None], (count, 1))
    y = np.repeat(np.arange(K), throws)
    found = Problem(X, y, K, form="grouped", bias=0.0, l2=0.0).solve(solver, 1e-10)
    assert found.W[0, 0] == pytest.approx(weight, abs=1e-6)
    model = np.exp(found.W[0, 0] * np.array(outcomes))
    np.testing.assert_allclose(model / model.sum(), p, atol=1e-6)


@pytest.mark.spec("M-66", "M-92")
@pytest.mark.parametrize("loss", ["log", "squared_hinge", "squared"])
@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("penalize_bias", [True, False])
@pytest.mark.parametrize("l2", [0.0, 0.5])
def test_l1_meets_the_optimality_conditions(loss, K, penalize_bias, l2):
    problem = Problem(counts(), labels(K), K, loss=loss, penalize_bias=penalize_bias, l2=l2, l1=2.0)
    W = problem.solve("lbfgs", 1e-12).W
    _, gradient = problem.smooth(W)
    held = np.ones_like(W, dtype=bool)
    held[-1] = penalize_bias
    assert 0 < np.count_nonzero(W[held]) < held.sum()
    assert (np.abs(gradient[held & (W == 0)]) <= 2.0 + 1e-5).all()
    moved = held & (W != 0)
    np.testing.assert_allclose(gradient[moved], -2.0 * np.sign(W[moved]), atol=1e-5)
    np.testing.assert_allclose(gradient[~held], 0.0, atol=1e-5)


@pytest.mark.spec("M-66")
def test_l1_reaches_the_optimum_of_liblinear():
    X, y = counts(), labels(2)
    peer = LogisticRegression(
        l1_ratio=1.0, solver="liblinear", C=1.5, tol=1e-10, max_iter=10_000, fit_intercept=False
    ).fit(X, y)
    found = Problem(X, y, 2, C=1.5, bias=0.0, l2=0.0, l1=1.0).solve("lbfgs", 1e-12)
    np.testing.assert_allclose(found.W.T, peer.coef_, atol=1e-5)


@pytest.mark.spec("M-66", "M-68")
def test_more_l1_leaves_fewer_weights_and_enough_leaves_none():
    problem = Problem(counts(), labels(3), 3, l2=0.0)
    limit = float(np.abs(problem.smooth(problem.zeros())[1]).max())
    sizes = [
        np.count_nonzero(problem.solve("lbfgs", l1=share * limit).W)
        for share in (0.05, 0.2, 0.5, 0.9, 1.0)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-2] > 0
    assert sizes[-1] == 0


@pytest.mark.parametrize("solver", DESCENT[1:])
@pytest.mark.parametrize("l2", [1.0, 0.01])
def test_the_recorded_gap_bounds_the_distance_from_the_optimum(solver, l2):
    problem = Problem(counts(), labels(3), 3, l2=l2)
    best = problem.solve("newton", 1e-13).value
    for objective, gap, _ in problem.solve(solver, 1e-6).rows:
        assert objective - best <= gap * (1 + 1e-9) + 1e-12 * best


@pytest.mark.parametrize("solver", [*DESCENT[1:], *SCALING])
@pytest.mark.parametrize("K", [2, 3])
def test_the_number_of_threads_does_not_change_a_bit(solver, K):
    problem = Problem(counts(900, 200), labels(K, 900), K)
    one, three = (problem.solve(solver, max_iterations=15, threads=n) for n in (1, 3))
    assert np.array_equal(one.W, three.W)
    assert one.rows == three.rows


@pytest.mark.parametrize(("solver", "l1"), [*((s, 0.0) for s in DESCENT[1:]), ("lbfgs", 1.0)])
@pytest.mark.parametrize("l2", [1.0, 0.0])
def test_a_tolerance_beyond_rounding_ends_at_the_last_recorded_point(solver, l1, l2):
    rng = np.random.default_rng(4)
    problem = Problem(rng.normal(size=(50, 3)), labels(2, 50), 2, l2=l2)
    found = problem.solve(solver, 0.0, max_iterations=20_000, l1=l1)
    assert len(found.rows) < 20_000
    assert problem.smooth(found.W)[0] + l1 * np.abs(found.W).sum() == pytest.approx(
        found.value, rel=1e-15
    )
    assert found.rows[-1][2] < 1e-4


@pytest.mark.parametrize("solver", [*DESCENT, *SCALING])
def test_a_start_at_the_optimum_stays_there_and_a_listener_may_stop(solver):
    problem = Problem(counts(), labels(2), 2)
    best = problem.solve("newton", 1e-10)
    again = problem.solve(solver, 1e-8, W=best.W)
    assert len(again.rows) == 1
    assert np.array_equal(again.W, best.W)
    seen = []
    problem.solve(solver, record=lambda *row: seen.append(row) or len(seen) < 3)
    assert len(seen) == 3


def test_a_memory_of_one_pair_is_enough_for_lbfgs():
    problem = Problem(counts(), labels(2), 2)
    best = problem.solve("newton").value
    assert problem.solve("lbfgs", memory=1).value == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize(
    ("solver", "options", "message"),
    [
        ("newton", {"l1": 1.0}, "only lbfgs takes l1"),
        ("gis", {"loss": "squared_hinge"}, "log loss"),
        ("iis", {"form": "columns"}, "two classes by columns"),
        ("simplex", {}, "unknown batch solver"),
    ],
)
def test_what_a_solver_cannot_do_is_refused(solver, options, message):
    with pytest.raises(ValueError, match=message):
        Problem(counts(), labels(3), 3).solve(solver, **options)
