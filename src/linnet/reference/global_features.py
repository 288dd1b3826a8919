r"""The global feature vector Phi(x, y) of a sentence and its labelling (M-117).

Problem
    score(y) = w.Phi(x, y), with Phi(x, y) = sum_t phi(x, t, y_t, y_{t-1})
Given
    a sentence as X (n, J), one token a row; a labelling y (n,).
Returned
    Phi as one array (D,), laid out as `GlobalMap` says, or as a dictionary of counts.

S1 writes Phi = sum_t phi(x_t, y_t); then the best labelling is a local decision for each token.
Here phi also sees the label before (A-54). `order` says how many labels before:

    order 0      state (J, L)                  each feature with each label; S1's print
    order 1      transition (L, L)             [previous, next]
    order 2      second (L, L, L)              [two before, previous, next], besides transition
    any order    start (L,) and stop (L,)      on request

Phi is a sum of indicators of windows, so its mean under a distribution over labellings needs only
the marginals of those windows: `GlobalMap.mean` of a point mass is Phi(x, y), of the output of
forward-backward it is E[Phi(x, Y)].
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from linnet.errors import DataError, ParameterError
from linnet.reference.chain import Chain, Marginals, point_mass
from linnet.reference.common import FloatArray, IntArray

__all__ = ["GlobalMap", "as_dictionary"]


@dataclass(frozen=True)
class GlobalMap:
    """Layout of Phi for J features and L labels: state, transition, start, stop, second.

    Examples
    --------
    >>> layout = GlobalMap(n_features=1, n_labels=2, start=False, stop=False)
    >>> layout.phi(np.array([[3.0], [5.0]]), np.array([1, 0]))
    array([5., 3., 0., 0., 1., 0.])
    """

    n_features: int
    n_labels: int
    start: bool = True
    stop: bool = True
    order: int = 1

    def __post_init__(self) -> None:
        if self.order not in (0, 1, 2):
            raise ParameterError(f"order={self.order}: use 0, 1 or 2")

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of each part of w that is present, in the order of the layout."""
        L = self.n_labels
        every: dict[str, tuple[bool, tuple[int, ...]]] = {
            "state": (True, (self.n_features, L)),
            "transition": (self.order >= 1, (L, L)),
            "start": (self.start, (L,)),
            "stop": (self.stop, (L,)),
            "second": (self.order == 2, (L, L, L)),
        }
        return {name: shape for name, (present, shape) in every.items() if present}

    @property
    def size(self) -> int:
        """Length D of w and Phi."""
        return sum(int(np.prod(shape)) for shape in self.shapes.values())

    def unpack(self, w: FloatArray) -> dict[str, FloatArray]:
        """Parts of a vector (D,) by name; parts that are absent are missing."""
        parts, begin = dict[str, FloatArray](), 0
        for name, shape in self.shapes.items():
            end = begin + int(np.prod(shape))
            parts[name] = w[begin:end].reshape(shape)
            begin = end
        return parts

    def pack(self, parts: Mapping[str, FloatArray]) -> FloatArray:
        """Inverse of `unpack`; parts that are not present are ignored."""
        return np.concatenate([np.ravel(parts[name]) for name in self.shapes])

    def chain(self, X: FloatArray, w: FloatArray) -> Chain:
        """Scores of the sentence X (n, J) under w (D,)."""
        parts = self.unpack(w)
        state = X @ parts.pop("state")
        return Chain.of(state, **parts)

    def mean(self, X: FloatArray, marginals: Marginals) -> FloatArray:
        """E[Phi(x, Y)] under the marginals: (D,)."""
        token = marginals.token
        parts = {
            "state": X.T @ token,
            "transition": marginals.pair.sum(axis=0),
            "start": token[:1].sum(axis=0),
            "stop": token[-1:].sum(axis=0),
        }
        if marginals.triple is not None:
            parts["second"] = marginals.triple.sum(axis=0)
        return self.pack(parts)

    def phi(self, X: FloatArray, labels: IntArray) -> FloatArray:
        """Phi(x, y): (D,)."""
        return self.mean(X, point_mass(labels, self.n_labels, self.order))

    def check(self, sentences: Sequence[FloatArray], tags: Sequence[IntArray]) -> None:
        """Say why these cannot be sentences with their labels, if they cannot."""
        if len(sentences) != len(tags):
            raise DataError(f"{len(sentences)} sentences but {len(tags)} labellings")
        for i, (X, y) in enumerate(zip(sentences, tags, strict=True)):
            if X.ndim != 2 or X.shape[1] != self.n_features:
                raise DataError(f"sentence {i} has shape {X.shape}, not (n, {self.n_features})")
            if len(X) != len(y):
                raise DataError(f"sentence {i} has {len(X)} tokens but {len(y)} labels")
            if len(y) and not (0 <= np.min(y) and np.max(y) < self.n_labels):
                raise DataError(f"sentence {i}: labels must lie in 0..{self.n_labels - 1}")


def as_dictionary(
    tokens: Sequence[Mapping[str, float] | Sequence[str]], labels: Sequence[Hashable]
) -> dict[tuple[Hashable, ...], float]:
    """Phi of order 1 with names, for tokens that are dictionaries or lists of features.

    Examples
    --------
    >>> phi = as_dictionary([["w=the"], {"w=dog": 2.0}], ["D", "N"])
    >>> phi["state", "w=dog", "N"], phi["transition", "D", "N"], len(phi)
    (2.0, 1.0, 5)
    """
    if len(tokens) != len(labels):
        raise DataError(f"{len(tokens)} tokens but {len(labels)} labels")
    phi = defaultdict[tuple[Hashable, ...], float](float)
    for token, label in zip(tokens, labels, strict=True):
        values = token if isinstance(token, Mapping) else Counter(token)
        for feature, value in values.items():
            phi["state", feature, label] += value
    for before, label in pairwise(labels):
        phi["transition", before, label] += 1.0
    if labels:
        phi["start", labels[0]] += 1.0
        phi["stop", labels[-1]] += 1.0
    return dict(phi)
