"""Exact training on more text than memory holds: features once to disk, then any linear learner.

Two passes over the sources make the cache (:mod:`linnet.stream.cache`). The first counts the
vocabulary exactly, in bounded memory, and collects the labels; then the size of everything is
known. The second writes the rows. The learner gets the matrix that it would have got in memory,
value for value, only that its arrays are mapped from disk: so L-BFGS, Newton's method and dual
coordinate descent reach the same optimum with the same certificate, and the file of the model is
the same, byte for byte.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.copies import Copies
from linnet.data.examples import stream_examples
from linnet.errors import DataError, ParameterError
from linnet.learn.flat.base import Learner
from linnet.learn.shared.declaration import declaration_of
from linnet.learn.shared.inputs import require_two_classes
from linnet.learn.shared.restore import restored_on_error
from linnet.model.fitting.linear import learned
from linnet.model.fitting.reading import Read
from linnet.model.fitting.steps import class_weights, features_for, learner_of
from linnet.model.readers.features import TextReader
from linnet.stream.cache import Cached, CacheKey, open_cache, write_cache
from linnet.stream.cache_rows import MappedRows
from linnet.stream.features import ENOUGH, counted_features
from linnet.text.extractor import Extractor
from linnet.threads import thread_count

if TYPE_CHECKING:
    from linnet.model.text_classifier import TextClassifier
    from linnet.text.features import TextFeatures

__all__ = ["digests_of", "fit_cached", "originals_of"]

_BLOCK = 1 << 20  # bytes of text that are in memory at once

Tell = Callable[[str], None]


def fit_cached(
    classifier: TextClassifier,
    sources: Sequence[str | os.PathLike[str]] | str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    reading: Mapping[str, Any] | None = None,
    tell: Tell | None = None,
    block_bytes: int = _BLOCK,
) -> TextClassifier:
    """Fit a text classifier on files that need not fit into memory.

    Parameters
    ----------
    classifier : TextClassifier
        With a linear learner.
    sources : path or list of paths
        Labelled files of texts, in any format; they are read twice unless the cache is there.
    folder : path
        Where the cache of features is kept for later runs with the same features.
    reading : dict, optional
        How the files are read: what :func:`linnet.data.stream_examples` takes.
    tell : function of a str, optional
        Called with what was found out and what is written.
    block_bytes : int
        How much text is in memory at once.

    Returns
    -------
    TextClassifier
        The classifier, fitted as :meth:`TextClassifier.fit` would on all the texts.

    Examples
    --------
    >>> from linnet import TextClassifier
    >>> from linnet.data.zipf import write_corpus
    >>> folder = getfixture("tmp_path")
    >>> _ = write_corpus(folder / "corpus.tsv", 200, seed=1)
    >>> clf = fit_cached(TextClassifier(), folder / "corpus.tsv", folder)
    >>> clf.record_["examples"], len(list(folder.glob("*.features")))
    (200, 1)
    """
    began = perf_counter()
    classifier._check()
    learner = learner_of(classifier)
    if isinstance(learner, Learner) and not declaration_of(learner).linear:
        raise ParameterError(
            f"{type(learner).__name__} keeps its examples in memory; with a cache use a linear "
            "learner such as SVM or MaxEnt."
        )
    files = [sources] if isinstance(sources, (str, os.PathLike)) else list(sources)
    corpus = _Corpus(files, dict(reading or {}), block_bytes, tell or (lambda message: None))
    features = features_for(classifier, learner, ENOUGH)
    cached = _cached(classifier, features, corpus, folder)
    data, classes, gold = _as_read(classifier, features, cached, folder)
    seconds = {"features": perf_counter() - began}
    weights = class_weights(classifier, learner, None, classes, gold)
    with restored_on_error(classifier):
        attributes = learned(classifier, learner, data, classes, gold, weights)
        seconds["all"] = perf_counter() - began
        classifier.__dict__.update(attributes, seconds_=seconds)
    return classifier


@dataclass
class _Corpus:
    """The sources, and what one pass over them finds out: labels and copies."""

    sources: list[str | os.PathLike[str]]
    reading: dict[str, Any]
    block_bytes: int
    tell: Tell
    labels: dict[Any, int] = field(default_factory=dict)
    codes: list[NDArray[np.int32]] = field(default_factory=list)
    digests: list[bytes] = field(default_factory=list)

    def texts(self) -> Iterator[Any]:
        """Yield blocks of texts and learn their labels."""
        for source in self.sources:
            for number, block in enumerate(self._blocks(source)):
                if not number:
                    self._check(source, block)
                numbered = [self.labels.setdefault(label, len(self.labels)) for label in block.y]
                self.codes.append(np.array(numbered, dtype=np.int32))
                self.digests.append(digests_of(block.X.raw()))
                yield block.X

    def texts_again(self) -> Iterator[Any]:
        """Yield the same blocks once more."""
        for source in self.sources:
            for block in self._blocks(source):
                yield block.X

    def _blocks(self, source: str | os.PathLike[str]) -> Iterator[Any]:
        return stream_examples(source, block_bytes=self.block_bytes, **self.reading)

    def _check(self, source: Any, block: Any) -> None:
        for decision in block.decisions:
            self.tell(f"{source}: {decision}")
        if block.kind != "text":
            raise DataError(f"{source} holds no texts; a cache is made of texts with labels")
        if block.y is None:
            raise DataError(f"{source} has no labels; name their column with --label")
        if block.multilabel:
            raise DataError(f"{source} has several labels a row; a cache takes one label a text")

    def classes(self) -> tuple[NDArray[Any], NDArray[np.int32]]:
        """Return the labels, sorted, and the number of each text's among them."""
        classes, number = np.unique(np.array(list(self.labels)), return_inverse=True)
        require_two_classes(classes, "TextClassifier")
        return np.array(classes.tolist()), number.astype(np.int32)[np.concatenate(self.codes)]

    def originals(self) -> NDArray[np.int64]:
        """Return for each text the first that equals it.

        Texts are taken for equal when 64 bits of a digest are. Should two that differ ever agree
        in them, they share a fold, and nothing else changes.
        """
        digests, self.digests = b"".join(self.digests), []
        return originals_of(digests)


def digests_of(examples: Iterable[bytes]) -> bytes:
    """Return 64 bits for each example, which are the same for equal ones."""
    return b"".join(blake2b(example, digest_size=8).digest() for example in examples)


def originals_of(digests: bytes) -> NDArray[np.int64]:
    """Return for each example the first that has the same digest."""
    numbers = np.frombuffer(digests, np.uint64)
    order = np.argsort(numbers, kind="stable")  # np.unique would need twice the memory
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = numbers[order[1:]] != numbers[order[:-1]]
    original = np.empty(len(order), np.int64)
    original[order] = order[begins][np.cumsum(begins) - 1]
    return original


def _cached(
    classifier: TextClassifier,
    features: TextFeatures,
    corpus: _Corpus,
    folder: str | os.PathLike[str],
) -> Cached:
    """Return the cache of the sources' features, which is written if there is none."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for source in corpus.sources:
        if not os.path.isfile(source):
            raise DataError(f"{source} is no file; a cache needs files, which are read twice")
    key = CacheKey(corpus.sources, _settings(classifier, features, corpus))
    path, state = key.place(folder), key.state()
    found = open_cache(path, state, corpus.tell)
    if found is not None:
        corpus.tell(f"the cache of features is there: {path}")
        return found
    vocabulary = counted_features(classifier, features, corpus.texts(), folder)
    stored = int(vocabulary.documents.sum())
    classes, gold = corpus.classes()
    rows = len(gold)
    config, arrays = vocabulary.extractor.to_file()
    arrays = {"gold": gold, "original": corpus.originals(), "documents": vocabulary.documents,
              **{f"extractor_{name}": array for name, array in arrays.items()}}  # fmt: skip
    shapes: dict[str, tuple[str, tuple[int, ...]]] = {
        "start": ("<i8", (rows + 1,)), "index": ("<i4", (stored,)), "value": ("<f4", (stored,)),
    }  # fmt: skip
    shapes |= {name: (array.dtype.str, array.shape) for name, array in arrays.items()}
    with write_cache(path, shapes, corpus.tell) as writer:
        for name, array in arrays.items():
            writer.append(name, array)
        _write_rows(writer, vocabulary.extractor, corpus, thread_count(features.n_threads))
        if key.state() != state:
            raise DataError(f"{corpus.sources[0]} or another source changed while it was read")
        writer.finish({"sources": state, "extractor": config, "classes": classes.tolist()})
    written = open_cache(path, state, corpus.tell)
    if written is None:
        raise DataError(f"{path} changed as soon as it was written; is another program at it?")
    return written


def _write_rows(writer: Any, extractor: Extractor, corpus: _Corpus, threads: int) -> None:
    reached = np.zeros(1, np.int64)
    writer.append("start", reached)
    for texts in corpus.texts_again():
        start, index, value = extractor.values(texts, threads)
        start = start[1:] + reached[-1]
        for name, array in (("start", start), ("index", index), ("value", value)):
            writer.append(name, array)
        reached = start[-1:]


def _settings(
    classifier: TextClassifier, features: TextFeatures, corpus: _Corpus
) -> dict[str, Any]:
    """Return what decides about the features, for the name of the cache."""
    chosen = features.get_params(deep=False)
    if chosen.pop("features") is not None:
        raise ParameterError("Blocks of features need all texts at once; leave the cache out.")
    if features.weighting == "log_count_ratio":
        raise ParameterError("weighting='log_count_ratio' needs all texts at once; use 'tfidf'.")
    if callable(features.tokenizer):
        raise ParameterError("A tokenizer that is a Python function has no name for a cache.")
    for name in ("n_threads", "dtype", "min_df"):
        del chosen[name]
    if not isinstance(features.tokenizer, str):
        chosen["tokenizer"] = ["regex", features.tokenizer.pattern, features.tokenizer.flags]
    if features.stop_words is not None and not isinstance(features.stop_words, str):
        chosen["stop_words"] = sorted(features.stop_words)
    return {"features": chosen, "min_df": classifier.min_df, "reading": corpus.reading}


def _as_read(
    classifier: TextClassifier,
    features: TextFeatures,
    cached: Cached,
    folder: str | os.PathLike[str],
) -> tuple[Read, NDArray[Any], NDArray[np.int32]]:
    """Return what a learner takes, the labels and their numbers."""
    arrays = cached.arrays
    parts = {
        name.removeprefix("extractor_"): array
        for name, array in arrays.items()
        if name.startswith("extractor_")
    }
    extractor = Extractor.from_file(cached.values["extractor"], parts)
    n_texts = len(arrays["gold"])
    features.extractor_ = extractor
    features.min_df = classifier._features(n_texts).min_df
    if features.weighting == "tfidf":
        features.idf_ = features._idf(arrays["documents"], n_texts)
    matrix = MappedRows(
        arrays["start"], arrays["index"], arrays["value"], extractor.n_features, folder
    )
    data = Read(TextReader(extractor), matrix, Copies(arrays["original"]), features)
    return data, np.array(cached.values["classes"]), arrays["gold"]
