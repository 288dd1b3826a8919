"""Who watches a fit while it runs: a function that is told of every iteration, and may end it.

Learners report to their :class:`~linnet.learn.shared.history.History`, which tells the watcher, so
one :func:`watch` around any fit, of a learner, of a pipeline or of a grid search, sees all of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

__all__ = [
    "FitStep", "Watcher", "in_words", "is_watched", "stage", "tell", "tell_ahead", "time_left",
    "watch",
]  # fmt: skip

_FEWEST = 3  # iterations before the time left is guessed
_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)
_ahead: ContextVar[bool] = ContextVar("ahead", default=False)
_stage: ContextVar[str] = ContextVar("stage", default="fit")


@dataclass(frozen=True)
class FitStep:
    """One iteration of a fit.

    Attributes
    ----------
    learner : str
        The class.
    stage : str
        "fit"; "choose C" while held-out examples are asked which C is best; "calibrate" while they
        are kept for the probabilities alone; "supply column 2, round" while a tagger learns to
        supply that column where it is missing; of very many labels also which of them are at hand,
        such as "fit labels 1 to 384 of 3,000, round". Before the iterations: what is made ready,
        such as "features of 25,000 texts".
    iteration : int
        0 before the first one, where nothing is learned yet.
    limit : int or None
        The most iterations there can be.
    objective : float or None
    gap : float or None
        Certified distance from the optimum as a share of the objective; None where nothing is
        certified.
    mistakes : int or None
        Of an online learner in this round.
    seconds : float
        Since the fit began.
    seconds_left : float or None
        A guess, from how fast the gap has closed so far.

    Examples
    --------
    >>> print(FitStep("CRF", "fit", 37, 500, 12431.2, 0.021, None, 60.0, 240.0))
    fit 37/≤500 · objective 12,431 · gap 2.1 % · about 4 min left
    >>> print(FitStep("CRF", "fit", 2, 500, 98765.4, 21.66, None, 2.0, None))
    fit 2/≤500 · objective 98,765
    """

    learner: str
    stage: str
    iteration: int
    limit: int | None
    objective: float | None
    gap: float | None
    mistakes: int | None
    seconds: float
    seconds_left: float | None

    @property
    def is_ahead(self) -> bool:
        """Whether this tells of work before the first iteration: nothing is learned yet."""
        return self.iteration == 0 and self.limit is None

    def __str__(self) -> str:
        if self.is_ahead:
            return self.stage
        limit = "" if self.limit is None else f"/≤{self.limit:,}"
        parts = [f"{self.stage} {self.iteration:,}{limit}"]
        if self.objective is not None:
            parts.append(f"objective {_number(self.objective)}")
        if self.gap is not None and self.gap <= 1.0:  # more than all of it tells nobody anything
            parts.append(f"gap {_number(100 * self.gap)} %")
        if self.mistakes is not None:
            parts.append(f"mistakes {self.mistakes:,}")
        if self.seconds_left is not None:
            parts.append(f"about {in_words(self.seconds_left)} left")
        return " · ".join(parts)


#: Returns False to end the fit with what it has learned so far.
Watcher = Callable[[FitStep], Any]


@contextmanager
def watch(watcher: Watcher | None = None, *, ahead: bool = False) -> Iterator[None]:
    """Tell a function of every iteration of the fits in the block, or show them.

    Parameters
    ----------
    watcher : function of a FitStep, optional
        When it returns False the fit ends there and keeps what it has learned. A FitStep printed
        is a line for people. Without a function the line is shown while the fit runs: in a
        notebook with a bar below the cell, elsewhere on standard error.
    ahead : bool
        Tell the function also what is made ready before the iterations, such as features: steps
        whose ``is_ahead`` is true. The line always shows it.

    Examples
    --------
    >>> import linnet
    >>> steps = []
    >>> with linnet.watch(steps.append):
    ...     _ = linnet.MaxEnt().fit([[0.0], [1.0], [2.0]], ["no", "yes", "yes"])
    >>> steps[-1].learner, steps[-1].iteration
    ('MaxEnt', 2)

    With a line, or a bar in a notebook:

    >>> with linnet.watch():
    ...     _ = linnet.MaxEnt().fit([[0.0], [1.0], [2.0]], ["no", "yes", "yes"])
    """
    live = None
    if watcher is None:
        from linnet.learn.shared.live import live_line

        watcher = live = live_line()
    token, finished = _watcher.set(watcher), False
    early = _ahead.set(ahead or live is not None)
    try:
        yield
        finished = True
    finally:
        _ahead.reset(early)
        _watcher.reset(token)
        if live is not None:
            live.close(finished)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Say what the fits in the block are for, where they are not the fit that was asked for."""
    token = _stage.set(name)
    try:
        yield
    finally:
        _stage.reset(token)


def tell_ahead(learner: str, work: str) -> None:
    """Tell the watcher of work that comes before the fit that was asked for, and may take long.

    Examples
    --------
    >>> with watch(print, ahead=True):
    ...     tell_ahead("SVM", "features of 25,000 texts")
    features of 25,000 texts
    """
    watcher = _watcher.get()
    if watcher is not None and _ahead.get() and _stage.get() == "fit":
        watcher(FitStep(learner, work, 0, None, None, None, None, 0.0, None))


def is_watched() -> bool:
    """Tell whether somebody is told of the fits that are made here."""
    return _watcher.get() is not None


def tell(learner: str, row: dict[str, float], limit: int | None, left: float | None) -> bool:
    """Tell the watcher of an iteration; return whether the fit goes on."""
    watcher = _watcher.get()
    if watcher is None:
        return True
    objective, gap, mistakes = (row.get(name) for name in ("objective", "gap", "mistakes"))
    share = None
    if gap is not None and objective and math.isfinite(gap):
        share = gap / max(abs(objective), 1e-300)
    step = FitStep(
        learner, _stage.get(), int(row["iteration"]), limit,
        objective if objective is not None and math.isfinite(objective) else None, share,
        None if mistakes is None else int(mistakes), row["seconds"], left,
    )  # fmt: skip
    return watcher(step) is not False


def time_left(rows: list[dict[str, float]], tol: float | None, limit: int | None) -> float | None:
    """Guess the seconds left: until the gap is closed at its speed, or the iterations are made.

    Examples
    --------
    >>> rows = [{"iteration": k, "objective": 1.0, "gap": 0.1**k, "seconds": k} for k in range(4)]
    >>> round(time_left(rows, 1e-5, 100), 6)
    2.0
    """
    if len(rows) < _FEWEST or limit is None:
        return None
    first, last = rows[0], rows[-1]
    made = last["iteration"] - first["iteration"]
    if made <= 0:
        return None
    to_go = limit - last["iteration"]
    gaps = [row.get("gap", math.inf) / max(abs(row.get("objective", 1.0)), 1e-300)
            for row in (first, last)]  # fmt: skip
    if tol and all(0 < gap < math.inf for gap in gaps):
        if gaps[1] >= gaps[0]:
            return None
        speed = math.log(gaps[0] / gaps[1]) / made
        to_go = min(to_go, max(0.0, math.log(gaps[1] / tol) / speed))
    return float(to_go * (last["seconds"] - first["seconds"]) / made)


def in_words(seconds: float) -> str:
    """Return a time for people.

    Examples
    --------
    >>> in_words(3.2), in_words(240), in_words(9000)
    ('3 s', '4 min', '2.5 h')
    """
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _number(value: float) -> str:
    return (
        f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2g}" if value < 10 else f"{value:.4g}"
    )
