"""Good calls of what reads texts and lists, and of tables of vocabularies."""

from __future__ import annotations

from typing import Any

import numpy as np

from linnet import _core

from .arrays import (
    F32,
    I32,
    I64,
    INDEX,
    START,
    TEXTS,
    U8,
    U64,
    Call,
    analysis,
    counts,
    facets,
    ints,
    rows,
    table,
    templates,
    texts,
    token_counts,
    token_rows,
    zeros,
)


def joined(part: tuple[Any, Any, Any], start: Any, index: Any, value: Any) -> None:
    _core.join_rows([(*part, 3), (START, INDEX, np.ones(6, F32), 3)], start, index, value, 1)


def text_calls() -> dict[str, Call]:
    slots, prints = table()
    found, read, tokens, token_read = counts(), rows(), token_counts(), token_rows()
    name_bytes, offset = np.frombuffer(b"abc", U8), ints(0, 1, 2, 3, kind=I64)
    coded = np.frombuffer(_core.front_coded(name_bytes, offset), U8)
    listed = _core.token_columns([["a", "b"], ["c"]])
    features = _core.feature_rows([[["a"], ["b"]], [["a"]]], {"a": 0, "b": 1})
    assert listed is not None and features is not None
    return {
        "Texts": (
            _core.Texts,
            {
                "bytes": name_bytes,
                "start": ints(0, 1, kind=I64),
                "end": ints(1, 3, kind=I64),
                "owner": TEXTS,
            },
        ),
        "named_labels": (
            _core.named_labels,
            {
                "labels": ints(1, 0, 1),
                "sentence": ints(0, 2, 3, kind=I64),
                "names": ["a", "b"],
            },
        ),
        "spell_documents": (
            _core.spell_documents,
            {
                "cumulative": np.array([0.5, 1.0]),
                "guide": ints(0, 0, 1, 1, kind=I32),
                "steps": ints(1, kind=I64),
                "signal": 0.5,
                "spelling": np.frombuffer(b"a bb c0\t", U8),
                "offset": ints(0, 2, 5, 8, kind=I64),
                "classes": ints(0, 0, kind=I64),
                "lengths": ints(1, 2, kind=I64),
                "chances": np.array([0.1, 0.6, 0.9]),
                "about": np.array([0.9, 0.9, 0.1]),
                "out": zeros(80, kind=U8),
            },
        ),
        "Texts.originals": (
            texts().originals,
            {"out": zeros(len(texts()), kind=I64), "threads": 1},
        ),
        "Counts.matrix": (
            found.matrix,
            {
                "start": zeros(3, kind=I64),
                "index": zeros(found.stored, kind=I32),
                "value": zeros(found.stored, kind=F32),
                "threads": 1,
            },
        ),
        "Counts.names": (
            found.names,
            {
                "bytes": zeros(found.spelled, kind=U8),
                "offset": zeros(found.columns + 1, kind=I64),
                "threads": 1,
            },
        ),
        "Counts.documents": (found.documents, {"out": zeros(found.columns, kind=I64)}),
        "build_table": (
            _core.build_table,
            {
                "bytes": name_bytes,
                "offset": offset,
                "analysis": analysis(),
                "slot": slots.copy(),
                "print": prints.copy(),
                "threads": 1,
            },
        ),
        "hash_names": (_core.hash_names, {"bytes": name_bytes, "offset": offset, "buckets": 8}),
        "Columns": (_core.Columns, {"slot": slots, "print": prints, "unknown": -1}),
        "Rows.matrix": (
            read.matrix,
            {
                "start": zeros(3, kind=I64),
                "index": zeros(read.stored, kind=I32),
                "value": zeros(read.stored, kind=F32),
                "threads": 1,
            },
        ),
        "weigh_rows": (
            _core.weigh_rows,
            {
                "start": START,
                "index": INDEX,
                "value": np.ones(6, F32),
                "facets": facets(),
                "threads": 1,
            },
        ),
        "weigh_rows of two facets": (
            _core.weigh_rows,
            {
                "start": ints(0, 3, kind=I64),
                "index": ints(0, 2, 4),
                "value": np.ones(3, F32),
                "facets": facets(2),
                "threads": 1,
            },
        ),
        "join_rows": (
            joined,
            {
                "part": (START, INDEX, np.ones(6, F32)),
                "start": zeros(len(START), kind=I64),
                "index": zeros(12, kind=I32),
                "value": zeros(12, kind=F32),
            },
        ),
        "Facets.add": (
            facets().add,
            {
                "analysis": analysis(),
                "columns": _core.Columns(slots, prints),
                "count": "plain",
                "norm": "none",
                "scale": np.ones(3, F32),
                "width": 3,
            },
        ),
        "score_texts": (
            _core.score_texts,
            {
                "texts": texts(),
                "facets": facets(),
                "weights": zeros(3, 2, kind=F32),
                "intercept": zeros(2),
                "out": zeros(2, 2),
                "threads": 1,
            },
        ),
        "TokenTemplates": (
            _core.TokenTemplates,
            {
                "templates": [],
                "columns": 1,
                "seed": 0,
                "gazetteers": ["g"],
                "slot": slots,
                "print": prints,
                "mask": np.ones(3, U64),
                "longest": 1,
            },
        ),
        "TokenCounts.write": (
            tokens.write,
            {
                "bytes": zeros(tokens.spelled, kind=U8),
                "offset": zeros(tokens.columns + 1, kind=I64),
                "print": zeros(tokens.columns, kind=U64),
                "count": zeros(tokens.columns, kind=I64),
            },
        ),
        "count_token_features": (
            _core.count_token_features,
            {
                "columns": [texts()],
                "sentence": ints(0, 2, kind=I64),
                "templates": templates(),
                "min_count": 1,
                "threads": 1,
            },
        ),
        "TokenRows.matrix": (
            token_read.matrix,
            {
                "start": zeros(3, kind=I64),
                "index": zeros(token_read.stored, kind=I32),
                "threads": 1,
            },
        ),
        "read_token_rows": (
            _core.read_token_rows,
            {
                "columns": [texts()],
                "sentence": ints(0, 2, kind=I64),
                "templates": templates(),
                "slot": slots,
                "print": prints,
                "threads": 1,
            },
        ),
        "name_prints": (
            _core.name_prints,
            {"names": texts(), "seed": 0, "out": zeros(2, kind=U64)},
        ),
        "front_coded": (_core.front_coded, {"bytes": name_bytes, "offset": offset}),
        "measure_front_coded": (_core.measure_front_coded, {"code": coded}),
        "spell_front_coded": (
            _core.spell_front_coded,
            {
                "code": coded,
                "seed": 0,
                "bytes": zeros(3, kind=U8),
                "offset": zeros(4, kind=I64),
                "print": zeros(3, kind=U64),
            },
        ),
        "fill_table": (_core.fill_table, {"print": prints, "slot": zeros(4, kind=U64)}),
        "TokenColumns.copy": (listed.copy, {"offset": zeros(3, kind=I64)}),
        "TokenColumns.copy_column": (
            listed.copy_column,
            {"column": 0, "bytes": zeros(3, kind=U8), "bound": zeros(4, kind=I64)},
        ),
        "FeatureRows.copy": (
            features.copy,
            {
                "start": zeros(4, kind=I64),
                "index": zeros(3, kind=I32),
                "value": zeros(3),
                "sentence": zeros(3, kind=I64),
            },
        ),
    }
