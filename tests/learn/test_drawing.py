"""Examples drawn from fitted generative models have the distribution that the model states."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import linnet
from linnet.data import count_words, load_iris, tiny
from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.learn.density import GaussianBayes, ParzenWindows
from linnet.learn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB

N = 20_000
IRIS = load_iris()
REVIEWS = [count_words(text) for text in tiny.REVIEWS.texts]


def close(share: Any, p: Any, n: Any = N) -> None:
    """Assert that relative frequencies of n draws are within 5 standard errors."""
    assert (np.abs(share - p) <= 5 * np.sqrt(p * (1 - p) / n) + 1e-12).all()


def counts_of(bags: list[dict[str, float]], vocabulary: dict[str, int]) -> np.ndarray:
    table = np.zeros((len(bags), len(vocabulary)))
    for row, bag in enumerate(bags):
        for word, count in bag.items():
            table[row, vocabulary[word]] = count
    return table


@pytest.mark.spec("M-15", "M-16", "M-01")
def test_documents_have_the_words_of_their_class_and_the_mean_length() -> None:
    model = MultinomialNB().fit(REVIEWS, tiny.REVIEWS.labels)
    bags, y = model.sample(N, random_state=0)
    table = counts_of(bags, model.vocabulary_)
    assert (table.sum(axis=1) == 5).all()  # 23 words in 5 documents
    for k, label in enumerate(model.classes_):
        own = table[y == label]
        close(len(own) / N, np.exp(model.class_log_prior_[k]))
        close(own.sum(axis=0) / own.sum(), np.exp(model.feature_log_prob_[k]), own.sum())
    # the posterior says how often it is right about its own documents
    p = model.predict_proba(bags)
    right = model.predict(bags) == y
    assert abs(right.mean() - p.max(axis=1).mean()) < 5 * 0.5 / np.sqrt(N)


@pytest.mark.spec("M-15")
def test_the_length_of_documents_is_given_drawn_between_two_numbers_or_listed() -> None:
    X = sp.csr_matrix([[2.0, 0.0, 1.0], [0.0, 1.0, 3.0]])
    model = MultinomialNB(alpha=0.5).fit(X, [0, 1])
    rows, _ = model.sample(500, length=7, random_state=1)
    assert sp.issparse(rows) and rows.shape == (500, 3)
    assert (rows.sum(axis=1) == 7).all()
    rows, _ = model.sample(3000, length=(1, 3), random_state=1)
    for length, count in zip(*np.unique(rows.sum(axis=1), return_counts=True), strict=True):
        assert length in (1, 2, 3)
        close(count / 3000, 1 / 3, 3000)
    rows, _ = model.sample(3, length=[4, 0, 9], random_state=1)
    assert np.ravel(rows.sum(axis=1)).tolist() == [4, 0, 9]
    for wrong in (-1, (3, 1), (1, 2, 3), [1, 2], "long", 1.5):
        with pytest.raises(ParameterError):
            model.sample(3, length=wrong)
    with pytest.raises(ParameterError, match="normalizer='tokens'"):
        MultinomialNB(normalizer="documents").fit(X, [0, 1]).sample()


@pytest.mark.spec("M-18")
def test_words_are_present_as_often_as_the_bernoulli_model_says() -> None:
    model = BernoulliNB().fit(REVIEWS, tiny.REVIEWS.labels)
    bags, y = model.sample(N, random_state=0)
    table = counts_of(bags, model.vocabulary_)
    assert set(np.unique(table)) == {0, 1}
    for k, label in enumerate(model.classes_):
        own = table[y == label]
        close(own.mean(axis=0), np.exp(model.feature_log_prob_[k]), len(own))


@pytest.mark.spec("M-12", "M-13", "M-10", "M-11")
@pytest.mark.parametrize(
    "model",
    [
        GaussianNB(), GaussianNB("shared"), GaussianNB(2.0), GaussianBayes(),
        GaussianBayes("diagonal"), GaussianBayes("pooled"), GaussianBayes("pooled-diagonal"),
    ],
    ids=str,
)  # fmt: skip
def test_points_have_the_means_and_covariances_of_their_class(model: Any) -> None:
    model.fit(IRIS.X, IRIS.y)
    X, y = model.sample(3 * N, random_state=0)
    assert isinstance(X, np.ndarray) and X.shape == (3 * N, 4)
    for k in range(3):
        own = X[y == k]
        close(len(own) / len(X), np.exp(model.class_log_prior_[k]), len(X))
        covariance = covariance_of(model, k)
        spread = np.sqrt(np.diag(covariance))
        assert (np.abs(own.mean(axis=0) - model.means_[k]) < 5 * spread / np.sqrt(len(own))).all()
        # a product of two normals with correlation r has the variance (1 + r²) times both
        error = np.sqrt((np.outer(spread, spread) ** 2 + covariance**2) / len(own))
        assert (np.abs(np.cov(own.T, ddof=0) - covariance) < 5 * error).all()


def covariance_of(model: Any, k: int) -> np.ndarray:
    if isinstance(model, GaussianNB):
        return np.diag(model.var_[k])
    sigma = model.covariance_
    if str(model.covariance).endswith("diagonal"):
        return np.diag(np.broadcast_to(sigma, model.means_.shape)[k])
    return np.broadcast_to(sigma, (3, 4, 4))[k]


@pytest.mark.spec("M-14", "W-21")
def test_the_best_rule_errs_on_its_own_points_at_the_bayes_rate() -> None:
    best = GaussianBayes.from_parameters([[-1, -1], [1, 1]], 1.0, [0.5, 0.5])
    X, y = best.sample(200_000, random_state=0)
    assert abs((best.predict(X) != y).mean() - 0.078650) < 4 * np.sqrt(0.07865 / 200_000)


@pytest.mark.spec("M-106")
@pytest.mark.parametrize("window", ["gaussian", "hypercube"])
def test_points_of_windows_lie_about_the_examples(window: Any) -> None:
    model = ParzenWindows(0.5, window).fit([[0.0], [10.0], [10.0], [50.0]], ["a", "a", "a", "b"])
    X, y = model.sample(N, random_state=0)
    own = X[y == "a", 0]
    close((own > 5).mean(), 2 / 3, len(own))
    near = own[own > 5] - 10
    variance = 0.25 if window == "gaussian" else 0.25 / 12
    assert abs(near.mean()) < 5 * np.sqrt(variance / len(near))
    assert abs(near.var() - variance) < 5 * variance * np.sqrt(2 / len(near))
    assert window == "gaussian" or np.abs(near).max() <= 0.25


# --- sentences ---------------------------------------------------------------------------------

WORDS = [{"fish": 0.5, "swim": 0.1, "can": 0.4}, {"fish": 0.2, "swim": 0.5, "can": 0.3}]
START, STEPS = [0.6, 0.4], [[0.3, 0.7], [0.8, 0.2]]


@pytest.mark.spec("M-111", "F-06")
def test_sentences_have_the_starts_steps_and_words_of_the_model() -> None:
    hmm = linnet.HMM.from_probabilities(["N", "V"], START, STEPS, WORDS)
    X, y = hmm.sample(N, length=3, random_state=0)
    assert {len(sentence) for sentence in X} == {3}
    tags = np.array(y)
    close((tags[:, 0] == "N").mean(), 0.6)
    for tag, row, words in zip("NV", STEPS, WORDS, strict=True):
        before = tags[:, :-1] == tag
        close((tags[:, 1:][before] == "N").mean(), row[0], before.sum())
        own = np.array(X)[tags == tag]
        for word, p in words.items():
            close((own == word).mean(), p, len(own))
    # fish can swim as N N V: F-06
    drawn = sum(
        s == ["fish", "can", "swim"] and t == ["N", "N", "V"] for s, t in zip(X, y, strict=True)
    )
    close(drawn / N, 0.0126)


@pytest.mark.spec("M-111", "A-55")
def test_a_stop_symbol_ends_sentences_and_new_words_are_drawn_as_unknown() -> None:
    train, tags = [["a", "b"], ["a"], ["b", "b", "a"]], [["A", "B"], ["A"], ["B", "B", "A"]]
    hmm = linnet.HMM(0.5, stop=True, unknown="uniform").fit(train, tags)
    X, y = hmm.sample(N, random_state=0)
    one = np.array([len(sentence) == 1 for sentence in X])
    first = np.array([sentence[0] for sentence in y])
    for k, tag in enumerate(hmm.classes_):
        close(one[first == tag].mean(), np.exp(hmm.stop_[k]), (first == tag).sum())
    words, labels = np.concatenate(X), np.concatenate(y)
    for k, tag in enumerate(hmm.classes_):
        own = words[labels == tag]
        close((own == "<unk>").mean(), np.exp(hmm.background_[k]), len(own))
    again = linnet.HMM(0.0, stop=True, unknown="uniform").fit(X, y)
    np.testing.assert_allclose(np.exp(again.transition_), np.exp(hmm.transition_), atol=0.02)
    with pytest.raises(ParameterError, match="leave out length"):
        hmm.sample(length=3)
    with pytest.raises(ParameterError, match="pass length"):
        linnet.HMM().fit(train, tags).sample()
    endless = linnet.HMM.from_probabilities(["A"], [1], [[1]], [{"a": 1.0}], stop=[0.0])
    with pytest.raises(DataError, match="no end"):
        endless.sample()


@pytest.mark.spec("M-112")
def test_tags_of_second_order_follow_the_two_before() -> None:
    random = np.random.default_rng(0)
    tags = [["AB"[t] for t in random.integers(0, 2, 6)] for _ in range(30)]
    hmm = linnet.HMM(order=2, alpha=0.1).fit([[t.lower() for t in row] for row in tags], tags)
    _, y = hmm.sample(N, length=4, random_state=0)
    drawn = np.array(y) == "B"
    for a in (0, 1):
        for b in (0, 1):
            here = (drawn[:, 1] == a) & (drawn[:, 2] == b)
            close(drawn[here, 3].mean(), np.exp(hmm.second_[a, b, 1]), here.sum())


# --- all of them -------------------------------------------------------------------------------


@pytest.mark.spec("C-02")
@pytest.mark.parametrize(
    "model",
    [MultinomialNB(), BernoulliNB(), GaussianNB(), GaussianBayes(ridge=0.1), ParzenWindows()],
    ids=str,
)
def test_a_seed_fixes_the_draws_and_nothing_is_learnt_by_drawing(model: Any) -> None:
    with pytest.raises(NotFittedError):
        model.sample()
    rng = np.random.default_rng(0)
    X, y = rng.poisson(2.0, (30, 3)).astype(float), np.arange(30) % 2
    model.fit(X, y)
    before = {name: np.copy(value) for name, value in vars(model).items() if name.endswith("_")}
    one, again, other = (model.sample(20, random_state=seed) for seed in (3, 3, 4))
    dense = [rows.toarray() if sp.issparse(rows) else rows for rows, _ in (one, again, other)]
    np.testing.assert_array_equal(dense[0], dense[1])
    np.testing.assert_array_equal(one[1], again[1])
    assert not np.array_equal(dense[0], dense[2])
    assert set(vars(model)) >= set(before)
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(model, name), value)
    assert model.sample(0)[0].shape == (0, 3)
    model.predict(one[0])  # what is drawn can be asked about
    for wrong in (-1, 1.5, "2"):
        with pytest.raises(ParameterError):
            model.sample(wrong)


def test_a_class_without_examples_is_not_drawn() -> None:
    model = GaussianNB(1.0, class_prior=[0.5, 0.3, 0.2])
    model.partial_fit([[0.0], [1.0]], [0, 1], classes=[0, 1, 2])
    assert set(model.sample(2000, random_state=0)[1]) == {0, 1}
