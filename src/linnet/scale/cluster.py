"""A cluster of Dask by its address, or a local one for as long as it is needed."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from linnet.errors import ClusterError, ParameterError

__all__ = ["cluster_client"]

# Dask makes workers give memory back at once. Then every array of some megabytes is made of new
# pages, which is half the time of a gradient; these are the limits that the C library grows to.
_MEMORY = {"MALLOC_TRIM_THRESHOLD_": 1 << 28, "MALLOC_MMAP_THRESHOLD_": 1 << 25}
_PATIENCE = 10  # seconds for a scheduler to answer, and for its first worker to appear


@contextmanager
def cluster_client(where: Any) -> Iterator[Any]:
    """Give a Dask client for as long as the block runs.

    Parameters
    ----------
    where : str or Client
        The address of a scheduler, such as ``tcp://10.0.0.1:8786``; ``local:4`` for four worker
        processes on this machine, which end with the block; ``local`` for one a core. A client is
        used as it is and stays open.

    Examples
    --------
    >>> with cluster_client("local:two"):
    ...     pass
    Traceback (most recent call last):
        ...
    linnet.errors.ParameterError: a local cluster is local:4, with the number of workers, ...
    """
    if not isinstance(where, str):
        yield where
        return
    size = _local_size(where)
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise ClusterError("a cluster needs Dask: pip install 'linnet[scale]'") from None
    if size is not None:
        environment = {f"distributed.nanny.pre-spawn-environ.{k}": v for k, v in _MEMORY.items()}
        with import_module("dask").config.set(environment):
            cluster = distributed.LocalCluster(
                n_workers=size or None, threads_per_worker=1, processes=True,
                dashboard_address=":0", silence_logs=logging.CRITICAL,
            )  # fmt: skip
        # Sums come from the workers, not by way of the scheduler; elsewhere not all reach them.
        with cluster, distributed.Client(cluster, direct_to_workers=True) as client:
            yield client
        return
    with _silent_log():
        yield from _connected(distributed, where)


def _connected(distributed: Any, where: str) -> Iterator[Any]:
    if "://" not in where and not where.rpartition(":")[2].isdecimal():
        raise ClusterError(  # Dask would begin to connect, and complain long after
            f"no scheduler is at {where}: an address has a port, such as tcp://10.0.0.1:8786, and "
            "a local cluster is local:4"
        )
    try:
        client = distributed.Client(where, timeout=_PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterError(
            f"no scheduler answers at {where}: {str(error).splitlines()[0] if str(error) else ''}; "
            "start one with dask scheduler, or name local:4"
        ) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            raise ClusterError(
                f"the cluster at {where} has no workers; start some with dask worker {where}"
            ) from None
        yield client


def _silent_log() -> Any:
    """Keep Dask from printing tracebacks of lost connections; the error says what happened."""
    return import_module("distributed.utils").silence_logging_cmgr(logging.CRITICAL)


def _local_size(where: str) -> int | None:
    """Return the number of workers of a local cluster, 0 for one a core; None for an address."""
    kind, colon, number = where.partition(":")
    if kind != "local":
        return None
    if not colon:
        return 0
    if not number.isdecimal() or int(number) < 1:
        raise ParameterError(
            f"a local cluster is local:4, with the number of workers, or local; got {where!r}"
        )
    return int(number)
