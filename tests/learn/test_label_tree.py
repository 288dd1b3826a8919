"""The label tree: its halves, its probabilities, its beam, and what it is for."""

from __future__ import annotations

from copy import copy, deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import linnet
from linnet.errors import DataError, ParameterError
from linnet.learn.label_tree.growing import Shape, grow, halves, label_points
from linnet.learn.label_tree.searching import all_labels, beam_labels
from linnet.reference.label_tree import label_halves, label_log_probabilities


def made(n_labels: int, each: int = 6, seed: int = 0) -> tuple[sp.csr_matrix, np.ndarray[Any, Any]]:
    """Return examples of labels that have words of their own and share others with neighbours."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(n_labels), each)
    own = rng.integers(0, 4, (len(y), 3)) + 4 * y[:, None]
    shared = rng.integers(0, 40, (len(y), 3)) + 4 * n_labels
    column = np.hstack([own, shared]).ravel()
    row = np.repeat(np.arange(len(y)), 6)
    shape = (len(y), 4 * n_labels + 40)
    X = sp.csr_matrix((np.full(len(row), 6**-0.5), (row, column)), shape=shape)
    return X, y


@pytest.fixture(scope="module")
def tree() -> linnet.LabelTree:
    return linnet.LabelTree(branching=4, leaf_labels=6, least=0.0, random_state=3).fit(*made(60))


def nested(shape: Shape, v: int = 0) -> list[Any]:
    children = shape.child[shape.first[v] : shape.first[v + 1]].tolist()
    return [nested(shape, c) if c >= 0 else -1 - c for c in children]


def test_halves_are_those_of_the_reference() -> None:
    points = np.random.default_rng(0).random((9, 5))
    first, second = np.random.default_rng(4).choice(9, 2, replace=False)
    ours = halves(sp.csr_matrix(points), np.arange(9), np.random.default_rng(4))
    theirs = label_halves(points, int(first), int(second))
    assert [part.tolist() for part in ours] == [part.tolist() for part in theirs]


def test_every_label_is_once_in_a_balanced_tree() -> None:
    X, y = made(100)
    shape = grow(label_points(X, y, 100), 4, 10, 0)
    labels = -1 - shape.child[shape.child < 0]
    assert sorted(labels.tolist()) == list(range(100))
    sizes = np.diff(shape.first)
    assert sizes[0] == 4
    assert sizes.max() <= 10
    ends = [n for v, n in enumerate(sizes.tolist()) if shape.child[shape.first[v]] < 0]
    assert max(ends) - min(ends) <= 1


def test_probabilities_are_those_of_the_reference_along_every_path(tree: linnet.LabelTree) -> None:
    X, _ = made(60, seed=1)
    shape = Shape(tree.first_, tree.child_)
    dense = np.zeros((X.shape[1], len(tree.child_)))
    feature = np.repeat(np.arange(X.shape[1]), np.diff(tree.start_))
    dense[feature, tree.column_] = tree.weight_
    row = X[17].toarray().ravel()
    scores = row @ dense + tree.intercept_
    column = {
        tuple(sorted(_leaves(nested(shape, v)))): shape.first[v]
        for v in range(len(shape.first) - 1)
    }

    def of_children(node: list[Any]) -> Any:
        first = column[tuple(sorted(_leaves(node)))]
        return scores[first : first + len(node)]

    expected = label_log_probabilities(nested(shape), of_children)
    found = tree.predict_log_proba(X[17])[0]
    np.testing.assert_allclose(found, [expected[k] for k in range(60)], rtol=1e-10)
    assert np.exp(found).sum() == pytest.approx(1.0)


def _leaves(node: Any) -> list[int]:
    return [node] if isinstance(node, int) else [k for child in node for k in _leaves(child)]


def test_a_node_is_maximum_entropy_on_the_examples_of_its_labels(tree: linnet.LabelTree) -> None:
    X, y = made(60)
    shape = Shape(tree.first_, tree.child_)
    v = len(shape.first) - 2  # a last node, whose children are labels
    labels = -1 - shape.child[shape.first[v] : shape.first[v + 1]]
    order = np.concatenate([np.flatnonzero(y == k) for k in labels])
    gold = np.repeat(np.arange(len(labels)), 6)
    node = linnet.MaxEnt(C=16.0, tol=0.01, random_state=3).fit(X[order], gold)
    dense = np.zeros((X.shape[1], len(tree.child_)))
    dense[np.repeat(np.arange(X.shape[1]), np.diff(tree.start_)), tree.column_] = tree.weight_
    np.testing.assert_allclose(
        dense[:, shape.first[v] : shape.first[v + 1]], node.coef_.T, atol=1e-6
    )


def test_a_wide_beam_finds_the_best_label_of_all(tree: linnet.LabelTree) -> None:
    X, y = made(60, seed=2)
    exact = tree.predict_proba(X).argmax(axis=1)
    wide, narrow = copy(tree).set_params(beam=60), copy(tree).set_params(beam=1)
    assert np.array_equal(wide.predict(X), exact)
    assert (tree.predict(X) == y).mean() >= (narrow.predict(X) == y).mean() > 0.8


def test_equal_paths_go_to_the_first_child() -> None:
    shape = Shape(np.array([0, 2, 4]), np.array([-1, 1, -2, -3]))
    assert beam_labels(np.zeros((2, 4)), shape, 5).tolist() == [0, 0]
    scores = np.array([[0.0, 3.0, 0.0, 1.0]])
    assert beam_labels(scores, shape, 1).tolist() == [all_labels(scores, shape).argmax()] == [2]


def test_threads_do_not_change_the_tree(tree: linnet.LabelTree) -> None:
    alone = linnet.LabelTree(
        branching=4, leaf_labels=6, least=0.0, random_state=3, n_threads=1
    ).fit(*made(60))
    assert np.array_equal(alone.weight_, tree.weight_)
    assert np.array_equal(alone.child_, tree.child_)


def test_it_is_far_smaller_than_one_vs_rest_and_about_as_good() -> None:
    X, y = made(400)
    test_X, test_y = made(400, 2, seed=5)
    tree = linnet.LabelTree(leaf_labels=20, random_state=0).fit(X, y)
    machine = linnet.SVM(multi_class="ovr", loss="squared_hinge", random_state=0).fit(X, y)
    stored = tree.weight_.nbytes + tree.column_.nbytes + tree.start_.nbytes
    assert stored < machine.coef_.astype(np.float32).nbytes / 4
    assert tree.score(test_X, test_y) > machine.score(test_X, test_y) - 0.03


def test_a_text_model_of_it_is_stored_explained_and_loaded(tmp_path: Path) -> None:
    texts = [f"w{k} v{k % 7} u{k % 3}" for k in range(40)] * 5
    labels = [f"l{k:02}" for k in range(40)] * 5
    learner = linnet.LabelTree(leaf_labels=8, branching=2, random_state=0)
    clf = linnet.TextClassifier(learner, ngrams=1).fit(texts, labels)
    assert clf.score(texts, labels) > 0.95
    clf.save(tmp_path / "tree.linnet")
    model = linnet.load(tmp_path / "tree.linnet")
    assert np.array_equal(model.predict(texts), clf.predict(texts))
    assert np.array_equal(model.predict_proba(texts[:9]), clf.predict_proba(texts[:9]))
    why = model.explain("w3 v3 u0")
    assert why.label == "l03"
    shown = str(why)
    assert "the path to l03" in shown
    assert "w3" in shown
    depths = [row[0] for row in why.reasons]
    chances = {row[0]: float(row[1]) for row in why.reasons}
    assert sorted(set(depths)) == list(range(1, max(depths) + 1))
    assert np.prod(list(chances.values())) == pytest.approx(why.probability, abs=2e-3)


@pytest.mark.parametrize("change", ["loop", "label", "column"])
def test_a_forged_tree_is_refused(tree: linnet.LabelTree, change: str, tmp_path: Path) -> None:
    forged = deepcopy(tree)
    if change == "loop":
        forged.child_[0] = 0
    elif change == "label":
        forged.child_[-1] = forged.child_[-2]
    else:
        forged.column_[:2] = forged.column_[:2][::-1]
    linnet.save(forged, tmp_path / "forged.linnet")
    with pytest.raises(DataError):
        linnet.load(tmp_path / "forged.linnet")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"branching": 3}, "power of two"),
        ({"branching": 1}, "power of two"),
        ({"least": -1.0}, "least must be"),
        ({"beam": 0}, "beam"),
        ({"C": 0.0}, "C"),
    ],
)
def test_parameters_that_mean_nothing_are_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        linnet.LabelTree(**options).fit([[0.0], [1.0]], ["a", "b"])
