"""The maximum entropy Markov model: its factors, its decoding, and the label bias."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import linnet
from linnet.errors import DataError, ModelFileError, NotFittedError, ParameterError
from linnet.learn.chain import Constraints
from linnet.learn.chain.between import best_paths, forward, forward_backward, search_beam
from linnet.learn.chain.sentences import read_sentences
from linnet.learn.flat.joint import JointMap
from linnet.learn.memm import log_sums
from linnet.reference import memm as reference
from linnet.reference.joint_map import features as joint_features

from .chains import TOY, TOY_TAGS, best_of, enumerate_chain, labellings, marginals_of, sentences
from .forging import forge

TIGHT: dict[str, Any] = {"tol": 1e-10, "max_iter": 10_000}
MODES = ("shared", "per_state")
modes = pytest.mark.parametrize("states", MODES)

RIB = [[[c] for c in word] for word in ("rib", "rib", "rib", "rob")]
RIB_TAGS = [list("123")] * 3 + [list("453")]


def path_probabilities(memm: linnet.MEMM, X: Any) -> dict[tuple[int, ...], float]:
    """Return P(T | W) of every labelling of one sentence, factor by factor."""
    (local,) = memm.local_distributions(X)
    n, _, L = local.shape
    return {
        path: float(np.prod([local[t, path[t - 1] if t else L, path[t]] for t in range(n)]))
        for path in labellings(n, L)
    }


@pytest.mark.spec("F-13", "M-120", "M-113", "A-56")
def test_f13_a_model_for_each_state_is_deaf_after_its_first_step() -> None:
    memm = linnet.MEMM(C=1e3, states="per_state", pairs="all", **TIGHT).fit(RIB, RIB_TAGS)
    assert memm.predict(RIB) == [list("123")] * 4  # rob is wrong
    ranked = {"".join(labels): score for score, labels in memm.predict_nbest(RIB[3:], 3)[0]}
    assert np.exp(ranked["123"]) == pytest.approx(0.702, abs=5e-4)
    assert np.exp(ranked["453"]) == pytest.approx(0.248, abs=5e-4)
    assert linnet.CRF(C=1e3, pairs="all").fit(RIB, RIB_TAGS).predict(RIB) == RIB_TAGS


@pytest.mark.spec("W-11", "T-06", "A-72")
def test_w11_features_of_a_word_its_neighbour_and_a_class() -> None:
    words = [*["Secretariat", "is", "expected", "to"], "race", "tomorrow"]
    tags = ["NNP", "BEZ", "VBN", "TO", "VB", "NR"]
    classes = ["NN", "VB", "VBG"]

    def f(place: int, c: str) -> dict[str, float]:
        word, before = words[place], tags[place - 1]
        return {
            "f1": float(word == "race" and c == "NN"),
            "f2": float(before == "TO" and c == "VB"),
            "f3": float(word.endswith("ing") and c == "VBG"),
        }

    rows = JointMap(f).fit([4, 4, 4], classes).features.csr.toarray()[:3]
    assert rows.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    word, before = words[4], tags[3]
    indicators = [word == "race", word.endswith("ing"), word.endswith("ace"), before == "TO",
                  before == "DT", word.islower()]  # fmt: skip
    assert [int(i) for i in indicators] == [1, 0, 1, 1, 0, 1]
    slots = joint_features(np.array([indicators], float), 3)[0].reshape(3, 3, 6)
    for c in range(3):
        assert slots[c, c].tolist() == [1, 0, 1, 1, 0, 1]
        assert not np.delete(slots[c], c, axis=0).any()


@modes
@pytest.mark.spec("M-113", "E-11")
def test_factors_and_sequences_sum_to_one(states: str) -> None:
    X, y = sentences(0, 40)
    memm = linnet.MEMM(states=states).fit(X, y)
    for local in memm.local_distributions(X):
        np.testing.assert_allclose(local.sum(axis=2), 1.0)
    sentence = [X[0] + X[0]]
    assert sum(path_probabilities(memm, sentence).values()) == pytest.approx(1.0)


@modes
@pytest.mark.spec("M-114", "M-112", "C-30")
def test_decoding_n_best_and_marginals_are_those_of_enumeration(states: str) -> None:
    X, y = sentences(1, 40, longest=5)
    memm = linnet.MEMM(states=states, C=0.5).fit(X, y)
    for sentence in X:
        if not sentence:
            continue
        all_paths = path_probabilities(memm, [sentence])
        paths, logs = list(all_paths), np.log(list(all_paths.values()))
        ranked = memm.predict_nbest([sentence], 4)[0]
        best = sorted(logs, reverse=True)[:4]
        np.testing.assert_allclose([score for score, _ in ranked], best, atol=1e-9)
        assert memm.predict([sentence])[0] == ranked[0][1]
        assert logs[paths.index(best_of(paths, logs))] == pytest.approx(ranked[0][0], abs=1e-9)
        expected = marginals_of(paths, logs, len(memm.classes_))
        np.testing.assert_allclose(memm.predict_marginals([sentence])[0], expected, atol=1e-9)


@modes
@pytest.mark.spec("M-115")
def test_a_beam_of_one_is_greedy_and_a_wide_one_is_exact(states: str) -> None:
    X, y = sentences(2, 40, longest=4)
    memm = linnet.MEMM(states=states).fit(X, y)
    assert memm.predict(X, beam=27) == memm.predict(X)
    for labels, local in zip(memm.predict(X, beam=1), memm.local_distributions(X), strict=True):
        before = local.shape[2]
        for t in range(len(local)):
            before = int(local[t, before].argmax())
            assert labels[t] == memm.classes_[before]


@modes
@pytest.mark.spec("M-113")
@pytest.mark.parametrize("labels", [2, 3])
def test_the_weights_are_those_of_the_reference(states: Any, labels: int) -> None:
    X, y = sentences(3, 25, labels=labels, features=4)
    memm = linnet.MEMM(C=0.8, states=states, pairs="all", **TIGHT).fit(X, y)
    J, L = len(memm.vocabulary_), len(memm.classes_)
    # Per-state models have an intercept here: a constant feature of the reference.
    extra = int(states == "per_state")
    dense = [np.zeros((len(s), J + extra)) for s in X]
    for rows, sentence in zip(dense, X, strict=True):
        rows[:, J:] = 1.0
        for t, token in enumerate(sentence):
            rows[t, [memm.vocabulary_[name] for name in token]] = 1.0
    tags = [np.searchsorted(memm.classes_, part).astype(np.intp) for part in y]
    W = reference.fit(dense, tags, L, mode=states, C=0.8, tolerance=1e-9)
    expected = [np.exp(reference.local_distributions(rows, W)) for rows in dense]
    for ours, theirs in zip(memm.local_distributions(X), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=2e-5)
    if states == "shared":
        np.testing.assert_allclose(memm.transition_, W[J : J + L], atol=2e-4)
        np.testing.assert_allclose(memm.pair_weight_.reshape(J, L), W[:J], atol=2e-4)


@pytest.mark.spec("M-113")
@pytest.mark.parametrize(("labels", "factor"), [(2, 2.0), (4, 1.0)])
def test_on_sentences_of_one_token_it_is_maxent(labels: int, factor: float) -> None:
    X, y = sentences(5, 80, labels=labels, longest=1)
    X, y = X[1:], y[1:]
    memm = linnet.MEMM(C=0.5, pairs="all", **TIGHT).fit(X, y)
    rows = [dict.fromkeys(token, 1.0) for sentence in X for token in sentence]
    maxent = linnet.MaxEnt(C=0.5 * factor, **TIGHT).fit(rows, [tag for part in y for tag in part])
    marginals = np.vstack(memm.predict_marginals(X))
    np.testing.assert_allclose(marginals, maxent.predict_proba(rows), atol=1e-5)


# Chains whose transitions differ from token to token


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 5), st.integers(1, 6))
def test_searches_between_tokens_are_those_of_enumeration(
    seed: int, L: int, n: int, k: int
) -> None:
    random = np.random.default_rng(seed)
    first, between = random.normal(size=L), random.integers(-2, 3, (n - 1, L, L)).astype(float)
    between[between == -2] = -np.inf
    stop = np.where(random.random(L) < 0.2, -np.inf, 0.0)
    whole = np.concatenate([np.zeros((1, L, L)), between])
    paths, scores = enumerate_chain(np.zeros((n, L)), whole, first, stop)
    possible = np.sort(scores[np.isfinite(scores)])[::-1]
    found = best_paths(first, [between[: n // 2], between[n // 2 :]], stop, k)
    np.testing.assert_allclose([score for score, _ in found], possible[:k], atol=1e-12)
    beam = search_beam(first, [between], stop, L**n)
    marginals = forward_backward(first, between, stop)
    if len(possible) == 0:
        assert found == beam == [] and marginals is None
        return
    assert tuple(found[0][1]) == best_of(paths, scores)
    assert beam[0][0] == pytest.approx(found[0][0])
    assert marginals is not None
    np.testing.assert_allclose(marginals, marginals_of(paths, scores, L), atol=1e-10)


def test_forward_alone_gives_the_marginals_of_a_normalised_chain() -> None:
    random = np.random.default_rng(0)
    first, between = (
        np.log(random.dirichlet(np.ones(3))),
        np.log(random.dirichlet(np.ones(3), (4, 3))),
    )
    both = forward_backward(first, between, np.zeros(3))
    assert both is not None
    np.testing.assert_allclose(forward(first, [between], 5), both, atol=1e-12)


def test_sums_of_exponentials_are_right_where_a_product_underflows() -> None:
    state, transition = np.array([[0.0, -2000.0]]), np.array([[-2000.0, 0.0], [0.0, 0.0]])
    expected = [[-2000 + np.log(2), 0.0]]
    np.testing.assert_allclose(log_sums(state, transition), expected)


# The estimator


@modes
@pytest.mark.spec("M-108")
def test_output_is_as_long_as_input_and_nothing_stays_nothing(states: str) -> None:
    memm = linnet.MEMM(states=states).fit([*TOY, []], [*TOY_TAGS, []])
    X = [[], TOY[0], []]
    assert [len(labels) for labels in memm.predict(X)] == [0, 3, 0]
    assert [m.shape for m in memm.predict_marginals(X)] == [(0, 3), (3, 3), (0, 3)]
    assert memm.predict([]) == memm.predict_marginals([]) == memm.predict_nbest([]) == []
    assert memm.predict_nbest([[]], 2) == [[(0.0, [])]]
    assert memm.predict([[]], beam=2) == [[]]


@modes
def test_every_thread_count_gives_the_same_bits(states: str) -> None:
    X, y = sentences(5, 100)
    fits = [linnet.MEMM(states=states, n_threads=n).fit(X, y) for n in (1, 2, 4)]
    for memm in fits[1:]:
        assert memm._weights().tobytes() == fits[0]._weights().tobytes()
        a, b = (np.vstack(m.predict_marginals(X)).tobytes() for m in (memm, fits[0]))
        assert a == b


@modes
def test_sample_weight_is_repetition(states: str) -> None:
    X, y = sentences(6, 20)
    weight = 1 + np.arange(20) % 2
    again = [i for i in range(20) for _ in range(weight[i])]
    model = linnet.MEMM(states=states, **TIGHT).fit(X, y, sample_weight=weight)
    twin = linnet.MEMM(states=states, **TIGHT).fit([X[i] for i in again], [y[i] for i in again])
    np.testing.assert_allclose(model.transition_, twin.transition_, atol=1e-4)


@modes
def test_an_l1_penalty_leaves_zeros(states: str) -> None:
    X, y = sentences(7, 60, features=30)
    memm = linnet.MEMM(C=0.3, penalty="l1", states=states, tol=1e-4).fit(X, y)
    assert 0.2 < np.mean(memm._weights() == 0) < 1


@modes
def test_unseen_features_long_sentences_and_values_are_no_trouble(states: str) -> None:
    X, y = sentences(8, 40, values=True)
    memm = linnet.MEMM(states=states).fit(X, y)
    assert len(memm.predict([[{"unheard": 3.0}, {}, {"f1": -1e5}]])[0]) == 3
    n = 100_000 if states == "shared" else 4_000
    long = [[["f0"], ["f1"]] * (n // 2)]
    assert len(memm.predict(long)[0]) == n
    (marginals,) = memm.predict_marginals(long)
    np.testing.assert_allclose(marginals.sum(axis=1), 1.0, atol=1e-9)


@modes
def test_long_sentences_come_in_pieces(states: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = sentences(9, 30)
    memm = linnet.MEMM(states=states).fit(X, y)
    whole = memm.predict(X), memm.predict(X, beam=2), np.vstack(memm.predict_marginals(X))
    monkeypatch.setattr("linnet.learn.chain.scores.BLOCK", 1)
    assert memm.predict(X) == whole[0] and memm.predict(X, beam=2) == whole[1]
    np.testing.assert_allclose(np.vstack(memm.predict_marginals(X)), whole[2], atol=1e-12)


def test_many_labels_and_steps_never_seen() -> None:
    X = [[[f"w{i}"], [f"w{i + 1}"]] for i in range(0, 750, 2)]
    y = [[f"t{i:03}", f"t{i + 1:03}"] for i in range(0, 750, 2)]
    memm = linnet.MEMM(C=100.0, max_iter=20, tol=0.5).fit(X, y)
    assert memm.predict(X[:5]) == y[:5]
    assert np.isfinite(memm.predict_marginals([[X[3][1], X[0][0]]])[0]).all()


@modes
def test_constraints_forbid_and_the_impossible_is_an_error(states: str) -> None:
    X, y = sentences(10, 40)
    memm = linnet.MEMM(states=states).fit(X, y)
    every, step = np.ones(3, bool), np.ones((3, 3), bool)
    step[0, 1] = False
    rules = Constraints(np.array([True, False, True]), step, every)
    for labels in [
        *memm.predict(X, constraints=rules),
        *memm.predict(X, constraints=rules, beam=9),
    ]:
        assert labels[:1] != ["B"] and "AB" not in "".join(labels)
    for marginals in memm.predict_marginals(X, constraints=rules):
        np.testing.assert_allclose(marginals.sum(axis=1), 1.0)
        assert not marginals[:1, 1].any()
    never = rules._replace(start=~every)
    for ask in (memm.predict, memm.predict_marginals):
        with pytest.raises(DataError, match="No labelling of sentence 0"):
            ask(X[:1], constraints=never)


def test_a_ragged_matrix_is_the_same_as_lists() -> None:
    X, y = sentences(11, 30)
    ragged, _ = read_sentences(X, None)
    assert linnet.MEMM().fit(ragged, y).predict(ragged) == linnet.MEMM().fit(X, y).predict(X)


def test_bad_requests_are_refused() -> None:
    for parameters in (
        {"C": -1},
        {"states": "x"},
        {"penalty": "l3"},
        {"solver": "newton"},
        {"l1_ratio": -1},
        {"penalty": "l1", "solver": "gradient_descent"},
    ):
        with pytest.raises(ParameterError):
            linnet.MEMM(**parameters).fit(TOY, TOY_TAGS)  # type: ignore[arg-type]
    with pytest.raises(NotFittedError):
        linnet.MEMM().predict(TOY)
    with pytest.raises(DataError, match="Sentence 0 has 3 tokens"):
        linnet.MEMM().fit(TOY[:1], [["A"]])
    memm = linnet.MEMM(states="per_state").fit(TOY, TOY_TAGS)
    with pytest.raises(ParameterError, match="local_distributions"):
        memm.decision_function(TOY)
    with pytest.raises(ParameterError, match="beam"):
        memm.predict(TOY, beam=-1)
    with pytest.raises(ParameterError, match="k must"):
        memm.predict_nbest(TOY, 0)
    assert clone(memm).states == "per_state"


@modes
def test_it_comes_back_from_a_file_with_every_bit(tmp_path: Path, states: str) -> None:
    X, y = sentences(12, 40)
    memm = linnet.MEMM(states=states).fit(X, y)
    linnet.save(memm, tmp_path / "m.linnet")
    twin = linnet.load(tmp_path / "m.linnet")
    assert twin.predict(X) == memm.predict(X)
    a, b = (np.vstack(m.predict_marginals(X)).tobytes() for m in (memm, twin))
    assert a == b


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("state_key_", np.array([3, 1], np.int64)),
        ("pair_label_", np.full(9, -1, np.int32)),
        ("transition_", np.full((3, 3), np.inf)),
        ("start_", np.zeros((3, 1))),
        ("n_features_in_", 99),
        ("classes_", np.array([], dtype=str)),
    ],
)
def test_forged_files_are_refused(tmp_path: Path, name: str, value: Any) -> None:
    memm = linnet.MEMM(states="per_state").fit(TOY, TOY_TAGS)
    setattr(memm, name, value)
    forge(memm, tmp_path / "m.linnet")
    with pytest.raises(ModelFileError):
        linnet.load(tmp_path / "m.linnet")
