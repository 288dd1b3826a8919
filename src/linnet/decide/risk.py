"""Posteriors, losses and risks as arrays (SPEC M-01 - M-04).

R(a | x) = sum_k loss[a, k] P(k | x), for one x or many; a rule that mixes actions costs the mixture
of their risks.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError, ParameterError

__all__ = ["conditional_risk", "posterior", "randomised_risk", "zero_one_loss"]

Floats = NDArray[np.float64]


def posterior(likelihood: ArrayLike, prior: ArrayLike) -> Floats:
    """Return P(k | x) by Bayes' rule (SPEC M-01).

    Parameters
    ----------
    likelihood : array of shape (n, K)
        p(x | k), or anything proportional to it with one factor for each row.
    prior : array of shape (K,)

    Raises
    ------
    DataError
        When a row has probability 0 under every class.

    Examples
    --------
    >>> posterior([[0.5, 0.25]], [0.5, 0.5]).round(6).tolist()
    [[0.666667, 0.333333]]
    """
    density, share = np.atleast_2d(np.asarray(likelihood, np.float64)), distribution(prior)
    if density.ndim != 2 or share.shape != density.shape[1:]:
        raise DataError(
            f"likelihood has shape {density.shape}, prior {share.shape}; they need the same K."
        )
    if not np.isfinite(density).all() or (density < 0).any():
        raise DataError("likelihood must be finite and not negative.")
    top = density.max(axis=1, keepdims=True)
    joint = density / np.where(top > 0, top, 1.0) * share
    evidence = joint.sum(axis=1, keepdims=True)
    if not (evidence > 0).all():
        row = int(np.flatnonzero(~(evidence[:, 0] > 0))[0])
        raise DataError(f"Row {row} has probability 0 under every class: it has no posterior.")
    return np.asarray(joint / evidence)


def zero_one_loss(n_classes: int, reject: float | None = None) -> Floats:
    """Return the loss that counts mistakes; `reject` appends an action of that cost.

    Examples
    --------
    >>> zero_one_loss(2, reject=0.1).tolist()
    [[0.0, 1.0], [1.0, 0.0], [0.1, 0.1]]
    """
    loss = 1.0 - np.eye(n_classes)
    return loss if reject is None else np.vstack([loss, np.full(n_classes, cost_of(reject))])


def conditional_risk(proba: ArrayLike, loss: ArrayLike) -> Floats:
    """Return R(a | x), the expected loss of each action (SPEC M-02).

    Parameters
    ----------
    proba : array of shape (n, K) or (K,)
    loss : array of shape (A, K)

    Returns
    -------
    array of shape (n, A) or (A,)

    Examples
    --------
    >>> conditional_risk([0.7, 0.3], [[0, 10], [1, 0], [0.5, 0.5]]).tolist()
    [3.0, 0.7, 0.5]
    """
    p, table = distribution(proba), loss_table(loss)
    if p.shape[-1] != table.shape[1]:
        raise DataError(f"There are {p.shape[-1]} classes, but loss has {table.shape[1]} columns.")
    return np.asarray(p @ table.T)


def randomised_risk(rule: ArrayLike, proba: ArrayLike, loss: ArrayLike | None = None) -> float:
    """Return the risk of taking action a with probability rule[x, a] (SPEC M-04, W-26).

    Parameters
    ----------
    rule : array of shape (n, A), (A,), or one that broadcasts
    proba : array of shape (n, K) or (K,)
    loss : array of shape (A, K), optional
        The zero-one loss by default.

    Returns
    -------
    float
        The mean over the rows. Matching the posterior costs more than the best action:

    Examples
    --------
    >>> round(randomised_risk([0.7, 0.3], [0.7, 0.3]), 6)
    0.42
    >>> round(randomised_risk([1, 0], [0.7, 0.3]), 6)
    0.3
    """
    p = distribution(proba)
    risk = conditional_risk(p, zero_one_loss(p.shape[-1]) if loss is None else loss)
    actions = distribution(rule)
    if actions.shape[-1] != risk.shape[-1]:
        raise DataError(f"rule has {actions.shape[-1]} actions, the loss {risk.shape[-1]}.")
    try:
        return float((actions * risk).sum(axis=-1).mean())
    except ValueError as error:
        raise DataError(f"rule and proba have different numbers of rows: {error}.") from None


def distribution(values: ArrayLike) -> Floats:
    """Return probabilities, one row or several, after checking them."""
    p: Floats = np.asarray(values, dtype=np.float64)
    if p.ndim not in (1, 2) or p.size == 0:
        raise DataError(f"probabilities need shape (K,) or (n, K), got {p.shape}.")
    if not (p >= 0).all() or not np.allclose(p.sum(axis=-1), 1.0, rtol=0, atol=1e-6):
        raise DataError("probabilities must not be negative and must sum to 1.")
    return p


def loss_table(loss: ArrayLike) -> Floats:
    """Return losses of shape (A, K) after checking them."""
    try:
        table: Floats = np.array(loss, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"loss must be a table of numbers: {error}.") from None
    if table.ndim != 2 or table.size == 0 or not np.isfinite(table).all():
        raise ParameterError(
            f"loss must be finite, one row an action and one column a class, got {table.shape}."
        )
    return table


def cost_of(reject: float) -> float:
    """Return the cost of rejecting after checking it."""
    if not isinstance(reject, (int, float, np.number)) or not abs(reject) <= sys.float_info.max:
        raise ParameterError(f"the cost of rejecting must be a finite number, got {reject!r}.")
    return float(reject)
