"""How much a feature tells about the class: weights for distances (SPEC M-100 - M-103).

Given the contingency table of a feature, n_cv examples of class c with value v, n in all:

    H(Y)              - sum_c p(c) log2 p(c)                       entropy of the classes, in bits
    information gain  H(Y) - sum_v p(v) H(Y | v)
    split info        H(V) = - sum_v p(v) log2 p(v)
    gain ratio        information gain / H(V), 0 when H(V) = 0
    chi2              sum_cv (E_cv - n_cv)^2 / E_cv,  E_cv = n_c. n_.v / n; cells with E = 0 skipped
    shared variance   chi2 / (n (min(classes, values) - 1)), 0 when that is 0

Numeric features are cut into bins of equal width, for the weights only (M-103); a missing value
counts as a value of its own. Sums run in order of first appearance, one term after the other, so
that weights are those of TiMBL to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError, ParameterError
from linnet.learn.shared.attributes import MISSING, Attributes, AttributeTable, Kinds

__all__ = [
    "BINS",
    "FeatureWeights",
    "Weighting",
    "chi2_cells",
    "expected_counts",
    "first_seen",
    "value_counts",
]

Floats: TypeAlias = NDArray[np.float64]
Weighting: TypeAlias = Literal[
    "none", "information_gain", "gain_ratio", "chi2", "shared_variance", "split_info"
]

BINS = 20  # of a numeric feature


@dataclass(frozen=True)
class FeatureWeights:
    """The weights of J features.

    Attributes
    ----------
    class_entropy : float
        H(Y) in bits.
    information_gain, gain_ratio, split_info, chi2, shared_variance : arrays of shape (J,)
    n_values : array of shape (J,)
        How many values, or filled bins, each feature has.

    Examples
    --------
    >>> table = [[4, 996], [100, 900]]  # ham and spam, with and without "rock-hard"
    >>> weights = FeatureWeights.from_table(table)
    >>> weights.chi2.round(4).tolist(), weights.information_gain.round(6).tolist()
    ([93.4761], [0.041524])
    >>> rows, labels = [["sunny", 21.0], ["rain", 20.0], ["rain", 9.0]], ["go", "stay", "stay"]
    >>> FeatureWeights.from_data(rows, labels).gain_ratio.round(4).tolist()
    [1.0, 0.5794]
    """

    class_entropy: float
    information_gain: Floats
    gain_ratio: Floats
    split_info: Floats
    chi2: Floats
    shared_variance: Floats
    n_values: NDArray[np.int64]

    @classmethod
    def from_table(cls, table: ArrayLike) -> FeatureWeights:
        """Weigh one feature by its contingency table of shape (classes, values)."""
        counts = _checked_table(table)
        return cls._from_tables(counts.sum(axis=1), iter([counts.T]))

    @classmethod
    def from_data(
        cls, X: Any, y: ArrayLike, *, kinds: Kinds = None, bins: int = BINS
    ) -> FeatureWeights:
        """Weigh each feature of rows (lists, arrays, data frames) with labels `y`."""
        attributes = Attributes.fit(X, kinds)
        labels = np.unique(np.asarray(y), return_inverse=True)[1]
        table = attributes.transform(X)
        if labels.shape != (table.n_rows,):
            raise DataError(f"X has {table.n_rows} rows, y has the shape {labels.shape}.")
        return cls.from_attributes(table, first_seen(labels)[1], bins=bins)

    @classmethod
    def from_attributes(
        cls, table: AttributeTable, gold: NDArray[np.int32], *, bins: int = BINS
    ) -> FeatureWeights:
        """Weigh each column of attributes; `gold` numbers the classes by first appearance."""
        if bins < 1:
            raise ParameterError(f"bins must be a positive integer, got {bins!r}.")
        classes = int(gold.max()) + 1
        tables = (
            value_counts(_bins(column, bins) if kind == "numeric" else column, gold, classes)
            for kind, column in zip(table.kinds, table.columns, strict=True)
        )
        return cls._from_tables(np.bincount(gold).astype(np.float64), tables)

    @classmethod
    def _from_tables(cls, of_class: Floats, tables: Iterator[Floats]) -> FeatureWeights:
        entropy = _entropy(of_class[None, :])[0]
        found = [_weigh(table, of_class, float(entropy)) for table in tables]
        gain, ratio, split, chi2, shared, values = np.array(found, dtype=np.float64).T
        return cls(float(entropy), gain, ratio, split, chi2, shared, values.astype(np.int64))

    def get(self, weighting: Weighting) -> Floats:
        """Return the weights of a name; "none" is 1 for each feature."""
        if weighting == "none":
            return np.ones(len(self.chi2))
        found: Floats = getattr(self, weighting).copy()
        return found


def expected_counts(table: ArrayLike) -> Floats:
    """Return E = n_c. n_.v / n: what the cells would hold if class and value were independent.

    Examples
    --------
    >>> expected_counts([[4, 996], [100, 900]]).tolist()
    [[52.0, 948.0], [52.0, 948.0]]
    """
    return _expected(_checked_table(table))


def chi2_cells(table: ArrayLike) -> Floats:
    """Return (E - n)^2 / E of each cell, 0 where E = 0: what each adds to chi2.

    Examples
    --------
    >>> chi2_cells([[4, 996], [100, 900]]).round(4).tolist()
    [[44.3077, 2.4304], [44.3077, 2.4304]]
    """
    return _cells(_checked_table(table))


def _checked_table(table: ArrayLike) -> Floats:
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or not counts.size:
        raise DataError("A contingency table has a row for each class, a column a value.")
    if not np.isfinite(counts).all() or (counts < 0).any() or not counts.any():
        raise DataError("Counts must be finite, not negative, and not all zero.")
    return counts


def first_seen(gold: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the class codes in order of first appearance, and `gold` renumbered in that order."""
    codes, first = np.unique(gold, return_index=True)
    order = codes[np.argsort(first, kind="stable")]
    number = np.empty(int(order.max()) + 1, dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return order.astype(np.int64), number[gold]


def value_counts(codes: NDArray[np.int32], gold: NDArray[np.int32], classes: int) -> Floats:
    """Return the table (values, classes); missing values, if any, come last."""
    values = int(codes.max()) + 1
    shifted = np.where(codes == MISSING, values, codes).astype(np.int64)
    cells = np.bincount(shifted * classes + gold, minlength=(int(shifted.max()) + 1) * classes)
    return cells.reshape(-1, classes).astype(np.float64)


def _bins(numbers: Floats, bins: int) -> NDArray[np.int32]:
    """Cut the range of the numbers into bins of equal width."""
    known = ~np.isnan(numbers)
    low, high = float(numbers[known].min()), float(numbers[known].max())
    if high - low == np.inf:
        raise DataError(
            f"A column of numbers runs from {low:g} to {high:g}, and differences that large cannot "
            "be held; divide the column by a constant."
        )
    codes = np.full(len(numbers), MISSING, dtype=np.int32)
    share = (numbers[known] - low) / (high - low) if high > low else np.zeros(known.sum())
    codes[known] = np.minimum((share * bins).astype(np.int32), bins - 1)
    return codes


def _sum(terms: Floats, axis: int = -1) -> Floats:
    """Add one term after the other, which np.sum does not."""
    return np.asarray(np.cumsum(terms, axis=axis).take(-1, axis=axis))


def _entropy(counts: Floats) -> Floats:
    """Return the entropy in bits of each row of counts."""
    share = counts / counts.sum(axis=1, keepdims=True)
    logs = np.log2(share, out=np.zeros_like(share), where=share > 0)
    return np.abs(_sum(share * logs))


def _expected(table: Floats) -> Floats:
    return np.asarray(np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum())


def _cells(table: Floats) -> Floats:
    expected = _expected(table)
    there = (table > 0) & (expected > 0)  # without observations a cell is (E - 0)^2 / E = E
    return np.divide((expected - table) ** 2, expected, out=expected.copy(), where=there)


def _weigh(table: Floats, of_class: Floats, entropy: float) -> tuple[float, ...]:
    """Return gain, ratio, split info, chi2, shared variance and number of values of a table."""
    table = table[table.any(axis=1)]
    total, of_value = of_class.sum(), table.sum(axis=1)
    gain = max(0.0, entropy - float(_sum(_entropy(table) * of_value / total)))
    split = float(_entropy(of_value[None, :])[0])
    chi2 = float(_sum(_cells(table).ravel()))
    freedom = min(int((of_class > 0).sum()), len(table)) - 1
    shared = chi2 / (total * freedom) if freedom else 0.0
    ratio = gain / split if split > np.finfo(np.float64).eps else 0.0
    return gain, ratio, split, chi2, shared, float(len(table))
