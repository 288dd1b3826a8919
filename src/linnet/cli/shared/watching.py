"""Long work on the command line: a live line of how far it is, and Ctrl-C that keeps a fit."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from time import monotonic
from typing import Any

from linnet.cli.shared.console import count, file_size, progress, say, size, unseen

__all__ = ["Interruptible", "watched_count", "watched_file", "watched_fit", "watched_reading"]

_PAUSE = 0.1  # seconds between two lines; some iterations take microseconds


@contextmanager
def watched_fit(step: Callable[[str, float], None], keep: bool) -> Iterator[Interruptible]:
    """Show every iteration of the fits in the block; with `keep` Ctrl-C ends the fit, not the work.

    While held-out examples are still asked which C is best nothing is learned that could be kept.
    A second Ctrl-C stops at once. The block gets what tells whether it was interrupted.
    """
    from linnet.learn.shared.watching import FitStep, watch

    asked = Interruptible()
    shown_at = 0.0

    def tell(now: FitStep) -> bool:
        nonlocal shown_at
        if now.is_ahead or monotonic() - shown_at >= _PAUSE:
            step(str(now), 0)
            shown_at = monotonic()
        if now.is_ahead:  # Ctrl-C is answered by the first iteration
            return True
        if asked.pressed and now.stage.startswith(("choose", "calibrate")):
            say(f"interrupted while linnet was to {now.stage}: nothing is learned yet to keep")
            raise KeyboardInterrupt
        reached = replace(now, seconds_left=None)  # nothing is left of a fit that ends here
        return asked.goes_on(str(reached), f"{now.stage} {now.iteration:,}")

    with watch(tell, ahead=True), asked.listening() if keep else nullcontext():
        yield asked


@contextmanager
def watched_reading(
    files: Sequence[str | os.PathLike[str]], quiet: bool, least: int = 1
) -> Iterator[Callable[[str, int], None]]:
    """Show how much of some files is read: the share, bytes a second, and the time left.

    The block gets a function that is told what is counted, such as "rows", and how many there are
    so far. Files that have together fewer than `least` bytes, and streams, are not worth a line.
    """
    from linnet.data.watching import watch_reading

    sizes = {os.fspath(file): file_size(file) for file in files}
    if sum(sizes.values()) < least or not all(sizes.values()):
        yield lambda what, n: None
        return
    with progress(sum(sizes.values()), quiet, rate=True) as step:
        line = _Line(step, sizes)
        with watch_reading(line.read):
            yield line.counted
        line.show()


@contextmanager
def watched_file(
    step: Callable[[str, float], None], file: str | os.PathLike[str]
) -> Iterator[None]:
    """Show how much of a file is read that is taken as a whole, and that it is then taken apart.

    A plain file is read at once, a packed one or one of parts piece by piece.
    """
    from linnet.data.watching import watch_reading

    if step is unseen:
        yield
        return
    total, shown_at = file_size(file), 0.0
    words = f"read {size(total)}" if total else "read"

    def tell(name: str, n_bytes: int) -> None:
        nonlocal shown_at
        if name != os.fspath(file) or not total:
            return
        if n_bytes >= total:
            step(f"{words}, take it apart", 0)
        elif monotonic() - shown_at >= _PAUSE:
            step(f"{words} · {100 * n_bytes / total:.0f} %", 0)
            shown_at = monotonic()

    step(words, 0)
    with watch_reading(tell):
        yield


@contextmanager
def watched_count(total: int, what: str, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Show how many of a known number are done: the share, how many a second, and the time left.

    The block gets a function that is told how many are done so far.
    """
    began, before = monotonic(), 0
    with progress(total, quiet) as step:

        def told(n: int) -> None:
            nonlocal before
            rate = n / max(monotonic() - began, 1e-9)
            words = f"{count(n)} of {count(total)} {what} · {count(round(rate))}/s"
            step(words, n - before)
            before = n

        told(0)
        yield told


class _Line:
    """Bytes read and things counted, shown not more often than can be seen."""

    def __init__(self, step: Callable[[str, float], None], sizes: dict[str, int]) -> None:
        self._step, self._sizes = step, sizes
        self._read = dict.fromkeys(sizes, 0)  # two readers of one file count once
        self._shown, self._words = 0, ""
        self._began = self._shown_at = monotonic()

    def read(self, file: str, n_bytes: int) -> None:
        """Take note of how far a file is read."""
        if file in self._sizes:
            self._read[file] = max(self._read[file], min(n_bytes, self._sizes[file]))
            self._show_again()

    def counted(self, what: str, n: int) -> None:
        """Take note of how many there are so far."""
        rate = n / max(monotonic() - self._began, 1e-9)
        self._words = f"{count(n)} {what} · {count(round(rate))}/s"
        self._show_again()

    def _show_again(self) -> None:
        if monotonic() - self._shown_at >= _PAUSE:
            self.show()

    def show(self) -> None:
        """Move the bar to where the files are."""
        done = sum(self._read.values())
        self._step(self._words, done - self._shown)
        self._shown, self._shown_at = done, monotonic()


class Interruptible:
    """Whether Ctrl-C was pressed, and where it ended a fit, for the recipe of the model."""

    def __init__(self) -> None:
        self.pressed = False
        self.interrupted: dict[str, str] = {}

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear Ctrl-C while the block runs."""
        before = signal.signal(signal.SIGINT, self._press)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def goes_on(self, place: str, short: str = "") -> bool:
        """Tell whether to go on; else say how far the work is."""
        if self.pressed:
            say(f"interrupted: kept what was learned up to {place}")
            self.interrupted.setdefault("interrupted", short or place)  # the first ends the rest
        return not self.pressed

    def _press(self, *_: Any) -> None:
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed = True
        say("stopping after this iteration; Ctrl-C again stops at once")
