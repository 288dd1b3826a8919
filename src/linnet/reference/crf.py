r"""The linear-chain conditional random field (M-118..M-120).

Model
    p(y | x) = exp(w.Phi(x, y)) / Z(x),   Z(x) = sum_y' exp(w.Phi(x, y'))          S1 "CRF"
Problem
    min  1/2 ||w||^2 + C sum_i weight_i (ln Z(x_i) - w.Phi(x_i, y_i))
Given
    sentences X_i (n_i, J), labels y_i, a `GlobalMap` of order 0, 1 or 2.
Returned
    the objective and its gradient at any w (D,); `fit` minimises by L-BFGS, `sgd` by single steps.

The gradient is expectation minus observation, as for MaxEnt, but the expectation runs over whole
labellings; forward-backward gives it from the marginals:
    grad = w + C sum_i weight_i (E_w[Phi(x_i, Y)] - Phi(x_i, y_i))
A Gaussian prior of variance sigma^2 is C = sigma^2; CRFsuite's c2 is 1/(2C).

Sentences of one token without start and stop are MaxEnt; so is order 0, token by token. An MEMM
normalises at every token, so a state with one successor passes all its mass on whatever it sees
(label bias); here only the whole labelling is normalised.

`observed` marks the parts of Phi that occur in the training labellings. Restricting w to them is
CRFsuite's default and saves most of the (feature, label) pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linnet.reference.averaging import Average
from linnet.reference.chain import Marginals, Mask
from linnet.reference.common import FloatArray, IntArray, Orders, example_sequence
from linnet.reference.forward_backward import forward_backward
from linnet.reference.global_features import GlobalMap
from linnet.reference.lbfgs import lbfgs
from linnet.reference.optimum import Function, Optimum
from linnet.reference.schedules import Schedule, power
from linnet.reference.sgd import SgdResult, stochastic

__all__ = ["fit", "log_probability", "marginals", "objective", "observed", "sentence_loss", "sgd"]


def marginals(layout: GlobalMap, X: FloatArray, w: FloatArray) -> Marginals:
    """Return ln Z(x) and the marginals of p(y | x).

    Examples
    --------
    >>> marginals(GlobalMap(1, 2), np.zeros((2, 1)), np.zeros(10)).token
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    return forward_backward(layout.chain(X, w))


def log_probability(layout: GlobalMap, X: FloatArray, labels: IntArray, w: FloatArray) -> float:
    """Return ln p(y | x).

    Examples
    --------
    >>> p = log_probability(GlobalMap(1, 2), np.zeros((2, 1)), np.array([0, 1]), np.zeros(10))
    >>> round(float(np.exp(p)), 12)
    0.25
    """
    return -sentence_loss(layout, X, labels, w)[0]


def sentence_loss(
    layout: GlobalMap, X: FloatArray, gold: IntArray, w: FloatArray
) -> tuple[float, FloatArray]:
    """Return -ln p(gold | x) and its gradient E[Phi(x, Y)] - Phi(x, gold).

    Examples
    --------
    >>> layout = GlobalMap(1, 2, start=False, stop=False, order=0)
    >>> value, gradient = sentence_loss(layout, np.ones((1, 1)), np.array([0]), np.zeros(2))
    >>> round(value, 6), gradient
    (0.693147, array([-0.5,  0.5]))
    """
    chain = layout.chain(X, w)
    model = forward_backward(chain)
    loss = model.log_partition - chain.score(gold)
    return loss, layout.mean(X, model) - layout.phi(X, gold)


def observed(layout: GlobalMap, sentences: Sequence[FloatArray], tags: Sequence[IntArray]) -> Mask:
    """Return which parts of Phi are non-zero in some training labelling: (D,).

    Examples
    --------
    >>> layout = GlobalMap(1, 2, start=False, stop=False)
    >>> observed(layout, [np.ones((2, 1))], [np.array([0, 0])]).tolist()
    [True, False, True, False, False, False]
    """
    layout.check(sentences, tags)
    seen = np.zeros(layout.size, dtype=np.bool_)
    for X, y in zip(sentences, tags, strict=True):
        seen |= layout.phi(np.abs(X), y) > 0
    return seen


def objective(
    layout: GlobalMap,
    sentences: Sequence[FloatArray],
    tags: Sequence[IntArray],
    *,
    C: float = 1.0,
    penalty: float = 1.0,
    weights: FloatArray | None = None,
    active: Mask | None = None,
) -> Function:
    """`penalty`/2 ||w||^2 + C sum of weighted losses, and the gradient.

    `penalty=0` is maximum likelihood; where `active` is False the gradient is 0, so a weight that
    starts at 0 stays there.

    Examples
    --------
    >>> layout = GlobalMap(1, 2)
    >>> f = objective(layout, [np.ones((3, 1))], [np.array([0, 1, 0])])
    >>> round(f(np.zeros(layout.size))[0], 6)  # 3 ln 2
    2.079442
    """
    layout.check(sentences, tags)
    scale = np.ones(len(sentences)) if weights is None else weights

    def value_and_gradient(w: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = 0.5 * penalty * float(w @ w), penalty * w
        for X, y, weight in zip(sentences, tags, scale, strict=True):
            loss, slope = sentence_loss(layout, X, y, w)
            value += C * float(weight) * loss
            gradient = gradient + C * float(weight) * slope
        return value, gradient if active is None else np.where(active, gradient, 0.0)

    return value_and_gradient


def fit(
    layout: GlobalMap,
    sentences: Sequence[FloatArray],
    tags: Sequence[IntArray],
    *,
    C: float = 1.0,
    weights: FloatArray | None = None,
    active: Mask | None = None,
    tolerance: float = 1e-6,
) -> Optimum:
    """Minimise the objective by L-BFGS from w = 0.

    It ends when no entry of the gradient exceeds `tolerance` times the larger of 1 and C: beyond
    that a large C leaves only rounding errors to follow.

    Examples
    --------
    >>> best = fit(GlobalMap(1, 2), [np.ones((2, 1))], [np.array([0, 1])])
    >>> best.converged, round(best.value, 6)
    (True, 0.881239)
    """
    f = objective(layout, sentences, tags, C=C, weights=weights, active=active)
    return lbfgs(f, np.zeros(layout.size), tolerance=tolerance * max(1.0, C))


def sgd(
    layout: GlobalMap,
    sentences: Sequence[FloatArray],
    tags: Sequence[IntArray],
    *,
    C: float = 1.0,
    schedule: Schedule | None = None,
    n_rounds: int = 10,
    average: Average = False,
    orders: Orders = None,
) -> SgdResult:
    """Minimise by one sentence at a time (M-62 with a chain): lambda = 1/(C M). Default rate 1/t.

    Examples
    --------
    >>> layout = GlobalMap(1, 2, start=False, stop=False, order=0)
    >>> sgd(layout, [np.ones((1, 1))], [np.array([0])], n_rounds=1).weights
    array([ 0.5, -0.5])
    """
    layout.check(sentences, tags)

    def direction(w: FloatArray, i: int) -> FloatArray:
        return -sentence_loss(layout, sentences[i], tags[i], w)[1]

    lam = 1.0 / (C * max(len(sentences), 1))
    sequence = example_sequence(len(sentences), n_rounds, orders)
    start = np.zeros(layout.size)
    return stochastic(direction, start, sequence, schedule or power(), lam=lam, average=average)
