"""Lines of attribute values with the class last, as C4.5 and TiMBL have them (SPEC D-11).

    =,=,=,=,+,k,e,=,-,r,@,l,T          "comma": values between commas (C4.5)
    join board as director V           "columns": values between blanks

Values are kept as they stand, blanks around them taken away; ``?`` is a missing value where the
caller says so. Blank lines are skipped, and so is a C4.5 comment, a line that begins with ``|``.
The full stop that ends some C4.5 lines is dropped when the names file has the class without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path

from linnet.data.files import Source, read_lines, source_name
from linnet.errors import DataError, FormatError

__all__ = ["Names", "format_row", "names_beside", "parse_names", "parse_rows", "sniff_separator"]

Row = list[str]


@dataclass(frozen=True)
class Names:
    """What a C4.5 ``.names`` file declares.

    Attributes
    ----------
    classes : list of str
    attributes : dict
        From name to the allowed values; empty for continuous and discrete ones.
    kinds : dict
        From name to "numeric", "symbolic" or "ignore".
    """

    classes: list[str]
    attributes: dict[str, list[str]] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)


def sniff_separator(line: str) -> str:
    """Return "comma" when the line has one, else "columns"."""
    return "comma" if "," in line else "columns"


def parse_rows(source: Source, separator: str | None) -> tuple[Sequence[int], list[Row]]:
    """Return line numbers and values of the rows; all must have as many as the first."""
    lines = list(read_lines(source))
    rows = _parse_even([text for _, text in lines], separator)
    if rows is not None:
        return range(1, len(rows) + 1), rows
    numbers: list[int] = []
    rows = []
    for number, line in lines:
        text = line.strip()
        if not text or text.startswith("|"):
            continue
        separator = separator or sniff_separator(text)
        rows.append(_parse_row(text, separator, len(rows[0]) if rows else 0, source, number))
        numbers.append(number)
    return numbers, rows


def _parse_even(lines: list[str], separator: str | None) -> list[Row] | None:
    """Return the values of lines between blanks, when nothing is remarkable in any of them."""
    if not lines or (separator or sniff_separator(lines[0])) == "comma":
        return None
    rows = list(map(str.split, lines))
    width = len(rows[0])
    if width < 2 or set(map(len, rows)) != {width} or any(row[0][0] == "|" for row in rows):
        return None
    return rows


def _parse_row(text: str, separator: str, width: int, source: Source, line: int) -> Row:
    """Return the values of a line; `width` is the number expected, 0 for the first line."""
    values = [v.strip() for v in text.split(",")] if separator == "comma" else text.split()
    wrong = None
    if width == 0 and len(values) < 2:
        wrong = (
            "expected attribute values and a class, found one value; the separator is "
            '"comma" or "columns"'
        )
    elif width and len(values) != width:
        wrong = f"expected {width} values as in the first row, found {len(values)}"
    elif "" in values:
        wrong = f"value {values.index('') + 1} is empty; write ? for a missing value"
    if wrong is not None:
        raise FormatError(wrong, file=source_name(source), line=line)
    return values


def names_beside(source: Source) -> str | None:
    """Return the names file beside a ``.data`` or ``.test`` file, if there is one."""
    if not isinstance(source, (str, PathLike)):
        return None
    path = Path(fspath(source))
    beside = path.with_suffix(".names")
    return str(beside) if path.suffix in (".data", ".test") and beside.is_file() else None


def parse_names(source: Source) -> Names:
    """Read a C4.5 names file: the classes, then ``attribute: values.`` one after the other."""
    name = source_name(source)
    found: Names | None = None
    for number, line in read_lines(source):
        text = line.split("|", 1)[0].strip()
        if not text:
            continue
        text = text.removesuffix(".")
        if found is None:
            found = Names([value.strip() for value in text.split(",")])
            continue
        attribute, colon, declared = text.partition(":")
        values = [value.strip() for value in declared.split(",") if value.strip()]
        if not colon or not attribute.strip() or not values:
            raise FormatError("expected attribute: value, value, ...", file=name, line=number)
        key, kind = attribute.strip(), "symbolic"
        if len(values) == 1 and values[0].split()[0] in ("continuous", "discrete", "ignore"):
            kind = {"continuous": "numeric", "discrete": "symbolic", "ignore": "ignore"}[
                values[0].split()[0]
            ]
            values = []
        if key in found.kinds:
            raise FormatError(f"attribute {key!r} is declared twice", file=name, line=number)
        found.attributes[key], found.kinds[key] = values, kind
    if found is None:
        raise FormatError("the file is empty; expected the classes", file=name)
    return found


def format_row(values: Row, separator: str) -> str:
    """Return the line of a row; a value that the format cannot hold is refused."""
    for value in values:
        broken = "," in value or "\n" in value if separator == "comma" else value.split() != [value]
        if broken or not value.strip():
            raise DataError(
                f"The value {value!r} cannot be written in the format {separator!r}; use the other "
                "one, or replace its commas or blanks."
            )
    return ("," if separator == "comma" else " ").join(values) + "\n"
