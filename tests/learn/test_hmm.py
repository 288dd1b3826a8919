"""The hidden Markov model: counts, unknown words, Baum-Welch, and what it shares with others."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from itertools import pairwise
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
from linnet.learn.hmm.suffixes import count_endings
from linnet.reference import hmm as reference

from .chains import TOY_TAGS, TOY_WORDS, enumerate_chain, marginals_of
from .forging import forge

FISH = [{"fish": 0.5, "swim": 0.1, "can": 0.4}, {"fish": 0.2, "swim": 0.5, "can": 0.3}]


@pytest.fixture
def fish() -> linnet.HMM:
    return linnet.HMM.from_probabilities(["N", "V"], [0.6, 0.4], [[0.3, 0.7], [0.8, 0.2]], FISH)


def words(seed: int, n: int, *, labels: int = 3, vocabulary: int = 12) -> tuple[Any, Any]:
    """Make sentences of words w0, w1, ... with tags; some are empty."""
    random = np.random.default_rng(seed)
    X, y = list[Any](), list[Any]()
    for length in random.integers(0, 8, n).tolist():
        tags = random.integers(0, labels, length)
        draws = (tags * 3 + random.integers(0, 6, length)) % vocabulary
        X.append([f"w{w}" for w in draws])
        y.append([f"t{t}" for t in tags])
    return X, y


# Worked examples


@pytest.mark.spec("F-06", "M-111", "M-112")
def test_f06_given_probabilities(fish: linnet.HMM) -> None:
    sentence = [["fish", "can", "swim"]]
    expected = {"NNN": 0.00108, "NNV": 0.0126, "NVN": 0.00504, "NVV": 0.0063, "VNN": 0.000768,
                "VNV": 0.00896, "VVN": 0.000384, "VVV": 0.00048}  # fmt: skip
    for tags, p in expected.items():
        assert np.exp(fish.log_probability(sentence, [list(tags)])[0]) == pytest.approx(p)
    assert np.exp(fish.log_probability(sentence)[0]) == pytest.approx(0.035612)
    assert fish.predict(sentence) == [["N", "N", "V"]]
    marginals = fish.predict_marginals(sentence)[0]
    np.testing.assert_allclose(marginals[:, 0], [0.702572, 0.657307, 0.204201], atol=5e-7)
    ranked = ["".join(labels) for _, labels in fish.predict_nbest(sentence, 8)[0]]
    assert ranked == sorted(expected, key=lambda tags: -expected[tags])


@pytest.mark.spec("F-06", "M-111")
def test_f06_counted() -> None:
    hmm = linnet.HMM(alpha=0.0, unknown="uniform").fit(TOY_WORDS, TOY_TAGS)
    D, N, V = range(3)
    P, word = np.exp(hmm.emission_), hmm.vocabulary_
    assert np.exp(hmm.start_)[D] == pytest.approx(3 / 4)
    assert np.exp(hmm.transition_)[D, N] == np.exp(hmm.transition_)[N, V] == 1.0
    assert P[N, word["dog"]] == pytest.approx(1 / 2)
    assert P[N, word["runs"]] == pytest.approx(1 / 4)
    assert P[V, word["runs"]] == pytest.approx(1 / 3)
    joint = hmm.log_probability(
        [["the", "dog", "runs"], ["the", "runs"]], [list("DNV"), list("DN")]
    )
    np.testing.assert_allclose(np.exp(joint), [1 / 8, 3 / 16])


@pytest.mark.spec("M-111")
@pytest.mark.parametrize("stop", [False, True])
@pytest.mark.parametrize("alpha", [0.01, 1.0])
def test_each_conditional_sums_to_one(alpha: float, stop: bool) -> None:
    X, y = words(0, 50)
    hmm = linnet.HMM(alpha, stop=stop, unknown="uniform").fit(X, y)
    steps = np.exp(hmm.transition_).sum(axis=1) + (np.exp(hmm.stop_) if stop else 0)
    np.testing.assert_allclose(steps, 1.0)
    assert np.exp(hmm.start_).sum() == pytest.approx(1.0)
    np.testing.assert_allclose(np.exp(hmm.emission_).sum(axis=1), 1.0)


@pytest.mark.spec("M-111")
def test_with_a_stop_the_sentences_up_to_any_length_have_less_than_all_the_mass() -> None:
    hmm = linnet.HMM(0.1, stop=True, unknown="uniform").fit(
        [["a", "b"], ["a"]], [list("AB"), ["A"]]
    )
    some = [[v, w] for v in "abx" for w in "abx"] + [[v] for v in "abx"]
    mass = np.exp(hmm.log_probability(some))
    assert 0.5 < mass.sum() < 1.0


# Oracles


@pytest.mark.spec("M-111")
@pytest.mark.parametrize("stop", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_it_is_the_reference_number_for_number(alpha: float, stop: bool) -> None:
    X, y = words(1, 60)
    hmm = linnet.HMM(alpha, stop=stop, unknown="uniform").fit(X, y)
    ids = [np.array([hmm.vocabulary_[w] for w in s], dtype=np.intp) for s in X]
    tags = [np.searchsorted(hmm.classes_, t).astype(np.intp) for t in y]
    model = reference.fit(ids, tags, 3, len(hmm.vocabulary_), alpha=alpha, stop=stop)
    np.testing.assert_allclose(hmm.start_, model.start, rtol=1e-12)
    np.testing.assert_allclose(hmm.transition_, model.transition, rtol=1e-12)
    np.testing.assert_allclose(hmm.emission_, model.emission, rtol=1e-12)
    if stop:
        np.testing.assert_allclose(hmm.stop_, model.stop, rtol=1e-12)
    for sentence, guess in zip(ids, hmm.predict(X), strict=True):
        assert hmm.classes_[model.decode(sentence)].tolist() == guess


@pytest.mark.spec("M-111", "M-112", "C-30")
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 5), st.booleans())
def test_probabilities_and_marginals_are_those_of_enumeration(
    seed: int, labels: int, n: int, stop: bool
) -> None:
    X, y = words(seed, 12, labels=labels)
    X[0], y[0] = ["w0"], ["t0"]
    hmm = linnet.HMM(0.3, stop=stop).fit(X, y)
    sentence = [[f"w{w}" for w in np.random.default_rng(seed).integers(0, 15, n)]]
    state = hmm.decision_function(sentence)[0]
    paths, scores = enumerate_chain(state, hmm.transition_, hmm.start_, hmm.stop_)
    assert hmm.log_probability(sentence)[0] == pytest.approx(np.logaddexp.reduce(scores))
    marginals = marginals_of(paths, scores, len(hmm.classes_))
    np.testing.assert_allclose(hmm.predict_marginals(sentence)[0], marginals, atol=1e-10)
    guess = hmm.predict(sentence)
    assert hmm.log_probability(sentence, guess)[0] == pytest.approx(scores.max())


@pytest.mark.spec("M-111")
def test_on_sentences_of_one_word_it_is_naive_bayes() -> None:
    X, y = words(2, 80)
    X, y = [s[:1] for s in X if s], [t[:1] for t in y if t]
    hmm = linnet.HMM(alpha=0.5, unknown="uniform").fit(X, y)
    bags, tags = [{s[0]: 1} for s in X], [t[0] for t in y]
    # The unknown word is one more type for both; priors are smoothed here, given there.
    nb = linnet.MultinomialNB(alpha=0.5, oov="unk", class_prior=np.exp(hmm.start_)).fit(bags, tags)
    rows = [[word] for word in (*hmm.vocabulary_, "unheard")]
    expected = nb.predict_proba([{row[0]: 1} for row in rows])
    np.testing.assert_allclose(np.vstack(hmm.predict_marginals(rows)), expected, atol=1e-12)


# Unknown words


def test_unknown_words_are_tagged_by_their_ending() -> None:
    X = [["the", "walking", "dog"], ["the", "talking", "cat"], ["cats", "like", "dogs"],
         ["a", "running", "Mary"], ["Anna", "likes", "cats"]]  # fmt: skip
    y = [list("DGN"), list("DGN"), list("NVN"), list("DGE"), list("EVN")]
    hmm = linnet.HMM().fit(X, y)
    assert hmm.predict([["the", "sleeping", "dog"]]) == [list("DGN")]
    assert hmm.predict([["Paula", "likes", "dogs"]]) == [list("EVN")]
    unlike = linnet.HMM(unknown="uniform").fit(X, y)
    table = unlike.decision_function([["sleeping", "rats"]])[0]
    assert table[0].tolist() == table[1].tolist()


def test_ending_shares_are_distributions_with_nothing_impossible() -> None:
    start, label = np.array([0, 2, 3, 4]), np.array([0, 1, 1, 2], np.int32)
    endings = count_endings(["ab", "b", "Cd"], start, label, np.array([3.0, 1.0, 2.0, 99.0]), 3)
    for word in ("b", "ab", "zzab", "", "Zb", "é", "ABSURD"):
        shares = endings.shares(word)
        assert shares.sum() == pytest.approx(1.0) and (shares > 0).all()
    assert endings.shares("xb")[0] > endings.shares("x")[2]


# Nothing is NaN


@pytest.mark.parametrize("unknown", ["suffix", "uniform"])
def test_without_smoothing_the_impossible_still_has_an_answer(unknown: str) -> None:
    hmm = linnet.HMM(alpha=0.0, unknown=unknown).fit(TOY_WORDS, TOY_TAGS)
    strange = [["runs", "the"], ["dog", "unheard"], ["the", "the", "the"], []]
    guess = hmm.predict(strange)
    assert [len(labels) for labels in guess] == [2, 2, 3, 0]
    assert guess[1][0] == "N"
    for marginals in hmm.predict_marginals(strange):
        assert np.isfinite(marginals).all()
        np.testing.assert_allclose(marginals.sum(axis=1), 1.0)
    assert np.isneginf(hmm.log_probability(strange)[0])
    assert not np.isnan(hmm.log_probability(strange)).any()
    assert hmm.predict_nbest(strange[:1], 2) == [[]]


def test_a_label_that_was_not_seen_has_probability_zero() -> None:
    hmm = linnet.HMM().fit(TOY_WORDS, TOY_TAGS)
    assert np.isneginf(hmm.log_probability([["the"]], [["X"]])[0])


def test_a_hundred_thousand_words_and_many_labels() -> None:
    X, y = [["a", "b"] * 50_000], [["A", "B"] * 50_000]
    hmm = linnet.HMM(stop=True).fit(X, y)
    assert hmm.predict(X) == y
    assert np.isfinite(hmm.predict_marginals(X)[0]).all()
    many = linnet.HMM().fit([[f"w{i}" for i in range(750)]], [[f"t{i:03}" for i in range(750)]])
    assert many.predict([["w5", "w6", "w7"]]) == [["t005", "t006", "t007"]]


@pytest.mark.spec("M-108")
def test_output_is_as_long_as_input_and_nothing_stays_nothing() -> None:
    hmm = linnet.HMM().fit([*TOY_WORDS, []], [*TOY_TAGS, []])
    assert [len(labels) for labels in hmm.predict([[], ["dog"], []])] == [0, 1, 0]
    assert hmm.predict([]) == hmm.predict_marginals([]) == hmm.decision_function([]) == []
    assert hmm.log_probability([[]]).tolist() == [0.0]
    assert hmm.predict_nbest([[]], 2) == [[(0.0, [])]]


def test_sample_weight_is_repetition() -> None:
    X, y = words(3, 20)
    weight = np.arange(20) % 3
    again = [i for i in range(20) for _ in range(weight[i])]
    model = linnet.HMM(alpha=0.0, stop=True).fit(X, y, sample_weight=weight)
    twin = linnet.HMM(alpha=0.0, stop=True).fit([X[i] for i in again], [y[i] for i in again])
    np.testing.assert_allclose(model.transition_, twin.transition_)
    np.testing.assert_allclose(model.stop_, twin.stop_)
    assert model.history_["objective"][0] == pytest.approx(twin.history_["objective"][0])


def test_the_recorded_objective_is_minus_the_joint_log_likelihood() -> None:
    X, y = words(4, 30)
    hmm = linnet.HMM(stop=True).fit(X, y)
    assert hmm.history_["objective"][0] == pytest.approx(-hmm.log_probability(X, y).sum())


def test_constraints_forbid_tags() -> None:
    X, y = words(5, 40)
    hmm = linnet.HMM().fit(X, y)
    step = np.ones((3, 3), bool)
    step[1, 1] = False
    rules = Constraints(np.array([True, False, True]), step, np.ones(3, bool))
    for labels in hmm.predict(X, constraints=rules):
        assert labels[:1] != ["t1"] and ("t1", "t1") not in pairwise(labels)
    with pytest.raises(DataError, match="satisfies the constraints"):
        hmm.predict([["w1"]], constraints=rules._replace(stop=np.zeros(3, bool)))


def test_every_thread_count_gives_the_same_bits() -> None:
    X, y = words(6, 200)
    results = []
    for n in (1, 2, 4):
        hmm = linnet.HMM(n_threads=n).fit(X, y)
        found = linnet.HMM(n_states=3, random_state=1, max_iter=5, n_threads=n).fit(X)
        parts = [*hmm.predict_marginals(X), found.transition_, found.pair_weight_]
        results.append(b"".join(np.ascontiguousarray(part).tobytes() for part in parts))
    assert len(set(results)) == 1


# Baum-Welch


@pytest.mark.parametrize("stop", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_no_step_of_baum_welch_lowers_the_objective(alpha: float, stop: bool) -> None:
    X, _ = words(7, 60)
    hmm = linnet.HMM(alpha, stop=stop, n_states=4, max_iter=40, tol=1e-12, random_state=0).fit(X)
    objective = hmm.history_["objective"]
    assert len(objective) > 5
    assert (np.diff(objective) <= 1e-9 * abs(objective[0])).all()
    assert hmm.classes_.tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(np.exp(hmm.start_).sum(), 1.0)
    np.testing.assert_allclose(np.exp(hmm.emission_).sum(axis=1), 1.0)


@pytest.mark.parametrize("stop", [False, True])
def test_a_step_of_baum_welch_is_that_of_the_reference(stop: bool) -> None:
    X, y = words(8, 40)
    hmm = linnet.HMM(0.2, stop=stop, unknown="uniform", max_iter=1).fit(X, y)
    model = reference.HMM(hmm.start_, hmm.transition_, hmm.emission_, hmm.stop_ if stop else None)
    ids = [np.array([hmm.vocabulary_[w] for w in s], dtype=np.intp) for s in X]
    better, before = reference.em_step(model, ids, 0.2)
    hmm.baum_welch(X)
    assert hmm.history_["log_likelihood"][0] == pytest.approx(before)
    np.testing.assert_allclose(hmm.transition_, better.transition, rtol=1e-8)
    np.testing.assert_allclose(hmm.emission_, better.emission, rtol=1e-8)
    np.testing.assert_allclose(hmm.start_, better.start, rtol=1e-8)


def test_baum_welch_keeps_labels_and_takes_new_words_in() -> None:
    hmm = (
        linnet.HMM().fit(TOY_WORDS, TOY_TAGS).baum_welch([["the", "cat", "runs"], ["cats", "run"]])
    )
    assert hmm.predict([["the", "cat", "runs"]]) == [["D", "N", "V"]]
    assert {"cat", "dog"} <= set(hmm.vocabulary_)


def test_one_seed_gives_one_model() -> None:
    X, _ = words(9, 30)
    a, b = (linnet.HMM(n_states=3, random_state=7, max_iter=9).fit(X) for _ in range(2))
    assert a.pair_weight_.tobytes() == b.pair_weight_.tobytes()


# Errors, files, real text


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ("text", None, "list of sentences"),
        (["the dog"], [["D"]], "Sentence 0 must be a list of words"),
        ([["a"], ["b", ["w=c"]]], [["A"], ["B", "C"]], "Token 1 of sentence 1 must be a word"),
        ([["a"]], [["A", "B"]], "has 1 tokens, but 2 labels"),
        ([[]], [[]], "no tokens"),
    ],
)
def test_bad_sentences_are_refused_with_their_place(X: Any, y: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        linnet.HMM(n_states=2).fit(X, y)


def test_bad_parameters_are_refused() -> None:
    for parameters in ({"alpha": -1}, {"alpha": np.nan}, {"unknown": "x"}, {"tol": 0}):
        with pytest.raises(ParameterError):
            linnet.HMM(**parameters).fit(TOY_WORDS, TOY_TAGS)  # type: ignore[arg-type]
    for n_states in (None, 0, 1.5):
        with pytest.raises(ParameterError, match="n_states"):
            linnet.HMM(n_states=n_states).fit(TOY_WORDS)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="sample_weight"):
        linnet.HMM(n_states=2).fit(TOY_WORDS, None, [1, 1, 1, 1])
    with pytest.raises(NotFittedError):
        linnet.HMM().predict(TOY_WORDS)
    with pytest.raises(DataError, match="for 2 labels"):
        linnet.HMM.from_probabilities(["A", "B"], [1.0], [[1.0]], FISH)
    with pytest.raises(DataError, match="negative"):
        linnet.HMM.from_probabilities(["A"], [-1.0], [[1.0]], [{"a": 1.0}])
    assert clone(linnet.HMM(stop=True)).stop


@pytest.mark.parametrize("parameters", [{}, {"alpha": 0.0, "stop": True}, {"unknown": "uniform"}])
def test_it_comes_back_from_a_file_with_every_bit(tmp_path: Path, parameters: Any) -> None:
    X, y = words(10, 40)
    hmm = linnet.HMM(**parameters).fit(X, y)
    linnet.save(hmm, tmp_path / "m.linnet")
    twin = linnet.load(tmp_path / "m.linnet")
    new = [*X, ["unheard", "w1", "Unheard"]]
    assert twin.predict(new) == hmm.predict(new)
    for a, b in zip(twin.predict_marginals(new), hmm.predict_marginals(new), strict=True):
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("transition_", np.zeros((2, 3))),
        ("start_", np.zeros(4)),
        ("stop_", np.full(3, np.nan)),
        ("background_", np.zeros(1)),
        ("pair_label_", np.full(9, 7, np.int32)),
        ("pair_start_", np.zeros(2, np.int64)),
        ("pair_weight_", np.zeros(3, np.float32)),
        ("vocabulary_", {"a": 5}),
    ],
)
def test_forged_shapes_are_refused(tmp_path: Path, name: str, value: Any) -> None:
    hmm = linnet.HMM().fit(TOY_WORDS, TOY_TAGS)
    setattr(hmm, name, value)
    path = tmp_path / "m.linnet"
    with pytest.raises(ModelFileError, match="cannot be saved"):
        linnet.save(hmm, path)
    forge(hmm, path)
    with pytest.raises(ModelFileError, match="do not make a HMM"):
        linnet.load(path)


def test_brown_tags_are_mostly_right(data_dir: Callable[[str], Path]) -> None:
    parts = []
    for name, n in (("train", 6000), ("test", 300)):
        X, y = list[Any](), list[Any]()
        with gzip.open(data_dir("brown") / f"{name}.txt.gz", "rt", encoding="utf-8") as lines:
            for line, _ in zip(lines, range(n), strict=False):
                pairs = [token.rsplit("/", 1) for token in line.split()]
                X.append([word for word, _ in pairs])
                y.append([tag[:2] for _, tag in pairs])
        parts.append((X, y))
    (X, y), (A, b) = parts
    good = linnet.HMM().fit(X, y).score(A, b)
    assert good > 0.92
    assert good > linnet.HMM(unknown="uniform").fit(X, y).score(A, b) + 0.01
