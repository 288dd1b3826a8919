from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.errors import ParameterError
from linnet.reference.chain import Chain
from linnet.reference.enumeration import Enumeration
from linnet.reference.viterbi import n_best, pruned, viterbi

from .chains import chains, random_chain


@pytest.mark.spec("M-112", "M-119")
@given(chains())
@settings(max_examples=150)
def test_viterbi_finds_the_best_score_of_all_labellings(chain):
    found, every = viterbi(chain), Enumeration.of(chain)
    assert found.score == pytest.approx(every.best.score, abs=1e-10)
    assert chain.score(found.labels) == pytest.approx(found.score, abs=1e-10)


@pytest.mark.spec("M-112")
@given(chains(whole=True))
@settings(max_examples=150)
def test_ties_go_to_the_labelling_that_is_smallest_from_the_end(chain):
    # whole scores add up exactly, so ties are real
    np.testing.assert_array_equal(viterbi(chain).labels, Enumeration.of(chain).best.labels)


@pytest.mark.spec("M-112")
@given(chains(whole=True), st.integers(1, 12))
@settings(max_examples=100)
def test_n_best_equals_the_sorted_enumeration(chain, n):
    found, expected = n_best(chain, n), Enumeration.of(chain).n_best(n)
    assert [path.score for path in found] == [path.score for path in expected]
    assert [path.labels.tolist() for path in found] == [path.labels.tolist() for path in expected]


@given(chains(whole=False, max_tokens=5, max_labels=3))
@settings(max_examples=30)
def test_n_best_with_a_large_n_lists_every_possible_labelling(chain):
    every = Enumeration.of(chain)
    scores = [path.score for path in n_best(chain, 1000)]
    possible = every.scores[every.scores > -np.inf]
    np.testing.assert_allclose(scores, np.sort(possible)[::-1], atol=1e-10)


@pytest.mark.spec("M-112")
@given(chains(orders=(1,)))
@settings(max_examples=40)
def test_second_order_scores_of_zero_change_nothing(chain):
    L = chain.n_labels
    second = Chain.of(chain.state, chain.transition, chain.start, chain.stop, np.zeros((L, L, L)))
    first, other = viterbi(chain), viterbi(second)
    assert first.score == pytest.approx(other.score, abs=1e-10)


@given(chains(orders=(1,)))
@settings(max_examples=40)
def test_pruned_viterbi_is_exact_at_full_width_and_never_better(chain):
    exact = viterbi(chain)
    full = pruned(chain, chain.n_labels)
    assert full.score == exact.score
    np.testing.assert_array_equal(full.labels, exact.labels)
    for width in range(1, chain.n_labels):
        narrow = pruned(chain, width)
        assert narrow.score <= exact.score + 1e-12
        if narrow.score > -np.inf:
            assert chain.score(narrow.labels) == pytest.approx(narrow.score, abs=1e-10)


@pytest.mark.parametrize("order", [1, 2])
def test_an_impossible_sentence_gets_label_zero_and_minus_infinity(order):
    chain = random_chain(4, 3, order=order).constrained(stop=np.zeros(3, dtype=bool))
    found = viterbi(chain)
    assert found.score == -np.inf and found.labels.tolist() == [0, 0, 0, 0]
    assert n_best(chain, 3) == []


@pytest.mark.spec("M-119")
@pytest.mark.parametrize("order", [1, 2])
def test_two_thousand_tokens_decode_to_the_score_of_their_labelling(order):
    ahead = np.triu(np.ones((4, 4), dtype=bool)) | (np.arange(4) == 0)
    chain = random_chain(2000, 4, order=order, seed=3).constrained(transition=ahead)
    found = viterbi(chain)
    assert np.isfinite(found.score)
    assert chain.score(found.labels) == pytest.approx(found.score, rel=1e-12)


def test_foolish_sizes_are_refused():
    chain = random_chain(2, 2)
    with pytest.raises(ParameterError, match="at least one labelling"):
        n_best(chain, 0)
    with pytest.raises(ParameterError, match="at least one label"):
        pruned(chain, 0)
    with pytest.raises(ParameterError, match="order 1"):
        pruned(random_chain(2, 2, order=2), 1)
