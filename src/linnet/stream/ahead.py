"""Work done ahead in a thread of its own, while what was done before is in use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextvars import copy_context
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any, TypeVar

__all__ = ["ahead"]

Item = TypeVar("Item")
_PATIENCE = 0.05  # seconds between two looks at whether anybody still waits
_END = object()


def ahead(items: Iterable[Item], depth: int = 1) -> Iterator[Item]:
    """Yield the same items in the same order, made by a thread that is up to `depth` ahead.

    What the thread raises is raised here, after the items before it. When the iterator is closed
    the thread ends, and with it the iterator that it works on.

    Examples
    --------
    >>> list(ahead(n * n for n in range(4)))
    [0, 1, 4, 9]
    """
    made: Queue[Any] = Queue(depth)
    stopped = Event()

    def put(value: Any) -> bool:
        while not stopped.is_set():
            try:
                made.put(value, timeout=_PATIENCE)
                return True
            except Full:
                continue
        return False

    def work() -> None:
        iterator = iter(items)
        try:
            for item in iterator:
                if not put((item, None)):
                    break
            put((_END, None))
        except BaseException as error:  # whatever it is, it belongs to the one who asked
            put((_END, error))
        finally:
            close = getattr(iterator, "close", None)
            if close is not None:
                close()

    thread = Thread(target=copy_context().run, args=(work,), daemon=True)
    thread.start()
    try:
        while True:
            try:
                item, error = made.get(timeout=_PATIENCE)
            except Empty:
                continue
            if error is not None:
                raise error
            if item is _END:
                return
            yield item
    finally:
        stopped.set()
        thread.join()
