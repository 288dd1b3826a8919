r"""``pycrfsuite.Trainer``, mapped to linnet's L-BFGS.

CRFsuite minimises :math:`\sum -\ln p(y \mid x) + c_2 \lVert w \rVert^2 + c_1 \lVert w \rVert_1`
without weights of starts and stops. "lbfgs" and "l2sgd" both lead to that minimum here; the online
algorithms "ap", "pa" and "arow" are not offered.
"""

from __future__ import annotations

import os
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.compat.pycrfsuite.sequences import CRFSuiteError, as_items, attributes
from linnet.errors import LinnetError
from linnet.foreign import crfsuite
from linnet.foreign.items import ItemReader
from linnet.learn.chain import LinearChain
from linnet.learn.chain.weights import Layout
from linnet.model.decision import Decision
from linnet.model.model import Model
from linnet.model.scorers.chain import ChainScorer
from linnet.text.names import Names
from linnet.threads import thread_count

__all__ = ["BaseTrainer", "Trainer"]

_COMMON = {
    "feature.minfreq": 0.0, "feature.possible_states": False, "feature.possible_transitions": False,
}  # fmt: skip
_PARAMETERS: dict[str, dict[str, Any]] = {
    "lbfgs": {
        **_COMMON, "c1": 0.0, "c2": 1.0, "max_iterations": 2147483647, "num_memories": 6,
        "epsilon": 1e-5, "period": 10, "delta": 1e-5, "linesearch": "MoreThuente",
        "max_linesearch": 20,
    },
    "l2sgd": {
        **_COMMON, "c2": 1.0, "max_iterations": 1000, "period": 10, "delta": 1e-6,
        "calibration.eta": 0.1, "calibration.rate": 2.0, "calibration.samples": 1000,
        "calibration.candidates": 10, "calibration.max_trials": 20,
    },
}  # fmt: skip
_GAP = 1e-3  # CRFsuite bounds the gradient, which falls with the root of the distance in value
_ONLINE = ("ap", "averaged-perceptron", "pa", "passive-aggressive", "arow")


class BaseTrainer:
    """Collects sentences, and writes the model that fits them.

    Parameters
    ----------
    algorithm : {"lbfgs", "l2sgd"}, optional
    params : dict, optional
        Of the algorithm, by CRFsuite's names; those that steer its search are taken and not used.
    """

    def __init__(self, algorithm: str | None = None, params: dict[str, Any] | None = None) -> None:
        self._numbers: dict[str, int] = {}  # of attributes, as they come
        self._labels: dict[str, int] = {}
        self.clear()
        self.select(algorithm or "lbfgs")
        self.set_params(params or {})

    def select(self, algorithm: str, type: str = "crf1d") -> None:
        """Choose the algorithm; its parameters are the default ones again."""
        if algorithm in _ONLINE:
            raise ValueError(
                f"linnet has no {algorithm!r} for CRFsuite's files; use 'lbfgs', or train a "
                "linnet.SequenceTagger(linnet.StructuredPerceptron())"
            )
        if algorithm not in _PARAMETERS or type != "crf1d":
            raise ValueError(f"Bad arguments: algorithm={algorithm!r} type={type!r}")
        self.algorithm = algorithm
        self._values = dict(_PARAMETERS[algorithm])

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
            crfsuite.write(self.fitted(holdout), model)
        except LinnetError as error:
            raise CRFSuiteError(str(error)) from error

    def fitted(self, holdout: int = -1) -> Model:
        """Return the model of all sentences but those of the group `holdout`."""
        tokens = np.repeat(np.array(self._group, np.int64) != holdout, np.diff(self._sentence))
        if not tokens.any():
            raise CRFSuiteError("There is nothing to train on; append sentences first")
        start = np.array(self._start, np.int64)
        kept = np.repeat(tokens, np.diff(start))
        index = np.array(self._index, np.int32)[kept]
        value, gold = np.array(self._value)[kept], np.array(self._gold, np.int32)[tokens]
        lengths = np.diff(self._sentence)[np.array(self._group) != holdout]
        sentence = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        rows = np.concatenate([[0], np.cumsum(np.diff(start)[tokens])]).astype(np.int64)
        L, A = len(self._labels), len(self._numbers)
        pairs = self._pairs(rows, index, value, gold, L, A)
        following = self._following(gold, sentence, L)
        matrix = _core.Matrix(rows, index, value, A)
        chain = _core.Chain(matrix, sentence, *pairs, L, *following)
        layout = Layout(len(pairs[1]), L)
        w = self._minimised(chain, gold, len(sentence) - 1, layout)
        weight, transition, first, last = (part.copy() for part in layout.split(w))
        if following[0] is not None:
            seen = np.zeros((L, L), bool)
            seen[np.repeat(np.arange(L), np.diff(following[0])), following[1]] = True
            transition[~seen] = 0.0
        scorer = ChainScorer(LinearChain(*pairs, weight, transition, first, last), True)
        return Model(ItemReader(self._names()), scorer, Decision(np.array(list(self._labels))))

    def _names(self) -> Names:
        raw = [name.encode("utf-8", "surrogateescape") for name in self._numbers]
        offset = np.concatenate([[0], np.cumsum([len(name) for name in raw])]).astype(np.int64)
        return Names(np.frombuffer(b"".join(raw), np.uint8), offset)

    def _pairs(
        self, rows: Any, index: Any, value: Any, gold: Any, L: int, A: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return which attributes go with which labels: those seen together often enough."""
        places = np.arange(A * L)
        if not self._values["feature.possible_states"]:
            together = index.astype(np.int64) * L + np.repeat(gold, np.diff(rows))
            places, owner = np.unique(together, return_inverse=True)
            often = np.bincount(owner, weights=value, minlength=len(places))
            places = places[often >= float(self._values["feature.minfreq"])]
        start = np.searchsorted(places // L, np.arange(A + 1)).astype(np.int64)
        return start, (places % L).astype(np.int32)

    def _following(self, gold: Any, sentence: Any, L: int) -> tuple[Any, Any]:
        """Return which labels follow which and have a weight; None for all."""
        if self._values["feature.possible_transitions"]:
            return None, None
        inside = np.ones(len(gold), bool)
        inside[sentence[:-1][sentence[:-1] < len(gold)]] = False
        after = np.flatnonzero(inside)
        places, often = np.unique(
            gold[after - 1].astype(np.int64) * L + gold[after], return_counts=True
        )
        places = places[often >= float(self._values["feature.minfreq"])]
        start = np.searchsorted(places // L, np.arange(L + 1)).astype(np.int64)
        return start, (places % L).astype(np.int32)

    def _minimised(self, chain: Any, gold: Any, sentences: int, layout: Layout) -> Any:
        w, frozen = np.zeros(layout.size), np.zeros(layout.size, np.uint8)
        frozen[layout.size - 2 * layout.n_labels :] = 1  # no weights of starts and stops
        _core.crf_minimize(
            solver="lbfgs", chain=chain, gold=gold, cost=np.ones(sentences), frozen=frozen,
            l2=2.0 * float(self._values["c2"]), l1=float(self._values.get("c1", 0.0)), w=w,
            tolerance=_GAP * float(self._values.get("epsilon", 1e-5)),
            max_iterations=int(self._values["max_iterations"]), memory=6, record=self._record,
            threads=thread_count(None),
        )  # fmt: skip
        return w

    def _record(self, number: int, objective: float, *more: float) -> None:
        self.message(f"Iteration {number}: loss {objective:.6f}")

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
        self._known(name)
        self._values[name] = type(_PARAMETERS[self.algorithm][name])(value)

    def _known(self, name: str) -> None:
        if name not in self._values:
            raise ValueError(f"Parameter not found: {name}")

    def get_params(self) -> dict[str, Any]:
        """Return all parameters."""
        return dict(self._values)

    def set_params(self, params: dict[str, Any]) -> None:
        """Set several parameters."""
        for name, value in params.items():
            self.set(name, value)

    def help(self, name: str) -> str:
        """Say where a parameter is described."""
        self._known(name)
        return f"{name}: see CRFsuite's manual; default {_PARAMETERS[self.algorithm][name]!r}"


class Trainer(BaseTrainer):
    """Collects sentences, writes the model that fits them, and says how it goes on."""

    _PARAMETER_TYPES: ClassVar[dict[str, type]] = {}

    def __init__(
        self,
        algorithm: str | None = None,
        params: dict[str, Any] | None = None,
        verbose: bool = True,
    ) -> None:
        super().__init__(algorithm, params)
        self.verbose = verbose

    def message(self, message: str) -> None:
        """Print a line about progress."""
        if self.verbose:
            print(message)
