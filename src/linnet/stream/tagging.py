"""Taggers over files of sentences larger than memory.

A pass before the others finds out which features, tags and words there are: the features of each
block are counted natively and added up. For a CRF another one finds which features meet which tags.
Then the learner goes over the blocks, sentence by sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linnet.data.hidden import BadRows
from linnet.data.sequences import stream_sequences
from linnet.errors import DataError, ParameterError
from linnet.learn.chain.sgd_stream import CRFSteps, Observed
from linnet.model.fitting.sequences import chosen_set, learner_of
from linnet.model.fitting.tag_increment import (
    BYTES_PER_FEATURE,
    Online,
    TagIncrement,
    online_tagger,
    ragged_of,
)
from linnet.model.legal import scheme_of
from linnet.model.readers.tokens import Tokens, read_tags, read_tokens
from linnet.model.sequence_tagger import SequenceTagger
from linnet.stream.ahead import ahead
from linnet.stream.limits import block_size
from linnet.stream.run import Run, described
from linnet.stream.sources import Place, Sources
from linnet.text.token_extractor import TokenExtractor
from linnet.text.token_vocabulary import TokenVocabulary
from linnet.threads import thread_count

__all__ = ["TagRun"]


class Sentences(Sources):
    """The sentences of files, block by block."""

    def tagged(self, place: Place | None = None) -> Iterator[tuple[Tokens, list[list[str]], Place]]:
        """Yield blocks of tokens and their tags from a place on, each with the place after it."""
        place = place or Place()
        for number in range(place.file, len(self.files)):
            known = place.rows if number == place.file else 0
            self._check(number)
            sentences = 0
            blocks = stream_sequences(
                self.files[number], block_bytes=self.block_bytes, **self.reading
            )
            for block in blocks:
                sentences += len(block)
                if sentences <= known:
                    continue
                if block.tags is None:
                    raise DataError(f"{self.files[number]} has no tags to learn")
                tokens = read_tokens(block)
                yield tokens, read_tags(block.tags, tokens), Place(number, sentences)
            self._check(number)


class TagRun(Run):
    """A run over sentences."""

    sources: Sentences
    remedy = "give more, or look at fewer features"

    def __init__(
        self, tagger: SequenceTagger, source: Any, *, passes: int, memory: str | int | None,
        bad: BadRows, checkpoint: str | None, reading: dict[str, Any],
    ) -> None:  # fmt: skip
        self.tagger = tagger
        learner = _learner(tagger)
        blocks = block_size(memory, 0, "give more")
        sources = Sentences(source, block_bytes=blocks, bad=bad, **reading)
        if not sources.repeats:
            raise ParameterError("sentences are read more than once; name a file, not a pipe")
        settings = {
            "estimator": described(tagger), "block size": blocks,
            "reading": {name: repr(value) for name, value in reading.items()},
        }  # fmt: skip
        increment = self._look(sources, learner, memory)
        super().__init__(
            sources, increment, passes=passes, memory=memory, checkpoint=checkpoint,
            settings=settings,
        )  # fmt: skip

    def _look(self, sources: Sentences, learner: Any, memory: str | int | None) -> TagIncrement:
        """Find out which features, tags and words there are."""
        tagger, vocabulary = self.tagger, None
        tags: set[str] = set()
        words: set[str] = set()
        scheme = None
        for tokens, gold, _ in ahead(sources.tagged()):
            if vocabulary is None:  # the first block says what the tags are like
                scheme = scheme_of(tagger.constraints, gold, None)
                vocabulary = TokenVocabulary(
                    features=chosen_set(tagger.features, gold), gazetteers=tagger.gazetteers,
                    n_threads=tagger.n_threads,
                )  # fmt: skip
            vocabulary.add(list(tokens.columns), tokens.offset)
            block_size(memory, BYTES_PER_FEATURE * len(vocabulary), self.remedy)
            words.update(tokens.strings(0))
            tags.update(tag for sentence in gold for tag in sentence)
        if vocabulary is None or not vocabulary.transitions:
            raise ParameterError("templates without B, and so without transitions, need all data")
        extractor = vocabulary.extractor(int(tagger.min_count))
        core: Any
        if hasattr(learner, "streamed"):
            core = CRFSteps(learner, self._observe(sources, learner, extractor, sorted(tags)))
        else:
            core = Online(learner, sorted(tags))
        return TagIncrement(core, extractor, words, scheme)

    def _observe(
        self, sources: Sentences, learner: Any, extractor: TokenExtractor, tags: list[str]
    ) -> Observed:
        """Find out which features and which tags meet."""
        observed = Observed(learner, extractor.n_features, tags)
        threads = thread_count(self.tagger.n_threads)
        for tokens, gold, _ in ahead(sources.tagged()):
            observed.add(ragged_of(extractor, tokens, threads), gold)
        return observed

    def _rows(self) -> Iterator[tuple[Any, Any, Place]]:
        threads = thread_count(self.tagger.n_threads)

        def features() -> Iterator[tuple[Any, Any, Place]]:
            for tokens, gold, after in ahead(self.sources.tagged(self.place)):
                yield self.increment.rows(tokens, threads), gold, after

        return ahead(features())

    def attributes(self) -> dict[str, Any]:
        """Return the attributes of the fitted tagger."""
        model = self.increment.model(self.tagger, **self._about())
        return {"model_": model, "learner_": self.increment.learner}


def _learner(tagger: SequenceTagger) -> Any:
    """Return who learns sentence by sentence: a CRF by SGD where one is asked for."""
    chosen: Any = None if tagger.learner is None else learner_of(tagger)
    return chosen.streamed() if hasattr(chosen, "streamed") else online_tagger(tagger)
