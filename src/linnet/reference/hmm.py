r"""The hidden Markov model (M-111), and Baum-Welch for text without tags.

Model
    P(W, T) = P(t_1 | start) prod_{i>1} P(t_i | t_{i-1}) prod_i P(w_i | t_i) [P(stop | t_n)]
                                                                               S1 Eq. 71-73, A-55
Problem
    with tags: max sum ln P(W, T); closed form: counting
    without:   max sum ln P(W), P(W) = sum_T P(W, T); expectation maximisation
Given
    sentences of word ids 0..V-1, tags 0..L-1, smoothing alpha, whether sentences have a stop.
    Any other id is the unknown word, kept as word V.
Returned
    logarithms of start (L,), transition (L, L), emission (L, V+1) and stop (L,).

Estimates, with the counts c of the training sentences:
    P(j | start) = (c(start, j) + alpha) / (S + alpha L)             S sentences
    P(j | i)     = (c(i, j) + alpha) / (c(i, .) + alpha L)           with a stop: L+1 successors
    P(w | j)     = (c(j, w) + alpha) / (c(j) + alpha (V+1))
`alpha_tags` smooths the first two differently. 0/0 is 0: a tag without any data is impossible.

The logarithms are the scores of a chain, so decoding is Viterbi, ln P(W) is the log-partition and
P(t_i | W) comes from forward-backward. On sentences of one word it is multinomial naive Bayes.

Baum-Welch puts the expected counts under the present model in the place of c; with alpha = 0 no
step lowers the likelihood.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linnet.errors import DataError, ParameterError
from linnet.reference.chain import Chain, Marginals, point_mass
from linnet.reference.common import FloatArray, IntArray
from linnet.reference.forward_backward import forward_backward
from linnet.reference.viterbi import viterbi

__all__ = ["HMM", "baum_welch", "em_step", "fit"]


def _log(p: FloatArray) -> FloatArray:
    """Logarithm with ln 0 = -inf and no warning."""
    return np.log(p, out=np.full(np.shape(p), -np.inf), where=np.asarray(p) > 0)


@dataclass(frozen=True)
class HMM:
    """Log probabilities: start (L,), transition (L, L), emission (L, V+1), stop (L,) or None.

    Examples
    --------
    >>> half = np.log(np.full((2, 2), 0.5))
    >>> model = HMM(half[0], half, np.log(np.array([[0.9, 0.1, 0.0], [0.2, 0.8, 0.0]]) + 1e-9))
    >>> model.decode(np.array([0, 1, 0]))
    array([0, 1, 0])
    """

    start: FloatArray
    transition: FloatArray
    emission: FloatArray
    stop: FloatArray | None = None

    @classmethod
    def of(
        cls,
        start: FloatArray,
        transition: FloatArray,
        emission: FloatArray,
        stop: FloatArray | None = None,
    ) -> HMM:
        """Build the model from probabilities; emission (L, V) gets an unknown word of 0."""
        unknown = np.zeros((len(emission), 1))
        words = _log(np.hstack([emission, unknown]))
        return cls(_log(start), _log(transition), words, None if stop is None else _log(stop))

    def chain(self, words: IntArray) -> Chain:
        """Scores of one sentence of word ids."""
        V = self.emission.shape[1] - 1
        known = np.where((words >= 0) & (words < V), words, V)
        return Chain.of(self.emission[:, known].T, self.transition, self.start, self.stop)

    def log_joint(self, words: IntArray, tags: IntArray) -> float:
        """Return ln P(W, T)."""
        return self.chain(words).score(tags)

    def log_likelihood(self, words: IntArray) -> float:
        """Return ln P(W), the sum over all tag sequences."""
        return forward_backward(self.chain(words)).log_partition

    def decode(self, words: IntArray) -> IntArray:
        """Most probable tags."""
        return viterbi(self.chain(words)).labels

    def posterior(self, words: IntArray) -> FloatArray:
        """P(t_i | W): (n, L)."""
        return forward_backward(self.chain(words)).token


class _Counts:
    """Counts, real or expected, of starts, steps, stops and words."""

    def __init__(self, n_labels: int, n_words: int) -> None:
        self.start, self.stop = np.zeros(n_labels), np.zeros(n_labels)
        self.transition = np.zeros((n_labels, n_labels))
        self.emission = np.zeros((n_labels, n_words + 1))

    def add(self, words: IntArray, seen: Marginals) -> None:
        """Add one sentence; an empty one adds nothing."""
        self.start += seen.token[:1].sum(axis=0)
        self.stop += seen.token[-1:].sum(axis=0)
        self.transition += seen.pair.sum(axis=0)
        n_words = self.emission.shape[1] - 1
        known = np.where((words >= 0) & (words < n_words), words, n_words)
        np.add.at(self.emission.T, known, seen.token)

    def estimate(self, alpha: float, alpha_tags: float, stop: bool) -> HMM:
        """Turn counts into a model."""
        onward = np.hstack([self.transition, self.stop[:, None]]) if stop else self.transition
        steps = _rows(onward, alpha_tags)
        return HMM(
            _rows(self.start, alpha_tags),
            steps[:, : len(self.start)],
            _rows(self.emission, alpha),
            steps[:, -1] if stop else None,
        )


def _rows(counts: FloatArray, alpha: float) -> FloatArray:
    """Log of (count + alpha) over its sum along the last axis, with 0/0 = 0."""
    smoothed = counts + alpha
    total = np.broadcast_to(smoothed.sum(axis=-1, keepdims=True), smoothed.shape)
    return _log(np.divide(smoothed, total, out=np.zeros(smoothed.shape), where=total > 0))


def fit(
    sentences: Sequence[IntArray],
    tags: Sequence[IntArray],
    n_labels: int,
    n_words: int,
    *,
    alpha: float = 0.0,
    alpha_tags: float | None = None,
    stop: bool = False,
) -> HMM:
    """Count tagged sentences.

    Examples
    --------
    >>> model = fit([np.array([0, 1]), np.array([1])], [np.array([0, 1]), np.array([1])], 2, 2)
    >>> np.exp(model.start), np.exp(model.transition)
    (array([0.5, 0.5]), array([[0., 1.],
           [0., 0.]]))
    """
    tag_smoothing = alpha if alpha_tags is None else alpha_tags
    if alpha < 0 or tag_smoothing < 0:
        raise ParameterError("smoothing cannot be negative")
    if len(sentences) != len(tags):
        raise DataError(f"{len(sentences)} sentences but {len(tags)} tag sequences")
    counts = _Counts(n_labels, n_words)
    for i, (words, labels) in enumerate(zip(sentences, tags, strict=True)):
        if len(words) != len(labels):
            raise DataError(f"sentence {i} has {len(words)} words but {len(labels)} tags")
        if len(labels) and not (0 <= np.min(labels) and np.max(labels) < n_labels):
            raise DataError(f"sentence {i}: tags must lie in 0..{n_labels - 1}")
        counts.add(words, point_mass(labels, n_labels))
    return counts.estimate(alpha, tag_smoothing, stop)


def em_step(model: HMM, sentences: Sequence[IntArray], alpha: float = 0.0) -> tuple[HMM, float]:
    """One step of Baum-Welch: the new model, and sum ln P(W) under the old one.

    Examples
    --------
    >>> even = np.array([0.5, 0.5])
    >>> model = HMM.of(even, np.array([even, even]), np.array([[0.75, 0.25], [0.25, 0.75]]))
    >>> better, before = em_step(model, [np.array([0])])
    >>> np.exp(better.start), round(before, 6)
    (array([0.75, 0.25]), -0.693147)
    """
    counts = _Counts(len(model.start), model.emission.shape[1] - 1)
    total = 0.0
    for i, words in enumerate(sentences):
        seen = forward_backward(model.chain(words))
        if np.isneginf(seen.log_partition):
            raise DataError(f"sentence {i} is impossible under the model: smooth it first")
        total += seen.log_partition
        counts.add(words, seen)
    return counts.estimate(alpha, alpha, model.stop is not None), total


def baum_welch(
    model: HMM,
    sentences: Sequence[IntArray],
    *,
    n_iter: int = 100,
    tolerance: float = 1e-9,
    alpha: float = 0.0,
) -> tuple[HMM, list[float]]:
    """Repeat `em_step` until a step gains less than `tolerance`; also sum ln P(W) before each step.

    Examples
    --------
    >>> even = np.array([0.5, 0.5])
    >>> model = HMM.of(even, np.array([even, even]), np.array([[0.75, 0.25], [0.25, 0.75]]))
    >>> fitted, likelihoods = baum_welch(model, [np.array([0, 1])])
    >>> round(likelihoods[0], 6), round(np.exp(likelihoods[-1]).item(), 6)
    (-1.386294, 1.0)
    """
    likelihoods: list[float] = []
    for _ in range(n_iter):
        model, before = em_step(model, sentences, alpha)
        likelihoods.append(before)
        if len(likelihoods) > 1 and likelihoods[-1] - likelihoods[-2] < tolerance:
            break
    return model, likelihoods
