"""The error of an estimator that is used too early, where scikit-learn is loaded anyway."""

from __future__ import annotations

from sklearn.exceptions import NotFittedError as SklearnNotFittedError

from linnet.errors import NotFittedError

__all__ = ["EstimatorNotFittedError"]


class EstimatorNotFittedError(NotFittedError, SklearnNotFittedError):  # type: ignore[misc]
    """Both linnet's and scikit-learn's error, so that code that catches either works."""
