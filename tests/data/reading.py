"""What the tests of formats share: reading bytes, and where an error points."""

from __future__ import annotations

import io
from typing import Any

import pytest

from linnet.data import Examples, Sequences, read_examples, read_sequences
from linnet.errors import FormatError

__all__ = ["pairs", "read", "read_sentences", "where"]


def read(raw: bytes | str, **options: Any) -> Examples:
    return read_examples(io.BytesIO(raw.encode() if isinstance(raw, str) else raw), **options)


def read_sentences(raw: bytes | str, **options: Any) -> Sequences:
    return read_sequences(io.BytesIO(raw.encode() if isinstance(raw, str) else raw), **options)


def where(raw: bytes | str, **options: Any) -> tuple[int | None, int | None, str]:
    with pytest.raises(FormatError) as caught:
        read(raw, **options)
    return caught.value.line, caught.value.column, caught.value.message


def pairs(found: Examples) -> list[tuple[Any, Any]]:
    assert found.y is not None
    return list(zip(found.y, found.X, strict=True))
