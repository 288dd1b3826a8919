"""What one worker has: models, limits, threads, numbers; and how it asks a model."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from linnet.errors import LinnetError
from linnet.serve.batching import Batcher, Part
from linnet.serve.forms import Form
from linnet.serve.kinds import Asked
from linnet.serve.limits import Admission, Limits
from linnet.serve.metrics import Metrics
from linnet.serve.models import Served, Shelf

__all__ = ["Service", "Settings"]

_LOOK = 1.0  # seconds between two looks at the model files
_LOG = logging.getLogger("linnet.serve")


@dataclass(frozen=True)
class Settings:
    """How models are served; the command line has an option for each.

    Attributes
    ----------
    files : dict of names and paths
        The models.
    limits : Limits
    token : str or None
        What clients must know.
    hosts : tuple of str
        The names by which browsers may call the service; empty allows all.
    wait : float or None
        See :class:`~linnet.serve.batching.Batcher`.
    threads : int or None
        Of one call of a model.
    log, log_text : bool
        Whether a line of JSON is written for each request, and whether it says what was asked.
    folder : str or None
        What workers have in common; None makes one of this worker's own.
    """

    files: dict[str, str]
    limits: Limits = field(default_factory=Limits)
    token: str | None = None
    hosts: tuple[str, ...] = ()
    wait: float | None = 0.0
    threads: int | None = None
    log: bool = False
    log_text: bool = False
    folder: str | None = None


class Service:
    """The state of a worker, from its start to its end.

    Attributes
    ----------
    settings : Settings
    models : Shelf
    metrics : Metrics
    requests, streams : Admission
        Who is in the works.
    ready : bool
        Whether it has started and does not stop.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._folder = settings.folder or tempfile.mkdtemp(prefix="linnet-serve-")
        self.models = Shelf(settings.files, self._folder, settings.threads)
        self.metrics = Metrics(self._folder)
        limits = settings.limits
        self.ready = False
        self.requests = Admission(limits.concurrency, "requests")
        self.streams = Admission(limits.streams, "streams")
        self.pool = ThreadPoolExecutor(2 * (os.cpu_count() or 1), "linnet-model")
        self.stream_pool = ThreadPoolExecutor(limits.streams, "linnet-stream")
        self.batcher = Batcher(
            self.pool, limits.batch, settings.wait, limits.timeout, self._observe
        )

    async def ask(self, served: Served, form: Form, examples: list[Any], asked: Asked) -> Part:
        """Ask a model about examples, together with others who ask it at the same time."""
        kind = served.kind
        if not examples:
            return Part(None, 0, 0, 1)
        key = (served, kind.lane(form, asked))
        return await self.batcher.ask(key, lambda batch: kind.ask(form, batch, asked), examples)

    def ask_here(self, served: Served, form: Form, examples: Any, asked: Asked) -> Any:
        """Ask a model in this thread: a block of a stream, or a request that is large itself."""
        result = served.kind.ask(form, examples, asked)
        self._observe((served, None), result, 1, len(examples))
        return result

    def _observe(self, key: Any, result: Any, requests: int, examples: int) -> None:
        served: Served = key[0]
        self.metrics.batch(served.name, requests, examples, served.kind.counts(result))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Look after the model files until the block ends; then finish what is under way."""
        task = asyncio.create_task(self._look())
        self.ready = True
        try:
            yield
        finally:
            self.ready = False
            task.cancel()
            self.pool.shutdown(wait=True)
            self.stream_pool.shutdown(wait=True)
            self.metrics.gone()
            if self.settings.folder is None:
                shutil.rmtree(self._folder, ignore_errors=True)

    async def _look(self) -> None:
        """Take up model files that were replaced, and leave numbers for other workers."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(_LOOK)
            await loop.run_in_executor(self.pool, self._look_once)

    def _look_once(self) -> None:
        self.metrics.leave(self.requests.now)
        for name in self.models.replaced():
            try:
                version = self.models.take_up(name).version
            except (LinnetError, OSError) as error:
                self.metrics.loaded(name, "refused")
                _LOG.error("the new file of %s is refused, the old model stays: %s", name, error)
            else:
                self.metrics.loaded(name, "taken up")
                _LOG.warning("%s is now version %s", name, version)
