"""What the linear classifiers with scikit-learn's parameters share: they translate, and ask."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from linnet.errors import ParameterError
from linnet.learn.maxent import MaxEnt
from linnet.learn.svm import SVM

__all__ = ["Translated", "refused"]


class Translated(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """A classifier of scikit-learn's whose weights a learner of linnet's finds.

    Attributes
    ----------
    learner_ : SVM or MaxEnt
        Who was fitted, with its history and its certified distance from the optimum.
    """

    learner_: SVM | MaxEnt

    @abstractmethod
    def _learner(self, n_rows: int) -> SVM | MaxEnt:
        """Return the learner of the same objective for so many examples."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the weights of least objective."""
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        self.learner_ = self._learner(n_rows).fit(X, y, sample_weight)
        self.n_features_in_ = self.learner_.n_features_in_
        return self

    def _fitted(self) -> SVM | MaxEnt:
        check_is_fitted(self, "learner_")
        return self.learner_

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of largest score of every row."""
        return self._fitted().predict(X)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the scores: shape (n,) for two classes, else (n, K)."""
        return self._fitted().decision_function(X)

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted."""
        return self._fitted().classes_

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights, shape (1 or K, J)."""
        return self._fitted().coef_

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The intercepts, shape (1 or K,)."""
        return self._fitted().intercept_

    @property
    def n_iter_(self) -> int:
        """The iterations that were needed."""
        return int(self._fitted().n_iter_)


def refused(name: str, value: object, taken: tuple[object, ...]) -> ParameterError:
    """Return the error about a value that only scikit-learn's own class takes."""
    listed = ", ".join(map(repr, taken))
    return ParameterError(
        f"{name}={value!r} is not learned here, {listed} are. scikit-learn's own class takes it, "
        "and works in the same pipeline."
    )
