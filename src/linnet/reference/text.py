r"""From a text to a vector: tokens, n-grams, counts and their weights (D-12, M-27).

Problem
    A learner wants x in R^J; a document is a string. Choose J features and say how much of each
    the document has.
Given
    texts d_1 .. d_M, and what counts as a token.
Returned
    the vocabulary, and X (M, J) with X[i, j] = how often feature j occurs in text i.

Bag of words (S2 "Unigram features"): the order of the tokens is forgotten, case is kept, and words
outside the vocabulary of training are dropped (M-21). Neighbours are remembered by making features
of them, "Kyoto Prefecture" (S2 "Designing features"): an n-gram is n tokens in a row; a k-skip
n-gram is n tokens in order that leave out at most k between the first and the last.

Weights
    tf-idf          tf . (ln(M / df_j) + 1): rare features say more; smooth adds one text that has
                    them all, sublinear takes 1 + ln tf
    log-count ratio ln((p_j / sum p) / (q_j / sum q)), p = alpha + texts of the class that have j, q
                    = alpha + texts of the others: naive Bayes as a weight (NB-SVM)
    norm            each row divided by its length, so that long texts weigh no more than short ones

Hashing trick: h(feature) mod n is the column, so no vocabulary is needed; two features may share
one. The sign of h is that of the count, so that on average what shares a column cancels out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from linnet.errors import ParameterError
from linnet.reference.common import FloatArray

__all__ = [
    "char_ngrams",
    "counts",
    "hashed",
    "log_count_ratio",
    "murmur3",
    "ngrams",
    "normed",
    "tf_idf",
    "tokens",
    "vocabulary",
    "with_unknown",
]

PATTERNS = {"word": r"\b\w\w+\b", "token": r"\w+|[^\w\s]", "whitespace": r"\S+"}


def tokens(text: str, tokenizer: str = "whitespace", *, lowercase: bool = False) -> list[str]:
    """Cut a text at white space, or into words, or into words and all other signs.

    Examples
    --------
    >>> tokens("A site , located in Maizuru , Kyoto")
    ['A', 'site', ',', 'located', 'in', 'Maizuru', ',', 'Kyoto']
    >>> tokens("It's a site, isn't it?", "word", lowercase=True)
    ['it', 'site', 'isn', 'it']
    """
    if tokenizer not in PATTERNS:
        raise ParameterError(f"tokenizer must be one of {', '.join(PATTERNS)}; got {tokenizer!r}")
    return re.findall(PATTERNS[tokenizer], text.lower() if lowercase else text)


def ngrams(words: Sequence[str], shortest: int, longest: int, skip: int = 0) -> list[str]:
    """Every choice of n words in order, at most `skip` of those between them left out.

    Examples
    --------
    >>> ngrams(["in", "Kyoto", "Prefecture"], 2, 2, skip=1)
    ['in Kyoto', 'in Prefecture', 'Kyoto Prefecture']
    """
    features = []
    for n in range(shortest, longest + 1):
        for first in range(len(words)):
            reach = range(first + 1, min(len(words), first + n + skip))
            for rest in combinations(reach, n - 1):
                features.append(" ".join(words[k] for k in (first, *rest)))
    return features


def char_ngrams(text: str, shortest: int, longest: int, *, inside_words: bool = False) -> list[str]:
    """N-grams of characters: across the text, or inside words that have a space at both ends.

    White space of any length counts as one space. A word shorter than every n-gram counts whole.

    Examples
    --------
    >>> char_ngrams("a  bee", 3, 3)
    ['a b', ' be', 'bee']
    >>> char_ngrams("a  bee", 3, 3, inside_words=True)
    [' a ', ' be', 'bee', 'ee ']
    """
    pieces = [f" {word} " for word in text.split()] if inside_words else [
        re.sub(r"\s\s+", " ", text)
    ]  # fmt: skip
    features = []
    for piece in pieces:
        for n in range(shortest, longest + 1):
            features += [piece[k : k + n] for k in range(len(piece) - n + 1)]
        if inside_words and len(piece) < shortest:
            features.append(piece)
    return features


def vocabulary(
    documents: Sequence[Sequence[str]], min_df: int = 1, max_df: int | None = None
) -> list[str]:
    """Return the features that enough and not too many documents have, in alphabetical order.

    Examples
    --------
    >>> vocabulary([["good", "film"], ["good", "good", "book"]], min_df=2)
    ['good']
    """
    df = Counter(feature for document in documents for feature in set(document))
    most = len(documents) if max_df is None else max_df
    return sorted(feature for feature, count in df.items() if min_df <= count <= most)


def with_unknown(document: Sequence[str], words: Sequence[str], name: str = "<unk>") -> list[str]:
    """Write every token outside the vocabulary as one unknown word (M-21, oov="unk").

    Examples
    --------
    >>> with_unknown(["good", "zither"], ["good"])
    ['good', '<unk>']
    """
    known = set(words)
    return [word if word in known else name for word in document]


def counts(documents: Sequence[Sequence[str]], words: Sequence[str]) -> FloatArray:
    """X (M, J): how often each word of the vocabulary occurs; all others are dropped (M-21).

    Examples
    --------
    >>> counts([["Obama", "voters", "voters"]], ["Obama", "Ferrari", "voters", "movies"])
    array([[1., 0., 2., 0.]])
    """
    column = {word: j for j, word in enumerate(words)}
    X = np.zeros((len(documents), len(words)))
    for i, document in enumerate(documents):
        for word in document:
            if word in column:
                X[i, column[word]] += 1
    return X


def normed(X: FloatArray, norm: str | None) -> FloatArray:
    """Rows divided by the sum of magnitudes ("l1") or the Euclidean length ("l2").

    Examples
    --------
    >>> normed(np.array([[3.0, 4.0], [0.0, 0.0]]), "l2")
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    if norm is None:
        return X
    length = np.linalg.norm(X, ord=1 if norm == "l1" else 2, axis=1, keepdims=True)
    scaled: FloatArray = X / np.where(length > 0, length, 1.0)
    return scaled


def tf_idf(
    X: FloatArray, *, smooth: bool = True, sublinear: bool = False, norm: str | None = "l2"
) -> FloatArray:
    """Counts times inverse document frequency.

    Examples
    --------
    >>> tf_idf(np.array([[2.0, 1.0], [0.0, 1.0]]), smooth=False, norm=None).round(3)
    array([[3.386, 1.   ],
           [0.   , 1.   ]])
    """
    df = (X != 0).sum(axis=0) + float(smooth)
    idf = np.log((len(X) + float(smooth)) / np.where(df > 0, df, 1.0)) + 1.0
    tf = X
    if sublinear:
        tf = np.where(X > 0, 1.0 + np.log(np.where(X > 0, X, 1.0)), 0.0)
    return normed(tf * idf, norm)


def log_count_ratio(X: FloatArray, positive: Sequence[bool], alpha: float = 1.0) -> FloatArray:
    """Return r (J,): how much more often a feature is present in the positive texts, as a log.

    Examples
    --------
    >>> log_count_ratio(np.array([[2.0, 0.0], [0.0, 1.0]]), [False, True]).round(3)
    array([-0.693,  0.693])
    """
    member = np.asarray(positive, dtype=bool)
    present = (X != 0).astype(float)
    p, q = alpha + present[member].sum(axis=0), alpha + present[~member].sum(axis=0)
    ratio: FloatArray = np.log(p / p.sum()) - np.log(q / q.sum())
    return ratio


def murmur3(data: bytes) -> int:
    """MurmurHash3 of 32 bits with seed 0, as a signed number: four bytes at a time, then the rest.

    Examples
    --------
    >>> murmur3(b"good"), murmur3(b"")
    (115441729, 0)
    """
    mask = 0xFFFFFFFF

    def rotated(x: int, bits: int) -> int:
        return (x << bits | x >> (32 - bits)) & mask

    def mixed(block: bytes) -> int:
        return rotated(int.from_bytes(block, "little") * 0xCC9E2D51 & mask, 15) * 0x1B873593 & mask

    h, whole = 0, len(data) - len(data) % 4
    for k in range(0, whole, 4):
        h = (rotated(h ^ mixed(data[k : k + 4]), 13) * 5 + 0xE6546B64) & mask
    h ^= mixed(data[whole:]) ^ len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & mask
    h = (h ^ h >> 13) * 0xC2B2AE35 & mask
    h ^= h >> 16
    return h - 2**32 if h >= 2**31 else h


def hashed(
    documents: Sequence[Sequence[str]], n_buckets: int, *, alternate_sign: bool = True
) -> FloatArray:
    """X (M, n_buckets): each feature is added to the bucket that its hash names.

    Examples
    --------
    >>> hashed([["good", "good", "book"]], 4, alternate_sign=False)
    array([[0., 2., 1., 0.]])
    """
    X = np.zeros((len(documents), n_buckets))
    for i, document in enumerate(documents):
        for feature in document:
            h = murmur3(feature.encode())
            X[i, abs(h) % n_buckets] += -1.0 if alternate_sign and h < 0 else 1.0
    return X
