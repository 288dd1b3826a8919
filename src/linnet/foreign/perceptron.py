r"""Averaged-perceptron taggers (TextBlob, NLTK, PyThaiNLP): JSON, or a pickled triple.

    weights    {feature: {tag: number}}
    tagdict    {word: tag}, words that had one tag nearly always
    classes    [tag, ...]

Words are tagged from left to right. One of the dictionary has its tag at once; another one the tag
of largest score, of equal ones the last in the order of characters. Fourteen features look at the
word, at two words on either side and at the two tags before.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ModelFileError, ParameterError
from linnet.learn.chain import Constraints, LinearChain
from linnet.learn.chain.reasons import Floats, Parts
from linnet.model.chain_scorer import ChainScorer
from linnet.model.decision import Decision
from linnet.model.model import Model
from linnet.model.tokens import Tokens, read_tokens, tokens_of_text
from linnet.stored import Array, check
from linnet.text.names import Names
from linnet.text.stored import checked_array

__all__ = ["GreedyScorer", "WordReader", "joined", "makes", "model_of", "read", "recognises"]

Arrays = dict[str, NDArray[Any]]
Ints = NDArray[np.int64]
_START = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:weights|tagdict|classes)"\s*:')
_PARTS = ("weights", "tagdict", "classes")
_BEFORE, _AFTER = ("-START-", "-START2-"), ("-END-", "-END2-")
_LABELS = 100_000
_TABLE = 1 << 24  # weights, 128 MB, that are laid out in full


def recognises(head: bytes) -> bool:
    """Tell whether a file begins as such a tagger's JSON does."""
    return _START.match(head) is not None


def read(file: str) -> Model:
    """Return the model of a file with all three parts, after checking it."""
    value = _json(file)
    if not isinstance(value, dict) or not set(_PARTS) <= set(value):
        _refuse(file, f"does not have {', '.join(_PARTS)}")
    return model_of(tuple(value[name] for name in _PARTS), file)


def joined(
    weights: str | os.PathLike[str],
    tagdict: str | os.PathLike[str],
    classes: str | os.PathLike[str],
) -> Model:
    """Return the model of the three JSON files that NLTK keeps its tagger in."""
    files = [os.fspath(path) for path in (weights, tagdict, classes)]
    return model_of(tuple(_json(file) for file in files), files[0])


def makes(value: Any) -> bool:
    """Tell whether a pickle holds such a tagger: weights, dictionary and tags."""
    if not isinstance(value, tuple) or len(value) != 3:
        return False
    weights, tagdict, classes = value
    return isinstance(weights, dict) and isinstance(tagdict, dict) and isinstance(classes, set)


def model_of(value: tuple[Any, ...], file: str) -> Model:
    """Return the model of weights, dictionary and tags, after checking them."""
    weights, tagdict, classes = value
    if not isinstance(weights, dict) or not isinstance(tagdict, dict) or not weights:
        _refuse(file, "has weights or tagdict that are no objects")
    tags = _tags(classes, file)
    number = {tag: k for k, tag in enumerate(tags)}
    start, label, weight = [0], list[int](), list[float]()
    for feature, of_tags in weights.items():
        if not isinstance(feature, str) or not isinstance(of_tags, dict):
            _refuse(file, "has a feature without weights of tags")
        for tag in sorted(of_tags):
            label.append(_number(number, tag, file))
            weight.append(_finite(of_tags[tag], file))
        start.append(len(label))
    known = {word: _number(number, tag, file) for word, tag in tagdict.items() if tag}
    try:
        reader = WordReader(Names.of(weights), Names.of(known))
    except (AttributeError, UnicodeEncodeError) as error:
        _refuse(file, f"has a feature or a word that is no text ({error})")
    zero = np.zeros(len(tags))
    chain = LinearChain(
        np.array(start, np.int64), np.array(label, np.int32), np.array(weight, np.float64),
        np.zeros((len(tags), len(tags))), zero, zero,
    )  # fmt: skip
    sure = np.fromiter(known.values(), np.int32, len(known))
    record = {"format": "averaged perceptron tagger", "n_features": len(weights)}
    scorer = GreedyScorer(GreedyChain(chain, sure, tuple(tags), reader), probabilistic=False)
    return Model(reader, scorer, Decision(np.array(tags)), record)


def _json(file: str) -> Any:
    with open(file, "rb") as raw:
        text = raw.read()
    try:
        return json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        _refuse(file, f"is no JSON ({str(error)[:80]})")


def _tags(classes: Any, file: str) -> list[str]:
    if not isinstance(classes, (list, set)) or not 1 <= len(classes) <= _LABELS:
        _refuse(file, "has no list of classes")
    if not all(isinstance(tag, str) and tag and not re.search(r"\s", tag) for tag in classes):
        _refuse(file, "has a class that is no text without white space")
    tags = sorted(set(classes))
    try:
        "".join(tags).encode()
    except UnicodeEncodeError as error:
        _refuse(file, f"has a class that cannot be written ({error})")
    return tags


def _number(number: dict[str, int], tag: Any, file: str) -> int:
    if not isinstance(tag, str) or tag not in number:
        _refuse(file, f"has the tag {str(tag)[:40]!r}, which is none of its classes")
    return number[tag]


def _finite(value: Any, file: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e100:
        _refuse(file, f"has {str(value)[:40]!r} where a weight belongs")
    return float(value)


def _refuse(file: str, why: str) -> NoReturn:
    raise ModelFileError(f"this averaged-perceptron tagger {why}; copy it again", file=file)


@dataclass
class WordReader:
    """Sentences of words; features depend on tags, so the chain makes them.

    Attributes
    ----------
    names : Names
        The features that have weights.
    known : Names
        The words of the dictionary.
    """

    names: Names
    known: Names
    column_models: tuple[Any, ...] = ()
    kind = "sequence"
    n_columns = 1
    known_words: frozenset[str] = frozenset()

    @property
    def extractor(self) -> WordReader:
        """What makes features: this itself."""
        return self

    @property
    def n_features(self) -> int:
        """The number of features."""
        return len(self.names)

    @cached_property
    def row_of(self) -> dict[str, int]:
        """The number of each feature."""
        return {name: row for row, name in enumerate(self.names.tolist())}

    @cached_property
    def place_of(self) -> dict[str, int]:
        """The place of each word in the dictionary."""
        return {word: place for place, word in enumerate(self.known.tolist())}

    def __getstate__(self) -> dict[str, Any]:
        made = ("row_of", "place_of")
        return {name: value for name, value in vars(self).items() if name not in made}

    def complete(self, sentences: Any) -> Tokens:
        """Return the tokens of sentences."""
        return read_tokens(sentences)

    def rows(self, tokens: Tokens, threads: int | None) -> list[list[str]]:
        """Return the words of each sentence."""
        return tokens.words()

    def one(self, example: Any) -> Tokens:
        """Return one sentence, a list of words or raw text, as tokens."""
        if isinstance(example, str):
            return tokens_of_text(example)[0]
        return self.complete(example if isinstance(example, Tokens) else [example])

    def feature_name(self, column: int) -> str:
        """Return the name of a feature."""
        return self.names[column]

    def card(self) -> list[tuple[str, str]]:
        """Return what is looked at, for people."""
        return [
            ("reads", f"words; {len(self.known):,} of them have their tag from a dictionary"),
            ("features", "the word, two on either side, the two tags before"),
        ]

    def to_file(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the reader."""
        return {"reader": "words"}, {
            "names": self.names.data, "names_offset": self.names.offset,
            "known": self.known.data, "known_offset": self.known.offset,
        }  # fmt: skip

    @classmethod
    def from_file(cls, config: Mapping[str, Any], arrays: Arrays) -> WordReader:
        """Return the reader of a file, after checking it."""
        names, known = (
            Names(
                checked_array(arrays, name, np.uint8),
                checked_array(arrays, f"{name}_offset", np.int64),
            )
            for name in ("names", "known")
        )
        reader = cls(names, known)
        if len(reader.row_of) != len(names) or len(reader.place_of) != len(known):
            raise DataError("a feature or a word of the dictionary is there twice")
        return reader


@dataclass(frozen=True)
class GreedyChain:
    """Weights, and tags from left to right; the next tag depends on the two before.

    Attributes
    ----------
    weights : LinearChain
        Of features; no transitions.
    sure : array of shape (words of the dictionary,)
        Their tags.
    tags : tuple of str
    reader : WordReader
    """

    weights: LinearChain
    sure: NDArray[np.int32]
    tags: tuple[str, ...]
    reader: WordReader

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self.weights.n_features

    @property
    def learner(self) -> GreedyChain:
        """What gives reasons: this itself."""
        return self

    def decode(
        self, rows: list[list[str]], offset: Ints, constraints: Constraints | None, threads: int
    ) -> NDArray[np.int32]:
        """Return the number of each word's tag."""
        return np.array([k for best in self.n_best(rows, offset, 1, constraints, threads)
                         for k in best[0][1].tolist()], np.int32)  # fmt: skip

    def n_best(
        self, rows: list[list[str]], offset: Ints, k: int, constraints: Constraints | None,
        threads: int,
    ) -> list[list[tuple[float, NDArray[np.int32]]]]:  # fmt: skip
        """Return for each sentence its one answer, and the sum of its scores."""
        if constraints is not None:
            raise ParameterError("This tagger goes from left to right; leave constraints out.")
        answers = []
        for words in rows:
            chosen, total = list[int](), 0.0
            context = [*_BEFORE, *map(_normal, words), *_AFTER]
            for t, word in enumerate(words):
                place = self.reader.place_of.get(word)
                if place is not None:
                    chosen.append(int(self.sure[place]))
                    continue
                scores = self.scores(self.features(t, word, context, chosen))
                best = len(scores) - 1 - int(scores[::-1].argmax())  # of equal ones the last
                chosen.append(best)
                total += float(scores[best])
            answers.append([(total, np.array(chosen, np.int32))])
        return answers

    @cached_property
    def _table(self) -> Floats | None:
        """All weights of all features, if they are not too many; shape (features, tags)."""
        if self.n_features * len(self.tags) > _TABLE:
            return None
        table = np.zeros((self.n_features, len(self.tags)))
        row = np.repeat(np.arange(self.n_features), np.diff(self.weights.pair_start))
        table[row, self.weights.pair_label] = self.weights.pair_weight
        return table

    def scores(self, features: list[int]) -> Floats:
        """Return the scores of all tags: weights, added in the order of the features."""
        if self._table is not None:
            return np.asarray(self._table[features].sum(axis=0))
        total = np.zeros(len(self.tags))
        for row in features:
            total += self.weights.weights_of(row)
        return total

    def features(self, t: int, word: str, context: list[str], chosen: list[int]) -> list[int]:
        """Return the features of a word that have weights, after the tags that are chosen."""
        last = self.tags[chosen[t - 1]] if t else _BEFORE[0]
        one_before = self.tags[chosen[t - 2]] if t > 1 else _BEFORE[1 - t]
        at = t + len(_BEFORE)
        here, before, after = context[at], context[at - 1], context[at + 1]
        names = (
            "bias", f"i suffix {word[-3:]}", f"i pref1 {word[0]}", f"i-1 tag {last}",
            f"i-2 tag {one_before}", f"i tag+i-2 tag {last} {one_before}", f"i word {here}",
            f"i-1 tag+i word {last} {here}", f"i-1 word {before}", f"i-1 suffix {before[-3:]}",
            f"i-2 word {context[at - 2]}", f"i+1 word {after}", f"i+1 suffix {after[-3:]}",
            f"i+2 word {context[at + 2]}",
        )  # fmt: skip
        row_of = self.reader.row_of
        return [row_of[name] for name in names if name in row_of]

    def _reasons(self, rows: list[list[str]], extractor: Any) -> _Reasons:
        return _Reasons(self, rows)


def _normal(word: str) -> str:
    """Return a word as its neighbours see it.

    Examples
    --------
    >>> [_normal(word) for word in ("Rome", "well-known", "-", "1991", "12th")]
    ['rome', '!HYPHEN', '-', '!YEAR', '!DIGITS']
    """
    if "-" in word and word[0] != "-":
        return "!HYPHEN"
    if word.isdigit() and len(word) == 4:
        return "!YEAR"
    return "!DIGITS" if word[0].isdigit() else word.lower()


@dataclass(frozen=True)
class _Reasons:
    """What speaks for each tag of a word, after the tags it was given."""

    chain: GreedyChain
    rows: list[list[str]]

    @cached_property
    def _words(self) -> list[Parts]:
        parts: list[Parts] = []
        chain, tags = self.chain, len(self.chain.tags)
        for words, ((_, chosen),) in zip(
            self.rows, chain.n_best(self.rows, np.zeros(1, np.int64), 1, None, 1), strict=True
        ):
            context = [*_BEFORE, *map(_normal, words), *_AFTER]
            for t, word in enumerate(words):
                if word in chain.reader.place_of:
                    sure = np.zeros(tags)
                    sure[chosen[t]] = 1.0
                    parts.append([(f"dictionary {word}", sure)])
                    continue
                rows = chain.features(t, word, context, chosen.tolist())
                names = [chain.reader.names[row] for row in rows]
                weights = [chain.weights.weights_of(row) for row in rows]
                parts.append(list(zip(names, weights, strict=True)))
        return parts

    def features(self, t: int, before: int) -> Parts:
        return self._words[t]

    def left(self, before: int) -> Floats:
        return np.zeros(len(self.chain.tags))

    def right(self, t: int, after: int) -> Floats:
        return np.zeros(len(self.chain.tags))


@dataclass
class GreedyScorer(ChainScorer):
    """Tags from left to right."""

    chain: Any
    name = "greedy"
    rule = "from left to right the tag of largest score, or that of the dictionary"

    def top_features(self, n: int) -> list[list[tuple[int, float]]]:
        """Return for each tag the n features of largest weight, largest first."""
        return ChainScorer(self.chain.weights).top_features(n)

    def to_file(self, dtype: str) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the scorer."""
        config, arrays = ChainScorer(self.chain.weights, probabilistic=False).to_file(dtype)
        return config, {**arrays, "sure": self.chain.sure}

    @classmethod
    def from_file(
        cls, config: Mapping[str, Any], arrays: Arrays, reader: Any, decision: Decision
    ) -> GreedyScorer:
        """Return the scorer of a file, after checking it."""
        inner = ChainScorer.from_file(config, arrays, reader, decision)
        tags = decision.classes.tolist()
        if not isinstance(reader, WordReader) or not isinstance(inner.chain, LinearChain):
            raise DataError("a tagger from left to right needs words and weights")
        if inner.probabilistic or tags != sorted(tags):
            raise DataError("its scores are no probabilities, and its tags are in order")
        sizes = {"W": len(reader.known), "L": len(tags)}
        check({"sure": arrays.get("sure")}, {"sure": Array("i4", "W", 0, "L-1")}, sizes)
        chain = GreedyChain(inner.chain, arrays["sure"], tuple(tags), reader)
        return cls(chain, probabilistic=False)
