"""What the demo trains on: built-in data sets, each with the learners that suit it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import linnet
from linnet.data import (
    SimpleDataSet,
    badge_features,
    count_words,
    load_badges,
    load_iris,
    load_pydoc,
    split,
)

__all__ = ["DemoTask", "boundary_data", "tasks"]


@dataclass(frozen=True)
class DemoTask:
    """One data set and the learners to compare on it."""

    title: str
    train: tuple[Any, Any]
    test: tuple[Any, Any]
    learners: dict[str, Any]
    note: str = ""


def boundary_data() -> SimpleDataSet:
    """Return the points of the plot: S0's two Gaussians, 100 for training and 100 for testing."""
    return SimpleDataSet(nr_examples=200, g1=[[-1, -1], 1], g2=[[1, 1], 1])


def tasks() -> Iterator[DemoTask]:
    """Yield the demo's data sets, small ones first."""
    yield _gaussians("Two Gaussians", boundary_data())
    circle = SimpleDataSet(nr_examples=2000, g1=[[-1, -1], 1], g2=[[1, 1], 0.25])
    yield _gaussians("Two Gaussians of different width", circle)
    yield _iris()
    yield _badges()
    yield _docstrings()


def _discriminative() -> dict[str, Any]:
    online: dict[str, Any] = {"random_state": 0}
    return {
        "perceptron": linnet.Perceptron(average=False, **online),
        "perceptron, averaged": linnet.Perceptron(**online),
        "MIRA": linnet.MIRA(**online),
        "maximum entropy": linnet.MaxEnt(random_state=0),
        "SVM, hinge": linnet.SVM(max_iter=10_000, random_state=0),
        "SVM, squared hinge": linnet.SVM(loss="squared_hinge", multi_class="ovr", random_state=0),
    }


def _densities() -> dict[str, Any]:
    return {
        "Gaussian Bayes, full covariances": linnet.GaussianBayes(),
        "Parzen windows": linnet.ParzenWindows(h=0.5),
    }


def _gaussians(title: str, data: SimpleDataSet) -> DemoTask:
    return DemoTask(
        title=f"{title}: {len(data.train_X)} points to learn from, {len(data.test_X)} to test",
        train=(data.train_X, data.train_y),
        test=(data.test_X, data.test_y),
        learners={
            "naive Bayes, one variance": linnet.GaussianNB(variance="shared"),
            "naive Bayes, variances per class": linnet.GaussianNB(),
            **_densities(),
            **_discriminative(),
            "kernel perceptron, quadratic": linnet.KernelPerceptron(
                kernel="polynomial", degree=2, coef0=1.0, random_state=0
            ),
            "kernel SVM, gaussian": linnet.KernelSVM(),
        },
        note="The best possible classifier is right with probability "
        f"{1 - data.bayes_error():.3f}; more than that is luck.",
    )


def _iris() -> DemoTask:
    iris = load_iris()
    train, test = split(len(iris.y), (0.6, 0.4), stratify=iris.y)
    labels = np.array(iris.species)[iris.y]
    return DemoTask(
        title=f"Iris: {len(train)} flowers of three species, {len(test)} to test",
        train=(iris.X[train], labels[train]),
        test=(iris.X[test], labels[test]),
        learners={
            "naive Bayes, Gaussian": linnet.GaussianNB(),
            **_densities(),
            **_discriminative(),
        },
    )


def _badges() -> DemoTask:
    badges = load_badges()
    return DemoTask(
        title=f"Badges: {len(badges.train_names)} names with + or -, "
        f"{len(badges.test_names)} to test",
        train=([badge_features(name) for name in badges.train_names], badges.train_labels),
        test=([badge_features(name) for name in badges.test_names], badges.test_labels),
        learners={"naive Bayes, Bernoulli": linnet.BernoulliNB(), **_discriminative()},
        note="The rule of the game: + when the second letter is a vowel.",
    )


def _docstrings() -> DemoTask:
    corpus = load_pydoc()
    return DemoTask(
        title=f"Topics of texts: {corpus.description}, {len(corpus.test_texts)} of them to test",
        train=([count_words(text) for text in corpus.train_texts], corpus.train_labels),
        test=([count_words(text) for text in corpus.test_texts], corpus.test_labels),
        learners={
            "naive Bayes, multinomial, add 1": linnet.MultinomialNB(),
            "naive Bayes, multinomial, add 0.1": linnet.MultinomialNB(alpha=0.1),
            "naive Bayes, Bernoulli, add 1": linnet.BernoulliNB(),
            "naive Bayes, Bernoulli, add 0.1": linnet.BernoulliNB(alpha=0.1),
            **_discriminative(),
        },
        note="Words are counted as they stand, separated by white space; each is a feature.",
    )
