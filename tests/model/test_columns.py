"""Texts, categories and numbers in one classifier, each column with features of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import linnet
from linnet import TextClassifier
from linnet.data.rows import RowTable
from linnet.errors import DataError, LinnetError, ParameterError
from linnet.model.file import read_model, write_model

from .made import same_bits, texts_of

TEXTS, LABELS = texts_of(240)
_DRAW = np.random.default_rng(1)
_USUAL = {"sport": "fans", "food": "blog", "music": "wire"}
ROWS: list[dict[str, Any]] = [
    {
        "title": text,
        "body": f"{text} again",
        "source": _USUAL[label] if _DRAW.random() < 0.5 else "other",
        "price": float(_DRAW.normal(100 if label == "food" else 300, 50)),
        "unused": object(),
    }
    for text, label in zip(TEXTS, LABELS, strict=True)
]
ROWS[3] |= {"title": None, "source": None, "price": None}
COLUMNS = {
    "title": "words:1-2",
    "body": ["words:1", "char_wb:2-3"],
    "source": "category",
    "price": "number",
}
PLAIN = [{name: row[name] for name in COLUMNS} for row in ROWS]


@pytest.fixture(scope="module")
def classifier() -> TextClassifier:
    return TextClassifier(columns=COLUMNS).fit(ROWS, LABELS)


@pytest.fixture(scope="module")
def model(classifier: TextClassifier) -> linnet.Model:
    return classifier.model_


@pytest.mark.parametrize("features", ["words:1-2", ["words:1", "char_wb:2-4"]])
@pytest.mark.parametrize("weighting", ["tfidf", "log_count_ratio"])
def test_a_single_column_of_text_is_a_classifier_of_texts_to_the_bit(
    features: Any, weighting: str
) -> None:
    named = [features] if isinstance(features, str) else features
    one = TextClassifier(features=named, weighting=weighting).fit(TEXTS, LABELS).model_
    rows = [{"text": text} for text in TEXTS]
    two = TextClassifier(columns={"text": features}, weighting=weighting).fit(rows, LABELS).model_
    assert one.weights_.tobytes() == two.weights_.tobytes()
    assert one.decision_function(TEXTS).tobytes() == two.decision_function(rows).tobytes()
    assert one.predict_proba(TEXTS).tobytes() == two.predict_proba(rows).tobytes()
    names = [one.feature_name(j) for j in range(one.n_features)]
    assert [two.feature_name(j) for j in range(two.n_features)] == [f"text: {n}" for n in names]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.text(max_size=12), min_size=1, max_size=6))
def test_any_text_in_a_single_column_has_the_scores_of_the_text(texts: list[str]) -> None:
    one, two = _pair()
    rows = [{"text": text} for text in texts]
    assert one.decision_function(texts).tobytes() == two.decision_function(rows).tobytes()
    assert one.predict(texts).tolist() == two.predict(rows).tolist()


def _pair(made: list[Any] = []) -> tuple[Any, Any]:  # noqa: B006  # fitted once for all examples
    if not made:
        made.append(TextClassifier(features="words").fit(TEXTS, LABELS).model_)
        rows = [{"text": text} for text in TEXTS]
        made.append(TextClassifier(columns={"text": "words:1-2"}).fit(rows, LABELS).model_)
    return made[0], made[1]


def test_rows_in_every_form_give_the_same_bits(model: linnet.Model) -> None:
    expected = model.decision_function(PLAIN).tobytes()
    by_column = {name: [row[name] for row in PLAIN] for name in COLUMNS}
    table = pa.Table.from_pylist(PLAIN)
    frame = pd.DataFrame(PLAIN)
    shuffled = frame.set_index(np.arange(len(frame))[::-1])[list(COLUMNS)[::-1]]
    forms = [
        ROWS, by_column, table, table.to_batches()[0], frame, shuffled, pl.DataFrame(PLAIN),
        frame.astype({"source": "category"}), RowTable(list(by_column), list(by_column.values())),
    ]  # fmt: skip
    for form in forms:
        assert model.decision_function(form).tobytes() == expected, type(form)
    assert model.predict([]).tolist() == []


def test_a_frame_and_a_list_train_the_same_model(tmp_path: Path) -> None:
    for number, X in enumerate((ROWS, pd.DataFrame(PLAIN), pa.Table.from_pylist(PLAIN))):
        TextClassifier(columns=COLUMNS).fit(X, LABELS).save(tmp_path / f"{number}.linnet")
    files = {(tmp_path / f"{number}.linnet").read_bytes() for number in range(3)}
    assert len(files) == 1


def test_training_and_answers_have_the_same_bits_at_any_threads(model: linnet.Model) -> None:
    expected = model.decision_function(ROWS * 9)
    for threads in (1, 3):
        again = TextClassifier(columns=COLUMNS, n_threads=threads).fit(ROWS, LABELS).model_
        assert again.decision_function(ROWS * 9).tobytes() == expected.tobytes()
    alone = np.vstack([model.decision_function([row]) for row in ROWS[:20]])
    assert alone.tobytes() == expected[:20].tobytes()


def test_scores_without_a_matrix_are_those_of_the_matrix(model: linnet.Model) -> None:
    X = model.reader.inputs(ROWS, 1)
    expected = X @ model.weights_.astype(np.float64) + model.intercept_
    np.testing.assert_allclose(model.decision_function(ROWS), expected, atol=1e-5)


def test_every_column_helps(classifier: TextClassifier) -> None:
    alone = TextClassifier(columns={"title": "words:1-2"}).fit(ROWS, LABELS)
    assert classifier.tuning_.accuracy > alone.tuning_.accuracy


def test_numbers_are_standardised_and_categories_are_indicators(model: linnet.Model) -> None:
    title, body, source, price = model.reader.parts
    numbers = np.array([row["price"] for row in ROWS if row["price"] is not None])
    assert (price.mean, price.deviation) == (numbers.mean(), numbers.std())
    X = model.reader.inputs(ROWS[:1], 1).toarray()[0]
    first = title.width + body.width
    indicators = X[first : first + source.width]
    assert sorted(indicators.tolist()) == [0.0, 0.0, 0.0, 1.0]
    assert model.feature_name(first + int(indicators.argmax())) == f"source={ROWS[0]['source']}"
    assert X[-1] == np.float32((ROWS[0]["price"] - numbers.mean()) / numbers.std())
    assert model.feature_name(model.n_features - 1) == "price"


def test_what_is_missing_or_unseen_contributes_nothing(model: linnet.Model) -> None:
    missing: dict[str, Any] = {"title": None, "body": None, "source": None, "price": None}
    empty = {"title": "", "body": "", "source": "", "price": float("nan")}
    unseen = {**missing, "source": "a source of tomorrow", "title": "ωωω"}
    for row in (missing, empty, unseen):
        assert model.decision_function([row]).tolist() == [model.intercept_.tolist()]
        assert model.explain(row).contributions == ()
    constant = [{"n": 7, "text": text} for text in TEXTS]
    other = TextClassifier(columns={"n": "number", "text": "words:1-2"}).fit(constant, LABELS)
    same = other.predict([{"n": None, "text": "goal"}]) == other.predict([{"n": 7, "text": "goal"}])
    assert same.all()


def test_categories_are_one_whatever_their_type() -> None:
    rows = [{"n": number, "t": "x"} for number in (1, 2)] * 10
    clf = TextClassifier(columns={"n": "category", "t": "words"}).fit(rows, ["a", "b"] * 10)
    spelled = [1, 1.0, "1", np.int64(1), True]
    assert clf.predict([{"n": one, "t": ""} for one in spelled[:4]]).tolist() == ["a"] * 4
    assert clf.explain({"n": True, "t": ""}).contributions == ()


def test_contributions_name_their_column_and_sum_to_the_score(model: linnet.Model) -> None:
    for row in ROWS[:5]:
        for label in _USUAL:
            found = model.explain(row, label)
            parts = [part.contribution for part in found.contributions]
            assert abs(found.intercept + sum(parts) - found.score) < 1e-9
    row = {"title": "goal", "body": "soup", "source": "fans", "price": 250.0}
    found = model.explain(row)
    spans = {part.feature: found.text[slice(*part.spans[0])] for part in found.contributions}
    assert spans["title: goal"] == "goal" and spans["body: words:soup"] == "soup"
    assert spans["source=fans"] == "fans" and spans["price"] == "250"
    assert found.text.splitlines() == ["title: goal", "body: soup", "source: fans", "price: 250"]
    assert "source=fans" in {name for name, _ in model.top_features(5)["sport"]}


def test_a_saved_model_of_columns_answers_and_explains_to_the_bit(
    model: linnet.Model, tmp_path: Path
) -> None:
    path = tmp_path / "m.linnet"
    model.save(path)
    again = linnet.load(path)
    same_bits(model, again, ROWS)
    assert model.explain(ROWS[0]) == again.explain(ROWS[0])
    assert again.kind == "columns" and again.reader.holds == model.reader.holds
    model.save(path, max_features=40, dtype="float16")
    small = linnet.load(path)
    assert small.n_features == 40
    assert np.mean(small.predict(ROWS) == model.predict(ROWS)) > 0.8


def test_a_column_that_keeps_no_feature_is_read_no_more(tmp_path: Path) -> None:
    rows = [{"t": text, "n": number % 2} for number, text in enumerate(TEXTS)]
    clf = TextClassifier(columns={"n": "number", "t": "words:1"}, C=1.0).fit(rows, LABELS)
    clf.save(tmp_path / "m.linnet", max_features=3)
    small = linnet.load(tmp_path / "m.linnet")
    assert small.reader.holds == {"t": "text"}
    assert len(small.predict([{"t": "goal"}])) == 1


def test_a_pruned_model_has_sparse_weights_and_the_same_explanations() -> None:
    clf = TextClassifier(columns=COLUMNS, prune=0.05).fit(ROWS, LABELS)
    assert clf.model_.scorer.name == "sparse"
    found = clf.explain(ROWS[0])
    total = found.intercept + sum(part.contribution for part in found.contributions)
    assert abs(total - found.score) < 1e-6


@pytest.mark.parametrize("learner", ["maxent", "perceptron", "nb", "memory"])
def test_other_learners_take_columns(learner: str, tmp_path: Path) -> None:
    columns = {name: held for name, held in COLUMNS.items() if held != "number" or learner != "nb"}
    clf = TextClassifier(learner, columns=columns).fit(ROWS, LABELS)
    assert clf.score(ROWS, LABELS) > 0.8
    clf.save(tmp_path / "m.linnet")
    again = linnet.load(tmp_path / "m.linnet")
    assert again.predict(ROWS).tolist() == clf.predict(ROWS).tolist()


def test_weights_clones_and_several_labels_work_as_for_texts() -> None:
    clf = clone(TextClassifier(columns=COLUMNS))
    weight = np.arange(len(ROWS)) % 2
    some = [row for row, w in zip(ROWS, weight, strict=True) if w]
    labels = [label for label, w in zip(LABELS, weight, strict=True) if w]
    one, two = clone(clf).fit(ROWS, LABELS, sample_weight=weight), clf.fit(some, labels)
    assert one.predict(ROWS).tolist() == two.predict(ROWS).tolist()
    several = TextClassifier(columns=COLUMNS).fit(ROWS, [[label, "all"] for label in LABELS])
    assert several.predict(ROWS[:1])[0] == sorted([LABELS[0], "all"])


ASKED: dict[str, tuple[Any, str]] = {
    "no column at all": ({}, "a dictionary of 1 to 1,000 names"),
    "no dictionary": (["title"], "a dictionary of 1 to 1,000 names"),
    "a number as a name": ({3: "words"}, "names of columns must be texts"),
    "an unknown kind": ({"title": "syllables"}, "column 'title' holds 'category', 'number'"),
}


@pytest.mark.parametrize("case", ASKED)
def test_columns_that_make_no_sense_are_refused(case: str) -> None:
    columns, message = ASKED[case]
    with pytest.raises(ParameterError, match=message):
        TextClassifier(columns=columns).fit(ROWS, LABELS)


def test_settings_that_contradict_columns_are_refused() -> None:
    for settings_ in ({"features": "words"}, {"ngrams": (1, 3)}, {"tokenizer": "unicode"}):
        with pytest.raises(ParameterError, match="columns="):
            TextClassifier(columns=COLUMNS, **settings_).fit(ROWS, LABELS)
    with pytest.raises(ParameterError, match="MultinomialNB models counts, and column 'price'"):
        TextClassifier("nb", columns=COLUMNS).fit(ROWS, LABELS)
    with pytest.raises(ParameterError, match="learned by fit"):
        TextClassifier(columns=COLUMNS).partial_fit(ROWS, LABELS)


GIVEN: dict[str, tuple[Any, str]] = {
    "a missing column": ([{"title": "x", "body": "y", "price": 1}], "Row 0 has no column 'source'"),
    "a missing column of a frame": (
        pd.DataFrame(PLAIN).drop(columns="source"), "X has no column 'source'; it has title",
    ),
    "a single row": (PLAIN[0], "a row by itself goes in a list"),
    "texts": (TEXTS, "Row 0 is a str; with columns each row is a dictionary"),
    "one text": ("goal", "X must hold rows with names"),
    "columns of two lengths": (
        {"title": ["a"], "body": ["a", "b"], "source": ["a"], "price": [1]}, "has 2",
    ),
    "a number as text": ([{**PLAIN[0], "title": 7}], "Column 'title': Text 0 is of type int"),
    "a text as number": ([{**PLAIN[0], "price": "7"}], "Column 'price', row 0: '7' is not a numb"),
    "an infinite number": ([{**PLAIN[0], "price": np.inf}], "Column 'price', row 0: the number is"),
    "a far number": ([{**PLAIN[0], "price": 1e300}], "Column 'price', row 0: A feature value"),
    "a list as category": ([{**PLAIN[0], "source": ["a"]}], "Column 'source', row 0: a category"),
}  # fmt: skip


@pytest.mark.parametrize("case", GIVEN)
def test_rows_that_do_not_fit_are_refused_with_column_and_row(
    case: str, model: linnet.Model
) -> None:
    rows, message = GIVEN[case]
    with pytest.raises(DataError, match=message):
        model.predict(rows)


def test_columns_without_any_value_are_refused_in_training() -> None:
    for name, value, message in (
        ("source", None, "Column 'source' has no value at all"),
        ("price", None, "Column 'price' has no number at all"),
        ("title", "", "Column 'title'"),
    ):
        with pytest.raises(DataError, match=message):
            TextClassifier(columns=COLUMNS).fit([{**row, name: value} for row in ROWS], LABELS)


FORGERIES: dict[str, Any] = {
    "no columns": lambda config, arrays: config.update(parts=[]),
    "a column twice": lambda config, arrays: config["parts"][3].update(column="title"),
    "no name": lambda config, arrays: config["parts"][0].update(column=3),
    "an unknown kind": lambda config, arrays: config["parts"][0].update(holds="image"),
    "another kind": lambda config, arrays: config["parts"][2].update(holds="text"),
    "more than it stores": lambda config, arrays: config["parts"][3].update(more=1),
    "no deviation": lambda config, arrays: config["parts"][3].update(deviation=0.0),
    "NaN mean": lambda config, arrays: config["parts"][3].update(mean="x"),
    "a value twice": lambda config, arrays: arrays.update(
        {"part2.names": np.frombuffer(b"aaaa", np.uint8), "part2.names_offset": np.arange(5)}
    ),
    "no values": lambda config, arrays: arrays.pop("part2.names"),
    "too few weights": lambda config, arrays: arrays.update(weights=arrays["weights"][:-1]),
}


@pytest.mark.parametrize("case", FORGERIES)
def test_a_forged_file_of_columns_is_refused(
    case: str, model: linnet.Model, tmp_path: Path
) -> None:
    path = tmp_path / "m.linnet"
    model.save(path)
    file = read_model(path)
    config, arrays = (
        json.loads(json.dumps(file.config)),
        {n: a.copy() for n, a in file.arrays.items()},
    )
    FORGERIES[case](config, arrays)
    write_model(path, "Model", config, arrays, file.record)
    with pytest.raises(LinnetError):
        linnet.load(path)


def test_log_count_ratios_of_held_out_rows_are_not_those_of_their_labels() -> None:
    two = [(row, y) for row, y in zip(PLAIN, LABELS, strict=True) if y != "music"]
    rows, labels = [row for row, _ in two], [y for _, y in two]
    columns = {"title": "words:1", "price": "number"}
    clf = TextClassifier(columns=columns, weighting="log_count_ratio").fit(rows, labels)
    gold = np.array([label == "sport" for label in labels], np.int32)
    from linnet.learn.svm import SVM
    from linnet.model.fitting.columns import read_columns
    from linnet.model.fitting.steps import features_for
    from linnet.model.readers.column_values import column_kinds, table_of

    data = read_columns(
        table_of(rows, column_kinds(columns)), columns,
        lambda blocks: features_for(clf, SVM(), len(rows), blocks), SVM(), gold, 1,
    )  # fmt: skip
    part = np.arange(20)
    before, after = data.matrix.toarray(), data.without(part, gold).toarray()
    turned = gold.copy()
    turned[part] = 1 - turned[part]
    assert (after == data.without(part, turned).toarray()).all()
    assert (after[:, :-1] != before[:, :-1]).any()
    assert (after[:, -1] == before[:, -1]).all()
