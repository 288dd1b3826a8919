"""Transitions that were observed: the same model where all were, and the same numbers if not."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linnet
from linnet import _core
from linnet.errors import ParameterError
from linnet.learn.chain import Constraints
from linnet.learn.chain.sentences import checked, read_sentences
from linnet.learn.chain.weights import Following, observed_pairs, observed_transitions
from linnet.reference.chain import Chain
from linnet.reference.enumeration import Enumeration
from linnet.reference.viterbi import viterbi

from .chains import sentences

TIGHT: dict[str, Any] = {"tol": 1e-9, "max_iter": 5000}


def made(seed: int, lengths: list[int], labels: int) -> tuple[Any, Any, Following]:
    """Return features, gold labels of very different frequency, and their transitions."""
    random = np.random.default_rng(seed)
    X = [[[f"f{random.integers(9)}", f"g{random.integers(5)}"] for _ in range(n)] for n in lengths]
    gold = np.concatenate([random.zipf(1.5, n) % labels for n in lengths]).astype(np.int32)
    features = checked(read_sentences(X, None)[0])
    return features, gold, observed_transitions(gold, features.sentence, labels)


def seen_table(following: Following, labels: int) -> Any:
    table = np.zeros((labels, labels), bool)
    table[np.repeat(np.arange(labels), np.diff(following.start)), following.next] = True
    return table


def two_ways(seed: int, lengths: list[int], labels: int, size: float) -> Any:
    """Return objective and gradient with lists of transitions, and with all of them."""
    features, gold, following = made(seed, lengths, labels)
    start, label = observed_pairs(features, gold, labels, every=True)
    parts = features.matrix, features.sentence, start, label, labels
    random = np.random.default_rng(seed + 1)
    listed, whole = _core.Chain(*parts, *following), _core.Chain(*parts)
    w = random.normal(size=whole.weights) * size
    seen = seen_table(following, labels).ravel()
    w[len(label) : len(label) + labels**2] *= seen
    cost = random.uniform(0.5, 2.0, features.n_sentences)
    found = []
    for chain in (listed, whole):
        gradient = np.empty_like(w)
        value = _core.crf_evaluate(chain, gold, cost, 1.0, w, gradient, 1)
        gradient[len(label) : len(label) + labels**2] *= seen
        found.append((value, gradient))
    return found


@pytest.mark.spec("M-118", "M-119")
@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10**6),
    st.lists(st.integers(0, 30), min_size=1, max_size=40),
    st.sampled_from([2, 9, 30]),
    st.sampled_from([0.1, 1.0, 3.0, 30.0, 400.0]),
)
def test_lists_of_transitions_give_the_objective_and_the_gradient_of_the_table(
    seed: int, lengths: list[int], labels: int, size: float
) -> None:
    (value, gradient), (expected, right) = two_ways(seed, [*lengths, 3], labels, size)
    assert value == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(gradient, right, atol=1e-8 * max(1.0, size) * len(lengths))


def test_a_sentence_longer_than_a_block_gives_the_same() -> None:
    (value, gradient), (expected, right) = two_ways(3, [700, 2, 600, 0, 1], 20, 1.0)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient, right, atol=1e-9)


@pytest.mark.spec("M-118")
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_with_few_transitions_ln_z_is_that_of_enumeration(n: int) -> None:
    labels = 3
    random = np.random.default_rng(n)
    state = random.normal(size=(2 * n, labels))  # two sentences go side by side
    following = Following(np.array([0, 1, 2, 2]), np.array([1, 0], np.int32))
    transition = np.where(seen_table(following, labels), random.normal(size=(3, 3)), 0.0)
    start, stop = random.normal(size=(2, labels))
    X = [[[f"t{s}{t}"] for t in range(n)] for s in range(2)]
    features = checked(read_sentences(X, None)[0])
    gold = np.resize(np.array([0, 1], np.int32), 2 * n)
    pairs = np.arange(2 * n + 1, dtype=np.int64) * labels
    label = np.tile(np.arange(labels, dtype=np.int32), 2 * n)
    chain = _core.Chain(features.matrix, features.sentence, pairs, label, labels, *following)
    w = np.concatenate([state.ravel(), transition.ravel(), start, stop])
    expected = 0.0
    for s in range(2):
        own = slice(s * n, s * n + n)
        one = Chain.of(state[own], transition, start, stop)
        expected += Enumeration.of(one).log_partition - one.score(gold[own])
    value = _core.crf_evaluate(chain, gold, np.ones(2), 0.0, w, np.empty_like(w), 1)
    assert value == pytest.approx(expected, rel=1e-12)


def test_where_every_transition_is_observed_the_choice_changes_nothing() -> None:
    X, y = sentences(1, 300)
    both = [linnet.CRF(transitions=way, **TIGHT).fit(X, y) for way in ("observed", "all")]
    assert len(both[0].classes_) ** 2 == len({p for t in y for p in pairwise(t)})
    np.testing.assert_allclose(both[0].transition_, both[1].transition_, atol=1e-5)
    np.testing.assert_allclose(both[0].pair_weight_, both[1].pair_weight_, atol=1e-5)


def test_a_transition_that_was_not_seen_weighs_nothing_and_can_still_be_decoded() -> None:
    X = [[["a"], ["b"]], [["b"], ["c"]], [["a"], ["b"], ["c"]]]
    y = [["A", "B"], ["B", "C"], ["A", "B", "C"]]
    crf = linnet.CRF(C=10.0, transitions="observed").fit(X, y)
    seen = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], bool)
    assert not crf.transition_[~seen].any()
    assert (crf.transition_[seen] > 0).all()
    ranked = crf.predict_nbest([[["c"], ["a"]]], k=9)[0]
    assert ["C", "A"] in [labels for _, labels in ranked]
    assert (crf.predict_marginals([[["c"], ["a"]]])[0] > 0).all()


@pytest.mark.parametrize("penalty", ["l2", "l1", "elasticnet"])
def test_weights_of_transitions_that_were_not_seen_stay_0_whatever_the_penalty(
    penalty: str,
) -> None:
    X, y = sentences(5, 40, labels=8, features=12)
    crf = linnet.CRF(transitions="observed", penalty=penalty).fit(X, y)
    place = {name: k for k, name in enumerate(crf.classes_.tolist())}
    seen = {(place[a], place[b]) for tags in y for a, b in pairwise(tags)}
    assert set(zip(*np.nonzero(crf.transition_), strict=True)) <= seen


def test_sgd_leaves_unseen_transitions_at_0_and_comes_near_the_optimum() -> None:
    X, y = sentences(6, 60, labels=5)
    exact = linnet.CRF(transitions="observed", tol=1e-6, max_iter=1000).fit(X, y)
    near = linnet.CRF(transitions="observed", solver="sgd", random_state=0, tol=1e-5).fit(X, y)
    assert not near.transition_[exact.transition_ == 0].any()
    assert near.history_["objective"].min() < 1.02 * exact.history_["objective"][-1]


def test_a_warm_start_forgets_transitions_that_have_no_weight_any_more() -> None:
    X, y = sentences(7, 40, labels=6)
    crf = linnet.CRF(transitions="all", warm_start=True).fit(X, y)
    crf.set_params(transitions="observed").fit(X, y)
    cold = linnet.CRF(transitions="observed").fit(X, y)
    np.testing.assert_array_equal(crf.transition_ == 0, cold.transition_ == 0)


def test_auto_is_all_up_to_fifty_labels_and_observed_above() -> None:
    for labels, dense in ((50, True), (51, False)):
        y = [[f"{k:02d}" for k in range(labels)]] * 2
        X = [[[name] for name in tags] for tags in y]
        crf = linnet.CRF(C=10.0, tol=0.1).fit(X, y)
        assert (np.count_nonzero(crf.transition_) == labels - 1) != dense


@pytest.mark.spec("M-119")
def test_seven_hundred_and_fifty_labels_are_learned_and_told_apart() -> None:
    random = np.random.default_rng(0)
    order = random.permutation(750)
    y = [[f"t{k:03d}" for k in order[i : i + 10]] for i in range(0, 750, 10)] * 2
    X = [[[f"w={tag}", "bias"] for tag in tags] for tags in y]
    crf = linnet.CRF(C=10.0).fit(X, y)
    assert crf.transition_.shape == (750, 750)
    assert crf.score(X, y) == 1.0
    assert np.isfinite(crf.transition_).all()


def test_one_and_two_threads_give_the_same_bits() -> None:
    X, y = sentences(8, 400, labels=8, longest=25)
    fits = [linnet.CRF(transitions="observed", n_threads=n).fit(X, y) for n in (1, 2)]
    for name in ("transition_", "pair_weight_", "start_", "stop_"):
        np.testing.assert_array_equal(getattr(fits[0], name), getattr(fits[1], name))


def test_a_saved_model_predicts_the_same(tmp_path: Any) -> None:
    X, y = sentences(9, 50, labels=7)
    crf = linnet.CRF(transitions="observed").fit(X, y)
    linnet.save(crf, tmp_path / "crf.linnet")
    back = linnet.load(tmp_path / "crf.linnet")
    assert back.get_params()["transitions"] == "observed"
    assert back.predict(X) == crf.predict(X)


def test_an_unknown_choice_is_refused() -> None:
    with pytest.raises(ParameterError, match="transitions"):
        linnet.CRF(transitions="some").fit([[["a"]]], [["A"]])


# Viterbi with many labels passes over rows that cannot win


@pytest.mark.spec("M-112")
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(64, 90), st.integers(1, 12), st.booleans())
def test_viterbi_with_many_labels_finds_what_the_reference_finds(
    seed: int, labels: int, n: int, whole_numbers: bool
) -> None:
    random = np.random.default_rng(seed)
    draw = (lambda *s: random.integers(-2, 3, s) * 1.0) if whole_numbers else (
        lambda *s: random.normal(size=s) * 3.0
    )  # fmt: skip
    state, transition, start, stop = (
        draw(n, labels), draw(labels, labels), draw(labels), draw(labels)
    )  # fmt: skip
    transition[random.random((labels, labels)) < 0.2] = -np.inf
    p = _core.Potentials(transition, start, stop)
    found, scores = np.empty(n, np.int32), np.empty(1)
    _core.decode_table(state, np.array([0, n]), p, 0, found, scores, 1)
    best = viterbi(Chain.of(state, transition, start, stop))
    assert scores[0] == pytest.approx(best.score, rel=1e-12)
    np.testing.assert_array_equal(found, best.labels)


def test_many_labels_of_which_none_may_follow_have_no_labelling() -> None:
    y = [[f"{k:02d}" for k in range(70)]]
    X = [[[name] for name in tags] for tags in y]
    crf = linnet.CRF(max_iter=3, tol=0.9).fit(X, y)
    nothing = Constraints(np.ones(70, bool), np.zeros((70, 70), bool), np.ones(70, bool))
    with pytest.raises(linnet.errors.DataError, match="No labelling"):
        crf.predict(X, constraints=nothing)
