from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.errors import DataError
from linnet.reference.beam_search import beam_search, greedy
from linnet.reference.chain import Chain, hamming, point_mass
from linnet.reference.enumeration import Enumeration, labellings, place
from linnet.reference.forward_backward import forward_backward, scaled
from linnet.reference.viterbi import n_best, viterbi

from .chains import chains, random_chain


@given(chains())
@settings(max_examples=60)
def test_score_is_the_sum_of_the_local_scores(chain):
    for y in labellings(chain.n_tokens, chain.n_labels)[::37]:
        before = tuple(y.tolist())
        local = sum(chain.local(t, before[:t])[y[t]] for t in range(len(y)))
        assert chain.score(y) == pytest.approx(local, rel=1e-12, abs=1e-12)


def test_score_written_out_by_hand():
    second = np.zeros((2, 2, 2))
    second[0, 1, 1] = 1000.0
    chain = Chain.of(
        np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
        np.array([[10.0, 20.0], [30.0, 40.0]]),
        np.array([100.0, 200.0]),
        np.array([0.5, 0.25]),
        second,
    )
    assert chain.score(np.array([0, 1, 1])) == 100 + 1 + 20 + 4 + 40 + 6 + 1000 + 0.25


def test_score_is_the_inner_product_of_scores_and_indicators():
    chain = random_chain(5, 3, order=2, per_step=True)
    y = np.array([2, 0, 1, 1, 0])
    seen = point_mass(y, 3, order=2)
    total = (chain.state * seen.token).sum() + (chain.steps * seen.pair).sum()
    total += (chain.second * seen.triple).sum() + chain.start[2] + chain.stop[0]
    assert chain.score(y) == pytest.approx(total, abs=1e-12)


@given(st.integers(0, 5), st.integers(1, 4))
def test_place_counts_the_labellings_in_their_order(n, L):
    assert [place(y, L) for y in labellings(n, L)] == list(range(L**n))


@pytest.mark.spec("M-108")
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_every_decoder_gives_one_label_a_token(n, order):
    chain = random_chain(n, 3, order=order)
    paths = [viterbi(chain), n_best(chain, 2)[0], beam_search(chain)[0], greedy(chain)]
    assert [path.labels.shape for path in paths] == [(n,)] * 4
    assert all(np.issubdtype(path.labels.dtype, np.integer) for path in paths)
    assert forward_backward(chain).token.shape == (n, 3)


@pytest.mark.spec("M-108")
@pytest.mark.parametrize("order", [1, 2])
def test_the_empty_sentence_has_one_labelling_of_score_zero(order):
    chain = random_chain(0, 3, order=order)
    assert viterbi(chain).score == 0 == forward_backward(chain).log_partition
    assert len(n_best(chain, 5)) == 1 == len(Enumeration.of(chain).scores)
    assert scaled(random_chain(0, 3)).log_partition == 0


@given(chains(orders=(1,), forbidden=(0.0,)), st.integers(0, 2**31))
@settings(max_examples=50)
def test_constrained_decoding_is_the_best_labelling_that_obeys_the_masks(chain, seed):
    rng = np.random.default_rng(seed)
    n, L = chain.state.shape
    state, step, start, stop = (rng.random(shape) < 0.7 for shape in ((n, L), (L, L), (L,), (L,)))
    every = Enumeration.of(chain)
    Y, t = every.labellings, np.arange(n)
    legal = state[t, Y].all(axis=1) & step[Y[:, :-1], Y[:, 1:]].all(axis=1)
    if n:
        legal &= start[Y[:, 0]] & stop[Y[:, -1]]
    found = viterbi(chain.constrained(state=state, transition=step, start=start, stop=stop))
    best = every.scores[legal].max(initial=-np.inf)
    assert found.score == pytest.approx(best, abs=1e-10)
    if legal.any():
        assert legal[place(found.labels, L)]


@pytest.mark.spec("M-123")
@given(chains(), st.integers(0, 2**31), st.booleans())
@settings(max_examples=60)
def test_cost_augmented_decoding_equals_enumeration(chain, seed, hamming_cost):
    rng = np.random.default_rng(seed)
    n, L = chain.state.shape
    gold = rng.integers(0, L, n)
    cost = None if hamming_cost else rng.uniform(0, 3, (L, L)) * (1 - np.eye(L))
    every = Enumeration.of(chain)
    rho = 1 - np.eye(L) if cost is None else cost
    augmented = every.scores + rho[every.labellings, gold].sum(axis=1)
    assert viterbi(chain.augmented(gold, cost)).score == pytest.approx(augmented.max(), abs=1e-10)
    if hamming_cost:
        wrong = [hamming(y, gold) for y in every.labellings]
        np.testing.assert_allclose(augmented, every.scores + wrong, atol=1e-10)


def test_wrong_shapes_and_illegal_scores_are_refused():
    state = np.zeros((3, 2))
    for name, array in {
        "transition": np.zeros((2, 3)),
        "start": np.zeros(3),
        "stop": np.zeros(3),
        "second": np.zeros((2, 2)),
    }.items():
        with pytest.raises(DataError, match=name):
            Chain.of(state, **{name: array})
    with pytest.raises(DataError, match="finite or -inf"):
        Chain.of(np.full((1, 2), np.nan))
    with pytest.raises(DataError, match="finite or -inf"):
        Chain.of(state, start=np.full(2, np.inf))
    with pytest.raises(DataError, match=r"\(tokens, labels\)"):
        Chain.of(np.zeros(3))
