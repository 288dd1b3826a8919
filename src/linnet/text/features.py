"""Texts to feature matrices: tokens, n-grams, vocabulary or hashing (SPEC D-12, M-27)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from linnet import _core
from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.text.extractor import UNKNOWN, Extractor, Rows
from linnet.text.names import Names
from linnet.text.settings import TOKENIZERS, Settings
from linnet.text.stop_words import stop_words_named
from linnet.text.weighting import WEIGHTINGS, inverse_document_frequency, log_count_ratio
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
        - a regular expression (a compiled pattern, or a str that is no plain name), or a function
          from a text to a list of tokens: slow, because Python does it.
    ngrams : (int, int) or int, default=(1, 1)
        Shortest and longest n-grams.
    skip : int, default=0
        Tokens that an n-gram may leave out in its middle (k-skip-n-grams). "good old book" with
        skip=1 also has the bigram "good book".
    lowercase : bool, optional
        Fold case first. By default yes, except for "whitespace": the lecture's unigrams keep it.
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
        Keep those that occur most often.
    vocabulary : list or dict, optional
        The features to use, in order; nothing is learned then.
    oov : {"drop", "unk"}, default="drop"
        What becomes of tokens outside the vocabulary: nothing, or one more feature ``<unk>`` that
        counts them (SPEC M-21; only for ngrams=(1, 1)).
    hashing : int or bool, optional
        Columns by hashing instead of a vocabulary: a number of bits up to 31, or a number of
        buckets above that; True is 20 bits.
    alternate_sign : bool, default=True
        With hashing, let half of the features count negatively, so that collisions cancel out.
    weighting : str, default="count"
        "count", "binary", "tfidf", or "log_count_ratio": presence times ln of the odds of a
        feature between the classes, as in NB-SVM; needs y.
    sublinear_tf : bool, default=False
        Replace a count c by 1 + ln c.
    smooth_idf : bool, default=True
        Count one more text that has every feature.
    norm : {"auto", "l1", "l2", None}, default="auto"
        What each row is divided by; "auto" is "l2" for "tfidf" and for hashing, else None.
    dtype : dtype, default=numpy.float32
    n_threads : int, optional
        None uses all cores. The result does not depend on it.

    Attributes
    ----------
    vocabulary_ : dict
        Column of each feature.
    idf_ : array of shape (J,), with "tfidf"
    ratio_ : array of shape (J,), with "log_count_ratio"
    extractor_ : Extractor
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

    extractor_: Extractor

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
        smooth_idf: bool = True,
        norm: str | None = "auto",
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
        self.smooth_idf = smooth_idf
        self.norm = norm
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
        return self._matrix(self._fit(X, y))

    def transform(self, X: Any) -> sp.csr_matrix:
        """Return the matrix of texts, shape (texts, J); features not seen in fit are dropped."""
        extractor = self._fitted()
        return self._matrix(extractor.counts(X, self._threads()))

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
        plain = self._counting(Settings(**{**vars(settings), "buckets": 0}), X)[0]
        names = plain.names
        assert names is not None
        buckets = _core.hash_names(names.data, names.offset, settings.buckets)
        _, shared = np.unique(buckets, return_counts=True)
        colliding = int(shared[shared > 1].sum())
        return Collisions(len(names), settings.buckets, colliding)

    # What follows turns parameters into settings and settings into an extractor.

    def _fit(self, X: Any, y: Any) -> Rows:
        """Fit and return the counts of X."""
        settings = self._settings()
        if settings.buckets:
            extractor = Extractor(settings, tokenize=self._function())
            rows = extractor.counts(X, self._threads())
            documents = None
        elif self.vocabulary is not None:
            extractor = Extractor.with_names(settings, self._given_names(), self._function())
            rows = extractor.counts(X, self._threads())
            documents = None
        else:
            extractor, rows, documents = self._counting(settings, X)
        self.extractor_ = extractor.scaled(self._scale(extractor, rows, documents, y))
        return rows

    def _scale(
        self, extractor: Extractor, rows: Rows, documents: NDArray[np.int64] | None, y: Any
    ) -> NDArray[np.float64] | None:
        n_texts, n_features = len(rows.start) - 1, extractor.n_features
        if self.weighting == "log_count_ratio":
            self.ratio_ = log_count_ratio(rows, n_features, y)
            return self.ratio_
        if self.weighting == "tfidf":
            if documents is None:
                documents = np.bincount(rows.index, minlength=n_features)
            self.idf_ = inverse_document_frequency(documents, n_texts, smooth=self.smooth_idf)
            return self.idf_
        return None

    def _counting(
        self, settings: Settings, X: Any
    ) -> tuple[Extractor, Rows, NDArray[np.int64] | None]:
        reader = Extractor(settings, tokenize=self._function())
        texts, threads = reader.read(X), self._threads()
        low, high = self._document_limits(len(texts))
        most = 2**62 if self.max_features is None else self.max_features
        found = _core.count_features(texts, settings.analysis(), low, high, most, threads)
        if not found.columns and not settings.unknown:
            self._refuse_empty(found, low, high)
        rows = Rows(
            np.empty(found.rows + 1, np.int64),
            np.empty(found.stored, np.int32),
            np.empty(found.stored, np.float32),
        )
        found.matrix(*rows, threads)
        data, offset = np.empty(found.spelled, np.uint8), np.empty(found.columns + 1, np.int64)
        found.names(data, offset, threads)
        documents = np.empty(found.columns, np.int64)
        found.documents(documents)
        names = Names(data, offset)
        if settings.unknown:
            names = Names.of([*names.tolist(), UNKNOWN])
            extractor = Extractor.with_names(settings, names, self._function())
            return extractor, extractor.counts(X, threads), None
        return Extractor.with_names(settings, names, self._function()), rows, documents

    def _refuse_empty(self, found: _core.Counts, low: int, high: int) -> None:
        if not found.rows:
            raise DataError("There are no texts; at least one is needed.")
        if low > 1 or high < found.rows or self.max_features is not None:
            raise DataError(
                "After pruning, no features remain. Try a lower min_df or a higher max_df."
            )
        raise DataError(
            "Empty vocabulary: the texts hold no tokens, or only stop words. "
            "Try another tokenizer, such as 'token' or 'char_wb'."
        )

    def _document_limits(self, n_texts: int) -> tuple[int, int]:
        """Return the least and the largest number of texts a feature may occur in."""
        low = _document_count("min_df", self.min_df, n_texts)
        high = _document_count("max_df", self.max_df, n_texts)
        if high < low:
            raise ParameterError(
                f"max_df={self.max_df!r} allows fewer texts than min_df={self.min_df!r} asks for."
            )
        return int(np.ceil(low)), int(np.floor(high))

    def _settings(self) -> Settings:
        tokenizer, pattern = self._tokenizer()
        ngrams = _ngrams(self.ngrams)
        buckets = _buckets(self.hashing)
        _check(self.weighting in WEIGHTINGS, "weighting", self.weighting, WEIGHTINGS)
        _check(self.accents in (None, "unicode", "ascii"), "accents", self.accents,
               (None, "unicode", "ascii"))  # fmt: skip
        _check(self.norm in ("auto", "l1", "l2", None), "norm", self.norm,
               ("auto", "l1", "l2", None))  # fmt: skip
        _check(self.oov in ("drop", "unk"), "oov", self.oov, ("drop", "unk"))
        if (
            isinstance(self.skip, bool)
            or not isinstance(self.skip, int)
            or self.skip not in range(101)
        ):
            raise ParameterError(f"skip must be an integer from 0 to 100, got {self.skip!r}.")
        most = self.max_features
        if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
            raise ParameterError(f"max_features must be a positive integer, got {most!r}.")
        if self.oov == "unk" and (ngrams != (1, 1) or buckets or tokenizer.startswith("char")):
            raise ParameterError("oov='unk' needs single tokens: ngrams=(1, 1) and no hashing.")
        if self.skip and tokenizer.startswith("char"):
            raise ParameterError("skip is for words, not for characters.")
        normed = self.weighting == "tfidf" or (buckets and self.weighting == "count")
        norm = ("l2" if normed else None) if self.norm == "auto" else self.norm
        binary = self.weighting in ("binary", "log_count_ratio")
        return Settings(
            tokenizer=tokenizer,
            pattern=pattern,
            ngrams=ngrams,
            skip=self.skip,
            lowercase=tokenizer != "whitespace" if self.lowercase is None else bool(self.lowercase),
            accents=self.accents or "keep",
            digits=bool(self.digits),
            html=bool(self.html),
            stop_words=stop_words_named(self.stop_words),
            buckets=buckets,
            signs=bool(self.alternate_sign),
            unknown=self.oov == "unk",
            count="binary" if binary else "logarithm" if self.sublinear_tf else "plain",
            norm=norm or "none",
        )

    def _tokenizer(self) -> tuple[str, str]:
        """Return the kind of tokenizer and its pattern."""
        given = self.tokenizer
        if isinstance(given, re.Pattern):
            flags = given.flags & ~re.UNICODE
            letters = "".join(c for c, flag in _FLAGS.items() if flags & flag)
            return "regex", f"(?{letters}){given.pattern}" if letters else given.pattern
        if callable(given):
            return "custom", ""
        if given in TOKENIZERS:
            return given, ""
        if not isinstance(given, str) or given.replace("-", "_").isidentifier() or not given:
            raise ParameterError(
                f"tokenizer must be one of {', '.join(map(repr, TOKENIZERS))}, a regular "
                f"expression or a function; got {given!r}."
            )
        try:
            re.compile(given)
        except re.error as error:
            raise ParameterError(f"tokenizer is not a regular expression: {error}.") from None
        return "regex", given

    def _function(self) -> Callable[[str], Any] | None:
        is_pattern = isinstance(self.tokenizer, re.Pattern)
        return self.tokenizer if callable(self.tokenizer) and not is_pattern else None

    def _given_names(self) -> Names:
        given = self.vocabulary
        if isinstance(given, Mapping):
            names: list[Any] = [None] * len(given)
            for name, column in given.items():
                if not isinstance(column, (int, np.integer)) or not 0 <= column < len(names):
                    raise ParameterError(f"vocabulary: {name!r} has the column {column!r}.")
                names[column] = name
            if None in names:
                raise ParameterError("vocabulary must number its features 0, 1, … without gaps.")
        else:
            names = list(given or ())
        if not names or not all(isinstance(name, str) for name in names):
            raise ParameterError("vocabulary must hold at least one feature, all of them str.")
        if self.oov == "unk" and names[-1] != UNKNOWN:
            names.append(UNKNOWN)
        return Names.of(names)

    def _matrix(self, rows: Rows) -> sp.csr_matrix:
        start, index, value = self.extractor_.weigh(rows, self._threads())
        values = value.astype(self.dtype, copy=False)
        shape = (len(start) - 1, self.extractor_.n_features)
        matrix = sp.csr_matrix((values, index, start), shape=shape)
        matrix.has_sorted_indices = True
        matrix.has_canonical_format = True
        return matrix

    def _threads(self) -> int:
        return thread_count(self.n_threads)

    def _fitted(self) -> Extractor:
        if not hasattr(self, "extractor_"):
            settings = self._settings()
            if settings.buckets and self.weighting not in ("tfidf", "log_count_ratio"):
                self.extractor_ = Extractor(settings, tokenize=self._function())
            elif self.vocabulary is not None and self.weighting in ("count", "binary"):
                self.extractor_ = Extractor.with_names(
                    settings, self._given_names(), self._function()
                )
            else:
                raise NotFittedError("This TextFeatures is not fitted yet; call fit with texts.")
        return self.extractor_

    def _names(self) -> Names:
        names = self._fitted().names
        if names is None:
            raise ParameterError("Hashed features have no names; use a vocabulary to see them.")
        return names

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "extractor_") or bool(self.hashing) or self.vocabulary is not None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = not self.hashing
        return tags


_FLAGS = {"a": re.ASCII, "i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}


def _check(good: bool, name: str, value: object, allowed: tuple[object, ...]) -> None:
    if not good:
        listed = ", ".join(repr(choice) for choice in allowed)
        raise ParameterError(f"{name} must be one of {listed}; got {value!r}.")


def _ngrams(given: Any) -> tuple[int, int]:
    low, high = (given, given) if isinstance(given, int) else _pair(given)
    if not 1 <= low <= high <= 1000:
        raise ParameterError(f"ngrams must be (shortest, longest) from 1 up, got {given!r}.")
    return int(low), int(high)


def _pair(given: Any) -> tuple[int, int]:
    try:
        low, high = given
        if all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) for n in (low, high)):
            return low, high
    except (TypeError, ValueError):
        pass
    raise ParameterError(f"ngrams must be a pair of integers such as (1, 2), got {given!r}.")


def _buckets(given: Any) -> int:
    """Return the number of hash buckets; up to 31 the number is one of bits."""
    if given is None or given is False:
        return 0
    if given is True:
        return 2**20
    if not isinstance(given, (int, np.integer)) or not 1 <= given < 2**31:
        raise ParameterError(f"hashing must be a number of bits or of buckets, got {given!r}.")
    return 2 ** min(int(given), 30) if given <= 31 else int(given)


def _document_count(name: str, given: Any, n_texts: int) -> float:
    if isinstance(given, bool) or not isinstance(given, (int, float, np.number)):
        raise ParameterError(f"{name} must be a count or a share of texts, got {given!r}.")
    if isinstance(given, (int, np.integer)):
        if given < 1:
            raise ParameterError(f"{name} as a count must be at least 1, got {given}.")
        return float(given)
    if not 0.0 <= given <= 1.0:
        raise ParameterError(f"{name} as a share must lie in [0, 1], got {given}.")
    return float(given) * n_texts
