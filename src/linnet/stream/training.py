"""Training on a stream: read, make features and learn, all at once and in the order of the files.

The three are done by threads that are a block apart, and the features of a block on all cores; the
learner meets examples one after the other. So the result depends on the order of the examples and
on nothing else: not on threads, blocks, or how often the run was interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from linnet.data.hidden import BadRows
from linnet.errors import ParameterError
from linnet.learn.mira import MIRA
from linnet.learn.shared.solvers import solver_name
from linnet.model.fitting.increment import Increment, fixed_features, incremental_learner
from linnet.model.fitting.steps import features_for
from linnet.model.sequence_tagger import SequenceTagger
from linnet.model.text_classifier import TextClassifier
from linnet.stream.ahead import ahead
from linnet.stream.features import ENOUGH, counted_features
from linnet.stream.limits import block_size
from linnet.stream.run import Progress, Run, described
from linnet.stream.sources import Place, Sources
from linnet.stream.tagging import TagRun
from linnet.text.extractor import Extractor, Rows
from linnet.threads import thread_count

__all__ = ["fit_stream"]

BITS = 22  # of the hashed features, where nothing else is said
_CAUTION = 0.1  # C of the learner that continues a model


def fit_stream(
    estimator: Any,
    source: Any,
    *,
    passes: int = 1,
    labels: list[Any] | None = None,
    start: Any = None,
    new_labels: bool = False,
    memory: str | int | None = None,
    skip_bad: int = 0,
    vocabulary: bool = False,
    checkpoint: Any = None,
    resume: bool = False,
    keep_checkpoint: bool = False,
    progress: Callable[[Progress], Any] | None = None,
    **reading: Any,
) -> Any:
    """Train a classifier of texts, or a tagger of sentences, on files of any size, block by block.

    Parameters
    ----------
    estimator : TextClassifier or SequenceTagger
        Its learner must be able to learn an example at a time: MaxEnt (the default), SVM,
        Perceptron, MIRA, MultinomialNB or BernoulliNB. Its features are hashed, into 2²² buckets
        unless ``hashing`` says otherwise, or `vocabulary`. Of a tagger the learner is
        StructuredPerceptron (the default), StructuredMIRA, or a CRF by SGD; its features are those
        that occur, found in a pass before the others.
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
    vocabulary : bool, default=False
        Whether a pass before the others finds the features that memory would find, in bounded
        memory: words stay readable, ``min_df`` and tf-idf mean what they mean there.
    checkpoint : path, optional
        A file that the run is put aside in every few seconds, and which is removed at its end.
    resume : bool, default=False
        Go on from that file, if it is there.
    keep_checkpoint : bool, default=False
        Leave the file at the end, with all examples learned, for one who has yet to save the
        model.
    progress : function, optional
        Called with a :class:`Progress` after each block; returns False to end the run there, with
        what is learned.
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
    0.98
    """
    if isinstance(passes, bool) or not isinstance(passes, int) or passes < 1:
        raise ParameterError(f"passes must be a positive integer, got {passes!r}")
    aside = None if checkpoint is None else str(checkpoint)
    bad = BadRows(skip_bad)
    with bad.left_out():
        run: Run
        if isinstance(estimator, SequenceTagger):
            if labels is not None or start is not None or vocabulary:
                raise ParameterError("labels, start and vocabulary are for texts; leave them out.")
            run = TagRun(
                estimator, source, passes=passes, memory=memory, bad=bad, checkpoint=aside,
                reading=reading,
            )  # fmt: skip
        else:
            run = TextRun(
                estimator, source, passes=passes, memory=memory, bad=bad,
                begin=Begin(labels, start, new_labels, vocabulary), checkpoint=aside,
                reading=reading,
            )  # fmt: skip
        run.begin(resume=resume)
        run.learn(progress)
    estimator.__dict__.update(run.attributes())
    if not keep_checkpoint:
        run.end()
    return estimator


@dataclass(frozen=True)
class Begin:
    """What a run begins with: nothing but labels, with a vocabulary or without; or a model."""

    labels: list[Any] | None = None
    model: Any = None
    new_labels: bool = False
    vocabulary: bool = False

    def extractor(self, estimator: TextClassifier, sources: Sources) -> Extractor | None:
        """Return the features of a new classifier; None where a model has them already."""
        if self.model is not None:
            if self.vocabulary:
                raise ParameterError("the model to continue has its features; drop vocabulary")
            return None
        learner = incremental_learner(estimator)
        if not self.vocabulary:
            return fixed_features(estimator, learner)
        if estimator.hashing:
            raise ParameterError("hashing makes a vocabulary needless; choose one of the two")
        if not sources.repeats:
            raise ParameterError("a vocabulary needs a pass before the others; name a file")
        features = features_for(estimator, learner, ENOUGH)
        if features.weighting == "log_count_ratio":
            raise ParameterError("weighting='log_count_ratio' needs all examples; leave it out.")
        texts = (block.X for block, _ in ahead(sources.blocks()))
        return counted_features(estimator, features, texts).extractor

    def increment(
        self, estimator: TextClassifier, extractor: Extractor | None, examples: int | None = None
    ) -> Increment:
        """Return the classifier before the first example."""
        if self.model is None:
            assert extractor is not None
            learner = incremental_learner(estimator)
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


class TextRun(Run):
    """A run over texts."""

    increment: Increment
    remedy = "give more, or fewer bits of hashing"

    def __init__(
        self, estimator: TextClassifier, source: Any, *, passes: int, begin: Begin,
        memory: str | int | None, bad: BadRows, checkpoint: str | None, reading: dict[str, Any],
    ) -> None:  # fmt: skip
        self.estimator = _checked(estimator, hashed=not begin.vocabulary)
        if begin.model is None:
            incremental_learner(self.estimator)  # a learner that cannot is refused before reading
        blocks = block_size(memory, 0, self.remedy)
        sources = Sources(source, block_bytes=blocks, bad=bad, **reading)
        extractor = begin.extractor(self.estimator, sources)
        increment = begin.increment(self.estimator, extractor)
        self.learner = increment.learner
        solver = solver_name(getattr(self.learner, "solver", None))
        if estimator.C != "auto" and solver in ("auto", "adagrad"):
            raise ParameterError(
                "AdaGrad has no penalty, so that C means nothing; leave it out, or use "
                "solver='sgd'."
            )
        sources.block_bytes = blocks = block_size(memory, increment.n_bytes, self.remedy)
        if estimator.C != "auto" and solver == "sgd":  # the penalty is weighed against all losses
            increment = begin.increment(self.estimator, extractor, _count(sources))
        settings = {
            "estimator": described(self.estimator), "labels": begin.labels, "block size": blocks,
            "reading": {name: repr(value) for name, value in reading.items()},
            "start": begin.print(), "vocabulary": begin.vocabulary,
        }  # fmt: skip
        super().__init__(
            sources, increment, passes=passes, memory=memory, checkpoint=checkpoint,
            settings=settings,
        )  # fmt: skip
        self._threads = thread_count(estimator.n_threads)

    def _rows(self) -> Iterator[tuple[Rows, list[Any], Place]]:
        """Yield the features of blocks, made ahead of their use."""
        increment, threads = self.increment, self._threads

        def features() -> Iterator[tuple[Rows, list[Any], Place]]:
            for block, after in ahead(self.sources.blocks(self.place)):
                yield increment.rows(block.X, threads), block.y or [], after

        return ahead(features())

    def attributes(self) -> dict[str, Any]:
        """Return the attributes of the fitted estimator."""
        model = self.increment.model(self.estimator, **self._about())
        return {"model_": model, "learner_": self.learner}


def _count(sources: Sources) -> int:
    """Return the number of examples, read in a pass of its own."""
    if not sources.repeats:
        raise ParameterError("C needs the examples counted first, so name a file.")
    return sum(len(block) for block, _ in sources.blocks())


def _checked(estimator: TextClassifier, *, hashed: bool) -> TextClassifier:
    """Return a classifier that can be trained on a stream; with hashed features, if so wished."""
    if not isinstance(estimator, TextClassifier):
        raise ParameterError(
            f"a stream trains a TextClassifier or a SequenceTagger, not {type(estimator).__name__}"
        )
    estimator._check()
    if estimator.class_weight is not None:
        raise ParameterError("class_weight needs all examples at once; leave it out.")
    chosen = copy(estimator)
    if hashed and not chosen.hashing:
        chosen.hashing = BITS
    return chosen
