"""Online learning over rows: the flat structure of an online learner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.learn.flat.base import LinearClassifier
from linnet.learn.flat.held_out import HeldOutAccuracy
from linnet.learn.flat.incremental import Stepwise
from linnet.learn.flat.joint import JointClassifier
from linnet.learn.flat.online_run import Examples, FlatRun
from linnet.learn.shared.checks import LARGEST, check_positive, class_order
from linnet.learn.shared.history import History
from linnet.learn.shared.inputs import (
    encode_labels,
    example_weights,
    label_numbers,
    require_two_classes,
)
from linnet.learn.shared.online import Online
from linnet.learn.shared.online_run import Floats, Pass, Rule, Step, Trace
from linnet.learn.shared.parameters import parameters
from linnet.stored import Array, Each, Fields, Number, Object

__all__ = ["OnlineClassifier", "Snapshot"]

INTERCEPT = "(intercept)"


@dataclass(frozen=True)
class Snapshot:
    """The model after a round: as it would be returned, and the last weights unaveraged."""

    stored: ClassVar[Fields] = {
        "round": Number(int, 0),
        "coef": Array("f8", "R J"),
        "intercept": Array("f8", "R"),
        "last_coef": Array("f8", "R J"),
        "last_intercept": Array("f8", "R"),
    }
    round: int
    coef: Floats
    intercept: Floats
    last_coef: Floats
    last_intercept: Floats


@parameters
class OnlineClassifier(Online, JointClassifier):
    """Learn from one row at a time.

    Parameters
    ----------
    truncate : float, default=0.0
        Each update first pulls every weight but the intercept towards 0 by this much (M-45).
    fit_intercept : bool, default=True
        Whether to fold an intercept in, as the weight of a feature of value ``intercept_scaling``.
    intercept_scaling : float, default=1.0
    early_stopping : bool, default=False
        Keep ``validation_fraction`` of the examples aside, stop when their accuracy has not
        improved for ``n_iter_no_change`` rounds, return the best weights.
    validation_fraction : float, default=0.1
    n_iter_no_change : int, default=5
    snapshot_every : int, optional
        Keep the model after every so many rounds in ``snapshots_``.
    record_objective : bool, default=True
        Compute ``objective``, the sum of the losses of the last weights, after each round. That
        scores all examples once more; False saves the time.
    warm_start : bool, default=False
        ``fit`` goes on from the previous fit.

    Attributes
    ----------
    coef_, intercept_ : arrays
        See :class:`linnet.learn.flat.base.LinearClassifier`.
    history_ : dict of arrays, one value a round
        ``iteration``; ``online_loss``, the losses summed over the round, each example at the
        weights it met; ``mistakes``, the examples that caused an update; ``objective``, unless
        ``record_objective`` is False; ``seconds``.
    snapshots_ : list of Snapshot
    validation_scores_ : array
        With ``early_stopping``, the accuracy on the examples kept aside after each round.
    """

    stored: ClassVar[Fields] = {
        "_run": Object(FlatRun),
        "snapshots_": Each(Object(Snapshot)),
        "validation_scores_": Array("f8", None, 0, 1, optional=True),
    }

    truncate: float = 0.0
    fit_intercept: bool = True
    intercept_scaling: float = 1.0
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5
    snapshot_every: int | None = None
    record_objective: bool = True
    warm_start: bool = False

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_positive(max_iter=self.max_iter, n_iter_no_change=self.n_iter_no_change)
        check_positive(intercept_scaling=self.intercept_scaling)
        if not 0.0 <= self.truncate <= LARGEST:
            raise ParameterError(f"truncate must be finite and not negative, got {self.truncate}.")
        if not 0.0 < self.validation_fraction < 1.0:
            raise ParameterError(
                f"validation_fraction must lie between 0 and 1, got {self.validation_fraction}."
            )
        if self.snapshot_every is not None:
            check_positive(snapshot_every=self.snapshot_every)

    def _check_loaded(self) -> None:
        super()._check_loaded()
        self._run.rule.core()

    def _read_all(self, X: Any, y: Any, sample_weight: Any) -> Examples:
        learner = type(self).__name__
        if y is None:
            raise DataError(f"{learner} requires y to be passed, but the target y is None.")
        if self.joint_map is not None:
            grouped = self._read_joint(X, y, sample_weight)
            return Examples(grouped.features, grouped.gold, grouped.weights)
        features = self._read(X, reset=True)
        self.classes_, gold = encode_labels(y, features.rows, self.classes)
        require_two_classes(self.classes_, learner)
        weights = example_weights(sample_weight, self.class_weight, self.classes_, gold)
        return self._with_norms(Examples(features, gold, weights))

    def _read_more(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Examples:
        if self.joint_map is not None:
            raise ParameterError("partial_fit cannot number the features of a joint_map; use fit.")
        if self.class_weight == "balanced":
            raise ParameterError(
                "class_weight='balanced' needs all examples at once; pass a dictionary of weights."
            )
        first = not hasattr(self, "classes_")
        features = self._read(X, reset=first)
        present, codes = encode_labels(y, features.rows)
        listed = self.classes if classes is None else classes
        if first:
            self.classes_ = present if listed is None else class_order(listed)
            require_two_classes(self.classes_, type(self).__name__)
        elif classes is not None and set(class_order(classes).tolist()) != set(
            self.classes_.tolist()
        ):
            raise DataError(f"classes must be those of the first call, {self.classes_.tolist()}.")
        gold = self._numbers_of(present)[codes]
        weights = example_weights(sample_weight, self.class_weight, self.classes_, gold)
        return self._with_norms(Examples(features, gold, weights))

    def _numbers_of(self, labels: NDArray[Any]) -> NDArray[np.int32]:
        unknown = np.setdiff1d(labels, self.classes_)
        if len(unknown):
            raise DataError(
                f"y has labels that are not among the classes of the first call: "
                f"{unknown.tolist()}. Pass all labels as classes= in the first call."
            )
        return label_numbers(self.classes_, labels)

    def _with_norms(self, examples: Examples) -> Examples:
        """Return the examples with what the rule must know of each."""
        return examples

    def _bias(self) -> float:
        in_use = self.fit_intercept and self.joint_map is None
        return float(self.intercept_scaling) if in_use else 0.0

    def _form(self) -> str:
        if self.joint_map is not None:
            return "grouped"
        return "columns" if len(self.classes_) == 2 else "joint"

    def _fresh_run(self, average: bool | str, start: Floats | None = None) -> FlatRun:
        """Return a run that has made no step, from these weights if they have the right shape."""
        rule, bias = self._rule(len(self.classes_), self._form()), self._bias()
        shape = (self.n_features_in_ + bool(bias), rule.core().columns)
        return FlatRun(
            rule,
            shape if start is None or start.shape != shape else start,
            bias=bias,
            average=average,
            truncate=float(self.truncate),
        )

    def incremental(
        self, n_features: int, n_classes: int = 2, examples: int | None = None
    ) -> Stepwise:
        """Return who learns rows block by block; see :mod:`linnet.learn.flat.incremental`."""
        self._check_parameters()
        if self.joint_map is not None or self.early_stopping:
            raise ParameterError("joint_map and early_stopping need all rows; leave them out.")
        return Stepwise(
            self._rule_for, n_features, n_classes, rates=self._rates, bias=self._bias(),
            average=self.average, truncate=float(self.truncate),
        )  # fmt: skip

    def _rule_for(self, n_classes: int) -> Rule:
        return self._rule(n_classes, "columns" if n_classes == 2 else "joint")

    def _begin(self, examples: Examples, *, resume: bool = False) -> None:
        """Start a run; with `resume` or warm_start go on from the last one if it fits."""
        fresh = self._fresh_run(self.average)  # zeros, which touch no memory
        going_on = (resume or self.warm_start) and hasattr(self, "coef_")
        if going_on and self._run.is_like(fresh):
            self._run = self._run.resumed(fresh.rule, float(self.truncate))
            return
        if going_on:  # with another average, from the weights that were returned
            fresh = self._fresh_run(self.average, self._folded())
        self._start(fresh)
        self.snapshots_: list[Snapshot] = []

    def _folded(self) -> Floats:
        """Return the weights with the intercept as their last row, as a run has them."""
        weights: Floats = self.coef_.T
        if self._bias():
            weights = np.vstack([weights, self.intercept_[None, :] / self._bias()])
        return weights

    def _keep_aside(self, examples: Examples) -> HeldOutAccuracy | None:
        if not self.early_stopping:
            return None
        return HeldOutAccuracy(
            examples,
            share=self.validation_fraction,
            patience=int(self.n_iter_no_change),
            seed=self._seed,
            bias=self._bias(),
            rows_each=1 if self.joint_map is None else len(self.classes_),
            threads=self._threads(),
        )

    def _meet(
        self,
        examples: Examples,
        rounds: list[tuple[int, NDArray[np.int64]]],
        record: Callable[[int, Pass], bool],
    ) -> None:
        for number, order in rounds:
            rates = self._rates(self._run.steps, len(order))
            seen = self._run.go(examples, order, rates, threads=self._threads())
            if not record(number, seen):
                return

    def _feature_names(self) -> NDArray[Any]:
        return self.get_feature_names()

    def _watch(
        self, examples: Examples, i: int, rate: Floats, number: int, names: NDArray[Any]
    ) -> tuple[Step, Pass]:
        labels, weights = self.classes_.tolist(), self._run.live_weights()
        trace = Trace.empty(1, 1, self._run.rule.core().width)
        rows = self._rows_touched(examples, i)
        before = weights[rows]
        seen = self._run.go(examples, np.array([i]), rate, trace)
        change = weights[rows] - before
        moved = np.flatnonzero(change.any(axis=1))
        return Step(
            round=number + 1,
            example=i,
            label=labels[examples.gold[i]],
            guess=labels[trace.guess[0]],
            scores=trace.scores[0],
            loss=float(trace.loss[0]),
            step_size=float(trace.step[0]),
            changed={
                str(names[rows[k]]) if rows[k] < len(names) else INTERCEPT: change[k] for k in moved
            },
            weights=weights,
        ), seen

    def _rows_touched(self, examples: Examples, i: int) -> NDArray[np.intp]:
        """Return the weight rows an update on example i may change: all of them if truncating."""
        features = examples.features
        if self._run.truncates:
            return np.arange(features.cols + bool(self._bias()))
        per = len(self.classes_) if self.joint_map is not None else 1
        start, end = features.csr.indptr[i * per], features.csr.indptr[(i + 1) * per]
        rows = np.unique(features.csr.indices[start:end]).astype(np.intp)
        return np.append(rows, features.cols) if self._bias() else rows

    def _figures(self, examples: Examples, seen: Pass) -> dict[str, float]:
        if not self.record_objective:
            return {}
        last = self._run.last_weights(self._threads())
        return {"objective": self._run.loss_at(examples, last, self._threads())}

    def _record(self, history: History, number: int, examples: Examples, seen: Pass) -> None:
        super()._record(history, number, examples, seen)
        if self.snapshot_every is not None and (number + 1) % self.snapshot_every == 0:
            self.snapshots_ = [*self.snapshots_, self._snapshot(number + 1)]

    def _snapshot(self, number: int) -> Snapshot:
        parts: list[Floats] = []
        for weights in (self._run.average_weights(), self._run.last_weights()):
            model = LinearClassifier()._set_weights(weights, self._bias())
            parts += [model.coef_, model.intercept_]
        return Snapshot(number, *parts)

    def _final_weights(self) -> Floats:
        weights: Floats = self._run.average_weights(self._threads())
        return weights

    def _take_weights(self, weights: Floats) -> Self:
        return self._set_weights(weights, self._bias())

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of largest score for each row; under a joint map the first on ties."""
        if self.joint_map is None:
            return super().predict(X)
        guess: NDArray[np.intp] = self._joint_scores(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[guess]
        return labels

    def _takes_largest_score(self) -> bool:
        return type(self).predict is OnlineClassifier.predict
