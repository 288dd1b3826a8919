"""Every kind of input gives the same model, and what cannot be used is refused with a reason."""

from __future__ import annotations

import warnings
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from linnet import _core
from linnet.errors import DataError
from linnet.learn.maxent import MaxEnt
from linnet.learn.shared.inputs import checked_features, encode_labels
from linnet.learn.svm import SVM

from .risks import clouds, words

Model = MaxEnt | SVM
MODELS: dict[str, Model] = {
    "maxent": MaxEnt(random_state=0),
    "maxent dual": MaxEnt(solver="dual_cd", random_state=0),
    "maxent l1": MaxEnt(penalty="l1"),
    "svm": SVM(random_state=0),
    "svm ovr": SVM(multi_class="ovr", random_state=0),
    "svm ovo": SVM(multi_class="ovo", random_state=0),
    "svm squared": SVM(loss="squared_hinge", multi_class="ovr", random_state=0),
}
each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
X2, Y2 = clouds(rows=40, cols=3)
X3, Y3 = clouds(rows=40, cols=3, classes=3)


# --- kinds of input ----------------------------------------------------------------------------


def same_values(X: sp.csr_matrix) -> dict[str, Any]:
    long = X.copy()
    long.indices, long.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    backwards = X.copy()
    for i in range(X.shape[0]):
        row = slice(X.indptr[i], X.indptr[i + 1])
        backwards.indices[row] = X.indices[row][::-1]
        backwards.data[row] = X.data[row][::-1]
    backwards.has_sorted_indices = False
    halves = sp.csr_matrix(
        (np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape
    )
    roomy = X.copy()
    roomy.data, roomy.indices = np.append(X.data, np.nan), np.append(X.indices, 10**6)
    return {
        "dense": X.toarray(), "Fortran order": np.asfortranarray(X.toarray()),
        "list": X.toarray().tolist(), "float32": X.astype(np.float32), "int": X.astype(np.int64),
        "csc": X.tocsc(), "coo": X.tocoo(), "csr array": sp.csr_array(X), "long indices": long,
        "unsorted indices": backwards, "duplicate indices": halves, "spare room": roomy,
        "every second row": sp.csr_matrix(np.repeat(X.toarray(), 2, axis=0)[::2]),
    }  # fmt: skip


@pytest.mark.spec("C-05")
@each_model
@pytest.mark.parametrize("classes", [2, 3])
def test_dense_sparse_and_dictionaries_give_the_same_model(model: Model, classes: int) -> None:
    X, y = words(rows=80, cols=40, classes=classes)
    expected = clone(model).fit(X, y)
    for kind, values in same_values(X).items():
        clf = clone(model).fit(values, y)
        np.testing.assert_allclose(clf.coef_, expected.coef_, atol=1e-12, err_msg=kind)
        scores = clf.decision_function(values)
        np.testing.assert_allclose(scores, expected.decision_function(X), atol=1e-12, err_msg=kind)
    names = [f"f{j:02}" for j in range(40)]
    bags = [{names[j]: v for j, v in zip(r.indices, r.data, strict=True)} for r in X]
    clf = clone(model).fit(bags, y)
    seen = [names.index(name) for name in clf.get_feature_names()]
    np.testing.assert_allclose(clf.coef_, expected.coef_[:, seen], atol=1e-12)
    np.testing.assert_allclose(
        clf.decision_function(bags), expected.decision_function(X), atol=1e-12
    )


@pytest.mark.spec("C-05")
@pytest.mark.parametrize("kind", [bool, np.uint8, np.float32])
def test_values_that_are_all_one_need_no_values(kind: Any) -> None:
    X, y = words(rows=80, cols=40)
    ones = (X > 0).astype(kind)
    clf = MaxEnt().fit(ones, y)
    weighty = MaxEnt().fit(ones.astype(np.float64) * 1.1, y)
    plain = MaxEnt().fit(ones.toarray().astype(np.float64), y)
    np.testing.assert_array_equal(clf.coef_, plain.coef_)
    assert clf.coef_.dtype == np.float64 and (weighty.coef_ != clf.coef_).any()


def test_doubles_that_are_no_floats_keep_their_precision() -> None:
    clf = MaxEnt().fit([[0.0], [1.0]], [0, 1])
    clf.coef_, clf.intercept_ = np.array([[2.0**40]]), np.array([-(2.0**40)])
    assert clf.decision_function([[1.0 + 2**-40], [1.0]]).tolist() == [1.0, 0.0]


def test_the_input_is_never_changed() -> None:
    for kind, values in same_values(words(rows=60, cols=30)[0]).items():
        before = deepcopy(values)
        MaxEnt().fit(values, np.arange(60) % 2).predict(values)
        for name in ("data", "indices", "indptr", "row", "col") if sp.issparse(values) else ():
            if hasattr(values, name):
                old, new = getattr(before, name), getattr(values, name)
                np.testing.assert_array_equal(new[: len(old)], old, err_msg=kind)
        if not sp.issparse(values):
            np.testing.assert_array_equal(values, before)


@pytest.mark.spec("C-03")
@pytest.mark.parametrize(
    "labels", [["b", "a"], ["Ärger", "喜び"], [True, False], [7, -3], [2.0, 1.0]]
)
def test_labels_may_be_of_any_kind_and_are_sorted(labels: list[Any]) -> None:
    y = [labels[k] for k in Y2]
    clf = MaxEnt().fit(X2, y)
    assert clf.classes_.tolist() == sorted(labels)
    assert set(clf.predict(X2).tolist()) <= set(labels)
    assert clf.score(X2, y) > 0.6


def test_names_of_features_may_be_in_any_script() -> None:
    bags = [{"größe": 1.0, "日本": 2.0}, {"größe": 3.0}, {"😀": 1.0}]
    clf = MaxEnt().fit(bags, [0, 1, 1])
    assert clf.get_feature_names().tolist() == ["größe", "日本", "😀"]
    np.testing.assert_array_equal(clf.predict([{"new": 9.0}]), clf.predict([{}]))


def test_a_data_frame_lends_its_column_names() -> None:
    import pandas

    frame = pandas.DataFrame(X2, columns=["a", "b", "c"])
    clf = MaxEnt().fit(frame, pandas.Series(Y2))
    assert clf.get_feature_names().tolist() == clf.feature_names_in_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(clf.coef_, MaxEnt().fit(X2, Y2).coef_)
    with pytest.raises(DataError, match="feature names"):
        clf.predict(frame[["b", "a", "c"]])


# --- degenerate data ---------------------------------------------------------------------------

DEGENERATE: dict[str, tuple[Any, Any]] = {
    "rows without features": (sp.csr_matrix([[0, 0], [1, 0], [0, 0], [0, 2.0]]), [0, 1, 1, 0]),
    "no feature at all": (sp.csr_matrix((4, 3)), [0, 1, 1, 0]),
    "duplicate rows": (np.ones((6, 2)), [0, 1, 1, 0, 1, 1]),
    "constant feature": (np.column_stack([np.full(40, 7.0), X2]), Y2),
    "one feature": (X2[:, :1], Y2),
    "two rows": ([[1.0, 0.0], [0.0, 1.0]], ["no", "yes"]),
    "large values": (1e6 * X2, Y2),
    "small values": (1e-6 * X2, Y2),
    "a class with one example": (X3, np.where(np.arange(40) == 5, 9, Y2)),
}


@pytest.mark.spec("C-01")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each_model
@pytest.mark.parametrize(("X", "y"), DEGENERATE.values(), ids=DEGENERATE.keys())
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e6])
def test_degenerate_data_give_finite_models(model: Model, X: Any, y: Any, C: float) -> None:
    clf = clone(model).set_params(C=C, max_iter=200).fit(X, y)
    assert np.isfinite(clf.coef_).all() and np.isfinite(clf.intercept_).all()
    assert np.isfinite(clf.decision_function(X)).all() and np.isfinite(clf.optimality_)
    assert set(clf.predict(X)) <= set(y)
    if isinstance(clf, MaxEnt):
        assert np.isfinite(clf.predict_proba(X)).all()


@each_model
def test_hundreds_of_classes_work(model: Model) -> None:
    y = np.repeat(np.arange(300 if model.get_params().get("multi_class") != "ovo" else 30), 2)
    clf = clone(model).set_params(C=10.0).fit(sp.identity(len(y), format="csr"), y)
    assert clf.score(sp.identity(len(y), format="csr"), y) == 1.0


@pytest.mark.parametrize("solver", ["dual_cd", "newton", "lbfgs"])
@pytest.mark.parametrize("y", [Y2, Y3], ids=["two", "three"])
def test_values_whose_squares_overflow_are_refused_not_turned_into_nan(solver: str, y: Any) -> None:
    with pytest.raises(DataError, match="scale the features"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        MaxEnt(solver=solver, max_iter=20).fit(1e200 * X3, y)


@pytest.mark.parametrize("cols", [2**11, 2**22, 2**22 + 1, 2**30, 2**31 - 1])
def test_long_rows_of_any_width_are_put_in_order(cols: int) -> None:
    rng = np.random.default_rng(0)
    index = rng.permutation(np.unique(np.append(rng.integers(0, cols, 300), [0, cols - 1])))
    X = sp.csr_matrix((np.arange(1.0, len(index) + 1), index, [0, len(index)]), shape=(1, cols))
    read = checked_features(X).csr
    expected = X.sorted_indices()
    assert (read.indices == expected.indices).all() and (read.data == expected.data).all()


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("labels", [[3, 5, 3, 3], [-128, 127, 5, 5], [0, 1, 2, 3], [7, 7, 7]])
def test_whole_numbers_are_encoded_as_sorting_them_would(kind: Any, labels: list[int]) -> None:
    y = np.array(labels * 100).astype(kind)
    classes, gold = encode_labels(y, len(y))
    sorted_classes, places = np.unique(y, return_inverse=True)
    assert classes.dtype == y.dtype and gold.dtype == np.int32
    assert classes.tolist() == sorted_classes.tolist() and gold.tolist() == places.tolist()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("place", [0, 1, 7, 8, 31, 63, 64, 100])
def test_one_strange_value_is_seen_wherever_it_stands(kind: Any, place: int) -> None:
    def found(value: float) -> Any:
        values = np.ones(101, kind)
        values[place] = value
        start, index = np.array([0, 101], np.int64), np.arange(101, dtype=np.int32)
        narrow = np.zeros(101, np.float32)
        seen = _core.inspect(_core.Matrix(start, index, values, 101), narrow, 1)
        if kind is np.float64 and seen.fits_float:
            assert narrow.tolist() == values.tolist()
        return seen.finite, seen.all_ones, seen.non_negative, seen.fits_float

    assert found(1.0) == (True, True, True, True)
    assert found(2.0) == found(0.0) == found(-0.0) == (True, False, True, True)
    assert found(float(np.float32(1e-40))) == (True, False, True, True)  # below the normal numbers
    assert found(-3.0) == (True, False, False, True)
    assert found(float(np.finfo(kind).max))[0] and found(float(np.finfo(kind).tiny))[0]
    for value in (np.inf, -np.inf, np.nan):
        assert not found(value)[0] and not found(value)[1]
    if kind is np.float64:
        assert found(0.1) == (True, False, True, False)
