from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.reference import crf, maxent, structured
from linnet.reference.chain import Chain
from linnet.reference.enumeration import Enumeration
from linnet.reference.forward_backward import forward_backward, scaled
from linnet.reference.global_features import GlobalMap
from linnet.reference.lbfgs import lbfgs
from linnet.reference.schedules import power
from linnet.reference.viterbi import viterbi

from .chains import label_bias, tagged_sentences
from .corpora import random_classes
from .numeric import numeric_gradient

FLAT = {"start": False, "stop": False}

PATHS = {
    "AAA": 2.4,
    "AAB": 0.4,
    "ABA": 1.6,
    "ABB": 0.7,
    "BAA": 1.1,
    "BAB": -0.9,
    "BBA": 1.4,
    "BBB": 0.5,
}


def fixture() -> tuple[GlobalMap, np.ndarray, np.ndarray]:
    """F-05: layout, sentence a b a, weights."""
    layout = GlobalMap(2, 2, **FLAT)
    w = layout.pack(
        {
            "state": np.array([[1.0, 0.0], [0.0, 0.5]]),
            "transition": np.array([[0.2, -0.8], [-0.1, 0.0]]),
        }
    )
    return layout, np.eye(2)[[0, 1, 0]], w


@pytest.mark.spec("F-05", "M-118")
def test_fixture_scores_partition_and_best_labelling():
    layout, X, w = fixture()
    chain = layout.chain(X, w)
    for labels, score in PATHS.items():
        assert chain.score(np.array(["AB".index(c) for c in labels])) == pytest.approx(score)
    for found in (forward_backward(chain), scaled(chain), Enumeration.of(chain).marginals):
        assert np.exp(found.log_partition) == pytest.approx(28.5964431314, abs=1e-9)
        assert found.log_partition == pytest.approx(3.3532823441, abs=1e-10)
    best = viterbi(chain)
    assert best.labels.tolist() == [0, 0, 0]
    assert np.exp(crf.log_probability(layout, X, best.labels, w)) == pytest.approx(
        0.385474, abs=1e-6
    )
    assert np.argmax(chain.state, axis=1).tolist() == [0, 1, 0]


@pytest.mark.spec("F-05", "M-118")
def test_fixture_marginals_and_expectations():
    layout, X, w = fixture()
    model = crf.marginals(layout, X, w)
    np.testing.assert_allclose(model.token[:, 0], [0.681266, 0.556913, 0.805540], atol=1e-6)
    assert model.pair[0, 0, 1] == pytest.approx(0.243624, abs=1e-6)
    expected = layout.unpack(layout.mean(X, model))
    assert expected["state"][0, 0] == pytest.approx(1.486806, abs=1e-6)
    assert expected["state"][1, 1] == pytest.approx(0.443087, abs=1e-6)
    assert expected["transition"][0, 1] == pytest.approx(0.310010, abs=1e-6)


@pytest.mark.spec("M-118", "M-119")
@given(
    st.integers(0, 5),
    st.integers(1, 3),
    st.integers(0, 2),
    st.booleans(),
    st.booleans(),
    st.integers(0, 2**31),
)
@settings(max_examples=40)
def test_loss_and_gradient_equal_enumeration(n, L, order, start, stop, seed):
    rng = np.random.default_rng(seed)
    layout = GlobalMap(2, L, start=start, stop=stop, order=order)
    X, gold, w = rng.normal(size=(n, 2)), rng.integers(0, L, n), rng.normal(size=layout.size)
    every = Enumeration.of(layout.chain(X, w))
    loss, gradient = crf.sentence_loss(layout, X, gold, w)
    assert loss == pytest.approx(every.log_partition - layout.chain(X, w).score(gold), abs=1e-10)
    phi = np.stack([layout.phi(X, y) for y in every.labellings])
    expected = every.probabilities @ phi - layout.phi(X, gold)
    np.testing.assert_allclose(gradient, expected, atol=1e-10)


@pytest.mark.spec("M-118", "M-119")
@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("ends", [False, True])
def test_gradient_agrees_with_finite_differences(order, ends):
    sentences, tags = tagged_sentences((4, 1, 0, 3), 2, 3, seed=1)
    layout = GlobalMap(2, 3, start=ends, stop=ends, order=order)
    weights = np.array([1.0, 2.0, 0.5, 0.0])
    f = crf.objective(layout, sentences, tags, C=0.7, weights=weights)
    w = np.random.default_rng(2).normal(size=layout.size)
    numeric = numeric_gradient(lambda w: f(w)[0], w)
    np.testing.assert_allclose(f(w)[1], numeric, rtol=1e-6, atol=1e-7)


@pytest.mark.spec("M-118")
def test_probabilities_of_all_labellings_sum_to_one():
    sentences, _ = tagged_sentences((4,), 2, 3)
    layout = GlobalMap(2, 3)
    w = np.random.default_rng(3).normal(size=layout.size)
    every = Enumeration.of(layout.chain(sentences[0], w))
    total = sum(np.exp(crf.log_probability(layout, sentences[0], y, w)) for y in every.labellings)
    assert total == pytest.approx(1)


@pytest.mark.spec("M-118", "M-52")
def test_sentences_of_one_token_are_maxent():
    X, y = random_classes(25, 3, 3)
    sentences, tags = [x[None] for x in X], [y[i : i + 1] for i in range(25)]
    layout = GlobalMap(3, 3, **FLAT)
    W = np.random.default_rng(4).normal(size=(3, 3))
    problem = maxent.summed_loss(X, y, 3, C=0.6)
    f = crf.objective(layout, sentences, tags, C=0.6)
    value, gradient = f(layout.pack({"state": W, "transition": np.zeros((3, 3))}))
    assert value == pytest.approx(problem(W)[0])
    np.testing.assert_allclose(layout.unpack(gradient)["state"], problem(W)[1], atol=1e-10)
    best = crf.fit(layout, sentences, tags, C=0.6)
    flat = lbfgs(problem, np.zeros((3, 3)))
    np.testing.assert_allclose(layout.unpack(best.x)["state"], flat.x, atol=1e-5)


@pytest.mark.spec("M-118", "A-54")
@pytest.mark.parametrize("how", ["order 0", "inactive transitions"])
def test_without_transitions_it_is_maxent_token_by_token(how):
    sentences, tags = tagged_sentences((4, 3, 6), 2, 3, seed=5)
    layout = GlobalMap(2, 3, order=0 if how == "order 0" else 1, **FLAT)
    active = np.arange(layout.size) < 6
    best = crf.fit(layout, sentences, tags, C=2.0, active=active, tolerance=1e-8)
    problem = maxent.summed_loss(np.concatenate(sentences), np.concatenate(tags), 3, C=2.0)
    flat = lbfgs(problem, np.zeros((2, 3)), tolerance=1e-8)
    assert best.value == pytest.approx(flat.value)
    np.testing.assert_allclose(layout.unpack(best.x)["state"], flat.x, atol=1e-6)
    for X, guess in zip(sentences, structured.predict(layout, sentences, best.x), strict=True):
        np.testing.assert_array_equal(guess, np.argmax(X @ flat.x, axis=1))


@pytest.mark.spec("M-118")
def test_maximum_likelihood_matches_expectations_and_observations():
    # every tag follows every feature and tag somewhere, so the maximum is finite
    rng = np.random.default_rng(6)
    sentences = [np.eye(2)[rng.integers(0, 2, 6)] for _ in range(10)]
    tags = [rng.integers(0, 2, 6) for _ in range(10)]
    layout = GlobalMap(2, 2)
    f = crf.objective(layout, sentences, tags, penalty=0.0)
    best = lbfgs(f, np.zeros(layout.size), tolerance=1e-8)
    assert best.converged
    pairs = list(zip(sentences, tags, strict=True))
    model = sum(layout.mean(X, crf.marginals(layout, X, best.x)) for X, _ in pairs)
    seen = sum(layout.phi(X, y) for X, y in pairs)
    np.testing.assert_allclose(model, seen, atol=1e-6)


@pytest.mark.spec("M-118")
def test_optimum_balances_the_gradient_and_a_weight_is_a_repeated_sentence():
    sentences, tags = tagged_sentences((4, 3), 2, 2, seed=7)
    layout = GlobalMap(2, 2)
    repeated = crf.fit(layout, [*sentences, sentences[1]], [*tags, tags[1]], C=0.5)
    weighted = crf.fit(layout, sentences, tags, C=0.5, weights=np.array([1.0, 2.0]))
    assert repeated.converged and weighted.converged
    np.testing.assert_allclose(weighted.x, repeated.x, atol=1e-5)


@pytest.mark.spec("M-118", "M-62")
def test_sgd_approaches_the_optimum_of_lbfgs():
    sentences, tags = tagged_sentences((4, 3, 5), 2, 2, seed=8)
    layout = GlobalMap(2, 2)
    f = crf.objective(layout, sentences, tags, C=0.5)
    best = crf.fit(layout, sentences, tags, C=0.5)
    found = crf.sgd(layout, sentences, tags, C=0.5, schedule=power(0.5, 0.6), n_rounds=100)
    assert best.value <= f(found.weights)[0] < best.value * 1.01 < f(np.zeros(layout.size))[0]


def test_only_observed_pairs_are_weighted_when_asked():
    sentences = [np.eye(3)[[0, 1]], np.eye(3)[[2]]]
    tags = [np.array([0, 1]), np.array([1])]
    layout = GlobalMap(3, 2)
    active = crf.observed(layout, sentences, tags)
    parts = layout.unpack(active)
    np.testing.assert_array_equal(parts["state"], [[True, False], [False, True], [False, True]])
    np.testing.assert_array_equal(parts["transition"], [[False, True], [False, False]])
    assert parts["start"].all() and parts["stop"].tolist() == [False, True]
    best = crf.fit(layout, sentences, tags, active=active)
    assert best.converged and not best.x[~active].any()
    assert crf.fit(layout, sentences, tags).value < best.value


@pytest.mark.spec("F-13", "M-120")
def test_the_crf_has_no_label_bias():
    sentences, tags = label_bias()
    layout = GlobalMap(5, 5)
    best = crf.fit(layout, sentences, tags, C=1 / 1e-3)
    assert best.converged
    for i, p in ((0, 0.997), (3, 0.992)):
        (guess,) = structured.predict(layout, [sentences[i]], best.x)
        np.testing.assert_array_equal(guess, tags[i])
        log_p = crf.log_probability(layout, sentences[i], tags[i], best.x)
        assert np.exp(log_p) == pytest.approx(p, abs=5e-4)


@pytest.mark.spec("M-119")
@pytest.mark.parametrize("order", [1, 2])
def test_two_thousand_tokens_have_a_finite_loss_and_gradient(order):
    rng = np.random.default_rng(9)
    layout = GlobalMap(2, 3, order=order)
    X, y = 100 * rng.normal(size=(2000, 2)), rng.integers(0, 3, 2000)
    loss, gradient = crf.sentence_loss(layout, X, y, rng.normal(size=layout.size))
    assert np.isfinite(loss) and loss > 0 and np.isfinite(gradient).all()


def test_a_forbidden_transition_gets_no_probability():
    layout, X, w = fixture()
    chain = layout.chain(X, w)
    mask = np.array([[True, False], [True, True]])
    legal = chain.constrained(transition=mask)
    assert isinstance(legal, Chain) and forward_backward(legal).pair[:, 0, 1].max() == 0
    assert forward_backward(legal).log_partition < forward_backward(chain).log_partition
