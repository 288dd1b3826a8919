"""Rules of the contract, on every learner they speak of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.svm import SVC

import linnet
import linnet.lecture as lab
from linnet.data import count_words, load_badges, load_iris, make_gaussians, tiny
from linnet.data.builtin import badge_features
from linnet.decide import BayesDecision, discriminants
from linnet.learn.density import GaussianBayes, ParzenWindows
from linnet.learn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB


@pytest.mark.spec("M-02", "C-04")
def test_of_actions_with_equal_risk_the_first_is_taken() -> None:
    X, y = make_gaussians(40, [[-1.0], [1.0]])
    model = linnet.MaxEnt().fit(X, y)
    for loss, action in (([[1, 1], [1, 1], [1, 1]], "a"), ([[2, 2], [1, 1], [1, 1]], "b")):
        decision = BayesDecision(model, loss, actions=["a", "b", "c"])
        assert set(decision.predict(X)) == {action}


@pytest.mark.spec("M-05", "A-45")
@pytest.mark.parametrize(
    "model",
    [MultinomialNB(), BernoulliNB(), GaussianNB(), GaussianBayes(ridge=0.1), ParzenWindows(2.0)],
    ids=str,
)
def test_posterior_joint_and_log_joint_choose_the_same_classes(model: Any) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.poisson(1.0 + 2.0 * np.eye(3)[y]).astype(float)
    labels = model.fit(X, y).predict(X)
    for form in ("posterior", "joint", "log_joint"):
        g = discriminants(model, X, form)
        np.testing.assert_array_equal(model.classes_[g.argmax(axis=1)], labels)
        np.testing.assert_array_equal(model.classes_[(3 * g - 1).argmax(axis=1)], labels)
        assert (model.classes_[(-g).argmax(axis=1)] != labels).any()


@pytest.mark.spec("M-31")
def test_rates_of_a_tenth_one_and_ten_make_the_same_predictions() -> None:
    X, y = make_gaussians(200, [[-1.0, 0.0], [1.0, 0.0]], seed=3)
    one, *others = (
        linnet.Perceptron(learning_rate=eta, random_state=0).fit(X, y) for eta in (1.0, 0.1, 10.0)
    )
    for model, eta in zip(others, (0.1, 10.0), strict=True):
        np.testing.assert_allclose(model.coef_, eta * one.coef_, rtol=1e-12)
        np.testing.assert_array_equal(model.predict(X), one.predict(X))
        np.testing.assert_array_equal(model.mistakes_, one.mistakes_)


@pytest.mark.spec("C-04", "A-17", "A-20")
@pytest.mark.parametrize(
    "model", [linnet.Perceptron(), linnet.MIRA(), linnet.MaxEnt(), linnet.SVM()], ids=str
)
def test_equal_scores_go_to_the_first_class_and_a_single_score_of_zero_to_the_positive(
    model: Any,
) -> None:
    X = np.eye(4)
    for labels, winner in ((["a", "b", "c", "a"], "a"), (["-", "+", "-", "+"], None)):
        model.fit(X, labels)
        model.coef_, model.intercept_ = 0.0 * model.coef_, 0.0 * model.intercept_
        expected = winner or model.classes_[1]
        assert model.predict(X).tolist() == [expected] * 4


@pytest.mark.spec("C-22")
@pytest.mark.parametrize(
    ("learner", "grid"),
    [
        (linnet.MaxEnt(), {"C": [0.01, 0.1, 1.0]}),
        (MultinomialNB(), {"alpha": [0.01, 1.0, 100.0]}),
        (linnet.MemoryBased(metric="l2"), {"k": [1, 5, 15]}),
        (
            linnet.MaxEnt(solver=linnet.SGD(), max_iter=5, tol=0, random_state=0),
            {"solver__schedule": [0.001, 0.1, 1.0]},
        ),
    ],
    ids=["lambda", "alpha", "k", "first rate"],
)
def test_settings_are_chosen_by_cross_validation_or_on_a_development_part(
    learner: Any, grid: dict[str, list[Any]]
) -> None:
    X, y = make_gaussians(150, [[-1.0, 1.0], [1.0, 0.0]], seed=2)
    X = X - X.min()  # counts are not negative
    part = np.where(np.arange(150) < 100, -1, 0)  # the last fifty are for development
    for cv in (3, PredefinedSplit(part)):
        search = GridSearchCV(learner, grid, cv=cv).fit(X, y)
        [(name, values)] = grid.items()
        assert search.best_params_[name] in values
        scores = search.cv_results_["mean_test_score"]
        assert search.best_score_ == max(scores)
    train, dev = part < 0, part == 0
    expected = [
        clone(learner).set_params(**{name: value}).fit(X[train], y[train]).score(X[dev], y[dev])
        for value in values
    ]
    np.testing.assert_allclose(scores, expected)


@pytest.mark.spec("D-04", "W-23")
@pytest.mark.parametrize(
    "learner", [linnet.Perceptron(max_iter=200, random_state=0), linnet.MaxEnt(100.0)], ids=str
)
def test_letters_by_position_class_leave_no_training_error(learner: Any) -> None:
    badges = load_badges()
    bags = [badge_features(name) for name in badges.train_names]
    assert learner.fit(bags, badges.train_labels).score(bags, badges.train_labels) == 1.0


@pytest.mark.spec("W-06", "A-17")
@pytest.mark.parametrize("tie", ["nonpositive", "sign"])
def test_the_first_sentence_scores_zero_is_taken_for_a_person_and_corrected(tie: Any) -> None:
    bags = [count_words(text) for text in tiny.UPDATES.texts]
    model = linnet.Perceptron(
        tie=tie, fit_intercept=False, max_iter=1, shuffle=False, average=False
    )
    first, second = list(model.steps(bags, tiny.UPDATES.labels))
    assert (first.scores, first.guess, second.scores, second.guess) == (0, 1, -4, -1)


@pytest.mark.spec("A-06", "A-08", "A-09", "D-01")
def test_two_hundred_points_make_a_hundred_of_each_part_and_both_classes_have_unit_variance() -> (
    None
):
    sd = lab.SimpleDataSet(nr_examples=200)
    assert sd.train_X.shape == sd.test_X.shape == (100, 2)
    assert np.bincount(np.concatenate([sd.train_y, sd.test_y])).tolist() == [100, 100]
    halves = {tuple(np.bincount(lab.SimpleDataSet(seed=seed).train_y)) for seed in range(9)}
    assert len(halves) > 1  # a half need not hold 25 and 25
    assert sd.variances.tolist() == [1, 1] and sd.means.tolist() == [[-1, -1], [1, 1]]


@pytest.mark.spec("A-11")
def test_the_given_variance_is_one_unless_said_otherwise() -> None:
    sd = lab.SimpleDataSet()
    default = lab.GaussianNaiveBayes()
    np.testing.assert_array_equal(
        default.train(sd.train_X, sd.train_y),
        lab.GaussianNaiveBayes(variance=1.0).train(sd.train_X, sd.train_y),
    )
    assert default.variance == 1.0


@pytest.mark.spec("A-66", "A-73")
def test_every_round_has_an_order_of_its_own_from_one_seed() -> None:
    X, y = make_gaussians(30, [[-1.0], [1.0]])
    orders = {}
    for seed in (0, 0, 1):
        steps = list(linnet.Perceptron(max_iter=3, random_state=seed).steps(X, y))
        rounds = np.array([step.example for step in steps]).reshape(-1, 30)
        assert (np.sort(rounds, axis=1) == np.arange(30)).all()  # each is a permutation
        assert len({tuple(order) for order in rounds.tolist()}) == len(rounds)
        assert orders.setdefault(seed, rounds.tolist()) == rounds.tolist()
    assert orders[0] != orders[1]


@pytest.mark.spec("F-11", "A-37", "M-86")
def test_a_step_without_the_factor_n_would_lead_to_the_optimum_for_c_over_n() -> None:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(-1, 1, (20, 2)), rng.normal(1, 1, (20, 2))])
    y = np.repeat([-1, 1], 20)
    for C, expected in (
        (0.1, [0.611107, 0.453072, -0.083560]),
        (0.1 / 40, [0.133618, 0.102540, 0.0]),
    ):
        svm = linnet.SVM(C, tol=1e-12, max_iter=1_000_000).fit(X, y)
        np.testing.assert_allclose([*svm.coef_[0], svm.intercept_[0]], expected, atol=2e-5)


@pytest.mark.spec("A-19", "M-86")
def test_a_margin_of_exactly_one_still_moves_the_weights() -> None:
    # two examples, rate 1/2, λ = 1, so C = 1/2: after the first step w = 1/2, and the second has
    # the margin 2 · 1/2 = 1, on which y wᵀx ≤ 1 acts
    svm = linnet.SVM(
        0.5, solver=linnet.SGD(schedule=0.5, shuffle=False), max_iter=1, tol=0, fit_intercept=False
    ).fit([[1.0], [-2.0]], [1, -1])
    assert svm.coef_.tolist() == [[0.5 * 0.5 + 0.5 * 2.0]]


# --- distances and feature weights -------------------------------------------------------------


@pytest.mark.spec("M-96")
@pytest.mark.parametrize(("metric", "p"), [("l1", 2.0), ("l2", 2.0), ("linf", 2.0), ("lk", 3.0)])
def test_distances_are_symmetric_obey_the_triangle_and_tend_to_the_largest_difference(
    metric: Any, p: float
) -> None:
    X = np.random.default_rng(0).normal(size=(12, 4))

    def table(metric: Any, p: float) -> Any:
        model = linnet.MemoryBased(metric=metric, p=p).fit(X, np.arange(12))
        distances, rows = model.kneighbors(X, k=12)
        ordered = np.empty((12, 12))
        np.put_along_axis(ordered, rows.astype(np.int64), distances, axis=1)
        return ordered

    d = table(metric, p)
    np.testing.assert_allclose(d, d.T, atol=1e-12)
    assert (d[:, None, :] <= d[:, :, None] + d[None, :, :] + 1e-12).all()
    largest = np.abs(X[:, None] - X).max(axis=2)
    np.testing.assert_allclose(table("lk", 200.0), largest, rtol=0.01)


@pytest.mark.spec("M-98")
def test_each_feature_of_the_mixed_distance_lies_between_zero_and_one_on_training_rows() -> None:
    rng = np.random.default_rng(1)
    rows = [
        [str(symbol), float(number), 7.0]
        for symbol, number in zip(rng.integers(0, 3, 20), rng.normal(size=20), strict=True)
    ]
    for column in range(3):
        single = [[row[column]] for row in rows]
        model = linnet.MemoryBased().fit(single, np.arange(20) % 2)
        distances, found = model.kneighbors(single, k=20)
        ordered = np.empty((20, 20))
        np.put_along_axis(ordered, found.astype(np.int64), distances, axis=1)
        np.testing.assert_allclose(ordered, ordered.T, atol=1e-12)
        assert ordered.min() == 0 and ordered.max() == (0.0 if column == 2 else 1.0)


@pytest.mark.spec("M-100", "M-101", "M-102")
def test_a_gain_lies_between_nothing_and_the_entropy_of_the_classes() -> None:
    rng = np.random.default_rng(2)
    for _ in range(200):
        table = rng.integers(0, 6, (rng.integers(2, 5), rng.integers(2, 6)))
        if not table.any():
            continue
        weights = linnet.FeatureWeights.from_table(table)
        [gain], [ratio], [chi2] = weights.information_gain, weights.gain_ratio, weights.chi2
        assert 0 <= gain <= weights.class_entropy + 1e-12
        assert 0 <= ratio <= 1 + 1e-12 and chi2 >= 0
        independent = np.outer(table.sum(axis=1), table.sum(axis=0)).astype(float)
        assert linnet.FeatureWeights.from_table(independent).chi2[0] < 1e-6


@pytest.mark.spec("M-43", "E-10")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_a_perceptron_makes_no_more_mistakes_than_the_margin_allows(
    classes: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    truth, X = rng.normal(size=(4, classes)), rng.normal(size=(300, 4))
    ordered = np.sort(X @ truth, axis=1)
    X = X[ordered[:, -1] - ordered[:, -2] > 0.8]
    y = (X @ truth).argmax(axis=1)
    model = linnet.Perceptron(
        max_iter=2000, average=False, fit_intercept=False, random_state=seed
    ).fit(X, y)
    assert model.mistakes_[-1] == 0
    scores = X @ truth
    gold = scores[np.arange(len(y)), y]
    others = np.where(np.arange(classes) == y[:, None], -np.inf, scores).max(axis=1)
    if classes == 2:  # one vector, the difference of the two columns, and examples as they are
        size, radius = np.linalg.norm(truth[:, 1] - truth[:, 0]), (X**2).sum(axis=1).max()
    else:  # f(x, y) - f(x, y') has the features of x twice
        size, radius = np.linalg.norm(truth), 2 * (X**2).sum(axis=1).max()
    margin = (gold - others).min() / size
    assert 0 < model.mistakes_.sum() <= radius / margin**2


@pytest.mark.spec("E-02", "M-81")
def test_the_gamma_of_libsvm_is_one_over_the_number_of_features() -> None:
    X, y = load_iris().X, load_iris().y
    model = linnet.KernelSVM(gamma="auto").fit(X, y)
    peer = SVC(gamma="auto").fit(X, y)
    assert (model.gamma_, model.C, model.tol) == (1 / 4, peer.C, peer.tol) == (0.25, 1.0, 1e-3)
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))


@pytest.mark.spec("A-74", "R-01")
@pytest.mark.parametrize("covariance", ["full", "diagonal", "pooled", "pooled-diagonal", 1.0])
def test_setosa_is_told_from_virginica_without_error(covariance: Any) -> None:
    iris = load_iris()
    X, y = iris.X[iris.y != 1], iris.y[iris.y != 1]
    assert (GaussianBayes(covariance).fit(X, y).predict(X) == y).all()
    for left in range(0, 100, 7):
        rest = np.arange(100) != left
        model = GaussianBayes(covariance).fit(X[rest], y[rest])
        assert model.predict(X[left : left + 1]) == y[left]
