"""What lies behind maximum entropy under constraints: feasibility, support, the dual (SPEC M-70).

Problem: for features F (D, n), scaled to 0 … 1, and goals g (D,)

    feasible?   min over distributions p of sum_d |F_d . p - g_d|              a linear programme
    support     the outcomes that some p with F p = g uses                     a linear programme
    dual        min_w ln sum_i q_i exp(w . (F_i - g))                          convex and smooth
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError

__all__ = ["minimise_dual", "require_feasible", "support"]

Floats = NDArray[np.float64]
_FEASIBLE = 1e-8  # how far, relative to the range of its feature, a target may be missed


# --- linear programmes -------------------------------------------------------------------------


def _violation(scaled: Floats, goal: Floats) -> float:
    """Return the least sum of |sum_i p_i f_d(i) - t_d| over all distributions."""
    from scipy.optimize import linprog

    d, n = scaled.shape
    cost = np.concatenate([np.zeros(n), np.ones(2 * d)])
    sums = np.concatenate([np.ones(n), np.zeros(2 * d)])
    table = np.vstack([np.hstack([scaled, np.eye(d), -np.eye(d)]), sums])
    answer = linprog(cost, A_eq=table, b_eq=np.append(goal, 1.0), method="highs")
    return float(answer.fun)


def require_feasible(
    names: list[str], features: Floats, targets: Floats, scaled: Floats, goal: Floats
) -> None:
    """Refuse constraints that no distribution meets, and name a smallest set of such.

    Raises
    ------
    DataError
        With the names and targets of the set.
    """
    if not names or _violation(scaled, goal) <= _FEASIBLE:
        return
    guilty = list(range(len(names)))
    for d in range(len(names)):  # leave out what is not needed for the contradiction
        rest = [other for other in guilty if other != d]
        if rest and _violation(scaled[rest], goal[rest]) > _FEASIBLE:
            guilty = rest
    said = [f"{names[d]} = {targets[d]:g}" for d in guilty]
    if len(guilty) == 1:
        low, high = features[guilty[0]].min(), features[guilty[0]].max()
        raise DataError(
            f"No distribution meets the constraint {said[0]} (its values go from {low:g} to "
            f"{high:g}). Change its target."
        )
    raise DataError(
        f"No distribution meets these constraints together: {', '.join(said)}. Each set without "
        "one of them could be met; change or remove one."
    )


def support(scaled: Floats, goal: Floats) -> NDArray[np.bool_]:
    """Return which outcomes some feasible distribution uses.

    The feasible p, multiplied by any s >= 1, form a cone; in it an outcome that can be used at all
    can have mass 1. So maximise sum z, 0 <= z <= 1, z <= p, for p in the cone.
    """
    from scipy.optimize import linprog

    d, n = scaled.shape
    if d == 0:
        return np.ones(n, dtype=np.bool_)
    inside = (goal > 0) & (goal < 1)
    if d == 1 and inside.all():  # the common case needs no programme
        return np.ones(n, dtype=np.bool_)
    cost = np.concatenate([np.zeros(n), -np.ones(n), [0.0]])
    equal = np.zeros((d + 1, 2 * n + 1))
    equal[:d, :n], equal[:d, -1] = scaled, -goal
    equal[d, :n], equal[d, -1] = 1.0, -1.0
    below = np.hstack([-np.eye(n), np.eye(n), np.zeros((n, 1))])
    bounds = [(0, None)] * n + [(0, 1)] * n + [(1, None)]
    answer = linprog(
        cost, A_ub=below, b_ub=np.zeros(n), A_eq=equal, b_eq=np.zeros(d + 1), bounds=bounds
    )
    if answer.status != 0:
        raise DataError(f"The constraints are too close to a contradiction: {answer.message}")
    return np.asarray(answer.x[n : 2 * n] > 0.5)


# --- the dual ----------------------------------------------------------------------------------


def minimise_dual(F: Floats, log_base: Floats, tol: float, max_iter: int) -> tuple[Floats, int]:
    """Minimise ln sum_i q_i exp(w . F_i) for F (D, n) and ln q (n,); return w and the steps."""
    w = np.zeros(len(F))
    value, p = _dual(F, log_base, w)
    for step in range(max_iter):
        gradient = F @ p
        if np.abs(gradient).max(initial=0.0) <= tol:
            return w, step
        centred = F - gradient[:, None]
        direction = -np.linalg.lstsq((centred * p) @ centred.T, gradient, rcond=1e-14)[0]
        slope, size = float(gradient @ direction), 1.0
        while size > 1e-10:
            new_value, new_p = _dual(F, log_base, w + size * direction)
            if new_value <= value + 1e-4 * size * slope + 1e-15:
                break
            size /= 2
        w, value, p = w + size * direction, new_value, new_p
    missed = float(np.abs(F @ p).max())
    if missed <= 1e3 * tol:
        return w, max_iter
    raise DataError(
        f"After {max_iter} steps an expectation is still {missed:.1e} of its range away from its "
        "target: the constraints all but force some outcomes to probability 0. Loosen a target, "
        "or pass a larger tol or max_iter."
    )


def _dual(F: Floats, log_base: Floats, w: Floats) -> tuple[float, Floats]:
    scores = w @ F + log_base
    top = scores.max()
    p = np.exp(scores - top)
    total = p.sum()
    return float(top + np.log(total)), p / total
