"""Memory-based learning: k nearest neighbours (SPEC M-95 - M-105; S1 "KNN classifier").

Problem: keep the training set; a new example x takes the class that its nearest neighbours elect,

    D(x, x') = sum_j w_j delta_j(x_j, x'_j)                                       (S1 Eq 20 - 23)

    overlap      delta = 0 when the values are equal, else 1
    mvdm         delta = 1/2 sum_c |p(c | x_j) - p(c | x'_j)|, 1 for a value not seen in training
    numbers      delta = |x_j - x'_j| / (max_j - min_j) beside both, not clipped (A-46)
    l1, l2, lk   (sum_j w_j |x_j - x'_j|^k)^(1/k) on raw numbers; symbols 0 or 1
    linf         max_j w_j |x_j - x'_j|
    cosine       1 - x . x' / (|x| |x'|), for sparse vectors too

Weights w come from :class:`linnet.FeatureWeights` or the user. "The k nearest" are the examples at
the k smallest different distances, as in TiMBL, or k examples, the first in training where
distances are equal. Tied classes: k + 1 is tried and believed if it settles the matter; else, of
the tied classes, the more frequent in training, then the first seen (A-48).
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import validate_data

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.learn.flat.base import Learner
from linnet.learn.memory.checks import (
    SEARCHES,
    VOTES,
    Metric,
    SearchName,
    VoteName,
    check_parameters,
    check_table,
    choose_weights,
    positive,
)  # fmt: skip
from linnet.learn.memory.feature_weights import BINS, FeatureWeights, Weighting, first_seen
from linnet.learn.memory.index import MemoryIndex, build_index
from linnet.learn.memory.reasons import neighbour_reasons
from linnet.learn.memory.vectors import MemoryVectors
from linnet.learn.shared.attributes import Attributes, AttributeTable, Kinds
from linnet.learn.shared.checks import check_row_numbers
from linnet.learn.shared.declaration import Declaration, tried
from linnet.learn.shared.inputs import encode_labels
from linnet.learn.shared.properties import Properties, discriminative
from linnet.learn.shared.reasons import Named, Reasons
from linnet.stored import Array, Fields, Labels, Object

__all__ = ["MemoryBased"]

_MOST_NEIGHBOURS = 1 << 16  # that a file with fewer examples may ask for
_COMBINE = {"l2": 1, "lk": 1, "linf": 2}


class MemoryBased(ClassifierMixin, Learner):  # type: ignore[misc]
    """Classify by the nearest stored examples.

    Parameters
    ----------
    k : int, default 1
        How many nearest distances, or examples, decide.
    metric : {"overlap", "mvdm", "l1", "l2", "linf", "lk", "cosine"}, default "overlap"
        "overlap" and "mvdm" take symbols, numbers (scaled by their range in training) and both;
        "cosine" takes vectors, dense or sparse, and so does "l2".
    feature_weights : {"none", "information_gain", "gain_ratio", "chi2", "shared_variance", \
"split_info"} or array of shape (J,), default "none"
    neighbors : {"distances", "examples"}, default "distances"
        What k counts.
    vote : {"majority", "inverse_linear", "inverse_distance", "exponential_decay"}
        The weight of a neighbour at distance d: 1; (d_k - d) / (d_k - d_1), 1 when these are
        equal or there are fewer than k distances; 1 / (d + eps); exp(-alpha d^beta).
    search : {"exact", "igtree", "tribl", "tribl2"}, default "exact"
        "igtree" follows the values of a row down a trie, features of large weight first, and
        takes the class of the last node; "tribl" does so for `depth` features and then compares;
        "tribl2" compares from the first value on that does not match.
    alpha, beta : float, default 1.0
        Of "exponential_decay".
    p : float, default 3.0
        The power of "lk".
    depth : int, default 1
        Of "tribl".
    kinds : None, "symbolic", "numeric", list or dict
        What columns hold; None lets their values decide, see
        :mod:`linnet.learn.shared.attributes`.
    classes : list of labels, optional
        The labels in the order in which ``classes_``, scores and probabilities have them; sorted by
        default. Ties go to the first of them.
    n_threads : int, optional
        None is all cores. The result does not depend on it.

    Attributes
    ----------
    classes_ : array of shape (K,)
    feature_weights_ : array of shape (J,)
    attributes_ : Attributes
        Names, kinds and values of the columns; not there for vectors.

    Examples
    --------
    >>> rows = [["sunny", 25.0], ["rain", 12.0], ["sunny", 18.0]]
    >>> model = MemoryBased(k=1, feature_weights="gain_ratio").fit(rows, ["go", "stay", "go"])
    >>> model.predict([["rain", 14.0], ["snow", 26.0]]).tolist()
    ['stay', 'go']
    >>> distances, nearest = model.kneighbors([["rain", 14.0]], k=1)
    >>> nearest.tolist()
    [[1]]
    """

    stored: ClassVar[Fields] = {
        "classes_": Labels("K", least=1, ordered=False),
        "_seen": Array("i8", "K", order="places"),
        "feature_weights_": Array("f8", "J", low=0, optional=True),
        "attributes_": Object(Attributes, optional=True),
        "_memory": Object(MemoryIndex, optional=True),
        "_trie": Object(MemoryIndex, optional=True),
        "_vectors": Object(MemoryVectors, optional=True),
    }
    properties: ClassVar[Properties] = {
        **discriminative(training="none"),
        "boundary": "any",
        "overlapping_features": "fair",  # a feature given twice counts twice
    }
    declaration: ClassVar[Declaration] = Declaration(
        short="memory",
        place=60,
        reads="rows",
        linear=False,
        training="pairs",
        texts={
            "k": 20,
            "metric": "cosine",
            "neighbors": "examples",
            "vote": "inverse_linear",
        },
        rows={"feature_weights": "gain_ratio"},
        compared={
            "k": 5,
            "metric": "cosine",
            "neighbors": "examples",
            "vote": "inverse_distance",
        },
        grid=tried("k", 5, 1, 9, 21, 3),
        tries_all=True,
    )
    classes_: NDArray[Any]
    feature_weights_: NDArray[np.float64]
    attributes_: Attributes

    def __init__(
        self,
        k: int = 1,
        metric: Metric = "overlap",
        feature_weights: Weighting | ArrayLike = "none",
        neighbors: Literal["distances", "examples"] = "distances",
        vote: VoteName = "majority",
        search: SearchName = "exact",
        *,
        alpha: float = 1.0,
        beta: float = 1.0,
        p: float = 3.0,
        depth: int = 1,
        kinds: Kinds = None,
        classes: Any = None,
        n_threads: int | None = None,
    ) -> None:
        self.k = k
        self.metric = metric
        self.feature_weights = feature_weights
        self.neighbors = neighbors
        self.vote = vote
        self.search = search
        self.alpha = alpha
        self.beta = beta
        self.p = p
        self.depth = depth
        self.kinds = kinds
        self.classes = classes
        self.n_threads = n_threads

    def fit(self, X: Any, y: Any) -> Self:
        """Store the examples.

        X is a list of rows, an array, a data frame or, for "cosine" and "l2", a sparse matrix;
        None and NaN are missing values of "overlap" and "mvdm".
        """
        check_parameters(self)
        self._threads()
        if self._takes_vectors(X):
            return self._fit_vectors(X, y)
        attributes = Attributes.fit(X, self.kinds)
        table = attributes.transform(X)
        check_table(table, attributes.names, self.metric, self.search)
        if y is None:
            raise DataError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        check_row_numbers(table.n_rows)
        classes, gold = encode_labels(y, table.n_rows, self.classes)
        seen, codes = first_seen(gold)
        weights = FeatureWeights.from_attributes(table, codes, bins=BINS)
        chosen = choose_weights(self.feature_weights, weights, len(attributes.names))
        self._forget()
        self._remember_columns(X, attributes)
        self.attributes_, self.classes_, self.feature_weights_ = attributes, classes, chosen
        self._seen = seen
        self._store(table, codes, weights)
        return self

    def _store(
        self, table: AttributeTable, codes: NDArray[np.int32], weights: FeatureWeights
    ) -> None:
        exact, differ = self.search == "exact", self.metric == "mvdm"
        order = self._order(table, weights)
        scale = np.array([_range(c) if c.dtype.kind == "f" else 1.0 for c in table.columns])
        if self.metric not in ("overlap", "mvdm"):
            scale = np.ones(len(scale))
        shared: dict[str, Any] = {
            "order": order, "weight": self.feature_weights_, "scale": scale,
        }  # fmt: skip
        self._memory = build_index(
            table, codes, value_difference=differ, merge=differ and exact, **shared
        )
        self._trie: MemoryIndex | None = None
        if differ and exact:  # where the rows that equal a query are found
            self._trie = build_index(table, codes, value_difference=False, merge=False, **shared)

    def _order(self, table: AttributeTable, weights: FeatureWeights) -> NDArray[np.int64]:
        """Return the columns in the order in which they are compared, as TiMBL has it."""
        if self.search == "exact":
            values = [
                n if kind == "symbolic" else len(np.unique(column))
                for n, kind, column in zip(
                    weights.n_values.tolist(), table.kinds, table.columns, strict=True
                )
            ]
            rank = weights.gain_ratio / np.array(values)
        elif isinstance(self.feature_weights, str) and self.feature_weights == "none":
            rank = np.zeros(len(table.columns))
        else:
            rank = self.feature_weights_
        return np.argsort(-rank, kind="stable")

    def _check_parameters(self) -> None:
        check_parameters(self)

    def _check_stored(self) -> None:
        """Refuse to write what could not be loaded: whoever asks for neighbours gets k of them."""
        vectors = vars(self).get("_vectors")
        n_rows = len((self._memory if vectors is None else vectors).label)
        if self.k > max(_MOST_NEIGHBOURS, n_rows):
            raise DataError(
                f"k = {self.k} neighbours are more than the {n_rows} examples; give a smaller k"
            )

    def _check_loaded(self) -> None:
        """Refuse what a forged file may hold: the stored examples must fit the parameters."""
        vectors, state = vars(self).get("_vectors"), vars(self)
        self._check_stored()
        if vectors is not None:
            if vectors.cosine != (self.metric == "cosine") or self.metric not in ("cosine", "l2"):
                raise DataError(f"stored vectors cannot be compared by {self.metric!r}")
            if any(state.get(name) is not None for name in ("_memory", "_trie", "attributes_")):
                raise DataError("there are stored vectors beside stored rows")
            vectors.check()
            return
        differ = self.metric == "mvdm"
        if self.metric == "cosine" or (self._trie is not None) != (
            differ and self.search == "exact"
        ):
            raise DataError(f"the stored rows cannot be compared by {self.metric!r}")
        if state.get("feature_weights_") is None:
            raise DataError("feature_weights_ is missing")
        self.attributes_.check()
        kinds, values = self.attributes_.kinds, self.attributes_.values
        for memory in (self._memory, self._trie):
            if memory is not None:
                memory.check(list(kinds), [len(own) for own in values], len(self.classes_))
        if differ != bool((self._memory.delta == 1).any()) and "symbolic" in kinds:
            raise DataError("the stored rows are for another metric")
        if self.search != "exact" and "numeric" in kinds:
            raise DataError(f"search={self.search!r} cannot follow numbers")

    # --- answers -------------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class that the nearest neighbours of each row elect."""
        winner, _ = self._elect(X)
        labels: NDArray[Any] = self.classes_[self._seen[winner]]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the share of the votes that each class has, shape (n, K)."""
        return self._shares(self._elect(X)[1])

    def _shares(self, votes: NDArray[np.float64]) -> NDArray[np.float64]:
        shares = np.empty_like(votes)
        shares[:, self._seen] = votes / votes.sum(axis=1, keepdims=True)
        return shares

    def _predict_with_proba(self, X: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return what ``predict`` and ``predict_proba`` return, from one search."""
        winner, votes = self._elect(X)
        return self.classes_[self._seen[winner]], self._shares(votes)

    def kneighbors(
        self, X: Any, k: int | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Return distances and training rows of the k nearest examples, each of shape (n, k).

        Equal distances are ordered by training row. Beyond the training rows, when k is larger,
        the row is -1 and the distance infinite. The search is exact, whatever `search` says.
        """
        self._require_fitted("classes_")
        k = positive("k", self.k if k is None else k)
        if hasattr(self, "_vectors"):
            return self._vectors.nearest(self._read(X, reset=False), k, self._threads())
        code, _, number = self._memory.queries(self._table(X))
        distances, rows = np.empty((len(code), k)), np.empty((len(code), k), np.int32)
        settings = self._settings(k)
        _core.nearest_rows(
            self._memory.core, code, number, settings, rows, distances, self._threads()
        )
        return distances, rows

    def _takes_wide(self) -> bool:
        return self.metric in ("cosine", "l2")

    def _why_not_texts(self) -> str:
        return (
            f"Texts are compared as vectors, and metric={self.metric!r} compares values; set "
            "metric='cosine' or 'l2'."
        )

    def _recorded(self, table: Any, gold: Any, kinds: list[Any]) -> dict[str, Any]:
        measures = FeatureWeights.from_data(table, gold, kinds=kinds)
        names = ("gain_ratio", "information_gain", "chi2")
        weights = {name: [round(float(v), 9) for v in getattr(measures, name)] for name in names}
        return {"feature_weights": weights}

    def _card(self, n_examples: int) -> list[tuple[str, str]]:
        chosen = ("k", "metric", "neighbors", "vote", "search")
        weights = self.feature_weights
        return [
            ("neighbours", ", ".join(f"{name} {getattr(self, name)}" for name in chosen)),
            ("weights", weights if isinstance(weights, str) else "given"),
        ]

    def _reasons(self, inputs: Any, k: int, other: int, named: Named) -> Reasons:
        return neighbour_reasons(self, inputs, k, named)

    def get_feature_names(self) -> NDArray[Any]:
        """Return the names of the columns."""
        if hasattr(self, "attributes_"):
            return np.array(self.attributes_.names, dtype=object)
        return super().get_feature_names()

    def _elect(self, X: Any) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        self._require_fitted("classes_")
        check_parameters(self)
        if hasattr(self, "_vectors"):
            features = self._read(X, reset=False)
            return self._vectors.elect(features, self._settings(self.k), self._threads())
        code, value, number = self._memory.queries(self._table(X))
        memory = self._memory.core
        trie = memory if self._trie is None else self._trie.core
        winner = np.empty(len(code), np.int32)
        votes = np.empty((len(code), len(self.classes_)))
        _core.classify_by_memory(
            memory, trie, code, value, number, self._settings(self.k), winner, votes,
            self._threads(),
        )  # fmt: skip
        return winner, votes

    def _settings(self, k: int) -> _core.MemorySettings:
        power = 2.0 if self.metric == "l2" else float(self.p)
        depth = min(self.depth, self.n_features_in_) if self.search == "tribl" else 0
        return _core.MemorySettings(
            _COMBINE.get(self.metric, 0), power, VOTES.index(self.vote), float(self.alpha),
            float(self.beta), min(int(k), 2**62), self.neighbors == "examples",
            SEARCHES.index(self.search), depth,
        )  # fmt: skip

    # --- input --------------------------------------------------------------------------------

    def _table(self, X: Any) -> AttributeTable:
        self._check_columns(X, reset=False)
        table = self.attributes_.transform(X)
        check_table(table, self.attributes_.names, self.metric, self.search)
        return table

    def _check_columns(self, X: Any, *, reset: bool) -> None:
        if len(getattr(X, "shape", ())) != 2:
            return
        try:
            validate_data(self, X, reset=reset, skip_check_array=True)
        except ValueError as error:
            raise DataError(str(error)) from None

    def _remember_columns(self, X: Any, attributes: Attributes) -> None:
        self._check_columns(X, reset=True)
        self.n_features_in_ = len(attributes.names)

    # --- vectors -------------------------------------------------------------------------------

    def _takes_vectors(self, X: Any) -> bool:
        return self.metric == "cosine" or (self.metric == "l2" and hasattr(X, "toarray"))

    def _fit_vectors(self, X: Any, y: Any) -> Self:
        if not isinstance(self.feature_weights, str) or self.feature_weights != "none":
            raise ParameterError('vectors take no feature weights; set feature_weights="none".')
        kept = {name: vars(self).get(name) for name in ("n_features_in_", "feature_names_in_")}
        features = self._read(X, reset=True)
        try:
            if y is None:
                raise DataError(
                    f"{type(self).__name__} requires y to be passed, but the target y is None."
                )
            check_row_numbers(features.rows)
            classes, gold = encode_labels(y, features.rows, self.classes)
        except DataError:
            self.__dict__.update({k: v for k, v in kept.items() if v is not None})
            raise
        seen, codes = first_seen(gold)
        names = vars(self).get("feature_names_in_")
        self._forget()
        if names is not None:
            self.feature_names_in_ = names
        self.classes_, self._seen = classes, seen
        self._vectors = MemoryVectors.store(features, codes, cosine=self.metric == "cosine")
        return self

    def _forget(self) -> None:
        """Drop what an earlier fit on data of another kind has left."""
        for name in ("_vectors", "_memory", "_trie", "attributes_", "feature_names_in_"):
            self.__dict__.pop(name, None)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.metric in ("cosine", "l2")
        tags.input_tags.string = tags.input_tags.categorical = self.metric != "cosine"
        tags.input_tags.allow_nan = self.metric in ("overlap", "mvdm")
        return tags


def _range(numbers: NDArray[np.float64]) -> float:
    return float(np.nanmax(numbers) - np.nanmin(numbers))
