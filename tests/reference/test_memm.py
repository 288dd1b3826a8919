from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.errors import DataError, ParameterError
from linnet.reference import maxent, memm
from linnet.reference.enumeration import Enumeration
from linnet.reference.lbfgs import lbfgs

from .chains import label_bias, tagged_sentences


def random_weights(mode: str, J: int, L: int, seed: int):
    shape = (J + L + 1, L) if mode == "shared" else (L + 1, J, L)
    return np.random.default_rng(seed).normal(size=shape)


modes = pytest.mark.parametrize("mode", ["shared", "per_state"])


@pytest.mark.spec("M-113")
@modes
def test_local_distributions_and_whole_sequences_sum_to_one(mode):
    X, W = np.random.default_rng(1).normal(size=(5, 2)), random_weights(mode, 2, 3, 2)
    local = np.exp(memm.local_distributions(X, W))
    np.testing.assert_allclose(local.sum(axis=2), 1, rtol=1e-12)
    every = Enumeration.of(memm.chain(X, W))
    assert every.log_partition == pytest.approx(0, abs=1e-12)


@pytest.mark.spec("M-113", "A-56")
def test_the_shared_mode_is_maxent_with_the_previous_tag_as_a_feature():
    X, W = np.random.default_rng(1).normal(size=(4, 2)), random_weights("shared", 2, 3, 3)
    local = np.exp(memm.local_distributions(X, W))
    for before in range(4):
        rows = memm.with_previous(X, np.full(4, before), 3)
        np.testing.assert_allclose(local[:, before], maxent.probabilities(rows, W), atol=1e-12)


@pytest.mark.spec("M-113", "A-57")
@modes
def test_a_sequence_has_the_product_of_its_local_probabilities(mode):
    X, W = np.random.default_rng(4).normal(size=(3, 2)), random_weights(mode, 2, 3, 5)
    local = memm.local_distributions(X, W)
    expected = local[0, 3, 2] + local[1, 2, 0] + local[2, 0, 1]
    assert memm.chain(X, W).score(np.array([2, 0, 1])) == pytest.approx(expected, abs=1e-12)


@pytest.mark.spec("M-114", "M-112")
@given(st.integers(0, 6), st.integers(1, 4), st.integers(0, 2**31))
@settings(max_examples=40)
def test_decoding_equals_enumeration(n, L, seed):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    for mode in ("shared", "per_state"):
        W = random_weights(mode, 2, L, seed)
        chain = memm.chain(X, W)
        best = Enumeration.of(chain).best.score
        assert chain.score(memm.decode(X, W)) == pytest.approx(best, abs=1e-10)
        wide = memm.decode(X, W, beam=L ** max(n - 1, 0))
        assert chain.score(wide) == pytest.approx(best, abs=1e-10)


@pytest.mark.spec("M-113")
@modes
def test_training_is_maxent_on_single_tokens_with_the_gold_previous_tag(mode):
    sentences, tags = tagged_sentences((3, 0, 1, 4), 2, 2, seed=6)
    W = memm.fit(sentences, tags, 2, mode=mode, C=0.7)
    X, y = np.concatenate(sentences), np.concatenate(tags)
    previous = np.concatenate([np.concatenate([[2], t])[:-1] for t in tags if len(t)])
    if mode == "shared":
        problem = maxent.summed_loss(memm.with_previous(X, previous, 2), y, 2, 0.7)
        assert np.abs(problem(W)[1]).max() < 1e-7
    else:
        for state in range(3):
            rows = previous == state
            problem = maxent.summed_loss(X[rows], y[rows], 2, 0.7)
            best = lbfgs(problem, np.zeros((2, 2)), tolerance=1e-8)
            np.testing.assert_allclose(W[state], best.x, atol=1e-7)


@pytest.mark.spec("M-113")
def test_without_weights_on_the_previous_tag_it_is_maxent_token_by_token():
    X, W = np.random.default_rng(7).normal(size=(6, 3)), random_weights("shared", 3, 4, 8)
    W[3:] = 0
    np.testing.assert_array_equal(memm.decode(X, W), np.argmax(X @ W[:3], axis=1))


@pytest.mark.spec("F-13", "M-120", "A-56")
def test_per_state_models_ignore_the_letter_after_the_first_step():
    sentences, tags = label_bias()
    W = memm.fit(sentences, tags, 5, mode="per_state", C=1 / 1e-3)
    rob, chain = sentences[3], memm.chain(sentences[3], W)
    np.testing.assert_array_equal(memm.decode(rob, W), [0, 1, 2])
    assert np.exp(chain.score(np.array([0, 1, 2]))) == pytest.approx(0.702, abs=5e-4)
    assert np.exp(chain.score(np.array([3, 4, 2]))) == pytest.approx(0.248, abs=5e-4)
    np.testing.assert_array_equal(memm.decode(sentences[0], W), tags[0])


@modes
def test_an_empty_sentence_has_no_tags(mode):
    assert memm.decode(np.zeros((0, 2)), random_weights(mode, 2, 3, 0)).shape == (0,)


def test_wrong_input_is_refused():
    with pytest.raises(DataError, match="shape"):
        memm.local_distributions(np.ones((1, 2)), np.zeros((3, 2)))
    with pytest.raises(ParameterError, match="mode"):
        memm.fit([np.ones((1, 1))], [np.array([0])], 1, mode="other")
    with pytest.raises(DataError, match="1 sentences but 0"):
        memm.fit([np.ones((1, 1))], [], 1)
    with pytest.raises(DataError, match="no sentences"):
        memm.fit([], [], 1)
