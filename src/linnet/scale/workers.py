"""Work on the workers of a Dask cluster: a task for each part, and sums in the order of the parts.

Every task is a function of its arguments and of nothing else. So a worker that dies is no loss:
Dask computes what it held once more, elsewhere, to the same bits. A sum is a tree over the parts
whose shape depends on their number alone, not on who did the work. A branch whose parts live
together is one task: what its parts give is added up where it arises and never travels.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from contextlib import contextmanager
from importlib import import_module
from itertools import count, groupby
from typing import Any
from uuid import uuid4

from linnet.errors import ClusterError, DataError, LinnetError, ParameterError
from linnet.scale.cluster import cluster_client

__all__ = ["Cluster", "open_cluster"]

FAN_IN = 4  # results that one task adds up
_SUM = "a sum over parts"
_PATIENCE = 5.0  # seconds, after which it is asked whether anybody works
_CHANCES = 12  # times that nobody may
_LARGE = "distributed.admin.large-graph-warning-threshold"


@contextmanager
def open_cluster(client: Any = None) -> Iterator[Cluster]:
    """Yield the cluster of a client; by default of the current one, or a local one for this work.

    Parameters
    ----------
    client : distributed.Client or str, optional
        Or what :func:`linnet.scale.cluster_client` takes.
    """
    with cluster_client(_current() if client is None else client) as opened:
        if not hasattr(opened, "submit") or not hasattr(opened, "nthreads"):
            raise ParameterError(
                f"client must be a distributed.Client or the address of a scheduler, got {opened!r}"
            )
        # Weights travel with the tasks; Dask need not tell users that they are large.
        with import_module("dask").config.set({_LARGE: "1TB"}):
            yield Cluster(opened)


def _current() -> Any:
    """Return the client that the process has, or the wish for a local cluster."""
    try:
        distributed: Any = import_module("distributed")
        return distributed.default_client()
    except (ImportError, ValueError):
        return "local"


class Cluster:
    """The workers of a client, and where each part is at home.

    Parameters
    ----------
    client : distributed.Client
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self._names: list[str] = []
        self._homes: list[str] = []
        self._threads: list[int] = []  # which of all threads each part is for
        self._numbers = count()
        self._about: dict[str, str] = {}  # key of a task to the name of its part
        self._run = uuid4().hex[:8]

    def settle(self, names: Sequence[str]) -> None:
        """Take the names of the parts, and give each a home: neighbours live together."""
        workers = [
            worker
            for worker, threads in sorted(self._asked(self.client.nthreads).items())
            for _ in range(threads)
        ]
        if not workers:
            raise ClusterError("the cluster has no workers; start some, or wait for them")
        self._names = list(names)
        share = len(workers) / max(1, len(names))
        self._threads = [int(k * share) for k in range(len(names))]
        self._homes = [workers[thread] for thread in self._threads]

    def name(self, tasks: Sequence[Any]) -> None:
        """Take the parts' names for tasks that were not begun here."""
        self._about |= {str(task.key): name for task, name in zip(tasks, self._names, strict=True)}

    def each(self, function: Callable[..., Any], *columns: Any) -> list[Any]:
        """Return the futures of a function of each part.

        Parameters
        ----------
        function : a function of a module, so that workers know it
        columns : lists with an entry for each part, or values for all
            Both may hold futures.
        """
        return [
            self.one(function, k, *(c[k] if isinstance(c, list) else c for c in columns))
            for k in range(len(self._names))
        ]

    def one(self, function: Callable[..., Any], part: int, *arguments: Any) -> Any:
        """Return the future of a function of one part."""
        name = self._names[part]
        return self._submit(function, part, name, arguments)

    def held(self, value: Any) -> Any:
        """Return the future of a value, which workers pass on to each other.

        It travels with its task and so is never lost, whoever dies.
        """
        return self._submit(_itself, 0, "what all parts share", (value,))

    def total(self, add: Callable[[list[Any]], Any], function: Any, *columns: Any) -> Any:
        """Return the future of the sum of a function of each part, added in their order.

        Parameters
        ----------
        add : function of a list of values
        function, columns
            As :meth:`each` takes them.
        """
        n = len(self._names)
        step = 1
        while step < n:
            step *= FAN_IN
        return self._branch(add, function, columns, 0, step)

    def _branch(self, add: Any, function: Any, columns: Any, first: int, step: int) -> Any:
        """Return the future of the sum of the parts from one on, of which `step` make a branch."""
        parts = range(first, min(first + step, len(self._names)))
        if self._threads[parts[0]] == self._threads[parts[-1]]:
            mine = [tuple(c[k] if isinstance(c, list) else c for c in columns) for k in parts]
            names = [self._names[k] for k in parts]
            return self._submit(_sum, first, None, (names, add, function, mine, step))
        step //= FAN_IN
        level = [
            self._branch(add, function, columns, k, step) for k in range(first, parts.stop, step)
        ]
        return self._submit(add, first, _SUM, (level,))

    def united(
        self, add: Callable[[list[Any]], Any], function: Any, column: list[Any], *same: Any
    ) -> Any:
        """Return the future of a function of the lists of parts that live together, added up.

        Where the lists are cut depends on the workers, so this is for what does not depend on it.
        """
        level = []
        for _, group in groupby(range(len(self._names)), self._threads.__getitem__):
            first, *rest = group
            some = slice(first, first + len(rest) + 1)
            task = self._submit(function, first, self.between(some), (column[some], *same))
            level.append((first, task))
        while len(level) > 1:
            branches = [level[k : k + FAN_IN] for k in range(0, len(level), FAN_IN)]
            level = [
                (few[0][0], self._submit(add, few[0][0], _SUM, ([task for _, task in few],)))
                for few in branches
            ]
        return level[0][1]

    def between(self, parts: slice) -> str:
        """Return the name of some parts together."""
        first, last = self._names[parts][0], self._names[parts][-1]
        return first if first == last else f"{first} to {last}"

    def fetch(self, results: Any) -> Any:
        """Return the value of a future, or those of a list of futures."""
        tasks = results if isinstance(results, list) else [results]
        idle = 0
        while not self._asked(_done, self.client, tasks):
            idle = idle + 1 if self._stands_still() else 0
            if idle > _CHANCES:
                names = ", ".join(sorted({self._part(t.key) for t in tasks if not t.done()})[:3])
                raise ClusterError(f"{names}: {self._stands_still()}")
        return self._asked(self.client.gather, results)

    def _stands_still(self) -> str:
        """Return why no worker does anything, if so; tasks whose worker is lost go to others."""
        self._asked(self.client.run_on_scheduler, _freeing())
        workers = self._asked(self.client.scheduler_info, n_workers=-1)["workers"]
        if not workers:
            return "no worker of the cluster is left"
        if any(worker["status"] == "running" for worker in workers.values()):
            return ""
        return (
            f"every worker is {next(iter(workers.values()))['status']}, {next(iter(workers))} for "
            "one, as they are when their memory is full; make the parts smaller, or give them more"
        )

    def _submit(
        self, function: Callable[..., Any], part: int, name: str | None, arguments: tuple[Any, ...]
    ) -> Any:
        """Begin a task; a function that names its parts itself has no name."""
        home = self._homes[min(part, len(self._homes) - 1)]
        key = f"linnet-{function.__name__.strip('_')}-{self._run}-{next(self._numbers)}"
        self._about[key] = self._names[part] if name is None else name
        named = () if name is None else (_named, name)
        return self._asked(
            self.client.submit, *named, function, *arguments,
            key=key, workers=[home], allow_other_workers=True,
        )  # fmt: skip

    def _part(self, task: Any) -> str:
        """Return the name of the part that a task is about; Dask fuses and renames some."""
        name = self._about.get(str(task))
        numbered = isinstance(task, tuple) and isinstance(task[-1], int)
        if name is None and numbered and task[-1] < len(self._names):
            name = self._names[task[-1]]
        return name or f"the task {task}"

    def _asked(self, ask: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Return what the cluster answers; say in plain words why it does not."""
        from distributed import KilledWorker

        try:
            return ask(*arguments, **options)
        except KilledWorker as error:
            name = self._part(error.task)
            raise ClusterError(
                f"{name}: {error.allowed_failures + 1} workers died over it, the last of them "
                f"{_address(error)}, most likely for want of memory; make the parts smaller "
                "(part_bytes=, or more partitions), or give the workers more"
            ) from error
        except (asyncio.CancelledError, futures.CancelledError, OSError) as error:
            where = getattr(getattr(self.client, "scheduler", None), "addr", "the cluster")
            names = ", ".join(
                self._names[:1] + ["…"] * (len(self._names) > 2) + self._names[1:][-1:]
            )
            raise ClusterError(
                f"the scheduler at {where} is gone, while the model was fitted on {names}"
            ) from error


def _done(client: Any, tasks: list[Any]) -> bool:
    """Wait for tasks for a while; tell whether all have come to an end."""
    try:
        with client.as_current():
            import_module("distributed").wait(tasks, _PATIENCE)
    except TimeoutError:
        return False
    return True


def _freeing() -> Callable[..., None]:
    """Return what lets any worker do the tasks whose worker was lost when there was no other.

    Dask keeps these for a worker of the same address, although they may go anywhere. The function
    travels as it is, so that the scheduler need not know linnet.
    """

    def free(dask_scheduler: Any = None) -> None:
        if dask_scheduler.running:
            stuck = [ts for ts in dask_scheduler.unrunnable if ts.loose_restrictions]
            for task in stuck:
                task.worker_restrictions = None
            dask_scheduler.transitions({task.key: "processing" for task in stuck}, "linnet-free")

    return free


def _address(error: Any) -> str:
    return str(getattr(error.last_worker, "address", error.last_worker))


def _itself(value: Any) -> Any:
    return value


def _sum(names: list[str], add: Any, function: Any, parts: list[Any], step: int) -> Any:
    """Return the sum of a branch of the tree; at most a value a level is held at a time."""
    if step == 1:
        return _named(names[0], function, *parts[0])
    step //= FAN_IN
    ranges = [slice(k, k + step) for k in range(0, len(parts), step)]
    return add([_sum(names[some], add, function, parts[some], step) for some in ranges])


def _named(name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function; an error says which part it was about, and on which worker."""
    from distributed import get_worker

    try:
        return function(*arguments)
    except (LinnetError, OSError, MemoryError) as error:
        where = f"{name}, on worker {get_worker().address}"
        if isinstance(error, ParameterError):
            raise ParameterError(f"{error} ({where})") from None
        if isinstance(error, MemoryError):
            raise ClusterError(f"{where}: there is not enough memory; make it smaller") from None
        raise DataError(f"{where}: {error}") from None
