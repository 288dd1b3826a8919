"""Work on many files, a part of output for each, done here or by the workers of a cluster.

A worker gets the name of a file and of what becomes of it; what it writes appears when it is whole.
So a worker may be lost at any moment: its part is done again by another, and a part that was done
twice is the same file twice. What fails is told with the part and the worker, after all else is
done. A part that fails for want of something that a machine may lack (the model, memory, a place
to write) is tried once more elsewhere; if that works, the first worker gets no further parts.
"""

from __future__ import annotations

import asyncio
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from linnet.errors import ClusterError, LinnetError, ModelFileError
from linnet.stream.parts import Part, state_of

__all__ = ["finished_parts"]

_AHEAD = 2  # parts for each thread that are with the workers, so that none waits for the next
_PATIENCE = 30  # seconds without a part finished, after which it is asked whether workers are left
_HOPELESS = 3  # parts that two machines could not do, after which no more are begun
_TOLD = 5  # failed parts in the message

# A task is cancelled by its scheduler alone, when the connection is lost.
_GONE = (asyncio.CancelledError, futures.CancelledError, OSError)

Work = Callable[[Part], Any]


def finished_parts(
    parts: Sequence[Part], work: Work, client: Any = None
) -> Iterator[tuple[Part, list[Any], Any]]:
    """Yield the parts as they are finished, each with the state its source was in and the result.

    Parameters
    ----------
    parts : sequence of Part
    work : function of a Part
        Writes the targets of the part from its source, each in one piece. It is pickled for a
        cluster.
    client : distributed.Client, optional
        Without one, the parts are done here, one after the other, up to the first that fails.

    Raises
    ------
    ClusterError
        When parts failed on the cluster, after all others were yielded.
    """
    if client is None:
        for part in parts:
            state = state_of(part.source)
            yield part, state, work(part)
        return
    yield from _Run(parts, work, client).finished()


@dataclass
class _Try:
    """A part that is with the workers, and where it failed before."""

    part: Part
    state: list[Any]
    failures: list[tuple[str, BaseException]] = field(default_factory=list)
    only: list[str] | None = None  # the workers that may do it, if not all


@dataclass(frozen=True)
class _Outcome:
    """What came of a part on a worker; an error comes as a value, so that the worker is known."""

    worker: str
    result: Any
    error: BaseException | None
    warned: list[str]


def _attempt(work: Work, part: Part) -> _Outcome:
    """Do a part; this runs on the worker."""
    from distributed import get_worker

    worker = get_worker()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        result, error = None, None
        try:
            result = work(part)
        except Exception as raised:
            raised.__traceback__ = None
            error = raised
    said = list(dict.fromkeys(str(warning.message) for warning in caught))
    return _Outcome(f"{worker.address} ({worker.name})", result, error, said)


class _Run:
    """Keeps the workers busy and sorts out what comes back."""

    def __init__(self, parts: Sequence[Part], work: Work, client: Any) -> None:
        self.waiting, self.work, self.client = iter(parts), work, client
        self.running: dict[Any, _Try] = {}
        self.failed: list[_Try] = []
        self.suspects: list[_Try] = []  # on whose worker something ended it
        self.shunned: set[str] = set()  # workers that lack something
        self.n_parts = len(parts)
        written = any(part.targets for part in parts)
        self.rest = "; finished parts are kept, --resume does the others" if written else ""

    def finished(self) -> Iterator[tuple[Part, list[Any], Any]]:
        """Yield what is finished; at the end say what is not."""
        try:
            yield from self._finished()
        finally:
            if self.running and self.client.status == "running":
                self.client.cancel(list(self.running))
        if self.failed:
            raise ClusterError(self._told())

    def _finished(self) -> Iterator[tuple[Part, list[Any], Any]]:
        self._refill()
        while self.running or self.suspects:
            if not self.running:  # alone, so that nobody dies for another's fault
                self._submit(self.suspects.pop())
            for future in self._next():
                one = self.running.pop(future)
                outcome = self._outcome(future, one)
                future.release()
                if outcome is None:
                    continue
                for text in outcome.warned:
                    warnings.warn(text, stacklevel=2)
                self._shun(one)
                yield one.part, one.state, outcome.result
            self._refill()

    def _refill(self) -> None:
        """Hand out parts until every thread has some to do."""
        room = _AHEAD * sum(self._threads().values()) + 1 - len(self.running)
        lacking = [one.failures for one in self.failed if len(one.failures) > 1]
        hopeless = [two for two in lacking if not isinstance(two[-1][1], ClusterError)]
        if len(hopeless) >= _HOPELESS:
            return
        for part in self.waiting if room > 0 else ():
            self._submit(_Try(part, state_of(part.source)))
            room -= 1
            if room <= 0:
                return

    def _submit(self, one: _Try) -> None:
        avoided = self.shunned | {worker.split(" ")[0] for worker, _ in one.failures}
        others = [address for address in self._threads() if address not in avoided]
        # Not a mere wish: a worker that fails at once is idle, and Dask gives it what waits.
        one.only = others if avoided and others else None
        # A worker may have been started in another folder.
        part = Part(os.path.abspath(one.part.source), tuple(t.absolute() for t in one.part.targets))
        future = self.client.submit(_attempt, self.work, part, pure=False, workers=one.only)
        self.running[future] = one

    def _free(self, threads: dict[str, int]) -> None:
        """Let any worker do the parts whose workers are all lost."""
        for future, one in list(self.running.items()):
            if one.only is not None and threads.keys().isdisjoint(one.only):
                del self.running[future]
                self.client.cancel([future])
                self._submit(one)

    def _next(self) -> list[Any]:
        """Return the tasks that have come to an end, at least one."""
        wait: Any = import_module("distributed").wait
        while True:
            try:
                with self.client.as_current():  # it need not be the process's default
                    done = wait(list(self.running), _PATIENCE, "FIRST_COMPLETED").done
                return list(done)
            except TimeoutError:
                threads = self._threads()
                if not threads:
                    raise self._gone("no worker is left") from None
                self._free(threads)
            except _GONE:
                raise self._gone("the scheduler is gone") from None

    def _threads(self) -> dict[str, int]:
        """Return the workers there are, and how many threads each has."""
        try:
            if self.client.status == "running":
                threads: dict[str, int] = self.client.nthreads()
                return threads
        except (AttributeError, TimeoutError, *_GONE):
            pass  # it has just been lost
        raise self._gone("the scheduler is gone")

    def _outcome(self, future: Any, one: _Try) -> _Outcome | None:
        """Return what came of a part; None if it failed, and is tried again or given up."""
        try:
            outcome: _Outcome = future.result()
        except _GONE:
            raise self._gone("the scheduler is gone") from None
        except Exception as error:  # workers died, or cannot import what they are asked to do
            self._again(one, *_lost(error))
            return None
        if outcome.error is not None:
            self._again(one, outcome.worker, outcome.error)
            return None
        return outcome

    def _again(self, one: _Try, worker: str, error: BaseException) -> None:
        """Try a part once more, elsewhere, if that may help; else give it up."""
        one.failures.append((worker, error))
        if len(one.failures) > 1 or not _may_be_the_machine(error):
            self.failed.append(one)
        elif isinstance(error, ClusterError):
            self.suspects.append(one)
        else:
            self._submit(one)

    def _shun(self, one: _Try) -> None:
        """Give no more to the worker on which a part failed that another has done."""
        for worker, error in one.failures:
            address = worker.split(" ")[0]
            if address not in self.shunned and not isinstance(error, ClusterError):
                self.shunned.add(address)
                warnings.warn(
                    f"the worker {worker} gets no more parts, as another did {one.part.source}, "
                    f"of which it said: {_said(error)}",
                    stacklevel=2,
                )

    def _told(self) -> str:
        lines = [
            f"{one.part.source} on {worker}: {_said(error)}"
            for one in self.failed[:_TOLD]
            for worker, error in one.failures[-1:]
        ]
        more = [f"and {len(self.failed) - _TOLD} more"] * (len(self.failed) > _TOLD)
        return (
            f"{len(self.failed)} of {self.n_parts} parts failed: {'; '.join([*lines, *more])}"
            f"{self.rest}"
        )

    def _gone(self, what: str) -> ClusterError:
        names = ", ".join(sorted(one.part.source for one in self.running.values())[:_TOLD])
        where = getattr(getattr(self.client, "scheduler", None), "addr", "the cluster")
        self.running.clear()
        return ClusterError(f"{what} at {where}, while it worked on {names}{self.rest}")


def _may_be_the_machine(error: BaseException) -> bool:
    """Tell whether another machine might do better: not where the data are wrong."""
    return not isinstance(error, LinnetError) or isinstance(error, (ClusterError, ModelFileError))


def _lost(error: Any) -> tuple[str, BaseException]:
    """Return worker and error of a part whose task did not come to its end."""
    last = getattr(error, "last_worker", None)
    if last is None:
        return "a worker", error
    return (
        f"{last.address} ({last.name})",
        ClusterError("the worker was lost again and again while it did this part; has it enough "
                     "memory?"),
    )  # fmt: skip


def _said(error: BaseException) -> str:
    text = " ".join(str(error).split())
    if isinstance(error, MemoryError):
        return f"not enough memory {text}".rstrip()
    if isinstance(error, LinnetError):
        return text
    if isinstance(error, OSError):
        name = f"{error.filename}: " if error.filename else ""
        return f"{name}{error.strerror or text}"
    return f"{type(error).__name__}: {text}"
