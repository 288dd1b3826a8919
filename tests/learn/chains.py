"""Small chains for the tests of sequence learners, and every labelling of them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.learn.chain.sentences import checked, number_labels, read_sentences
from linnet.learn.chain.weights import observed_pairs

Floats = NDArray[np.float64]

TIGHT: dict[str, Any] = {"tol": 1e-10, "max_iter": 10_000}

TOY_WORDS = [["the", "dog", "runs"], ["the", "runs"], ["dogs", "run"], ["the", "dog", "dog"]]
TOY_TAGS = [["D", "N", "V"], ["D", "N"], ["N", "V"], ["D", "N", "V"]]
TOY = [[[f"w={word}"] for word in sentence] for sentence in TOY_WORDS]


def labellings(n: int, n_labels: int) -> list[tuple[int, ...]]:
    return list(product(range(n_labels), repeat=n))


def path_score(
    state: Floats, transition: Floats, start: Floats, stop: Floats, path: tuple[int, ...]
) -> float:
    """Add up the score of one labelling; ``transition`` may differ from token to token."""
    if not path:
        return 0.0
    steps = np.broadcast_to(transition, (len(path), *transition.shape[-2:]))
    total = start[path[0]] + stop[path[-1]]
    total += sum(state[t, label] for t, label in enumerate(path))
    return float(total + sum(steps[t, path[t - 1], path[t]] for t in range(1, len(path))))


def enumerate_chain(
    state: Floats, transition: Floats, start: Floats, stop: Floats
) -> tuple[list[tuple[int, ...]], Floats]:
    """Return all labellings and their scores."""
    paths = labellings(*state.shape)
    return paths, np.array([path_score(state, transition, start, stop, path) for path in paths])


def best_of(paths: list[tuple[int, ...]], scores: Floats) -> tuple[int, ...]:
    """Return the best labelling; of equals the one whose last labels are lowest."""
    top = scores.max()
    return min((p for p, s in zip(paths, scores, strict=True) if s == top), key=lambda p: p[::-1])


def marginals_of(paths: list[tuple[int, ...]], scores: Floats, n_labels: int) -> Floats:
    p = np.exp(scores - np.logaddexp.reduce(scores))
    out = np.zeros((len(paths[0]), n_labels))
    for path, share in zip(paths, p, strict=True):
        out[np.arange(len(path)), list(path)] += share
    return out


def sentences(
    seed: int, n: int, *, labels: int = 3, features: int = 8, longest: int = 6, values: bool = False
) -> tuple[list[Any], list[list[str]]]:
    """Make sentences whose labels depend on features and on the label before; some are empty."""
    random = np.random.default_rng(seed)
    taste, habit = random.normal(size=(features, labels)), random.normal(size=(labels, labels))
    X, y = list[Any](), list[list[str]]()
    for length in random.integers(0, longest + 1, n).tolist():
        tokens, tags, before = list[Any](), list[str](), 0
        for _ in range(length):
            on = random.choice(features, 3, replace=False)
            label = int((taste[on].sum(0) + habit[before] + random.gumbel(size=labels)).argmax())
            names = [f"f{j}" for j in on]
            number = random.normal(1, 0.3, 3).tolist()
            tokens.append(dict(zip(names, number, strict=True)) if values else names)
            tags.append("ABCDEFGH"[label])
            before = label
        X.append(tokens)
        y.append(tags)
    X[0], y[0] = [["f0"], ["f1"]], ["A", "B"]
    return X, y


def problem(X: Any, y: Any, *, every: bool = True) -> tuple[Any, ...]:
    """Return the chain, the gold labels, the costs and the number of labels."""
    features = checked(read_sentences(X, None)[0])
    classes, gold = number_labels(y, features.sentence)
    start, label = observed_pairs(features, gold, len(classes), every=every)
    chain = _core.Chain(features.matrix, features.sentence, start, label, len(classes))
    return chain, gold, np.ones(features.n_sentences), len(classes), (features, start, label)
