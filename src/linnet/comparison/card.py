"""The data of a comparison in numbers, and what a guesser without learning would reach on it."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain
from typing import Any

from linnet.comparison.given import Cut, Labelled, Split, Tagged
from linnet.comparison.outcome import score_of
from linnet.comparison.rounds import Board
from linnet.model.readers.tokens import read_tokens

__all__ = ["baseline", "call_of", "card"]

_MOST = 10


def card(data: Labelled | Tagged, splits: list[Split], how: str, board: Board) -> dict[str, Any]:
    """Return what a reader has to know of the data, as plain values."""
    flat = isinstance(data, Labelled)
    labels = data.y if isinstance(data, Labelled) else chain.from_iterable(data.tags)
    counts = Counter(str(label) for label in labels)
    test_units = sum(len(one.test) for one in splits)
    return {
        "kind": "examples" if flat else "sentences",
        "n": len(data),
        "copies": data.copies.n,
        "n_tokens": None if flat else sum(counts.values()),
        "n_labels": len(counts),
        "labels": dict(counts.most_common(_MOST)),
        "splits": how,
        "n_splits": len(splits),
        "n_train": round(sum(len(one.train) for one in splits) / len(splits)),
        "n_test": test_units,
        "n_features": board.n_features,
        "feature_seconds": board.feature_seconds,
    }


def call_of(
    learners: Any, test: Any, cut: Cut, budget: float | None, curve: Any, columns: Any = None
) -> str:
    """Return the call that repeats a comparison.

    Examples
    --------
    >>> call_of("nb, svm", None, Cut(folds=5), None, None)
    "linnet.compare(data, 'nb, svm', folds=5, seed=0)"
    """
    parts = ["data"]
    if isinstance(learners, str):
        parts += [] if learners.strip().lower() == "all" else [repr(learners)]
    else:
        parts.append("learners")
    parts += ["test=test"] * (test is not None)
    parts += [] if columns is None else [f"columns={dict(columns)!r}"]
    named = {
        "folds": cut.folds,
        "repeats": None if cut.repeats == 1 else cut.repeats,
        "seed": cut.seed,
        "time_budget": budget,
        "curve": curve and tuple(curve),
    }
    parts += ["groups=groups"] * (cut.groups is not None)
    parts += [f"{name}={value!r}" for name, value in named.items() if value is not None]
    return f"linnet.compare({', '.join(parts)})"


def baseline(splits: list[Split], metric: str) -> float:
    """Return the score of the most frequent label; for sentences of each word's most frequent tag.

    Examples
    --------
    >>> train, test = Labelled(["a", "b", "c"], [0, 1, 1]), Labelled(["d", "e"], [1, 0])
    >>> baseline([Split(train, test)], "accuracy")
    0.5
    """
    gold: list[Any] = []
    guess: list[Any] = []
    for one in splits:
        if isinstance(one.train, Labelled):
            [(label, _)] = Counter(one.train.y).most_common(1)
            gold += one.test.y
            guess += [label] * len(one.test)
        else:
            gold += one.test.tags
            guess += _most_frequent_tags(one.train, one.test)
    return score_of(gold, guess, metric)


def _most_frequent_tags(train: Tagged, test: Tagged) -> list[list[str]]:
    of_word: dict[str, Counter[str]] = defaultdict(Counter)
    for words, tags in zip(read_tokens(train.sentences).words(), train.tags, strict=True):
        for word, tag in zip(words, tags, strict=True):
            of_word[word][tag] += 1
    [(common, _)] = Counter(chain.from_iterable(train.tags)).most_common(1)
    best = {word: counts.most_common(1)[0][0] for word, counts in of_word.items()}
    sentences = read_tokens(test.sentences).words()
    return [[best.get(word, common) for word in words] for words in sentences]
