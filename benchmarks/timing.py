"""How long something takes, for linnet and for its peers alike."""

from __future__ import annotations

import mmap
from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

Result = TypeVar("Result")
ENOUGH = 0.2  #: seconds that all runs together take at least: of what is short there are many
PATIENCE = 10.0  #: seconds after which no further run begins: of what takes long there is one
_PAGE = 4096


def at_hand(megabytes: int = 512) -> None:
    """Let the system have memory at hand: touch some and give it back.

    A virtual machine may return idle memory to its host, and waits for it when it is needed again:
    2.3 seconds a gigabyte were seen, where clearing it takes less than a tenth of one. Whoever came
    first after a pause paid for that, by chance.
    """
    size = megabytes << 20
    with mmap.mmap(-1, size) as memory:
        if hasattr(mmap, "MADV_HUGEPAGE"):
            memory.madvise(mmap.MADV_HUGEPAGE)
        memory[::_PAGE] = bytes(size // _PAGE)


def best_of(repeat: int, action: Callable[[], Result]) -> tuple[float, Result]:
    """Return the least seconds of about so many runs, and what the last one returned."""
    at_hand()
    seconds: list[float] = []
    while True:
        began = perf_counter()
        result = action()
        seconds.append(perf_counter() - began)
        spent = sum(seconds)
        if spent >= PATIENCE or (spent >= ENOUGH and len(seconds) >= repeat):
            return min(seconds), result
