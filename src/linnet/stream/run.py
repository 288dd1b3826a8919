"""A run over a stream, whatever it is a stream of: passes, places, checkpoints, progress."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar

from linnet.errors import DataError, ParameterError
from linnet.stream.checkpoint import read_checkpoint, remove_checkpoint, write_checkpoint
from linnet.stream.limits import block_size
from linnet.stream.sources import Place, Sources

__all__ = ["Progress", "Run", "described"]

_SECONDS = 5.0  # between two checkpoints, or as many as make writing a small share of the time
_SHARE = 0.1


@dataclass(frozen=True)
class Progress:
    """Where a run is.

    Attributes
    ----------
    pass_number, passes : int
        From 1.
    examples : int
        Learned so far, in all passes.
    done, total : int, int or None
        Bytes of all passes; None where the size is not known, as of a pipe.
    accuracy, loss : float
        Of the examples of the last blocks, each answered before it was learned.
    seconds : float
        Since the run was started or resumed.
    rate : float
        Examples a second.
    left : float or None
        Seconds to go, as far as they can be told.
    skipped : int
        Bad rows left out.
    """

    pass_number: int
    passes: int
    examples: int
    done: int
    total: int | None
    accuracy: float
    loss: float
    seconds: float
    rate: float
    left: float | None
    skipped: int


class Run(ABC):
    """A training run over a stream; see :func:`linnet.fit_stream`.

    Parameters
    ----------
    sources : Sources
    increment : what learns: Increment or TagIncrement
    passes : int
    memory : str, int or None
        What the process may take.
    checkpoint : str or None
        Where the run is put aside.
    settings : dict
        What must be the same when the run is resumed.
    """

    remedy: ClassVar[str]  # when the weights are more than the memory

    def __init__(
        self,
        sources: Sources,
        increment: Any,
        *,
        passes: int,
        memory: str | int | None,
        checkpoint: str | None,
        settings: dict[str, Any],
    ) -> None:
        if passes > 1 and not sources.repeats:
            raise ParameterError("standard input can be read in one pass only; name a file")
        self.sources, self.increment = sources, increment
        self.passes, self.checkpoint, self._memory = passes, checkpoint, memory
        self.pass_number, self.place = 0, Place()
        self._written, self._cost = perf_counter(), 0.0
        self._settings = {"files": sources.identity(), "passes": passes, **settings}

    @abstractmethod
    def _rows(self) -> Iterator[tuple[Any, Any, Place]]:
        """Yield features and labels of blocks from the place on, and the place after each."""

    @abstractmethod
    def attributes(self) -> dict[str, Any]:
        """Return the attributes of the fitted estimator."""

    def _about(self) -> dict[str, Any]:
        """Return what the record of the model says about the run."""
        skipped = len(self.sources.bad)
        return {"passes": self.passes, **({"skipped": skipped} if skipped else {})}

    def begin(self, *, resume: bool) -> None:
        """Go on from the checkpoint, if there is one and it is wanted; else from the start."""
        if self.checkpoint is None:
            if resume:
                raise ParameterError("to resume, name the checkpoint")
            return
        if not resume:
            remove_checkpoint(self.checkpoint)
            return
        held = read_checkpoint(self.checkpoint, self._settings)
        if held is None:
            return
        values, arrays = held
        self.increment.restore(values["increment"], arrays)
        self.pass_number, self.place = values["pass"], Place(**values["place"])
        self.sources.bad.restore(values["bad"])
        self._write()  # takes over what a run that was killed while it wrote has left

    def learn(self, progress: Callable[[Progress], Any] | None = None) -> None:
        """Go through what is left of the stream, or until `progress` returns False."""
        watch = _Watch(self, progress)
        while self.pass_number < self.passes:
            first = self.pass_number == 0
            for rows, y, after in self._rows():
                self.increment.meet(rows, y, foresees=first)
                self._check_size()
                self.place = after
                self._put_aside()
                if watch.tell() is False:
                    return
            self.pass_number, self.place = self.pass_number + 1, Place()
        if not self.increment.seen:
            raise DataError("the stream holds no example")

    def _check_size(self) -> None:
        """Refuse to go on when the weights have grown beyond the memory they may have."""
        block_size(self._memory, self.increment.n_bytes, self.remedy)

    def _put_aside(self) -> None:
        """Write a checkpoint when it is time; the larger it is, the more seldom."""
        if self.checkpoint is None:
            return
        if perf_counter() - self._written >= max(_SECONDS, self._cost / _SHARE):
            self._write()

    def _write(self) -> None:
        assert self.checkpoint is not None
        began = perf_counter()
        increment, arrays = self.increment.to_state()
        values = {
            "increment": increment, "pass": self.pass_number, "place": self.place.to_dict(),
            "bad": self.sources.bad.to_dict(),
        }  # fmt: skip
        write_checkpoint(self.checkpoint, self._settings, values, arrays)
        self._written = perf_counter()
        self._cost = self._written - began

    def end(self) -> None:
        """Remove the checkpoint."""
        if self.checkpoint is not None:
            remove_checkpoint(self.checkpoint)


class _Watch:
    """Tells how far a run is and how fast."""

    def __init__(self, run: Run, progress: Callable[[Progress], Any] | None) -> None:
        self.run, self.progress = run, progress
        self.began, self.seen = perf_counter(), run.increment.seen
        self.bytes = self._done()

    def _done(self) -> int:
        sources, run = self.run.sources, self.run
        return sources.bytes_before(run.place) + run.pass_number * (sources.total_bytes or 0)

    def tell(self) -> Any:
        if self.progress is None:
            return None
        run, foresight = self.run, self.run.increment.foresight
        total, done = run.sources.total_bytes, self._done()
        whole = None if total is None else run.passes * total
        seconds = perf_counter() - self.began
        since = done - self.bytes
        left = None
        if whole is not None and since > 0:
            left = seconds * (whole - done) / since
        examples = run.increment.seen
        n, wrong, loss = foresight.curve[-1] if foresight.curve else (1, 0, 0.0)
        return self.progress(
            Progress(
                pass_number=run.pass_number + 1, passes=run.passes, examples=examples, done=done,
                total=whole, accuracy=1.0 - wrong / max(1, n), loss=loss / max(1, n),
                seconds=seconds, rate=(examples - self.seen) / max(seconds, 1e-9), left=left,
                skipped=len(run.sources.bad),
            )
        )  # fmt: skip


def described(estimator: Any) -> str:
    """Return an estimator as text, but for the number of its threads."""
    plain = copy(estimator)
    plain.n_threads = None
    return repr(plain)
