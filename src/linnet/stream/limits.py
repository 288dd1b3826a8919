"""How much memory a stream takes: weights, and as many bytes a block as fit beside them."""

from __future__ import annotations

from typing import Any

from linnet.errors import ParameterError

__all__ = ["block_size", "parse_memory"]

BLOCK = 1 << 20
_LEAST, _MOST = 1 << 16, 1 << 23
_BASE = 120_000_000  # the program itself
_PER_BYTE = 60  # memory for a byte of a block: its parts, features, and three blocks at once
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def parse_memory(memory: str | int | None) -> int | None:
    """Return a size such as "2GB" in bytes.

    Examples
    --------
    >>> parse_memory("2GB"), parse_memory("512 MB"), parse_memory(1000)
    (2000000000, 512000000, 1000)
    """
    if memory is None:
        return None
    spelled = str(memory).strip().lower().removesuffix("b").strip()
    number, unit = (spelled[:-1], spelled[-1]) if spelled[-1:] in tuple("kmgt") else (spelled, "")
    try:
        n_bytes = int(float(number) * _UNITS[unit])
    except (ValueError, OverflowError):
        n_bytes = 0
    if n_bytes <= 0:
        raise ParameterError(f"memory must be a size such as '2GB', got {memory!r}")
    return n_bytes


def block_size(memory: str | int | None, weights: int, remedy: str) -> int:
    """Return how many bytes a block may have.

    Parameters
    ----------
    memory : str, int or None
        What the whole program may take; None asks for no more than is useful.
    weights : int
        What the weights take, with their copy in the model.
    remedy : str
        How to have fewer of them.

    Raises
    ------
    ParameterError
        When the weights alone are more.
    """
    limit: Any = parse_memory(memory)
    if limit is None:
        return BLOCK
    left = limit - _BASE - weights
    if left < _LEAST * _PER_BYTE:
        need = _BASE + weights + _LEAST * _PER_BYTE
        raise ParameterError(
            f"memory={memory!r} is too little: the program and its weights take about "
            f"{need / 1e6:,.0f} MB; {remedy}"
        )
    return int(min(_MOST, BLOCK, left // _PER_BYTE))
