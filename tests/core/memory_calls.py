"""Good calls of memory-based learning."""

from __future__ import annotations

from typing import Any

import numpy as np

from linnet import _core

from .arrays import I32, I64, Call, instances, ints, settings, vector_memory, vectors, zeros


def memory_calls() -> dict[str, Call]:
    memory, stored = _core.Instances(**instances()), _core.VectorMemory(**vector_memory())
    asked = {"code": ints(0, 0)[None], "number": zeros(1, 2)}
    return {
        "Instances": (_core.Instances, instances()),
        "classify_by_memory": (
            _core.classify_by_memory,
            {
                "memory": memory,
                "trie": memory,
                **asked,
                "value": ints(0, 0)[None],
                "settings": settings(),
                "winner": zeros(1, kind=I32),
                "votes": zeros(1, 2),
                "threads": 1,
            },
        ),
        "nearest_rows": (
            _core.nearest_rows,
            {
                "memory": memory,
                **asked,
                "settings": settings(),
                "row": zeros(1, 1, kind=I32),
                "distance": zeros(1, 1),
                "threads": 1,
            },
        ),
        "Vectors used as queries": (
            ask,
            {
                "start": ints(0, 1, 2, kind=I64),
                "index": ints(0, 0),
                "value": np.ones(2),
                "norm": np.ones(2),
            },
        ),
        "VectorMemory": (_core.VectorMemory, vector_memory()),
        "classify_by_vectors": (
            _core.classify_by_vectors,
            {
                "memory": stored,
                "queries": vectors(),
                "settings": settings(),
                "winner": zeros(2, kind=I32),
                "votes": zeros(2, 2),
                "threads": 1,
            },
        ),
        "nearest_vectors": (
            _core.nearest_vectors,
            {
                "memory": stored,
                "queries": vectors(),
                "row": zeros(2, 1, kind=I32),
                "distance": zeros(2, 1),
                "threads": 1,
            },
        ),
    }


def ask(**arrays: Any) -> None:
    memory = _core.VectorMemory(**vector_memory())
    _core.nearest_vectors(memory, _core.Vectors(**arrays), zeros(2, 1, kind=I32), zeros(2, 1), 1)
