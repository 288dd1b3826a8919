from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from linnet.errors import DataError, ParameterError
from linnet.reference import naive_bayes as nb

from .corpora import reviews


def minus_posterior(model, test) -> float:
    return float(nb.posterior(model.scores(test))[0, 0])


@pytest.mark.spec("W-05", "M-15", "M-16", "M-21", "T-07")
def test_review_example_with_add_one_smoothing_gives_the_contract_numbers():
    X, y, test = reviews()
    assert X.shape[1] == 20
    assert X[y == 0].sum() == 14 and X[y == 1].sum() == 9
    model = nb.multinomial(X, y, 2)
    np.testing.assert_allclose(np.exp(model.log_prior), [3 / 5, 2 / 5], rtol=1e-14)
    scores = model.scores(test)[0]
    np.testing.assert_allclose(np.exp(scores), [3 / 1445, 2 / 4205], rtol=1e-12)
    assert minus_posterior(model, test) == pytest.approx(float(Fraction(2523, 3101)), abs=1e-12)
    assert scores[0] - scores[1] == pytest.approx(1.473630, abs=1e-6)
    weights, bias = model.linear()
    np.testing.assert_allclose(bias, [-0.510826, -0.916291], atol=1e-6)
    predictable = int(np.flatnonzero(test[0])[0])
    np.testing.assert_allclose(weights[predictable], [-2.833213, -3.367296], atol=1e-6)


@pytest.mark.spec("W-05")
def test_review_example_with_unseen_words_kept():
    X, y, test = reviews(("with", "originality"))
    assert minus_posterior(nb.multinomial(X, y, 2, n_types=20), test) == pytest.approx(
        0.760514, abs=1e-6
    )
    X, y, test = reviews(("<unk>",))
    test[0, -1] = 2
    assert minus_posterior(nb.multinomial(X, y, 2), test) == pytest.approx(0.764076, abs=1e-6)


@pytest.mark.spec("W-05", "M-15", "A-05")
def test_review_example_unsmoothed_gives_zeros_but_no_nan():
    X, y, test = reviews()
    model = nb.multinomial(X, y, 2, alpha=0.0)
    np.testing.assert_allclose(np.exp(model.scores(test)[0]), [3 / 980, 0.0], rtol=1e-12)
    assert minus_posterior(model, test) == 1.0
    X, y, test = reviews(("with", "originality"))
    scores = nb.multinomial(X, y, 2, alpha=0.0).scores(test)
    assert np.isneginf(scores).all()
    assert int(np.argmax(scores[0])) == 0
    np.testing.assert_array_equal(nb.posterior(scores), [[0.5, 0.5]])


@pytest.mark.spec("W-05", "M-16")
@pytest.mark.parametrize(
    ("alpha", "expected"),
    [
        (0.01, 0.999844),
        (0.1, 0.988478),
        (0.5, 0.894302),
        (2, 0.735375),
        (10, 0.633858),
        (100, 0.603578),
    ],
)
def test_posterior_tends_to_the_prior_as_alpha_grows(alpha, expected):
    X, y, test = reviews()
    assert minus_posterior(nb.multinomial(X, y, 2, alpha=alpha), test) == pytest.approx(
        expected, abs=1e-6
    )


@pytest.mark.spec("W-05", "M-17", "A-01", "A-02")
def test_printed_document_normaliser_is_not_a_distribution():
    X, y, test = reviews()
    model = nb.multinomial(X, y, 2, normaliser="documents")
    np.testing.assert_allclose(np.exp(model.scores(test)[0]), [12 / 2645, 1 / 1210], rtol=1e-12)
    assert minus_posterior(model, test) == pytest.approx(0.845907, abs=1e-6)
    np.testing.assert_allclose(np.exp(model.log_words).sum(axis=0), [34 / 23, 29 / 22])
    unsmoothed = nb.multinomial(X, y, 2, alpha=0.0, normaliser="documents")
    np.testing.assert_allclose(np.exp(unsmoothed.log_words).sum(axis=0), [14 / 3, 9 / 2])


@pytest.mark.spec("M-17")
def test_document_normaliser_decides_alike_for_documents_of_equal_length():
    rng = np.random.default_rng(1)
    X = rng.multinomial(12, np.full(5, 0.2), size=60).astype(float)
    y = rng.integers(0, 3, 60)
    tokens = nb.multinomial(X, y, 3, alpha=0.0).scores(X)
    documents = nb.multinomial(X, y, 3, alpha=0.0, normaliser="documents").scores(X)
    np.testing.assert_allclose(nb.posterior(tokens), nb.posterior(documents), atol=1e-12)


@pytest.mark.spec("W-05", "M-18")
def test_review_example_with_bernoulli_model():
    X, y, test = reviews()
    model = nb.bernoulli(X, y, 2)
    assert minus_posterior(model, test) == pytest.approx(0.898522870, abs=1e-9)
    weights, bias = model.linear()
    np.testing.assert_allclose((X > 0) @ weights + bias, model.scores(X), rtol=1e-12)


@pytest.mark.spec("M-18", "A-05")
def test_unsmoothed_bernoulli_has_no_nan_and_refuses_linear_form():
    X, y, _ = reviews()
    model = nb.bernoulli(X, y, 2, alpha=0.0)
    assert not np.isnan(model.scores(X)).any()
    with pytest.raises(DataError, match="alpha > 0"):
        model.linear()


@pytest.mark.spec("M-15", "M-16")
@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0, 50.0])
def test_each_class_distribution_sums_to_one(alpha):
    rng = np.random.default_rng(2)
    X, y = rng.poisson(1.5, (30, 8)).astype(float), rng.integers(0, 3, 30)
    words = np.exp(nb.multinomial(X, y, 3, alpha=alpha).log_words)
    np.testing.assert_allclose(words.sum(axis=0), 1.0, rtol=1e-12)


@pytest.mark.spec("M-19")
def test_scores_from_exported_weights_equal_scores_from_counts():
    rng = np.random.default_rng(3)
    X, y = rng.poisson(1.0, (40, 6)).astype(float), rng.integers(0, 3, 40)
    model = nb.multinomial(X, y, 3)
    weights = nb.stacked(model)
    linear = np.hstack([X, np.ones((40, 1))]) @ weights
    np.testing.assert_allclose(linear, model.scores(X), rtol=1e-12)


@pytest.mark.spec("M-20")
def test_estimate_maximises_the_joint_likelihood():
    rng = np.random.default_rng(4)
    X, y = rng.poisson(2.0, (30, 5)).astype(float), rng.integers(0, 2, 30)
    model = nb.multinomial(X, y, 2, alpha=0.0)
    best = nb.joint_log_likelihood(model.scores(X), y)
    for _ in range(200):
        words = np.exp(model.log_words) * rng.uniform(0.8, 1.25, (5, 2))
        prior = np.exp(model.log_prior) * rng.uniform(0.8, 1.25, 2)
        other = nb.Multinomial(np.log(prior / prior.sum()), np.log(words / words.sum(axis=0)))
        assert nb.joint_log_likelihood(other.scores(X), y) <= best


@pytest.mark.spec("A-05")
def test_a_class_without_examples_scores_minus_infinity():
    X, y, test = reviews()
    scores = nb.multinomial(X, y, 3).scores(test)
    assert np.isneginf(scores[0, 2])
    assert not np.isnan(nb.multinomial(X, y, 3, alpha=0.0).scores(test)).any()


def test_illegal_arguments_are_refused():
    X, y, _ = reviews()
    with pytest.raises(ParameterError, match="alpha"):
        nb.multinomial(X, y, 2, alpha=-1.0)
    with pytest.raises(DataError, match=r"0\.\.0"):
        nb.multinomial(X, y, 1)
