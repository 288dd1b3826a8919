"""Watching an online learner: one example at a time, on the same kernel that ``fit`` uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.learn.shared.online_run import Examples, Floats, OnlineRun, Trace

__all__ = ["Step", "walk"]

INTERCEPT = "(intercept)"


@dataclass(frozen=True)
class Step:
    """What a learner did with one example.

    Attributes
    ----------
    round : int
        From 1.
    example : int
        The row of X.
    label, guess : class labels
        The gold label, and the label the learner held against it.
    scores : array
        One score for two classes (that of ``classes_[1]``), else one for each class.
    loss, step_size : float
        ``step_size`` 0 means that nothing was changed.
    changed : dict
        From feature name to the change of its weight in each column.
    weights : array of shape (J + 1, columns), or (J, columns) without intercept
        A read-only view of the current weights; copy it to keep it.
    """

    round: int
    example: int
    label: Any
    guess: Any
    scores: Floats
    loss: float
    step_size: float
    changed: dict[str, Floats]
    weights: Floats


def walk(
    run: OnlineRun,
    examples: Examples,
    orders: Iterable[tuple[int, NDArray[np.int64], Floats]],
    classes: NDArray[Any],
    names: NDArray[Any],
) -> Iterator[Step]:
    """Yield a step for each example; ``orders`` gives number, order and rates of each round."""
    trace = Trace.empty(1, run.rule.core().width)
    weights = run.live_weights()
    labels = classes.tolist()
    for number, order, rates in orders:
        for position, i in enumerate(order.tolist()):
            rows = _rows_touched(run, examples, i)
            before = weights[rows]
            run.go(examples, order[position : position + 1], rates[position : position + 1], trace)
            change = weights[rows] - before
            moved = np.flatnonzero(change.any(axis=1))
            yield Step(
                round=number + 1,
                example=i,
                label=labels[examples.gold[i]],
                guess=labels[trace.guess[0]],
                scores=trace.scores[0].copy(),
                loss=float(trace.loss[0]),
                step_size=float(trace.step[0]),
                changed={_name(names, rows[k]): change[k] for k in moved},
                weights=weights,
            )


def _rows_touched(run: OnlineRun, examples: Examples, i: int) -> NDArray[np.intp]:
    """Return the weight rows an update on example i may change: all of them under truncation."""
    features = examples.features
    if run.truncates:
        return np.arange(features.cols + bool(run.bias))
    per = run.rule.n_classes if run.rule.form == "grouped" else 1
    start, end = features.csr.indptr[i * per], features.csr.indptr[(i + 1) * per]
    rows = np.unique(features.csr.indices[start:end]).astype(np.intp)
    return np.append(rows, features.cols) if run.bias else rows


def _name(names: NDArray[Any], row: np.intp) -> str:
    return str(names[row]) if row < len(names) else INTERCEPT
