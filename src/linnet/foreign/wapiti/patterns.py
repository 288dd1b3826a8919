r"""Wapiti's patterns: from the columns of tokens to the observations that have weights.

A pattern is text with commands. ``%x[off,col]`` is a cell of a token nearby, ``%t[off,col,"re"]``
whether an expression matches it, ``%m[off,col,"re"]`` what it matches; a capital command lowers the
letters A to Z. An offset behind ``@`` counts from the start of the sequence, or from its end.

The expressions know bytes, ``.``, classes such as ``\d``, and ``*`` (as little as possible) and
``?`` (rather with than without) behind one of these. How much ``%m`` has matched is counted on the
way, and what was tried in vain behind a ``?`` stays counted: weights were trained with that, so it
is the same here.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from linnet import _core
from linnet.errors import DataError
from linnet.text.texts import as_texts

__all__ = ["Command", "Pattern", "for_core", "parsed", "told_by_the_core"]

_COMMAND = re.compile(
    rb'%([xtmXTM])\[(@?)\s*([+-]?\d{1,6}),\s*\+?(\d{1,6})(?:,"((?:[^"\\]|\\.)*)")?\]'
)
_ATOMS = 200

_CLASSES = {
    "a": string.ascii_letters, "d": string.digits, "l": string.ascii_lowercase,
    "p": string.punctuation, "s": " \t\n\v\f\r", "u": string.ascii_uppercase,
    "w": string.ascii_letters + string.digits,
}  # fmt: skip
_ALL = bytes(range(1, 256))


#: An expression: whether it must match at the beginning, and up to the end, and its atoms, each
#: with the bytes it matches and how often: once (""), "*" or "?".
_Expression = tuple[bool, bool, tuple[tuple[bytes, str], ...]]


class Command(NamedTuple):
    """A command of a pattern: ``x``, ``t`` or ``m``, and the cell it looks at."""

    kind: str
    lower: bool
    absolute: bool
    offset: int
    column: int
    expression: _Expression | None


@dataclass(frozen=True)
class Pattern:
    """A pattern, taken apart.

    Attributes
    ----------
    raw : bytes
    parts : tuple of bytes and commands
    """

    raw: bytes
    parts: tuple[bytes | Command, ...]

    @cached_property
    def columns(self) -> int:
        """The number of columns that tokens need."""
        return max((part.column + 1 for part in self.parts if isinstance(part, Command)), default=0)

    @property
    def constant(self) -> bool:
        """Whether it is the same for all tokens."""
        return not any(isinstance(part, Command) for part in self.parts)

    def at(self, tokens: Sequence[Sequence[bytes]], t: int) -> bytes:
        """Return the observation at a token of a sentence.

        Raises
        ------
        DataError
            When an expression takes too long.
        """
        columns = [
            as_texts([cell.decode() for cell in cells]) for cells in zip(*tokens, strict=True)
        ]
        cells = _core.wapiti_cells(columns, np.array([0, len(tokens)], np.int64))
        with told_by_the_core():
            return for_core([self]).observation(0, cells, t)


def for_core(patterns: Iterable[Pattern]) -> _core.WapitiPatterns:
    """Return patterns as the core runs them."""
    return _core.WapitiPatterns([tuple(pattern.parts) for pattern in patterns])


@contextmanager
def told_by_the_core() -> Iterator[None]:
    """Make what the core says of data an error of linnet's."""
    try:
        yield
    except ValueError as error:
        raise DataError(str(error)) from None


def parsed(raw: bytes) -> Pattern:
    """Take a pattern apart.

    Raises
    ------
    DataError
        When it is none.

    Examples
    --------
    >>> pattern = parsed(b'u:suf=%m[0,0,"..$"]/%X[-1,0]')
    >>> pattern.at([(b"The",), (b"fish",)], 1)
    b'u:suf=sh/the'
    """
    parts: list[bytes | Command] = []
    at = 0
    while at < len(raw):
        if raw[at : at + 1] != b"%":
            stop = raw.find(b"%", at)
            stop = len(raw) if stop < 0 else stop
            parts.append(raw[at:stop])
            at = stop
            continue
        match = _COMMAND.match(raw, at)
        kind = "" if match is None else match[1].decode()
        if match is None or (match[5] is None) != (kind in "xX"):
            raise DataError(f"the pattern {raw[:60]!r} cannot be read at byte {at}")
        expression = None if match[5] is None else _expression(match[5])
        parts.append(
            Command(
                kind.lower(), kind.isupper(), bool(match[2]), int(match[3]), int(match[4]),
                expression,
            )
        )  # fmt: skip
        at = match.end()
    return Pattern(raw, tuple(parts))


def _expression(raw: bytes) -> _Expression:
    first, last, atoms, at = raw.startswith(b"^"), False, list[tuple[bytes, str]](), 0
    at += first
    while at < len(raw):
        if raw[at:] == b"$":
            last = True
            break
        if raw[at : at + 1] in (b"*", b"?"):
            raise DataError(f"the expression {raw[:60]!r} repeats nothing")
        if raw[at : at + 1] == b"\\" and at + 1 < len(raw):
            characters = _class(raw[at + 1])
            at += 1
        else:
            characters = _ALL if raw[at : at + 1] == b"." else raw[at : at + 1]
        at += 1
        often = raw[at : at + 1].decode("latin-1")
        often = often if often in ("*", "?") else ""
        at += len(often)
        atoms.append((characters, often))
    if len(atoms) > _ATOMS:
        raise DataError(f"the expression {raw[:60]!r} has more than {_ATOMS} parts")
    return first, last, tuple(atoms)


def _class(code: int) -> bytes:
    letter = chr(code)
    members = _CLASSES.get(letter.lower())
    if members is None:
        return bytes((code,))
    return bytes(set(_ALL) - set(members.encode())) if letter.isupper() else members.encode()
