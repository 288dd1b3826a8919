"""Training on a stream: read, make features and learn, all at once and in the order of the files.

The three are done by threads that are a block apart, and the features of a block on all cores; the
learner meets examples one after the other. So the result depends on the order of the examples and
on nothing else: not on threads, blocks, or how often the run was interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from time import perf_counter
from typing import Any
from zlib import crc32

import numpy as np

from linnet.errors import DataError, ParameterError
from linnet.learn.mira import MIRA
from linnet.learn.shared.solvers import solver_name
from linnet.model.increment import Increment, fixed_features, incremental_learner
from linnet.model.text_classifier import TextClassifier
from linnet.stream.ahead import ahead
from linnet.stream.checkpoint import read_checkpoint, remove_checkpoint, write_checkpoint
from linnet.stream.limits import block_size
from linnet.stream.sources import Place, Sources
from linnet.text.extractor import Rows
from linnet.threads import thread_count

__all__ = ["Progress", "fit_stream"]

BITS = 22  # of the hashed features, where nothing else is said
_SECONDS = 5.0  # between two checkpoints, and as a share of the time
_SHARE = 0.1
_CAUTION = 0.1  # C of the learner that continues a model


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


def fit_stream(
    estimator: TextClassifier,
    source: Any,
    *,
    passes: int = 1,
    labels: list[Any] | None = None,
    start: Any = None,
    new_labels: bool = False,
    memory: str | int | None = None,
    skip_bad: int = 0,
    checkpoint: Any = None,
    resume: bool = False,
    keep_checkpoint: bool = False,
    progress: Callable[[Progress], None] | None = None,
    **reading: Any,
) -> TextClassifier:
    """Train a text classifier on files of any size, block by block.

    Parameters
    ----------
    estimator : TextClassifier
        Its learner must be able to learn an example at a time: MaxEnt (the default), SVM,
        Perceptron, MIRA or MultinomialNB. Its features are hashed, into 2²² buckets unless
        ``hashing`` says otherwise.
    source : str, path, or list of them
        Files of any flat format, plain or compressed, patterns such as ``"part-*.jsonl"``; or
        ``-``, standard input. Their order is the order of learning: shuffle them beforehand.
    passes : int, default=1
    labels : list, optional
        All labels, if they are known; else a label counts from its first example on.
    start : Model, optional
        A trained model of texts to go on from, with its features. The learner, by default
        ``MIRA(C=0.1)``, must be one that needs no more than weights: MIRA or Perceptron.
    new_labels : bool, default=False
        Whether labels that the model does not have are learned, or refused.
    memory : str or int, optional
        What the process may take, such as "2GB".
    skip_bad : int, default=0
        How many rows that do not follow the format are left out before one is an error.
    checkpoint : path, optional
        A file that the run is put aside in every few seconds, and which is removed at its end.
    resume : bool, default=False
        Go on from that file, if it is there.
    keep_checkpoint : bool, default=False
        Leave the file at the end, with all examples learned, for one who has yet to save the
        model.
    progress : function, optional
        Called with a :class:`Progress` after each block.
    reading : what :func:`linnet.data.read_examples` takes
        ``format``, ``text``, ``label`` and so on.

    Returns
    -------
    estimator
        Fitted. ``record_["progressive"]`` says how well each example of the first pass was
        foreseen before it was learned.

    Examples
    --------
    >>> import linnet
    >>> path = getfixture('tmp_path') / "reviews.tsv"
    >>> _ = path.write_text("pos\\ta fine film\\nneg\\ta dull book\\n" * 50)
    >>> clf = linnet.fit_stream(linnet.TextClassifier(hashing=16), path)
    >>> clf.predict(["a fine book", "a dull film"]).tolist()
    ['pos', 'neg']
    >>> clf.record_["progressive"]["accuracy"]
    0.99
    """
    run = Run(
        estimator, source, passes=passes, memory=memory, skip_bad=skip_bad,
        begin=Begin(labels, start, new_labels),
        checkpoint=None if checkpoint is None else str(checkpoint), reading=reading,
    )  # fmt: skip
    run.begin(resume=resume)
    run.learn(progress)
    estimator.__dict__.update(run.attributes())
    if not keep_checkpoint:
        run.end()
    return estimator


@dataclass(frozen=True)
class Begin:
    """What a run begins with: nothing but labels, or a trained model."""

    labels: list[Any] | None = None
    model: Any = None
    new_labels: bool = False

    def increment(self, estimator: TextClassifier, examples: int | None = None) -> Increment:
        """Return the classifier before the first example."""
        if self.model is None:
            learner = incremental_learner(estimator)
            extractor = fixed_features(estimator, learner)
            return Increment(learner, extractor, self.labels, examples=examples)
        if estimator.learner is None:
            estimator = copy(estimator)
            estimator.learner = MIRA(C=_CAUTION)
        learner = incremental_learner(estimator)
        model = getattr(self.model, "model_", self.model)
        return Increment.continuing(model, learner, admits=self.new_labels)

    def print(self) -> list[Any] | None:
        """Return what tells a model from another."""
        if self.model is None:
            return None
        model = getattr(self.model, "model_", self.model)
        return [self.new_labels, crc32(np.ascontiguousarray(model.weights_).tobytes())]


class Run:
    """A training run over a stream; see :func:`fit_stream`."""

    def __init__(
        self, estimator: TextClassifier, source: Any, *, passes: int, begin: Begin,
        memory: str | int | None, skip_bad: int, checkpoint: str | None, reading: dict[str, Any],
    ) -> None:  # fmt: skip
        if isinstance(passes, bool) or not isinstance(passes, int) or passes < 1:
            raise ParameterError(f"passes must be a positive integer, got {passes!r}")
        self.estimator = _hashed(estimator)
        self.increment = begin.increment(self.estimator)
        self.learner, extractor = self.increment.learner, self.increment.extractor
        solver = solver_name(getattr(self.learner, "solver", None))
        if estimator.C != "auto" and solver in ("auto", "adagrad"):
            raise ParameterError(
                "AdaGrad has no penalty, so that C means nothing; leave it out, or use "
                "solver='sgd'."
            )
        weights = self.increment.core.bytes_for(extractor.n_features, len(self.increment.labels))
        copies = 3 * 4 * extractor.n_features * self.increment.core.columns
        blocks = block_size(memory, weights + copies, "give more, or fewer bits of hashing")
        self.sources = Sources(source, block_bytes=blocks, skip_bad=skip_bad, **reading)
        self.passes, self.checkpoint = passes, checkpoint
        if passes > 1 and not self.sources.repeats:
            raise ParameterError("standard input can be read in one pass only; name a file")
        if estimator.C != "auto" and solver == "sgd":  # the penalty is weighed against all losses
            self.increment = begin.increment(self.estimator, self._count())
        self.pass_number, self.place = 0, Place()
        self._threads = thread_count(estimator.n_threads)
        self._written = perf_counter()
        self._cost = 0.0
        self._settings = {
            "estimator": repr(self.estimator), "files": self.sources.identity(),
            "reading": {name: repr(value) for name, value in reading.items()}, "passes": passes,
            "labels": begin.labels, "block size": blocks, "start": begin.print(),
        }  # fmt: skip

    def _count(self) -> int:
        """Return the number of examples, read in a pass of its own."""
        if not self.sources.repeats:
            raise ParameterError("C needs the examples counted first, so name a file.")
        examples = sum(len(block) for block, _ in self.sources.blocks())
        self.sources.skipped = 0
        return examples

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
        self.sources.skipped = values["skipped"]
        self._write()  # takes over what a run that was killed while it wrote has left

    def learn(self, progress: Callable[[Progress], None] | None = None) -> None:
        """Go through what is left of the stream."""
        watch = _Watch(self, progress)
        while self.pass_number < self.passes:
            first = self.pass_number == 0
            for rows, y, after in self._rows():
                self.increment.meet(rows, y, foresees=first)
                self.place = after
                self._put_aside()
                watch.tell()
            self.pass_number, self.place = self.pass_number + 1, Place()
        if not self.increment.seen:
            raise DataError("the stream holds no example")

    def _rows(self) -> Iterator[tuple[Rows, list[Any], Place]]:
        """Yield the features of blocks, made ahead of their use."""
        increment, threads = self.increment, self._threads

        def features() -> Iterator[tuple[Rows, list[Any], Place]]:
            for block, after in ahead(self.sources.blocks(self.place)):
                yield increment.rows(block.X, threads), block.y or [], after

        return ahead(features())

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
            "skipped": self.sources.skipped,
        }  # fmt: skip
        write_checkpoint(self.checkpoint, self._settings, values, arrays)
        self._written = perf_counter()
        self._cost = self._written - began

    def attributes(self) -> dict[str, Any]:
        """Return the attributes of the fitted estimator."""
        skipped = self.sources.skipped
        model = self.increment.model(
            self.estimator, passes=self.passes, **({"skipped": skipped} if skipped else {})
        )
        return {"model_": model, "learner_": self.learner}

    def end(self) -> None:
        """Remove the checkpoint."""
        if self.checkpoint is not None:
            remove_checkpoint(self.checkpoint)


class _Watch:
    """Tells how far a run is and how fast."""

    def __init__(self, run: Run, progress: Callable[[Progress], None] | None) -> None:
        self.run, self.progress = run, progress
        self.began, self.seen = perf_counter(), run.increment.seen
        self.bytes = run.sources.bytes_before(run.place)

    def tell(self) -> None:
        if self.progress is None:
            return
        run, foresight = self.run, self.run.increment.foresight
        total, before = run.sources.total_bytes, run.sources.bytes_before(run.place)
        done = before if total is None else before + run.pass_number * total
        whole = None if total is None else run.passes * total
        seconds = perf_counter() - self.began
        since = done - self.bytes
        left = None
        if whole is not None and since > 0:
            left = seconds * (whole - done) / since
        examples = run.increment.seen
        n, wrong, loss = foresight.curve[-1] if foresight.curve else (1, 0, 0.0)
        self.progress(
            Progress(
                pass_number=run.pass_number + 1, passes=run.passes, examples=examples, done=done,
                total=whole, accuracy=1.0 - wrong / max(1, n), loss=loss / max(1, n),
                seconds=seconds, rate=(examples - self.seen) / max(seconds, 1e-9), left=left,
                skipped=run.sources.skipped,
            )
        )  # fmt: skip


def _hashed(estimator: TextClassifier) -> TextClassifier:
    """Return the estimator with hashed features, itself left as it is."""
    if not isinstance(estimator, TextClassifier):
        raise ParameterError(f"a stream trains a TextClassifier, not {type(estimator).__name__}")
    estimator._check()
    if estimator.class_weight is not None:
        raise ParameterError("class_weight needs all examples at once; leave it out.")
    hashed = copy(estimator)
    if not hashed.hashing:
        hashed.hashing = BITS
    return hashed
