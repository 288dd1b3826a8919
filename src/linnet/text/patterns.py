"""Which regular expressions a model file may hold: those that cannot search without end.

Python's ``re`` goes back and tries again. Where a repeated part can match one text in several ways,
the ways multiply with its length, and 40 letters take years: ``(a+)+b``. A file from a stranger
must not do that to its reader, and nothing can stop a search from outside, so such a pattern is
neither stored nor loaded. The check is by structure, as one reads an expression from left to
right: a part is a *choice* where the same next character may either belong to it or to what
follows. No choice may stand inside of what is repeated, nor be made by the repeating itself; beside
that two are allowed, which cost time that grows with a power of the length of a text and ends.

Back-references make every other question hard and are refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from re import _parser as parser  # type: ignore[attr-defined]  # the only one there is
from typing import Any

from linnet.errors import DataError

__all__ = ["check_pattern"]

_CHOICES = 2
#: Characters that stand for all: Latin ones, and some of each kind of others.
_ALPHABET = frozenset(map(chr, range(0x250))) | frozenset("Ωяא中あ٣\u2003\u2028😀ſ")
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_KINDS = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}

Characters = frozenset[str]
_NONE: Characters = frozenset()


@dataclass(frozen=True)
class _Part:
    """What a part of an expression can begin with, and with what it may go on or stop."""

    first: Characters = _NONE
    may_be_empty: bool = True
    going_on: tuple[Characters, ...] = ()
    choices: int = 0

    def then(self, other: _Part) -> _Part:
        """Return this part followed by another."""
        return _Part(
            self.first | other.first if self.may_be_empty else self.first,
            self.may_be_empty and other.may_be_empty,
            other.going_on + self.going_on if other.may_be_empty else other.going_on,
            self.choices
            + other.choices
            + sum(bool(characters & other.first) for characters in self.going_on),
        )


def check_pattern(pattern: str) -> None:
    """Refuse a regular expression whose search may not end.

    Raises
    ------
    DataError
        With what is wrong with it.

    Examples
    --------
    >>> check_pattern(r"(?u)\\b\\w\\w+\\b")
    >>> check_pattern(r"[^\\W\\d_]+(?:-[^\\W\\d_]+)*|\\d+")
    >>> check_pattern(r"(\\w+\\s?)+")
    Traceback (most recent call last):
        ...
    linnet.errors.DataError: the pattern ... repeats what can match one text in several ways, ...
    """
    try:
        parsed = parser.parse(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise DataError(f"the pattern {pattern[:60]!r} cannot be read: {error}") from None
    try:
        choices = _sequence(parsed).choices
    except DataError as error:
        raise DataError(f"the pattern {pattern[:60]!r} {error}") from None
    if choices > _CHOICES:
        raise DataError(
            f"the pattern {pattern[:60]!r} has {choices} places where the next character may "
            f"belong to one part or to the next, and {_CHOICES} are the most; make the parts "
            "exclude each other"
        )


def _sequence(items: Any) -> _Part:
    whole = _Part()
    for operation, argument in items:
        whole = whole.then(_part(str(operation), argument))
    return whole


def _part(operation: str, argument: Any) -> _Part:
    if operation in _REPEATS:
        return _repeated(*argument)
    if operation == "BRANCH":
        return _branches([_sequence(branch) for branch in argument[1]])
    if operation == "SUBPATTERN":
        return _sequence(argument[3])
    if operation == "ATOMIC_GROUP":
        return _sequence(argument)
    if operation in ("ASSERT", "ASSERT_NOT"):  # it looks, and takes nothing
        return _Part(choices=_sequence(argument[1]).choices)
    if operation == "AT":
        return _Part()
    if operation in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
        return _Part(_characters(operation, argument), may_be_empty=False)
    raise DataError(f"refers to another part ({operation.lower()}), which a file cannot hold")


def _repeated(low: Any, high: Any, items: Any) -> _Part:
    inner = _sequence(items)
    if int(high) > 1:
        again = any(characters & inner.first for characters in inner.going_on)
        if inner.may_be_empty or inner.choices or again:
            raise DataError(
                "repeats what can match one text in several ways, so a search may never end; let "
                "each round begin with a character that nothing else in it can match"
            )
    going_on = inner.going_on if low == high else (inner.first, *inner.going_on)
    return _Part(inner.first, inner.may_be_empty or low == 0, going_on, inner.choices)


def _branches(parts: list[_Part]) -> _Part:
    first = _NONE.union(*(part.first for part in parts))
    may_be_empty = any(part.may_be_empty for part in parts)
    overlap = sum(len(part.first) for part in parts) > len(first)
    going_on = tuple(characters for part in parts for characters in part.going_on)
    return _Part(
        first,
        may_be_empty,
        (first, *going_on) if may_be_empty else going_on,
        max(part.choices for part in parts) + overlap,
    )


def _characters(operation: str, argument: Any) -> Characters:
    """Return the characters that match, in either case: too many rather than too few."""
    if operation == "ANY":
        return _ALPHABET
    if operation == "IN":
        negated = str(argument[0][0]) == "NEGATE"
        listed = [_items(str(kind), value) for kind, value in argument if str(kind) != "NEGATE"]
        matching = _NONE.union(*listed)
    else:
        negated, matching = operation == "NOT_LITERAL", frozenset(chr(argument))
    if negated:
        return _ALPHABET - matching
    return matching | {
        other for c in matching for other in (c.lower(), c.upper()) if len(other) == 1
    }


def _items(kind: str, value: Any) -> Characters:
    if kind == "LITERAL":
        return frozenset(chr(value))
    if kind == "RANGE":
        low, high = value
        ends = {chr(low), chr(high)}
        return frozenset(c for c in _ALPHABET if low <= ord(c) <= high) | ends
    name = str(value).removeprefix("CATEGORY_").removeprefix("UNI_")
    matches = re.compile(_KINDS[name.removeprefix("NOT_")]).match
    matching = frozenset(c for c in _ALPHABET if matches(c))
    return _ALPHABET - matching if name.startswith("NOT_") else matching
