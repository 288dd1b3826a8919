r"""Every labelling of a sentence, one by one: the oracle of all dynamic programmes.

Problem
    the best labelling, ln Z and the marginals of a chain, by their definitions
Given
    a chain with n tokens and L labels, L^n small enough to write down.
Returned
    all labellings and their scores; whatever is asked is a maximum or a sum over them.

The labellings are listed with the first label changing fastest, so that of equal scores the first
in the list is the one Viterbi returns. Labelling y stands at place sum_t y_t L^t, t from 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from linnet.reference.chain import Chain, Marginals, Path, point_mass
from linnet.reference.common import FloatArray, IntArray

__all__ = ["Enumeration", "labellings", "place"]


def labellings(n_tokens: int, n_labels: int) -> IntArray:
    """All labellings, (L^n, n), the first label changing fastest.

    Examples
    --------
    >>> labellings(2, 2).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    rows = list(product(range(n_labels), repeat=n_tokens))
    return np.array(rows, dtype=np.intp).reshape(len(rows), n_tokens)[:, ::-1]


def place(labels: IntArray, n_labels: int) -> int:
    """Where a labelling stands among `labellings`; any length, a Python integer never overflows.

    Examples
    --------
    >>> place(np.array([0, 1]), 2)
    2
    """
    return sum(int(label) * n_labels**t for t, label in enumerate(labels))


@dataclass(frozen=True)
class Enumeration:
    """All labellings (L^n, n) of a chain and their scores (L^n,).

    Examples
    --------
    >>> every = Enumeration.of(Chain.of(np.array([[0.0, 1.0], [0.0, 2.0]])))
    >>> every.best.labels, every.best.score, every.scores.tolist()
    (array([1, 1]), 3.0, [0.0, 1.0, 2.0, 3.0])
    """

    chain: Chain
    labellings: IntArray
    scores: FloatArray

    @classmethod
    def of(cls, chain: Chain) -> Enumeration:
        """Write all labellings down."""
        rows = labellings(chain.n_tokens, chain.n_labels)
        return cls(chain, rows, chain.scores(rows))

    @property
    def best(self) -> Path:
        """First labelling that has the largest score."""
        index = int(np.argmax(self.scores))
        return Path(self.labellings[index], float(self.scores[index]))

    def n_best(self, n: int) -> list[Path]:
        """Best n possible labellings, the best first; those of score -inf are left out."""
        order = np.argsort(-self.scores, kind="stable")[:n]
        possible = order[~np.isneginf(self.scores[order])]
        return [Path(self.labellings[i], float(self.scores[i])) for i in possible]

    @property
    def log_partition(self) -> float:
        """Value of ln Z, the logarithm of the sum of e^score."""
        return float(np.logaddexp.reduce(self.scores))

    @property
    def probabilities(self) -> FloatArray:
        """p(y) of each labelling; uniform when none is possible, as in naive Bayes (A-05)."""
        if np.isneginf(self.log_partition):
            return np.full(len(self.scores), 1.0 / len(self.scores))
        return np.asarray(np.exp(self.scores - self.log_partition))

    @property
    def marginals(self) -> Marginals:
        """Sums of p(y) over the labellings that agree on a window."""
        chain = self.chain
        points = [point_mass(y, chain.n_labels, chain.order) for y in self.labellings]
        p = self.probabilities

        def mean(arrays: list[FloatArray]) -> FloatArray:
            return np.asarray(np.tensordot(p, np.stack(arrays), axes=1))

        triples = [point.triple for point in points if point.triple is not None]
        return Marginals(
            self.log_partition,
            mean([point.token for point in points]),
            mean([point.pair for point in points]),
            mean(triples) if triples else None,
        )
