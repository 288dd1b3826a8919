"""``sklearn.feature_extraction.text``: the vectorisers, with linnet's native reading of texts.

``TfidfTransformer`` works on a matrix, which scikit-learn does well: it is scikit-learn's own.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfTransformer
from sklearn.utils.validation import check_is_fitted

from linnet.errors import ParameterError
from linnet.text.features import TextFeatures

__all__ = ["CountVectorizer", "TfidfTransformer", "TfidfVectorizer"]

_WORDS = r"(?u)\b\w\w+\b"


class CountVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """``sklearn.feature_extraction.text.CountVectorizer``: texts to counts.

    Parameters
    ----------
    strip_accents, lowercase, tokenizer, stop_words, token_pattern, ngram_range, analyzer, max_df, \
min_df, max_features, vocabulary, binary, dtype : optional
        Those of scikit-learn.
    input, encoding, decode_error, preprocessor : optional
        Texts are str, read and prepared by whoever passes them: other values than scikit-learn's
        defaults are refused.

    Attributes
    ----------
    features_ : TextFeatures
        Who reads the texts.

    Examples
    --------
    >>> from linnet.compat.sklearn.feature_extraction.text import CountVectorizer
    >>> counts = CountVectorizer(ngram_range=(1, 2))
    >>> counts.fit_transform(["the good book", "the book"]).toarray().tolist()
    [[1, 1, 1, 1, 0, 1], [1, 0, 0, 1, 1, 0]]
    >>> counts.vocabulary_.get("good book")
    2
    """

    features_: TextFeatures

    def __init__(
        self,
        *,
        input: str = "content",  # scikit-learn's name
        encoding: str = "utf-8",
        decode_error: str = "strict",
        strip_accents: str | None = None,
        lowercase: bool = True,
        preprocessor: Callable[[str], str] | None = None,
        tokenizer: Callable[[str], Any] | None = None,
        stop_words: Any = None,
        token_pattern: str | None = _WORDS,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: Any = "word",
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: DTypeLike = np.int64,
    ) -> None:
        self.input = input
        self.encoding = encoding
        self.decode_error = decode_error
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.max_df = max_df
        self.min_df = min_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.binary = binary
        self.dtype = dtype

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the vocabulary of texts."""
        self.features_ = self._features().fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> sp.csr_matrix:
        """Learn the vocabulary of texts and return their matrix."""
        self.features_ = self._features()
        return self.features_.fit_transform(X)

    def transform(self, X: Any) -> sp.csr_matrix:
        """Return the matrix of texts, shape (texts, J)."""
        return self._fitted().transform(X)

    def inverse_transform(self, X: Any) -> list[NDArray[Any]]:
        """Return the features that every row has."""
        names, rows = self.get_feature_names_out(), sp.csr_matrix(X)
        return [names[rows.indices[a:b]] for a, b in pairwise(rows.indptr)]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns."""
        return self._fitted().get_feature_names_out()

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The column of each feature."""
        return self._fitted().vocabulary_

    def _fitted(self) -> TextFeatures:
        if self.vocabulary is not None and not hasattr(self, "features_"):
            features = self._features()
            if features.__sklearn_is_fitted__():
                return features  # there is nothing to learn
        check_is_fitted(self, "features_")
        return self.features_

    def _weighting(self) -> dict[str, Any]:
        return {"weighting": "binary" if self.binary else "count", "norm": None}

    def _features(self) -> TextFeatures:
        if self.input != "content":
            raise ParameterError(f"input={self.input!r}: read the files, and pass their texts.")
        if self.preprocessor is not None:
            raise ParameterError("preprocessor: prepare the texts first, and pass what it returns.")
        reads, lowercase = self._reads(), self.lowercase and not callable(self.analyzer)
        stop = ENGLISH_STOP_WORDS if self.stop_words == "english" else self.stop_words
        return TextFeatures(
            reads, ngrams=self.ngram_range, lowercase=lowercase, accents=self.strip_accents,
            stop_words=stop if self.analyzer == "word" else None, min_df=self.min_df,
            max_df=self.max_df, max_features=self.max_features, vocabulary=self.vocabulary,
            dtype=self.dtype, **self._weighting(),
        )  # fmt: skip

    def _reads(self) -> Any:
        """Return what TextFeatures calls the tokenizer."""
        if self.analyzer != "word":
            return self.analyzer
        if self.tokenizer is not None:
            return self.tokenizer
        return "word" if self.token_pattern == _WORDS else self.token_pattern


class TfidfVectorizer(CountVectorizer):
    """``sklearn.feature_extraction.text.TfidfVectorizer``: texts to TF-IDF.

    Parameters
    ----------
    norm, use_idf, smooth_idf, sublinear_tf : optional
        Those of scikit-learn; the others are those of :class:`CountVectorizer`.

    Examples
    --------
    >>> from linnet.compat.sklearn.feature_extraction.text import TfidfVectorizer
    >>> tfidf = TfidfVectorizer()
    >>> tfidf.fit_transform(["good book", "good film"]).toarray().round(2).tolist()
    [[0.81, 0.0, 0.58], [0.0, 0.81, 0.58]]
    """

    def __init__(
        self,
        *,
        input: str = "content",  # scikit-learn's name
        encoding: str = "utf-8",
        decode_error: str = "strict",
        strip_accents: str | None = None,
        lowercase: bool = True,
        preprocessor: Callable[[str], str] | None = None,
        tokenizer: Callable[[str], Any] | None = None,
        analyzer: Any = "word",
        stop_words: Any = None,
        token_pattern: str | None = _WORDS,
        ngram_range: tuple[int, int] = (1, 1),
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: DTypeLike = np.float64,
        norm: str | None = "l2",
        use_idf: bool = True,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
    ) -> None:
        super().__init__(
            input=input, encoding=encoding, decode_error=decode_error, strip_accents=strip_accents,
            lowercase=lowercase, preprocessor=preprocessor, tokenizer=tokenizer, analyzer=analyzer,
            stop_words=stop_words, token_pattern=token_pattern, ngram_range=ngram_range,
            max_df=max_df, min_df=min_df, max_features=max_features, vocabulary=vocabulary,
            binary=binary, dtype=dtype,
        )  # fmt: skip
        self.norm = norm
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf

    def _weighting(self) -> dict[str, Any]:
        if self.use_idf:
            return {"weighting": "tfidf", "norm": self.norm, "binary_tf": self.binary,
                    "smooth_idf": self.smooth_idf, "sublinear_tf": self.sublinear_tf}  # fmt: skip
        counts = "binary" if self.binary else "count"
        return {"weighting": counts, "norm": self.norm, "sublinear_tf": self.sublinear_tf}

    @property
    def idf_(self) -> NDArray[Any]:
        """The inverse document frequency of each feature."""
        frequency: NDArray[Any] = self._fitted().idf_
        return frequency
