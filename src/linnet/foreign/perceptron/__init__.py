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
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError, ModelFileError
from linnet.foreign.perceptron.greedy import GreedyChain, GreedyScorer
from linnet.foreign.perceptron.reader import WordReader
from linnet.learn.chain import LinearChain
from linnet.model.decision import Decision
from linnet.model.model import Model
from linnet.text.names import Names

__all__ = ["joined", "makes", "model_of", "read"]

_PARTS = ("weights", "tagdict", "classes")
_LABELS = 5792  # with so many a table of label pairs takes 256 MB
_Rows = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]


def read(file: str) -> Model:
    """Return the model of a file with all three parts, after checking it."""
    raw = _bytes(file)
    model = _from_core(raw, file)
    return _from_python(raw, file) if model is None else model


def joined(
    weights: str | os.PathLike[str],
    tagdict: str | os.PathLike[str],
    classes: str | os.PathLike[str],
) -> Model:
    """Return the model of the three JSON files that NLTK keeps its tagger in."""
    files = [os.fspath(path) for path in (weights, tagdict, classes)]
    raw = [_bytes(file) for file in files]
    model = _from_core(b'{"weights": %b, "tagdict": %b, "classes": %b}' % tuple(raw), files[0])
    if model is None:
        return model_of(tuple(map(_json, raw, files)), files[0])
    return model


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
    known = {word: _number(number, tag, file) for word, tag in tagdict.items() if tag}
    try:
        names, rows = _weights(weights, number, file)
        reader = WordReader(names, Names.of(known))
    except (AttributeError, UnicodeEncodeError) as error:
        _refuse(file, f"has a feature or a word that is no text ({error})")
    return _model(reader, rows, np.fromiter(known.values(), np.int32), tags)


def _model(reader: WordReader, weights: _Rows, sure: NDArray[np.int32], tags: list[str]) -> Model:
    """Return the model of weights by rows of features, and of the tags of the dictionary."""
    zero = np.zeros(len(tags))
    chain = LinearChain(*weights, np.zeros((len(tags), len(tags))), zero, zero)
    record = {"format": "averaged perceptron tagger", "n_features": len(reader.names)}
    scorer = GreedyScorer(GreedyChain(chain, sure, tuple(tags), reader), probabilistic=False)
    return Model(reader, scorer, Decision(np.array(tags)), record)


def _from_core(raw: bytes, file: str) -> Model | None:
    """Return the model of a file as it should be; the core leaves all others to Python's reader."""
    made = _core.tagger_json(raw)
    if made is None:
        return None
    tags = _tags(made.tags, file)
    names, weights = _copied(made.weights)
    words, offset = np.empty(made.bytes, np.uint8), np.empty(made.words + 1, np.int64)
    sure = np.empty(made.words, np.int32)
    made.copy(words, offset, sure)
    reader = WordReader(names, Names(words, offset))
    try:
        reader.check()
    except DataError:  # of two with one name, the last counts
        return None
    return _model(reader, weights, sure, tags)


def _from_python(raw: bytes, file: str) -> Model:
    """Return the same of any file, or say what is wrong with it."""
    value = _json(raw, file)
    if not isinstance(value, dict) or not set(_PARTS) <= set(value):
        _refuse(file, f"does not have {', '.join(_PARTS)}")
    return model_of(tuple(value[name] for name in _PARTS), file)


def _weights(weights: dict[Any, Any], number: dict[str, int], file: str) -> tuple[Names, _Rows]:
    """Return the names of features, and their weights by the numbers of tags."""
    made = _core.tag_weights(weights, number)
    if made is None:
        return _weights_one_by_one(weights, number, file)
    return _copied(made)


def _copied(made: _core.TagWeights) -> tuple[Names, _Rows]:
    start, offset = np.empty((2, made.features + 1), np.int64)
    label, weight = np.empty(made.stored, np.int32), np.empty(made.stored)
    names = np.empty(made.bytes, np.uint8)
    made.copy(start, label, weight, names, offset)
    return Names(names, offset), (start, label, weight)


def _weights_one_by_one(
    weights: dict[Any, Any], number: dict[str, int], file: str
) -> tuple[Names, _Rows]:
    """Return the same; the core leaves to it what is not as it should be, and whole numbers."""
    start, label, weight = [0], list[int](), list[float]()
    for feature, of_tags in weights.items():
        if not isinstance(feature, str) or not isinstance(of_tags, dict):
            _refuse(file, "has a feature without weights of tags")
        for tag in sorted(of_tags):
            label.append(_number(number, tag, file))
            weight.append(_finite(of_tags[tag], file))
        start.append(len(label))
    arrays = np.array(start, np.int64), np.array(label, np.int32), np.array(weight, np.float64)
    return Names.of(weights), arrays


def _bytes(file: str) -> bytes:
    with open(file, "rb") as raw:
        return raw.read()


def _json(raw: bytes, file: str) -> Any:
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        _refuse(file, f"is no JSON ({str(error)[:80]})")


def _tags(classes: Any, file: str) -> list[str]:
    if not isinstance(classes, (list, set)) or not 1 <= len(classes) <= _LABELS:
        _refuse(file, f"has no list of 1 to {_LABELS} classes")
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
