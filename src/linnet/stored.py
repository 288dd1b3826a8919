"""What a value from a model file must be before anything is computed with it.

A class that is stored declares its fields: type, shape, range and order of each. :func:`check`
compares a whole object with its declaration, so whatever a file claims is either refused when it
is loaded or gives finite answers. The sizes of axes have names: one that is not known yet is taken
from the first array that has it, and all others must agree.

Examples
--------
>>> fields = {"weight": Array("f8", "n"), "start": Array("i8", "n+1", 0, "n", order="starts")}
>>> check({"weight": np.ones(2), "start": np.array([0, 1, 2])}, fields, {})
>>> check({"weight": np.ones(2), "start": np.array([0, 1, 9])}, fields, {})
Traceback (most recent call last):
    ...
linnet.errors.DataError: start holds a number outside 0 .. 2
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from linnet.errors import DataError

__all__ = [
    "LARGEST",
    "Anything",
    "Array",
    "Dict",
    "Each",
    "Field",
    "Fields",
    "Label",
    "Labels",
    "Number",
    "Object",
    "Sizes",
    "Text",
    "Texts",
    "Vocabulary",
    "check",
    "fields_of",
]  # fmt: skip

#: The largest number a file may hold: its square and a sum of many such still are numbers.
LARGEST = 1e100

Sizes: TypeAlias = dict[str, int]


@dataclass(frozen=True)
class Field(ABC):
    """What one value must be; `optional` ones may be absent or None."""

    optional: bool = field(default=False, kw_only=True)

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Raise DataError if the value is missing or something else."""
        if value is not None:
            self._check(name, value, sizes)
        elif not self.optional:
            raise DataError(f"{name} is missing")

    @abstractmethod
    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Raise DataError if the value is something else."""


Fields: TypeAlias = Mapping[str, Field]


def fields_of(cls: type[Any]) -> dict[str, Field]:
    """Return the fields that a class and those it is made of declare as ``stored``."""
    fields: dict[str, Field] = {}
    for base in reversed(cls.__mro__):
        fields |= vars(base).get("stored", {})
    return fields


def check(values: Mapping[str, Any], fields: Fields, sizes: Sizes) -> None:
    """Refuse values that are not as declared, are missing, or are not declared at all.

    Raises
    ------
    DataError
        With the first thing that is wrong.
    """
    unknown = [str(key) for key in values if key not in fields]
    if unknown:
        raise DataError(f"{unknown[0][:60]!r} is nothing that it stores")
    for name, declared in fields.items():
        declared.check(name, values.get(name), sizes)


@dataclass(frozen=True)
class Array(Field):
    """An array: types as NumPy writes them, names of its axes, range and order of its numbers.

    Parameters
    ----------
    types : str
        Such as ``f8``, or several: ``f4 f2``.
    axes : str or None
        Such as ``K J`` or ``n+1``; several shapes that are possible have a | between them. None
        is any shape.
    low, high : number, or the name of a size
        The range, both ends included; ``K-1`` is the last of K numbers.
    order : {"", "ascending", "places", "starts"}
        places: each of 0 .. n-1 once. starts: from 0 to `high` without descending.
    beyond : tuple of float
        Values outside the range that have a meaning, such as -inf for ln 0.
    """

    types: str
    axes: str | None = ""
    low: float | str = -LARGEST
    high: float | str = LARGEST
    order: str = ""
    beyond: tuple[float, ...] = ()

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        kind = value.dtype.name if isinstance(value, np.ndarray) else type(value).__name__
        types = [np.dtype(name).name for name in self.types.split()]
        if not isinstance(value, np.ndarray) or kind not in types:
            raise DataError(f"{name} has the type {kind}; expected {' or '.join(types)}")
        if self.axes is not None:
            _fit_shape(name, value.shape, self.axes, sizes)
        low, high = _size(self.low, sizes), _size(self.high, sizes)
        if value.size and not self._inside(value, low, high):
            finite = value.dtype.kind != "f" or np.isfinite(value).all()
            wrong = f"outside {low:g} .. {high:g}" if finite else "that is not finite"
            raise DataError(f"{name} holds a number {wrong}")
        if self.order and not self._ordered(value, high):
            raise DataError(f"{name} holds numbers in another order than {self.order!r} asks for")

    def _inside(self, value: Any, low: float, high: float) -> bool:
        if value.dtype.kind == "b":
            return True
        if low <= value.min().item() and value.max().item() <= high:  # false where one is NaN
            return True
        if not self.beyond:
            return False
        inside = (value >= low) & (value <= high)
        for other in self.beyond:
            inside |= np.isnan(value) if other != other else value == other
        return bool(inside.all())

    def _ordered(self, value: Any, high: float) -> bool:
        if self.order == "places":
            return np.array_equal(np.sort(value), np.arange(len(value)))
        if self.order == "ascending":
            return bool((value[1:] > value[:-1]).all())
        return bool(value[0] == 0 and value[-1] == high and (value[1:] >= value[:-1]).all())


@dataclass(frozen=True)
class Number(Field):
    """A number; with `size` it is the length of the axes of that name."""

    kind: type = float
    low: float = -LARGEST
    high: float = LARGEST
    size: str = ""

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        kinds = (float, int, np.floating) if self.kind is float else (self.kind,)
        known = isinstance(value, kinds) and isinstance(value, bool) == (self.kind is bool)
        plain = value.item() if isinstance(value, np.generic) else value
        if not known or not self.low <= plain <= self.high:
            raise DataError(f"{name} cannot be {_shown(value)}")
        if self.size and sizes.setdefault(self.size, int(value)) != value:
            raise DataError(f"{name} is {value}, but there are {sizes[self.size]}")


@dataclass(frozen=True)
class Text(Field):
    """A text, one of some where `choices` lists them."""

    choices: tuple[str, ...] = ()

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        if not _is_text(value) or (self.choices and value not in self.choices):
            raise DataError(f"{name} cannot be {_shown(value)}")


@dataclass(frozen=True)
class Texts(Field):
    """As many texts as an axis is long."""

    axis: str

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        texts = value.tolist() if isinstance(value, np.ndarray) else value
        if not isinstance(texts, list) or not all(map(_is_text, texts)):
            raise DataError(f"{name} must hold texts")
        _fit_shape(name, (len(texts),), self.axis, sizes)


@dataclass(frozen=True)
class Label(Field):
    """A text or a finite number."""

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        number = isinstance(value, (int, float)) and abs(value) < np.inf
        if not number and not _is_text(value):
            raise DataError(f"{name} cannot be {_shown(value)}, only a text or a finite number")


@dataclass(frozen=True)
class Labels(Field):
    """The labels of an axis, all different, and in ascending order unless `ordered` is false."""

    axis: str
    least: int = 2
    ordered: bool = True

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        if not isinstance(value, np.ndarray) or value.ndim != 1 or len(value) < self.least:
            raise DataError(f"{name} must be at least {self.least} labels")
        listed = value.tolist()
        for label in listed:
            Label()._check(name, label, sizes)
        if len(set(listed)) != len(listed) or (self.ordered and sorted(listed) != listed):
            raise DataError(f"{name} must be different labels in ascending order")
        _fit_shape(name, value.shape, self.axis, sizes)


@dataclass(frozen=True)
class Vocabulary(Field):
    """A dictionary that gives each text its place on an axis."""

    axis: str

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        if not isinstance(value, dict) or not all(type(place) is int for place in value.values()):
            raise DataError(f"{name} does not number anything")
        _fit_shape(name, (len(value),), self.axis, sizes)
        places = np.fromiter(value.values(), np.int64, len(value))
        if not np.array_equal(np.sort(places), np.arange(len(places))):
            raise DataError(f"{name} does not give each place once")


@dataclass(frozen=True)
class Each(Field):
    """A list whose items are all as declared; as many as an axis is long, if there is one."""

    item: Field
    axis: str = ""

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        if not isinstance(value, list):
            raise DataError(f"{name} is no list")
        if self.axis:
            _fit_shape(name, (len(value),), self.axis, sizes)
        for number, item in enumerate(value):
            self.item._check(f"{name}[{number}]", item, dict(sizes))


@dataclass(frozen=True)
class Dict(Field):
    """A dictionary with fields of its own."""

    fields: Fields

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        if not isinstance(value, dict):
            raise DataError(f"{name} is no dictionary")
        _within(name, value, self.fields, dict(sizes))


@dataclass(frozen=True)
class Object(Field):
    """An object of a class that declares its own fields; one without is checked elsewhere."""

    cls: type[Any]

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        if not isinstance(value, self.cls):
            raise DataError(f"{name} is a {type(value).__name__}, not a {self.cls.__name__}")
        if hasattr(value, "stored"):
            _within(name, value.__getstate__(), fields_of(type(value)), dict(sizes))


@dataclass(frozen=True)
class Anything(Field):
    """A value that no answer depends on, of a certain type."""

    cls: type[Any]
    optional: bool = field(default=True, kw_only=True)

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        if not isinstance(value, self.cls):
            raise DataError(f"{name} cannot be {_shown(value)}")


def _within(name: str, values: Any, fields: Fields, sizes: Sizes) -> None:
    try:
        check(values, fields, sizes)
    except DataError as error:
        raise DataError(f"{name}: {error}") from None


def _fit_shape(name: str, shape: tuple[int, ...], axes: str, sizes: Sizes) -> None:
    """Refuse a shape that is none of those declared; sizes that are new are learnt from it."""
    for choice in axes.split("|"):
        names = choice.split()
        known = dict(sizes)
        if len(names) == len(shape) and all(map(_fits, names, shape, [known] * len(shape))):
            sizes.update(known)
            return
    meant = [" x ".join(f"{a}={sizes[a]}" if a in sizes else a for a in c.split()) or "one number"
             for c in axes.split("|")]  # fmt: skip
    raise DataError(f"{name} has shape {shape}; expected {' or '.join(meant)}")


def _fits(axis: str, length: int, sizes: Sizes) -> bool:
    axis, _, more = axis.partition("+")
    wanted = length - int(more or 0)
    if axis.isdecimal():
        return wanted == int(axis)
    return sizes.setdefault(axis, wanted) == wanted and wanted >= 0


def _size(bound: float | str, sizes: Sizes) -> float:
    if not isinstance(bound, str):
        return bound
    axis, _, less = bound.partition("-")
    return sizes[axis] - int(less or 0)


def _is_text(value: Any) -> bool:
    """Tell whether a value is a text that can be written: no half of a surrogate pair."""
    return isinstance(value, str) and (
        value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value)
    )


def _shown(value: Any) -> str:
    return ascii(value)[:60]
