"""The nearest point: a learner that is no linear one, so that a model keeps it whole."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from linnet.learn.flat.base import Classifier
from linnet.learn.shared.declaration import Declaration
from linnet.learn.shared.inputs import encode_labels, require_two_classes
from linnet.learn.shared.reasons import Named, Reasons
from linnet.learn.shared.restore import restored_on_error
from linnet.stored import Array, Fields

__all__ = ["NearestPoint"]


class NearestPoint(Classifier):
    """Decide for the label of the nearest training example.

    Examples
    --------
    >>> NearestPoint().fit([[0.0], [1.0], [5.0]], ["a", "b", "a"]).predict([[4.0]]).tolist()
    ['a']
    """

    stored: ClassVar[Fields] = {
        "points_": Array("f8", "n J"),
        "labels_": Array("i4", "n", 0, "K-1"),
    }
    declaration: ClassVar[Declaration] = Declaration(linear=False, training="pairs")
    points_: NDArray[np.float64]
    labels_: NDArray[np.int32]

    def fit(self, X: Any, y: Any) -> Self:
        """Remember the examples."""
        with restored_on_error(self):
            features = self._read(X, reset=True)
            self.classes_, self.labels_ = encode_labels(y, features.rows)
            require_two_classes(self.classes_, "NearestPoint")
            self.points_ = features.csr.toarray().astype(np.float64)
            return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return minus the squared distance to the nearest example of each label."""
        self._require_fitted("points_")
        rows = self._read(X, reset=False).csr.toarray().astype(np.float64)
        squares = ((rows[:, None] - self.points_[None]) ** 2).sum(axis=2)
        nearest = [squares[:, self.labels_ == k].min(axis=1) for k in range(len(self.classes_))]
        scores = -np.stack(nearest, axis=1)
        return scores[:, 1] - scores[:, 0] if len(nearest) == 2 else scores

    def _card(self, n_examples: int) -> list[tuple[str, str]]:
        return [("points", f"{len(self.points_):,}")]

    def _reasons(self, inputs: Any, k: int, other: int, named: Named) -> Reasons:
        rows = self._read(inputs, reset=False).csr.toarray()
        squares = ((rows - self.points_) ** 2).sum(axis=1)
        nearest = np.argsort(squares, kind="stable")[:5].tolist()
        labels = self.classes_[self.labels_].tolist()
        return Reasons(
            "the nearest points",
            ("squared distance", "label", "training row"),
            tuple((float(squares[i]), labels[i], i + 1) for i in nearest),
        )
