"""Sentences of words, for learners that look at the words themselves and not at features."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError

__all__ = ["number_words", "read_words"]


def read_words(X: Any) -> tuple[list[str], NDArray[np.int64]]:
    """Return the words of all sentences in one list, and where each sentence begins.

    Examples
    --------
    >>> words, sentence = read_words([["fish", "swim"], [], ["can"]])
    >>> words, sentence.tolist()
    (['fish', 'swim', 'can'], [0, 2, 2, 3])
    """
    if isinstance(X, (str, bytes)) or not isinstance(X, Iterable):
        raise DataError(f"X must be a list of sentences, got {type(X).__name__}.")
    words, ends = list[str](), [0]
    for number, sentence in enumerate(X):
        if isinstance(sentence, (str, bytes)) or not isinstance(sentence, (Sequence, np.ndarray)):
            kind = type(sentence).__name__
            raise DataError(f"Sentence {number} must be a list of words, got {kind}.")
        words += sentence
        ends.append(len(words))
    if not all(isinstance(word, str) for word in words):
        place = next(i for i, word in enumerate(words) if not isinstance(word, str))
        number = int(np.searchsorted(ends, place, side="right")) - 1
        raise DataError(
            f"Token {place - ends[number]} of sentence {number} must be a word (str), got "
            f"{words[place]!r}; learners of features, such as CRF, take lists and dictionaries."
        )
    return words, np.asarray(ends, np.int64)


def number_words(words: list[str], vocabulary: dict[str, int]) -> NDArray[np.int64]:
    """Return the number of each word, -1 for those outside the vocabulary.

    Examples
    --------
    >>> number_words(["a", "c"], {"a": 0, "b": 1}).tolist()
    [0, -1]
    """
    return np.fromiter((vocabulary.get(word, -1) for word in words), np.int64, len(words))
