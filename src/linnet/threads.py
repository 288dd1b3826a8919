"""How many threads a call may use."""

from __future__ import annotations

import os
from operator import index

from linnet.errors import ParameterError

__all__ = ["thread_count"]

_MOST = 1 << 12  # more than any machine has cores; a system refuses to start millions


def thread_count(n_threads: int | None) -> int:
    """Return the number of threads to use; None means all cores this process may use.

    Examples
    --------
    >>> thread_count(2)
    2
    """
    if n_threads is None:
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    try:
        count = index(n_threads)
    except TypeError:
        count = 0
    if isinstance(n_threads, bool) or not 1 <= count <= _MOST:
        raise ParameterError(
            f"n_threads must be None or a positive integer up to {_MOST}, got {n_threads!r}."
        )
    return count
