"""When two values are the same: types, number types, memory order and every bit."""

from __future__ import annotations

from typing import Any

import numpy as np


def assert_same(value: Any, twin: Any, where: str = "") -> None:
    """Fail, naming the place, where two trees of values differ."""
    assert type(value) is type(twin), where
    if isinstance(value, np.ndarray):
        assert value.dtype == twin.dtype and value.shape == twin.shape, where
        assert value.flags.c_contiguous == twin.flags.c_contiguous, where
        if value.dtype == object:
            assert_same(value.tolist(), twin.tolist(), where)
        else:
            assert value.tobytes() == twin.tobytes(), where
    elif isinstance(value, dict):
        assert list(value) == list(twin), where
        for key in value:
            assert_same(value[key], twin[key], f"{where}.{key}")
    elif isinstance(value, (list, tuple)):
        assert len(value) == len(twin), where
        for i, (inner, other) in enumerate(zip(value, twin, strict=True)):
            assert_same(inner, other, f"{where}[{i}]")
    elif hasattr(value, "__dict__"):
        # What an object keeps; tables that it makes again when they are needed are left out.
        assert_same(value.__getstate__(), twin.__getstate__(), where)
    else:
        assert value == twin or (value != value and twin != twin), where
