"""What was computed lately, so that an edit computes only what depends on it."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar

__all__ = ["Remembered"]

T = TypeVar("T")


class Remembered(Generic[T]):
    """The newest results by what they depend on, which is plain values.

    Examples
    --------
    >>> squares = Remembered[int](most=2)
    >>> [squares.of(n, lambda n=n: print("computed") or n * n) for n in (3, 3)]
    computed
    [9, 9]
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._results: OrderedDict[str, T] = OrderedDict()
        self._lock = Lock()

    def of(self, dependencies: Any, compute: Callable[[], T]) -> T:
        """Return the result for these dependencies; nobody may change it."""
        key = json.dumps(dependencies, sort_keys=True)
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
        result = compute()  # two who ask at once may both compute it: it is the same
        with self._lock:
            self._results[key] = result
            while len(self._results) > self._most:
                self._results.popitem(last=False)
        return result
