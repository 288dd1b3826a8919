"""What learners ask of their parameters and weights, and what they say when they stop early.

Nothing here needs more than NumPy, so that sequence learners load fast.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.learn.shared.history import History

__all__ = [
    "check_beam",
    "check_choice",
    "check_count",
    "check_positive",
    "check_row_numbers",
    "check_tolerance",
    "class_order",
    "sample_weights",
    "seed_from",
    "warn_unless_converged",
]

MOST_NUMBERS = 2**31 - 1  # of rows
MOST_STEPS = 2**31 - 1
_COUNTS = ("batch_size", "degree", "max_iter", "n_iter_no_change")
LARGEST = sys.float_info.max  # integers beyond it are less than infinity, but no floats


def check_tolerance(tol: Any, *, zero: bool) -> None:
    """Refuse a tolerance that is not a positive number, or 0 (never stop) where allowed."""
    if not (zero and isinstance(tol, (int, float)) and tol == 0):
        check_positive(tol=tol)


def check_positive(**values: Any) -> None:
    """Refuse parameters that are not positive, finite numbers."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
            raise ParameterError(f"{name} must be a positive number, got {value!r}.")
        if not 0 < value <= LARGEST:
            raise ParameterError(f"{name} must be positive and finite, got {shown(value)}.")
        if name in _COUNTS and not 1 <= value <= MOST_STEPS:
            raise ParameterError(
                f"{name} must be an integer of 1 to {MOST_STEPS}, got {shown(value)}."
            )


def check_count(name: str, value: Any, least: int = 1) -> int:
    """Return an integer of at least ``least``, or say what is wrong with it."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        wanted = "a positive integer" if least == 1 else f"an integer of at least {least}"
        got = shown(value) if isinstance(value, int) else repr(value)
        raise ParameterError(f"{name} must be {wanted}, got {got}.")
    if value > MOST_STEPS:
        raise ParameterError(f"{name} must be at most {MOST_STEPS}, got {shown(value)}.")
    return int(value)


def shown(value: object) -> str:
    """Return a number as a message shows it, however long it is."""
    if isinstance(value, int) and abs(value) > LARGEST:
        return "an integer too large for a float"
    return str(value)


def check_row_numbers(rows: int, numbers_each: int = 1) -> None:
    """Refuse more rows than have numbers, for learners whose numbers have 32 bits."""
    most = MOST_NUMBERS // numbers_each
    if rows > most:
        raise DataError(
            f"X has {rows} rows, and this learner numbers at most {most}; train on a part of "
            "them, or with an online learner such as Perceptron or MaxEnt(solver='sgd')."
        )


def check_choice(name: str, value: object, allowed: tuple[object, ...]) -> None:
    """Refuse a parameter outside its list of values."""
    if value not in allowed:
        listed = ", ".join(repr(choice) for choice in allowed)
        raise ParameterError(f"{name} must be one of {listed}; got {value!r}.")


def seed_from(random_state: Any) -> int:
    """Return one non-negative seed for the core's counter-based generator."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ParameterError(f"random_state must not be negative, got {random_state}.")
        if random_state >= 2**64:
            raise ParameterError("random_state must be below 2**64.")
        return int(random_state)
    if random_state is None or random_state is np.random:
        return int(np.random.randint(2**31 - 1))  # noqa: NPY002  # the state that users may seed
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise ParameterError(f"random_state must be a whole number or a RandomState: {random_state!r}.")


def sample_weights(sample_weight: Any, rows: int) -> NDArray[np.float64]:
    """Return sample weights as float64; None means 1 for every row."""
    if sample_weight is None:
        return np.ones(rows)
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"sample_weight must hold numbers: {error}.") from None
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.ndim != 1:
        raise DataError(
            f"Sample weights must be 1D array or scalar, got {weights.ndim} dimensions."
        )
    if len(weights) != rows:
        raise DataError(f"sample_weight has {len(weights)} values for {rows} rows.")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise DataError("sample_weight must be finite and not negative.")
    if rows and not (weights > 0).any():
        raise DataError("All values of sample_weight are zero; at least one must be positive.")
    return weights.copy()


def warn_unless_converged(learner: str, history: History, tol: float, converged: bool) -> None:
    """Say how far from the optimum a stopped fit may be."""
    if converged:
        return
    from sklearn.exceptions import ConvergenceWarning

    share = history.last("gap") / abs(history.last("objective") or 1.0)
    warnings.warn(
        f"{learner} stopped after {history.last('iteration'):.0f} iterations: the objective is "
        f"certified to within {share:.1e} of its optimum (relative), tol asks for {tol:.1e}. "
        "Increase max_iter or tol, or scale the features.",
        ConvergenceWarning,
        stacklevel=3,
    )


def class_order(classes: Any) -> NDArray[Any]:
    """Return the labels that a user lists, in that order.

    Examples
    --------
    >>> class_order(["neg", "neutral", "pos"]).tolist()
    ['neg', 'neutral', 'pos']
    """
    if isinstance(classes, (str, bytes)) or not hasattr(classes, "__len__"):
        raise ParameterError(f"classes must be a list of labels, got {classes!r}.")
    ordered = np.asarray(classes)
    if ordered.ndim != 1 or len(set(ordered.tolist())) != len(ordered):
        raise ParameterError(f"classes must list every label once, got {classes!r}.")
    return ordered


def check_beam(beam: Any) -> int:
    """Return the width of a beam; 0 is none."""
    if isinstance(beam, bool) or not isinstance(beam, (int, np.integer)) or beam < 0:
        raise ParameterError(f"beam must be 0 (exact search) or a positive integer, got {beam!r}.")
    return min(int(beam), MOST_STEPS)
