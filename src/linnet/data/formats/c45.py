"""Lines of attribute values with the class last, as C4.5 and TiMBL have them (SPEC D-11).

    =,=,=,=,+,k,e,=,-,r,@,l,T          "comma": values between commas (C4.5)
    join board as director V           "columns": values between blanks

Values are kept as they stand, blanks around them taken away; ``?`` is a missing value where the
caller says so. Blank lines are skipped, and so is a C4.5 comment, a line that begins with ``|``.
The full stop that ends some C4.5 lines is dropped when the names file has the class without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from linnet.data.files import Source, read_lines, source_name
from linnet.errors import DataError, FormatError

__all__ = ["Names", "format_row", "parse_names", "parse_rows", "sniff_separator"]

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


def parse_rows(source: Source, separator: str | None) -> Iterator[tuple[int, Row]]:
    """Yield line number and values of each row; all rows must have as many as the first."""
    name, width = source_name(source), 0
    for number, line in read_lines(source):
        text = line.strip()
        if not text or text.startswith("|"):
            continue
        separator = separator or sniff_separator(text)
        values = text.split(",") if separator == "comma" else text.split()
        values = [value.strip() for value in values]
        if not width:
            width = len(values)
            if width < 2:
                raise FormatError(
                    "expected attribute values and a class, found one value; the separator is "
                    '"comma" or "columns"', file=name, line=number,
                )  # fmt: skip
        if len(values) != width:
            raise FormatError(
                f"expected {width} values as in the first row, found {len(values)}",
                file=name, line=number,
            )  # fmt: skip
        if "" in values:
            raise FormatError(
                f"value {values.index('') + 1} is empty; write ? for a missing value",
                file=name, line=number,
            )  # fmt: skip
        yield number, values


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
