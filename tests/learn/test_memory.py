"""Memory-based learning: worked examples, the plain twin, edge cases (SPEC M-95 - M-105)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import linnet
from linnet import FeatureWeights, MemoryBased
from linnet.errors import DataError, LinnetError, ParameterError
from linnet.learn.memory.feature_weights import chi2_cells, expected_counts, first_seen
from linnet.reference import memory as plain

ROCK_HARD = [[4, 996], [100, 900]]  # ham and spam, with and without the word
VOTES = ["majority", "inverse_linear", "inverse_distance", "exponential_decay"]


@pytest.mark.spec("W-01", "M-102", "D-08", "T-04")
def test_chi2_of_rock_hard() -> None:
    assert FeatureWeights.from_table(ROCK_HARD).chi2 == pytest.approx([93.476144], abs=5e-7)
    assert plain.chi2(np.array(ROCK_HARD)) == pytest.approx(93.476144, abs=5e-7)
    assert FeatureWeights.from_table([[10, 20], [5, 10]]).chi2 == pytest.approx([0], abs=1e-12)


@pytest.mark.spec("W-01", "M-102", "T-04", "A-49")
def test_expected_counts_and_the_share_of_each_cell_are_those_of_the_slide() -> None:
    assert expected_counts(ROCK_HARD).tolist() == [[52, 948], [52, 948]]
    cells = chi2_cells(ROCK_HARD)
    np.testing.assert_allclose(cells, [[44.307692, 2.430380]] * 2, atol=5e-7)
    assert cells.sum() == pytest.approx(FeatureWeights.from_table(ROCK_HARD).chi2[0], rel=1e-15)
    assert cells.sum() != pytest.approx(91.538867, abs=1)  # no continuity correction
    assert chi2_cells([[3, 0], [5, 0]]).tolist() == [[0, 0], [0, 0]]  # E = 0 adds nothing
    for wrong in ([1, 2], [[-1, 2]], [[0, 0]]):
        with pytest.raises(DataError):
            expected_counts(wrong)


@pytest.mark.spec("W-02", "M-100", "T-04")
def test_information_gain_of_rock_hard() -> None:
    weights = FeatureWeights.from_table(ROCK_HARD)
    assert weights.information_gain == pytest.approx([0.041523842], abs=5e-10)
    assert weights.class_entropy == 1.0


@pytest.mark.spec("W-03", "M-101", "T-04")
def test_gain_ratio_of_rock_hard() -> None:
    weights = FeatureWeights.from_table(ROCK_HARD)
    assert weights.split_info == pytest.approx([0.294832819], abs=5e-10)
    assert weights.gain_ratio == pytest.approx([0.140838603], abs=5e-10)
    unique = FeatureWeights.from_data([[str(i)] for i in range(8)], [0, 1] * 4)
    assert unique.gain_ratio == pytest.approx([1 / 3])  # H(Y) / log2 n


@pytest.mark.spec("M-103")
def test_numbers_are_cut_into_bins_for_weights_but_not_for_distances() -> None:
    x = np.arange(40.0)[:, None]
    weights = FeatureWeights.from_data(x, np.arange(40) // 20)
    assert weights.n_values.tolist() == [20]
    assert weights.information_gain == pytest.approx([1.0])
    model = MemoryBased(1, feature_weights="gain_ratio").fit(x, np.arange(40))
    assert model.predict([[11.2], [11.6]]).tolist() == [11, 12]


@pytest.mark.spec("F-12", "M-104")
def test_voting_of_the_three_neighbours() -> None:
    votes = {"majority": "B", "inverse_linear": "A", "inverse_distance": "A"}
    for vote, label in {**votes, "exponential_decay": "B"}.items():
        for neighbors in ("distances", "examples"):
            model = MemoryBased(3, "l1", vote=vote, neighbors=neighbors)  # type: ignore[arg-type]
            model.fit([[0.1], [0.2], [0.9]], ["A", "B", "B"])
            assert model.predict([[0.0]]).tolist() == [label], (vote, neighbors)
    shares = {
        "majority": (1, 2),
        "inverse_linear": (1, 0.875),
        "inverse_distance": (10, 6.1111),
        "exponential_decay": (0.9048, 1.2253),
    }
    for vote, (a, b) in shares.items():
        model = MemoryBased(3, "l1", vote=vote).fit([[0.1], [0.2], [0.9]], list("ABB"))  # type: ignore[arg-type]
        proba = model.predict_proba([[0.0]])[0]
        assert proba == pytest.approx([a / (a + b), b / (a + b)], abs=2e-5), vote


@pytest.mark.spec("M-96", "F-15")
def test_the_distances_of_two_points() -> None:
    expected = {"l1": 7.0, "l2": 5.0, "linf": 4.0, "lk": 4.497941}
    for metric, distance in expected.items():
        model = MemoryBased(metric=metric, p=3.0).fit([[1.0, 2.0]], ["a"])  # type: ignore[arg-type]
        assert model.kneighbors([[4.0, 6.0]])[0] == pytest.approx(np.array([[distance]]), abs=1e-6)
    for k, distance in ((1, 7.0), (2, 5.0), (3, 4.497941), (np.inf, 4.0)):
        found = plain.minkowski(np.array([1, 2]), np.array([4, 6]), k)
        assert found == pytest.approx(distance, abs=1e-6)


@pytest.mark.spec("M-97")
def test_overlap_is_l1_on_binary_vectors() -> None:
    X = np.random.default_rng(0).integers(0, 2, (50, 6))
    y = X[:, 0]
    symbols = MemoryBased(kinds="symbolic").fit(X, y).kneighbors(X, k=9)
    numbers = MemoryBased(metric="l1").fit(X, y).kneighbors(X, k=9)
    for a, b in zip(symbols, numbers, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.spec("M-98", "A-46")
def test_numbers_are_scaled_by_their_range_and_not_clipped() -> None:
    rows = [["a", 10.0, 3.0], ["b", 20.0, 3.0]]
    model = MemoryBased().fit(rows, [0, 1])
    distances, _ = model.kneighbors([["a", 40.0, 99.0]], k=2)
    assert distances.tolist() == [[3.0, 3.0]]  # 0 + 30/10, 1 + 20/10; a constant feature is 0
    assert model.kneighbors([["a", None, 3.0]], k=2)[0].tolist() == [[1.0, 2.0]]


@pytest.mark.spec("M-95")
def test_one_neighbour_knows_the_training_set_and_all_neighbours_the_majority() -> None:
    rng = np.random.default_rng(1)
    X = np.unique(rng.integers(0, 9, (60, 4)), axis=0)
    y = rng.permutation(np.r_[np.zeros(len(X) // 3), np.ones(len(X) - len(X) // 3)])
    for metric in ("overlap", "l2", "cosine"):
        one = MemoryBased(1, metric, neighbors="examples").fit(X[1:] + 1, y[1:])  # type: ignore[arg-type]
        if metric != "cosine":
            assert one.score(X[1:] + 1, y[1:]) == 1.0
        every = MemoryBased(len(X), metric, neighbors="examples").fit(X, y)  # type: ignore[arg-type]
        assert set(every.predict(X)) == {1.0}
        assert set(MemoryBased(10**9, metric).fit(X, y).predict(X)) == {1.0}  # type: ignore[arg-type]


@pytest.mark.parametrize("metric", ["overlap", "cosine"])
def test_what_could_not_be_loaded_is_not_saved(metric: Any, tmp_path: Path) -> None:
    X, y = np.eye(4), [0, 1, 0, 1]
    with pytest.raises(DataError, match="more than the 4 examples; give a smaller k"):
        linnet.save(MemoryBased(10**6, metric).fit(X, y), tmp_path / "m.linnet")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.spec("M-99")
def test_weights_of_one_change_nothing_and_their_scale_no_prediction() -> None:
    X, y = symbols(80, 5), np.arange(80) % 3
    base = MemoryBased(3).fit(X, y)
    ones = MemoryBased(3, feature_weights=np.ones(5)).fit(X, y)
    for a, b in zip(base.kneighbors(X), ones.kneighbors(X), strict=True):
        np.testing.assert_array_equal(a, b)
    w = FeatureWeights.from_data(X, y).gain_ratio
    predicted = [MemoryBased(3, feature_weights=c * w).fit(X, y).predict(X) for c in (1, 4)]
    np.testing.assert_array_equal(*predicted)


@pytest.mark.spec("M-105")
def test_a_point_between_two_cells_is_as_far_from_both() -> None:
    model = MemoryBased(1, "l2").fit([[0.0, 0.0], [2.0, 0.0], [0.0, 5.0]], ["a", "b", "c"])
    assert model.predict([[0.9, 0], [1.1, 0], [0, 2.4], [0, 2.6]]).tolist() == list("abac")
    distances, _ = model.kneighbors([[1.0, -3.0]], k=2)
    assert distances[0, 0] == distances[0, 1]


@pytest.mark.spec("A-48")
def test_tied_classes_ask_one_more_then_take_the_more_frequent_then_the_first_seen() -> None:
    rows = [["a"], ["a"], ["b"], ["b"], ["b"]]
    assert MemoryBased(1).fit(rows[:3], ["y", "x", "x"]).predict([["a"]]).tolist() == ["x"]
    assert MemoryBased(2).fit([["a"], ["a"], ["b"], ["b"]], list("yxyx")).predict([["a"]]) == ["y"]
    frequent = MemoryBased(1).fit([["a"], ["a"], ["b"], ["b"], ["b"]], list("yxxyx"))
    assert frequent.predict([["a"]]).tolist() == ["x"]
    first = MemoryBased(1, "l1", neighbors="examples").fit([[1.0], [-1.0]], ["y", "x"])
    assert first.predict([[0.0]]).tolist() == ["y"]  # lowest training index


# --- the plain twin ----------------------------------------------------------------------------


def symbols(n: int, width: int, seed: int = 0, values: int = 4) -> list[list[str]]:
    draw = np.random.default_rng(seed).integers(0, values, (n, width))
    return [[f"v{v}" for v in row] for row in draw]


def twin(model: MemoryBased, rows: Any, y: Any, queries: Any) -> list[Any]:
    """Predict with the reference, row by row."""
    classes, gold = np.unique(y, return_inverse=True)
    seen, gold = first_seen(gold)
    deltas: list[Any] = [None] * len(rows[0])
    if model.metric == "mvdm":
        for j in range(len(rows[0])):
            if not isinstance(rows[0][j], float):
                column = [row[j] for row in rows]
                deltas[j] = plain.value_differences(column, gold, len(classes))
    order = model._memory.order.tolist()
    found = []
    for query in queries:
        d = plain.mixed_distances(rows, query, model.feature_weights_, deltas, order)
        winner, _ = plain.classify(
            d, gold, model.k, model.vote, model.alpha, model.beta, model.neighbors == "examples"
        )
        found.append(classes[seen[winner]])
    return found


@pytest.mark.parametrize(("metric", "p"), [("l2", 2), ("lk", 3), ("linf", 2)])
@pytest.mark.parametrize("lattice", [False, True])  # on a lattice many distances are equal
def test_neighbours_looked_for_near_the_first_number_are_those_of_all_distances(
    metric: Any, p: float, lattice: bool
) -> None:
    rng = np.random.default_rng(0)
    X, queries = rng.normal(size=(600, 3)), rng.normal(scale=2.0, size=(80, 3))
    if lattice:
        X, queries = X.round(), queries.round()
    weights = np.array([0.7, 2.0, 1.0])
    model = MemoryBased(7, metric, weights, "examples", p=p).fit(X, rng.integers(0, 3, 600))
    differences = np.abs(queries[:, None] - X)
    if metric == "linf":
        all_distances = (weights * differences).max(axis=2)
    else:
        all_distances = (weights * differences**p).sum(axis=2) ** (1 / p)
    for k in (1, 7, 600):
        distances, rows = model.kneighbors(queries, k)
        np.testing.assert_allclose(distances, np.sort(all_distances, axis=1)[:, :k], rtol=1e-12)
        at_rows = np.take_along_axis(all_distances, rows, axis=1)
        np.testing.assert_allclose(at_rows, distances, rtol=1e-12)
        assert all(len(set(row)) == k for row in rows.tolist())


@pytest.mark.spec("M-95", "M-99", "M-104", "A-48", "E-07", "R-06")
@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6), st.sampled_from(["overlap", "mvdm"]), st.sampled_from([1, 2, 5, 40]),
    st.sampled_from(VOTES), st.sampled_from(["distances", "examples"]), st.integers(1, 10),
)  # fmt: skip
def test_predictions_are_those_of_the_plain_twin(
    seed: int, metric: Any, k: int, vote: Any, neighbors: Any, width: int
) -> None:
    rng = np.random.default_rng(seed)
    rows: list[list[Any]] = [
        [*row, float(number)]
        for row, number in zip(symbols(25, width, seed, 3), rng.integers(0, 5, 25), strict=True)
    ]
    y = rng.integers(0, 3, 25)
    if seed % 2:
        rows = [row[:-1] for row in rows]
    for _ in range(3 * (seed % 3)):  # missing values here and there
        rows[rng.integers(1, 25)][rng.integers(0, len(rows[0]))] = None
    queries = [row[:] for row in rows[:6]]
    queries[0][0] = "new"
    weights = "none" if metric == "overlap" and vote == "inverse_linear" else "gain_ratio"
    model = MemoryBased(k, metric, weights, neighbors, vote, alpha=0.7, n_threads=1).fit(rows, y)
    expected = twin(model, rows, y, queries)
    if k == 1 and neighbors == "distances" and metric == "mvdm":
        queries, expected = queries[:1], expected[:1]  # an equal row speaks alone: see below
    assert model.predict(queries).tolist() == expected


def test_with_one_distance_an_equal_example_speaks_alone() -> None:
    rows, y = [["a", "p"], ["a", "q"], ["b", "p"], ["b", "q"]], [0, 1, 1, 0]
    one = MemoryBased(1, "mvdm").fit(rows, y)  # every value goes with both classes alike
    assert one.kneighbors([["a", "p"]], k=4)[0].tolist() == [[0.0] * 4]
    assert one.predict_proba([["a", "p"]]).tolist() == [[1.0, 0.0]]
    two = MemoryBased(2, "mvdm").fit(rows, y)
    assert two.predict_proba([["a", "p"]]).tolist() == [[0.5, 0.5]]


# --- compressed search -------------------------------------------------------------------------


@pytest.mark.parametrize("search", ["igtree", "tribl", "tribl2"])
def test_compressed_searches_know_the_training_set(search: Any) -> None:
    rows = [list(row) for row in {tuple(row) for row in symbols(80, 4)}]
    y = np.arange(len(rows)) % 4
    model = MemoryBased(1, "overlap", "gain_ratio", search=search, depth=2).fit(rows, y)
    assert model.score(rows, y) == 1.0
    assert model.predict([["new"] * 4]).tolist() == [0]  # the class seen first of the most frequent


def test_tribl_of_all_features_is_igtree_and_tribl2_of_an_unknown_row_is_exact() -> None:
    rows, y = symbols(120, 4, values=3), np.arange(120) % 3
    asked = symbols(50, 4, seed=1, values=4)
    tree = MemoryBased(1, "overlap", "information_gain", search="igtree").fit(rows, y)
    deep = MemoryBased(1, "overlap", "information_gain", search="tribl", depth=4).fit(rows, y)
    np.testing.assert_array_equal(tree.predict(asked), deep.predict(asked))
    asked = [["new", *row[1:]] for row in asked]
    order = np.array([1.0, 0.4, 0.3, 0.2])
    full = MemoryBased(3, feature_weights=order).fit(rows, y)
    half = MemoryBased(3, feature_weights=order, search="tribl2").fit(rows, y)
    np.testing.assert_array_equal(full.predict(asked), half.predict(asked))


# --- sparse vectors ----------------------------------------------------------------------------


@pytest.mark.parametrize(("metric", "name"), [("cosine", "cosine"), ("l2", "euclidean")])
def test_sparse_neighbours_are_those_of_scikit_learn(metric: Any, name: str) -> None:
    from sklearn.neighbors import KNeighborsClassifier

    X = sp.random(2500, 300, 0.05, format="csr", random_state=0)
    T = sp.vstack([sp.random(60, 300, 0.05, random_state=1), sp.csr_matrix((1, 300))]).tocsr()
    y = np.arange(2500) % 2
    model = MemoryBased(7, metric, neighbors="examples").fit(X, y)
    peer = KNeighborsClassifier(7, metric=name, algorithm="brute").fit(X, y)
    ours, theirs = model.kneighbors(T[:60]), peer.kneighbors(T[:60])
    np.testing.assert_allclose(ours[0], theirs[0], atol=1e-12)
    np.testing.assert_array_equal(ours[1], theirs[1])
    np.testing.assert_array_equal(model.predict(T[:60]), peer.predict(T[:60]))
    assert np.isfinite(model.kneighbors(T[60:])[0]).all()  # a row of zeros


def test_distances_count_equal_vectors_once_and_dense_is_sparse() -> None:
    X = np.repeat(np.eye(4) + 0.1, 30, axis=0) * np.arange(1, 121)[:, None]
    y = np.repeat([0, 1, 2, 3], 30)
    model = MemoryBased(1, "cosine").fit(sp.csr_matrix(X), y)
    assert model.score(X, y) == 1.0
    dense = MemoryBased(3, "l2").fit(X, y)
    sparse = MemoryBased(3, "l2").fit(sp.csr_matrix(X), y)
    T = X[::7] + 0.3
    np.testing.assert_array_equal(dense.predict(T), sparse.predict(sp.csr_matrix(T)))


# --- input -------------------------------------------------------------------------------------


def test_lists_arrays_frames_and_dictionaries_give_the_same_model() -> None:
    rows, y = symbols(40, 3), np.arange(40) % 2
    names = ["first", "second", "third"]
    frame = pd.DataFrame(rows, columns=names)
    given = [rows, np.array(rows), np.array(rows, object), frame, frame.astype("category")]
    given.append([dict(zip(names, row, strict=True)) for row in rows])
    expected = MemoryBased(3).fit(rows, y).predict(rows)
    for X in given:
        np.testing.assert_array_equal(MemoryBased(3).fit(X, y).predict(X), expected)


def test_constant_distinct_missing_and_unseen_values_are_served() -> None:
    rows = [["k", str(i), None if i % 3 else "m", float(i)] for i in range(12)]
    rows[0][3] = float("nan")
    y = np.arange(12) % 2
    for metric in ("overlap", "mvdm"):
        for weights in ("none", "gain_ratio", "chi2", "shared_variance", "information_gain"):
            model = MemoryBased(2, metric, weights).fit(rows, y)  # type: ignore[arg-type]
            proba = model.predict_proba([*rows, ["new", None, "other", None]])
            assert np.isfinite(proba).all()
            assert proba.sum(axis=1) == pytest.approx(np.ones(13))


def test_one_class_and_one_example_are_enough() -> None:
    for k in (1, 7):
        assert MemoryBased(k).fit([["a"]], ["only"]).predict([["b"]]).tolist() == ["only"]
    distances, rows = MemoryBased().fit([["a"]], ["only"]).kneighbors([["a"]], k=3)
    assert distances.tolist() == [[0.0, np.inf, np.inf]]
    assert rows.tolist() == [[0, -1, -1]]


@pytest.mark.parametrize(
    ("parameters", "X"),
    [
        ({"k": 0}, [["a"]]),
        ({"k": 1.5}, [["a"]]),
        ({"metric": "hamming"}, [["a"]]),
        ({"vote": "loud"}, [["a"]]),
        ({"search": "quick"}, [["a"]]),
        ({"neighbors": "many"}, [["a"]]),
        ({"feature_weights": "heavy"}, [["a"]]),
        ({"feature_weights": [1.0, 2.0]}, [["a"]]),
        ({"feature_weights": [-1.0]}, [["a"]]),
        ({"feature_weights": [np.nan]}, [["a"]]),
        ({"alpha": np.inf}, [["a"]]),
        ({"p": 0.5}, [["a"]]),
        ({"search": "igtree", "neighbors": "examples"}, [["a"]]),
        ({"search": "tribl", "metric": "l2"}, [["a"]]),
        ({"kinds": ["symbolic", "numeric"]}, [["a"]]),
        ({"metric": "cosine", "feature_weights": "chi2"}, [[1.0]]),
    ],
)
def test_parameters_that_cannot_work_are_refused(parameters: Any, X: Any) -> None:
    with pytest.raises(ParameterError):
        MemoryBased(**parameters).fit(X, ["y"])


@pytest.mark.parametrize(
    ("parameters", "X"),
    [
        ({}, []),
        ({}, [[]]),
        ({}, "text"),
        ({}, ["row"]),
        ({}, [["a"], ["a", "b"]]),
        ({}, [[["list"]]]),
        ({}, [[None]]),
        ({}, [[np.inf]]),
        ({"kinds": "numeric"}, [["a"]]),
        ({"metric": "l1"}, [[1.0, np.nan]]),
        ({"search": "igtree"}, [[1.0]]),
        ({"metric": "overlap"}, sp.csr_matrix([[1.0]])),
    ],
)
def test_data_that_cannot_be_used_is_refused_with_a_reason(parameters: Any, X: Any) -> None:
    with pytest.raises(DataError) as caught:
        MemoryBased(**parameters).fit(X, ["y"] * (X.shape[0] if sp.issparse(X) else len(X)))
    assert len(str(caught.value)) > 20


def test_a_broken_index_is_refused_not_followed(tmp_path: Path) -> None:
    model = MemoryBased().fit([["a"], ["b"]], [0, 1])
    model._memory.code[0, 0] = 10**6
    with pytest.raises(ValueError, match="codes"):
        model.predict([["a"]])
    vectors = MemoryBased(metric="cosine").fit(np.eye(3), [0, 1, 2])
    vectors._vectors.row[0] = 10**6
    with pytest.raises(ValueError, match="postings"):
        vectors.predict(np.eye(3))


def test_the_same_bits_on_any_number_of_threads() -> None:
    rows, y = symbols(900, 10, values=6), np.arange(900) % 5
    for parameters in ({}, {"metric": "mvdm"}, {"search": "tribl2"}, {"neighbors": "examples"}):
        model = MemoryBased(5, feature_weights="gain_ratio", **parameters)  # type: ignore[arg-type]
        votes = [model.set_params(n_threads=t).fit(rows, y).predict_proba(rows) for t in (1, 3)]
        np.testing.assert_array_equal(*votes)


def test_predicting_before_fitting_is_refused() -> None:
    for call in (MemoryBased().predict, MemoryBased().predict_proba, MemoryBased().kneighbors):
        with pytest.raises(LinnetError, match="fit"):
            call([["a"]])
    assert linnet.MemoryBased is MemoryBased
