"""What gives scores to examples that are read: weights, or a learner kept whole.

A scorer knows its stored form, its size, and which label its weights speak for. The third one,
for sentences, is in :mod:`linnet.model.scorers.chain`. NumPy and the core are all that is imported
here, so a saved model starts fast.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.model.decision import Decision, Verdict
from linnet.stored import Array, Fields, Number, check

__all__ = [
    "LearnerScorer",
    "LinearScorer",
    "is_wide",
    "narrowed",
    "stored_learner",
    "strongest",
    "under",
]

Arrays = dict[str, NDArray[Any]]
Floats = NDArray[np.float64]
_WEIGHTS: Fields = {"weights": Array("f8 f4 f2", "J R"), "intercept": Array("f8", "R")}


class FlatScorer(ABC):
    """What follows from scores of single examples."""

    @abstractmethod
    def scores(self, reader: Any, X: Any, threads: int | None) -> Floats:
        """Return the scores of examples, shape (n, 1) for two classes, else (n, K)."""

    def judge(self, reader: Any, X: Any, decision: Decision, threads: int | None) -> Verdict:
        """Return the answers for examples."""
        return decision.verdict(self.scores(reader, X, threads))

    def predict(self, reader: Any, X: Any, decision: Decision, threads: int | None) -> NDArray[Any]:
        """Return the label of each example."""
        return self.judge(reader, X, decision, threads).labels

    def proba(self, reader: Any, X: Any, decision: Decision, threads: int | None) -> Floats:
        """Return the probabilities of examples, shape (n, K)."""
        return decision.proba(self.scores(reader, X, threads))

    def explained(self, reader: Any, batch: Any, column: int, verdict: Verdict) -> float:
        """Return the score of one example that its explanation sums to."""
        return float(verdict.scores[0, column])


@dataclass
class LinearScorer(FlatScorer):
    """Scores that are linear in the features.

    Attributes
    ----------
    weights : float32 array of shape (J, K), or (J, 1) for two classes
        float64 where another program has trained them.
    intercept : array of shape (K,) or (1,)
    """

    weights: NDArray[Any]
    intercept: Floats
    name = "linear"
    rule = "the label of largest score"
    keys = ()

    @property
    def n_features(self) -> int:
        """The number of features."""
        return int(self.weights.shape[0])

    def scores(self, reader: Any, X: Any, threads: int | None) -> Floats:
        """Return the scores of examples, shape (n, columns of weights)."""
        scores: Floats = reader.scores(X, self.weights, self.intercept, threads)
        return scores

    def weights_of(self, k: int, n_classes: int) -> Floats:
        """Return the weights that speak for class number k, shape (J,)."""
        if self.weights.shape[1] == n_classes:
            return self.weights[:, k].astype(np.float64)
        column = self.weights[:, 0].astype(np.float64)  # two classes share it
        return column if k == 1 else -column

    def pruned(self, reader: Any, n: int) -> tuple[Any, LinearScorer]:
        """Return reader and scorer of the n features of largest weight in any class."""
        strength = np.abs(self.weights).max(axis=1)
        if reader.scale is not None:
            strength = strength * np.abs(reader.scale)
        kept = np.sort(np.argpartition(-strength, n - 1)[:n])
        return reader.pruned(kept), replace(self, weights=np.ascontiguousarray(self.weights[kept]))

    def to_file(self, dtype: str) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the scorer."""
        return {}, {"weights": narrowed(self.weights, dtype), "intercept": self.intercept}

    @classmethod
    def from_file(
        cls, config: Mapping[str, Any], arrays: Arrays, reader: Any, decision: Decision
    ) -> LinearScorer:
        """Return the scorer of a file, after checking it."""
        if decision.sharpness is None or reader.kind == "row":
            raise DataError("a model of weights needs a sharpness, and reads no rows")
        sizes = {"J": reader.n_features, "R": decision.columns}
        check({name: arrays.get(name) for name in _WEIGHTS}, _WEIGHTS, sizes)
        wide = is_wide("weights", arrays["weights"])
        if wide and reader.kind != "vector":
            raise DataError("only weights of vectors have 64 bits")
        return cls(
            np.ascontiguousarray(arrays["weights"], np.float64 if wide else np.float32),
            np.ascontiguousarray(arrays["intercept"]),
        )


@dataclass
class LearnerScorer(FlatScorer):
    """A fitted learner that is kept whole: neighbours, kernels, trees, densities, rows.

    Attributes
    ----------
    learner : the fitted learner
    dense : bool
        Whether it needs its rows without gaps.
    """

    learner: Any
    dense: bool = False
    name = "learner"
    rule = "the answer of the learner"
    keys = ("learner", "dense")

    @property
    def n_features(self) -> int:
        """The number of features that the learner sees."""
        return int(self.learner.n_features_in_)

    def inputs(self, reader: Any, X: Any, threads: int | None) -> Any:
        """Return examples as the learner takes them."""
        inputs = reader.inputs(X, threads)
        return inputs.toarray() if self.dense else inputs

    def scores(self, reader: Any, X: Any, threads: int | None) -> Floats:
        """Return the learner's scores, shape (n, 1) for two classes, else (n, K)."""
        if not hasattr(self.learner, "decision_function"):
            raise ParameterError(f"{type(self.learner).__name__} has no scores; use predict_proba.")
        inputs = self.inputs(reader, X, threads)
        scores = np.asarray(self._asked(threads).decision_function(inputs), dtype=np.float64)
        return scores[:, None] if scores.ndim == 1 else scores

    def judge(self, reader: Any, X: Any, decision: Decision, threads: int | None) -> Verdict:
        """Return the answers for examples.

        They are the learner's: a memory-based one has rules for ties that probabilities do not
        show.
        """
        if decision.sharpness is not None:
            return super().judge(reader, X, decision, threads)
        inputs = self.inputs(reader, X, threads)
        labels, p = self._asked(threads)._predict_with_proba(inputs)
        number = {label: k for k, label in enumerate(decision.classes.tolist())}
        best = np.array([number[label] for label in labels.tolist()], np.intp)
        return Verdict(decision, p, p, best)

    def predict(self, reader: Any, X: Any, decision: Decision, threads: int | None) -> NDArray[Any]:
        """Return the label of each example, as the learner itself decides."""
        if decision.abstain is not None:
            return super().predict(reader, X, decision, threads)
        labels: NDArray[Any] = self._asked(threads).predict(self.inputs(reader, X, threads))
        return labels

    def proba(self, reader: Any, X: Any, decision: Decision, threads: int | None) -> Floats:
        """Return probabilities, shape (n, K): the learner's own, or calibrated from its scores."""
        if decision.sharpness is not None:
            return super().proba(reader, X, decision, threads)
        inputs = self.inputs(reader, X, threads)
        return np.asarray(self._asked(threads).predict_proba(inputs), dtype=np.float64)

    def _asked(self, threads: int | None) -> Any:
        if threads is not None and "n_threads" in self.learner.get_params(deep=False):
            self.learner.n_threads = threads
        return self.learner

    def weights_of(self, k: int, n_classes: int) -> Floats:
        """Return the weights that speak for class number k, where the learner is linear."""
        from linnet.model.fitting.linear_form import linear_parts

        if getattr(self.learner, "coef_", None) is None:
            name = type(self.learner).__name__
            raise ParameterError(f"{name} has no weight for each feature; use card() or explain().")
        return LinearScorer(*linear_parts(self.learner)).weights_of(k, n_classes)

    def pruned(self, reader: Any, n: int) -> Any:
        """Refuse: there are no weights of features that could be left out."""
        raise ParameterError(
            f"A model of {type(self.learner).__name__} cannot be stored smaller; leave dtype "
            "and max_features out."
        )

    def to_file(self, dtype: str) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the scorer."""
        from linnet.model.file.classes import stored_form
        from linnet.model.file.learners import learner_to_file

        if dtype != "float32":
            self.pruned(None, 0)
        name, learner = stored_form(self.learner)
        config, arrays, _ = learner_to_file(learner)
        stored = {"learner": {**config, "class": name}, "dense": self.dense}
        return stored, {f"learner.{name}": array for name, array in arrays.items()}

    @classmethod
    def from_file(
        cls, config: Mapping[str, Any], arrays: Arrays, reader: Any, decision: Decision
    ) -> LearnerScorer:
        """Return the scorer of a file, after checking it."""
        from linnet.learn.flat.base import Learner

        learner = stored_learner(config["learner"], under(arrays, "learner."), Learner)
        scorer = cls(learner, config["dense"])
        Number(bool).check("dense", scorer.dense, {})
        wanted = "predict_proba" if decision.sharpness is None else "decision_function"
        if not hasattr(learner, wanted) or decision.multilabel:
            raise DataError(f"{type(learner).__name__} does not have {wanted}")
        if learner.classes_.tolist() != decision.classes.tolist():
            raise DataError("the learner has other labels")
        scorer._check_inputs(reader, decision)
        return scorer

    def _check_inputs(self, reader: Any, decision: Decision) -> None:
        """Refuse inputs that do not fit: features of another number, or a learner that fails."""
        row = reader.kind == "row"
        width = reader.width if row else reader.n_features
        if width != self.n_features:
            raise DataError(f"{width} features for a learner of {self.n_features}")
        if not row:
            return
        from linnet.model.readers.rows import takes_rows

        if takes_rows(self.learner) != (reader.vectors is None):
            raise DataError("the learner does not take what the model reads")
        blank = [0.0 if kind == "numeric" else "" for kind in reader.kinds]
        try:
            with np.errstate(all="ignore"):
                self.judge(reader, [blank], decision, None)
        except DataError:
            pass  # a row that the learner has no answer for


def stored_learner(config: Any, arrays: Arrays, base: type[Any] | None = None) -> Any:
    """Return a learner that is part of a model, after checking it."""
    from linnet.model.file.classes import required_class
    from linnet.model.file.learners import decode_learner

    cls = required_class(config["class"])
    if not hasattr(cls, "predict") or (base and not issubclass(cls, base)):
        raise DataError(f"{str(config['class'])[:40]!r} is no such learner of linnet")
    return decode_learner(cls, config, arrays, fitted=True)


def under(arrays: Arrays, prefix: str) -> Arrays:
    """Return the arrays of a part, whose names have a prefix in the file."""
    return {name[len(prefix) :]: array for name, array in arrays.items() if name.startswith(prefix)}


def narrowed(weights: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Return weights as a file holds them; those of another program may need all their bits."""
    with np.errstate(over="ignore"):
        narrow = weights.astype(dtype)
    if dtype == "float32" and weights.dtype == np.float64 and (narrow != weights).any():
        return weights
    if not np.isfinite(narrow).all():
        raise ParameterError("A weight is too large for float16; use dtype='float32'.")
    return narrow


def is_wide(name: str, weights: NDArray[Any]) -> bool:
    """Tell whether stored weights have 64 bits; those that do not need them are refused."""
    if weights.dtype != np.float64:
        return False
    with np.errstate(over="ignore"):
        if (weights == weights.astype(np.float32)).all():
            raise DataError(f"{name} has the type float64, and needs no more than float32")
    return True


def strongest(weights: NDArray[Any], n: int) -> list[int]:
    """Return the places of the n largest weights, largest first.

    Examples
    --------
    >>> strongest(np.array([0.5, 2.0, -3.0, 2.0]), 2)
    [1, 3]
    """
    n = min(n, len(weights))
    best = np.arange(len(weights))
    if 4 * n < len(weights):  # far cheaper than to sort all
        best = np.argpartition(-weights, max(n - 1, 0))[:n]
    ranked: list[int] = best[np.argsort(-weights[best], kind="stable")][:n].tolist()
    return ranked
