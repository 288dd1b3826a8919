"""Data sets that come with the package (SPEC D-03, D-04, D-09, D-13)."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import linnet.data
from linnet.data import count_words, tiny
from linnet.data.builtin import badge_features, load_badges, load_iris, load_vague_adjectives


@pytest.mark.spec("D-03", "A-74")
def test_iris_has_fishers_means_and_corrected_rows() -> None:
    iris = load_iris()
    assert iris.species == ("setosa", "versicolor", "virginica")
    assert np.bincount(iris.y).tolist() == [50, 50, 50]
    means = [iris.X[iris.y == k].mean(axis=0) for k in range(3)]
    np.testing.assert_allclose(means[0], [5.006, 3.428, 1.462, 0.246])
    np.testing.assert_allclose(means[1], [5.936, 2.77, 4.26, 1.326])
    np.testing.assert_allclose(means[2], [6.588, 2.974, 5.552, 2.026])
    assert iris.X[34].tolist() == [4.9, 3.1, 1.5, 0.2]
    assert iris.X[37].tolist() == [4.9, 3.6, 1.4, 0.1]


@pytest.mark.spec("W-23", "D-04")
def test_the_second_letter_decides_every_badge() -> None:
    badges = load_badges()
    assert len(badges.train_names) == 36
    assert [badges.train_labels.count(label) for label in "+-"] == [22, 14]
    assert " ".join(badges.test_labels) == "+ - + - + - - + + -"
    for names, labels in (
        (badges.train_names, badges.train_labels),
        (badges.test_names, badges.test_labels),
    ):
        assert tuple("+" if name[1] in "aeiou" else "-" for name in names) == labels


def test_the_badges_are_those_of_the_full_game(data_dir: Callable[[str], Path]) -> None:
    folder = data_dir("badges")
    lines = {
        line for name in ("badges.train", "badges.test")
        for line in (folder / name).read_text().splitlines()
    }  # fmt: skip
    badges = load_badges()
    for label, name in zip(badges.train_labels, badges.train_names, strict=True):
        assert f"{label} {name}" in lines
    for label, name in zip(badges.test_labels, badges.test_names, strict=True):
        assert f"{label} {name}" in lines


@pytest.mark.spec("D-04", "W-23")
def test_a_perceptron_on_badge_features_makes_no_training_error() -> None:
    badges = load_badges()
    bags = [badge_features(name) for name in badges.train_names]
    signs = [1 if label == "+" else -1 for label in badges.train_labels]
    weights: dict[str, float] = {}
    for _ in range(200):
        mistakes = 0
        for bag, sign in zip(bags, signs, strict=True):
            if sign * sum(weights.get(name, 0.0) * value for name, value in bag.items()) <= 0:
                mistakes += 1
                for name, value in bag.items():
                    weights[name] = weights.get(name, 0.0) + sign * value
        if not mistakes:
            break
    assert mistakes == 0


def test_badge_features_of_unusual_names() -> None:
    assert badge_features("J. R. Quinlan")["first length"] == 1
    assert "first letter 2 is a consonant" not in badge_features("J. R. Quinlan")
    assert badge_features("Shai Ben-David")["last length"] == 8
    assert badge_features("Plato")["last length"] == 0
    assert badge_features("") == {"first length": 0.0, "last length": 0.0}


@pytest.mark.spec("W-20", "D-13")
def test_the_line_through_the_houses() -> None:
    X, y = load_vague_adjectives()
    design = np.column_stack([X, np.ones(len(X))])
    solution, squared_error, *_ = np.linalg.lstsq(design, y, rcond=None)
    np.testing.assert_allclose(solution, [-4900, 16550])
    np.testing.assert_allclose(squared_error, [45_775_000])


@pytest.mark.spec("D-09", "W-05")
def test_the_five_reviews_have_the_counts_of_the_example() -> None:
    bags = [count_words(text) for text in tiny.REVIEWS.texts]
    vocabulary = {word for bag in bags for word in bag}
    assert len(vocabulary) == 20
    tokens = {"-": 0.0, "+": 0.0}
    for bag, label in zip(bags, tiny.REVIEWS.labels, strict=True):
        tokens[label] += sum(bag.values())
    assert tokens == {"-": 14, "+": 9}
    assert set(tiny.REVIEW_TEST.split()) - vocabulary == {"with", "originality"}


@pytest.mark.spec("D-09", "W-09")
def test_the_person_weights_score_the_three_sentences() -> None:
    scores = []
    for text in tiny.PEOPLE.texts:
        pattern = re.sub("[0-9]+", "<#>", text)
        scores.append(sum(w for name, w in tiny.PERSON_WEIGHTS.items() if name in pattern))
    assert scores == [3, -4, 2]
    assert tuple(1 if score > 0 else -1 for score in scores) == tiny.PEOPLE.labels


@pytest.mark.spec("D-09", "W-15", "A-25")
def test_the_larger_model_gets_the_robbery_wrong() -> None:
    scores = [
        [sum(weights.get(word, 0.0) for word in text.split()) for text in tiny.BIRD_ROBBERY.texts]
        for weights in tiny.BIRD_ROBBERY_WEIGHTS
    ]
    assert scores == [[-2.5, -0.5], [-1, 1]]
    sizes = [
        (len(w), sum(map(abs, w.values())), sum(v * v for v in w.values()))
        for w in tiny.BIRD_ROBBERY_WEIGHTS
    ]
    assert sizes == [(8, 20.5, 74.25), (2, 2, 2)]


@pytest.mark.spec("D-09", "W-08", "W-06")
def test_the_other_sentences_are_there() -> None:
    assert count_words(tiny.UPDATES.texts[0])[","] == 2
    assert tiny.UPDATES.labels == (-1, 1)
    assert "Ronaldo" in tiny.RONALDO
    assert "amazing" in tiny.RONALDO


def test_every_public_name_exists() -> None:
    for name in linnet.data.__all__:
        assert getattr(linnet.data, name) is not None
    assert set(linnet.data.__all__) <= set(dir(linnet.data))
    with pytest.raises(AttributeError):
        linnet.data.nothing  # noqa: B018


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = (
        "import sys, linnet.data, linnet.data.formats.svmlight, linnet.data.gaussian,"
        "linnet.data.corpora, linnet.data.builtin, linnet.data.splits\n"
        "print([m for m in ('scipy', 'sklearn', 'pyarrow', 'matplotlib') if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300
    )
    assert result.stdout.strip() == "[]"
