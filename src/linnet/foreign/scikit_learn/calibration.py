r"""The curves between the scores of a classifier and its probabilities (CalibratedClassifierCV).

    sigmoid      p = 1 / (1 + exp(a s + b)), one curve for each column of scores
    isotonic     steps with straight lines between them, and ends that go on level
    temperature  the softmax of beta times all scores

Two labels have one column of scores, and p is that of the second. Of more labels the curves' values
are divided by their sum. Several members, fitted on parts of the data, count equally.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.model.decision import probabilities
from linnet.stored import Array, Fields, Text, check

__all__ = ["METHODS", "Calibration", "shared"]

Arrays = dict[str, NDArray[Any]]
Floats = NDArray[np.float64]
METHODS = ("sigmoid", "isotonic", "temperature")
_LEAST = 1e-12  # what scikit-learn adds to a probability before its logarithm
_FIELDS: dict[str, Fields] = {
    "sigmoid": {"slope": Array("f8", "C"), "shift": Array("f8", "C")},
    "isotonic": {
        "knots": Array("f8", "P"),
        "heights": Array("f8", "P", 0.0, 1.0),
        "first_knot": Array("i8", "C+1", 0, "P", order="starts"),
    },
    "temperature": {"beta": Array("f8", "M", 0.0)},
}


@dataclass(frozen=True)
class Calibration:
    """The curves of M members with R columns of scores each.

    Attributes
    ----------
    method : {"sigmoid", "isotonic", "temperature"}
    of_probabilities : bool
        Whether the curves take the softmax of scores, as of a naive Bayes, and not the scores.
    columns : int
        R.
    curves : dict of arrays
        What the method needs: slope and shift; knots, heights and where those of each curve
        begin; or beta.
    """

    method: str
    of_probabilities: bool
    columns: int
    curves: Arrays

    def probabilities(self, scores: Floats, n_classes: int) -> Floats:
        """Return the mean of the members' probabilities, shape (n, K), of scores (n, M * R)."""
        members = scores.shape[1] // self.columns
        total = np.zeros((len(scores), n_classes))
        for member in range(members):
            first = member * self.columns
            total += self._member(member, scores[:, first : first + self.columns])
        return np.asarray(total / members)

    def _member(self, member: int, scores: Floats) -> Floats:
        if self.of_probabilities:
            scores = probabilities(scores, 1.0, multilabel=False)
        if self.method == "temperature":
            return self._softmax(scores, float(self.curves["beta"][member]))
        if self.of_probabilities and self.columns == 1:
            scores = scores[:, 1:]
        first = member * self.columns
        p = np.empty_like(scores)
        for column in range(self.columns):
            p[:, column] = self._curve(first + column, scores[:, column])
        if self.columns == 1:
            return np.hstack([1.0 - p, p])
        return shared(p)

    def _softmax(self, scores: Floats, beta: float) -> Floats:
        if self.of_probabilities:
            scores = np.log(scores + _LEAST)
        elif self.columns == 1:
            scores = np.hstack([-scores, scores])
        return probabilities(beta * scores, 1.0, multilabel=False)

    def _curve(self, number: int, scores: Floats) -> Floats:
        if self.method == "sigmoid":
            logit = -(self.curves["slope"][number] * scores + self.curves["shift"][number])
            return probabilities(logit[:, None], 1.0, multilabel=True)[:, 0]
        first, last = self.curves["first_knot"][number : number + 2]
        knots, heights = self.curves["knots"][first:last], self.curves["heights"][first:last]
        return np.interp(scores, knots, heights)

    def to_file(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the curves."""
        config = {"method": self.method, "of_probabilities": self.of_probabilities}
        return config, {f"calibration.{name}": array for name, array in self.curves.items()}

    @classmethod
    def from_file(
        cls, config: Mapping[str, Any], arrays: Arrays, members: int, columns: int
    ) -> Calibration:
        """Return the curves of a file, after checking them."""
        if set(config) != {"method", "of_probabilities"}:
            raise DataError("a calibration has other settings")
        Text(METHODS).check("method", config["method"], {})
        if type(config["of_probabilities"]) is not bool:
            raise DataError("of_probabilities is neither true nor false")
        curves = {
            name: arrays[f"calibration.{name}"]
            for name in _FIELDS[config["method"]]
            if f"calibration.{name}" in arrays
        }
        made = cls(config["method"], config["of_probabilities"], columns, curves)
        made.check(members)
        return made

    def check(self, members: int) -> None:
        """Refuse curves that do not fit the members."""
        sizes = {"C": members * self.columns, "M": members}
        check(self.curves, _FIELDS[self.method], sizes)
        if self.method == "isotonic":
            start = self.curves["first_knot"]
            steps = np.diff(self.curves["knots"])
            inside = np.ones(len(steps), bool)
            inside[start[1:-1] - 1] = False  # from the end of a curve to the next
            if (np.diff(start) < 1).any() or (steps[inside] < 0).any():
                raise DataError("the knots of a curve do not ascend, or there is none")


def shared(p: Floats) -> Floats:
    """Return shares of each row's sum; where that is 0, equal ones.

    Examples
    --------
    >>> shared(np.array([[0.0, 1.0, 3.0], [0.0, 0.0, 0.0]])).round(3).tolist()
    [[0.0, 0.25, 0.75], [0.333, 0.333, 0.333]]
    """
    total = p.sum(axis=1, keepdims=True)
    equal = np.full_like(p, 1.0 / p.shape[1])
    return np.asarray(np.divide(p, total, out=equal, where=total != 0))
