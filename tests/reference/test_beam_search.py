from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.errors import ParameterError
from linnet.reference.beam_search import beam_search, greedy
from linnet.reference.chain import Chain
from linnet.reference.viterbi import viterbi

from .chains import chains, random_chain


@pytest.mark.spec("M-115")
@given(chains())
@settings(max_examples=50)
def test_a_beam_of_one_is_greedy(chain):
    (found,), expected = beam_search(chain, 1), greedy(chain)
    assert found.score == expected.score
    np.testing.assert_array_equal(found.labels, expected.labels)


@pytest.mark.spec("M-115")
@given(chains(max_tokens=5))
@settings(max_examples=50)
def test_a_beam_that_drops_nothing_before_the_last_token_is_exact(chain):
    width = chain.n_labels ** max(chain.n_tokens - 1, 0)
    found = beam_search(chain, width)[0]
    assert found.score == pytest.approx(viterbi(chain).score, abs=1e-10)


@pytest.mark.spec("M-115")
@given(chains(), st.integers(1, 8))
@settings(max_examples=50)
def test_the_scores_of_the_beam_are_those_of_its_labellings(chain, width):
    beam = beam_search(chain, width)
    assert len(beam) <= width
    scores = [path.score for path in beam]
    assert scores == sorted(scores, reverse=True)
    for path in beam:
        assert chain.score(path.labels) == pytest.approx(path.score, abs=1e-10)


@pytest.mark.spec("M-115", "A-58")
def test_ties_go_to_the_prefix_that_was_made_first():
    beam = beam_search(Chain.of(np.zeros((2, 2))), 3)
    assert [path.labels.tolist() for path in beam] == [[0, 0], [0, 1], [1, 0]]
    # prefixes with the same last label are kept apart
    beam = beam_search(Chain.of(np.array([[1.0, 1.0], [1.0, 0.0]])), 2)
    assert [path.labels.tolist() for path in beam] == [[0, 0], [1, 0]]


@pytest.mark.spec("M-115")
def test_a_narrow_beam_can_lose_the_best_labelling():
    chain = Chain.of(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0.0, -5.0], [0.0, 0.0]]))
    assert greedy(chain).score == 1.0 < viterbi(chain).score == 2.0
    assert beam_search(chain, 2)[0].labels.tolist() == [1, 1]


def test_an_empty_beam_is_refused():
    with pytest.raises(ParameterError, match="at least one prefix"):
        beam_search(random_chain(2, 2), 0)
