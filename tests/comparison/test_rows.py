"""Comparing learners of rows: symbols and numbers, from a table, a list, a data frame or a file."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import linnet
from linnet.cli.app import app
from linnet.comparison.learners import chosen
from linnet.data.rows import RowTable
from linnet.errors import DataError


def _rows(n: int, seed: int = 0) -> tuple[RowTable, list[str]]:
    """Rows whose class is their first symbol most of the time; a number that says nothing."""
    rng = np.random.default_rng(seed)
    first = rng.choice(["a", "b"], n).tolist()
    other = rng.choice(["x", "y", "z"], n).tolist()
    number = rng.random(n).round(3)
    flipped = rng.random(n) < 0.1
    classes = [("p" if (s == "a") != flip else "q") for s, flip in zip(first, flipped, strict=True)]
    return RowTable(["first", "other", "number"], [first, other, number]), classes


def _file(path: Path, table: RowTable, classes: list[str]) -> Path:
    lines = [",".join([*table.names, "class"])]
    lines += [",".join(map(str, [*row, y])) for row, y in zip(table.rows(), classes, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_every_learner_of_rows_takes_part_and_finds_the_column_that_matters() -> None:
    table, classes = _rows(300)
    result = linnet.compare((table, classes))
    names = [row.name for row in result.rows]
    assert {"MemoryBased", "DecisionTree", "MaxEnt", "SVM", "Perceptron", "KernelSVM"} <= set(names)
    assert result.card["kind"] == "examples" and result.card["n_features"] == 3
    best = result.rows[0]
    assert best.score > 0.8 > result.card["baseline"]


def test_a_learner_answers_as_a_row_classifier_of_it_does() -> None:
    table, classes = _rows(200)
    train, test = np.arange(150), np.arange(150, 200)
    data = (table.take(train), classes[:150])
    result = linnet.compare(data, "tree, memory", test=(table.take(test), classes[150:]))
    for name, learner in chosen("tree, memory", kind="rows", n=150).items():
        row = next(row for row in result.rows if row.name == name)
        learner.set_params(**{parameter: row.parameters[parameter] for parameter in row.tuned})
        clf = linnet.RowClassifier(learner, random_state=0).fit(*data)
        guess = clf.predict(table.take(test)).tolist()
        assert result.answers.learners[name].guess == guess


def test_learners_of_numbers_are_left_out_with_a_reason_where_there_are_symbols() -> None:
    result = linnet.compare(_rows(100))
    assert "column first holds symbols" in result.skipped["GaussianNB"]


def test_learners_of_numbers_take_part_where_all_columns_are_numbers() -> None:
    iris = linnet.data.load_iris()
    table = RowTable(["a", "b", "c", "d"], [np.asarray(c) for c in iris.X.T])
    result = linnet.compare((table, iris.y.tolist()), folds=3)
    scores = {row.name: row.score for row in result.rows}
    assert scores["GaussianNB"] > 0.9 and scores["GaussianBayes"] > 0.9


def test_memory_takes_part_by_itself_however_many_rows_there_are() -> None:
    assert "MemoryBased" in chosen("all", kind="rows", n=10**6)
    assert "KernelSVM" not in chosen("all", kind="rows", n=10**6)


def test_lists_of_values_are_rows_as_well() -> None:
    table, classes = _rows(120)
    from_table = linnet.compare((table, classes), "tree")
    from_lists = linnet.compare((list(table.rows()), classes), "tree")
    assert from_lists.rows[0].score == from_table.rows[0].score


def test_a_file_gives_what_its_rows_give_and_the_test_file_is_read_like_it(tmp_path: Path) -> None:
    table, classes = _rows(120)
    data = _file(tmp_path / "train.csv", table, classes)
    digits = RowTable(table.names, [["1", "2"], ["x", "y"], np.array([0.5, 0.25])])
    test = _file(tmp_path / "test.csv", digits, ["p", "q"])
    symbols = (RowTable(table.names, [["1", "2"], ["x", "y"], np.array([0.5, 0.25])]), ["p", "q"])
    from_files = linnet.compare(data, "tree, nb", test=test)
    from_rows = linnet.compare((table, classes), "tree, nb", test=symbols)
    for name, own in from_files.answers.learners.items():
        assert own.guess == from_rows.answers.learners[name].guess


def test_groups_are_kept_whole_and_settings_are_sought() -> None:
    table, classes = _rows(200)
    groups = [number % 20 for number in range(200)]
    result = linnet.compare((table, classes), "tree, memory", groups=groups, folds=4)
    assert result.test == "approximate_randomisation"
    tuned = linnet.compare((table, classes), "memory, maxent", time_budget=1.0, curve=(0.5, 1))
    assert all(len(row.curve) == 2 for row in tuned.rows)


def test_the_report_names_features_and_rows(tmp_path: Path) -> None:
    table, classes = _rows(300)
    result = linnet.compare((table, classes), "maxent, tree", explain=True)
    why = result.answers.learners["MaxEnt"].why
    assert why is not None
    assert why.features["p"][0][0] == "first=a"
    result.report(tmp_path / "report.html")
    assert "first=a" in (tmp_path / "report.html").read_text()


def test_rows_against_texts_are_refused() -> None:
    with pytest.raises(DataError, match="rows of values, the other texts"):
        linnet.compare(_rows(50), "tree", test=(["a text", "another"], ["p", "q"]))


def test_the_command_line_compares_a_file_of_rows_by_groups(tmp_path: Path) -> None:
    data = _file(tmp_path / "rows.csv", *_rows(120))
    arguments = ["compare", str(data), "--learners", "tree,nb", "--group", "other", "--json"]
    outcome = CliRunner().invoke(app, arguments)
    assert outcome.exit_code == 0, outcome.output
    result = json.loads(outcome.stdout)
    assert {row["name"] for row in result["rows"]} == {"DecisionTree", "MultinomialNB"}
