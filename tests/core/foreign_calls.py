"""Good calls of what runs the models of other programs."""

from __future__ import annotations

import pickle
import struct
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import linnet
from linnet import _core, foreign
from linnet.foreign.pickled.machine import names as known_names

from .arrays import F32, I32, I64, SENTENCE, U8, Call, ints, texts, zeros

NAMES = b"abee"
DICTIONARY = b"".join(name + b"\0" + struct.pack("<qb", 1, 0) for name in (b"a", b"bee"))
#: What reads "w=" and a word, and the word before.
PATTERNS = [(b"w=", ("x", False, False, 0, 0, None)), (("x", True, False, -1, 0, None),)]
WORDS = [["a", "bee"], ["a", "sea"]]
#: Arrays that may be shorter: fewer names, kept n-grams, rows or columns are whole too.
ANY_LENGTH = {
    ("FastTextRows", "offset"), ("FastTextRows", "kept"), ("FastTextMatrices", "input"),
    ("Attributes", "offset"), ("fasttext_dictionary_end", "data"), ("wapiti_netstrings", "offset"),
    ("wapiti_weights", "data"), ("CrfsuiteFile.weights", "attributes"), ("read_numbers", "value"),
}  # fmt: skip


def names() -> dict[str, Any]:
    return {"bytes": np.frombuffer(NAMES, U8).copy(), "offset": ints(0, 1, 4, kind=I64)}


@cache
def crfsuite_file() -> Any:
    """Return a CRFsuite model of two labels in its file."""
    model = linnet.SequenceTagger().fit([["a", "b"], ["b"]], [["X", "Y"], ["Y"]]).model_
    with tempfile.TemporaryDirectory() as folder:
        foreign.write(model, Path(folder, "m.crfsuite"))
        written = Path(folder, "m.crfsuite").read_bytes()
    return _core.CrfsuiteFile(np.frombuffer(written, U8))


@cache
def pickled_vocabulary() -> Any:
    """Return a dictionary of a thousand words that stays in its pickle."""
    stack: list[Any] = []
    data = pickle.dumps({f"w{k}": k for k in range(1000)}, 4)
    _core.pickle_steps(data, data.index(b"}"), stack, [], [], known_names.SCALAR)
    return next(value for value in stack if isinstance(value, _core.Vocabulary))


def file_calls() -> dict[str, Call]:
    """Return calls of what is looked up where it lies in a file."""
    file = crfsuite_file()
    weights, spelled = file.weights(ints(0, 1)), file.names()
    copied = {"start": zeros(3, kind=I64), "label": zeros(weights.stored, kind=I32)}
    return {
        "CrfsuiteFile.transitions": (file.transitions, {"out": zeros(2, 2)}),
        "CrfsuiteFile.weights": (file.weights, {"attributes": ints(0, 1)}),
        "LabelWeights.copy": (weights.copy, {**copied, "weight": zeros(weights.stored)}),
        "NameBytes.copy": (
            spelled.copy,
            {
                "bytes": zeros(spelled.size, kind=U8),
                "offset": zeros(file.n_attributes + 1, kind=I64),
            },
        ),
        "Vocabulary.names": (pickled_vocabulary().names, {"offset": zeros(1001, kind=I64)}),
        "read_numbers": (_core.read_numbers, {"data": b"1 2e0\n-3", "at": 0, "value": zeros(3)}),
    }


def dictionary() -> dict[str, Any]:
    settings = {"words": 2, "minn": 2, "maxn": 3, "word_ngrams": 2, "bucket": 3}
    return {**names(), **settings, "kept": ints(2, 0)}


def rows() -> Any:
    return _core.FastTextRows(**dictionary())


def output() -> dict[str, Any]:
    scale, counts = np.ones(2, F32), ints(3, 1, kind=I64)
    return {"loss": 3, "output": zeros(2, 3, kind=F32), "scale": scale, "counts": counts}


def dense() -> dict[str, Any]:
    return {"input": zeros(4, 3, kind=F32), **output()}


def quantised() -> dict[str, Any]:
    codes = {"code": zeros(4, 2, kind=U8), "norm_code": zeros(4, kind=U8)}
    tables = {"centroid": zeros(256 * 3, kind=F32), "norm": zeros(256, kind=F32)}
    return {**codes, **tables, "width": 2, **output()}


def cells() -> Any:
    return _core.wapiti_cells_of_lists(WORDS, 1)


def observations() -> Any:
    """Return the observations of four tokens: w=a, or the word a before."""
    known = np.frombuffer(b"w=aa", U8).copy()
    named = _core.Attributes(known, ints(0, 3, 4, kind=I64))
    return _core.wapiti_observations(_core.WapitiPatterns(PATTERNS), named, cells(), 1)


def pair_scores() -> dict[str, Any]:
    """Return 3 features with weights of pairs of 2 labels, and 4 tokens."""
    weights = {"place": ints(0, 3, 1, 2), "weight": np.ones(4)}
    tokens = {"row": ints(0, 1, 2, 4, 5, kind=I64), "index": ints(0, 2, 1, 0, 2)}
    allowed = {"first": np.ones(2, bool), "between": np.ones((2, 2), bool)}
    return {
        "local": True,
        "start": ints(0, 2, 3, 4, kind=I64),
        **weights,
        **tokens,
        "single": zeros(4, 2),
        **allowed,
        "last": np.ones(2, bool),
    }


def scored(**arguments: Any) -> None:
    """Decode by the arguments of PairScores, which are looked at when they are used."""
    _core.PairScores(**arguments).decode(SENTENCE, zeros(4, kind=I32), 1)


def keyed() -> dict[str, Any]:
    """Return rows of four owners: two tags and what stands before the first word."""
    start = ints(0, 1, 2, 3, 4, kind=I64)
    return {"start": start, "key": ints(2, 0, 3, 0), "row": ints(0, 1, 2, 0)}


def greedy() -> dict[str, Any]:
    """Return 3 rows of weights of 2 tags, 3 words, 4 contexts, and sentences of 2 words."""
    return {
        "start": ints(0, 2, 3, 4, kind=I64),
        "label": ints(0, 1, 1, 0),
        "weight": np.ones(4),
        "bias": 0,
        "last": ints(0, 1, 2, -1),
        "one_before": ints(-1, 2, 1, 0),
        "both": _core.KeyedRows(**keyed()),
        "word": np.array([[0, 1, -1], [2, -1, -1], [-1, -1, 1]], I32),
        "context": np.arange(28, dtype=I32).reshape(4, 7) % 4 - 1,
        "tag_and_word": _core.KeyedRows(**keyed()),
        "sentence": SENTENCE,
        "words": ints(0, 1, 0, 2),
        "contexts": ints(0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 2, 1),
        "out": zeros(4, kind=I32),
        "totals": zeros(2),
        "threads": 1,
    }


def tagged_by(part: str) -> Any:
    """Return what tags by the arguments of KeyedRows, which are looked at when they are used."""

    def tag(**arguments: Any) -> None:
        _core.greedy_tags(**{**greedy(), part: _core.KeyedRows(**arguments)})

    return tag


def tagger_calls() -> dict[str, Call]:
    """Return the good calls of what runs Wapiti's models and perceptrons."""
    made = observations()
    scores = _core.PairScores(**pair_scores())
    return {
        "wapiti_cells": (
            _core.wapiti_cells,
            {"columns": [texts(), texts()], "sentence": ints(0, 1, 2, kind=I64)},
        ),
        "WapitiCells.copy": (cells().copy, {"sentence": zeros(3, kind=I64)}),
        "ObservationRows.copy": (
            made.copy,
            {"start": zeros(5, kind=I64), "index": zeros(made.stored, kind=I32)},
        ),
        "PairScores": (scored, pair_scores()),
        "PairScores.decode": (
            scores.decode,
            {"sentence": SENTENCE, "labels": zeros(4, kind=I32), "threads": 1},
        ),
        "PairScores.marginals": (
            scores.marginals,
            {"sentence": SENTENCE, "out": zeros(4, 2), "threads": 1},
        ),
        "KeyedRows": (tagged_by("both"), keyed()),
        "KeyedRows of words": (tagged_by("tag_and_word"), keyed()),
        "greedy_tags": (_core.greedy_tags, greedy()),
        "TagWeights.copy": (
            _core.tag_weights({"w=a": {"V": 2.0, "N": 1.0}}, {"N": 0, "V": 1}).copy,
            {
                "start": zeros(2, kind=I64),
                "label": zeros(2, kind=I32),
                "weight": zeros(2),
                "names": zeros(3, kind=U8),
                "offset": zeros(2, kind=I64),
            },
        ),
        "TaggerJson.copy": (
            _core.tagger_json(
                b'{"weights": {"w=a": {}}, "tagdict": {"a": "N", "b": "V"}, "classes": ["N", "V"]}'
            ).copy,
            {"names": zeros(2, kind=U8), "offset": zeros(3, kind=I64), "tag": zeros(2, kind=I32)},
        ),
    }


def foreign_calls() -> dict[str, Call]:
    asked = {"rows": rows(), "texts": texts(), "threads": 1}
    matrices = _core.FastTextMatrices(**dense())
    attributes = _core.Attributes(**names())
    items = _core.read_items(attributes, [[["a", "bee"], {"a": 2.0}]])
    data = np.frombuffer(DICTIONARY, U8).copy()
    return {
        "FastTextRows": (_core.FastTextRows, dictionary()),
        "FastTextMatrices": (_core.FastTextMatrices, dense()),
        "FastTextMatrices of codes": (_core.FastTextMatrices, quantised()),
        "Attributes.find": (
            attributes.find,
            {"names": ["bee", "sea"], "out": zeros(2, kind=I32)},
        ),
        "fasttext_dictionary_end": (
            _core.fasttext_dictionary_end,
            {"data": data, "at": 0, "size": 2},
        ),
        "fasttext_dictionary": (
            _core.fasttext_dictionary,
            {
                "data": data,
                "at": 0,
                "names": zeros(4, kind=U8),
                "offset": zeros(3, kind=I64),
                "count": zeros(2, kind=I64),
                "type": zeros(2, kind=U8),
            },
        ),
        "fasttext_top": (
            _core.fasttext_top,
            {
                **asked,
                "matrices": matrices,
                "threshold": 0.0,
                "label": zeros(2, 2, kind=I32),
                "p": zeros(2, 2, kind=F32),
                "count": zeros(2, kind=I64),
            },
        ),
        "fasttext_all": (
            _core.fasttext_all,
            {**asked, "matrices": matrices, "p": zeros(2, 2, kind=F32)},
        ),
        "fasttext_hidden": (
            _core.fasttext_hidden,
            {**asked, "matrices": matrices, "out": zeros(2, 3, kind=F32)},
        ),
        "fasttext_scores": (
            _core.fasttext_scores,
            {
                **asked,
                "weights": zeros(4, 1, kind=F32),
                "out": zeros(2, 1),
                "known": zeros(2, kind=U8),
            },
        ),
        "Attributes": (_core.Attributes, names()),
        "ItemRows.copy": (
            items.copy,
            {
                "sentence": zeros(2, kind=I64),
                "start": zeros(3, kind=I64),
                "index": zeros(3, kind=I32),
                "value": zeros(3),
            },
        ),
        "wapiti_netstrings": (
            _core.wapiti_netstrings,
            {
                "data": np.frombuffer(b"1:u,\n2:ub,\n", U8).copy(),
                "at": 0,
                "out": zeros(11, kind=U8),
                "offset": zeros(3, kind=I64),
            },
        ),
        "wapiti_weights": (
            _core.wapiti_weights,
            {
                "data": np.frombuffer(b"0=0x1p-1\n3=2e0\n", U8).copy(),
                "place": zeros(2, kind=I64),
                "value": zeros(2),
            },
        ),
        "names_by_column": (
            _core.names_by_column,
            {"columns": {"a": 1, "bee": 0}, "offset": zeros(3, kind=I64)},
        ),
        "lookup3": (_core.lookup3, {**names(), "out": zeros(2, kind=np.uint32)}),
        **tagger_calls(),
        **file_calls(),
    }
