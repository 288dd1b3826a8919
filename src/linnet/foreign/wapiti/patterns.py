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
from collections.abc import Sequence
from dataclasses import dataclass

from linnet.errors import DataError

__all__ = ["Pattern", "parsed"]

Token = Sequence[bytes]
_COMMAND = re.compile(
    rb'%([xtmXTM])\[(@?)\s*([+-]?\d{1,6}),\s*\+?(\d{1,6})(?:,"((?:[^"\\]|\\.)*)")?\]'
)
_BEFORE = (b"_x-1", b"_x-2", b"_x-3", b"_x-4", b"_x-#")
_AFTER = (b"_x+1", b"_x+2", b"_x+3", b"_x+4", b"_x+#")
_TRIES = 200_000  # of one expression on one token
_ATOMS = 200

_CLASSES = {
    "a": string.ascii_letters, "d": string.digits, "l": string.ascii_lowercase,
    "p": string.punctuation, "s": " \t\n\v\f\r", "u": string.ascii_uppercase,
    "w": string.ascii_letters + string.digits,
}  # fmt: skip
_ALL = frozenset(range(1, 256))
_SETS = {ord("."): _ALL}


@dataclass(frozen=True)
class _Expression:
    """Atoms, each with the bytes it matches and how often: once, "*" or "?"."""

    atoms: tuple[tuple[frozenset[int], str], ...]
    first: bool  # it must match at the beginning
    last: bool  # and up to the end

    def search(self, text: bytes) -> tuple[int, int] | None:
        """Return where the leftmost match begins, and how many bytes were counted."""
        search = _Search(self, text)
        for at in range(1 if self.first else len(text) + 1):
            search.count = 0
            if search.matches(0, at):
                return at, search.count
        return None


class _Search:
    """One search: the count goes along, as it does in Wapiti."""

    def __init__(self, expression: _Expression, text: bytes) -> None:
        self.atoms, self.last, self.text = expression.atoms, expression.last, text
        self.count = self.tries = 0

    def matches(self, atom: int, at: int) -> bool:
        self.tries += 1
        if self.tries > _TRIES:
            raise DataError(
                f"An expression of the model's patterns takes too long on {self.text[:40]!r}."
            )
        if atom == len(self.atoms):
            return not self.last or at == len(self.text)
        characters, often = self.atoms[atom]
        if often == "*":
            return self._as_little_as_possible(characters, atom + 1, at)
        here = at < len(self.text) and self.text[at] in characters
        if often == "?":
            if here:
                self.count += 1
                if self.matches(atom + 1, at + 1):
                    return True
                self.count -= 1
            return self.matches(atom + 1, at)
        self.count += 1
        return here and self.matches(atom + 1, at + 1)

    def _as_little_as_possible(self, characters: frozenset[int], atom: int, at: int) -> bool:
        while True:
            before = self.count
            if self.matches(atom, at):
                return True
            self.count = before + 1
            if at >= len(self.text) or self.text[at] not in characters:
                return False
            at += 1


@dataclass(frozen=True)
class _Command:
    kind: str  # x, t or m
    lower: bool
    absolute: bool
    offset: int
    column: int
    expression: _Expression | None

    def cell(self, tokens: Sequence[Token], t: int) -> bytes:
        """Return the cell that is looked at, or what stands outside of the sequence."""
        at = t + self.offset
        if self.absolute:
            at = self.offset + len(tokens) if self.offset < 0 else self.offset - 1
        if at < 0:
            return _BEFORE[min(-at - 1, 4)]
        if at >= len(tokens):
            return _AFTER[min(at - len(tokens), 4)]
        return tokens[at][self.column]


@dataclass(frozen=True)
class Pattern:
    """A pattern, taken apart.

    Attributes
    ----------
    raw : bytes
    parts : tuple of bytes and commands
    """

    raw: bytes
    parts: tuple[bytes | _Command, ...]

    @property
    def columns(self) -> int:
        """The number of columns that tokens need."""
        return max(
            (part.column + 1 for part in self.parts if isinstance(part, _Command)), default=0
        )

    @property
    def constant(self) -> bool:
        """Whether it is the same for all tokens."""
        return not any(isinstance(part, _Command) for part in self.parts)

    def at(self, tokens: Sequence[Token], t: int) -> bytes:
        """Return the observation at a token."""
        made = b""
        for part in self.parts:
            if isinstance(part, bytes):
                made += part
                continue
            cell = part.cell(tokens, t)
            counted = 0
            if part.kind != "x":
                assert part.expression is not None
                match = part.expression.search(cell)
                if part.kind == "t":
                    cell = b"false" if match is None else b"true"
                else:
                    begin, counted = match or (0, 0)
                    counted += begin
                    cell, whole = cell[begin:counted], len(cell)
                    counted -= whole
            made += cell.lower() if part.lower else cell
            if counted > 0:
                break  # more was counted than there is: Wapiti's text ends there
        return made


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
    parts: list[bytes | _Command] = []
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
            _Command(
                kind.lower(), kind.isupper(), bool(match[2]), int(match[3]), int(match[4]),
                expression,
            )
        )  # fmt: skip
        at = match.end()
    return Pattern(raw, tuple(parts))


def _expression(raw: bytes) -> _Expression:
    first, last, atoms, at = raw.startswith(b"^"), False, list[tuple[frozenset[int], str]](), 0
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
            characters = _SETS.get(raw[at], frozenset((raw[at],)))
        at += 1
        often = raw[at : at + 1].decode("latin-1")
        often = often if often in ("*", "?") else ""
        at += len(often)
        atoms.append((characters, often))
    if len(atoms) > _ATOMS:
        raise DataError(f"the expression {raw[:60]!r} has more than {_ATOMS} parts")
    return _Expression(tuple(atoms), first, last)


def _class(code: int) -> frozenset[int]:
    letter = chr(code)
    members = _CLASSES.get(letter.lower())
    if members is None:
        return frozenset((code,))
    characters = frozenset(members.encode())
    return _ALL - characters if letter.isupper() else characters
