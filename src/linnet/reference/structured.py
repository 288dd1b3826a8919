r"""Structured perceptron, MIRA and SVM: learning with a decoder inside (M-116, M-123).

Problem
    find w with w.Phi(x_i, y_i) > w.Phi(x_i, y) for every sentence and every other labelling y
Given
    sentences X_i (n_i, J), labels y_i, a `GlobalMap`, rounds and the order of the sentences.
Returned
    w (D,), plain or averaged, with the mistakes of each round.

S1 "Generic Perceptron": start from w = 0; for t = 1..T, i = 1..n
    guess = argmax_{y in GEN(x_i)} w.Phi(x_i, y)
    if guess != y_i:  w <- w + eta (Phi(x_i, y_i) - Phi(x_i, guess))        (A-59)

    perceptron   eta = 1
    MIRA         eta = min(C, loss / ||Phi(x_i, y_i) - Phi(x_i, guess)||^2),
                 loss = w.Phi(x_i, guess) - w.Phi(x_i, y_i) + cost(guess, y_i)      S0 Alg. 3
    SVM          w <- (1 - lambda eta_t) w + eta_t (Phi(x_i, y_i) - Phi(x_i, guess)),
                 guess = argmax_y w.Phi(x_i, y) + cost(y, y_i)                      S0 Alg. 6

The cost of a labelling is the number of its wrong labels, so the cost-augmented argmax is an
ordinary decoding of other state scores. For sentences, GEN is all labellings and the argmax is
Viterbi or beam search; `rerank` takes GEN as an explicit list of candidates instead. Sentences of
one token give the multiclass learners.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Unpack

import numpy as np

from linnet.reference.averaging import Average
from linnet.reference.chain import Chain, hamming
from linnet.reference.common import FloatArray, IntArray, Orders, example_sequence
from linnet.reference.enumeration import place
from linnet.reference.global_features import GlobalMap
from linnet.reference.mira import Decode, Variant, step_size
from linnet.reference.online import AVERAGED, Correction, OnlineResult, Rounds, run
from linnet.reference.optimum import Function
from linnet.reference.schedules import Schedule, power
from linnet.reference.sgd import SgdResult, stochastic
from linnet.reference.viterbi import best_labels

__all__ = ["Decoder", "hinge_objective", "mira", "perceptron", "predict", "rerank", "svm"]

Decoder = Callable[[Chain], IntArray]
"""Finds a labelling of high score: `viterbi.best_labels`, or a beam search."""


def predict(
    layout: GlobalMap,
    sentences: Sequence[FloatArray],
    w: FloatArray,
    decoder: Decoder = best_labels,
) -> list[IntArray]:
    """Label every sentence.

    Examples
    --------
    >>> layout = GlobalMap(1, 2, start=False, stop=False, order=0)
    >>> predict(layout, [np.array([[1.0], [-1.0]]), np.zeros((0, 1))], np.array([0.0, 1.0]))
    [array([1, 0]), array([], dtype=int64)]
    """
    return [decoder(layout.chain(X, w)) for X in sentences]


def perceptron(
    layout: GlobalMap,
    sentences: Sequence[FloatArray],
    tags: Sequence[IntArray],
    *,
    decoder: Decoder = best_labels,
    **how: Unpack[Rounds],
) -> OnlineResult:
    """Train the structured perceptron (M-116), by default for ten rounds, all weights averaged.

    In the record a guess is its place among all labellings (`enumeration.place`), and the scores
    are those of the guess and of the gold labelling.

    Examples
    --------
    >>> layout = GlobalMap(1, 2, start=False, stop=False)
    >>> X, y = [np.array([[1.0], [0.0]])], [np.array([0, 1])]
    >>> perceptron(layout, X, y, n_rounds=1).last
    array([ 0.,  0., -1.,  1.,  0.,  0.])
    """
    layout.check(sentences, tags)

    def rule(w: FloatArray, i: int) -> Correction | None:
        X, gold = sentences[i], tags[i]
        chain = layout.chain(X, w)
        guess = decoder(chain)
        if hamming(guess, gold) == 0:
            return None
        change = layout.phi(X, gold) - layout.phi(X, guess)
        return _correction(w, 1.0, change, chain, guess, gold)

    return run(rule, np.zeros(layout.size), len(sentences), **(AVERAGED | how))


def mira(
    layout: GlobalMap,
    sentences: Sequence[FloatArray],
    tags: Sequence[IntArray],
    *,
    C: float = 1.0,
    variant: Variant = "pa1",
    decode: Decode = "predicted",
    decoder: Decoder = best_labels,
    **how: Unpack[Rounds],
) -> OnlineResult:
    """Train one-best MIRA with the Hamming cost (M-123).

    Examples
    --------
    >>> layout = GlobalMap(1, 2, start=False, stop=False)
    >>> X, y = [np.array([[1.0], [0.0]])], [np.array([0, 1])]
    >>> mira(layout, X, y, n_rounds=1).last
    array([ 0. ,  0. , -0.5,  0.5,  0. ,  0. ])
    """
    layout.check(sentences, tags)

    def rule(w: FloatArray, i: int) -> Correction | None:
        X, gold = sentences[i], tags[i]
        chain = layout.chain(X, w)
        guess = decoder(chain.augmented(gold) if decode == "augmented" else chain)
        loss = chain.score(guess) - chain.score(gold) + hamming(guess, gold)
        change = layout.phi(X, gold) - layout.phi(X, guess)
        if hamming(guess, gold) == 0 or loss <= 0 or not change.any():
            return None
        eta = step_size(loss, float(change @ change), C, variant)
        return _correction(w, eta, change, chain, guess, gold)

    return run(rule, np.zeros(layout.size), len(sentences), **(AVERAGED | how))


def _correction(
    w: FloatArray, eta: float, change: FloatArray, chain: Chain, guess: IntArray, gold: IntArray
) -> Correction:
    scores = np.array([chain.score(guess), chain.score(gold)])
    return Correction(w + eta * change, scores, place(guess, chain.n_labels), eta)


def _hinge(
    layout: GlobalMap, X: FloatArray, gold: IntArray, w: FloatArray, decoder: Decoder
) -> tuple[float, FloatArray]:
    """Loss of one sentence and minus its subgradient; at a kink the gold labelling wins (A-63)."""
    chain = layout.chain(X, w).augmented(gold)
    guess = decoder(chain)
    loss = chain.score(guess) - chain.score(gold)
    if loss <= 0:
        return 0.0, np.zeros(layout.size)
    return loss, layout.phi(X, gold) - layout.phi(X, guess)


def svm(
    layout: GlobalMap,
    sentences: Sequence[FloatArray],
    tags: Sequence[IntArray],
    *,
    lam: float = 1.0,
    schedule: Schedule | None = None,
    n_rounds: int = 10,
    average: Average = False,
    orders: Orders = None,
    decoder: Decoder = best_labels,
) -> SgdResult:
    """Structured SVM by stochastic subgradient (M-75 with a chain). Default rate 1/t.

    Minimises lambda/2 ||w||^2 + the mean loss: `hinge_objective` with C = 1/(lambda M), times
    lambda (A-36).

    Examples
    --------
    >>> layout = GlobalMap(1, 2, start=False, stop=False)
    >>> X, y = [np.array([[1.0], [0.0]])], [np.array([0, 1])]
    >>> svm(layout, X, y, n_rounds=1).weights
    array([ 1., -1.,  0.,  1., -1.,  0.])
    """
    layout.check(sentences, tags)

    def direction(w: FloatArray, i: int) -> FloatArray:
        return _hinge(layout, sentences[i], tags[i], w, decoder)[1]

    sequence = example_sequence(len(sentences), n_rounds, orders)
    start = np.zeros(layout.size)
    return stochastic(direction, start, sequence, schedule or power(), lam=lam, average=average)


def hinge_objective(
    layout: GlobalMap,
    sentences: Sequence[FloatArray],
    tags: Sequence[IntArray],
    C: float = 1.0,
) -> Function:
    """1/2 ||w||^2 + C sum_i max_y [w.Phi(x_i, y) + cost(y, y_i)] - w.Phi(x_i, y_i).

    The function returned gives the value and a subgradient.

    Examples
    --------
    >>> layout = GlobalMap(1, 2, start=False, stop=False)
    >>> hinge_objective(layout, [np.ones((3, 1))], [np.array([0, 1, 0])])(np.zeros(6))[0]
    3.0
    """
    layout.check(sentences, tags)

    def objective(w: FloatArray) -> tuple[float, FloatArray]:
        pairs = zip(sentences, tags, strict=True)
        losses = [_hinge(layout, X, y, w, best_labels) for X, y in pairs]
        value = 0.5 * float(w @ w) + C * sum(loss for loss, _ in losses)
        return value, w - C * sum((down for _, down in losses), np.zeros(layout.size))

    return objective


def rerank(
    candidates: Sequence[FloatArray],
    gold: IntArray,
    **how: Unpack[Rounds],
) -> OnlineResult:
    """Structured perceptron over explicit lists: row k of candidates[i] is Phi(x_i, y_k).

    gold[i] is the row of the right candidate; lists may differ in length.

    Examples
    --------
    >>> rerank([np.array([[1.0, 0.0], [0.0, 2.0]])], np.array([1]), n_rounds=1).last
    array([-1.,  2.])
    """

    def rule(w: FloatArray, i: int) -> Correction | None:
        scores, right = candidates[i] @ w, int(gold[i])
        guess = int(np.argmax(scores))
        if guess == right:
            return None
        return Correction(w + candidates[i][right] - candidates[i][guess], scores, guess, 1.0)

    return run(rule, np.zeros(candidates[0].shape[1]), len(candidates), **(AVERAGED | how))
