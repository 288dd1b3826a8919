"""A fit shown while it runs: one line on standard error, a bar in a notebook."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from html import escape
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linnet.learn.shared.watching import FitStep

__all__ = ["LiveLine", "live_line"]

_PAUSE = 0.1  # seconds between two lines; some iterations take microseconds
_WIDTH = 79


def live_line() -> LiveLine:
    """Return the line that suits where Python runs."""
    python = sys.modules.get("IPython")  # where it is not imported there is no notebook
    shell = None if python is None else python.get_ipython()
    return _NotebookLine() if getattr(shell, "kernel", None) is not None else _TerminalLine()


class LiveLine(ABC):
    """Shows the steps of fits, not more often than can be seen, and the last one."""

    def __init__(self) -> None:
        self._shown_at = -_PAUSE
        self._waiting: FitStep | None = None

    def __call__(self, step: FitStep) -> None:
        """Take note of a step."""
        self._waiting = step
        if monotonic() - self._shown_at >= _PAUSE:
            self._show_waiting()

    def close(self) -> None:
        """Show the last step and leave it there."""
        self._show_waiting()

    def _show_waiting(self) -> None:
        if self._waiting is not None:
            self.show(self._waiting)
            self._shown_at, self._waiting = monotonic(), None

    @abstractmethod
    def show(self, step: FitStep) -> None:
        """Show a step in the place of the one before."""


class _TerminalLine(LiveLine):
    """One line on standard error; where that is no terminal, the last step alone."""

    def __call__(self, step: FitStep) -> None:
        if sys.stderr.isatty():
            super().__call__(step)
        else:
            self._waiting = step

    def show(self, step: FitStep) -> None:
        """Write over the line before."""
        text = str(step)
        cut = text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
        back = "\r" if sys.stderr.isatty() else ""
        print(f"{back}{cut:<{_WIDTH}}" if back else text, end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Show the last step and begin a new line."""
        began = self._shown_at >= 0 or self._waiting is not None
        super().close()
        if began:
            print(file=sys.stderr, flush=True)


class _NotebookLine(LiveLine):
    """A bar and a line below the cell."""

    def __init__(self) -> None:
        super().__init__()
        self._display: Any = None

    def show(self, step: FitStep) -> None:
        """Draw the bar anew."""
        python = import_module("IPython.display")
        page = python.HTML(as_html(step))
        if self._display is None:
            self._display = python.display(page, display_id=True)
        else:
            self._display.update(page)


def as_html(step: FitStep) -> str:
    """Return a step as a bar, as far as the time left is guessed, and a line.

    Examples
    --------
    >>> from linnet.learn.shared.watching import FitStep
    >>> as_html(FitStep("CRF", "fit", 37, 500, 12431.2, 0.021, None, 60.0, 240.0))[:45]
    '<progress max="1" value="0.200"></progress> f'
    """
    value = ""
    if step.seconds_left is not None:
        share = step.seconds / max(step.seconds + step.seconds_left, 1e-9)
        value = f' value="{share:.3f}"'
    return f'<progress max="1"{value}></progress> {escape(str(step))}'
