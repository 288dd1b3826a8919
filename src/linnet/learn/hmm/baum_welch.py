r"""Baum-Welch: expectation maximisation of a hidden Markov model on text without labels.

.. math:: \max\ \sum_W \ln P(W) + \alpha \sum \ln \theta, \qquad P(W) = \sum_T P(W, T)

Given sentences of word numbers and a first model. Each step puts the counts that the present model
expects in the place of real ones. No step lowers the objective: with α = 0 that is the
likelihood, else it is penalised by a Dirichlet prior on every probability θ.

The expected counts are the derivatives of ln P(W) with respect to the log probabilities; they come
from the same forward and backward passes as the gradient of a CRF.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.learn.chain.weights import Layout
from linnet.learn.hmm.counts import Counts, Estimate, Floats
from linnet.learn.shared.history import History

__all__ = ["baum_welch", "expected_counts", "random_model"]

# What stands for ln 0: its exponential is 0 beside anything, and a gradient can be taken there.
_NEVER = -1e4


def random_model(n_labels: int, n_words: int, seed: int, *, stop: bool) -> Estimate:
    """Return probabilities near uniform ones: equal ones would stay equal for ever."""
    random = np.random.default_rng(seed)

    def rows(*shape: int) -> Floats:
        p = 1.0 + random.random(shape)
        return np.asarray(np.log(p / p.sum(axis=-1, keepdims=True)))

    emission = rows(n_labels, n_words + 1)
    steps = rows(n_labels, n_labels + stop)
    return Estimate(
        start=rows(n_labels),
        transition=np.ascontiguousarray(steps[:, :n_labels]),
        stop=steps[:, -1].copy() if stop else np.zeros(n_labels),
        first=np.arange(n_words + 1, dtype=np.int64) * n_labels,
        label=np.tile(np.arange(n_labels, dtype=np.int32), n_words),
        emission=emission[:, :-1].T.ravel(),
        background=emission[:, -1].copy(),
    )


def expected_counts(
    model: Estimate, words: NDArray[np.int32], sentence: NDArray[np.int64], threads: int
) -> tuple[Counts, float]:
    """Return the expected counts under a model, and the sum of ln P(W).

    The model has an emission for every word and label, in this order.
    """
    L, V = len(model.start), len(model.first) - 1
    matrix = _core.Matrix(np.arange(len(words) + 1, dtype=np.int64), words, None, V)
    chain = _core.Chain(matrix, sentence, model.first, model.label, L)
    w = Layout.join(model.emission, model.transition, model.start, model.stop)
    w = np.maximum(w, _NEVER)
    gradient = np.empty(len(w))
    gold = np.zeros(len(words), np.int32)  # any will do: what it adds is taken away again
    ones = np.ones(len(sentence) - 1)
    value = _core.crf_evaluate(chain, gold, ones, 0.0, w, gradient, threads)
    filled = int((np.diff(sentence) > 0).sum())
    observed = np.zeros(len(w))
    observed[: V * L : L] = np.bincount(words, minlength=V)
    observed[V * L] = len(words) - filled
    observed[V * L + L * L] = observed[V * L + L * L + L] = filled
    counts = np.maximum(gradient + observed, 0.0)
    emission, transition, start, stop = Layout(V * L, L).split(counts)
    expected = Counts(start, transition, stop, model.first, model.label, emission)
    return expected, value + float(observed @ w)


def baum_welch(
    model: Estimate,
    words: NDArray[np.int32],
    sentence: NDArray[np.int64],
    *,
    alpha: float,
    stop: bool,
    max_iter: int,
    tol: float,
    threads: int,
    history: History,
) -> Estimate:
    """Improve a model until a step gains less than `tol` of the objective; record each step."""
    before = -np.inf
    for iteration in range(1, max_iter + 1):
        counts, likelihood = expected_counts(model, words, sentence, threads)
        now = likelihood + (alpha * _log_prior(model, stop) if alpha else 0.0)
        gain = now - before
        history.add(iteration=iteration, objective=-now, log_likelihood=likelihood)
        if gain <= tol * abs(now) or history.stopped:
            break
        before = now
        model = counts.estimate(alpha, stop=stop)
    return model


def _log_prior(model: Estimate, stop: bool) -> float:
    parts = (model.start, model.transition.ravel(), model.emission, model.background)
    return float(np.concatenate([*parts, model.stop if stop else np.zeros(0)]).sum())
