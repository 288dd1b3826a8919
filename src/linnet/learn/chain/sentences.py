"""From what users pass as sentences to what the core reads.

X is a list of sentences, a sentence a list of tokens, a token a dictionary (feature to value) or a
list of feature names; or a :class:`Ragged` matrix, whose rows are the tokens of all sentences.
Learners that look at the words themselves take lists of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError
from linnet.learn.chain.elsewhere import SentencesElsewhere
from linnet.learn.shared.checks import class_order
from linnet.learn.shared.symbols import has_symbols, indicators

__all__ = [
    "Ragged",
    "checked",
    "number_labels",
    "number_words",
    "read_features",
    "read_labels",
    "read_sentences",
    "read_words",
    "token_accuracy",
]


class Ragged(NamedTuple):
    """Tokens as sparse rows, and where sentences begin.

    Token t has the features ``column[start[t]:start[t + 1]]``, ascending, with the values of
    ``value`` or 1 where that is None; sentence s has the tokens ``sentence[s]:sentence[s + 1]``.
    """

    start: NDArray[np.int64]
    column: NDArray[np.int32]
    value: NDArray[np.float64] | None
    n_features: int
    sentence: NDArray[np.int64]

    @property
    def matrix(self) -> _core.Matrix:
        """The tokens as the core reads them."""
        return _core.Matrix(self.start, self.column, self.value, self.n_features)

    @property
    def n_sentences(self) -> int:
        """The number of sentences."""
        return len(self.sentence) - 1

    @property
    def n_tokens(self) -> int:
        """The number of tokens of all sentences."""
        return int(self.sentence[-1])

    def tokens(self, first: int, last: int) -> Ragged:
        """Return the tokens first .. last - 1 as sentences of their own."""
        a, b = self.start[first], self.start[last]
        value = None if self.value is None else self.value[a:b]
        alone = np.arange(last - first + 1, dtype=np.int64)
        start = self.start[first : last + 1] - a
        return Ragged(start, self.column[a:b], value, self.n_features, alone)


def read_sentences(X: Any, vocabulary: dict[str, int] | None) -> tuple[Ragged, dict[str, int]]:
    """Turn sentences into rows; features outside a given vocabulary are dropped (SPEC A-04).

    Without a vocabulary one is made of all features, in the order of their names.
    """
    if isinstance(X, (str, bytes)) or not isinstance(X, Iterable):
        raise DataError(f"X must be a list of sentences, got {type(X).__name__}.")
    if vocabulary is not None and (plain := _core.feature_rows(X, vocabulary)) is not None:
        return _plain_rows(plain, len(vocabulary)), vocabulary
    sentences = [_checked_sentence(number, sentence) for number, sentence in enumerate(X)]
    if any(map(has_symbols, sentences)):
        return read_sentences(_without_symbols(sentences), vocabulary)
    if vocabulary is None:
        names = {name for sentence in sentences for token in sentence for name in token}
        try:
            vocabulary = {name: column for column, name in enumerate(sorted(names))}
        except TypeError as error:
            raise DataError(f"Feature names must be of one kind, such as str: {error}.") from None
        if (plain := _core.feature_rows(X, vocabulary)) is not None:
            return _plain_rows(plain, len(vocabulary)), vocabulary
    start, column, value = [0], list[int](), list[float]()
    for sentence in sentences:
        for token in sentence:
            row = _columns(token, vocabulary)
            column += [j for j, _ in row]
            value += [v for _, v in row]
            start.append(len(column))
    try:
        values = np.asarray(value, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"Feature values must be numbers: {error}.") from None
    lengths = [len(sentence) for sentence in sentences]
    ragged = Ragged(
        start=np.asarray(start, np.int64),
        column=np.asarray(column, np.int32),
        value=None if (values == 1.0).all() else values,
        n_features=len(vocabulary),
        sentence=np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64),
    )
    return ragged, vocabulary


def _plain_rows(plain: _core.FeatureRows, n_features: int) -> Ragged:
    start, sentence = np.empty(plain.tokens + 1, np.int64), np.empty(plain.sentences + 1, np.int64)
    column, value = np.empty(plain.stored, np.int32), np.empty(plain.stored)
    plain.copy(start, column, value, sentence)
    return Ragged(start, column, None if plain.ones else value, n_features, sentence)


def _checked_sentence(number: int, sentence: Any) -> Sequence[Any]:
    if isinstance(sentence, (str, bytes, Mapping)) or not isinstance(sentence, Sequence):
        kind = type(sentence).__name__
        raise DataError(f"Sentence {number} must be a list of tokens, got {kind}.")
    for place, token in enumerate(sentence):
        if isinstance(token, (str, bytes)) or not isinstance(token, (Mapping, Iterable)):
            raise DataError(
                f"Token {place} of sentence {number} must be a dictionary or a list of features, "
                f"got {token!r}; SequenceTagger takes words."
            )
    return sentence


def _without_symbols(sentences: list[Sequence[Any]]) -> list[list[Any]]:
    return [
        [indicators(token) if isinstance(token, Mapping) else token for token in sentence]
        for sentence in sentences
    ]


def _columns(token: Any, vocabulary: dict[str, int]) -> list[tuple[int, float]]:
    if isinstance(token, Mapping):
        return sorted((vocabulary[name], v) for name, v in token.items() if name in vocabulary)
    return [(j, 1.0) for j in sorted({vocabulary[name] for name in token if name in vocabulary})]


def checked(ragged: Ragged) -> Ragged:
    """Return sentences with the arrays that the core reads, once they are known to fit."""
    start = np.ascontiguousarray(ragged.start, np.int64)
    column = np.ascontiguousarray(ragged.column, np.int32)
    sentence = np.ascontiguousarray(ragged.sentence, np.int64)
    if len(start) < 1 or start[0] != 0 or start[-1] != len(column) or (np.diff(start) < 0).any():
        raise DataError("The sentences are broken: the row pointers do not fit the columns.")
    if len(sentence) < 1 or sentence[0] != 0 or (np.diff(sentence) < 0).any():
        raise DataError("The sentences are broken: their beginnings do not ascend from 0.")
    if sentence[-1] != len(start) - 1:
        raise DataError(f"Sentences end at token {sentence[-1]}, there are {len(start) - 1}.")
    if len(column) and not (0 <= column.min() and column.max() < ragged.n_features):
        raise DataError(f"A feature number lies outside 0 .. {ragged.n_features - 1}.")
    value: NDArray[np.float64] | None = None
    if ragged.value is not None:
        value = np.ascontiguousarray(ragged.value, np.float64)
        if len(value) != len(column) or not np.isfinite(value).all():
            raise DataError("Feature values must be finite, one for each column.")
    return Ragged(start, column, value, int(ragged.n_features), sentence)


def read_features(learner: Any, X: Any, *, reset: bool) -> Ragged:
    """Read X for a learner, which with ``reset`` remembers its width and its vocabulary."""
    name = type(learner).__name__
    if isinstance(X, SentencesElsewhere):
        learner.__dict__.pop("vocabulary_", None)
        learner.n_features_in_ = int(X.n_features)
        return X  # type: ignore[return-value]  # it answers all that a learner may ask
    if isinstance(X, Ragged):
        if reset:
            learner.__dict__.pop("vocabulary_", None)
            learner.n_features_in_ = int(X.n_features)
        elif X.n_features != learner.n_features_in_:
            raise DataError(
                f"X has {X.n_features} features, {name} was fitted on {learner.n_features_in_}."
            )
        return checked(X)
    if not reset and not hasattr(learner, "vocabulary_"):
        raise DataError(f"{name} was fitted on a Ragged matrix; pass one.")
    ragged, vocabulary = read_sentences(X, None if reset else learner.vocabulary_)
    if reset:
        learner.vocabulary_ = vocabulary
        learner.n_features_in_ = len(vocabulary)
    return checked(ragged)


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


def read_labels(y: Any, sentence: NDArray[np.int64]) -> list[Any]:
    """Return the labels of all tokens in one list, after checking their number."""
    if isinstance(y, (str, bytes)) or not isinstance(y, Iterable):
        raise DataError(f"y must be a list of lists of labels, got {type(y).__name__}.")
    labels = [list(part) for part in y]
    if len(labels) != len(sentence) - 1:
        raise DataError(f"X has {len(sentence) - 1} sentences, y has {len(labels)}.")
    for number, part in enumerate(labels):
        tokens = int(sentence[number + 1] - sentence[number])
        if len(part) != tokens:
            raise DataError(f"Sentence {number} has {tokens} tokens, but {len(part)} labels.")
    return [label for part in labels for label in part]


def number_labels(
    y: Any, sentence: NDArray[np.int64], order: Any = None
) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the labels, ascending or in a given order, and the number of each token's label.

    Examples
    --------
    >>> classes, gold = number_labels([["N", "V"], ["D"]], np.array([0, 2, 3]))
    >>> classes.tolist(), gold.tolist()
    (['D', 'N', 'V'], [1, 2, 0])
    """
    labels = read_labels(y, sentence)
    if not labels:
        raise DataError("There are no tokens to learn from; at least one is needed.")
    kinds = {type(label) for label in labels}
    if kinds & {float, type(None)}:
        _refuse_missing(labels, sentence)
    if len(kinds) > 1:
        listed = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise DataError(f"Labels must be of one kind, got {listed}.")
    try:
        names = sorted(set(labels))
        if order is not None:
            names = _ordered(order, names)
        number = {label: i for i, label in enumerate(names)}
        gold = np.fromiter(map(number.__getitem__, labels), np.int32, len(labels))
        classes = np.asarray(names)
    except DataError:
        raise
    except (KeyError, TypeError, ValueError):
        kind = next(iter(kinds)).__name__
        raise DataError(f"Labels must be strings or integers, got {kind}.") from None
    if classes.ndim != 1 or classes.dtype.kind not in "Uiub":
        raise DataError(f"Labels must be strings or integers, got {names[0]!r}.")
    return classes, gold


def _refuse_missing(labels: list[Any], sentence: NDArray[np.int64]) -> None:
    for token, label in enumerate(labels):
        if label is None or label != label:
            number = int(np.searchsorted(sentence, token, side="right")) - 1
            raise DataError(
                f"The label of token {token - int(sentence[number])} of sentence {number} is "
                "missing (NaN or None); labels are strings or integers."
            )


def _ordered(order: Any, names: list[Any]) -> list[Any]:
    listed: list[Any] = class_order(order).tolist()
    if set(listed) != set(names):
        raise DataError(f"classes must be the labels of the sentences, {names}; got {listed}.")
    return listed


def token_accuracy(predicted: list[list[Any]], y: Any) -> float:
    """Return the share of tokens whose label is right.

    Examples
    --------
    >>> token_accuracy([["N", "V"], ["D", "N"]], [["N", "V"], ["D", "V"]])
    0.75
    """
    guess = [label for labels in predicted for label in labels]
    gold = [label for labels in y for label in labels]
    if not gold or len(gold) != len(guess):
        raise DataError(f"There are {len(guess)} tokens and {len(gold)} labels to compare.")
    return float(np.mean([a == b for a, b in zip(guess, gold, strict=True)]))
