"""The points of the plane: drawn from Gaussian clouds, moved and added by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linnet.data.gaussian import SimpleDataSet
from linnet.errors import ParameterError
from linnet.lab.settings import choice, number, rows, whole

__all__ = ["DATA", "LARGEST", "SETTINGS", "Points", "drawn"]

Floats: TypeAlias = NDArray[np.float64]
DATA = ("clouds", "inside", "xor", "none")
SETTINGS = ("data", "n", "variance0", "variance1", "balance", "seed", "moved", "added")
LARGEST = 100.0  # of a coordinate that is drawn by hand
_MOST_DRAWN = 300
_WIDER = 8.0  # the variance of the cloud around the other one
_MOST_TESTED = 500


@dataclass(frozen=True)
class Points:
    """Points and their classes 0 and 1.

    Attributes
    ----------
    X, y : arrays of shape (n, 2) and (n,)
        To learn from.
    fresh, fresh_labels : arrays
        As many more of the same clouds, up to some hundreds.
    clouds : tuple of SimpleDataSet
        The pairs of clouds that the points are from, equally often.
    """

    X: Floats
    y: NDArray[np.int64]
    fresh: Floats
    fresh_labels: NDArray[np.int64]
    clouds: tuple[SimpleDataSet, ...]

    def truth(self, X: Floats) -> Floats:
        """Return ln p(x, 1) - ln p(x, 0): above 0 the best decision is class 1."""
        joint = np.logaddexp.reduce([pair.scores(X) for pair in self.clouds], axis=0)
        difference: Floats = joint[:, 1] - joint[:, 0]
        return difference


def drawn(settings: Mapping[str, Any]) -> Points:
    """Return the points that settings ask for.

    Examples
    --------
    >>> points = drawn({"n": 10, "added": [[3.0, 0.5, 1]]})
    >>> points.X.shape, int(points.y[-1])
    ((11, 2), 1)
    """
    kind = choice(settings, "data", "clouds", DATA)
    clouds = _clouds(kind, settings)
    parts = ("train_X", "train_y", "test_X", "test_y")
    X, y, test_X, test_y = (
        np.concatenate([getattr(pair, part) for pair in clouds] or [np.empty((0, 2))])
        for part in parts
    )
    if not clouds:
        y = test_y = np.empty(0, np.int64)
    X, y = _by_hand(X, y, settings)
    tested = slice(None, None, max(1, len(test_X) // _MOST_TESTED))
    return Points(X, y, test_X[tested], test_y[tested], clouds)


def _clouds(kind: str, settings: Mapping[str, Any]) -> tuple[SimpleDataSet, ...]:
    n = whole(settings, "n", 100, 4, 2000)
    v0 = number(settings, "variance0", 1.0, 0.01, 20.0)
    v1 = number(settings, "variance1", 1.0, 0.01, 20.0)
    balance = number(settings, "balance", 0.5, 0.02, 0.98)
    seed = whole(settings, "seed", 0, 0, 9999)

    def pair(points: int, mean0: Any, mean1: Any, wider: float = 1.0) -> SimpleDataSet:
        return SimpleDataSet(
            2 * points, (mean0, v0), (mean1, v1 * wider), balance, (0.5, 0.0, 0.5), seed
        )

    if kind == "none":
        return ()
    if kind == "clouds":
        return (pair(n, (-1, -1), (1, 1)),)
    if kind == "inside":
        return (pair(n, (0, 0), (0, 0), _WIDER),)
    first = n // 2
    return pair(first, (-2, -2), (2, -2)), pair(n - first, (2, 2), (-2, 2))


def _by_hand(
    X: Floats, y: NDArray[np.int64], settings: Mapping[str, Any]
) -> tuple[Floats, NDArray[np.int64]]:
    """Return points some of which were moved, removed or added by hand."""
    added = rows(settings, "added", 3, _MOST_DRAWN, LARGEST)
    if any(row[2] not in (0.0, 1.0) for row in added):
        raise ParameterError("the third number of a row of added is its class, 0 or 1")
    new = np.array(added).reshape(-1, 3)
    X = np.concatenate([X, new[:, :2]])
    y = np.concatenate([y, new[:, 2].astype(np.int64)])
    for index, *place in rows(settings, "moved", 3, _MOST_DRAWN, max(LARGEST, 1.0 * len(X))):
        if index not in range(len(X)):
            raise ParameterError(f"there is no point {index:g} to move; there are {len(X)}")
        X[int(index)] = place
    return X, y
