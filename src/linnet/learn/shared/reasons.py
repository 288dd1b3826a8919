"""Why a learner that is kept whole decides as it does, as a table for people.

Each such learner makes its own table (SPEC C-27); here is what the tables share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

__all__ = ["Named", "Reasons", "values_text", "vector_text"]

_SHOWN = 6  # features of a vector that are spelled out


@dataclass(frozen=True)
class Reasons:
    """A table of reasons, its headings, and what it sums up to."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    note: str = ""


class Named(Protocol):
    """Who knows how to call what the learner sees: the model that keeps it."""

    @property
    def kind(self) -> str:
        """What the model reads: "text", "bag", "vector" or "row"."""

    @property
    def names(self) -> list[str]:
        """The columns of rows."""

    def feature_name(self, column: int) -> str:
        """Return the name of a feature."""


def vector_text(named: Named, index: Any, value: Any) -> str:
    """Return the largest features of a vector for people."""
    if named.kind == "row":  # few columns: all of them, in their order
        order, most = np.arange(len(index)), len(index)
    else:
        order, most = np.argsort(-np.abs(value), kind="stable"), _SHOWN
    parts = []
    for i in order[:most].tolist():
        name = named.feature_name(int(index[i]))
        parts.append(name if "=" in name and value[i] == 1 else f"{name} {value[i]:.3g}")
    return ", ".join(parts) + (", …" if len(order) > most else "")


def values_text(names: Sequence[str], values: Sequence[Any]) -> str:
    """Return a row for people.

    Examples
    --------
    >>> values_text(["outlook", "degrees"], ["sunny", 21.5])
    'outlook=sunny degrees=21.5'
    """
    return " ".join(f"{name}={_spelled(v)}" for name, v in zip(names, values, strict=True))


def _spelled(value: Any) -> str:
    if value is None or value != value:
        return "?"
    return f"{value:g}" if isinstance(value, float) else str(value)
