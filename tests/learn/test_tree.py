"""Decision trees: the reference grows the same ones; pruning, words, drawings, files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import linnet
from linnet import DecisionTree
from linnet.errors import DataError, ModelFileError, NotFittedError, ParameterError
from linnet.learn.tree.nodes import chi_squared
from linnet.reference import tree as reference

from .forging import forge

values = st.sampled_from(["a", "b", "c", None])
numbers = st.one_of(st.none(), st.integers(-3, 3), st.sampled_from([0.5, 1e9]))
tables = st.lists(st.tuples(values, numbers, values, st.integers(0, 2)), min_size=2, max_size=25)


def rows_of(table: list[Any]) -> tuple[list[list[Any]], np.ndarray]:
    # the first row has a value of each kind, so that no column is all missing
    full = [("a", 0, "b", 0), *table]
    return [list(row[:3]) for row in full], np.array([row[3] for row in full])


def assert_same(model: DecisionTree, twin: reference.Node) -> None:
    """Compare two trees node by node."""
    starts = np.searchsorted(model.parent_[1:], np.arange(len(model.parent_) + 1)) + 1
    waiting = [(0, twin)]
    while waiting:
        node, other = waiting.pop()
        counts = np.zeros(len(other.counts))
        counts[model.classes_] = model.counts_[node]
        np.testing.assert_array_equal(counts, other.counts)
        assert model.feature_[node] == other.attribute
        children = range(starts[node], starts[node + 1])
        assert len(children) == len(other.children)
        for child in children:
            branch: Any = int(model.branch_[child])
            if branch == -2:
                branch = None
            elif other.threshold is None:
                branch = model.values_[other.attribute][branch]
            else:
                assert model.threshold_[node] == other.threshold
                branch = bool(branch)
            waiting.append((child, other.children[branch]))


@pytest.mark.spec("M-107", "A-50")
@settings(max_examples=120, deadline=None)
@given(tables, st.booleans(), st.sampled_from([1, 2, 3]), st.sampled_from([None, 0, 1, 2]))
def test_the_reference_grows_the_same_tree(
    table: Any, ratio: bool, min_leaf: int, depth: int | None
) -> None:
    X, y = rows_of(table)
    model = DecisionTree(
        "gain_ratio" if ratio else "information_gain", min_leaf=min_leaf, max_depth=depth
    ).fit(X, y)
    twin = reference.grow(X, y, 3, ratio=ratio, min_leaf=min_leaf, depth=depth)
    assert_same(model, twin)
    assert len(model.parent_) == twin.size()
    asked = [*X, ["z", None, None], [None, -50, "a"], ["c", 2.5, "z"]]
    assert model.predict(asked).tolist() == [reference.predict(twin, row) for row in asked]


@pytest.mark.spec("M-107")
@settings(max_examples=40, deadline=None)
@given(tables, st.sampled_from(["gain_ratio", "information_gain"]))
def test_consistent_data_are_learnt_without_error(table: Any, criterion: Any) -> None:
    X, y = rows_of(table)
    first = {tuple(row): label for row, label in reversed(list(zip(X, y, strict=True)))}
    y = np.array([first[tuple(row)] for row in X])
    assert (DecisionTree(criterion).fit(X, y).predict(X) == y).all()


@pytest.mark.spec("M-107", "A-50")
def test_xor_is_learnt_at_depth_two_although_the_first_gain_is_zero() -> None:
    X, y = [[1, "p"], [1, "q"], [0, "p"], [0, "q"]], ["+", "-", "-", "+"]
    for kinds in (None, "symbolic"):
        model = DecisionTree(kinds=kinds).fit(X, y)
        assert (model.predict(X) == y).all() and model.depth_.max() == 2
        assert model.gain_[0] == pytest.approx(0)


@pytest.mark.spec("M-107", "W-01", "W-02")
def test_the_root_of_the_lecture_table_is_the_word() -> None:
    word = np.repeat(["yes", "no", "yes", "no"], [4, 996, 100, 900])
    mail = np.repeat(["ham", "spam"], 1000)
    other = np.array(["a", "b"] * 1000)
    for criterion in ("information_gain", "gain_ratio"):
        model = DecisionTree(criterion, max_depth=1).fit(np.column_stack([other, word]), mail)
        assert model.feature_[0] == 1
        assert model.gain_[0] == pytest.approx(0.041523842, abs=1e-9)


@pytest.mark.spec("M-107", "M-100", "M-101")
def test_the_root_is_the_attribute_of_largest_gain() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (60, 4)).astype(str)
    y = (X[:, 2] == "1").astype(int) ^ (rng.random(60) < 0.2)
    tables = [
        np.array([[((X[:, j] == v) & (y == k)).sum() for k in (0, 1)] for v in "012"], float)
        for j in range(4)
    ]
    for criterion, which in (("information_gain", 0), ("gain_ratio", 1)):
        model = DecisionTree(criterion).fit(X, y)
        scores = [reference.gain_and_ratio(table)[which] for table in tables]
        assert model.feature_[0] == int(np.argmax(scores)) == 2
        gains = [reference.gain_and_ratio(table)[0] for table in tables]
        assert model.gain_[0] == pytest.approx(max(gains))


def test_a_threshold_is_the_midpoint_and_order_is_all_that_counts() -> None:
    x, y = np.array([[1.0], [2.0], [4.0], [9.0]]), [0, 0, 1, 1]
    model = DecisionTree().fit(x, y)
    assert model.threshold_[0] == 3.0
    assert model.predict([[3.0], [3.1], [-1e300], [1e300]]).tolist() == [0, 1, 0, 1]
    near = np.nextafter(1.0, 2.0)
    tight = DecisionTree().fit([[1.0], [near]], [0, 1])
    assert tight.predict([[1.0], [near]]).tolist() == [0, 1]
    huge = DecisionTree().fit([[-1.7e308], [1.7e308]], [0, 1])
    assert huge.threshold_[0] == 0.0


def test_unseen_and_missing_values_get_the_answer_of_their_node() -> None:
    X = [["a", 1], ["a", 5], ["a", 6], ["b", 1], ["b", 2], [None, 1], [None, 1]]
    y = ["x", "y", "y", "x", "x", "y", "y"]
    model = DecisionTree().fit(X, y)
    assert model.feature_[0] == 0
    assert model.predict([["z", 1]])[0] == "y"  # four of seven
    assert model.predict([[None, 1]])[0] == "y"  # it has a branch
    assert model.predict([["a", None]])[0] == "y"  # it has none: two of three
    assert model.decision_path(["a", None])[-1].counts == {"x": 1.0, "y": 2.0}
    only = DecisionTree().fit([[None], [3.0], [3.0]], [0, 1, 1])
    assert only.predict([[None], [7.0]]).tolist() == [0, 1]
    assert only.rules()[:2] == ["if x0 is missing then 0 (1)", "if x0 is known then 1 (2)"]


def test_ties_go_to_the_first_attribute_and_the_lowest_class() -> None:
    X = [["a", "a"], ["b", "b"]]
    assert DecisionTree().fit(X, [0, 1]).feature_[0] == 0
    assert DecisionTree(max_depth=0).fit(X, ["z", "b"]).predict([["a", "a"]])[0] == "b"


def test_weights_count_examples() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 4, (60, 3)), rng.integers(0, 3, 60)
    times = rng.integers(0, 3, 60)
    weighted = DecisionTree(min_leaf=2).fit(X, y, sample_weight=times)
    repeated = DecisionTree(min_leaf=2).fit(X.repeat(times, 0), y.repeat(times))
    np.testing.assert_array_equal(weighted.counts_, repeated.counts_)
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))


# --- pruning -----------------------------------------------------------------------------------


def noisy(n: int = 600) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 4, (n, 6)).astype(object)
    X[:, 4:] = rng.normal(size=(n, 2))
    y = ((X[:, 0] > 1) & (X[:, 4] > 0)).astype(int) ^ (rng.random(n) < 0.15)
    return X, y


@pytest.mark.spec("M-107", "A-50")
@pytest.mark.parametrize(
    "setting",
    [{"pruning": "pessimistic"}, {"pruning": "reduced_error", "random_state": 0}, {"chi2": 0.01}],
    ids=str,
)
def test_pruning_makes_a_smaller_and_better_tree(setting: Any) -> None:
    X, y = noisy()
    kinds = ["symbolic"] * 4 + ["numeric"] * 2
    full = DecisionTree(kinds=kinds).fit(X[:300], y[:300])
    model = DecisionTree(kinds=kinds, **setting).fit(X[:300], y[:300])
    assert full.score(X[:300], y[:300]) == 1.0
    assert model.n_leaves_ < full.n_leaves_ / 2
    assert model.score(X[300:], y[300:]) > full.score(X[300:], y[300:])
    assert (model.feature_[model.parent_[1:]] >= 0).all()
    starts = np.bincount(model.parent_[1:], minlength=len(model.parent_))
    assert ((starts > 0) == (model.feature_ >= 0)).all()
    np.testing.assert_array_equal(model.counts_[model.parent_ == 0].sum(axis=0), model.counts_[0])


def test_pessimistic_limits_are_those_of_the_binomial() -> None:
    # C4.5's classic: two leaves of 6 and 9 without error, one of 1: 3.273 expected errors against
    # 2.638 for one leaf of 16 with one error (Quinlan 1993, chapter 4)
    X = [["n"]] * 6 + [["y"]] * 9 + [["u"]]
    y = ["d"] * 15 + ["r"]
    assert DecisionTree().fit(X, y).n_leaves_ == 3
    assert DecisionTree(pruning="pessimistic").fit(X, y).rules() == ["always d (15 of 16)"]


def test_the_chi_squared_test_is_scipys() -> None:
    from scipy.stats import chi2_contingency

    X, y = noisy(80)
    model = DecisionTree(max_depth=1, kinds="symbolic").fit(X[:, :1], y)
    table = model.counts_[1:]
    chance = chi2_contingency(table, correction=False).pvalue
    nodes = model._nodes()
    assert not chi_squared(nodes, chance * 1.001)[0] and chi_squared(nodes, chance * 0.999)[0]


def test_reduced_error_pruning_is_repeatable() -> None:
    X, y = noisy()
    fits = [DecisionTree(pruning="reduced_error", random_state=s).fit(X, y) for s in (1, 1, 2)]
    np.testing.assert_array_equal(fits[0].counts_, fits[1].counts_)
    assert fits[0].counts_.tolist() != fits[2].counts_.tolist()


# --- words and drawings ------------------------------------------------------------------------

WEATHER = pd.DataFrame(
    {"sky": ["sun", "sun", "rain", "rain", None], "degrees": [30.0, 20.0, 20.0, 10.0, 15.0]}
)
PLAY = ["stay", "go", "stay", "stay", "go"]


@pytest.mark.spec("M-107")
def test_rules_say_what_the_tree_does() -> None:
    model = DecisionTree().fit(WEATHER, PLAY)
    rules = model.rules()
    assert rules == [
        "if sky is missing then go (1)",
        "if sky = sun and degrees <= 25 then go (1)",
        "if sky = sun and degrees > 25 then stay (1)",
        "if sky = rain then stay (2)",
        "else the class of the last node reached",
    ]
    assert len(rules) == model.n_leaves_ + 1
    assert model.export_text(1).splitlines() == [
        "stay (3 of 5)",
        "├─ sky is missing: go (1)",
        "├─ sky = sun: go (1 of 2) …",
        "└─ sky = rain: stay (2)",
    ]
    path = model.decision_path({"sky": "sun", "degrees": 40})
    assert [step.test for step in path] == ["sky = sun", "degrees > 25"]
    assert path[-1].guess == "stay" and path[-1].attribute == "degrees"
    assert DecisionTree().fit([[1], [2]], [1, 1]).rules() == ["always 1 (2)"]


# --- inputs, files, data -----------------------------------------------------------------------


def test_rows_dictionaries_arrays_and_frames_grow_one_tree() -> None:
    rows = [["a", 1.0], ["b", 2.0], ["a", 3.0], ["b", 1.0], ["a", 0.5]]
    y = [0, 1, 1, 0, 0]
    frame = pd.DataFrame(rows, columns=["x0", "x1"])
    inputs = [rows, np.array(rows, dtype=object), frame, frame.to_dict("records")]
    texts = {DecisionTree().fit(X, y).export_text() for X in inputs}
    assert len(texts) == 1


def test_bad_input_is_refused() -> None:
    with pytest.raises(NotFittedError):
        DecisionTree().predict([["a"]])
    for setting in (
        {"criterion": "gini"}, {"pruning": "x"}, {"min_leaf": -1}, {"max_depth": 1.5},
        {"chi2": 0}, {"confidence": 1}, {"validation_fraction": 2}, {"kinds": "x"},
    ):  # fmt: skip
        with pytest.raises(ParameterError):
            DecisionTree(**setting).fit([["a"], ["b"]], [0, 1])
    with pytest.raises(DataError, match="infinity"):
        DecisionTree().fit([[np.inf], [1.0]], [0, 1])
    model = DecisionTree().fit([["a", 1], ["b", 2]], [0, 1])
    with pytest.raises(DataError, match="1 features"):
        model.predict([["a"]])
    with pytest.raises(DataError, match="is not a number"):
        model.predict([["a", "x"]])


@pytest.mark.spec("C-28")
def test_a_tree_comes_back_from_its_file(tmp_path: Path) -> None:
    model = DecisionTree(pruning="pessimistic", confidence=0.9).fit(WEATHER, PLAY)
    linnet.save(model, tmp_path / "t.linnet")
    twin = linnet.load(tmp_path / "t.linnet")
    assert twin.export_text() == model.export_text()
    np.testing.assert_array_equal(twin.predict_proba(WEATHER), model.predict_proba(WEATHER))


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        ("parent_", 1, 1), ("parent_", 2, 3), ("parent_", 0, 0), ("feature_", 0, 9),
        ("feature_", 0, -1), ("branch_", 1, 50), ("depth_", 1, 0), ("counts_", 1, 0.0),
    ],
)  # fmt: skip
def test_a_forged_tree_is_refused(name: str, at: int, value: float, tmp_path: Path) -> None:
    model = DecisionTree().fit(WEATHER, PLAY)
    forged = getattr(model, name).copy()
    forged[at] = value
    setattr(model, name, forged)
    forge(model, tmp_path / "t.linnet")
    with pytest.raises(ModelFileError):
        linnet.load(tmp_path / "t.linnet")


def _ppattach(folder: Path, name: str) -> tuple[list[list[str]], list[str]]:
    lines = [line.split() for line in (folder / name).read_text().splitlines()]
    return [line[1:5] for line in lines], [line[5] for line in lines]


@pytest.mark.spec("M-107", "D-11")
def test_prepositional_phrases(data_dir: Callable[[str], Path]) -> None:
    folder = data_dir("ppattach")
    X, y = _ppattach(folder, "training")
    test_X, test_y = _ppattach(folder, "test")
    model = DecisionTree().fit(X, y)
    accuracy = model.score(test_X, test_y)
    assert accuracy > 0.79  # TiMBL's IGTree has 0.767; binary splits on one-hot columns, 0.813
    assert DecisionTree(chi2=0.05).fit(X, y).score(test_X, test_y) > accuracy
    assert model.names_[model.feature_[0]] == "x2"  # the preposition
    assert model.score(X, y) > 0.99  # what is left are contradictions


@pytest.mark.spec("M-107", "D-11")
def test_dutch_diminutives(data_dir: Callable[[str], Path]) -> None:
    folder = data_dir("dimin_nl")
    parts = []
    for name in ("dimin.train", "dimin.test"):
        lines = [line.split(",") for line in (folder / name).read_text().split()]
        parts.append(([line[:-1] for line in lines], [line[-1] for line in lines]))
    (X, y), (test_X, test_y) = parts
    plain, pruned = DecisionTree().fit(X, y), DecisionTree(pruning="pessimistic").fit(X, y)
    encoder = OneHotEncoder(handle_unknown="ignore").fit(X)
    peer = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(encoder.transform(X), y)
    theirs = peer.score(encoder.transform(test_X), test_y)
    assert plain.score(test_X, test_y) > 0.95
    assert pruned.score(test_X, test_y) > 0.97
    assert pruned.score(test_X, test_y) > theirs - 0.01
    assert pruned.n_leaves_ < plain.n_leaves_
