"""The chain over many sentences, whatever its state scores come from."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.learn.chain import Chain, Constraints, Edges
from linnet.learn.chain.scores import Table
from linnet.reference import chain as reference
from linnet.reference.forward_backward import forward_backward

from .chains import sentences


def random_chain(lengths: list[int], n_labels: int, threads: int = 1) -> Chain:
    random = np.random.default_rng(0)
    sentence = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    state = random.normal(size=(int(sentence[-1]), n_labels))
    shapes = ((n_labels, n_labels), (n_labels,), (n_labels,))
    edges = Edges(*(random.normal(size=shape) for shape in shapes))
    states = Table(lambda first, last: state[sentence[first] : sentence[last]])
    return Chain(sentence, states, edges, threads)


def alone(chain: Chain, s: int) -> Chain:
    ends = np.array([0, chain.sentence[s + 1] - chain.sentence[s]], np.int64)
    assert isinstance(chain.states, Table)
    of = chain.states.of
    return Chain(ends, Table(lambda first, last: of(s, s + 1)), chain.edges, 1)


@pytest.mark.spec("M-112")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("block", [1, 1 << 22])
def test_the_n_best_of_many_sentences_are_those_of_each_alone(
    threads: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("linnet.learn.chain.scores.BLOCK", block)
    chain = random_chain([3, 0, 1, 7, 2], 4, threads)
    every = chain.n_best(20)
    assert [len(best) for best in every] == [20, 1, 4, 20, 16]
    for s, best in enumerate(every):
        [one] = alone(chain, s).n_best(20)
        assert [score for score, _ in best] == [score for score, _ in one]
        assert [path.tolist() for _, path in best] == [path.tolist() for _, path in one]
    labels, scores = chain.decode()
    for s, (first, last) in enumerate(zip(chain.sentence, chain.sentence[1:], strict=False)):
        assert every[s][0][1].tolist() == labels[first:last].tolist()
        assert every[s][0][0] == pytest.approx(scores[s])


@pytest.mark.spec("M-119")
@pytest.mark.parametrize("size", [30.0, 400.0, 5000.0])
def test_scores_of_any_size_give_the_marginals_of_logarithms(size: float) -> None:
    """The better part of a sentence may come last: what was too small to be kept then matters."""
    random = np.random.default_rng(8)
    for labels in (2, 5):
        lengths = random.integers(1, 30, 60)
        offset = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        state = random.normal(size=(offset[-1], labels)) * size
        transition = random.normal(size=(labels, labels)) * size
        start, stop = random.normal(size=(2, labels)) * size
        states = Table(lambda first, last, of=state, at=offset: of[at[first] : at[last]])
        chain = Chain(offset, states, Edges(transition, start, stop), 1)
        token, log_z = chain.marginals()
        for s, (first, last) in enumerate(pairwise(offset)):
            whole = reference.Chain.of(state[first:last], transition, start, stop)
            expected = forward_backward(whole)
            assert log_z[s] == pytest.approx(expected.log_partition, rel=1e-12)
            np.testing.assert_allclose(token[first:last], expected.token, atol=1e-9)


@pytest.mark.spec("M-112")
@pytest.mark.parametrize(
    "learner", [linnet.CRF(), linnet.MEMM(), linnet.MEMM(states="per_state")], ids=repr
)
def test_a_stored_tagger_answers_where_nothing_is_allowed_as_if_all_were(learner: Any) -> None:
    from linnet.learn.chain import LearnerChain
    from linnet.text.token_extractor import TokenRows

    X, y = sentences(3, 20)
    learner.fit(X, y)
    features = learner._read(X, reset=False)
    rows = TokenRows(features.start, features.column, features.n_features)
    stored = LearnerChain(learner, tuple(learner.classes_.tolist()), features.n_features)
    learner.__dict__.pop("vocabulary_")  # rows have numbers for names
    L, offset = len(learner.classes_), features.sentence
    nothing = Constraints(np.zeros(L, bool), np.ones((L, L), bool), np.ones(L, bool))
    for verb, more in (("decode", ()), ("marginals", ()), ("n_best", (3,))):
        free = getattr(stored, verb)(rows, offset, *more, None, 1)
        bound = getattr(stored, verb)(rows, offset, *more, nothing, 1)
        assert repr(free) == repr(bound)
