"""Texts to feature matrices: tokens, n-grams, vocabulary or hashing (SPEC D-12, M-27)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from linnet import _core
from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.text.blocks import BlockExtractor, BlockNames, joined, parse_blocks
from linnet.text.extractor import Extractor, Rows
from linnet.text.names import Names
from linnet.text.parameters import checked_settings, given_names, token_function
from linnet.text.remembered import Remembered
from linnet.text.settings import Settings
from linnet.text.texts import as_texts
from linnet.text.vocabulary import EmptyVocabularyError, learn_vocabulary
from linnet.text.weighting import inverse_document_frequency, log_count_ratio
from linnet.threads import thread_count

__all__ = ["Collisions", "TextFeatures"]


class Collisions(NamedTuple):
    """How many different features share a bucket with another one."""

    features: int
    buckets: int
    colliding: int


class TextFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn texts into a sparse matrix of features, natively and on all cores.

    With the same settings the matrix is that of scikit-learn's ``CountVectorizer``,
    ``TfidfVectorizer`` (``weighting="tfidf"``) and ``HashingVectorizer`` (``hashing=...``).

    Parameters
    ----------
    tokenizer : str, pattern or callable, default="word"
        - "word": runs of two or more letters, digits or underscores, scikit-learn's default;
        - "token": runs of them of any length, and every other character that is not white space;
        - "whitespace": what white space separates;
        - "unicode": words between the boundaries of Unicode's UAX #29;
        - "char": character n-grams; "char_wb": those inside words, with a space at their ends;
        - a regular expression (a compiled pattern, or a str that is no plain name) whose matches,
          or whose one group, are the tokens; or a function from a text to a list of tokens: slow,
          because Python does it.
    ngrams : (int, int) or int, default=(1, 1)
        Shortest and longest n-grams.
    skip : int, default=0
        Tokens that an n-gram may leave out in its middle (k-skip-n-grams). "good old book" with
        skip=1 also has the bigram "good book".
    lowercase : bool, optional
        Fold case first. By default yes, except for "whitespace": the lecture's unigrams keep it.
        Functions and regular expressions see the folded text.
    accents : {None, "unicode", "ascii"}, default=None
        Strip accents; "ascii" drops every other character outside ASCII too.
    digits : bool, default=False
        Write every digit as 0, so that all years are one feature.
    html : bool, default=False
        Remove tags and decode entities first.
    stop_words : "english" or list of str, optional
        Tokens to leave out before n-grams are made.
    min_df, max_df : int or float, default=1 and 1.0
        Keep features that occur in at least and at most so many texts, or such a share of them.
    max_features : int, optional
        Keep those that occur most often (with binary counts: in most texts); among equals, those
        that come first in the alphabet.
    vocabulary : list or dict, optional
        The features to use, in order; nothing is learned then.
    oov : {"drop", "unk"}, default="drop"
        What becomes of tokens outside the vocabulary: nothing, or one more feature ``<unk>`` that
        counts them (SPEC M-21; only for ngrams=(1, 1)).
    hashing : int or bool, optional
        Columns by hashing instead of a vocabulary: a number of bits from 1 to 30, or a number of
        buckets from 32 on; True is 20 bits.
    alternate_sign : bool, default=True
        With hashing, let half of the features count negatively, so that collisions cancel out.
    weighting : str, default="count"
        "count", "binary", "tfidf", or "log_count_ratio": presence times ln of the odds of a
        feature between the classes, as in NB-SVM; needs y.
    sublinear_tf : bool, default=False
        Replace a count c by 1 + ln c.
    binary_tf : bool, default=False
        Replace every count by 1 before the other weights ("binary" and "log_count_ratio" do).
    smooth_idf : bool, default=True
        Count one more text that has every feature.
    norm : {"auto", "l1", "l2", None}, default="auto"
        What each row is divided by; "auto" is "l2" for "tfidf" and for hashed counts, else
        None.
    features : list of str, optional
        Several blocks of features side by side, such as ``["words:1-2", "char_wb:2-5"]``, in place
        of `tokenizer` and `ngrams`: each is pruned, weighted and divided by its norm by itself (of
        the values of "tfidf" and "log_count_ratio" by default the "l2" norm), and the names of its
        features begin with its name. A block without any feature is dropped. Stop words are left
        out of blocks of words only.
    dtype : dtype, default=numpy.float32
        Of the matrix; values are computed with 24 bits.
    n_threads : int, optional
        None uses all cores. The result does not depend on it.

    Attributes
    ----------
    vocabulary_ : dict
        Column of each feature.
    idf_ : array of shape (J,), with "tfidf"; in single precision with hashing
    ratio_ : array of shape (J,), with "log_count_ratio"
    extractor_ : Extractor, or BlockExtractor for several blocks
        What was fitted, in the form that model files hold.

    Examples
    --------
    >>> features = TextFeatures(ngrams=(1, 2))
    >>> X = features.fit_transform(["The good book", "The good old book"])
    >>> features.get_feature_names_out().tolist()
    ['book', 'good', 'good book', 'good old', 'old', 'old book', 'the', 'the good']
    >>> X.toarray()[0].astype(int).tolist()
    [1, 1, 1, 0, 0, 0, 1, 1]
    """

    extractor_: Extractor | BlockExtractor

    def __init__(
        self,
        tokenizer: str | re.Pattern[str] | Callable[[str], Iterable[str]] = "word",
        *,
        ngrams: tuple[int, int] | int = (1, 1),
        skip: int = 0,
        lowercase: bool | None = None,
        accents: str | None = None,
        digits: bool = False,
        html: bool = False,
        stop_words: str | Iterable[str] | None = None,
        min_df: float = 1,
        max_df: float = 1.0,
        max_features: int | None = None,
        vocabulary: Mapping[str, int] | Iterable[str] | None = None,
        oov: str = "drop",
        hashing: int | bool | None = None,
        alternate_sign: bool = True,
        weighting: str = "count",
        sublinear_tf: bool = False,
        binary_tf: bool = False,
        smooth_idf: bool = True,
        norm: str | None = "auto",
        features: str | Iterable[str] | None = None,
        dtype: DTypeLike = np.float32,
        n_threads: int | None = None,
    ) -> None:
        self.tokenizer = tokenizer
        self.ngrams = ngrams
        self.skip = skip
        self.lowercase = lowercase
        self.accents = accents
        self.digits = digits
        self.html = html
        self.stop_words = stop_words
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.oov = oov
        self.hashing = hashing
        self.alternate_sign = alternate_sign
        self.weighting = weighting
        self.sublinear_tf = sublinear_tf
        self.binary_tf = binary_tf
        self.smooth_idf = smooth_idf
        self.norm = norm
        self.features = features
        self.dtype = dtype
        self.n_threads = n_threads

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the vocabulary and the weights of the features.

        Parameters
        ----------
        X : list of str, TextColumn, or a pandas, polars or Arrow column
        y : array of shape (texts,), only for weighting="log_count_ratio"
        """
        self._fit(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> sp.csr_matrix:
        """Learn the vocabulary and return the matrix of the same texts, in one go."""
        rows = self._fit(X, y)
        return self._matrix(self.extractor_, rows)

    def transform(self, X: Any) -> sp.csr_matrix:
        """Return the matrix of texts, shape (texts, J); features not seen in fit are dropped."""
        extractor = self._fitted()
        return self._matrix(extractor, _counts(extractor, X, thread_count(self.n_threads)))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns."""
        return np.array(self._names().tolist(), dtype=object)

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The column of each feature."""
        return {name: column for column, name in enumerate(self._names().tolist())}

    def collisions(self, X: Any) -> Collisions:
        """Count the features of texts that share a hash bucket with another one.

        Examples
        --------
        >>> texts = ["one two three four five six seven eight nine ten"]
        >>> TextFeatures(hashing=4).collisions(texts).buckets
        16
        """
        settings = self._settings()
        if not settings.buckets:
            raise ParameterError("Without hashing there are no collisions; pass hashing=20.")
        reader = self._reader(replace(settings, buckets=0))
        names = learn_vocabulary(reader, X, thread_count(self.n_threads)).extractor.names
        assert names is not None
        buckets = _core.hash_names(names.data, names.offset, settings.buckets)
        _, shared = np.unique(buckets, return_counts=True)
        colliding = int(shared[shared > 1].sum())
        return Collisions(len(names), settings.buckets, colliding)

    def _fit(self, X: Any, y: Any) -> Rows:
        """Fit and return the counts of X; nothing is set before all has gone well."""
        if self.features is not None:
            return self._fit_blocks(X, y)
        settings, threads = self._settings(), thread_count(self.n_threads)
        reader = self._without_texts(settings)
        documents: NDArray[Any]
        if reader is None:
            learn = X.learned if isinstance(X, Remembered) else partial(learn_vocabulary, texts=X)
            extractor, rows, documents = learn(
                self._reader(settings), threads=threads,
                min_df=self.min_df, max_df=self.max_df, max_features=self.max_features,
            )  # fmt: skip
        else:
            extractor, rows = reader, _counts(reader, X, threads)
            if len(rows.start) == 1:
                raise DataError("There are no texts; at least one is needed.")
            counted = np.empty(reader.n_features, np.uint32)
            _core.count_columns(rows.index, counted, threads)
            documents = counted
        learned: dict[str, Any] = {}
        if self.weighting == "log_count_ratio":
            learned["ratio_"] = log_count_ratio(rows, extractor.n_features, y)
        elif self.weighting == "tfidf":
            n_texts = len(rows.start) - 1
            learned["idf_"] = self._idf(documents, n_texts)
        scale = next(iter(learned.values()), None)
        self._keep(extractor.scaled(scale), learned)
        return rows

    def _idf(self, documents: NDArray[Any], n_texts: int) -> NDArray[Any]:
        """Return the inverse document frequencies of features that so many texts have.

        Buckets are millions, most of them unused: as many bytes as the core will read.
        """
        kind = np.float32 if self.hashing else np.float64
        return inverse_document_frequency(documents, n_texts, smooth=self.smooth_idf, dtype=kind)

    def _fit_blocks(self, X: Any, y: Any) -> Rows:
        """Fit every block by itself and return the counts of all, side by side."""
        views = X if isinstance(X, Remembered) else as_texts(X)
        blocks, rows, empty = list[TextFeatures](), list[Rows](), None
        for block in self._blocks():
            try:
                rows.append(block._fit(views, y))
                blocks.append(block)
            except EmptyVocabularyError as error:  # the others may do without it
                empty = error
        if empty is not None and not blocks:
            raise empty
        threads, learned = thread_count(self.n_threads), dict[str, Any]()
        for name in ("ratio_", "idf_"):
            values = [getattr(block, name) for block in blocks if hasattr(block, name)]
            learned |= {name: np.concatenate(values)} if values else {}
        parts: tuple[Any, ...] = tuple(block.extractor_ for block in blocks)
        if len(parts) == 1:
            self._keep(parts[0], learned)
            return rows[0]
        together = joined(rows, [part.n_features for part in parts], threads)
        self._keep(BlockExtractor(parts), learned)
        return together

    def _keep(self, extractor: Any, learned: dict[str, Any]) -> None:
        for name in ("ratio_", "idf_"):  # of an earlier fit
            self.__dict__.pop(name, None)
        self.__dict__.update(learned)
        self.extractor_ = extractor

    def _blocks(self) -> list[TextFeatures]:
        """Return what makes the features of each block."""
        defaults, params = TextFeatures().get_params(), self.get_params(deep=False)
        for name in ("tokenizer", "ngrams", "vocabulary"):
            if params[name] != defaults[name]:
                raise ParameterError(
                    f"{name}={params[name]!r} and features contradict; say it in the blocks, such "
                    "as features=['unicode:1-3']."
                )
        if self.norm == "auto" and self.weighting in ("tfidf", "log_count_ratio"):
            params["norm"] = "l2"
        features = []
        for block in parse_blocks(params.pop("features")):
            own = dict(zip(block._fields, block, strict=True))
            stop = None if block.characters else self.stop_words
            features.append(TextFeatures(**{**params, **own, "stop_words": stop}))
        return features

    def _settings(self) -> Settings:
        if self.features is not None:
            raise ParameterError(
                "Blocks of features need all texts at once; give one block as tokenizer and ngrams."
            )
        return checked_settings(self.get_params(deep=False))

    def _reader(self, settings: Settings) -> Extractor:
        return Extractor(settings, tokenize=token_function(self.tokenizer))

    def _without_texts(self, settings: Settings) -> Extractor | None:
        """Return the extractor if its columns need no texts: hashing, or a given vocabulary."""
        if settings.buckets:
            return self._reader(settings)
        if self.vocabulary is None:
            return None
        names = given_names(self.vocabulary, unknown=settings.unknown)
        return Extractor.with_names(settings, names, token_function(self.tokenizer))

    def _fitted(self) -> Extractor | BlockExtractor:
        if hasattr(self, "extractor_"):
            return self.extractor_
        if self.__sklearn_is_fitted__():
            extractor = self._without_texts(self._settings())
            if extractor is not None:
                return extractor
        raise NotFittedError("This TextFeatures is not fitted yet; call fit with texts.")

    def _names(self) -> Names | BlockNames:
        names = self._fitted().names
        if names is None:
            raise ParameterError("Hashed features have no names; use a vocabulary to see them.")
        return names

    def _matrix(self, extractor: Extractor | BlockExtractor, rows: Rows) -> sp.csr_matrix:
        start, index, value = extractor.weigh(rows, thread_count(self.n_threads))
        values = value.astype(self.dtype, copy=False)
        shape = (len(start) - 1, extractor.n_features)
        matrix = sp.csr_matrix((values, index, start), shape=shape)
        matrix.has_sorted_indices = True
        matrix.has_canonical_format = True
        return matrix

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "extractor_") or not self._needs_fit()

    def _needs_fit(self) -> bool:
        if self.features is not None:
            return True
        fixed = bool(self.hashing) or self.vocabulary is not None
        return not fixed or self.weighting in ("tfidf", "log_count_ratio")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = self._needs_fit()
        tags.target_tags.required = self.weighting == "log_count_ratio"
        return tags


def _counts(extractor: Extractor | BlockExtractor, X: Any, threads: int) -> Rows:
    """Return how often each feature occurs in each text; some texts remember it."""
    return (
        X.counts(extractor, threads) if isinstance(X, Remembered) else extractor.counts(X, threads)
    )
