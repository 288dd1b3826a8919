"""Sentences that are held elsewhere: what a chain asks of them is asked there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ParameterError

if TYPE_CHECKING:
    from linnet.learn.chain.sgd import CrfWalk
    from linnet.learn.chain.weights import Following, PairTable
    from linnet.learn.shared.solvers import SGD

__all__ = ["ChainElsewhere", "SentencesElsewhere"]

Floats = NDArray[np.float64]


class SentencesElsewhere(ABC):
    """Tokens as sparse rows in other processes, and where sentences begin.

    Attributes
    ----------
    n_features : int
    sentence : array of shape (sentences + 1,)
    """

    n_features: int
    sentence: NDArray[np.int64]

    @property
    def n_sentences(self) -> int:
        """The number of sentences."""
        return len(self.sentence) - 1

    @property
    def matrix(self) -> Any:
        """Refuse: there is none in one place."""
        raise ParameterError(
            "this learner, with these settings, needs all sentences in one place; over parts of "
            "them learn HMM, CRF, StructuredPerceptron and StructuredMIRA."
        )

    @abstractmethod
    def observed_pairs(self, gold: NDArray[np.int32], n_labels: int) -> PairTable:
        """Return the (feature, label) pairs that occur together."""

    @abstractmethod
    def chain(
        self, pairs: PairTable, n_labels: int, following: Following | None, order: int,
        triples: NDArray[np.uint8] | None,
    ) -> ChainElsewhere:  # fmt: skip
        """Return the sentences with the weights that they have."""


class ChainElsewhere(ABC):
    """Sentences elsewhere and the pairs that have weights.

    Attributes
    ----------
    weights : int
        How many weights there are.
    """

    weights: int

    @abstractmethod
    def minimize(
        self, gold: NDArray[np.int32], cost: Floats, w: Floats, *, l1: float, l2: float,
        tolerance: float, max_iterations: int, record: Any, threads: int,
    ) -> None:  # fmt: skip
        """Change w to the weights that minimise the objective of a CRF."""

    @abstractmethod
    def walk(
        self, gold: NDArray[np.int32], cost: Floats, solver: SGD, *, start: Floats, seed: int,
        rounds: int, threads: int,
    ) -> CrfWalk:  # fmt: skip
        """Return who goes over the sentences by single steps, in at most so many rounds."""
