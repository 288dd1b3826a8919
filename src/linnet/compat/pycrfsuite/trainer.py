r"""``pycrfsuite.Trainer``, mapped to linnet's learners: :mod:`linnet.compat.pycrfsuite.fitting`."""

from __future__ import annotations

import os
from time import perf_counter
from typing import Any, Self

import numpy as np

from linnet.compat.pycrfsuite import log
from linnet.compat.pycrfsuite.fitting import minimised, went_through
from linnet.compat.pycrfsuite.parameters import PARAMETERS, canonical
from linnet.compat.pycrfsuite.problem import Problem
from linnet.compat.pycrfsuite.sequences import CRFSuiteError, as_items, attributes
from linnet.errors import LinnetError
from linnet.foreign import crfsuite
from linnet.foreign.items import ItemReader
from linnet.model.decision import Decision
from linnet.model.model import Model
from linnet.model.scorers.chain import ChainScorer
from linnet.text.names import Names

__all__ = ["BaseTrainer", "Trainer"]


class BaseTrainer:
    """Collects sentences, and writes the model that fits them.

    Parameters
    ----------
    algorithm : {"lbfgs", "l2sgd", "ap", "pa", "arow"}, optional
    params : dict, optional
        Of the algorithm, by CRFsuite's names; those that steer its search are taken and not used.
    verbose : bool
    """

    verbose: bool = True
    _numbers: dict[str, int]  # of attributes, as they come
    _labels: dict[str, int]

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Return a trainer without sentences; subclasses need not call ``__init__``, as there."""
        self = super().__new__(cls)
        self._numbers, self._labels = {}, {}
        self.clear()
        self.select("lbfgs")
        return self

    def __init__(
        self,
        algorithm: str | None = None,
        params: dict[str, Any] | None = None,
        verbose: bool = True,
    ) -> None:
        self.verbose = verbose
        if algorithm is not None:
            self.select(algorithm)
        self.set_params(params or {})

    def select(self, algorithm: str, type: str = "crf1d") -> None:
        """Choose the algorithm; its parameters are the default ones again."""
        self.algorithm = canonical(algorithm, type)
        self._values = {name: value for name, (value, _) in PARAMETERS[self.algorithm].items()}

    def clear(self) -> None:
        """Forget all sentences."""
        self._numbers.clear()
        self._labels.clear()
        self._index: list[int] = []
        self._value: list[float] = []
        self._start, self._sentence, self._gold, self._group = [0], [0], list[int](), list[int]()

    def append(self, xseq: Any, yseq: Any, group: int = 0) -> None:
        """Add a sentence of items and its labels."""
        items, labels = as_items(xseq), list(yseq)
        if len(items) != len(labels):
            raise ValueError(
                f"The numbers of items and labels differ: |x| = {len(items)}, |y| = {len(labels)}"
            )
        for item, label in zip(items, labels, strict=True):
            for name, value in attributes(item):
                cut = name.partition("\0")[0]
                self._index.append(self._numbers.setdefault(cut, len(self._numbers)))
                self._value.append(value)
            self._start.append(len(self._index))
            self._gold.append(self._labels.setdefault(str(label), len(self._labels)))
        self._sentence.append(len(self._gold))
        self._group.append(group)

    def train(self, model: str | os.PathLike[str], holdout: int = -1) -> None:
        """Fit all sentences but those of the group `holdout`, and write the model file."""
        try:
            fitted = self.fitted(holdout)
            crfsuite.write(fitted, model)
        except LinnetError as error:
            raise CRFSuiteError(str(error)) from error
        self._tell("end", [f"Storing the model in {os.fspath(model)}\n", "\n"])

    def fitted(self, holdout: int = -1) -> Model:
        """Return the model of all sentences but those of the group `holdout`."""
        begin, problem = perf_counter(), self._problem(holdout)
        self._tell("start", log.head(self.algorithm, self._values))
        if self.algorithm in ("lbfgs", "l2sgd"):
            w = minimised(problem, self._values, self._iteration)
        else:
            w = went_through(self.algorithm, problem, self._values, self._iteration)
        self._tell("optimization_end", log.tail(perf_counter() - begin))
        scorer = ChainScorer(problem.linear_chain(w), True)
        return Model(ItemReader(self._names()), scorer, Decision(np.array(list(self._labels))))

    def _problem(self, holdout: int) -> Problem:
        used = np.array(self._group, np.int64) != holdout
        tokens = np.repeat(used, np.diff(self._sentence))
        if not tokens.any():
            raise CRFSuiteError("There is nothing to train on; append sentences first")
        start = np.array(self._start, np.int64)
        kept = np.repeat(tokens, np.diff(start))
        lengths = np.diff(self._sentence)[used]
        return Problem.of(
            np.concatenate([[0], np.cumsum(np.diff(start)[tokens])]).astype(np.int64),
            np.array(self._index, np.int32)[kept],
            np.array(self._value, np.float64)[kept],
            np.array(self._gold, np.int32)[tokens],
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            (len(self._numbers), len(self._labels)),
            self._values,
        )

    def _names(self) -> Names:
        raw = [name.encode("utf-8", "surrogateescape") for name in self._numbers]
        offset = np.concatenate([[0], np.cumsum([len(name) for name in raw])]).astype(np.int64)
        return Names(np.frombuffer(b"".join(raw), np.uint8), offset)

    def _iteration(self, number: int, loss: float, more: dict[str, float]) -> None:
        lines = [f"***** Iteration #{number} *****\n", f"Loss: {loss:f}\n"]
        titles = {name: name.replace("_", " ").capitalize() for name in more}
        lines += [f"{titles[name]}: {value:f}\n" for name, value in more.items()]
        self._tell("iteration", [*lines, "\n"], {"num": number, "scores": {}, "loss": loss, **more})

    def _tell(self, event: str, lines: list[str], found: dict[str, Any] | None = None) -> None:
        for line in lines:
            self.message(line)

    def message(self, message: str) -> None:
        """Take a line about progress; by default nothing is done with it."""

    def params(self) -> list[str]:
        """Return the names of the parameters."""
        return list(self._values)

    def get(self, name: str) -> Any:
        """Return the value of a parameter."""
        self._known(name)
        return self._values[name]

    def set(self, name: str, value: Any) -> None:
        """Set a parameter."""
        self._values[name] = type(self._known(name)[0])(value)

    def _known(self, name: str) -> tuple[Any, str]:
        if name not in self._values:
            raise ValueError(f"Parameter not found: {name}")
        return PARAMETERS[self.algorithm][name]

    def get_params(self) -> dict[str, Any]:
        """Return all parameters."""
        return dict(self._values)

    def set_params(self, params: dict[str, Any]) -> None:
        """Set several parameters."""
        for name, value in params.items():
            self.set(name, value)

    def help(self, name: str) -> str:
        """Say what a parameter is for."""
        return self._known(name)[1]


class Trainer(BaseTrainer):
    """Collects sentences, writes the model that fits them, and says how it goes on.

    Each event has a method that may be overridden; by default it prints the lines of the event.
    """

    logparser: log.TrainLog | None = None

    def fitted(self, holdout: int = -1) -> Model:
        """Return the model of all sentences but those of the group `holdout`."""
        self.logparser = log.TrainLog()
        return super().fitted(holdout)

    def _tell(self, event: str, lines: list[str], found: dict[str, Any] | None = None) -> None:
        assert self.logparser is not None
        self.logparser.expect(event, lines)
        self.logparser.iterations += [] if found is None else [found]
        super()._tell(event, lines)

    def message(self, message: str) -> None:
        """Take a line about progress, and call the method of the event that it ends."""
        assert self.logparser is not None
        event = self.logparser.feed(message)
        if not self.verbose or event is None:
            return
        more = (self.logparser.last_iteration,) if event == "iteration" else ()
        getattr(self, f"on_{event}")(self.logparser.last_log, *more)

    def on_start(self, log: str) -> None:
        """Before training."""
        print(log, end="")

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:
        """After each iteration."""
        print(log, end="")

    def on_optimization_end(self, log: str) -> None:
        """After the last iteration."""
        print(log, end="")

    def on_end(self, log: str) -> None:
        """After the file was written."""
        print(log, end="")
