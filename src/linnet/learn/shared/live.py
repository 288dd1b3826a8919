"""A fit shown while it runs: one line on standard error, a bar in a notebook."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from dataclasses import replace
from html import escape
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from linnet.learn.shared.watching import FitStep

__all__ = ["LiveLine", "live_line"]

_PAUSE = 0.1  # seconds between two lines; some iterations take microseconds
_WIDTH = 79
State = Literal["running", "finished", "stopped"]


def live_line() -> LiveLine:
    """Return the line that suits where Python runs."""
    python = sys.modules.get("IPython")  # where it is not imported there is no notebook
    shell = None if python is None else python.get_ipython()
    return _NotebookLine() if getattr(shell, "kernel", None) is not None else _TerminalLine()


class LiveLine(ABC):
    """Shows the steps of fits, not more often than can be seen, and how the last one ended."""

    def __init__(self) -> None:
        self._shown_at = -_PAUSE
        self._last: FitStep | None = None

    def __call__(self, step: FitStep) -> None:
        """Take note of a step."""
        self._last = step
        if step.is_ahead or monotonic() - self._shown_at >= _PAUSE:
            self.show(step, "running")
            self._shown_at = monotonic()

    def close(self, finished: bool = True) -> None:
        """Show the last step without a guess at the time left, and leave it there."""
        if self._last is not None:
            self.show(self._last, "finished" if finished else "stopped")

    @abstractmethod
    def show(self, step: FitStep, state: State) -> None:
        """Show a step in the place of the one before."""


class _TerminalLine(LiveLine):
    """One line on standard error; where that is no terminal, the last step alone."""

    def __call__(self, step: FitStep) -> None:
        if sys.stderr.isatty():
            super().__call__(step)
        else:
            self._last = step

    def show(self, step: FitStep, state: State) -> None:
        """Write over the line before; behind the last one begins a new line."""
        text = _in_state(step, state)
        if sys.stderr.isatty():
            cut = text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
            text = f"\r{cut:<{_WIDTH}}"
        end = "" if state == "running" else "\n"
        print(text, end=end, file=sys.stderr, flush=True)


class _NotebookLine(LiveLine):
    """A bar and a line below the cell."""

    def __init__(self) -> None:
        super().__init__()
        self._display: Any = None

    def show(self, step: FitStep, state: State) -> None:
        """Draw the bar anew."""
        python = import_module("IPython.display")
        page = python.HTML(as_html(step, state))
        if self._display is None:
            self._display = python.display(page, display_id=True)
        else:
            self._display.update(page)


def as_html(step: FitStep, state: State = "running") -> str:
    """Return a step as a bar, as far as the time left is guessed, and a line.

    Examples
    --------
    >>> from linnet.learn.shared.watching import FitStep
    >>> step = FitStep("CRF", "fit", 37, 500, 12431.2, 0.021, None, 60.0, 240.0)
    >>> as_html(step)[:45]
    '<progress max="1" value="0.200"></progress> f'
    >>> as_html(step, "finished")
    '<progress max="1" value="1.000"></progress> fit 37/≤500 · objective 12,431 · gap 2.1 %'
    """
    share = None
    if state == "finished":
        share = 1.0
    elif step.seconds_left is not None:
        share = step.seconds / max(step.seconds + step.seconds_left, 1e-9)
    elif state == "stopped":
        share = 0.0  # a bar without a value never comes to rest
    value = "" if share is None else f' value="{share:.3f}"'
    return f'<progress max="1"{value}></progress> {escape(_in_state(step, state))}'


def _in_state(step: FitStep, state: State) -> str:
    return str(step if state == "running" else replace(step, seconds_left=None))
