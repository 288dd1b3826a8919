"""One good call of every function and class of the core that takes arrays."""

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


def second() -> _core.SecondOrder:
    return _core.SecondOrder(zeros(3), zeros(3, 3), zeros(3, 3, 3), zeros(3))


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


def rows() -> _core.Rows:
    return _core.read_rows(texts(), analysis(), _core.Columns(*table()), 3, 1)


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


def good_calls() -> dict[str, Call]:
    """Return all calls by name; arrays are new in each."""
    return {**_flat_calls(), **_chain_calls(), **_text_calls(), **_memory_calls()}


def _flat_calls() -> dict[str, Call]:
    floats = np.arange(1.0, 7.0)
    state = ints(0, 0, 1, 0, 1, 0, kind=F64)
    solver = {
        "classes": 3, "weights": zeros(4, 3), "loss": "log", "form": "joint", "bias": 1.0,
        "penalize_bias": True, "l2": 1.0,
    }  # fmt: skip
    stops = {"tolerance": 0.1, "record": None, "threads": 1}
    machine = {
        "start": ints(0, 2, 4, kind=I64), "ids": ints(0, 1, 2, 3), "sign": ints(1, -1, 1, -1, kind=F64),
        "cost": np.ones(4), "beta": zeros(4), "free_intercept": False, "shrinking": True,
        "tolerance": 0.1, "max_iterations": 9, "cache_bytes": 1 << 20, "precise": False,
        "results": zeros(2, 6), "threads": 1,
    }  # fmt: skip
    rounds = {
        "gold": GOLD, "classes": 3, "shuffle": False, "seed": 0, "tie": "sign",
        "stop_when_clean": True, "cache_bytes": 1 << 20, "beta": zeros(4, 3), "late": zeros(4, 3),
        "mistakes": zeros(2, kind=I64),
    }  # fmt: skip
    return {
        "Matrix": (_core.Matrix, {"start": START, "index": INDEX, "value": floats, "cols": 3}),
        "Matrix.with_values": (matrix().with_values, {"value": floats}),
        "inspect": (_core.inspect, {"x": matrix(floats), "narrow": zeros(6, kind=F32), "threads": 1}),
        "sort_rows": (_core.sort_rows, {"x": matrix(floats), "index": INDEX.copy(), "value": floats.copy(), "threads": 1}),
        "scores": (_core.scores, {"x": matrix(), "weights": zeros(4, 2), "bias": 1.0, "out": zeros(4, 2), "threads": 1}),
        "permutation": (_core.permutation, {"out": zeros(4, kind=I64), "seed": 0, "round": 0}),
        "minimize": (_core.minimize, {"solver": "lbfgs", **flat(**solver), "l1": 0.0, "max_iterations": 3, "memory": 2, "initial_step": 1.0, **stops}),
        "objective": (_core.objective, {**flat(**solver), "gradient": zeros(4, 3), "threads": 1}),
        "dual_coordinate_descent": (_core.dual_coordinate_descent, flat(classes=3, alpha=zeros(4, 3), weights=zeros(4, 3), loss="hinge", joint=True, bias=1.0, margins=np.ones((3, 3)), max_epochs=2, seed=0, **stops)),
        "Rule": (_core.Rule, {"name": "mira", "form": "joint", "classes": 3, "cost": np.ones((3, 3))}),
        "online_pass": (_core.online_pass, flat(rule=rule(), order=np.arange(4), rates=np.ones(4), norms=np.ones(4), weights=zeros(4, 3), sums=zeros(4, 3), state=state.copy(), bias=1.0, penalize_bias=True, averaging="after", decay=0.0, truncation=0.0, radius=0.0, batch=1, trace=(zeros(4, 3), zeros(4, kind=I32), zeros(4), zeros(4)), threads=1)),
        "online_weights": (_core.online_weights, {"weights": zeros(4, 3), "sums": zeros(4, 3), "state": state.copy(), "count": 2.0, "has_bias": True, "out": zeros(4, 3), "threads": 1}),
        "total_loss": (_core.total_loss, flat(rule=rule(), weights=zeros(4, 3), bias=1.0, threads=1)),
        "squared_norms": (_core.squared_norms, {"x": matrix(), "bias": 1.0, "out": zeros(4), "threads": 1}),
        "count": (_core.count, {"x": matrix(), "gold": GOLD, "weight": np.ones(4), "counts": zeros(3, 3), "threads": 1}),
        "squared_deviations": (_core.squared_deviations, {"x": matrix(), "gold": GOLD, "weight": np.ones(4), "mean": zeros(3, 3), "total": np.ones(3), "out": zeros(3, 3), "threads": 1}),
        "gaussian_exponents": (_core.gaussian_exponents, {"x": matrix(), "mean": zeros(2, 3), "precision": zeros(2, 3), "out": zeros(4, 2), "threads": 1}),
        "grow_tree": (_core.grow_tree, {"codes": np.array([[0, 1, 0, 1], [2, 1, 0, -2]], I32), "values": ints(2, 3), "ordered": ints(0, 1, kind=U8), "gold": GOLD, "weight": np.ones(4), "classes": 3, "ratio": False, "min_leaf": 1.0, "max_depth": -1, "nodes": zeros(6, 8, kind=I32), "gain": zeros(8), "leaf": zeros(4, kind=I32)}),
        "kernel_gram": (_core.kernel_gram, {"x": matrix(), "z": matrix(), **kernel(out=zeros(4, 4), threads=1)}),
        "kernel_machines": (_core.kernel_machines, {"data": matrix(), **kernel(shift=0.0), **machine}),
        "kernel_machines of a table": (_core.kernel_machines, {"data": np.eye(4), **kernel(shift=0.0), **machine}),
        "kernel_perceptron": (_core.kernel_perceptron, {"data": matrix(), **kernel(shift=0.0), **rounds}),
        "subsequence_gram": (_core.subsequence_gram, {"s": ints(1, 2, 3), "s_start": ints(0, 1, 3, kind=I64), "t": ints(1, 2), "t_start": ints(0, 2, kind=I64), "length": 2, "decay": 0.5, "normalize": True, "out": zeros(2, 1), "threads": 1}),
    }  # fmt: skip


def _chain_calls() -> dict[str, Call]:
    state, floats, weights = zeros(4, 3), zeros(5), 5 + 9 + 6
    return {
        "Pairs": (_core.Pairs, {"start": PAIR_START, "label": PAIR_LABEL, "labels": 3}),
        "Chain": (_core.Chain, {"tokens": matrix(), "sentence": SENTENCE, "pair_start": PAIR_START, "pair_label": PAIR_LABEL, "labels": 3, "following_start": ints(0, 1, 2, 2, kind=I64), "following_next": ints(1, 2)}),
        "ObservedPairs": (_core.ObservedPairs, {"tokens": matrix(), "gold": GOLD, "labels": 3}),
        "ObservedPairs.copy": (_core.ObservedPairs(matrix(), GOLD, 3).copy, {"start": zeros(4, kind=I64), "label": zeros(_core.ObservedPairs(matrix(), GOLD, 3).size, kind=I32)}),
        "Potentials": (_core.Potentials, {"transition": zeros(3, 3), "start": zeros(3), "stop": zeros(3)}),
        "SecondOrder": (_core.SecondOrder, {"start": zeros(3), "transition": zeros(3, 3), "second": zeros(3, 3, 3), "stop": zeros(3)}),
        "crf_evaluate": (_core.crf_evaluate, tagged(l2=1.0, w=zeros(weights), gradient=zeros(weights), threads=1)),
        "crf_minimize": (_core.crf_minimize, {"solver": "lbfgs", **tagged(frozen=zeros(weights, kind=U8), l2=1.0, l1=0.0, w=zeros(weights), tolerance=0.1, max_iterations=2, memory=2, record=None, threads=1)}),
        "crf_value": (_core.crf_value, tagged(l2=1.0, w=zeros(weights), threads=1)),
        "crf_sgd_rate": (_core.crf_sgd_rate, tagged(decay=0.1, sample=ints(0, 1, kind=I64))),
        "crf_sgd_pass": (_core.crf_sgd_pass, tagged(decay=0.1, rate=0.1, order=ints(1, 0, kind=I64), weights=zeros(weights), sums=zeros(weights), state=ints(0, 1, 0, kind=F64))),
        "structured_rounds": (_core.structured_rounds, tagged(mira=False, averaging="after", variant="pa1", cap=1.0, augmented=False, beam=0, orders=ints(0, 1, kind=I64)[None], weights=zeros(weights), sums=zeros(weights), state=zeros(2), trace=(zeros(4, kind=I32), zeros(2), zeros(2)), record=lambda *_: True)),
        "structured_svm": (_core.structured_svm, tagged(tolerance=0.1, max_iterations=2, shuffle=False, seed=0, beam=0, w=zeros(weights), record=lambda *_: True, threads=1)),
        "state_scores": (_core.state_scores, {"chain": chain(), "weights": floats, "out": zeros(4, 3), "threads": 1}),
        "decode": (_core.decode, {"chain": chain(), "weights": floats, "potentials": potentials(), "beam": 0, "labels": zeros(4, kind=I32), "scores": zeros(2), "threads": 1}),
        "decode_table": (_core.decode_table, {"state": state, "sentence": SENTENCE, "potentials": potentials(), "beam": 0, "labels": zeros(4, kind=I32), "scores": zeros(2), "threads": 1}),
        "marginals": (_core.marginals, {"chain": chain(), "weights": floats, "potentials": potentials(), "out": zeros(4, 3), "log_z": zeros(2), "threads": 1}),
        "marginals_table": (_core.marginals_table, {"state": state, "sentence": SENTENCE, "potentials": potentials(), "out": zeros(4, 3), "log_z": zeros(2), "threads": 1}),
        "n_best": (_core.n_best, {"state": state, "potentials": potentials(), "labels": zeros(2, 4, kind=I32), "scores": zeros(2)}),
        "decode_between": (_core.decode_between, {"state": state, "between": zeros(4, 3, 3), "potentials": potentials(), "labels": zeros(4, kind=I32)}),
        "decode_second": (_core.decode_second, {"state": state, "sentence": SENTENCE, "scores": second(), "labels": zeros(4, kind=I32), "best": zeros(2), "threads": 1}),
        "marginals_second": (_core.marginals_second, {"state": state, "sentence": SENTENCE, "scores": second(), "out": zeros(4, 3), "log_z": zeros(2), "threads": 1}),
    }  # fmt: skip


def _text_calls() -> dict[str, Call]:
    slots, prints = table()
    found, read, tokens, token_read = counts(), rows(), token_counts(), token_rows()
    name_bytes, offset = np.frombuffer(b"abc", U8), ints(0, 1, 2, 3, kind=I64)
    listed = _core.token_columns([["a", "b"], ["c"]])
    features = _core.feature_rows([[["a"], ["b"]], [["a"]]], {"a": 0, "b": 1})
    assert listed is not None and features is not None
    return {
        "Texts": (_core.Texts, {"bytes": name_bytes, "start": ints(0, 1, kind=I64), "end": ints(1, 3, kind=I64), "owner": TEXTS}),
        "Counts.matrix": (found.matrix, {"start": zeros(3, kind=I64), "index": zeros(found.stored, kind=I32), "value": zeros(found.stored, kind=F32), "threads": 1}),
        "Counts.names": (found.names, {"bytes": zeros(found.spelled, kind=U8), "offset": zeros(found.columns + 1, kind=I64), "threads": 1}),
        "Counts.documents": (found.documents, {"out": zeros(found.columns, kind=I64)}),
        "build_table": (_core.build_table, {"bytes": name_bytes, "offset": offset, "analysis": analysis(), "slot": slots.copy(), "print": prints.copy(), "threads": 1}),
        "hash_names": (_core.hash_names, {"bytes": name_bytes, "offset": offset, "buckets": 8}),
        "Columns": (_core.Columns, {"slot": slots, "print": prints, "unknown": -1}),
        "Rows.matrix": (read.matrix, {"start": zeros(3, kind=I64), "index": zeros(read.stored, kind=I32), "value": zeros(read.stored, kind=F32), "threads": 1}),
        "weigh_rows": (_core.weigh_rows, {"start": START, "index": INDEX, "value": np.ones(6, F32), "count": "logarithm", "norm": "l2", "scale": np.ones(3, F32), "threads": 1}),
        "score_texts": (_core.score_texts, {"texts": texts(), "analysis": analysis(), "columns": _core.Columns(slots, prints), "count": "plain", "norm": "none", "scale": np.ones(3, F32), "weights": zeros(3, 2, kind=F32), "intercept": zeros(2), "out": zeros(2, 2), "threads": 1}),
        "TokenTemplates": (_core.TokenTemplates, {"templates": [], "columns": 1, "seed": 0, "gazetteers": ["g"], "slot": slots, "print": prints, "mask": np.ones(3, U64), "longest": 1}),
        "TokenCounts.write": (tokens.write, {"bytes": zeros(tokens.spelled, kind=U8), "offset": zeros(tokens.columns + 1, kind=I64), "print": zeros(tokens.columns, kind=U64), "count": zeros(tokens.columns, kind=I64)}),
        "count_token_features": (_core.count_token_features, {"columns": [texts()], "sentence": ints(0, 2, kind=I64), "templates": templates(), "min_count": 1, "threads": 1}),
        "TokenRows.matrix": (token_read.matrix, {"start": zeros(3, kind=I64), "index": zeros(token_read.stored, kind=I32), "threads": 1}),
        "read_token_rows": (_core.read_token_rows, {"columns": [texts()], "sentence": ints(0, 2, kind=I64), "templates": templates(), "slot": slots, "print": prints, "threads": 1}),
        "name_prints": (_core.name_prints, {"names": texts(), "seed": 0, "out": zeros(2, kind=U64)}),
        "fill_table": (_core.fill_table, {"print": prints, "slot": zeros(4, kind=U64)}),
        "TokenColumns.copy": (listed.copy, {"offset": zeros(3, kind=I64)}),
        "FeatureRows.copy": (features.copy, {"start": zeros(4, kind=I64), "index": zeros(3, kind=I32), "value": zeros(3), "sentence": zeros(3, kind=I64)}),
    }  # fmt: skip


def _memory_calls() -> dict[str, Call]:
    memory, stored = _core.Instances(**instances()), _core.VectorMemory(**vector_memory())
    asked = {"code": ints(0, 0)[None], "number": zeros(1, 2)}
    return {
        "Instances": (_core.Instances, instances()),
        "classify_by_memory": (_core.classify_by_memory, {"memory": memory, "trie": memory, **asked, "value": ints(0, 0)[None], "settings": settings(), "winner": zeros(1, kind=I32), "votes": zeros(1, 2), "threads": 1}),
        "nearest_rows": (_core.nearest_rows, {"memory": memory, **asked, "settings": settings(), "row": zeros(1, 1, kind=I32), "distance": zeros(1, 1), "threads": 1}),
        "Vectors used as queries": (_ask, {"start": ints(0, 1, 2, kind=I64), "index": ints(0, 0), "value": np.ones(2), "norm": np.ones(2)}),
        "VectorMemory": (_core.VectorMemory, vector_memory()),
        "classify_by_vectors": (_core.classify_by_vectors, {"memory": stored, "queries": vectors(), "settings": settings(), "winner": zeros(2, kind=I32), "votes": zeros(2, 2), "threads": 1}),
        "nearest_vectors": (_core.nearest_vectors, {"memory": stored, "queries": vectors(), "row": zeros(2, 1, kind=I32), "distance": zeros(2, 1), "threads": 1}),
    }  # fmt: skip


def _ask(**arrays: Any) -> None:
    memory = _core.VectorMemory(**vector_memory())
    _core.nearest_vectors(memory, _core.Vectors(**arrays), zeros(2, 1, kind=I32), zeros(2, 1), 1)
