"""Tiny corpora of the lectures, as arrays, for any test to import."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# S2 "Naive Bayes: Example"; class 0 is "-", class 1 is "+" (W-05)
REVIEWS = (
    "just plain boring",
    "entirely predictable and lacks energy",
    "no surprises and very few laughs",
    "very powerful",
    "the most fun film of the summer",
)
REVIEW_LABELS: IntArray = np.array([0, 0, 0, 1, 1])
REVIEW_TEST = "predictable with no originality"

# S2 "An online learning algorithm" (W-06, W-07)
KYOTO = ("A site , located in Maizuru , Kyoto", "Shoken , monk born in Kyoto")
KYOTO_LABELS: IntArray = np.array([-1, 1])


def vocabulary(documents: tuple[str, ...]) -> list[str]:
    """Word types in order of first occurrence."""
    return list(dict.fromkeys(word for text in documents for word in text.split()))


def counts(documents: tuple[str, ...], words: list[str]) -> FloatArray:
    """Count matrix (documents, words); words outside the list are dropped."""
    return np.array([[text.split().count(word) for word in words] for text in documents], float)


def reviews(extra_words: tuple[str, ...] = ()) -> tuple[FloatArray, IntArray, FloatArray]:
    """Counts of the five reviews, their labels, and the counts (1, V) of the test document."""
    words = [*vocabulary(REVIEWS), *extra_words]
    return counts(REVIEWS, words), REVIEW_LABELS, counts((REVIEW_TEST,), words)


def kyoto() -> tuple[FloatArray, IntArray, list[str]]:
    """Counts of S2's two sentences, their labels, and the words."""
    words = vocabulary(KYOTO)
    return counts(KYOTO, words), KYOTO_LABELS, words


def five_points() -> tuple[FloatArray, IntArray]:
    """F-01: separable points with the bias as the last column."""
    points = [(2, 1), (-1, -2), (1, -1), (-2, 1), (0.5, -2)]
    return np.array([(*p, 1) for p in points], float), np.array([1, -1, 1, -1, -1])


def two_points() -> tuple[FloatArray, IntArray]:
    """F-03: (1, 1) positive and (-1, -1) negative, no bias."""
    return np.array([[1.0, 1.0], [-1.0, -1.0]]), np.array([1, -1])


def two_clouds() -> tuple[FloatArray, IntArray]:
    """F-11: twenty points around (-1, -1), twenty around (1, 1), bias last."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(-1, 1, (20, 2)), rng.normal(1, 1, (20, 2))])
    return np.hstack([X, np.ones((40, 1))]), np.repeat([-1, 1], 20)


def random_classes(
    n_examples: int, n_features: int, n_classes: int, seed: int = 0
) -> tuple[FloatArray, IntArray]:
    """Normal features and uniform labels, so not separable in general."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_examples, n_features)), rng.integers(0, n_classes, n_examples)


def random_orders(n_examples: int, n_rounds: int, seed: int = 0) -> list[NDArray[np.intp]]:
    """One permutation a round."""
    rng = np.random.default_rng(seed)
    return [rng.permutation(n_examples) for _ in range(n_rounds)]
