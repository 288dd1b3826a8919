r"""A CRF over sentences that come block by block: the steps of :mod:`linnet.learn.chain.sgd`.

The sentences are met in the order in which they come. How many there are, which (feature, label)
pairs and which transitions occur must be known beforehand, for the penalty is weighed against all
losses and the weights lie in one vector. The first rate is found by trial on the first block.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.learn.chain.sentences import Ragged
from linnet.learn.chain.sgd import SAMPLE
from linnet.learn.chain.tagger import require_finite
from linnet.learn.chain.weights import MOST_FOR_ALL, Following, PairTable, observed_pairs
from linnet.learn.shared.checks import seed_from
from linnet.learn.shared.online_run import Floats, RunState, order_of
from linnet.learn.shared.solvers import stochastic

if TYPE_CHECKING:
    from linnet.learn.crf import CRF

__all__ = ["CRFSteps", "Observed"]

Gold = NDArray[np.int32]
Arrays = dict[str, NDArray[Any]]
_FEW = 1 << 20  # pairs that are held before equal ones become one


class Observed:
    """What a pass over all sentences finds out: pairs, transitions, triples, and their number.

    Parameters
    ----------
    learner : CRF
        Says which of them get a weight.
    n_features : int
    classes : list of labels
    """

    def __init__(self, learner: CRF, n_features: int, classes: list[Any]) -> None:
        self.learner, self.n_features, self.classes = learner, n_features, classes
        self.sentences = 0
        L = len(classes)
        self._number = {label: k for k, label in enumerate(classes)}
        self._keys = [np.zeros(0, np.int64)]
        every = learner.transitions == "all" or (
            learner.transitions == "auto" and L <= MOST_FOR_ALL
        )
        self._transitions = None if every else np.zeros((L, L), bool)
        self._triples = None if every or learner.order == 1 else np.zeros((L, L, L), bool)

    def gold(self, y: list[list[Any]]) -> Gold:
        """Return the numbers of labels."""
        labels = (self._number[label] for sentence in y for label in sentence)
        return np.fromiter(labels, np.int32)

    def add(self, features: Ragged, y: list[list[Any]]) -> None:
        """Look at a block of sentences."""
        gold, L = self.gold(y), len(self.classes)
        self.sentences += features.n_sentences
        place = np.arange(len(gold)) - np.repeat(features.sentence[:-1], np.diff(features.sentence))
        if self._transitions is not None:
            at = np.flatnonzero(place >= 1)
            self._transitions[gold[at - 1], gold[at]] = True
        if self._triples is not None:
            at = np.flatnonzero(place >= 2)
            self._triples[gold[at - 2], gold[at - 1], gold[at]] = True
        if self.learner.pairs == "all":
            return
        start, label = observed_pairs(features, gold, L, every=False)
        self._keys.append(np.repeat(np.arange(self.n_features), np.diff(start)) * L + label)
        if sum(map(len, self._keys[1:])) > max(_FEW, len(self._keys[0])):
            self._keys = [np.unique(np.concatenate(self._keys))]

    def pairs(self) -> PairTable:
        """Return which (feature, label) pairs get a weight."""
        J, L = self.n_features, len(self.classes)
        if self.learner.pairs == "all":
            start = np.arange(J + 1, dtype=np.int64) * L
            return PairTable(start, np.tile(np.arange(L, dtype=np.int32), J))
        keys = np.unique(np.concatenate(self._keys))
        counts = np.bincount(keys // L, minlength=J)
        start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return PairTable(start, (keys % L).astype(np.int32))

    def following(self) -> Following | None:
        """Return the transitions that get a weight, or None for all of them."""
        if self._transitions is None:
            return None
        counts = self._transitions.sum(axis=1)
        start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return Following(start, np.nonzero(self._transitions)[1].astype(np.int32))

    def triples(self) -> NDArray[np.uint8] | None:
        """Return the triples that get a weight, or None for all of them, or for no triples."""
        return None if self._triples is None else self._triples.astype(np.uint8)


class CRFSteps:
    """A CRF on its way: a step of SGD for each sentence.

    Parameters
    ----------
    learner : CRF
        With SGD as its solver, as of :meth:`linnet.CRF.streamed`.
    observed : Observed
        Of all sentences that will come.
    """

    def __init__(self, learner: CRF, observed: Observed) -> None:
        settings = stochastic(learner.solver)
        assert settings is not None
        self._learner, self._observed = copy(learner), observed
        self._learner.classes_ = np.asarray(observed.classes)
        self._learner.n_features_in_ = observed.n_features
        self._learner.pair_start_, self._learner.pair_label_ = observed.pairs()
        self._following, self._triples = observed.following(), observed.triples()
        self._decay = 1.0 / (learner.C * observed.sentences)
        self._rate = 0.0  # not yet known
        self._weights = np.zeros(self._learner._layout().size)
        self._sums = np.zeros_like(self._weights) if settings.average else None
        self._state = RunState()

    @property
    def n_bytes(self) -> int:
        """The memory of the weights, with the copies that an answer and the model take."""
        return 5 * self._weights.nbytes

    @property
    def learner(self) -> CRF:
        """The CRF with the weights so far."""
        return self._learner._with_weights(require_finite(self._now()))

    def _now(self) -> Floats:
        """Return the weights, or their mean over the steps from the second pass on."""
        state, N = self._state, self._observed.sentences
        if self._sums is None or state.steps == 0:
            return self._weights * state.scale
        counted = state.steps if state.steps <= N else state.steps - N
        mean: Floats = (state.sum * self._weights - self._sums) / counted
        return mean

    def meet(self, rows: Ragged, y: list[list[Any]]) -> tuple[int, float]:
        """Answer a block, then take a step a sentence; return wrong tokens and the loss."""
        crf, gold, state = self._learner, self._observed.gold(y), self._state
        answers, _ = crf._with_weights(self._weights * state.scale).chain(rows).decode()
        chain = crf._core_chain(crf._read(rows, reset=False), self._following, self._triples)
        order, cost = np.arange(rows.n_sentences), np.ones(rows.n_sentences)
        if self._rate == 0.0:
            seed = seed_from(crf.random_state)
            sample = order_of(order, seed, int(crf.max_iter), shuffle=True)[:SAMPLE].copy()
            self._rate = _core.crf_sgd_rate(chain, gold, cost, self._decay, sample)
        if self._sums is not None and state.steps == self._observed.sentences:
            self._sums[:], state.sum = 0.0, 0.0  # the second pass begins
        with state.lent("steps", "scale", "sum") as numbers:
            loss = _core.crf_sgd_pass(
                chain, gold, cost, self._decay, self._rate, order, self._weights, self._sums,
                numbers,
            )  # fmt: skip
        return int((answers != gold).sum()), loss

    def to_state(self) -> tuple[dict[str, Any], Arrays]:
        """Return all that it has learned, as plain values and arrays."""
        arrays = {"weights": self._weights}
        if self._sums is not None:
            arrays["sums"] = self._sums
        return {"rate": self._rate, "numbers": vars(self._state)}, arrays

    def restore(self, values: dict[str, Any], arrays: Arrays) -> None:
        """Go on from what :meth:`to_state` returned."""
        self._rate, self._state = values["rate"], RunState(**values["numbers"])
        self._weights[...] = arrays["weights"]
        if self._sums is not None:
            self._sums[...] = arrays["sums"]
