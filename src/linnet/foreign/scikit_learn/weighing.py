r"""From counts to values, in 64 bits: what scikit-learn's vectorisers do after counting.

.. math:: v_j = \text{tf}_j \cdot \text{idf}_j, \qquad x = v / \lVert v \rVert

with a count, 1, or :math:`1 + \ln` of the count for tf.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.stored import LARGEST, Array, Number, Text

__all__ = ["NORMS", "Values", "Weighing", "row_sums"]

Arrays = dict[str, NDArray[Any]]
Floats = NDArray[np.float64]
NORMS = ("none", "l1", "l2")


class Values(NamedTuple):
    """A matrix in CSR form with values of 64 bits."""

    start: NDArray[np.int64]
    column: NDArray[np.int32]
    value: Floats


def row_sums(start: NDArray[np.int64], terms: Floats) -> Floats:
    """Return the sum of each row's terms, of which a row may have none.

    Examples
    --------
    >>> row_sums(np.array([0, 2, 2, 3]), np.array([1.0, 2.0, 5.0])).tolist()
    [3.0, 0.0, 5.0]
    """
    sums = np.zeros((len(start) - 1, *terms.shape[1:]))
    there = start[1:] > start[:-1]
    if there.any():
        sums[there] = np.add.reduceat(terms, start[:-1][there], axis=0)
    return sums


@dataclass(frozen=True)
class Weighing:
    """One step between counts and values.

    Attributes
    ----------
    binary, sublinear : bool
        Whether a count becomes 1, or 1 + ln of itself.
    norm : {"none", "l1", "l2"}
        What rows are divided by.
    above : float or None
        Where there is one, values above it become 1 and all others 0.
    idf : array of shape (J,), or None
        The factor of each column.
    """

    binary: bool = False
    sublinear: bool = False
    norm: str = "none"
    above: float | None = None
    idf: Floats | None = None

    def of(self, values: Values) -> Values:
        """Return the values of rows after this step."""
        start, column, value = values
        if self.binary:
            value = np.ones_like(value)
        if self.sublinear:
            with np.errstate(divide="ignore", invalid="ignore"):
                value = np.log(value) + 1.0
        if self.idf is not None:
            value = value * self.idf[column]
        if self.norm != "none":
            squares = value * value if self.norm == "l2" else np.abs(value)
            size = row_sums(start, squares)
            size = np.sqrt(size) if self.norm == "l2" else size
            size[size == 0.0] = 1.0
            value = value / np.repeat(size, np.diff(start))
        if self.above is not None:
            value = (value > self.above).astype(np.float64)
        if not np.isfinite(value).all():
            raise DataError("A value is not finite: a hashed count of 0 or less has no logarithm.")
        return Values(start, column, value)

    def to_file(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the step."""
        names = ("binary", "sublinear", "norm", "above")
        arrays = {} if self.idf is None else {"idf": self.idf}
        return {name: getattr(self, name) for name in names}, arrays

    @classmethod
    def from_file(cls, config: Mapping[str, Any], arrays: Arrays, columns: int) -> Weighing:
        """Return the step of a file, after checking it."""
        if set(config) != {"binary", "sublinear", "norm", "above"} or not arrays.keys() <= {"idf"}:
            raise DataError("a step of weighing has other settings")
        Number(bool).check("binary", config["binary"], {})
        Number(bool).check("sublinear", config["sublinear"], {})
        Text(NORMS).check("norm", config["norm"], {})
        Number(float, -LARGEST, LARGEST, optional=True).check("above", config["above"], {})
        if "idf" in arrays:
            Array("f8", "J").check("idf", arrays["idf"], {"J": columns})
        return cls(**config, idf=arrays.get("idf"))
