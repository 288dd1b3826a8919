"""Small arrays, and what the core makes of them, for one good call of each of its functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linnet import _core

I32, I64, U8, U64, F32, F64 = np.int32, np.int64, np.uint8, np.uint64, np.float32, np.float64
Call = tuple[Callable[..., Any], dict[str, Any]]


def ints(*values: int, kind: Any = I32) -> Any:
    return np.array(values, kind)


def zeros(*shape: int, kind: Any = F64) -> Any:
    return np.zeros(shape, kind)


# 4 rows, 3 columns, 6 values; 3 classes; sentences of 2 and 2 tokens; 5 pairs of 3 labels
START, INDEX = ints(0, 2, 3, 5, 6, kind=I64), ints(0, 2, 1, 0, 1, 2)
GOLD, SENTENCE = ints(0, 1, 2, 0), ints(0, 2, 4, kind=I64)
PAIR_START, PAIR_LABEL = ints(0, 2, 4, 5, kind=I64), ints(0, 1, 0, 2, 1)
TEXTS = ["a bee sees", "a sea"]


def matrix(value: Any = None) -> _core.Matrix:
    return _core.Matrix(START, INDEX, value, 3)


def chain() -> _core.Chain:
    return _core.Chain(matrix(), SENTENCE, PAIR_START, PAIR_LABEL, 3)


def potentials() -> _core.Potentials:
    return _core.Potentials(zeros(3, 3), zeros(3), zeros(3))


def second() -> _core.Potentials:
    return _core.Potentials(zeros(3, 3), zeros(3), zeros(3), zeros(3, 3, 3))


def rule(**options: Any) -> _core.Rule:
    return _core.Rule("perceptron", "columns", 3, **options)


def analysis() -> _core.Analysis:
    return _core.Analysis("word", 1, 1, 0, True, "keep", False, False, 0, [])


def texts() -> _core.Texts:
    return _core.Texts(TEXTS)


def table() -> tuple[Any, Any]:
    prints = np.arange(1, 4, dtype=U64) * U64(2**60)
    slots = zeros(_core.table_capacity(3), kind=U64)
    _core.fill_table(prints, slots)
    return slots, prints


def templates() -> _core.TokenTemplates:
    plan = ("everywhere", False, [("w=", 0, 0, "identity", 0, 0), ("", -1, 0, "", 0, 0)])
    return _core.TokenTemplates([plan], 1, 0)


def counts() -> _core.Counts:
    return _core.count_features(texts(), analysis(), 1, 9, 9, 1)


def facets(ways: int = 1) -> _core.Facets:
    made = _core.Facets()
    for _ in range(ways):
        made.add(analysis(), _core.Columns(*table()), "logarithm", "l2", np.ones(3, F32), 3)
    return made


def rows() -> _core.Rows:
    return _core.read_rows(texts(), facets(), 1)


def token_counts() -> _core.TokenCounts:
    return _core.count_token_features([texts()], ints(0, 2, kind=I64), templates(), 1, 1)


def token_rows() -> _core.TokenRows:
    return _core.read_token_rows([texts()], ints(0, 2, kind=I64), templates(), *table(), 1)


def instances() -> dict[str, Any]:
    return {
        "delta": ints(0, 2), "slot": ints(0, 0), "levels": ints(2, 0), "weight": np.ones(2),
        "scale": np.ones(2), "code": ints(0, 1)[None], "value": ints(0, 1)[None],
        "number": zeros(1, 2), "probability": zeros(0), "start": ints(0, 1, 2, kind=I64),
        "row": ints(0, 1), "label": ints(0, 1), "frequency": np.ones(2),
    }  # fmt: skip


def settings() -> _core.MemorySettings:
    return _core.MemorySettings(0, 2.0, 0, 1.0, 1.0, 1, False, 0, 0)


def vectors(rows: int = 2) -> _core.Vectors:
    return _core.Vectors(
        np.arange(rows + 1, dtype=I64), np.zeros(rows, I32), np.ones(rows), np.ones(rows)
    )


def vector_memory() -> dict[str, Any]:
    return {
        "stored": vectors(), "first": ints(0, 2, kind=I64), "row": ints(0, 1),
        "value": np.ones(2, F32), "label": ints(0, 1), "frequency": np.ones(2), "cosine": True,
    }  # fmt: skip


def flat(**more: Any) -> dict[str, Any]:
    return {"x": matrix(), "gold": GOLD, "cost": np.ones(4), **more}


def tagged(**more: Any) -> dict[str, Any]:
    return {"chain": chain(), "gold": GOLD, "cost": np.ones(2), **more}


def kernel(**more: Any) -> dict[str, Any]:
    return {"kernel": "gaussian", "gamma": 1.0, "coef0": 0.0, "degree": 2, **more}
