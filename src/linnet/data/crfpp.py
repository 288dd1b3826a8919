"""CRF++ template files: which cells around a token make its features.

A line ``U05:%x[-1,0]/%x[0,1]`` describes one feature of the current label, a line that starts with
``B`` one of the previous and the current label together. ``%x[row,column]`` stands for the cell
`row` tokens further on (0 is the current token) in the given column; everything else is text. A
plain ``B`` makes the feature that weighs label pairs. ``#`` starts a comment line.

Outside the sentence CRF++ sees ``_B-1``, ``_B-2``, ... before its first token and ``_B+1``,
``_B+2``, ... after its last, and so does :meth:`Macro.expand`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from linnet.data.files import Source, source_name
from linnet.data.formats.blocks import read_lines
from linnet.errors import DataError, FormatError

__all__ = ["MAX_ROW", "Cell", "Macro", "Template", "boundary", "parse_template", "read_template"]

#: How far from the current token a template may look, as in CRF++.
MAX_ROW = 8

_CELL = re.compile(r"%x\[[ \t]*([+-]?[0-9]{1,9})[ \t]*,[ \t]*([0-9]{1,9})[ \t]*\]")


class Cell(NamedTuple):
    """The cell in `column`, `row` tokens after the current one."""

    row: int
    column: int


@dataclass(frozen=True)
class Macro:
    """One line of a template.

    Attributes
    ----------
    kind : {"U", "B"}
        Whether the feature sees the current label or the previous and the current one.
    parts : tuple of str and Cell
        What is put together to the name of the feature, its identifier such as ``U05:`` first.
    line : int
        Where it stands in the file, from 1.
    """

    kind: Literal["U", "B"]
    parts: tuple[str | Cell, ...]
    line: int

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells the macro looks at."""
        return tuple(part for part in self.parts if isinstance(part, Cell))

    def expand(self, columns: Sequence[Sequence[str]], place: int) -> str:
        """Return the feature of one token.

        Parameters
        ----------
        columns : sequence of sequences of str
            The columns of one sentence, all of one length.
        place : int
            The token, from 0.

        Examples
        --------
        >>> macro = parse_template("U1:%x[-1,0]/%x[0,1]").macros[0]
        >>> macro.expand([["He", "ran"], ["PRP", "VBD"]], 0)
        'U1:_B-1/PRP'
        """
        texts = []
        for part in self.parts:
            if isinstance(part, str):
                texts.append(part)
                continue
            if part.column >= len(columns):
                raise DataError(
                    f"line {self.line} of the template asks for column {part.column}, but the "
                    f"tokens have the columns 0 to {len(columns) - 1}"
                )
            column, row = columns[part.column], place + part.row
            inside = 0 <= row < len(column)
            texts.append(column[row] if inside else boundary(row, len(column)))
        return "".join(texts)


@dataclass(frozen=True)
class Template:
    """The macros of a template file, in order.

    Examples
    --------
    >>> template = parse_template("# words\\nU0:%x[0,0]\\nU1:%x[1,2]\\n\\nB\\n")
    >>> [macro.kind for macro in template.macros], template.width, template.reach
    (['U', 'U', 'B'], 3, (0, 1))
    """

    macros: tuple[Macro, ...]

    @property
    def unigrams(self) -> tuple[Macro, ...]:
        """The macros that see the current label."""
        return tuple(macro for macro in self.macros if macro.kind == "U")

    @property
    def bigrams(self) -> tuple[Macro, ...]:
        """The macros that see the previous and the current label."""
        return tuple(macro for macro in self.macros if macro.kind == "B")

    @property
    def width(self) -> int:
        """How many columns the tokens must have."""
        return 1 + max((cell.column for macro in self.macros for cell in macro.cells), default=-1)

    @property
    def reach(self) -> tuple[int, int]:
        """The smallest and the largest row looked at."""
        rows = [cell.row for macro in self.macros for cell in macro.cells] or [0]
        return min(rows), max(rows)

    def features(self, columns: Sequence[Sequence[str]]) -> list[list[str]]:
        """Return the unigram features of every token of a sentence, one text a macro.

        Examples
        --------
        >>> parse_template("U0:%x[0,0]\\nU1:%x[1,0]").features([["He", "ran"]])
        [['U0:He', 'U1:ran'], ['U0:ran', 'U1:_B+1']]
        """
        length = len(columns[0]) if columns else 0
        macros = self.unigrams
        return [[macro.expand(columns, place) for macro in macros] for place in range(length)]


def boundary(row: int, length: int) -> str:
    """Return what stands for a row outside a sentence of `length` tokens.

    Examples
    --------
    >>> boundary(-2, 5), boundary(5, 5)
    ('_B-2', '_B+1')
    """
    return f"_B{row}" if row < 0 else f"_B+{row - length + 1}"


def parse_template(text: str, file: str = "<template>") -> Template:
    """Return the template that a text describes.

    Parameters
    ----------
    text : str
    file : str
        The name for error messages.

    Raises
    ------
    FormatError
        With line and column.

    Examples
    --------
    >>> parse_template("U05:%x[-1,0]/%x[0,0]").macros[0].parts
    ('U05:', Cell(row=-1, column=0), '/', Cell(row=0, column=0))
    """
    lines = enumerate(text.removeprefix("\ufeff").split("\n"), 1)
    macros = [_macro(line.rstrip(), number, file) for number, line in lines if _counts(line)]
    if not macros:
        raise FormatError("the template has no line that starts with U or B", file=file)
    return Template(tuple(macros))


def read_template(source: Source, encoding: str = "utf-8") -> Template:
    """Read a template file; see :func:`parse_template`.

    Examples
    --------
    >>> import io
    >>> len(read_template(io.BytesIO(b"U0:%x[0,0]\\nB\\n")).macros)
    2
    """
    text = "\n".join(line for _, line in read_lines(source, encoding))
    return parse_template(text, source_name(source))


def _counts(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def _macro(line: str, number: int, file: str) -> Macro:
    kind = line[0]
    if kind not in ("U", "B"):
        message = f"a template line starts with U, B or #, not with {kind!r}"
        raise FormatError(message, file=file, line=number, column=1)
    parts: list[str | Cell] = []
    done = 0
    while (at := line.find("%", done)) >= 0:
        match = _CELL.match(line, at)
        if match is None:
            message = "expected %x[row,column] with whole numbers, the column not negative"
            raise FormatError(message, file=file, line=number, column=at + 1)
        cell = Cell(int(match[1]), int(match[2]))
        if abs(cell.row) > MAX_ROW:
            message = f"row {cell.row} is too far away; a template reaches {MAX_ROW} tokens"
            raise FormatError(message, file=file, line=number, column=at + 1)
        parts += [line[done:at], cell] if at > done else [cell]
        done = match.end()
    if done < len(line):
        parts.append(line[done:])
    return Macro("U" if kind == "U" else "B", tuple(parts), number)
