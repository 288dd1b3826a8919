"""A fit on the command line: a live line of how far it is, and Ctrl-C that keeps what it has."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from time import monotonic
from typing import Any

from linnet.cli.console import say

__all__ = ["watched_fit"]

_PAUSE = 0.1  # seconds between two lines; some iterations take microseconds


@contextmanager
def watched_fit(step: Callable[[str, float], None], keep: bool) -> Iterator[None]:
    """Show every iteration of the fits in the block; with `keep` Ctrl-C ends the fit, not the work.

    While held-out examples are still asked which C is best nothing is learned that could be kept.
    A second Ctrl-C stops at once.
    """
    from linnet.learn.shared.watching import FitStep, watch

    asked = _Asked()

    shown_at = 0.0

    def tell(now: FitStep) -> bool:
        nonlocal shown_at
        if monotonic() - shown_at >= _PAUSE:
            step(str(now), 0)
            shown_at = monotonic()
        if not asked.pressed:
            return True
        if now.stage != "fit":
            say(f"interrupted while linnet was to {now.stage}: nothing is learned yet to keep")
            raise KeyboardInterrupt
        say(f"interrupted: kept what was learned up to {now}")
        return False

    with watch(tell), asked.listening() if keep else nullcontext():
        yield


class _Asked:
    """Whether Ctrl-C was pressed."""

    pressed = False

    @contextmanager
    def listening(self) -> Iterator[None]:
        before = signal.signal(signal.SIGINT, self._press)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _press(self, *_: Any) -> None:
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed = True
        say("stopping after this iteration; Ctrl-C again stops at once")
