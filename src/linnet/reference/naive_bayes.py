r"""Naive Bayes for documents: multinomial and Bernoulli (M-15..M-21).

Problem
    Maximise sum_i ln p(x_i, y_i), with p(x, y) = p(y) prod_j p(x_j | y); closed form: counting.
Given
    X (M, J) word counts, y in 0..K-1, smoothing alpha.
Returned
    ln p(y) (K,) and the log probabilities of the words (J, K).

Multinomial (S2 "Learning in Practice", S0 Eq. 1.9-1.10), V word types:
    p(j | k) = (alpha + count(k, j)) / (alpha V + N_k)
    N_k = tokens of class k; normaliser="documents" is S0's print, N_k = |I_k| (A-01, A-02)
Bernoulli (S0 footnote 1): presence only, and absent words count too:
    p(j | k) = (alpha + documents of k with j) / (2 alpha + |I_k|)

Both are linear classifiers (S0 Remark 1.2, M-19): multinomial w_jk = ln p(j|k), b_k = ln p(k);
Bernoulli w_jk = logit p(j|k), b_k = ln p(k) + sum_j ln(1 - p(j|k)).
A probability of 0 gives a score of -inf, never NaN; a document that is impossible under every
class has the uniform posterior, so the lowest index wins (A-05).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from linnet.errors import DataError, ParameterError
from linnet.reference.common import FloatArray, IntArray, check_classes, one_hot

__all__ = [
    "Bernoulli",
    "Multinomial",
    "bernoulli",
    "joint_log_likelihood",
    "multinomial",
    "posterior",
    "stacked",
]

Normaliser = Literal["tokens", "documents"]


def _log(p: FloatArray) -> FloatArray:
    """Logarithm with ln 0 = -inf and no warning."""
    return np.log(p, out=np.full(np.shape(p), -np.inf), where=np.asarray(p) > 0)


def _ratio(top: FloatArray, bottom: FloatArray) -> FloatArray:
    """Quotient with 0/0 = 0: a class without any data gives every word probability 0."""
    shape = np.broadcast_shapes(np.shape(top), np.shape(bottom))
    return np.divide(top, bottom, out=np.zeros(shape), where=np.asarray(bottom) > 0)


@dataclass(frozen=True)
class Multinomial:
    """log_prior (K,) and log_words (J, K); these are also the bias and the linear weights."""

    log_prior: FloatArray
    log_words: FloatArray

    def scores(self, X: FloatArray) -> FloatArray:
        """Log joint ln p(x, k) for each row, up to the multinomial coefficient: (M, K)."""
        terms = np.zeros((*X.shape, len(self.log_prior)))
        np.multiply(X[:, :, None], self.log_words, out=terms, where=X[:, :, None] > 0)
        scores: FloatArray = self.log_prior + terms.sum(axis=1)
        return scores

    def linear(self) -> tuple[FloatArray, FloatArray]:
        """Weights (J, K) and bias (K,) of the same decision (M-19)."""
        return self.log_words, self.log_prior


@dataclass(frozen=True)
class Bernoulli:
    """log_prior (K,), log_present (J, K) = ln p(j|k) and log_absent = ln(1 - p(j|k))."""

    log_prior: FloatArray
    log_present: FloatArray
    log_absent: FloatArray

    def scores(self, X: FloatArray) -> FloatArray:
        """Log joint ln p(x, k) for each row: (M, K)."""
        terms = np.where(X[:, :, None] > 0, self.log_present, self.log_absent)
        scores: FloatArray = self.log_prior + terms.sum(axis=1)
        return scores

    def linear(self) -> tuple[FloatArray, FloatArray]:
        """Weights (J, K) and bias (K,) against presence 0/1; needs 0 < p < 1, so alpha > 0."""
        if not (np.isfinite(self.log_present).all() and np.isfinite(self.log_absent).all()):
            raise DataError("a word has probability 0 or 1, its logit is infinite: use alpha > 0")
        weights = self.log_present - self.log_absent
        return weights, self.log_prior + self.log_absent.sum(axis=0)


def multinomial(
    X: FloatArray,
    y: IntArray,
    n_classes: int,
    *,
    alpha: float = 1.0,
    normaliser: Normaliser = "tokens",
    n_types: int | None = None,
) -> Multinomial:
    """Count words; `n_types` is V when it is not the number of columns (W-05).

    Examples
    --------
    >>> model = multinomial(np.array([[3.0, 0.0], [1.0, 2.0]]), np.array([0, 1]), 2)
    >>> np.exp(model.log_words)
    array([[0.8, 0.4],
           [0.2, 0.6]])
    """
    check_classes(X, y, n_classes)
    if alpha < 0:
        raise ParameterError(f"alpha={alpha}: smoothing cannot be negative")
    member = one_hot(y, n_classes)
    counts, documents = X.T @ member, member.sum(axis=0)
    size = counts.sum(axis=0) if normaliser == "tokens" else documents
    n_types = X.shape[1] if n_types is None else n_types
    words = _ratio(alpha + counts, alpha * n_types + size)
    return Multinomial(_log(documents / len(y)), _log(words))


def bernoulli(X: FloatArray, y: IntArray, n_classes: int, *, alpha: float = 1.0) -> Bernoulli:
    """Count the documents each word occurs in.

    Examples
    --------
    >>> model = bernoulli(np.array([[3.0, 0.0], [1.0, 2.0]]), np.array([0, 1]), 2)
    >>> np.exp(model.log_present).round(4)
    array([[0.6667, 0.6667],
           [0.3333, 0.6667]])
    """
    check_classes(X, y, n_classes)
    if alpha < 0:
        raise ParameterError(f"alpha={alpha}: smoothing cannot be negative")
    member = one_hot(y, n_classes)
    documents = member.sum(axis=0)
    present = _ratio(alpha + (X > 0).T @ member, 2 * alpha + documents)
    return Bernoulli(_log(documents / len(y)), _log(present), _log(1.0 - present))


def posterior(scores: FloatArray) -> FloatArray:
    """Return p(k | x) from log joint scores (M, K); a row of -inf becomes uniform (A-05).

    Examples
    --------
    >>> posterior(np.array([[0.0, -np.inf], [-np.inf, -np.inf]]))
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    top = scores.max(axis=1, keepdims=True)
    safe = np.where(np.isneginf(top), 0.0, scores - np.where(np.isneginf(top), 0.0, top))
    weights: FloatArray = np.exp(safe) / np.exp(safe).sum(axis=1, keepdims=True)
    return weights


def joint_log_likelihood(scores: FloatArray, y: IntArray) -> float:
    """Sum over i of ln p(x_i, y_i), what the estimates maximise at alpha = 0 (M-20).

    Examples
    --------
    >>> joint_log_likelihood(np.array([[-1.0, -9.0], [-9.0, -3.0]]), np.array([0, 1]))
    -4.0
    """
    return float(scores[np.arange(len(y)), y].sum())


def stacked(model: Multinomial | Bernoulli) -> FloatArray:
    """Linear weights with the bias as the last row, (J+1, K).

    Examples
    --------
    >>> stacked(multinomial(np.array([[1.0], [1.0]]), np.array([0, 1]), 2)).shape
    (2, 2)
    """
    weights, bias = model.linear()
    return np.vstack([weights, bias])
