"""Chains of second order: enumeration, the reference, and the trigram hidden Markov model."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linnet
from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.learn.chain import Constraints
from linnet.reference.chain import Chain
from linnet.reference.enumeration import Enumeration
from linnet.reference.trigrams import deleted_interpolation, trigram_probabilities

from .chains import TOY_TAGS, TOY_WORDS


def chain_of(state: Any, start: Any, transition: Any, second: Any, stop: Any) -> Chain:
    """Return the reference's chain: there pairs score besides triples, here only at first."""
    n, L = state.shape
    steps = np.zeros((max(n - 1, 0), L, L))
    steps[:1] = transition
    return Chain.of(state, steps, start, stop, second)


def draw(seed: int, n: int, L: int, *, whole: bool, never: float) -> Any:
    random = np.random.default_rng(seed)
    shapes = ((n, L), (L,), (L, L), (L, L, L), (L,))
    parts = [
        random.integers(-2, 3, shape) * 1.0 if whole else random.normal(size=shape) * 2
        for shape in shapes
    ]
    parts[3][random.random((L, L, L)) < never] = -np.inf
    return parts


@pytest.mark.spec("M-112", "M-119", "C-30")
@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 3), st.booleans(),
    st.sampled_from([0.0, 0.3, 1.0]),
)  # fmt: skip
def test_decoding_and_marginals_of_second_order_are_those_of_enumeration(
    seed: int, n: int, L: int, whole: bool, never: float
) -> None:
    state, start, transition, second, stop = draw(seed, n, L, whole=whole, never=never)
    scores = _core.Potentials(transition, start, stop, second)
    every = Enumeration.of(chain_of(state, start, transition, second, stop))
    edges, labels, best = np.array([0, n]), np.empty(n, np.int32), np.empty(1)
    _core.decode_table(state, edges, scores, 0, labels, best, 1)
    out, log_z = np.empty((n, L)), np.empty(1)
    _core.marginals_table(state, edges, scores, out, log_z, 1)
    if np.isneginf(every.log_partition):
        assert np.isneginf(best[0])
        assert np.isneginf(log_z[0])
        np.testing.assert_allclose(out, 1 / L)
        return
    np.testing.assert_array_equal(labels, every.best.labels)
    assert best[0] == pytest.approx(every.best.score, abs=1e-10)
    assert log_z[0] == pytest.approx(every.log_partition, abs=1e-10)
    np.testing.assert_allclose(out, every.marginals.token, atol=1e-10)
    pairs = np.empty((n, L, L))
    _core.pair_marginals(state, edges, scores, pairs, log_z, 1)
    assert log_z[0] == pytest.approx(every.log_partition, abs=1e-10)
    np.testing.assert_allclose(pairs[1:], every.marginals.pair, atol=1e-10)
    k = 5
    ranked, values, counts = np.empty(k * n, np.int32), np.empty((1, k)), np.empty(1, np.int64)
    _core.n_best(state, edges, scores, ranked, values, counts, 1)
    possible = np.sort(every.scores[every.scores > -np.inf])[::-1][:k]
    np.testing.assert_allclose(values[0, : counts[0]], possible, atol=1e-10)
    np.testing.assert_array_equal(ranked[:n], labels)
    _core.decode_table(state, edges, scores, L**n, labels, best, 1)  # a beam that loses nothing
    assert best[0] == pytest.approx(every.best.score, abs=1e-10)


def test_two_thousand_tokens_neither_overflow_nor_depend_on_threads() -> None:
    state, start, transition, second, stop = draw(1, 2000, 4, whole=False, never=0.1)
    scores = _core.Potentials(transition, start, stop, second * 50)
    found = []
    for threads in (1, 2):
        out, log_z = np.empty((2000, 4)), np.empty(2)
        _core.marginals_table(state * 50, np.array([0, 990, 2000]), scores, out, log_z, threads)
        found.append((out, log_z))
    assert np.isfinite(found[0][0]).all()
    np.testing.assert_allclose(found[0][0].sum(axis=1), 1.0, atol=1e-9)
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])


def numbered(tags: list[list[str]]) -> list[list[int]]:
    names = sorted({tag for row in tags for tag in row})
    return [[names.index(tag) for tag in row] for row in tags]


def random_tags(seed: int, sentences: int) -> list[list[str]]:
    """Draw tags each of which depends on the two before it."""
    random = np.random.default_rng(seed)
    habit = random.dirichlet(np.full(3, 0.3), size=(3, 3))
    rows = []
    for length in random.integers(1, 9, sentences).tolist():
        row = [0, 1]
        for _ in range(length):
            row.append(int(random.choice(3, p=habit[row[-2], row[-1]])))
        rows.append([f"T{tag}" for tag in row[2:]])
    return [["T0", "T1", "T2"], *rows]


@pytest.mark.spec("M-111")
@pytest.mark.parametrize("seed", range(4))
def test_the_probabilities_of_triples_are_those_of_the_reference(seed: int) -> None:
    tags = random_tags(seed, 30)
    hmm = linnet.HMM(0.1, order=2).fit([["w"] * len(row) for row in tags], tags)
    expected = trigram_probabilities(numbered(tags), 3, 0.1)
    np.testing.assert_allclose(np.exp(hmm.second_), expected, atol=1e-12)
    assert sum(deleted_interpolation(numbered(tags))) == pytest.approx(1.0)


@pytest.mark.spec("M-111")
@pytest.mark.parametrize("stop", [False, True])
def test_every_distribution_of_a_trigram_model_sums_to_1(stop: bool) -> None:
    tags = random_tags(9, 20)
    hmm = linnet.HMM(order=2, stop=stop).fit([["w"] * len(row) for row in tags], tags)
    ends = np.exp(hmm.stop_) if stop else 0.0
    total = np.exp(hmm.second_).sum(axis=2) + ends
    np.testing.assert_allclose(total, 1.0, atol=1e-12)


def test_joint_probabilities_add_up_to_that_of_the_words() -> None:
    hmm = linnet.HMM(0.5, order=2, unknown="uniform").fit(TOY_WORDS, TOY_TAGS)
    words = ["the", "dog", "runs", "run"]
    rows = np.stack(np.meshgrid(*[hmm.classes_] * 4), axis=-1).reshape(-1, 4).tolist()
    joint = hmm.log_probability([words] * len(rows), rows)
    assert np.logaddexp.reduce(joint) == pytest.approx(hmm.log_probability([words])[0], abs=1e-10)
    assert hmm.predict([words])[0] == rows[int(np.argmax(joint))]
    best = np.exp(joint - np.logaddexp.reduce(joint))
    marginal = hmm.predict_marginals([words])[0]
    for t in range(4):
        for k, label in enumerate(hmm.classes_):
            own = [p for p, row in zip(best, rows, strict=True) if row[t] == label]
            assert marginal[t, k] == pytest.approx(sum(own), abs=1e-10)


def test_a_trigram_model_uses_what_a_bigram_model_cannot_see() -> None:
    tags = [["A", "X", "B"], ["C", "X", "D"]] * 20  # X is followed by B after A, by D after C
    words = [["a", "x", "?"], ["c", "x", "?"]] * 20
    first = linnet.HMM(unknown="uniform").fit(words, tags)
    second = linnet.HMM(order=2, unknown="uniform").fit(words, tags)
    assert second.predict(words[:2]) == tags[:2]
    assert first.predict(words[:2]) != tags[:2]


def test_without_smoothing_an_impossible_sentence_still_has_an_answer() -> None:
    hmm = linnet.HMM(0.0, order=2, unknown="uniform").fit(TOY_WORDS, TOY_TAGS)
    assert len(hmm.predict([["run", "the", "nothing", "dog"]])[0]) == 4
    assert np.isfinite(hmm.predict_marginals([["run", "the", "nothing"]])[0]).all()


def test_constraints_hold_in_second_order() -> None:
    hmm = linnet.HMM(order=2).fit(TOY_WORDS, TOY_TAGS)
    step = np.ones((3, 3), bool)
    step[1, 2] = False  # no V after N
    rules = Constraints(np.ones(3, bool), step, np.ones(3, bool))
    guess = hmm.predict(TOY_WORDS, constraints=rules)
    assert not any(("N", "V") in itertools.pairwise(row) for row in guess)


def test_a_saved_trigram_model_is_the_same(tmp_path: Any) -> None:
    hmm = linnet.HMM(order=2).fit(TOY_WORDS, TOY_TAGS)
    linnet.save(hmm, tmp_path / "hmm.linnet")
    back = linnet.load(tmp_path / "hmm.linnet")
    np.testing.assert_array_equal(back.second_, hmm.second_)
    assert back.predict(TOY_WORDS) == hmm.predict(TOY_WORDS)
    tagger = linnet.SequenceTagger(linnet.HMM(order=2)).fit(TOY_WORDS, TOY_TAGS)
    tagger.save(tmp_path / "tagger.linnet")
    assert linnet.load(tmp_path / "tagger.linnet").predict(TOY_WORDS) == tagger.predict(TOY_WORDS)


def test_a_file_whose_triples_do_not_fit_the_labels_is_refused(tmp_path: Any) -> None:
    hmm = linnet.HMM(order=2).fit(TOY_WORDS, TOY_TAGS)
    hmm.second_ = np.ascontiguousarray(hmm.second_[:2])
    with pytest.raises(linnet.errors.LinnetError, match="second_"):
        linnet.save(hmm, tmp_path / "bad.linnet")
        linnet.load(tmp_path / "bad.linnet")


def test_what_second_order_cannot_do_is_refused() -> None:
    with pytest.raises(ParameterError, match="order"):
        linnet.HMM(order=3).fit(TOY_WORDS, TOY_TAGS)
    with pytest.raises(ParameterError, match="labels"):
        linnet.HMM(order=2, n_states=2).fit(TOY_WORDS)
    many = [[f"t{k}" for k in range(101)]]
    with pytest.raises(DataError, match="101 labels"):
        linnet.HMM(order=2).fit(many, many)
    hmm = linnet.HMM(order=2).fit(TOY_WORDS, TOY_TAGS)
    with pytest.raises(ParameterError, match="order"):
        hmm.baum_welch(TOY_WORDS)


def test_fitting_again_with_order_1_forgets_the_triples() -> None:
    hmm = linnet.HMM(order=2).fit(TOY_WORDS, TOY_TAGS)
    hmm.set_params(order=1).fit(TOY_WORDS, TOY_TAGS)
    assert hmm.predict_nbest(TOY_WORDS[:1], k=1)[0]
