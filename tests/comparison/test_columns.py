"""Learners are compared on tables of texts, categories and numbers, too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.errors import DataError, ParameterError

WORDS = {"sport": "goal team match win", "food": "soup bread taste fry", "music": "song band"}
DRAW = np.random.default_rng(1)
LABELS: list[str] = DRAW.choice(list(WORDS), 240).tolist()
PLAIN: list[dict[str, Any]] = [
    {
        "title": " ".join(DRAW.choice([*WORDS[label].split(), *"abcdefgh"], 4)),
        "source": label[:2] if DRAW.random() < 0.5 else "other",
        "price": float(DRAW.normal(100 if label == "food" else 300, 50)),
    }
    for label in LABELS
]
COLUMNS = {"title": ["words:1-2", "char_wb:2-3"], "source": "category", "price": "number"}
TRAIN, TEST = (PLAIN[:180], LABELS[:180]), (PLAIN[180:], LABELS[180:])
NO_NUMBERS = {name: held for name, held in COLUMNS.items() if held != "number"}
COUNTS: dict[str, Any] = {"weighting": "count", "sublinear_tf": False, "norm": None}


@pytest.mark.parametrize(
    ("learner", "columns", "features"),
    [("SVM", COLUMNS, {}), ("MultinomialNB", NO_NUMBERS, COUNTS)],
)
def test_a_row_is_what_text_classifier_gives(learner: str, columns: Any, features: Any) -> None:
    found = linnet.compare(TRAIN, learner, test=TEST, columns=columns, explain=True)
    [row] = found.rows
    own = getattr(linnet, learner)(alpha=row.parameters["alpha"]) if features else None
    clf = linnet.TextClassifier(own, columns=columns, **features).fit(*TRAIN)
    assert found.answers.learners[learner].guess == clf.predict(TEST[0]).tolist()
    assert row.features == ("counts" if features else "TF-IDF")
    assert found.card["n_features"] == clf.model_.n_features
    why = found.answers.learners[learner].why
    assert why is not None
    named = {name for parts in why.features.values() for name, _ in parts}
    assert any(name.startswith("source=") for name in named)


def test_all_learners_take_columns_or_say_why_not() -> None:
    found = linnet.compare(TRAIN, test=TEST, columns=COLUMNS)
    assert {"SVM", "MaxEnt", "Perceptron", "MIRA"} <= {row.name for row in found.rows}
    assert "column 'price' holds numbers" in found.skipped["MultinomialNB"]
    assert f"columns={COLUMNS!r}" in found.card["call"]


def test_a_file_and_rows_in_memory_give_the_same_scores(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [{**row, "label": label} for row, label in zip(PLAIN, LABELS, strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    options: dict[str, Any] = {"columns": COLUMNS, "folds": 2}
    here = linnet.compare((PLAIN, LABELS), "svm, perceptron", **options)
    there = linnet.compare(path, "svm, perceptron", **options)
    assert [row.score for row in here.rows] == [row.score for row in there.rows]


def test_a_column_that_is_not_there_and_other_data_are_refused() -> None:
    with pytest.raises(DataError, match="no column 'colour'"):
        linnet.compare(TRAIN, columns={"colour": "category"})
    with pytest.raises(DataError, match=r"pair \(rows, labels\)"):
        linnet.compare(PLAIN, columns=COLUMNS)
    with pytest.raises(ParameterError, match="columns must be a dictionary"):
        linnet.compare(TRAIN, columns="title")  # type: ignore[arg-type]
