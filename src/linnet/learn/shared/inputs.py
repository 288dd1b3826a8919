"""From what users pass to what the core reads.

X may be a dense array, any SciPy sparse matrix, a data frame, or a list of dictionaries
(feature name to value); all of them end as one checked CSR matrix and so give the same model
(SPEC C-05). Values keep their precision: they are stored as floats only when that loses nothing,
and not at all when every one of them is 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.learn.shared.attributes import is_missing
from linnet.learn.shared.checks import class_order, sample_weights
from linnet.learn.shared.large_pages import large_empty
from linnet.learn.shared.symbols import with_indicators

ClassWeight: TypeAlias = Mapping[Any, float] | str | None
RandomState: TypeAlias = int | np.random.RandomState | None
Vocabulary: TypeAlias = dict[str, int]

LARGE = 1e150
#: Stored values, times columns of weights, from which on a second thread earns what starting it and
#: meeting it at every row costs.
WORTH_THREADS = 1 << 20
_OUTSIDE = "The sparse matrix is broken: it points outside its own columns or rows."


@dataclass(frozen=True)
class Features:
    """A checked feature matrix of shape (rows, cols), ready for the core."""

    matrix: _core.Matrix
    rows: int
    cols: int
    stored: int
    non_negative: bool
    csr: sp.csr_matrix  # the same values, for slicing

    def threads(self, asked: int, columns: int = 1) -> int:
        """Return how many of the threads asked for a pass by single rows is worth."""
        return asked if self.stored * columns >= WORTH_THREADS else 1

    def scores(self, weights: NDArray[np.float64], threads: int) -> NDArray[np.float64]:
        """Return the products of the rows with weights[cols, columns], shape (rows, columns)."""
        out = np.empty((self.rows, weights.shape[1]))
        _core.scores(self.matrix, weights, 0.0, out, threads)
        return out

    def counts(
        self, gold: NDArray[np.int32], weights: NDArray[np.float64], classes: int, threads: int
    ) -> NDArray[np.float64]:
        """Return the sums of weight times x_ij over the rows i of each class, shape (K, J)."""
        out = large_empty(classes, self.cols)
        _core.count(self.matrix, gold, weights, out, threads)
        return out

    def squared_norms(self, bias: float) -> NDArray[np.float64]:
        """Return |x|² + bias² of each row."""
        norms = np.empty(self.rows)
        _core.squared_norms(self.matrix, bias, norms, 1)
        return norms

    def each(self, prepare: Callable[[Features], Features]) -> Features:
        """Return the rows as a function of some rows makes them."""
        return prepare(self)


class RowsElsewhere(ABC):
    """Rows that were checked where they are held: X for the learners that can ask."""

    shape: tuple[int, int]

    @abstractmethod
    def features(self) -> Features:
        """Return what a learner asks."""


class CheckedRows(RowsElsewhere):
    """Rows that are fitted to and scored many times: X that is checked once.

    Parameters
    ----------
    X : array or sparse matrix
    n_threads : int
    goes_on : bool
        Whether a fit begins where the one before ended: then it is to find its weights and scores.

    Examples
    --------
    >>> from linnet import SVM
    >>> X = CheckedRows([[0.0, 1.0], [1.0, 0.0]])
    >>> clf = SVM(random_state=0).fit(X, ["no", "yes"])
    >>> clf.n_features_in_, (X @ np.ones((2, 1))).tolist()
    (2, [[1.0], [1.0]])
    """

    def __init__(self, X: Any, n_threads: int = 1, *, goes_on: bool = False) -> None:
        self._features, self._threads = checked_features(X, n_threads), n_threads
        if goes_on:
            self._features.matrix.remember()
        self.shape = (self._features.rows, self._features.cols)

    def features(self) -> Features:
        """Return what a learner asks."""
        return self._features

    def __matmul__(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the product with a dense array of two dimensions."""
        threads = self._features.threads(self._threads, weights.shape[1])
        return self._features.scores(np.ascontiguousarray(weights), threads)


def is_bags(X: object) -> bool:
    """Tell whether X is a list of feature dictionaries."""
    return isinstance(X, Sequence) and len(X) > 0 and isinstance(X[0], Mapping)


def bag_vocabulary(bags: Sequence[Mapping[str, float]]) -> Vocabulary:
    """Number all feature names of the bags in sorted order."""
    for row, bag in enumerate(bags):
        if not isinstance(bag, Mapping):
            raise DataError(f"Row {row} is a {type(bag).__name__}, not a feature dictionary.")
    bags = with_indicators(bags)
    try:
        names = sorted({name for bag in bags for name in bag})
    except TypeError as error:
        raise DataError(f"Feature names must be of one kind, such as str: {error}.") from None
    return {name: number for number, name in enumerate(names)}


def bags_to_csr(bags: Sequence[Mapping[str, float]], vocabulary: Vocabulary) -> sp.csr_matrix:
    """Turn feature dictionaries into rows; names outside the vocabulary are dropped (A-04)."""
    start: list[int] = [0]
    index: list[int] = []
    value: list[float] = []
    for row, bag in enumerate(with_indicators(bags)):
        if not isinstance(bag, Mapping):
            raise DataError(f"Row {row} is a {type(bag).__name__}, not a feature dictionary.")
        known = sorted((vocabulary[name], v) for name, v in bag.items() if name in vocabulary)
        index.extend(number for number, _ in known)
        value.extend(v for _, v in known)
        start.append(len(index))
    try:
        values = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"Feature values must be numbers: {error}.") from None
    shape = (len(bags), len(vocabulary))
    return sp.csr_matrix((values, np.asarray(index, dtype=np.int32), start), shape=shape)


def checked_features(X: Any, n_threads: int = 1) -> Features:
    """Check X (dense or sparse, two-dimensional) and hand it to the core.

    Raises
    ------
    DataError
        For NaN, infinity, complex or non-numeric values, a wrong number of dimensions, an empty
        matrix, or more than 2**31 - 1 columns.
    """
    if isinstance(X, RowsElsewhere):
        return X.features()
    csr = _as_csr(X)
    rows, cols = csr.shape
    if cols >= 2**31:
        raise DataError(f"At most 2**31 - 1 features are possible, X has {cols}.")
    start = csr.indptr.astype(np.int64, copy=False)
    index = csr.indices.astype(np.int32, copy=False)
    narrow = np.empty(len(csr.data), np.float32) if csr.dtype == np.float64 else None
    n_threads = n_threads if len(csr.data) >= WORTH_THREADS else 1
    wide = _core.Matrix(start, index, csr.data, cols)
    found = _core.inspect(wide, narrow, n_threads)
    if not found.inside:
        raise DataError(_OUTSIDE)
    if not found.finite:
        raise DataError("Input X contains NaN or infinity; remove or replace those values.")
    if not found.ascending:
        return checked_features(_sorted_rows(csr, wide, n_threads), n_threads)
    if found.all_ones:
        matrix = wide.with_values(None)
    elif narrow is not None and found.fits_float:
        matrix = wide.with_values(narrow)
    else:
        matrix = wide
    return Features(matrix, rows, cols, int(start[-1]), found.non_negative, csr)


def check_squares(features: Features) -> None:
    """Refuse values whose squares, and sums of them, cannot be held."""
    values = features.csr.data[: features.stored]
    largest = float(max(values.max(initial=0.0), -values.min(initial=0.0)))
    if largest > LARGE:
        raise DataError(
            f"Input X holds values as large as {largest:.3g}, whose squares overflow; divide X by "
            "a constant, so that none is above 1e150."
        )


def check_structure(X: Any, *, for_core: bool = False) -> None:
    """Refuse a sparse matrix that points out of its own arrays, columns or rows.

    SciPy and the core would follow it. With `for_core`, the column ids of 32 bits of a CSR matrix
    are left to the core, which looks at them in its one pass over the matrix.
    """
    if X.format == "coo":
        for ids, size in zip((X.row, X.col), X.shape, strict=True):
            _check_ids(ids, len(X.data), size)
    elif X.format in ("csr", "csc", "bsr"):
        lines, width = X.shape if X.format != "csc" else X.shape[::-1]
        if X.format == "bsr":
            lines, width = lines // X.blocksize[0], width // X.blocksize[1]
        start, stored = X.indptr, min(len(X.indices), len(X.data))
        if len(start) != lines + 1 or start[0] != 0 or start[-1] > stored:
            raise DataError(
                f"The sparse matrix is broken: its {len(start)} pointers run from {start[0]} to "
                f"{start[-1]}, but {stored} values are stored."
            )
        if (start[1:] < start[:-1]).any():
            raise DataError("The sparse matrix is broken: its row pointers fall.")
        if not for_core or X.format != "csr" or X.indices.dtype != np.int32:
            _check_ids(X.indices, int(start[-1]), width)


def _check_ids(ids: NDArray[Any], stored: int, size: int) -> None:
    used = ids[:stored]
    if len(used) < stored or used.dtype.kind not in "iu":
        raise DataError("The sparse matrix is broken: its values have no columns or rows.")
    if stored and (used.min() < 0 or used.max() >= size):
        raise DataError(_OUTSIDE)


def _sorted_rows(csr: sp.csr_matrix, matrix: _core.Matrix, n_threads: int) -> sp.csr_matrix:
    """Return the matrix with the ids of each row ascending and duplicates added up."""
    index, value = np.empty(len(csr.data), np.int32), np.empty_like(csr.data)
    _core.sort_rows(matrix, index, value, n_threads)
    ordered = sp.csr_matrix((value, index, csr.indptr.copy()), shape=csr.shape)
    ordered.has_sorted_indices = True
    ordered.sum_duplicates()
    return ordered


def _as_csr(X: Any) -> sp.csr_matrix:
    is_plain = sp.issparse(X) and X.format == "csr" and X.dtype in (np.float32, np.float64)
    if sp.issparse(X) and X.ndim == 2:
        check_structure(X, for_core=True)
    try:
        if not is_plain or X.ndim != 2:
            X = check_array(
                X, accept_sparse="csr", dtype=(np.float64, np.float32), ensure_all_finite=True
            )
    except (TypeError, ValueError, OverflowError) as error:
        # scikit-learn raises TypeError for some inputs and its checks expect the kind to survive
        raise _with_kind(error) from None
    if X.shape[0] == 0:
        raise DataError("X has 0 samples; at least one row is needed.")
    if X.shape[1] == 0:
        raise DataError(f"X has 0 feature(s) (shape={X.shape}) while a minimum of 1 is required.")
    return X if sp.issparse(X) else sp.csr_matrix(X)


class _TypedDataError(DataError, TypeError):
    """A DataError that is also a TypeError, for values of a kind that cannot be converted."""


def _with_kind(error: Exception) -> DataError:
    return _TypedDataError(str(error)) if isinstance(error, TypeError) else DataError(str(error))


def refuse_missing(y: Any) -> None:
    """Refuse labels that are missing: None, NaN and the NA of data frames are no classes."""
    if getattr(getattr(y, "dtype", None), "kind", "O") != "O":
        return
    labels = y.tolist() if hasattr(y, "tolist") else y
    if not isinstance(labels, (list, tuple)) or set(map(type, labels)) <= {str, int, bool}:
        return
    for row, label in enumerate(labels):
        if not hasattr(label, "__len__") and is_missing(label):
            raise DataError(
                f"Input y contains NaN or None: the label of row {row} is missing. Leave such rows "
                "out, or give them a label."
            )


def refuse_texts(X: Any, learner: str) -> None:
    """Refuse texts where vectors are read, and say who reads texts."""
    if len(getattr(X, "shape", (0,))) != 1 or isinstance(X, Mapping):
        return
    first = next(iter(X), None) if isinstance(X, Sequence) or hasattr(X, "shape") else None
    if isinstance(first, str):
        raise DataError(
            f"X holds texts, such as {first[:40]!r}, and {learner} reads vectors of numbers: could "
            f"not convert string to float. linnet.TextClassifier(linnet.{learner}()) reads texts."
        )


def encode_labels(y: Any, rows: int, order: Any = None) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the classes, sorted or in a given order, and the number of each label (SPEC C-03).

    Examples
    --------
    >>> encode_labels(["no", "yes", "no"], 3, order=["yes", "no"])
    (array(['yes', 'no'], dtype='<U3'), array([1, 0, 1], dtype=int32))
    """
    if order is None and isinstance(y, np.ndarray) and y.shape == (rows,):
        numbers = _number_integers(y)
        if numbers is not None:
            return numbers
    refuse_missing(y)
    try:
        y = column_or_1d(y, warn=True)
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            raise DataError("Input y contains NaN or infinity.")
        check_classification_targets(y)
    except (TypeError, ValueError, OverflowError) as error:
        if getattr(y, "ndim", 1) == 2:
            raise DataError(f"{error} A table of labels is for linnet.TextClassifier.") from None
        raise _with_kind(error) from None
    if len(y) != rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {rows} rows, "
            f"y has {len(y)} labels."
        )
    classes, codes = np.unique(y, return_inverse=True)
    if order is None:
        return classes, codes.astype(np.int32)
    ordered = class_order(order)
    absent = [label for label in ordered.tolist() if label not in set(classes.tolist())]
    if absent:
        raise DataError(f"classes names labels that are not in y: {absent}.")
    return ordered, label_numbers(ordered, classes)[codes]


def _number_integers(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]] | None:
    """Return what encode_labels does, without sorting; None for labels that need a closer look.

    That is for few rows to a label, which the checks warn about, and for labels far apart.
    """
    if y.dtype.kind not in "iu" or not np.can_cast(y.dtype, np.int64) or len(y) == 0:
        return None
    lowest = int(y.min())
    if int(y.max()) - lowest >= len(y):
        return None
    offset = np.subtract(y, lowest, dtype=np.int64) if lowest else y.astype(np.int64, copy=False)
    is_used = np.bincount(offset) > 0
    if 2 * np.count_nonzero(is_used) > len(y):
        return None
    classes = (np.flatnonzero(is_used) + lowest).astype(y.dtype)
    if len(classes) == len(is_used):  # without gaps they are their own numbers
        return classes, offset.astype(np.int32)
    return classes, (np.cumsum(is_used) - 1).astype(np.int32)[offset]


def label_numbers(classes: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.int32]:
    """Return the places of labels among the classes, which may be in any order.

    Examples
    --------
    >>> label_numbers(np.array(["b", "a"]), np.array(["a", "a", "b"])).tolist()
    [1, 1, 0]
    """
    place = {label: number for number, label in enumerate(classes.tolist())}
    unknown = [label for label in labels.tolist() if label not in place]
    if unknown:
        raise DataError(
            f"y has labels that are not among the classes {classes.tolist()}: {unknown}."
        )
    return np.array([place[label] for label in labels.tolist()], dtype=np.int32)


def require_two_classes(classes: NDArray[Any], learner: str) -> None:
    """Refuse data with one class: there is nothing to separate."""
    if len(classes) < 2:
        raise DataError(
            f"{learner} needs at least 2 classes, the data has 1 class ({classes.tolist()[0]!r}). "
            "Add examples of another class."
        )


def example_weights(
    sample_weight: Any, class_weight: ClassWeight, classes: NDArray[Any], gold: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return the weight of each example: sample weight times the weight of its class."""
    weights = sample_weights(sample_weight, len(gold))
    if class_weight is None:
        return weights
    if not isinstance(class_weight, Mapping) and class_weight != "balanced":
        raise ParameterError(
            f"class_weight must be None, 'balanced' or a dictionary, got {class_weight!r}."
        )
    if isinstance(class_weight, Mapping):
        unknown = [label for label in class_weight if label not in set(classes.tolist())]
        if unknown:
            raise ParameterError(f"class_weight names classes that are not in y: {unknown}.")
    present = np.unique(gold)
    factors = np.ones(len(classes))
    try:
        factors[present] = compute_class_weight(
            class_weight, classes=classes[present], y=classes[gold]
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise ParameterError(f"class_weight cannot be used: {error}.") from None
    if (factors < 0).any() or not np.isfinite(factors).all():
        raise ParameterError("class_weight must be finite and not negative.")
    if not factors[present].any():
        raise ParameterError("class_weight is zero for every class; one must be positive.")
    return weights * factors[gold]
