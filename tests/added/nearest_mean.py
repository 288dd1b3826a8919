"""The nearest mean: decide for the label whose average example is nearest."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from linnet.learn.flat.base import LinearClassifier
from linnet.learn.shared.declaration import Declaration
from linnet.learn.shared.inputs import encode_labels, require_two_classes
from linnet.learn.shared.properties import Properties, discriminative
from linnet.learn.shared.restore import restored_on_error

__all__ = ["NearestMean"]


class NearestMean(LinearClassifier):
    """Decide for the label whose mean is nearest.

    Examples
    --------
    >>> model = NearestMean().fit([[0.0, 1.0], [1.0, 0.0], [3.0, 0.0]], ["low", "high", "high"])
    >>> model.predict([[0.0, 0.5], [2.5, 0.0]]).tolist()
    ['low', 'high']
    """

    properties: ClassVar[Properties] = discriminative(training="closed form", hyperparameters=0)
    declaration: ClassVar[Declaration] = Declaration(short="mean", training="counts")

    def __init__(self, *, n_threads: int | None = None) -> None:
        self.n_threads = n_threads

    def fit(self, X: Any, y: Any) -> Self:
        """Compute the mean of each label."""
        with restored_on_error(self):
            features = self._read(X, reset=True)
            self.classes_, gold = encode_labels(y, features.rows)
            require_two_classes(self.classes_, "NearestMean")
            rows = [features.csr[gold == k] for k in range(len(self.classes_))]
            means = np.vstack([np.asarray(part.mean(axis=0)) for part in rows])
            weights = np.vstack([means.T, -0.5 * (means**2).sum(axis=1)])
            if len(self.classes_) == 2:
                weights = weights[:, 1:] - weights[:, :1]
            return self._set_weights(weights, bias=1.0)
