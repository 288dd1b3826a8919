"""Naive Bayes for documents: what holds for all data, scikit-learn's contract, the errors."""

from __future__ import annotations

import pickle
import time
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

import linnet
from linnet.data import count_words, tiny
from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.learn.naive_bayes import BernoulliNB, MultinomialNB

Model = MultinomialNB | BernoulliNB

REVIEWS = [count_words(text) for text in tiny.REVIEWS.texts]
LABELS = list(tiny.REVIEWS.labels)
TEST = [count_words(tiny.REVIEW_TEST)]

relaxed = settings(deadline=None, max_examples=50)
both_models = pytest.mark.parametrize("model", [MultinomialNB, BernoulliNB])


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


# Properties


@pytest.mark.spec("M-16", "M-15", "M-01")
@relaxed
@given(problems(), st.floats(1e-3, 10))
def test_distributions_sum_to_one(
    problem: tuple[NDArray[np.float64], NDArray[np.int64]], alpha: float
) -> None:
    X, y = problem
    model = MultinomialNB(alpha=alpha).fit(X, y)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_).sum(axis=1), 1, atol=1e-12)
    for proba in (model.predict_proba(X), BernoulliNB(alpha=alpha).fit(X, y).predict_proba(X)):
        np.testing.assert_allclose(proba.sum(axis=1), 1, atol=1e-12)


@pytest.mark.spec("C-05")
@both_models
@relaxed
@given(problem=problems())
def test_dense_sparse_and_dictionary_input_give_the_same_model(
    model: type[Model], problem: tuple[NDArray[np.float64], NDArray[np.int64]]
) -> None:
    X, y = problem
    bags = [{f"f{j}": v for j, v in enumerate(row)} for row in X]
    dense = model().fit(X, y)
    for other in (sp.csr_matrix(X), sp.coo_matrix(X), bags):
        fitted = model().fit(other, y)
        np.testing.assert_allclose(fitted.coef_, dense.coef_, atol=1e-12)
        np.testing.assert_allclose(fitted.predict_proba(other), dense.predict_proba(X), atol=1e-12)


@pytest.mark.spec("C-10")
@both_models
@relaxed
@given(problem=problems(), cut=st.integers(1, 11))
def test_pieces_one_after_the_other_give_the_model_of_the_whole(
    model: type[Model], problem: tuple[NDArray[np.float64], NDArray[np.int64]], cut: int
) -> None:
    X, y = problem
    cut = min(cut, len(y) - 1)
    whole = model().fit(X, y)
    pieces = model().partial_fit(X[:cut], y[:cut], classes=np.unique(y))
    pieces.partial_fit(X[cut:], y[cut:])
    np.testing.assert_array_equal(pieces.feature_count_, whole.feature_count_)
    np.testing.assert_array_equal(pieces.coef_, whole.coef_)
    assert pieces.history_["objective"][0] == whole.history_["objective"][0]


@both_models
def test_pieces_of_dictionaries_may_bring_new_names(model: type[Model]) -> None:
    whole = model().fit(REVIEWS, LABELS)
    pieces = model().partial_fit(REVIEWS[:2], LABELS[:2], classes=["+", "-"])
    for bag, label in zip(REVIEWS[2:], LABELS[2:], strict=True):
        pieces.partial_fit([bag], [label])
    np.testing.assert_allclose(pieces.predict_proba(TEST), whole.predict_proba(TEST), rtol=1e-14)
    order = [pieces.vocabulary_[name] for name in whole.vocabulary_]
    np.testing.assert_array_equal(pieces.feature_count_[:, order], whole.feature_count_)


@pytest.mark.spec("C-02")
@both_models
def test_the_number_of_threads_does_not_change_a_bit(model: type[Model]) -> None:
    rng = np.random.default_rng(4)
    X = sp.random(3000, 40, 0.3, "csr", rng=rng)
    y, weights = rng.integers(3, size=3000), rng.random(3000)
    one = model(n_threads=1).fit(X, y, weights)
    for n_threads in (2, 3, 7):
        many = model(n_threads=n_threads).fit(X, y, weights)
        np.testing.assert_array_equal(many.feature_count_, one.feature_count_)
        np.testing.assert_array_equal(many.predict_proba(X), one.predict_proba(X))


def test_weights_count_examples_and_classes_several_times() -> None:
    rng = np.random.default_rng(5)
    X, y = random_counts(rng, classes=2)
    often = rng.integers(1, 4, size=len(y))
    repeated = MultinomialNB().fit(np.repeat(X, often, axis=0), np.repeat(y, often))
    np.testing.assert_allclose(MultinomialNB().fit(X, y, often).coef_, repeated.coef_, atol=1e-12)
    by_class = MultinomialNB(class_weight={0: 3, 1: 1}).fit(X, y)
    by_example = MultinomialNB().fit(X, y, np.where(y == 0, 3, 1))
    np.testing.assert_array_equal(by_class.coef_, by_example.coef_)
    balanced = MultinomialNB(class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(balanced.class_log_prior_, np.log(0.5))


@pytest.mark.spec("M-16", "A-03")
def test_smoothing_is_the_posterior_mean_under_a_dirichlet_prior() -> None:
    rng = np.random.default_rng(6)
    counts, alpha = np.array([5.0, 0.0, 2.0]), 0.5
    model = MultinomialNB(alpha=alpha).fit([counts, [1.0, 1.0, 1.0]], [0, 1])
    sample = rng.dirichlet(counts + alpha, size=200_000)
    error = 4 * sample.std(axis=0) / np.sqrt(len(sample))
    assert (np.abs(np.exp(model.feature_log_prob_[0]) - sample.mean(axis=0)) < error).all()


@pytest.mark.spec("M-17", "A-01")
def test_documents_of_equal_length_are_decided_alike_by_both_normalizers() -> None:
    rng = np.random.default_rng(7)
    X = rng.multinomial(20, np.full(6, 1 / 6), size=40).astype(float)
    y = np.arange(40) % 2
    tokens = MultinomialNB(alpha=0.0).fit(X, y)
    documents = MultinomialNB(alpha=0.0, normalizer="documents").fit(X, y)
    np.testing.assert_allclose(
        tokens.decision_function(X), documents.decision_function(X), atol=1e-12
    )


@pytest.mark.spec("T-08", "T-01", "C-11")
def test_overlapping_features_sharpen_the_posterior() -> None:
    rng = np.random.default_rng(8)
    X, y = random_counts(rng, classes=2)
    once = MultinomialNB(fit_prior=False).fit(X, y)
    twice = MultinomialNB(fit_prior=False).fit(np.hstack([X, X]), y)
    sharp = twice.predict_proba(np.hstack([X, X])).max(axis=1)
    assert (sharp >= once.predict_proba(X).max(axis=1)).all()
    assert MultinomialNB.properties["overlapping_features"] == "fair"


@pytest.mark.spec("T-08", "T-01", "R-07")
def test_every_feature_twice_doubles_the_log_odds_of_naive_bayes_and_hardly_moves_maxent() -> None:
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 200)
    X = rng.poisson(0.7, (200, 12)).astype(float)
    X[:, :3] += rng.poisson(0.5, (200, 3)) * y[:, None]
    twice, moved, kept = np.hstack([X, X]), {}, {}
    for learner in (MultinomialNB(fit_prior=False), linnet.MaxEnt(tol=1e-8)):
        single, double = clone(learner).fit(X, y), clone(learner).fit(twice, y)
        p, q = single.predict_proba(X)[:, 1], double.predict_proba(twice)[:, 1]
        moved[type(learner)] = float(np.abs(p - q).mean())
        kept[type(learner)] = bool((single.predict(X) == double.predict(twice)).all())
        if isinstance(learner, MultinomialNB):
            np.testing.assert_allclose(
                double.decision_function(twice), 2 * single.decision_function(X), rtol=1e-10
            )
    assert all(kept.values())
    assert moved[MultinomialNB] > 0.1 > 0.01 > moved[linnet.MaxEnt]


@pytest.mark.spec("T-01", "T-02", "C-11")
def test_the_model_states_its_properties() -> None:
    table = MultinomialNB.properties
    assert (table["kind"], table["models"], table["boundary"]) == (
        "generative",
        "P(x, y)",
        "linear",
    )
    assert (table["misspecified"], table["training"]) == ("bad", "closed form")
    assert (table["hyperparameters"], table["smoothing"]) == (1, "crucial")
    assert table["independence"] == "strong"


@pytest.mark.spec("T-01", "T-02", "T-03", "T-08", "C-11")
def test_every_learner_has_its_row_of_the_lectures_tables() -> None:
    learners = (linnet.MultinomialNB, linnet.Perceptron, linnet.MIRA, linnet.MaxEnt, linnet.SVM)
    table = [learner.properties for learner in learners]
    columns = {key: [row[key] for row in table] for key in table[0]}
    assert columns["kind"] == ["generative"] + 4 * ["discriminative"]
    assert columns["misspecified"] == ["bad", "fair (may not converge)", "good", "good", "good"]
    assert columns["overlapping_features"] == ["fair", "good", "good", "good", "good"]
    assert columns["training"] == ["closed form", "easy", "easy", "fair", "fair"]
    assert columns["hyperparameters"] == [1, 0, 1, 1, 1]
    assert columns["models"] == ["P(x, y)", "none", "none", "P(y | x)", "none"]


@pytest.mark.spec("M-22")
def test_the_number_of_parameters_is_linear_in_features() -> None:
    model = MultinomialNB().fit(*random_counts(np.random.default_rng(9), cols=12, classes=3))
    assert model.feature_log_prob_.size + model.class_log_prior_.size == 3 * (12 + 1)


@pytest.mark.spec("M-22")
@pytest.mark.slow
def test_training_time_is_linear_in_the_stored_values() -> None:
    rng = np.random.default_rng(10)
    X = sp.random(40_000, 5000, 0.02, "csr", rng=rng)
    X.data[:] = rng.integers(1, 5, X.nnz)
    y = rng.integers(2, size=X.shape[0])

    def seconds(rows: int) -> float:
        part, labels, best = X[:rows], y[:rows], np.inf
        for _ in range(9):
            began = time.thread_time()  # what this thread computed, whoever else is running
            MultinomialNB(n_threads=1).fit(part, labels)
            best = min(best, time.thread_time() - began)
        return best

    assert X.nnz // 2 >= 1_000_000
    assert seconds(40_000) / seconds(20_000) == pytest.approx(2.0, rel=0.3)


# The contract


REASONS = {
    "check_class_weight_classifiers": "the data of the check are negative, counts are not",
    "check_decision_proba_consistency": "the data of the check are negative, counts are not",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("model", "expected"),
    [(MultinomialNB(), REASONS), (MultinomialNB(alpha=0.0), REASONS), (BernoulliNB(), {})],
)
def test_the_estimators_keep_the_contract_of_scikit_learn(
    model: Model, expected: dict[str, str]
) -> None:
    check_estimator(model, expected_failed_checks=expected)


@both_models
def test_a_model_survives_cloning_and_pickling(model: type[Model]) -> None:
    fitted = model(alpha=0.3).fit(REVIEWS, LABELS)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(TEST), fitted.predict_proba(TEST))
    assert clone(fitted).get_params() == fitted.get_params()


@both_models
def test_given_priors_are_used(model: type[Model]) -> None:
    rng = np.random.default_rng(11)
    X, y = random_counts(rng)
    given_prior = model(class_prior=[0.2, 0.3, 0.5]).fit(X, y)
    np.testing.assert_allclose(np.exp(given_prior.class_log_prior_), [0.2, 0.3, 0.5])
    even = model(fit_prior=False).fit(X, y)
    np.testing.assert_allclose(np.exp(even.class_log_prior_), 1 / 3)


@both_models
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_a_class_without_examples_is_never_chosen(model: type[Model], alpha: float) -> None:
    fitted = model(alpha=alpha).partial_fit([[1.0], [2.0]], ["a", "b"], classes=["a", "b", "c"])
    proba = fitted.predict_proba([[1.0], [3.0]])
    assert (proba[:, 2] == 0).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)


def test_binarize_says_from_which_value_a_feature_is_present() -> None:
    X, y = np.array([[0.0, -1.0, 0.5, 2.0], [3.0, 1.0, 0.0, 1.0]]), [0, 1]
    assert BernoulliNB().fit(X, y).feature_count_.tolist() == [[0, 0, 1, 1], [1, 1, 0, 1]]
    assert BernoulliNB(binarize=1.0).fit(X, y).feature_count_.tolist() == [
        [0, 0, 0, 1],
        [1, 0, 0, 0],
    ]
    ones = (X > 0).astype(float)
    assert (
        BernoulliNB(binarize=None).fit(ones, y).coef_.tolist()
        == BernoulliNB().fit(X, y).coef_.tolist()
    )
    with pytest.raises(DataError, match=r"row 0, column 1 is -1\.0"):
        BernoulliNB(binarize=None).fit(X, y)


# Errors


@both_models
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": -1.0}, "alpha"),
        ({"alpha": np.nan}, "alpha"),
        ({"alpha": "much"}, "alpha"),
        ({"oov": "guess"}, "oov"),
        ({"class_prior": [0.5, 0.25, 0.25]}, "class_prior has shape"),
        ({"class_prior": [0.5, 0.6]}, "sum to 1"),
        ({"class_weight": "heavy"}, "class_weight"),
        ({"n_threads": 0}, "n_threads"),
    ],
)
def test_wrong_parameters_are_refused(
    model: type[Model], parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        model(**parameters).fit(REVIEWS, LABELS)


def test_parameters_of_one_model_are_checked() -> None:
    wrong: Any = "words"
    with pytest.raises(ParameterError, match="normalizer"):
        MultinomialNB(normalizer=wrong).fit(REVIEWS, LABELS)
    with pytest.raises(ParameterError, match="binarize"):
        BernoulliNB(binarize=-1.0).fit(REVIEWS, LABELS)


def test_negative_counts_are_refused_with_their_place() -> None:
    with pytest.raises(DataError, match=r"row 1, column 0 is -2\.0"):
        MultinomialNB().fit([[0.0, 1.0], [-2.0, 1.0]], [0, 1])
    model = MultinomialNB().fit([[0.0, 1.0], [2.0, 1.0]], [0, 1])
    with pytest.raises(DataError, match="negative"):
        model.predict([[0.0, -1.0]])


@both_models
def test_data_that_cannot_be_used_are_refused(model: type[Model]) -> None:
    with pytest.raises(DataError, match="at least 2 classes"):
        model().fit([[1.0], [2.0]], ["a", "a"])
    with pytest.raises(DataError, match="feature dictionaries"):
        model(oov="unk").fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(NotFittedError):
        model().predict(REVIEWS)
    with pytest.raises(DataError, match="numbers"):
        model(oov="unk").fit(REVIEWS, LABELS).predict([{"new": b"word", "other": 1}])
    with pytest.raises(ParameterError, match="balanced"):
        model(class_weight="balanced").partial_fit(REVIEWS, LABELS)


@both_models
def test_a_piece_that_is_refused_leaves_the_model_as_it_was(model: type[Model]) -> None:
    fitted = model().partial_fit(REVIEWS, LABELS)
    before = fitted.predict_proba(TEST)
    with pytest.raises(DataError, match=r"classes \['\?'\] that are not among"):
        fitted.partial_fit([{"quite": 1, "new": 2}], ["?"])
    with pytest.raises(DataError, match="classes differ"):
        fitted.partial_fit(REVIEWS, LABELS, classes=["+", "?"])
    with pytest.raises(DataError, match="labels"):
        fitted.fit([{"other": 1}], LABELS)
    assert fitted.n_features_in_ == len(fitted.vocabulary_) == 20
    np.testing.assert_array_equal(fitted.predict_proba(TEST), before)


@both_models
def test_unused_values_at_the_end_of_a_sparse_matrix_are_not_read(model: type[Model]) -> None:
    X = sp.csr_matrix(([2.0, 1.0, -9.0], [0, 1, 0], [0, 1, 3]), shape=(2, 2))
    X.indptr = np.array([0, 1, 2], dtype=X.indptr.dtype)
    fitted = model().fit(X, ["a", "b"])
    np.testing.assert_array_equal(fitted.coef_, model().fit([[2, 0], [0, 1]], ["a", "b"]).coef_)
