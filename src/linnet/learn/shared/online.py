"""Learning from one example at a time: what the perceptron and MIRA share, flat or chain.

Rounds, orders, stopping, the record, resuming and watching are the same whether an example is a row
with one label or a sentence with one for each token. A subclass names the structure, which reads
the examples, runs the core over them and says what its weights are called:
:class:`~linnet.learn.flat.online_classifier.OnlineClassifier` and
:class:`~linnet.learn.chain.online.OnlineTagger`. A mixin of :mod:`linnet.learn.shared.updates` says
how an example is answered. Nothing here needs more than NumPy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, cast

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.learn.shared.checks import seed_from
from linnet.learn.shared.elsewhere import Mixing
from linnet.learn.shared.history import Examples, History
from linnet.learn.shared.online_run import (
    Floats,
    OnlineRun,
    Pass,
    Rule,
    Step,
    average_kind,
    order_of,
)
from linnet.learn.shared.parameters import parameters
from linnet.learn.shared.restore import restored_on_error
from linnet.stored import Array, Fields, Number

if TYPE_CHECKING:
    from linnet.typing import Labels, Sentences, Vectors, Weights

__all__ = ["Judge", "Online"]

Order = NDArray[np.int64]


class Judge(Protocol):
    """Examples kept aside, on which the weights after each round are judged."""

    training: Order
    scores: list[float]
    best: Any

    def judge(self, weights: Any) -> None:
        """Score weights and keep them if they are the best so far."""

    def is_out(self) -> bool:
        """Tell whether the last rounds brought nothing better."""


@parameters
class Online(ABC):
    """Learn from one example at a time.

    Parameters
    ----------
    max_iter : int, default=10
        Rounds over the examples.
    average : {False, True, "before", "after", "listing", "mistakes"}, default=True
        The weights to return: False the last ones; True or "after" the mean after every step;
        "before" the mean of the weights that made the predictions; "listing" what the lectures'
        efficient listing computes, n/(n+1) times "after"; "mistakes" the mean after every update.
    shuffle : bool, default=True
        A fresh order every round; False keeps the given order.
    stop_when_clean : bool, default=True
        Stop after a round without update.
    n_threads : int, optional
        None uses all cores. The result does not depend on it.
    random_state : int, RandomState or None
    verbose : int, default=0

    Attributes
    ----------
    classes_ : array
    history_ : dict of arrays, one value a round
        ``iteration``; ``online_loss``, the losses summed over the round, each example at the
        weights it met; ``mistakes``, the examples that caused an update; ``seconds``.
    mistakes_ : array of int
        Updates in each round.
    n_iter_, t_ : int
        Rounds made in this fit; examples seen by the run.
    optimality_ : float
        Share of the examples that still caused an update in the last round; 0 means separated.
    """

    stored: ClassVar[Fields] = {
        "_seed": Number(int, 0, 2**63 - 1),
        "_n_rounds": Number(int, 0, 2**53),
        "mistakes_": Array("i8", "rounds", low=0),
        "t_": Number(int, 0, 2**53),
    }
    _rounds_at_once: ClassVar[int] = 1  # in one call of the structure

    max_iter: int = 10
    average: bool | str = True
    shuffle: bool = True
    stop_when_clean: bool = True
    n_threads: int | None = None
    random_state: Any = None
    verbose: int = 0

    _seed: int = field(init=False)
    _n_rounds: int = field(init=False)
    _run: Any = field(init=False)

    # What a learner says.

    @abstractmethod
    def _rule(self, n_classes: int, form: str) -> Rule:
        """Return how an example is answered."""

    def _rates(self, first: int, n: int) -> Floats:
        """Return the rates of n steps after `first` steps."""
        return np.ones(n)

    # What a structure does.

    @abstractmethod
    def _read_all(self, X: Any, y: Any, sample_weight: Any) -> Any:
        """Return all examples, checked; they say which classes and features there are."""

    @abstractmethod
    def _read_more(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Any:
        """Return some examples, checked; those of the first call say which features there are."""

    @abstractmethod
    def _begin(self, examples: Any, *, resume: bool = False) -> None:
        """Start a run, or go on with the last one."""

    @abstractmethod
    def _fresh_run(self, average: bool | str) -> OnlineRun:
        """Return a run that has made no step."""

    @abstractmethod
    def _meet(
        self, examples: Any, rounds: list[tuple[int, Order]], record: Callable[[int, Pass], bool]
    ) -> None:
        """Meet the examples of each round in its order, as long as `record` wants to go on."""

    @abstractmethod
    def _feature_names(self) -> Any:
        """Return what the features are called in :class:`Step`."""

    @abstractmethod
    def _watch(
        self, examples: Any, i: int, rate: Floats, number: int, names: Any
    ) -> tuple[Step, Pass]:
        """Meet example i alone in a round of that number and say what happened."""

    @abstractmethod
    def _take_weights(self, weights: Any) -> Self:
        """Become the model with the weights of a run."""

    def _final_weights(self) -> Any:
        """Return the weights that the run was asked for."""
        return self._run.average_weights()

    def _figures(self, examples: Any, seen: Pass) -> dict[str, float]:
        """Return what the record of a round says besides its losses and mistakes."""
        return {}

    def _keep_aside(self, examples: Any) -> Judge | None:
        """Return examples to judge the rounds by, if there are to be any."""
        return None

    # What they share.

    def _check_parameters(self) -> None:
        average_kind(self.average)

    def _check_loaded(self) -> None:
        """Refuse a run, from which the learner goes on, that is not like a new one."""
        average = self._run.average
        if not self._run.is_like(self._fresh_run(average != "none" and average)):
            raise DataError("_run does not fit the learner")

    def fit(
        self,
        X: Vectors | Sentences,
        y: Labels,
        sample_weight: Weights | None = None,
        *,
        accuracy_on: Examples | None = None,
    ) -> Self:
        """Go over the examples ``max_iter`` times, or until a stopping rule holds.

        Parameters
        ----------
        X : examples
            Rows: an array, sparse matrix, data frame or list of feature dictionaries. Sentences: a
            list of them, or Ragged; a sentence is a list of tokens, a token a dictionary or a list
            of feature names.
        y : array of labels, or a list of labels for each sentence
        sample_weight : array of shape (examples,), optional
            Multiplies the steps of an example, with MIRA its C; 0 leaves it out.
        accuracy_on : mapping from names to pairs (X, y), optional
            After each round the accuracy on these examples, of tokens for sentences, goes into
            ``history_`` as ``<name>_accuracy``: ``{"train": (X, y), "held_out": (X2, y2)}``.
        """
        with restored_on_error(self):
            self._check_parameters()
            limit = int(self.max_iter)
            history = History(self.verbose, type(self).__name__, accuracy_on, limit=limit)
            examples = self._read_all(X, y, sample_weight)
            if isinstance(examples.features, Mixing):
                return cast(Self, examples.features.mix(self, examples, history))
            self._begin(examples)
            with self._run.restored_on_error(examples):
                judge = self._keep_aside(examples)
                return self._learn(examples, int(self.max_iter), judge, history)

    def partial_fit(
        self,
        X: Vectors | Sentences,
        y: Labels,
        classes: Labels | None = None,
        sample_weight: Weights | None = None,
    ) -> Self:
        """Go over the given examples once, from where the last call stopped.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`. Features that the first call had not are ignored.
        classes : list of labels, optional
            All labels that will ever come; on the first call only, default those of ``y``.
        """
        with restored_on_error(self):
            self._check_parameters()
            resume = hasattr(self, "classes_")
            examples = self._read_more(X, y, classes, sample_weight)
            self._begin(examples, resume=resume)
            with self._run.restored_on_error(examples):
                history = History(self.verbose, type(self).__name__)
                return self._learn(examples, 1, None, history)

    def steps(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[Step]:
        """Fit, showing what happens at each example.

        Yields
        ------
        Step
            When the last one has been taken, the estimator is fitted exactly as by :meth:`fit`
            (without early stopping).
        """
        self._check_parameters()
        examples = self._read_all(X, y, sample_weight)
        self._begin(examples)
        return self._walk(examples)

    def _start(self, run: OnlineRun) -> None:
        """Begin anew, with the first order of another seed."""
        self._seed = seed_from(self.random_state)
        self._n_rounds = 0
        self._run = run

    def _learn(self, examples: Any, rounds: int, judge: Judge | None, history: History) -> Self:
        """Make at most so many rounds, and keep what came out."""
        chosen = examples.used if judge is None else judge.training
        going = True

        def record(number: int, seen: Pass) -> bool:
            nonlocal going
            self._n_rounds = number + 1
            self._record(history, number, examples, seen)
            if judge is not None:
                judge.judge(self._final_weights())
            is_clean = self.stop_when_clean and seen.updates == 0
            is_out = judge is not None and judge.is_out()
            going = not (is_clean or is_out or history.stopped)
            return going

        last = self._n_rounds + rounds
        at_once = 1 if history.is_watched else self._rounds_at_once
        while going and self._n_rounds < last:
            numbers = range(self._n_rounds, min(last, self._n_rounds + at_once))
            self._meet(examples, [(n, self._order(chosen, n)) for n in numbers], record)
            if history.is_watched:
                model = copy(self)._take_weights(self._final_weights())
                history.revise(**history.accuracies(model))
        if judge is None:
            return self._finish(history, len(chosen), self._final_weights())
        self.validation_scores_ = np.array(judge.scores)
        return self._finish(history, len(chosen), judge.best)

    def _walk(self, examples: Any) -> Iterator[Step]:
        history = History(self.verbose, type(self).__name__)
        chosen, names = examples.used, self._feature_names()
        for number in range(self._n_rounds, self._n_rounds + int(self.max_iter)):
            self._n_rounds = number + 1
            order, total = self._order(chosen, number), Pass()
            rates = self._rates(self._run.steps, len(order))
            for k, i in enumerate(order.tolist()):
                step, seen = self._watch(examples, i, rates[k : k + 1], number, names)
                yield step
                total += seen
            self._record(history, number, examples, total)
            if self.stop_when_clean and total.updates == 0:
                break
        self._finish(history, len(chosen), self._final_weights())

    def _order(self, chosen: Order, number: int) -> Order:
        return order_of(chosen, self._seed, number, self.shuffle)

    def _record(self, history: History, number: int, examples: Any, seen: Pass) -> None:
        history.add(
            iteration=number + 1, online_loss=seen.loss, mistakes=seen.updates,
            **self._figures(examples, seen),
        )  # fmt: skip

    def _finish(self, history: History, examples: int, weights: Any) -> Self:
        self.history_ = history.as_dict()
        self.mistakes_ = self.history_["mistakes"].astype(np.int64)
        self.n_iter_ = len(history)
        self.t_ = self._run.steps
        self.optimality_ = float(self.mistakes_[-1]) / max(1, examples)
        return self._take_weights(weights)
