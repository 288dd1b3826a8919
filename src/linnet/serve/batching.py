"""Requests that arrive together are answered by one call of the model.

Each lane (a model, and what is asked of it) has at most one such call under way. What arrives
meanwhile waits for it and then goes together, so nobody waits for others to come, and the busier
the service is the larger its batches are. The calls run in threads: the event loop goes on, and
the core does not hold Python's lock.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from linnet.errors import LinnetError
from linnet.serve.errors import Problem

__all__ = ["Batcher", "Part"]


class Part(NamedTuple):
    """The part of a batch that belongs to one request: examples `first` to `last` - 1."""

    result: Any
    first: int
    last: int
    requests: int


@dataclass
class _Waiting:
    examples: list[Any]
    future: asyncio.Future[Part]


@dataclass
class _Lane:
    ask: Callable[[list[Any]], Any]
    waiting: deque[_Waiting] = field(default_factory=deque)
    busy: bool = False


class Batcher:
    """Collects examples, asks the model in a thread, hands the answers out.

    Parameters
    ----------
    pool : ThreadPoolExecutor
    most : int
        Examples in a call.
    wait : float or None
        Seconds that an idle lane waits for more requests; 0 takes what is there at the moment.
        None asks about each request alone.
    timeout : float
        Seconds until a request is given up.
    observe : function of the result, the number of requests and of examples
        Called after each call of the model, in its thread.
    """

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        most: int,
        wait: float | None,
        timeout: float,
        observe: Callable[[Hashable, Any, int, int], None],
    ) -> None:
        self._pool, self._most, self._wait, self._timeout = pool, most, wait, timeout
        self._observe = observe
        self._lanes: dict[Hashable, _Lane] = {}

    async def ask(
        self, key: Hashable, ask: Callable[[list[Any]], Any], examples: list[Any]
    ) -> Part:
        """Return the part of a batch with the answers to these examples."""
        loop = asyncio.get_running_loop()
        waiting = _Waiting(examples, loop.create_future())
        if self._wait is None:
            lane = _Lane(ask)
            lane.waiting.append(waiting)
            self._send(loop, key, lane)
        else:
            lane = self._lanes.get(key) or self._lanes.setdefault(key, _Lane(ask))
            lane.waiting.append(waiting)
            if not lane.busy:
                lane.busy = True
                if self._wait:
                    loop.call_later(self._wait, self._send, loop, key, lane)
                else:  # whoever else is heard in this round of the loop comes along
                    loop.call_soon(self._send, loop, key, lane)
        late = loop.call_later(self._timeout, _give_up, waiting.future, self._timeout)
        try:
            return await waiting.future
        finally:
            late.cancel()

    async def alone(self, work: Callable[[], Any]) -> Any:
        """Run something long in a thread of its own; the event loop goes on."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._timeout):
                return await loop.run_in_executor(self._pool, work)
        except TimeoutError:
            raise _late(self._timeout) from None

    def _send(self, loop: asyncio.AbstractEventLoop, key: Hashable, lane: _Lane) -> None:
        """Ask about as many of those who wait as fit."""
        batch: list[_Waiting] = []
        n = 0
        while lane.waiting:
            one = lane.waiting[0]
            if batch and n + len(one.examples) > self._most:
                break
            lane.waiting.popleft()
            if not one.future.done():  # else it was given up
                batch.append(one)
                n += len(one.examples)
        if not batch:
            lane.busy = False
            if self._lanes.get(key) is lane:
                del self._lanes[key]  # an old version of a model is not kept
            return

        def work() -> None:
            results = self._results(key, lane.ask, batch, n)
            loop.call_soon_threadsafe(self._done, loop, key, lane, batch, results)

        self._pool.submit(work)

    def _results(
        self, key: Hashable, ask: Callable[[list[Any]], Any], batch: list[_Waiting], n: int
    ) -> list[Part | BaseException]:
        """Return what each request gets; one that cannot be answered spoils no other."""
        try:
            result = ask([example for one in batch for example in one.examples])
        except LinnetError as error:
            if len(batch) == 1:
                return [error]
            return [self._results(key, ask, [one], len(one.examples))[0] for one in batch]
        except BaseException as error:
            return [error] * len(batch)
        self._observe(key, result, len(batch), n)
        parts: list[Part | BaseException] = []
        first = 0
        for one in batch:
            parts.append(Part(result, first, first + len(one.examples), len(batch)))
            first += len(one.examples)
        return parts

    def _done(
        self,
        loop: asyncio.AbstractEventLoop,
        key: Hashable,
        lane: _Lane,
        batch: list[_Waiting],
        results: list[Part | BaseException],
    ) -> None:
        for one, result in zip(batch, results, strict=True):
            if one.future.done():
                continue
            if isinstance(result, BaseException):
                one.future.set_exception(result)
            else:
                one.future.set_result(result)
        self._send(loop, key, lane)


def _give_up(future: asyncio.Future[Part], timeout: float) -> None:
    """End the wait for an answer."""
    if not future.done():
        future.set_exception(_late(timeout))


def _late(timeout: float) -> Problem:
    return Problem(504, f"there was no answer within {timeout:g} seconds; send less at once")
