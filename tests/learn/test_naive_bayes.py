"""Naive Bayes for documents: the lecture's numbers, real data, the reference."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.naive_bayes
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from linnet.data import SentimentCorpus, count_words, read_person_titles, tiny
from linnet.learn.naive_bayes import BernoulliNB, MultinomialNB
from linnet.reference import naive_bayes as reference

Model = MultinomialNB | BernoulliNB

REVIEWS = [count_words(text) for text in tiny.REVIEWS.texts]
LABELS = list(tiny.REVIEWS.labels)
TEST = [count_words(tiny.REVIEW_TEST)]

relaxed = settings(deadline=None, max_examples=50)
both_models = pytest.mark.parametrize("model", [MultinomialNB, BernoulliNB])


def minus(model: Model) -> float:
    """Return P(- | test review) of W-05; classes are sorted, so - is the second."""
    return float(model.fit(REVIEWS, LABELS).predict_proba(TEST)[0, 1])


def random_counts(
    rng: np.random.Generator, rows: int = 60, cols: int = 12, classes: int = 3
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    y = np.concatenate([np.arange(classes), rng.integers(classes, size=rows - classes)])
    return rng.poisson(0.7, (rows, cols)).astype(float), y


@st.composite
def problems(draw: st.DrawFn) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rows, cols = draw(st.integers(3, 12)), draw(st.integers(1, 6))
    classes = draw(st.integers(2, 3))
    X = draw(arrays(np.float64, (rows, cols), elements=st.integers(0, 4).map(float)))
    rest = draw(st.lists(st.integers(0, classes - 1), min_size=rows, max_size=rows))
    return X, np.array([*range(classes), *rest][:rows])


# The example of S2


@pytest.mark.spec("W-05", "M-16", "M-21", "A-04")
def test_the_lecture_example_has_its_exact_posterior_and_weights() -> None:
    model = MultinomialNB().fit(REVIEWS, LABELS)
    assert model.n_features_in_ == 20
    assert model.feature_count_.sum(axis=1).tolist() == [9, 14]
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [2 / 5, 3 / 5], rtol=1e-15)
    joint = np.exp(model.predict_joint_log_proba(TEST)[0])
    np.testing.assert_allclose(joint, [2 / 4205, 3 / 1445], rtol=1e-13)
    assert model.predict_proba(TEST)[0, 1] == pytest.approx(2523 / 3101, rel=1e-14)
    assert model.decision_function(TEST)[0] == pytest.approx(1.473630, abs=5e-7)
    np.testing.assert_allclose(model.class_log_prior_, [-0.916291, -0.510826], atol=5e-7)
    word = model.vocabulary_["predictable"]
    np.testing.assert_allclose(model.feature_log_prob_[:, word], [-3.367296, -2.833213], atol=5e-7)
    assert model.predict(TEST).tolist() == ["-"]


@pytest.mark.spec("W-05", "M-21")
def test_the_unknown_word_is_one_more_type() -> None:
    assert minus(MultinomialNB(oov="unk")) == pytest.approx(0.764076, abs=5e-7)


@pytest.mark.spec("W-05")
def test_unseen_words_kept_without_a_type_of_their_own_give_the_number_of_the_lecture() -> None:
    model = MultinomialNB().fit(REVIEWS, LABELS)
    unseen = 2 * np.log(1 / (20 + model.feature_count_.sum(axis=1)))
    joint = np.exp(model.predict_joint_log_proba(TEST)[0] + unseen)
    assert joint[1] / joint.sum() == pytest.approx(0.760514, abs=5e-7)


@pytest.mark.spec("W-05", "M-15", "A-05")
def test_without_smoothing_one_class_is_certain_or_both_are_impossible() -> None:
    model = MultinomialNB(alpha=0.0).fit(REVIEWS, LABELS)
    np.testing.assert_allclose(
        np.exp(model.predict_joint_log_proba(TEST)), [[0, 3 / 980]], rtol=1e-13
    )
    assert model.predict_proba(TEST).tolist() == [[0.0, 1.0]]
    model = MultinomialNB(alpha=0.0, oov="unk").fit(REVIEWS, LABELS)
    with pytest.warns(UserWarning, match="1 of 1 rows have probability 0"):
        assert np.isneginf(model.predict_joint_log_proba(TEST)).all()
    with pytest.warns(UserWarning):
        assert model.predict(TEST).tolist() == ["+"]
    with pytest.warns(UserWarning):
        assert model.predict_proba(TEST).tolist() == [[0.5, 0.5]]


@pytest.mark.spec("W-05", "M-16")
@pytest.mark.parametrize(
    ("alpha", "posterior"),
    [
        (0.01, 0.999844),
        (0.1, 0.988478),
        (0.5, 0.894302),
        (2, 0.735375),
        (10, 0.633858),
        (100, 0.603578),
    ],
)
def test_more_smoothing_moves_the_posterior_to_the_prior(alpha: float, posterior: float) -> None:
    assert minus(MultinomialNB(alpha=alpha)) == pytest.approx(posterior, abs=5e-7)


@pytest.mark.spec("W-05", "M-17", "A-01", "A-02")
def test_dividing_by_documents_gives_the_printed_numbers_and_no_distribution() -> None:
    model = MultinomialNB(normalizer="documents").fit(REVIEWS, LABELS)
    joint = np.exp(model.predict_joint_log_proba(TEST)[0])
    np.testing.assert_allclose(joint, [1 / 1210, 12 / 2645], rtol=1e-13)
    assert model.predict_proba(TEST)[0, 1] == pytest.approx(0.845907, abs=5e-7)
    sums = np.exp(model.feature_log_prob_).sum(axis=1)
    np.testing.assert_allclose(sums, [29 / 22, 34 / 23], rtol=1e-13)
    plain = MultinomialNB(alpha=0.0, normalizer="documents").fit(REVIEWS, LABELS)
    np.testing.assert_allclose(np.exp(plain.feature_log_prob_).sum(axis=1), [9 / 2, 14 / 3])


@pytest.mark.spec("W-05", "M-18")
def test_the_bernoulli_model_has_the_posterior_of_the_lecture_example() -> None:
    assert minus(BernoulliNB()) == pytest.approx(0.898522870, abs=5e-10)


@pytest.mark.spec("M-15", "W-05")
def test_maximum_likelihood_is_relative_frequency() -> None:
    model = MultinomialNB(alpha=0.0).fit(REVIEWS, LABELS)
    for label, tokens, row in (("+", 9, 0), ("-", 14, 1)):
        for word, column in model.vocabulary_.items():
            texts = zip(REVIEWS, LABELS, strict=True)
            count = int(sum(bag.get(word, 0) for bag, y in texts if y == label))
            exact = float(Fraction(count, tokens))
            assert np.exp(model.feature_log_prob_[row, column]) == pytest.approx(exact, rel=1e-14)


# Real data


def books(data_dir: Callable[[str], Path], cutoff_on: Any) -> SentimentCorpus:
    return SentimentCorpus(folder=data_dir("amazon_books"), cutoff_on=cutoff_on)


@pytest.mark.spec("R-03", "M-15", "M-16", "M-17", "M-18", "A-02", "A-05")
@pytest.mark.parametrize(
    ("cutoff_on", "expected"),
    [
        ("all", [(0.974375, 0.84), (0.94875, 0.77), (0.9875, 0.5975), (0.93875, 0.7675)]),
        ("train", [(0.96875, 0.84), (0.94, 0.7575), (0.9825, 0.665), (0.930625, 0.7575)]),
    ],
)
@pytest.mark.filterwarnings("ignore:.*probability 0 under every class")
def test_amazon_books_accuracies_are_exact(
    data_dir: Callable[[str], Path], cutoff_on: str, expected: list[tuple[float, float]]
) -> None:
    corpus = books(data_dir, cutoff_on)
    models = [
        MultinomialNB(),
        MultinomialNB(normalizer="documents"),
        MultinomialNB(alpha=0.0),
        BernoulliNB(),
    ]
    for model, accuracies in zip(models, expected, strict=True):
        model.fit(corpus.train_X, corpus.train_y)
        train = model.score(corpus.train_X, corpus.train_y)
        assert (train, model.score(corpus.test_X, corpus.test_y)) == accuracies


@pytest.mark.spec("R-03", "A-05")
def test_amazon_books_smoothing_sweep_and_impossible_documents(
    data_dir: Callable[[str], Path],
) -> None:
    corpus = books(data_dir, "all")
    sweep = {0.01: 0.795, 0.1: 0.8175, 0.5: 0.8325, 2: 0.845, 5: 0.8225}
    for alpha, accuracy in sweep.items():
        model = MultinomialNB(alpha=alpha).fit(corpus.train_X, corpus.train_y)
        assert model.score(corpus.test_X, corpus.test_y) == accuracy
    model = MultinomialNB(alpha=0.0).fit(corpus.train_X, corpus.train_y)
    with pytest.warns(UserWarning, match="272 of 400 rows"):
        joint = model.predict_joint_log_proba(corpus.test_X)
    impossible = np.isneginf(joint)
    assert (impossible.all(axis=1).sum(), impossible.any(axis=1).sum()) == (272, 379)


@pytest.mark.spec("R-02", "E-09")
def test_wikipedia_titles_are_right_2634_times(data_dir: Callable[[str], Path]) -> None:
    folder = data_dir("wikipedia_titles")
    train_y, train = read_person_titles(folder / "titles-en-train.labeled")
    test_y, test = read_person_titles(folder / "titles-en-test.labeled")
    model = MultinomialNB().fit([count_words(text) for text in train], train_y)
    guess = model.predict([count_words(text) for text in test])
    assert (guess == test_y).sum() == 2634
    majority = model.classes_[model.class_log_prior_.argmax()]  # what to say without words
    assert (np.array(test_y) == majority).mean() == pytest.approx(0.523202, abs=5e-7)


# The model and its reference


@pytest.mark.spec("M-15", "M-16", "M-17", "M-18", "A-05", "C-01")
@relaxed
@given(problems(), st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from(["tokens", "documents"]))
@pytest.mark.filterwarnings("ignore:.*probability 0 under every class")
def test_scores_are_those_of_the_reference_and_never_nan(
    problem: tuple[NDArray[np.float64], NDArray[np.int64]], alpha: float, normalizer: Any
) -> None:
    X, y = problem
    K = y.max() + 1
    ours: list[Model] = [MultinomialNB(alpha, normalizer=normalizer), BernoulliNB(alpha)]
    theirs = [
        reference.multinomial(X, y, K, alpha=alpha, normaliser=normalizer),
        reference.bernoulli(X, y, K, alpha=alpha),
    ]
    new = np.vstack([X, X[::-1] + 1, np.zeros_like(X)])
    stored_zeros = sp.csr_matrix(np.ones_like(new))
    stored_zeros.data = new.ravel().copy()
    for model, oracle in zip(ours, theirs, strict=True):
        model.fit(X, y)
        expected = oracle.scores(new)
        for rows in (new, stored_zeros):
            joint = model.predict_joint_log_proba(rows)
            np.testing.assert_allclose(joint, expected, rtol=1e-12, atol=1e-12)
            proba = model.predict_proba(rows)
            np.testing.assert_allclose(proba, reference.posterior(expected), atol=1e-12)
            assert not np.isnan(model.decision_function(rows)).any()
        assert not np.isnan(model.coef_).any()
        impossible = np.isneginf(expected).all(axis=1)
        assert (model.predict(new)[impossible] == 0).all()


@pytest.mark.spec("M-19", "C-26", "M-18")
@both_models
@pytest.mark.parametrize("classes", [2, 4])
def test_exported_weights_score_like_the_counts(model: type[Model], classes: int) -> None:
    rng = np.random.default_rng(0)
    X, y = random_counts(rng, classes=classes)
    fitted = model().fit(X, y)
    new = rng.poisson(1.0, (200, X.shape[1])).astype(float)
    counted = new > 0 if model is BernoulliNB else new
    linear = counted @ fitted.coef_.T + fitted.intercept_
    joint = fitted.predict_joint_log_proba(new)
    expected = joint if classes > 2 else joint[:, 1:] - joint[:, :1]
    np.testing.assert_allclose(linear, expected, atol=1e-12)
    scores = fitted.decision_function(new)
    np.testing.assert_allclose(scores, expected if classes > 2 else expected[:, 0], atol=1e-12)


@both_models
def test_parameters_and_posteriors_are_those_of_scikit_learn(model: type[Model]) -> None:
    rng = np.random.default_rng(1)
    X, y = random_counts(rng)
    weights = rng.random(len(y))
    twin = getattr(sklearn.naive_bayes, model.__name__)(alpha=0.5).fit(X, y, weights)
    ours = model(alpha=0.5).fit(X, y, weights)
    for name in ("class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(twin, name), rtol=1e-12)
    np.testing.assert_allclose(
        ours.predict_joint_log_proba(X), twin.predict_joint_log_proba(X), rtol=1e-12
    )
    np.testing.assert_allclose(ours.predict_log_proba(X), twin.predict_log_proba(X), atol=1e-12)


@pytest.mark.spec("M-20")
def test_the_estimate_is_the_most_likely_one() -> None:
    rng = np.random.default_rng(2)
    X, y = random_counts(rng, rows=30, cols=5)
    model = MultinomialNB(alpha=0.0).fit(X, y)
    counts = model.feature_count_

    def likelihood(prior: NDArray[np.float64], words: NDArray[np.float64]) -> float:
        return float(model.class_count_ @ np.log(prior) + (counts * np.log(words)).sum())

    prior, words = np.exp(model.class_log_prior_), np.exp(model.feature_log_prob_)
    best = likelihood(prior, words)
    for _ in range(1000):
        other = [table * np.exp(0.1 * rng.normal(size=table.shape)) for table in (prior, words)]
        normal = [table / table.sum(axis=-1, keepdims=True) for table in other]
        assert likelihood(normal[0], normal[1]) <= best
    assert model.history_["objective"][0] == pytest.approx(-best, rel=1e-12)


@pytest.mark.spec("M-20", "M-127")
@both_models
def test_the_history_holds_the_joint_log_likelihood(model: type[Model]) -> None:
    rng = np.random.default_rng(3)
    X, y = random_counts(rng)
    weights = rng.random(len(y))
    fitted = model().fit(X, y, weights)
    joint = fitted.predict_joint_log_proba(X)[np.arange(len(y)), y]
    np.testing.assert_allclose(fitted.history_["objective"], [-(weights @ joint)], rtol=1e-12)
    assert (fitted.n_iter_, fitted.optimality_) == (1, 0.0)
    assert fitted.history_["seconds"][0] >= 0


@pytest.mark.spec("M-91", "M-06")
def test_naive_bayes_minimises_the_joint_loss_and_its_gradient_is_zero_on_the_simplex() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (40, 5)).astype(float), rng.integers(0, 2, 40)
    model = MultinomialNB(alpha=0.0).fit(X, y)

    def joint_loss(prior: Any, words: Any) -> float:
        """Return the sum of -ln p(x, y)."""
        scores = X @ np.log(words).T + np.log(prior)
        return float(-scores[np.arange(len(y)), y].sum())

    prior, words = np.exp(model.class_log_prior_), np.exp(model.feature_log_prob_)
    given = model.predict_joint_log_proba(X)[np.arange(len(y)), y]
    assert joint_loss(prior, words) == pytest.approx(-given.sum())
    for _ in range(20):  # along the simplex the slope is 0, and the loss curves up
        for table in (prior[None, :], words):
            step = rng.normal(size=table.shape) * table
            step -= table * step.sum(axis=1, keepdims=True)
            up, down = (np.maximum(table + h * step, 1e-12) for h in (1e-4, -1e-4))
            values = [
                joint_loss(t[0], words) if table.shape[0] == 1 else joint_loss(prior, t)
                for t in (up, table, down)
            ]
            assert abs(values[0] - values[2]) / 2e-4 < 1e-3 * values[1]
            assert values[0] > values[1] < values[2]
