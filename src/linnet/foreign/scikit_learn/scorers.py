r"""Scores that become probabilities as scikit-learn's classifiers make them.

Linear scores of 64 bits go through a *link*: the softmax (of one column the sigmoid), sigmoids
divided by their sum, or the line of the modified Huber loss. A calibrated classifier has several
members with weights of their own; the scores of each go through a curve that was fitted on examples
it had not seen, and the mean of the probabilities decides.

A score of exactly 0 goes to the first of two labels, which is the other way round in linnet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.foreign.linear import shares
from linnet.foreign.scikit_learn.calibration import Calibration, shared
from linnet.model.decision import Decision, Verdict
from linnet.model.scorers.flat import FlatScorer, LinearScorer, is_wide, narrowed
from linnet.stored import Array, Number, Text, check

__all__ = ["LINKS", "CalibratedScorer", "LinkedScorer"]

Arrays = dict[str, NDArray[Any]]
Floats = NDArray[np.float64]
LINKS = ("softmax", "shares", "huber")
_MEMBERS = 10_000


@dataclass
class LinkedScorer(LinearScorer):
    """Linear scores of 64 bits, and how they become probabilities."""

    link: str = "softmax"
    name = "scikit-learn"
    keys: tuple[str, ...] = ("link",)  # type: ignore[assignment]

    def judge(self, reader: Any, X: Any, decision: Decision, threads: int | None) -> Verdict:
        """Return the answers for texts."""
        scores = self.scores(reader, X, threads)
        two = scores.shape[1] == 1
        best = (scores[:, 0] > 0).astype(np.intp) if two else scores.argmax(axis=1)
        return Verdict(decision, scores, self._linked(scores, decision), best)

    def proba(self, reader: Any, X: Any, decision: Decision, threads: int | None) -> Floats:
        """Return the probabilities of texts, shape (n, K)."""
        return self._linked(self.scores(reader, X, threads), decision)

    def _linked(self, scores: Floats, decision: Decision) -> Floats:
        if self.link == "huber":
            p = (np.clip(scores, -1.0, 1.0) + 1.0) / 2.0
            return np.hstack([1.0 - p, p]) if p.shape[1] == 1 else shared(p)
        if self.link == "shares" and scores.shape[1] > 1:
            return shares(scores)
        return decision.proba(scores)

    def to_file(self, dtype: str) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the scorer."""
        return {"link": self.link}, super().to_file(dtype)[1]

    @classmethod
    def from_file(
        cls, config: Mapping[str, Any], arrays: Arrays, reader: Any, decision: Decision
    ) -> LinkedScorer:
        """Return the scorer of a file, after checking it."""
        _check_decision(decision, reader)
        Text(LINKS).check("link", config["link"], {})
        weights, intercept = _stored_weights(arrays, reader.n_features, decision.columns)
        return cls(weights, intercept, config["link"])


@dataclass
class CalibratedScorer(FlatScorer):
    """Several members' linear scores, calibrated; the mean of the probabilities decides.

    Attributes
    ----------
    members : array of shape (J, M * R)
        The weights of M members, R columns each.
    offsets : array of shape (M * R,)
        Their intercepts.
    calibration : Calibration
    """

    members: NDArray[Any]
    offsets: Floats
    calibration: Calibration
    name = "scikit-learn-calibrated"
    rule = "the label of largest mean probability"
    keys = ("members", "calibration")

    @property
    def n_features(self) -> int:
        """The number of features."""
        return int(self.members.shape[0])

    @cached_property
    def weights(self) -> Floats:
        """The mean of the members' weights, shape (J, R)."""
        columns = self.calibration.columns
        stacked = self.members.reshape(self.n_features, -1, columns)
        return np.asarray(stacked.mean(axis=1, dtype=np.float64))

    @cached_property
    def intercept(self) -> Floats:
        """The mean of the members' intercepts, shape (R,)."""
        return np.asarray(self.offsets.reshape(-1, self.calibration.columns).mean(axis=0))

    def scores(self, reader: Any, X: Any, threads: int | None) -> Floats:
        """Return the mean of the members' scores, shape (n, R)."""
        scores = reader.scores(X, self.members, self.offsets, threads)
        columns = self.calibration.columns
        return np.asarray(scores.reshape(len(scores), -1, columns).mean(axis=1))

    def judge(self, reader: Any, X: Any, decision: Decision, threads: int | None) -> Verdict:
        """Return the answers for texts."""
        p = self.proba(reader, X, decision, threads)
        return Verdict(decision, p, p, p.argmax(axis=1))

    def proba(self, reader: Any, X: Any, decision: Decision, threads: int | None) -> Floats:
        """Return the probabilities of texts, shape (n, K)."""
        scores = reader.scores(X, self.members, self.offsets, threads)
        return self.calibration.probabilities(scores, len(decision.classes))

    def explained(self, reader: Any, batch: Any, column: int, verdict: Verdict) -> float:
        """Return the mean score of one text, which its explanation sums to."""
        return float(self.scores(reader, batch, 1)[0, column])

    def weights_of(self, k: int, n_classes: int) -> Floats:
        """Return the mean weights that speak for class number k, shape (J,)."""
        return LinearScorer(self.weights, self.intercept).weights_of(k, n_classes)

    def pruned(self, reader: Any, n: int) -> Any:
        """Refuse: members have weights of their own."""
        raise ParameterError("A calibrated model cannot be pruned; leave max_features out.")

    def to_file(self, dtype: str) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the scorer."""
        config, arrays = self.calibration.to_file()
        count = len(self.offsets) // self.calibration.columns
        weights: Arrays = {"weights": narrowed(self.members, dtype), "intercept": self.offsets}
        return {"members": count, "calibration": config}, weights | arrays

    @classmethod
    def from_file(
        cls, config: Mapping[str, Any], arrays: Arrays, reader: Any, decision: Decision
    ) -> CalibratedScorer:
        """Return the scorer of a file, after checking it."""
        _check_decision(decision, reader)
        Number(int, 1, _MEMBERS).check("members", config["members"], {})
        curves = config["members"] * decision.columns
        weights, offsets = _stored_weights(arrays, reader.n_features, curves)
        calibration = Calibration.from_file(
            config["calibration"], arrays, config["members"], decision.columns
        )
        return cls(weights, offsets, calibration)


def _check_decision(decision: Decision, reader: Any) -> None:
    if decision.sharpness is None or decision.multilabel or reader.kind == "row":
        raise DataError("weights of scikit-learn need a sharpness and one label a text")


def _stored_weights(arrays: Arrays, features: int, columns: int) -> tuple[Floats, Floats]:
    fields = {"weights": Array("f8 f4 f2", "J R"), "intercept": Array("f8", "R")}
    sizes = {"J": features, "R": columns}
    check({name: arrays.get(name) for name in fields}, fields, sizes)
    is_wide("weights", arrays["weights"])
    return (
        np.ascontiguousarray(arrays["weights"], np.float64),
        np.ascontiguousarray(arrays["intercept"]),
    )
