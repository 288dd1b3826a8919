"""The MEMM whose labels depend on the two before them: factors, searches, sums of probabilities."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.errors import DataError, ParameterError
from linnet.learn.chain import Constraints
from linnet.learn.chain.between import best_paths, forward_backward, pairs_between, search_beam

from .chains import labellings, sentences

X, Y = sentences(1, 40)
NEW = [sentence for sentence in sentences(2, 12, longest=5)[0] if sentence]
TIGHT: dict[str, Any] = {"tol": 1e-9, "max_iter": 5000}


def fitted(**how: Any) -> linnet.MEMM:
    return linnet.MEMM(order=2, **how).fit(X, Y)


def probabilities(memm: linnet.MEMM, sentence: Any) -> dict[tuple[int, ...], float]:
    """Return P(T | W) of every labelling, factor by factor; -1 is the start symbol."""
    [local] = memm.local_distributions([sentence])
    n, L = len(local), len(memm.classes_)
    return {
        path: float(
            np.prod([local[t, (-1, -1, *path)[t], (-1, *path)[t], path[t]] for t in range(n)])
        )
        for path in labellings(n, L)
    }


@pytest.mark.spec("M-113")
def test_factors_and_sequences_sum_to_one() -> None:
    memm = fitted()
    for sentence in NEW:
        [local] = memm.local_distributions([sentence])
        np.testing.assert_allclose(local.sum(axis=-1), 1.0, atol=1e-12)
        assert sum(probabilities(memm, sentence).values()) == pytest.approx(1.0, abs=1e-10)


@pytest.mark.spec("M-113")
def test_the_factors_are_those_of_the_weights() -> None:
    memm = fitted()
    [local] = memm.local_distributions(NEW[:1])
    [state] = memm.decision_function(NEW[:1])
    for t in range(len(state)):
        scores = state[t] + memm.transition_[1] + memm.triple_[2, 1]
        np.testing.assert_allclose(
            np.log(local[t, 2, 1]), scores - np.logaddexp.reduce(scores), atol=1e-12
        )
        first = state[t] + memm.start_
        np.testing.assert_allclose(
            np.log(local[t, 3, 3]), first - np.logaddexp.reduce(first), atol=1e-12
        )


@pytest.mark.spec("M-113")
def test_it_is_maxent_with_the_labels_before_as_features() -> None:
    memm = fitted(pairs="all", **TIGHT)
    rows, tags = [], []
    for sentence, labels in zip(X, Y, strict=True):
        for t, token in enumerate(sentence):
            before = [*(["^"] if t == 0 else [labels[t - 1]])]
            row = dict.fromkeys(token, 1.0) | {f"before={before[0]}": 1.0}
            if t > 1:
                row[f"before={labels[t - 2]},{labels[t - 1]}"] = 1.0
            rows.append(row)
            tags.append(labels[t])
    flat = linnet.MaxEnt(fit_intercept=False, tol=1e-9, max_iter=5000).fit(rows, tags)
    names = memm.classes_.tolist()
    for h, i in [(0, 1), (2, 2), (1, 0)]:
        j = flat.vocabulary_.get(f"before={names[h]},{names[i]}")
        if j is not None:
            np.testing.assert_allclose(memm.triple_[h, i], flat.coef_[:, j], atol=1e-4)


@pytest.mark.spec("M-114", "M-112", "M-115")
def test_searches_and_marginals_are_those_of_enumeration() -> None:
    memm = fitted()
    for sentence in NEW:
        every = probabilities(memm, sentence)
        ranked = sorted(every, key=lambda path: (-every[path], path[::-1]))
        best = memm.classes_[list(ranked[0])].tolist()
        assert memm.predict([sentence]) == [best] == memm.predict([sentence], beam=3**5)
        [n_best] = memm.predict_nbest([sentence], 4)
        np.testing.assert_allclose(
            np.exp([score for score, _ in n_best]), [every[path] for path in ranked[:4]]
        )
        token, pair = np.zeros((len(sentence), 3)), np.zeros((len(sentence) - 1, 3, 3))
        for path, share in every.items():
            token[np.arange(len(path)), path] += share
            pair[np.arange(len(path) - 1), path[:-1], path[1:]] += share
        np.testing.assert_allclose(memm.predict_marginals([sentence])[0], token, atol=1e-10)
        np.testing.assert_allclose(memm.predict_pair_marginals([sentence])[0], pair, atol=1e-10)


@pytest.mark.spec("M-115")
def test_a_beam_of_one_is_greedy_and_scores_are_recomputed_scores() -> None:
    memm = fitted()
    for sentence in NEW:
        [local] = memm.local_distributions([sentence])
        labels = [-1, -1]
        for t in range(len(sentence)):
            labels.append(int(local[t, labels[-2], labels[-1]].argmax()))
        greedy = memm.classes_[labels[2:]].tolist()
        assert memm.predict([sentence], beam=1) == [greedy]
        assert linnet.MEMM.predict(fitted(search="beam", beam=1), [sentence]) == [greedy]
        chain = memm.chain([sentence], beam=2)
        found, score = chain.decode()
        assert np.exp(score[0]) == pytest.approx(probabilities(memm, sentence)[tuple(found)])


@pytest.mark.spec("M-115")
@pytest.mark.parametrize("states", ["shared", "per_state"])
def test_the_beam_of_the_model_is_searched_unless_another_is_asked_for(states: str) -> None:
    exact = linnet.MEMM(states=states).fit(X, Y)
    wide = linnet.MEMM(states=states, search="beam").fit(X, Y)
    assert wide.beam == 5
    assert wide.predict(NEW) == exact.predict(NEW, beam=5)
    assert wide.predict(NEW, beam=1) == exact.predict(NEW, beam=1)
    assert linnet.MEMM(states=states, search="beam", beam=3**5).fit(X, Y).predict(
        NEW
    ) == exact.predict(NEW)


def test_without_weights_of_triples_it_is_the_model_of_first_order() -> None:
    first, second = linnet.MEMM().fit(X, Y), fitted()
    second.transition_, second.start_ = first.transition_, first.start_
    second.pair_weight_, second.triple_ = first.pair_weight_, np.zeros((3, 3, 3))
    assert second.predict(NEW) == first.predict(NEW)
    for mine, other in zip(
        second.predict_marginals(NEW), first.predict_marginals(NEW), strict=True
    ):
        np.testing.assert_allclose(mine, other, atol=1e-10)


def test_it_uses_what_a_model_of_first_order_cannot_see() -> None:
    y = [["A", "X", "B"], ["C", "X", "D"]] * 20  # X is followed by B after A, by D after C
    x = [[["a"], ["x"], ["?"]], [["c"], ["x"], ["?"]]] * 20
    assert linnet.MEMM(order=2).fit(x, y).score(x, y) == 1.0
    assert linnet.MEMM(order=1).fit(x, y).score(x, y) < 1.0


def test_constraints_hold_and_shares_stay_shares() -> None:
    memm = fitted()
    step = np.ones((3, 3), bool)
    step[1, 2] = False
    rules = Constraints(np.ones(3, bool), step, np.ones(3, bool))
    barred = ("B", "C")
    for labels in memm.predict(NEW, constraints=rules):
        assert barred not in list(pairwise(labels))
    for token, pair in zip(
        memm.predict_marginals(NEW, constraints=rules),
        memm.predict_pair_marginals(NEW, constraints=rules),
        strict=True,
    ):
        np.testing.assert_allclose(token.sum(axis=1), 1.0, atol=1e-10)
        np.testing.assert_allclose(pair.sum(axis=1), token[1:], atol=1e-10)
        assert not pair[:, 1, 2].any()


def test_long_sentences_come_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    memm = fitted()
    long = [[token for sentence in NEW for token in sentence] * 3, NEW[0], []]
    whole = memm.predict(long), memm.predict_marginals(long), memm.predict_nbest(long, 2)
    monkeypatch.setattr("linnet.learn.chain.scores.BLOCK", 3 * 16 * 2)  # two tokens at a time
    assert memm.predict(long) == whole[0]
    for a, b in zip(memm.predict_marginals(long), whole[1], strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
    assert [[labels for _, labels in best] for best in memm.predict_nbest(long, 2)] == [
        [labels for _, labels in best] for best in whole[2]
    ]


def test_it_comes_back_from_a_file_with_every_bit(tmp_path: Path) -> None:
    memm = fitted(search="beam", beam=3)
    linnet.save(memm, tmp_path / "m.linnet")
    back = linnet.load(tmp_path / "m.linnet")
    np.testing.assert_array_equal(back.triple_, memm.triple_)
    assert back.predict(NEW) == memm.predict(NEW)
    words = [["the", "dog", "runs"], ["a", "dog", "sleeps"]] * 3
    tagger = linnet.SequenceTagger(linnet.MEMM(order=2)).fit(words, [["D", "N", "V"]] * 6)
    tagger.save(tmp_path / "t.linnet")
    assert linnet.load(tmp_path / "t.linnet").predict(words) == tagger.predict(words)


def test_bad_requests_are_refused() -> None:
    for wrong in ({"order": 3}, {"search": "depth"}, {"beam": 0}, {"states": "per_state"}):
        with pytest.raises(ParameterError):
            linnet.MEMM(**{"order": 2, **wrong}).fit(X, Y)
    many = [[f"t{k}" for k in range(101)]]
    with pytest.raises(DataError, match="101 labels"):
        linnet.MEMM(order=2).fit([[[tag] for tag in many[0]]], many)


@pytest.mark.spec("M-112")
@pytest.mark.parametrize("seed", range(8))
def test_searches_between_cubes_are_those_of_enumeration(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, L = int(random.integers(2, 6)), int(random.integers(1, 4))
    first, stop = random.integers(-2, 3, L) * 1.0, random.integers(-2, 3, L) * 1.0
    cubes = [random.integers(-2, 3, (1 if t == 1 else L, L, L)) * 1.0 for t in range(1, n)]
    scores = {
        path: first[path[0]]
        + stop[path[-1]]
        + sum(cubes[t - 1][path[t - 2] if t > 1 else 0, path[t - 1], path[t]] for t in range(1, n))
        for path in labellings(n, L)
    }
    ranked = sorted(scores, key=lambda path: (-scores[path], path[::-1]))
    pieces = [np.array([cube]) for cube in cubes]
    found = best_paths(first, pieces, stop, 3)
    assert [score for score, _ in found] == [scores[path] for path in ranked[:3]]
    assert tuple(found[0][1]) == ranked[0]
    assert search_beam(first, pieces, stop, L**n)[0][0] == scores[ranked[0]]
    total = np.logaddexp.reduce(list(scores.values()))
    token, pair = np.zeros((n, L)), np.zeros((n - 1, L, L))
    for path, score in scores.items():
        token[np.arange(n), path] += np.exp(score - total)
        pair[np.arange(n - 1), path[:-1], path[1:]] += np.exp(score - total)
    np.testing.assert_allclose(forward_backward(first, cubes, stop), token, atol=1e-10)
    np.testing.assert_allclose(pairs_between(first, cubes, stop), pair, atol=1e-10)
