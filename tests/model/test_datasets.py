"""What the defaults reach on real data; they were chosen without looking at the test parts."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from linnet import TextClassifier
from linnet.evaluate.calibration import calibrate
from linnet.model.decision import probabilities

pytestmark = pytest.mark.slow

FILES = {
    "imdb": "{}.tsv.gz",
    "newsgroups20": "{}.tsv.gz",
    "banking77": "{}.csv",
    "wikipedia_titles": "titles-en-{}.labeled",
}


class Result(NamedTuple):
    clf: TextClassifier
    accuracy: float
    error: float  # expected calibration error
    raw_error: float  # that of the scores as they are


def _read(path: Path) -> tuple[list[str], list[str]]:
    texts, labels = [], []
    opened: Any = gzip.open if path.suffix == ".gz" else open
    with opened(
        path, "rt", encoding="utf-8", newline="" if path.suffix == ".csv" else "\n"
    ) as file:
        if path.suffix == ".csv":
            rows = list(csv.DictReader(file))
            return [row["text"] for row in rows], [row["category"] for row in rows]
        for line in file:
            label, _, text = line.rstrip("\n").partition("\t")
            labels.append(label)
            texts.append(text)
    return texts, labels


@cache
def _result(folder: Path) -> Result:
    name = FILES[folder.name]
    clf = TextClassifier().fit(*_read(folder / name.format("train")))
    texts, labels = _read(folder / name.format("test"))
    gold = np.searchsorted(clf.classes_, labels)
    chances = clf.predict_proba(texts)
    raw = probabilities(clf.decision_function(texts).reshape(len(texts), -1), 1.0, multilabel=False)
    return Result(
        clf,
        float(np.mean(clf.predict(texts) == np.asarray(labels))),
        calibrate(chances, gold).error,
        calibrate(raw, gold).error,
    )


@pytest.mark.parametrize(
    "name, least",
    [("imdb", 0.905), ("newsgroups20", 0.855), ("banking77", 0.88), ("wikipedia_titles", 0.94)],
)
def test_the_defaults_are_strong(name: str, least: float, data_dir: Callable[[str], Path]) -> None:
    found = _result(data_dir(name))
    print(f"{name}: accuracy {found.accuracy:.4f}, {found.clf.record_}")
    assert found.accuracy >= least


@pytest.mark.parametrize(
    "name, most",
    [("imdb", 0.02), ("newsgroups20", 0.06), ("banking77", 0.045), ("wikipedia_titles", 0.02)],
)
def test_probabilities_mean_what_they_say(
    name: str, most: float, data_dir: Callable[[str], Path]
) -> None:
    found = _result(data_dir(name))
    print(f"{name}: calibration error {found.error:.4f}, of the scores {found.raw_error:.4f}")
    assert found.error < min(most, found.raw_error / 4)
