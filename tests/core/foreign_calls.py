"""Good calls of what runs the models of other programs."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from linnet import _core

from .arrays import F32, I32, I64, U8, Call, ints, texts, zeros

NAMES = b"abee"
DICTIONARY = b"".join(name + b"\0" + struct.pack("<qb", 1, 0) for name in (b"a", b"bee"))
#: Arrays that may be shorter: fewer names, kept n-grams, rows or columns are whole too.
ANY_LENGTH = {
    ("FastTextRows", "offset"), ("FastTextRows", "kept"), ("FastTextMatrices", "input"),
    ("Attributes", "offset"), ("fasttext_dictionary_end", "data"),
}  # fmt: skip


def names() -> dict[str, Any]:
    return {"bytes": np.frombuffer(NAMES, U8).copy(), "offset": ints(0, 1, 4, kind=I64)}


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
        "lookup3": (_core.lookup3, {**names(), "out": zeros(2, kind=np.uint32)}),
    }
