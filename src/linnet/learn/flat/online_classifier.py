"""What the perceptron and MIRA share as estimators: rounds, stopping, records, resuming."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.learn.flat.base import LinearClassifier
from linnet.learn.flat.held_out import HeldOutAccuracy
from linnet.learn.flat.joint import JointFunction, JointMap
from linnet.learn.flat.online_steps import Step, walk
from linnet.learn.shared.checks import LARGEST, check_positive, seed_from
from linnet.learn.shared.history import History
from linnet.learn.shared.inputs import encode_labels, example_weights, require_two_classes
from linnet.learn.shared.online_run import Examples, Floats, OnlineRun, Rule, average_kind, order_of
from linnet.learn.shared.restore import restored_on_error
from linnet.stored import Array, Each, Fields, Number, Object

__all__ = ["OnlineClassifier", "Snapshot"]


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


class OnlineClassifier(LinearClassifier):
    """Learn from one example at a time.

    Subclasses say which rule answers an example and at which rates.
    """

    stored: ClassVar[Fields] = {
        "_seed": Number(int, 0, 2**63 - 1),
        "_n_rounds": Number(int, 0, 2**53),
        "_run": Object(OnlineRun),
        "snapshots_": Each(Object(Snapshot)),
        "mistakes_": Array("i8", "rounds", low=0),
        "t_": Number(int, 0, 2**53),
        "validation_scores_": Array("f8", None, 0, 1, optional=True),
    }
    max_iter: int
    average: bool | str
    truncate: float
    shuffle: bool
    stop_when_clean: bool
    fit_intercept: bool
    intercept_scaling: float
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    snapshot_every: int | None
    record_objective: bool
    joint_map: JointFunction | None
    class_weight: Any
    warm_start: bool
    random_state: Any
    verbose: int

    def _rule(self, n_classes: int, form: str) -> Rule:
        raise NotImplementedError

    def _rates(self, first: int, n: int) -> Floats:
        raise NotImplementedError

    def _check_parameters(self) -> None:
        check_positive(max_iter=self.max_iter, n_iter_no_change=self.n_iter_no_change)
        check_positive(intercept_scaling=self.intercept_scaling)
        average_kind(self.average)
        if not 0.0 <= self.truncate <= LARGEST:
            raise ParameterError(f"truncate must be finite and not negative, got {self.truncate}.")
        if not 0.0 < self.validation_fraction < 1.0:
            raise ParameterError(
                f"validation_fraction must lie between 0 and 1, got {self.validation_fraction}."
            )
        if self.snapshot_every is not None:
            check_positive(snapshot_every=self.snapshot_every)

    def _check_loaded(self) -> None:
        """Refuse a run, from which the learner goes on, that is not like a new one."""
        form = "columns" if len(self.classes_) == 2 else "joint"
        rule, bias, run = self._rule(len(self.classes_), form), self._bias(), self._run
        shape = (self.n_features_in_ + bool(bias), rule.core().columns)
        average = run.average != "none" and run.average
        fresh = OnlineRun(rule, shape, bias=bias, average=average)
        same = run.bias == bias and run._weights.shape == shape and run.rule.form == form
        if not same or (run._sums is None) != (fresh._sums is None):
            raise DataError("_run does not fit the learner")
        if {**run._options, "truncation": 0.0} != fresh._options:
            raise DataError("the options of _run are not those of the learner")
        run.rule.core()

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Go over the examples ``max_iter`` times, or until a stopping rule holds.

        Parameters
        ----------
        X : array, sparse matrix, data frame or list of feature dictionaries, shape (rows, J)
            With ``joint_map`` any sequence of objects.
        y : array of shape (rows,)
        sample_weight : array of shape (rows,), optional
            Multiplies the steps of an example, with MIRA its C; 0 leaves it out.
        """
        with restored_on_error(self):
            return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._check_parameters()
        examples = self._read_all(X, y, sample_weight)
        self._begin(examples)
        history = History(self.verbose, type(self).__name__)
        with self._run.restored_on_error(examples.features):
            return self._go(examples, history)

    def _go(self, examples: Examples, history: History) -> Self:
        held_out = self._hold_out(examples) if self.early_stopping else None
        chosen = examples.used if held_out is None else held_out.training
        for number, order, rates in self._rounds(chosen):
            seen = self._run.go(examples, order, rates, threads=self._threads())
            self._record(history, number, examples, seen.loss, seen.updates)
            if held_out is not None:
                held_out.judge(self._run.average_weights(self._threads()))
            is_clean = self.stop_when_clean and seen.updates == 0
            if is_clean or (held_out is not None and held_out.is_out()):
                break
        if held_out is None:
            return self._finish(history, self._run.average_weights(self._threads()), len(chosen))
        self.validation_scores_ = np.array(held_out.scores)
        return self._finish(history, held_out.best, len(chosen))

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go over the given examples once, from where the last call stopped.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`.
        classes : array, optional
            All labels that will ever come; on the first call only, default those of ``y``.
        """
        with restored_on_error(self):
            return self._partial_fit(X, y, classes, sample_weight)

    def _partial_fit(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Self:
        self._check_parameters()
        if self.joint_map is not None:
            raise ParameterError("partial_fit cannot number the features of a joint_map; use fit.")
        if self.class_weight == "balanced":
            raise ParameterError(
                "class_weight='balanced' needs all examples at once; pass a dictionary of weights."
            )
        first = not hasattr(self, "classes_")
        features = self._read(X, reset=first)
        present, codes = encode_labels(y, features.rows)
        if first:
            self.classes_ = present if classes is None else np.unique(np.asarray(classes))
            require_two_classes(self.classes_, type(self).__name__)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise DataError(f"classes must be those of the first call, {self.classes_.tolist()}.")
        gold = self._numbers_of(present)[codes]
        weights = example_weights(sample_weight, self.class_weight, self.classes_, gold)
        examples = self._with_norms(Examples(features, gold, weights))
        self._begin(examples, resume=not first)
        history = History(self.verbose, type(self).__name__)
        chosen = examples.used
        with self._run.restored_on_error(features):
            for number, order, rates in self._rounds(chosen, 1):
                seen = self._run.go(examples, order, rates, threads=self._threads())
                self._record(history, number, examples, seen.loss, seen.updates)
            return self._finish(history, self._run.average_weights(self._threads()), len(chosen))

    def steps(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[Step]:
        """Fit, showing what happens at each example.

        Yields
        ------
        Step
            When the last one has been taken, the estimator is fitted exactly as by :meth:`fit`
            with ``early_stopping=False``.
        """
        self._check_parameters()
        examples = self._read_all(X, y, sample_weight)
        self._begin(examples)
        return self._walk(examples)

    def _walk(self, examples: Examples) -> Iterator[Step]:
        history = History(self.verbose, type(self).__name__)
        chosen, names = examples.used, self.get_feature_names()
        for number, order, rates in self._rounds(chosen):
            loss, updates = 0.0, 0
            for step in walk(self._run, examples, [(number, order, rates)], self.classes_, names):
                yield step
                loss += float(examples.weights[step.example]) * step.loss
                updates += step.step_size != 0.0
            self._record(history, number, examples, loss, updates)
            if self.stop_when_clean and updates == 0:
                break
        self._finish(history, self._run.average_weights(self._threads()), len(chosen))

    def _rounds(
        self, chosen: NDArray[np.int64], n: int | None = None
    ) -> Iterator[tuple[int, NDArray[np.int64], Floats]]:
        """Yield number, order and rates of each round."""
        for _ in range(int(self.max_iter) if n is None else n):
            number = self._n_rounds
            self._n_rounds += 1
            order = order_of(chosen, self._seed, number, self.shuffle)
            yield number, order, self._rates(self._run.steps, len(order))

    def _read_all(self, X: Any, y: Any, sample_weight: Any) -> Examples:
        learner = type(self).__name__
        if y is None:
            raise DataError(f"{learner} requires y to be passed, but the target y is None.")
        if self.joint_map is not None:
            self.joint_ = JointMap(self.joint_map)
            grouped = self.joint_.fit(X, y, sample_weight, self.class_weight, self._threads())
            self.classes_, self.vocabulary_ = grouped.classes, self.joint_.vocabulary
            self.n_features_in_ = grouped.features.cols
            return Examples(grouped.features, grouped.gold, grouped.weights)
        features = self._read(X, reset=True)
        self.classes_, gold = encode_labels(y, features.rows)
        require_two_classes(self.classes_, learner)
        weights = example_weights(sample_weight, self.class_weight, self.classes_, gold)
        return self._with_norms(Examples(features, gold, weights))

    def _with_norms(self, examples: Examples) -> Examples:
        return examples

    def _bias(self) -> float:
        in_use = self.fit_intercept and self.joint_map is None
        return float(self.intercept_scaling) if in_use else 0.0

    def _begin(self, examples: Examples, resume: bool = False) -> None:
        """Start a run; with ``resume`` or warm_start go on from the last one if it fits."""
        form = "columns" if len(self.classes_) == 2 else "joint"
        rule = self._rule(len(self.classes_), form if self.joint_map is None else "grouped")
        shape = (examples.features.cols + bool(self._bias()), rule.core().columns)
        previous = self._previous(shape) if self.warm_start or resume else None
        truncate = float(self.truncate)
        run: OnlineRun | None = getattr(self, "_run", None)
        if previous is not None and run and run.average == average_kind(self.average):
            self._run = run.resumed(rule, truncate)
            return
        self._seed = seed_from(self.random_state)
        self._n_rounds = 0
        self.snapshots_: list[Snapshot] = []
        self._run = OnlineRun(
            rule,
            shape if previous is None else previous,
            bias=self._bias(),
            average=self.average,
            truncate=truncate,
        )

    def _hold_out(self, examples: Examples) -> HeldOutAccuracy:
        return HeldOutAccuracy(
            examples,
            share=self.validation_fraction,
            patience=int(self.n_iter_no_change),
            seed=self._seed,
            bias=self._bias(),
            rows_each=1 if self.joint_map is None else len(self.classes_),
            threads=self._threads(),
        )

    def _previous(self, shape: tuple[int, int]) -> Floats | None:
        if not hasattr(self, "coef_"):
            return None
        weights = self.coef_.T
        if self._bias():
            weights = np.vstack([weights, self.intercept_[None, :] / self._bias()])
        return weights if weights.shape == shape else None

    def _numbers_of(self, labels: NDArray[Any]) -> NDArray[np.int32]:
        unknown = np.setdiff1d(labels, self.classes_)
        if len(unknown):
            raise DataError(
                f"y has labels that are not among the classes of the first call: "
                f"{unknown.tolist()}. Pass all labels as classes= in the first call."
            )
        return np.searchsorted(self.classes_, labels).astype(np.int32)

    def _record(
        self, history: History, number: int, examples: Examples, loss: float, updates: int
    ) -> None:
        values = {"iteration": number + 1, "online_loss": loss, "mistakes": updates}
        if self.record_objective:
            last = self._run.last_weights(self._threads())
            values["objective"] = self._run.loss_at(examples, last, self._threads())
        history.add(**values)
        if self.snapshot_every is not None and (number + 1) % self.snapshot_every == 0:
            self.snapshots_ = [*self.snapshots_, self._snapshot(number + 1)]

    def _snapshot(self, number: int) -> Snapshot:
        parts: list[Floats] = []
        for weights in (self._run.average_weights(), self._run.last_weights()):
            model = LinearClassifier()._set_weights(weights, self._bias())
            parts += [model.coef_, model.intercept_]
        return Snapshot(number, *parts)

    def _finish(self, history: History, weights: Floats, rows: int) -> Self:
        self.history_ = history.as_dict()
        self.mistakes_ = self.history_["mistakes"].astype(np.int64)
        self.n_iter_ = len(history)
        self.t_ = self._run.steps
        self.optimality_ = float(self.mistakes_[-1]) / rows
        return self._set_weights(weights, self._bias())

    def decision_function(self, X: Any) -> Floats:
        """Return the scores: shape (n,) for two classes, else (n, K)."""
        if self.joint_map is None:
            return super().decision_function(X)
        scores = self._joint_scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of largest score for each row; under a joint map the first on ties."""
        if self.joint_map is None:
            return super().predict(X)
        guess: NDArray[np.intp] = self._joint_scores(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[guess]
        return labels

    def _joint_scores(self, X: Any) -> Floats:
        self._require_fitted()
        return self.joint_.scores(X, self.coef_[0], self._threads())
