"""Settings of a view, checked as they are read: what is no value of its kind is told plainly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from linnet.errors import ParameterError

__all__ = ["choice", "choices", "flag", "number", "rows", "text", "whole"]


def number(
    settings: Mapping[str, Any], name: str, default: float, low: float, high: float
) -> float:
    """Return a number within bounds.

    Examples
    --------
    >>> number({"C": 2}, "C", 1.0, 0.001, 1000.0)
    2.0
    """
    value = settings.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ParameterError(f"{name} must be a number, got {_cut(value)}")
    if not low <= value <= high:
        raise ParameterError(f"{name} must lie between {low:g} and {high:g}, got {value:g}")
    return float(value)


def whole(settings: Mapping[str, Any], name: str, default: int, low: int, high: int) -> int:
    """Return a whole number within bounds."""
    value = number(settings, name, default, low, high)
    if value != int(value):
        raise ParameterError(f"{name} must be a whole number, got {value:g}")
    return int(value)


def choice(settings: Mapping[str, Any], name: str, default: str, allowed: Sequence[str]) -> str:
    """Return one of several words."""
    value = settings.get(name, default)
    if not isinstance(value, str) or value not in allowed:
        raise ParameterError(f"{name} must be one of {', '.join(allowed)}, got {_cut(value)}")
    return value


def choices(
    settings: Mapping[str, Any],
    name: str,
    default: Sequence[str],
    allowed: Sequence[str],
    most: int,
) -> list[str]:
    """Return some of several words, each once, in the order they were asked for."""
    value = settings.get(name, list(default))
    if not isinstance(value, list) or not 1 <= len(value) <= most:
        raise ParameterError(f"{name} must be a list of one to {most} of {', '.join(allowed)}")
    words = [choice({name: word}, name, "", allowed) for word in value]
    if len(set(words)) < len(words):
        raise ParameterError(f"{name} names one of them twice")
    return words


def flag(settings: Mapping[str, Any], name: str, default: bool = False) -> bool:
    """Return a yes or no."""
    value = settings.get(name, default)
    if not isinstance(value, bool):
        raise ParameterError(f"{name} must be true or false, got {_cut(value)}")
    return value


def text(settings: Mapping[str, Any], name: str, default: str, most: int) -> str:
    """Return a text of so many characters at most; None is the default."""
    value = settings.get(name)
    value = default if value is None else value
    if not isinstance(value, str):
        raise ParameterError(f"{name} must be text, got {_cut(value)}")
    if len(value) > most:
        raise ParameterError(f"{name} has {len(value)} characters; at most {most} are shown")
    return value


def rows(
    settings: Mapping[str, Any], name: str, width: int, most: int, largest: float
) -> list[list[float]]:
    """Return a list of rows of numbers, each of the same width; none by default.

    Examples
    --------
    >>> rows({"added": [[0, 1.5]]}, "added", 2, 10, 100.0)
    [[0.0, 1.5]]
    """
    value = settings.get(name, [])
    if not isinstance(value, list) or len(value) > most:
        raise ParameterError(f"{name} must be a list of at most {most} rows")
    for row in value:
        if not isinstance(row, list) or len(row) != width:
            raise ParameterError(f"{name} must have rows of {width} numbers, got {_cut(row)}")
    return [[number({name: one}, name, 0.0, -largest, largest) for one in row] for row in value]


def _cut(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
