"""Copies among the training examples: reported, and not in the held-out part of their original."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import linnet
from linnet.cli.app import app
from linnet.evaluate import cross_validate

RANDOM = np.random.default_rng(0)
NOISE = [" ".join(f"w{w}" for w in RANDOM.integers(0, 400, 12)) for _ in range(150)]
LABELS = [str(label) for label in RANDOM.integers(0, 2, 150)]
TWICE, TWICE_LABELS = NOISE * 2, LABELS * 2


def test_noise_that_stands_there_twice_is_not_learned_perfectly() -> None:
    once = linnet.TextClassifier(random_state=0).fit(NOISE, LABELS).record_
    twice = linnet.TextClassifier(random_state=0).fit(TWICE, TWICE_LABELS).record_
    assert "copies" not in once
    assert twice["copies"] == 150
    assert twice["held_out_accuracy"] < 0.65
    assert twice["sharpness"] < 2 * once["sharpness"]


def test_the_card_says_how_many_are_copies() -> None:
    model = linnet.TextClassifier(random_state=0).fit(TWICE, TWICE_LABELS)
    assert re.search(r"^copies +150\b", model.card(), re.MULTILINE)


def test_rows_that_stand_there_twice_are_not_learned_perfectly() -> None:
    rows = [[f"v{v}" for v in RANDOM.integers(0, 12, 4)] for _ in range(150)]
    clf = linnet.RowClassifier(linnet.SVM(), random_state=0).fit(rows * 2, TWICE_LABELS)
    different = len({tuple(row) for row in rows})
    assert clf.record_["copies"] == 300 - different
    assert clf.record_["held_out_accuracy"] < 0.65


def test_early_stopping_is_not_judged_by_copies() -> None:
    X = RANDOM.integers(0, 2, (150, 300)).astype(float)
    learner = linnet.Perceptron(early_stopping=True, random_state=0, max_iter=5)
    learner.fit(np.vstack([X, X]), np.array(TWICE_LABELS))
    assert learner.validation_scores_.max() < 0.75


def test_cross_validation_and_comparison_keep_copies_together() -> None:
    learner = linnet.TextClassifier(C=1.0, random_state=0)
    assert cross_validate(learner, TWICE, TWICE_LABELS, folds=4).mean < 0.65
    for folds in (None, 4):
        found = linnet.compare((TWICE, TWICE_LABELS), "svm", folds=folds)
        assert found.card["copies"] == 150
        assert found.rows[0].score < 0.7
        assert "150 of 300 examples are copies of others; copies share a fold" in str(found)
    words = [text.split() for text in TWICE]
    tags = [[f"t{label}{k % 2}" for k in range(12)] for label in TWICE_LABELS]
    assert linnet.compare((words, tags), "local").card["copies"] == 150


@pytest.mark.parametrize("texts", [["same"] * 60, ["one", "other"] * 30])
def test_one_or_two_different_texts_still_train(texts: list[str]) -> None:
    clf = linnet.TextClassifier(random_state=0).fit(texts, ["x", "y"] * 30)
    assert clf.record_["copies"] == 60 - len(set(texts))
    assert set(clf.predict(texts).tolist()) <= {"x", "y"}


@pytest.mark.parametrize("folds", [None, 5])
@pytest.mark.parametrize("texts", [["same"] * 60, ["one", "other"] * 30])
def test_a_comparison_on_one_or_two_texts_says_what_it_is_worth(
    texts: list[str], folds: int | None
) -> None:
    found = linnet.compare((texts, ["x", "y"] * 30), "svm", folds=folds)
    n = len(set(texts))
    assert f"{60 - n} of 60 examples are copies of others: with {n} different" in str(found)


@pytest.mark.parametrize("kind", ["texts", "sentences"])
def test_train_prints_the_copies_and_holds_none_out_beside_its_original(
    kind: str, tmp_path: Path
) -> None:
    data, output = tmp_path / "data.tsv", tmp_path / "m.linnet"
    if kind == "texts":
        lines = [f"{label}\t{text}\n" for label, text in zip(TWICE_LABELS, TWICE, strict=True)]
    else:
        data = tmp_path / "data.conll"
        noisy = np.random.default_rng(1).integers(0, 2, (150, 12))
        lines = [
            "".join(f"{w}{n}\tT{t}\n" for w, t in zip(text.split(), own, strict=True)) + "\n"
            for n, (text, own) in enumerate(zip(NOISE, noisy, strict=True))
        ] * 2
    data.write_text("".join(lines))
    run: Callable[..., Any] = CliRunner().invoke
    found = run(app, ["train", str(data), "-o", str(output), "--holdout", "0.3"])
    assert found.exit_code == 0, found.output
    n = 300 if kind == "sentences" else 300 - 2 * round(0.3 * 150)
    assert f"{n // 2} of {n} {kind} are copies of others; copies share a fold" in found.output
    share = float(found.stdout.split("held out: ")[1].split("accuracy ")[1].split(" %")[0])
    assert share < 70
