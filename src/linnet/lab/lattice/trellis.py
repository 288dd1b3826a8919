r"""The passes over one sentence's trellis, cell by cell: what the learners do without showing it.

Given the scores of the first token, first[L], a matrix [previous, next] for each later one,
between[n-1, L, L], which has the token's own score in it, and stop[L]; all are logarithms:

.. math::
   \alpha_t(j) &= \ln \sum_i e^{\alpha_{t-1}(i) + b^{(t)}_{ij}}, \qquad
   \beta_t(i) = \ln \sum_j e^{b^{(t+1)}_{ij} + \beta_{t+1}(j)} \\
   v_t(j) &= \max_i v_{t-1}(i) + b^{(t)}_{ij}, \quad \text{with the } i \text{ it came from}

(SPEC M-112, M-115, M-119). The lowest index wins a tie.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Kept", "Trellis"]

Floats = NDArray[np.float64]
_SMALL = 1e-200  # of a sum of factors: below it, those that were rounded to 0 might have mattered


class Kept(NamedTuple):
    """A beginning that a beam keeps: its last label, its place in the beam before, its score."""

    label: int
    parent: int
    score: float


class Trellis(NamedTuple):
    """The scores of one sentence, n tokens and L labels.

    Examples
    --------
    >>> trellis = Trellis(np.zeros(2), np.array([[[0.0, 1.0], [0.0, 0.0]]]), np.zeros(2))
    >>> trellis.viterbi()[0].tolist(), trellis.viterbi()[1].tolist()
    ([[0.0, 0.0], [0.0, 1.0]], [[-1, -1], [0, 0]])
    >>> [[kept.label for kept in beam] for beam in trellis.beam(1)]
    [[0], [1]]
    """

    first: Floats
    between: Floats
    stop: Floats

    def forward(self) -> Floats:
        """Return α, shape (n, L)."""
        alpha = [self.first]
        top = self.between.max(axis=1)
        top[np.isneginf(top)] = 0.0
        factors = np.exp(self.between - top[:, None, :])
        for matrix, factor, scale in zip(self.between, factors, top, strict=True):
            most = alpha[-1].max()
            with np.errstate(invalid="ignore"):  # where no beginning is possible
                sums = np.exp(alpha[-1] - most) @ factor
            if sums.min() > _SMALL:
                alpha.append(np.log(sums) + most + scale)
            else:
                alpha.append(_log_sum(alpha[-1][:, None] + matrix, 0))
        return np.array(alpha)

    def backward(self) -> Floats:
        """Return β, shape (n, L): α of the sentence read from its end."""
        turned = Trellis(self.stop, self.between[::-1].transpose(0, 2, 1), self.first)
        return turned.forward()[::-1]

    def log_partition(self, alpha: Floats) -> float:
        """Return ln Z, the logarithm of the sum over all labellings, from α."""
        return float(_log_sum(alpha[-1] + self.stop, 0))

    def viterbi(self) -> tuple[Floats, NDArray[np.intp]]:
        """Return v and where each cell came from, both of shape (n, L); -1 is the start."""
        best, back = [self.first], [np.full(len(self.first), -1)]
        for matrix in self.between:
            reached = best[-1][:, None] + matrix
            back.append(np.argmax(reached, axis=0))
            best.append(reached.max(axis=0))
        return np.array(best), np.array(back)

    def beam(self, width: int) -> list[list[Kept]]:
        """Return what a beam of that width keeps at each token, the best first."""
        L, n = len(self.first), len(self.between) + 1
        reached = (self.first + (self.stop if n == 1 else 0.0))[None, :]
        beams: list[list[Kept]] = []
        for t in range(n):
            order = np.argsort(-reached, axis=None, kind="stable")[:width].tolist()
            flat = reached.ravel()
            beams.append([Kept(at % L, at // L if t else -1, float(flat[at])) for at in order])
            if t < n - 1:
                labels = [kept.label for kept in beams[-1]]
                scores = np.array([kept.score for kept in beams[-1]])
                reached = scores[:, None] + self.between[t][labels]
                if t == n - 2:
                    reached = reached + self.stop
        return beams


def _log_sum(scores: Floats, axis: int) -> Floats:
    """Return ln Σ e^score along an axis: the same as logaddexp.reduce, in one sweep of exp."""
    top = scores.max(axis=axis, keepdims=True)
    top[np.isneginf(top)] = 0.0
    with np.errstate(divide="ignore"):
        sums = np.log(np.exp(scores - top).sum(axis=axis))
    return np.asarray(sums + top.squeeze(axis))
