"""Re-ranking: the perceptron over an explicit list of candidates."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import linnet
from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.learn.rerank import Reranker

from .chains import labellings, sentences

PLAIN: dict[str, Any] = {"average": False, "shuffle": False}


def phi(tokens: Any, labels: list[str]) -> dict[str, float]:
    """Return the features of a sentence with its labels: states and steps (SPEC M-117)."""
    states = [
        f"{name}:{label}" for token, label in zip(tokens, labels, strict=True) for name in token
    ]
    return dict(Counter([*states, *(f"{a}>{b}" for a, b in pairwise(labels))]))


def all_labellings(X: Any, y: Any) -> tuple[list[Any], list[int]]:
    """Return every labelling of every sentence, and which one is right."""
    lists, gold = [], []
    for tokens, tags in zip(X, y, strict=True):
        gen = [["ABC"[i] for i in path] for path in labellings(len(tokens), 3)]
        lists.append([phi(tokens, labels) for labels in gen])
        gold.append(gen.index(tags))
    return lists, gold


@pytest.mark.spec("M-116", "M-117")
def test_the_update_is_the_difference_of_feature_vectors() -> None:
    lists = [[{"a": 1.0, "b": 2.0}, {"b": 3.0, "c": 1.0}]]
    model = Reranker(max_iter=1, **PLAIN).fit(lists, [1])
    weights = {name: model.coef_[j] for name, j in model.vocabulary_.items()}
    assert weights == {"a": -1.0, "b": 1.0, "c": 1.0}


@pytest.mark.spec("M-116", "A-59")
@pytest.mark.parametrize("average", [False, True])
def test_it_is_the_generic_perceptron_over_all_labellings(average: bool) -> None:
    X, y = sentences(0, 12, longest=4)
    lists, gold = all_labellings(X, y)
    model = Reranker(max_iter=3, average=average, shuffle=False).fit(lists, gold)
    w, sums, steps = Counter[str](), Counter[str](), 0
    for _ in range(model.n_iter_):
        for candidates, right in zip(lists, gold, strict=True):
            scores = [sum(w[name] * v for name, v in c.items()) for c in candidates]
            guess = int(np.argmax(scores))
            if guess != right:
                w.update(candidates[right])
                w.subtract(candidates[guess])
            sums.update(w)
            steps += 1
    for name, j in model.vocabulary_.items():
        expected = sums[name] / steps if average else w[name]
        assert model.coef_[j] == pytest.approx(expected, abs=1e-12)


@pytest.mark.spec("M-116")
def test_it_repairs_the_list_of_a_tagger() -> None:
    X, y = sentences(1, 80)
    X, y = [s for s in X if s], [t for t in y if t]
    tagger = linnet.MEMM(C=0.01).fit(X, y)
    lists, gold = [], []
    for tokens, tags, best in zip(X, y, tagger.predict_nbest(X, 20), strict=True):
        found = [labels for _, labels in best]
        if tags in found:
            lists.append([{"score": s, **phi(tokens, labels)} for s, labels in best])
            gold.append(found.index(tags))
    first = np.mean(np.asarray(gold) == 0)
    assert Reranker(random_state=0).fit(lists, gold).score(lists, gold) > first


def test_a_separable_round_without_mistakes_ends_it_and_ties_go_to_the_first() -> None:
    lists = [[{"good": 1}, {"bad": 1}], [{"bad": 1}, {"good": 1}]]
    model = Reranker(random_state=0).fit(lists, [0, 1])
    assert model.n_iter_ < 10 and model.history_["mistakes"][-1] == 0
    assert model.predict([[["unheard"], ["other"]], [["bad"], ["good"]]]) == [0, 1]


@pytest.mark.spec("M-68")
def test_n_nonzero_counts_the_weights_that_updates_have_left() -> None:
    model = Reranker(1, **PLAIN).fit([[["bad", "both"], ["good", "both"]]], [1])
    assert model.n_nonzero_ == 2  # what both candidates have was added and taken away
    with pytest.raises(NotFittedError):
        _ = Reranker().n_nonzero_


def test_one_seed_gives_one_model() -> None:
    X, y = sentences(2, 10, longest=3)
    lists, gold = all_labellings(X, y)
    a, b = (Reranker(random_state=3).fit(lists, gold).coef_ for _ in range(2))
    assert a.tobytes() == b.tobytes()


def test_bad_lists_are_refused_with_their_place() -> None:
    for X, y, message in (
        ([], [], "no lists"),
        ([[["a"]]], [1], "List 0 has 1 candidates, but y says place 1"),
        ([[["a"]], []], [0, 0], "List 1 has 0 candidates"),
        ([[["a"]]], [0.5], "integers"),
        ([[["a"]]], [0, 0], "1 integers"),
        ("text", [0], "list of lists"),
    ):
        with pytest.raises(DataError, match=message):
            Reranker().fit(X, y)
    with pytest.raises(ParameterError):
        Reranker(max_iter=0).fit([[["a"]]], [0])
    with pytest.raises(NotFittedError):
        clone(Reranker()).predict([[["a"]]])
    with pytest.raises(DataError, match="List 0 has no candidates"):
        Reranker().fit([[["a"]]], [0]).predict([[]])
