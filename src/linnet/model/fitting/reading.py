"""What a classifier may be trained on: texts, bags of features, vectors, or rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet.data.copies import Copies
from linnet.data.rows import RowTable
from linnet.errors import DataError, ParameterError
from linnet.learn.shared.checks import class_order, sample_weights
from linnet.learn.shared.inputs import (
    bag_vocabulary,
    bags_to_csr,
    checked_features,
    encode_labels,
    is_bags,
    require_two_classes,
)
from linnet.learn.shared.symbols import with_indicators
from linnet.model.readers.blocks import text_reader
from linnet.model.readers.features import NOT_FINITE, BagReader, VectorReader
from linnet.model.readers.rows import RowReader, RowVectors, takes_numbers, takes_rows
from linnet.text.extractor import Extractor, Rows
from linnet.text.features import TextFeatures
from linnet.text.names import Names
from linnet.text.parameters import checked_settings, document_limits
from linnet.text.settings import Settings
from linnet.text.weighting import inverse_document_frequency, log_count_ratio, reweighed

__all__ = ["Read", "kept_rows", "labels_of", "read", "read_rows", "row_count", "rows_of"]


@dataclass(frozen=True)
class Read:
    """What to learn from, a matrix or a table of rows, and the reader of new examples."""

    reader: Any
    matrix: Any
    copies: Copies
    features: TextFeatures | None = None
    by_labels: bool = False  # whether values depend on labels, as log-count ratios do

    @property
    def kind(self) -> str:
        """What the examples are."""
        return str(self.reader.kind)

    def without(self, part: NDArray[np.intp], gold: NDArray[np.int32]) -> Any:
        """Return the matrix in which the labels of some rows play no part."""
        if not self.by_labels:
            return self.matrix
        seen = np.delete(np.arange(len(gold)), part)
        return reweighed(self.reader.extractor, self.matrix, seen, gold)


def row_count(X: Any) -> int:
    """Return the number of examples.

    Examples
    --------
    >>> row_count(["one text", "another"])
    2
    """
    if isinstance(X, (str, bytes, Mapping)):
        raise DataError("X must hold many texts, this is a single one; pass a list of texts.")
    try:
        return int(X.shape[0]) if hasattr(X, "shape") else len(X)
    except (TypeError, IndexError):
        raise DataError(
            f"X must be a list or column of texts, a list of dictionaries or a matrix, got "
            f"{type(X).__name__}."
        ) from None


def rows_of(X: Any, kept: NDArray[np.intp]) -> Any:
    """Return some of the examples, in whatever form they came.

    Examples
    --------
    >>> rows_of(["a", "b", "c"], np.array([0, 2]))
    ['a', 'c']
    """
    if isinstance(X, (list, tuple)):
        return [X[row] for row in kept.tolist()]
    if hasattr(X, "iloc"):
        return X.iloc[kept]
    taken = isinstance(X, RowTable) or type(X).__module__.startswith("pyarrow")
    return X.take(kept) if taken else X[kept]


def _require_labels(y: Any, face: str) -> None:
    if y is None:
        raise DataError(f"{face} requires y to be passed, but the target y is None.")


def kept_rows(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, NDArray[np.float64] | None]:
    """Leave out the examples of weight 0, and return the weights of the others."""
    _require_labels(y, "TextClassifier")
    if not hasattr(X, "__len__") and not hasattr(X, "shape") and hasattr(X, "__iter__"):
        X = list(X)
    rows = row_count(X)
    if not rows:
        raise DataError("X has 0 samples; a classifier needs examples of at least 2 classes.")
    y = y if hasattr(y, "__len__") else list(y)
    if len(y) != rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {rows} rows, "
            f"y has {len(y)} labels."
        )
    if sample_weight is None:
        return X, y, None
    weights = sample_weights(sample_weight, rows)
    kept = np.flatnonzero(weights > 0)
    if len(kept) < rows:
        X, y, weights = rows_of(X, kept), rows_of(y, kept), weights[kept]
    return X, y, weights


def labels_of(
    y: Any, rows: int, face: str = "TextClassifier", order: Any = None
) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the labels and, for each row, its number; for texts also a table of 0 and 1.

    The labels are sorted unless an order is given.
    """
    _require_labels(y, face)
    lists = label_lists(y) if face == "TextClassifier" else None
    if lists is not None:
        return label_table(lists, order)
    classes, gold = encode_labels(y, rows, order)
    require_two_classes(classes, face)
    plain = classes.tolist()
    strange = next((v for v in plain if not isinstance(v, (str, bool, int, float))), None)
    if strange is not None:
        raise DataError(f"Labels must be texts or numbers, got {strange!r}; convert them.")
    return np.array(plain), gold  # of the type that a model file gives back


def label_lists(y: Any) -> Sequence[Any] | None:
    """Return y if it has a list of labels for each row, else None.

    Examples
    --------
    >>> label_lists([["red"], []]), label_lists(["red", "blue"])
    ([['red'], []], None)
    """
    if hasattr(y, "tolist") and str(getattr(y, "dtype", "")) == "object":
        y = y.tolist()
    if isinstance(y, (str, bytes)) or not isinstance(y, Sequence):
        return None
    first = next((entry for entry in y if entry is not None), None)
    return y if isinstance(first, (list, tuple, set, frozenset, np.ndarray)) else None


def label_table(rows: Sequence[Any], order: Any = None) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the labels, sorted or in a given order, and table[i, k] = 1 where row i has label k.

    Examples
    --------
    >>> classes, table = label_table([["red", "blue"], [], ["blue"]])
    >>> classes.tolist(), table.tolist()
    (['blue', 'red'], [[1, 1], [0, 0], [1, 0]])
    """
    for number, labels in enumerate(rows):
        if isinstance(labels, (str, bytes, Mapping)) or not hasattr(labels, "__iter__"):
            raise DataError(
                f"Row {number} has the label {labels!r}, but other rows have lists of labels; "
                "write a list in every row, [] for none."
            )
    plain = [[v.item() if isinstance(v, np.generic) else v for v in labels] for labels in rows]
    classes = _sorted_labels(plain)
    if order is not None:
        ordered = class_order(order).tolist()
        if set(ordered) != set(classes):
            raise DataError(f"classes must be the labels of the rows, {classes}; got {ordered}.")
        classes = ordered
    number_of = {label: k for k, label in enumerate(classes)}
    table = np.zeros((len(rows), len(classes)), np.int32)
    for row, labels in enumerate(plain):
        table[row, [number_of[label] for label in labels]] = 1
    return np.array(classes), table


def _sorted_labels(rows: list[Any]) -> list[Any]:
    """Return all labels: at least one, of one kind, a text or a number each."""
    try:
        classes = sorted({label for labels in rows for label in labels})
    except TypeError as error:
        raise DataError(f"Labels must be of one kind, such as str: {error}.") from None
    if not classes:
        raise DataError("No row has a label; at least one must have one.")
    for label in classes:
        if not isinstance(label, (str, int, float)) or label in (np.inf, -np.inf) or label != label:
            raise DataError(f"Labels must be texts or finite numbers, got {label!r}.")
    return classes


def read(X: Any, features: TextFeatures, gold: NDArray[np.int32]) -> Read:
    """Turn training examples into a matrix.

    Texts and bags are weighted as `features` says; vectors are taken as they are.
    """
    classes = gold if gold.ndim == 1 else None
    if is_bags(X):
        return _read_bags(X, features, classes)
    if sp.issparse(X) or getattr(X, "ndim", 1) == 2:
        csr = checked_features(X).csr
        return Read(VectorReader(csr.shape[1]), csr, Copies.of(csr))
    matrix = features.fit_transform(X, classes)
    by_labels = features.weighting == "log_count_ratio"
    return Read(text_reader(features.extractor_), matrix, Copies.of(X), features, by_labels)


def read_rows(table: RowTable, learner: Any, kinds: Any) -> Read:
    """Return rows as a learner takes them: a table, or vectors of indicators and numbers."""
    copies = Copies.of(table)
    if takes_rows(learner):
        if kinds is not None:
            learner.set_params(kinds=kinds)
        return Read(RowReader(table.names), table, copies)
    vectors = RowVectors.fit(table, kinds)
    if takes_numbers(learner):
        vectors.require_numbers(type(learner).__name__)
    reader = RowReader(table.names, list(vectors.attributes.kinds), vectors)
    return Read(reader, vectors.matrix(table), copies)


def _read_bags(
    bags: Sequence[Mapping[str, float]], features: TextFeatures, gold: NDArray[np.int32] | None
) -> Read:
    bags = with_indicators(bags)
    vocabulary = bag_vocabulary(bags)
    counts = _finite(bags_to_csr(bags, vocabulary))
    documents = np.bincount(counts.indices, minlength=counts.shape[1])
    kept = _kept(features, counts, documents)
    counts, documents = counts[:, kept].tocsr(), documents[kept]
    counts.sort_indices()
    whole = bool(((counts.data >= 0) & (counts.data == np.rint(counts.data))).all())
    names = _names(list(vocabulary))
    extractor = Extractor.with_names(_bag_settings(features, whole), names.take(kept))
    rows = Rows(counts.indptr.astype(np.int64), counts.indices.astype(np.int32), counts.data.copy())
    if whole and features.weighting == "tfidf":
        smooth = features.smooth_idf
        extractor = extractor.scaled(
            inverse_document_frequency(documents, len(bags), smooth=smooth)
        )
    elif whole and features.weighting == "log_count_ratio":
        extractor = extractor.scaled(log_count_ratio(rows, len(kept), gold))
    _, index, value = extractor.weigh(rows, 1)
    matrix = sp.csr_matrix((value, index, counts.indptr), shape=counts.shape)
    by_labels = whole and features.weighting == "log_count_ratio"
    return Read(BagReader(extractor), matrix, Copies.of(bags), by_labels=by_labels)


def _finite(counts: sp.csr_matrix) -> sp.csr_matrix:
    with np.errstate(over="ignore"):
        narrow = counts.astype(np.float32)
    if not np.isfinite(narrow.data).all():
        raise DataError(NOT_FINITE)
    return narrow


def _kept(
    features: TextFeatures, counts: sp.csr_matrix, documents: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return the columns that min_df, max_df and max_features leave."""
    low, high = document_limits(features.min_df, features.max_df, counts.shape[0])
    kept = np.flatnonzero((documents >= low) & (documents <= high))
    if not len(kept):
        raise DataError("After pruning, no features remain. Try a lower min_df or a higher max_df.")
    if features.max_features is not None and features.max_features < len(kept):
        total: NDArray[Any] = documents
        if features.weighting not in ("binary", "log_count_ratio"):
            total = np.bincount(counts.indices, np.abs(counts.data), counts.shape[1])
        total = total[kept]
        kept = np.sort(kept[np.argsort(-total, kind="stable")[: features.max_features]])
    return kept


def _names(names: list[Any]) -> Names:
    strange = next((name for name in names if not isinstance(name, str)), None)
    if strange is not None:
        raise DataError(f"The names of features must be texts, got {strange!r}.")
    try:
        return Names.of(names)
    except UnicodeEncodeError as error:
        raise DataError(
            f"The feature name {error.object!r} holds half of a surrogate pair; clean it."
        ) from None


def _bag_settings(features: TextFeatures, whole: bool) -> Settings:
    """Return how the values of bags are weighted; what are no counts stays as it is."""
    settings = checked_settings(features.get_params(deep=False))
    if settings.buckets:
        raise ParameterError("hashing is for texts; bags have names already. Set hashing=None.")
    plain = Settings(tokenizer="whitespace", lowercase=False)
    return replace(plain, count=settings.count, norm=settings.norm) if whole else plain
