"""What a sequence tagger has learned: everything that predicting needs, and nothing else.

NumPy and the core are all that is imported here, so a saved tagger starts fast.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.data import tags as chunk_tags
from linnet.data.columns import TextColumn
from linnet.errors import DataError, ModelFileError, ParameterError
from linnet.learn.linear_chain import Allowed, LinearChain
from linnet.model.legal import OWN, allowed_by, as_scheme
from linnet.model.tokens import Tokens, given_tags, read_tags, read_tokens, tokens_of_text
from linnet.text.names import Names
from linnet.text.token_extractor import TokenExtractor
from linnet.threads import thread_count

if TYPE_CHECKING:
    from linnet.explain.tags import TagExplanation
    from linnet.model.file import ModelFile
    from linnet.model.learner_chain import LearnerChain

__all__ = ["TagModel"]

Floats = NDArray[np.float64]


class TagModel:
    """A trained tagger of sentences.

    :meth:`SequenceTagger.fit <linnet.SequenceTagger.fit>` makes one and :func:`linnet.load` reads
    one from a file. It only predicts: the same answers, bit for bit, whatever the batch or the
    number of threads.

    Attributes
    ----------
    classes_ : array of shape (L,)
        The tags, sorted.
    chain : LinearChain or LearnerChain
        The weights, or a learner that has none of that form.
    extractor : TokenExtractor or None
        What makes features of tokens; None when the learner reads words.
    scheme : str or None
        The scheme of chunk tags whose legal sequences alone are predicted.
    probabilistic : bool
        Whether scores are log probabilities, so that there are marginals.
    column_models : tuple of TagModel
        Taggers that supply the columns after the words where a sentence has words only.
    known_words : frozenset of str
        The words of the training data.
    record_ : dict
        How it was trained.

    Examples
    --------
    >>> import linnet
    >>> tagger = linnet.SequenceTagger().fit([["I", "ran"], ["I", "sat"]], [["P", "V"], ["P", "V"]])
    >>> tagger.model_.predict([["I", "slept"]])
    [['P', 'V']]
    """

    kind = "sequence"

    def __init__(
        self,
        *,
        classes: Any,
        chain: LinearChain | LearnerChain,
        extractor: TokenExtractor | None,
        words: Names,
        scheme: chunk_tags.Scheme | None = None,
        probabilistic: bool = True,
        column_models: Iterable[TagModel] = (),
        record: dict[str, Any] | None = None,
        n_threads: int | None = None,
    ) -> None:
        self.classes_ = np.asarray(classes)
        self.chain = chain
        self.extractor = extractor
        self.words = words
        self.scheme = scheme
        self.probabilistic = probabilistic
        self.column_models = tuple(column_models)
        self.record_ = record or {}
        self.n_threads = n_threads

    # Predicting

    def predict(self, sentences: Any, *, constraints: str | None = OWN) -> list[list[str]]:
        """Return the tags of every sentence.

        Parameters
        ----------
        sentences : list of lists of words or of tuples, or Sequences
            As many columns as in training; words alone are enough when the model has learned to
            supply the others.
        constraints : {"model", "iob1", "iob2", "bioes", "bilou"} or None
            Which sequences of tags may be predicted: those legal in a scheme; by default in that
            of the training data. None allows all. Where no legal sequence exists, all are.
        """
        tokens = self.complete(sentences)
        rows, threads = self._rows(tokens), self._threads()
        labels = self.chain.decode(rows, tokens.offset, self.allowed(constraints), threads)
        named = self.classes_.astype(object)[labels].tolist()  # one object for each label
        return tokens.cut(named)

    def predict_marginals(self, sentences: Any, *, constraints: str | None = OWN) -> list[Floats]:
        """Return for every sentence P(tag at token | sentence), shape (tokens, L)."""
        self._require_probabilities()
        tokens = self.complete(sentences)
        rows, threads = self._rows(tokens), self._threads()
        table = self.chain.marginals(rows, tokens.offset, self.allowed(constraints), threads)
        return [table[first:last] for first, last in pairwise(tokens.offset.tolist())]

    def predict_nbest(
        self, sentences: Any, k: int = 5, *, constraints: str | None = OWN
    ) -> list[list[tuple[float, list[str]]]]:
        """Return for every sentence its k best sequences of tags, best first, as (score, tags)."""
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
            raise ParameterError(f"k must be a positive integer, got {k!r}.")
        tokens = self.complete(sentences)
        ranked = self.chain.n_best(
            self._rows(tokens), tokens.offset, int(k), self.allowed(constraints), self._threads()
        )
        return [[(score, self.classes_[own].tolist()) for score, own in best] for best in ranked]

    def entities(self, text: str) -> list[tuple[int, int, str, str]]:
        """Return the chunks found in raw text as (start, end, label, text), in characters.

        Each line is a sentence; it is cut into tokens at the word boundaries of Unicode.
        """
        if not chunk_tags.are_chunk_tags(self.classes_.tolist()):
            raise DataError("The tags of this model are no chunk tags such as B-X, I-X and O.")
        tokens, spans = tokens_of_text(text)
        found = []
        for first, tags in zip(tokens.offset.tolist(), self.predict(tokens), strict=False):
            for low, high, label in chunk_tags.spans(tags):
                start, end = spans[first + low][0], spans[first + high - 1][1]
                found.append((start, end, label, text[start:end]))
        return found

    def score(self, sentences: Any, tags: Any = None) -> float:
        """Return the share of tokens whose tag is right; the tags of Sequences are their own."""
        tokens = read_tokens(sentences)
        gold = read_tags(given_tags(sentences, tags), tokens)
        if not tokens.n_tokens:
            raise DataError("There is no accuracy of no tokens; pass at least one.")
        pairs = zip(self.predict(tokens), gold, strict=True)
        right = [a == b for guess, own in pairs for a, b in zip(guess, own, strict=True)]
        return float(np.mean(right))

    def explain(self, sentence: Any, against: Sequence[str] | None = None) -> TagExplanation:
        """Say why each token has its tag, and not the next best one: :mod:`linnet.explain.tags`.

        Parameters
        ----------
        sentence : str, or list of words or of tuples
        against : list of tags, optional
            Compare with these, for example the true ones, where they differ.
        """
        from linnet.model.tag_explaining import explain

        return explain(self, sentence, against)

    # Looking inside

    def top_features(self, n: int = 10) -> dict[str, list[tuple[str, float]]]:
        """Return the n features of largest weight for each tag."""
        from linnet.model.tag_card import top_features

        return top_features(self, n)

    def top_transitions(self, n: int = 10) -> list[tuple[str, str, float]]:
        """Return the n strongest transitions (tag, next tag, score), by size, largest first."""
        from linnet.model.tag_card import top_transitions

        return top_transitions(self, n)

    def card(self) -> str:
        """Return a readable description: what it predicts, from what, and how it was trained."""
        from linnet.model.tag_card import card

        return card(self)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self.chain.n_features

    @property
    def n_columns(self) -> int:
        """The number of columns that features look at: 1 means words alone."""
        return 1 if self.extractor is None else self.extractor.n_columns

    @cached_property
    def known_words(self) -> frozenset[str]:
        """The words of the training data; all others are out of vocabulary."""
        return frozenset(self.words.tolist())

    # Files

    def save(self, path: str | os.PathLike[str], *, dtype: str = "float32") -> None:
        """Write the model to one file that :func:`linnet.load` reads.

        Parameters
        ----------
        path : str or path-like
        dtype : {"float32", "float16"}
            Of the weights. float32 is exact; float16 halves them and rounds.
        """
        from linnet.model.file import save

        save(self, path, dtype=dtype)

    def _to_file(
        self, dtype: str = "float32"
    ) -> tuple[dict[str, Any], dict[str, NDArray[Any]], dict[str, Any]]:
        from linnet.model.tag_storing import to_file

        return (*to_file(self, dtype), self.record_)

    @classmethod
    def _from_file(cls, file: ModelFile) -> TagModel:
        from linnet.model.tag_storing import from_file

        try:
            return from_file(file.config, file.arrays, file.record)
        except ModelFileError:
            raise
        except (
            ArithmeticError, AttributeError, DataError, LookupError, TypeError, ValueError,
        ) as error:  # fmt: skip
            what = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
            raise ModelFileError(
                f"the tagger inside is broken ({what}); save or copy it again", file=file.path
            ) from None

    # From what users pass to rows

    def complete(self, sentences: Any) -> Tokens:
        """Return tokens with all columns the model looks at, those that are missing predicted."""
        tokens = read_tokens(sentences)
        have, need = len(tokens.columns), self.n_columns
        if have >= need:
            return tokens.first(need)
        if have > 1 or not self.column_models:
            raise DataError(
                f"This model looks at {need} columns of each token (the word comes first), but "
                f"the sentences have {have}; pass tuples, or a file with all columns."
            )
        more = [
            TextColumn.from_strings([tag for row in model.predict(tokens) for tag in row])
            for model in self.column_models
        ]
        return Tokens((*tokens.columns, *more), tokens.offset)

    def allowed(self, constraints: str | None) -> Allowed | None:
        """Return what a scheme allows, by default the model's own; None is everything."""
        scheme = self.scheme if constraints == OWN else as_scheme(constraints)
        return None if scheme is None else allowed_by(scheme, self.classes_.tolist())

    def _rows(self, tokens: Tokens) -> Any:
        if self.extractor is None:
            return tokens.words()
        return self.extractor.rows(tokens.columns, tokens.offset, self._threads())

    def _linear(self, what: str) -> tuple[LinearChain, TokenExtractor]:
        """Return the weights and the names of their features, if there are such."""
        if isinstance(self.chain, LinearChain) and self.extractor is not None:
            return self.chain, self.extractor
        learner = self.record_.get("learner", "This learner")
        raise ParameterError(f"{learner} is no chain of linear scores, so there is no {what}.")

    def _threads(self) -> int:
        return thread_count(self.n_threads)

    def _require_probabilities(self) -> None:
        if not self.probabilistic:
            learner = self.record_.get("learner", "the learner")
            raise ParameterError(
                f"The scores of {learner} are no probabilities, so there are no marginals; train "
                "a CRF, or use predict_nbest."
            )
