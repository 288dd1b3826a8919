"""What all flat linear learners share: checked input, linear scores, one decision rule.

The decision is always the largest score (SPEC C-06). Two classes keep one column of weights: its
score speaks for ``classes_[1]``, and a score of exactly 0 goes to it (C-04).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import validate_data

from linnet.errors import DataError
from linnet.learn.flat.kept import Kept
from linnet.learn.shared.decision import winners
from linnet.learn.shared.declaration import Declaration
from linnet.learn.shared.inputs import (
    Features,
    RowsElsewhere,
    bag_vocabulary,
    bags_to_csr,
    check_squares,
    checked_features,
    is_bags,
    refuse_texts,
)
from linnet.learn.shared.not_fitted import EstimatorNotFittedError
from linnet.stored import Anything, Array, Fields, Labels, Number, Sizes, Texts, Vocabulary
from linnet.threads import thread_count

if TYPE_CHECKING:
    from linnet.typing import Vectors


class Learner(Kept, BaseEstimator):  # type: ignore[misc]
    """Reading of X for every learner: dense, sparse or feature dictionaries."""

    stored: ClassVar[Fields] = {
        "n_features_in_": Number(int, 1, 2**31 - 1, size="J"),
        "feature_names_in_": Texts("J", optional=True),
        "vocabulary_": Vocabulary("J", optional=True),
        "history_": Anything(dict),
        "n_iter_": Anything(int),
        "optimality_": Anything(float),
    }
    declaration: ClassVar[Declaration] = Declaration(linear=False, training="pairs")
    n_threads: int | None
    n_features_in_: int
    _takes_squares: ClassVar[bool] = (
        False  # whether values are squared, and must not be too large for it
    )

    def _stored_sizes(self) -> Sizes:
        """Return the sizes of stored arrays that are no attribute: R columns of scores."""
        n_classes = len(vars(self).get("classes_", ()))
        return {"R": 1 if n_classes == 2 else n_classes}

    def _threads(self) -> int:
        return thread_count(getattr(self, "n_threads", None))

    def _read(self, X: Any, *, reset: bool) -> Features:
        """Check X; with ``reset`` remember its width and names, else compare with them."""
        if reset:
            self.__dict__.pop("vocabulary_", None)
        if is_bags(X):
            if reset:
                self.vocabulary_ = bag_vocabulary(X)
            elif not hasattr(self, "vocabulary_"):
                raise DataError(
                    f"{type(self).__name__} was fitted on arrays, but X is a list of dictionaries."
                )
            X = bags_to_csr(X, self.vocabulary_)
        elif not reset and hasattr(self, "vocabulary_") and not hasattr(X, "shape"):
            X = bags_to_csr(X, self.vocabulary_)
        else:
            refuse_texts(X, type(self).__name__)
        features = checked_features(X, self._threads())
        if self._takes_squares:
            check_squares(features)
        # as validate_data, which also knows columns with names
        if reset and (sp.issparse(X) or isinstance(X, RowsElsewhere)):
            self.__dict__.pop("feature_names_in_", None)
            self.n_features_in_ = features.cols
            return features
        try:
            validate_data(self, X, reset=reset, skip_check_array=True)
        except ValueError as error:
            raise DataError(str(error)) from None
        return features

    def _predict_with_proba(self, X: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return what ``predict`` and ``predict_proba`` return."""
        return self.predict(X), np.asarray(self.predict_proba(X), dtype=np.float64)

    def _require_fitted(self, attribute: str = "coef_") -> None:
        if not hasattr(self, attribute):
            raise EstimatorNotFittedError(
                f"This {type(self).__name__} is not fitted yet; call fit with examples first."
            )

    def get_feature_names(self) -> NDArray[Any]:
        """Return the names of the columns: dictionary keys, data-frame columns, or x0, x1, …."""
        if hasattr(self, "vocabulary_"):
            return np.array(list(self.vocabulary_), dtype=object)
        if hasattr(self, "feature_names_in_"):
            return np.asarray(self.feature_names_in_, dtype=object)
        return np.array([f"x{j}" for j in range(self.n_features_in_)], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class Classifier(ClassifierMixin, Learner, ABC):  # type: ignore[misc]
    """Predict by the largest score, whatever gives the scores.

    Attributes
    ----------
    classes_ : array of shape (K,)
    """

    stored: ClassVar[Fields] = {"classes_": Labels("K", ordered=False)}
    classes: Any = None  # in the order of the user; a parameter of the learners that take one
    classes_: NDArray[Any]

    @abstractmethod
    def decision_function(self, X: Vectors) -> NDArray[np.float64]:
        """Return the scores: shape (n,) for two classes, else (n, K)."""

    def predict(self, X: Vectors) -> NDArray[Any]:
        """Return the class of largest score for each row."""
        best = winners(self.decision_function(X))
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def _takes_largest_score(self) -> bool:
        """Whether :meth:`predict` is the largest of the scores of ``decision_function``."""
        return type(self).predict is Classifier.predict


class LinearClassifier(Classifier):
    """Predict by the largest linear score.

    Attributes
    ----------
    classes_ : array of shape (K,)
    coef_ : array of shape (1, J) for two classes, else (K, J)
    intercept_ : array of shape (1,) or (K,)
    """

    stored: ClassVar[Fields] = {"coef_": Array("f8", "R J"), "intercept_": Array("f8", "R")}
    declaration: ClassVar[Declaration] = Declaration()
    coef_: NDArray[np.float64]
    intercept_: NDArray[np.float64]

    def _set_weights(self, weights: NDArray[np.float64], bias: float) -> Self:
        """Take weights[(J + 1), columns]; the last row, there when bias != 0, is the intercept."""
        if bias:
            self.coef_, self.intercept_ = weights[:-1].T, bias * weights[-1]
        else:
            self.coef_, self.intercept_ = weights.T, np.zeros(weights.shape[1])
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the scores: shape (n,) for two classes, else (n, K)."""
        self._require_fitted()
        scores = self._scores(self._read(X, reset=False))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _scores(self, features: Features) -> NDArray[np.float64]:
        if self.coef_.shape[1] != features.cols:  # also after a fit that failed half-way
            raise DataError(
                f"X has {features.cols} features, the weights have {self.coef_.shape[1]}."
            )
        if sp.issparse(self.coef_):
            out = np.asarray((features.csr @ self.coef_.T).toarray(), np.float64)
        else:
            weights = np.ascontiguousarray(self.coef_.T, dtype=np.float64)
            out = features.scores(weights, self._threads())
        if not np.isfinite(out).all():
            raise DataError(
                "The scores overflow: X holds values that are too large for the weights; scale it."
            )
        return out + self.intercept_

    @property
    def n_nonzero_(self) -> int:
        """The number of weights that are not zero, intercept included (SPEC M-68)."""
        self._require_fitted()
        stored = self.coef_.data if sp.issparse(self.coef_) else self.coef_
        return int(np.count_nonzero(stored) + np.count_nonzero(self.intercept_))
