from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from linnet.errors import ParameterError
from linnet.reference.chain import Chain
from linnet.reference.enumeration import Enumeration
from linnet.reference.forward_backward import forward_backward, log_partition, scaled

from .chains import chains, random_chain


def same(found, expected, atol=1e-10):
    assert found.log_partition == pytest.approx(expected.log_partition, rel=1e-10, abs=atol)
    np.testing.assert_allclose(found.token, expected.token, atol=atol)
    np.testing.assert_allclose(found.pair, expected.pair, atol=atol)
    if expected.triple is not None:
        np.testing.assert_allclose(found.triple, expected.triple, atol=atol)


@pytest.mark.spec("M-118", "M-119")
@given(chains())
@settings(max_examples=80)
def test_partition_and_marginals_equal_enumeration(chain):
    same(forward_backward(chain), Enumeration.of(chain).marginals)


@pytest.mark.spec("M-119")
@given(chains(orders=(1,)))
@settings(max_examples=80)
def test_scaled_products_equal_the_log_domain(chain):
    same(scaled(chain), forward_backward(chain))


@pytest.mark.spec("M-119")
@given(chains(orders=(1,)))
@settings(max_examples=40)
def test_second_order_scores_of_zero_give_the_first_order_marginals(chain):
    L = chain.n_labels
    second = Chain.of(chain.state, chain.transition, chain.start, chain.stop, np.zeros((L, L, L)))
    first, other = forward_backward(chain), forward_backward(second)
    assert other.log_partition == pytest.approx(first.log_partition, rel=1e-10, abs=1e-10)
    np.testing.assert_allclose(other.token, first.token, atol=1e-10)
    np.testing.assert_allclose(other.pair, first.pair, atol=1e-10)


@given(chains(forbidden=(0.0,)))
@settings(max_examples=40)
def test_windows_agree_with_each_other_and_sum_to_one(chain):
    found = forward_backward(chain)
    np.testing.assert_allclose(found.token.sum(axis=1), 1, atol=1e-10)
    np.testing.assert_allclose(found.pair.sum(axis=2), found.token[:-1], atol=1e-10)
    np.testing.assert_allclose(found.pair.sum(axis=1), found.token[1:], atol=1e-10)
    if found.triple is not None:
        np.testing.assert_allclose(found.triple.sum(axis=3), found.pair[:-1], atol=1e-10)
        np.testing.assert_allclose(found.triple.sum(axis=1), found.pair[1:], atol=1e-10)


@pytest.mark.spec("M-119")
@pytest.mark.parametrize("order", [1, 2])
def test_two_thousand_tokens_neither_overflow_nor_underflow(order):
    chain = random_chain(2000, 3, order=order, seed=1)
    big = Chain.of(chain.state + 500.0, chain.transition, chain.start, chain.stop, chain.second)
    small, large = forward_backward(chain), forward_backward(big)
    assert large.log_partition == pytest.approx(small.log_partition + 2000 * 500.0, rel=1e-12)
    np.testing.assert_allclose(large.token, small.token, atol=1e-8)
    np.testing.assert_allclose(large.token.sum(axis=1), 1, atol=1e-8)


@pytest.mark.spec("M-119")
@pytest.mark.parametrize("algorithm", [forward_backward, scaled])
def test_ten_thousand_tokens_with_a_known_answer(algorithm):
    # every label is free and worth s, so Z = (L e^s)^n
    found = algorithm(Chain.of(np.full((10_000, 2), -300.0)))
    assert found.log_partition == pytest.approx(10_000 * (np.log(2) - 300), rel=1e-12)
    np.testing.assert_allclose(found.token, 0.5, atol=1e-9)


@pytest.mark.parametrize("algorithm", [forward_backward, scaled])
@pytest.mark.parametrize("where", ["state", "transition", "start", "stop"])
def test_an_impossible_sentence_has_uniform_marginals_and_no_nan(algorithm, where):
    mask = np.zeros(getattr(random_chain(3, 2), where).shape, dtype=bool)
    found = algorithm(random_chain(3, 2).constrained(**{where: mask}))
    assert found.log_partition == -np.inf
    np.testing.assert_array_equal(found.token, 0.5)
    np.testing.assert_array_equal(found.pair, 0.25)


def test_constraints_keep_probability_from_what_they_forbid():
    mask = np.array([[True, False], [True, True]])
    found = forward_backward(random_chain(5, 2).constrained(transition=mask))
    assert (found.pair[:, 0, 1] == 0).all()
    np.testing.assert_allclose(found.token.sum(axis=1), 1, atol=1e-12)


@pytest.mark.spec("M-112", "M-118")
def test_log_partition_lies_above_the_best_score():
    chain = random_chain(5, 3)
    every = Enumeration.of(chain)
    assert every.best.score < log_partition(chain) < every.best.score + 5 * np.log(3)


def test_scaled_is_for_order_one():
    with pytest.raises(ParameterError, match="order 1"):
        scaled(random_chain(3, 2, order=2))
