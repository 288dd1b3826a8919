"""Joint feature maps f(x, y) given by the user (SPEC M-25, C-07).

The usual map copies the features of x into the slot of label y. Any other is a function of both
that returns a dictionary of features; x may then be any object at all. Each example becomes K rows
of one matrix, f(x, 0) … f(x, K-1), and one weight vector scores them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.learn.flat.base import LinearClassifier
from linnet.learn.shared.inputs import (
    ClassWeight,
    Features,
    Vocabulary,
    bag_vocabulary,
    bags_to_csr,
    checked_features,
    encode_labels,
    example_weights,
    require_two_classes,
)
from linnet.learn.shared.parameters import parameters

__all__ = ["Grouped", "JointClassifier", "JointFunction", "JointMap"]

JointFunction: TypeAlias = Callable[[Any, Any], Mapping[str, float]]


@dataclass(frozen=True)
class Grouped:
    """Examples under a joint map: row i K + k of the features is f(x_i, class k)."""

    features: Features
    classes: NDArray[Any]
    gold: NDArray[np.int32]
    weights: NDArray[np.float64]


class JointMap:
    """A function f(x, y) with the feature names and classes it was fitted on.

    Parameters
    ----------
    function : callable
        f(x, y) -> dictionary from feature name to value, for an object x and a class label y.

    Examples
    --------
    >>> def f(word, tag):
    ...     return {f"{word[-3:]}&{tag}": 1.0, f"tag={tag}": 1.0}
    >>> joint = JointMap(f)
    >>> joint.fit(["running", "table"], ["VBG", "NN"]).features.csr.toarray()
    array([[0., 0., 1., 0., 1., 0.],
           [0., 0., 0., 1., 0., 1.],
           [1., 0., 0., 0., 1., 0.],
           [0., 1., 0., 0., 0., 1.]])
    >>> list(joint.vocabulary)[:3]
    ['ble&NN', 'ble&VBG', 'ing&NN']
    """

    vocabulary: Vocabulary
    classes: NDArray[Any]

    def __init__(self, function: JointFunction) -> None:
        if not callable(function):
            raise ParameterError(
                f"joint_map must be a function f(x, y) that returns a dictionary, got {function!r}."
            )
        self.function = function

    def fit(
        self,
        objects: Iterable[Any],
        y: Any,
        sample_weight: Any = None,
        class_weight: ClassWeight = None,
        threads: int = 1,
        order: Any = None,
    ) -> Grouped:
        """Number the features of every example with every class, in sorted order of names."""
        items = _listed(objects)
        self.classes, gold = encode_labels(y, len(items), order)
        require_two_classes(self.classes, "A joint map")
        bags = self._bags(items)
        self.vocabulary = bag_vocabulary(bags)
        features = self._features(bags, threads)
        weights = example_weights(sample_weight, class_weight, self.classes, gold)
        return Grouped(features, self.classes, gold, weights)

    def encode(self, objects: Iterable[Any], threads: int = 1) -> Features:
        """Return the rows f(x, class k) of new objects; unseen features are dropped."""
        return self._features(self._bags(_listed(objects)), threads)

    def scores(
        self, objects: Iterable[Any], weights: NDArray[np.float64], threads: int = 1
    ) -> NDArray[np.float64]:
        """Return w · f(x, k) for each object and class, shape (n, K)."""
        features = self.encode(objects, threads)
        out = np.empty((features.rows, 1))
        column = np.ascontiguousarray(weights, dtype=np.float64).reshape(-1, 1)
        _core.scores(features.matrix, column, 0.0, out, threads)
        return out.reshape(-1, len(self.classes))

    def _bags(self, items: Sequence[Any]) -> list[Mapping[str, float]]:
        bags = []
        for row, x in enumerate(items):
            for label in self.classes.tolist():
                bag = self.function(x, label)
                if not isinstance(bag, Mapping):
                    raise DataError(
                        f"joint_map returned a {type(bag).__name__} for object {row} and class "
                        f"{label!r}; it must return a dictionary from feature name to value."
                    )
                bags.append(bag)
        return bags

    def _features(self, bags: list[Mapping[str, float]], threads: int) -> Features:
        if not self.vocabulary:
            raise DataError("joint_map gave no feature for any object; check the function.")
        return checked_features(bags_to_csr(bags, self.vocabulary), threads)


def _listed(objects: Iterable[Any]) -> Sequence[Any]:
    items = objects if isinstance(objects, Sequence) else list(objects)
    if len(items) == 0:
        raise DataError("X has 0 samples; at least one object is needed.")
    return items


@parameters
class JointClassifier(LinearClassifier):
    """A linear classifier that can score a joint map instead of rows.

    Parameters
    ----------
    joint_map : callable, optional
        f(x, y) returning a feature dictionary; X is then a sequence of any objects (SPEC M-25).
    class_weight : dict, "balanced" or None
    classes : list of labels, optional
        The labels in the order in which ``classes_``, scores and probabilities have them; sorted by
        default. Ties go to the first of them.
    """

    joint_map: JointFunction | None = None
    class_weight: Any = None
    classes: Any = None

    def _read_joint(self, X: Any, y: Any, sample_weight: Any) -> Grouped:
        """Return the examples under the joint map; they say what classes and features exist."""
        assert self.joint_map is not None
        self.joint_ = JointMap(self.joint_map)
        grouped = self.joint_.fit(
            X, y, sample_weight, self.class_weight, self._threads(), self.classes
        )
        self.classes_, self.vocabulary_ = grouped.classes, self.joint_.vocabulary
        self.n_features_in_ = grouped.features.cols
        return grouped

    def _joint_scores(self, X: Any) -> NDArray[np.float64]:
        self._require_fitted()
        return self.joint_.scores(X, self.coef_, self._threads())

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the scores: shape (n,) for two classes, else (n, K)."""
        if self.joint_map is None:
            return super().decision_function(X)
        scores = self._joint_scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores
