"""Lines of attribute values with the class last, as C4.5 and TiMBL have them (SPEC D-11).

    =,=,=,=,+,k,e,=,-,r,@,l,T          "comma": values between commas (C4.5)
    join board as director V           "columns": values between blanks

Values are kept as they stand, blanks around them taken away; ``?`` is a missing value where the
caller says so. Blank lines are skipped, and so is a C4.5 comment, a line that begins with ``|``.
The full stop that ends some C4.5 lines is dropped when the names file has the class without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Literal

from linnet.data.files import Source, source_name, write_atomically
from linnet.data.formats.blocks import read_lines
from linnet.data.formats.common import Mistake
from linnet.data.rows import names_beside, parse_names
from linnet.errors import DataError, FormatError, ParameterError

__all__ = [
    "AttributeRows",
    "parse_rows",
    "read_attributes",
    "write_attributes",
]

Row = list[str]


def _separator(line: str) -> str:
    """Return "comma" when the line has one, else "columns"."""
    return "comma" if "," in line else "columns"


def parse_rows(
    lines: list[tuple[int, str]], file: str, separator: str | None
) -> tuple[Sequence[int], list[Row]]:
    """Return line numbers and values of the rows; all must have as many as the first."""
    rows = _parse_even([text for _, text in lines], separator)
    if rows is not None:
        return range(1, len(rows) + 1), rows
    numbers: list[int] = []
    rows = []
    for number, line in lines:
        text = line.strip()
        if not text or text.startswith("|"):
            continue
        separator = separator or _separator(text)
        rows.append(_parse_row(text, separator, len(rows[0]) if rows else 0, file, number))
        numbers.append(number)
    return numbers, rows


def _parse_even(lines: list[str], separator: str | None) -> list[Row] | None:
    """Return the values of lines between blanks, when nothing is remarkable in any of them."""
    if not lines or (separator or _separator(lines[0])) == "comma":
        return None
    rows = list(map(str.split, lines))
    width = len(rows[0])
    if width < 2 or set(map(len, rows)) != {width} or any(row[0][0] == "|" for row in rows):
        return None
    return rows


def _parse_row(text: str, separator: str, width: int, file: str, line: int) -> Row:
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
        raise FormatError(wrong, file=file, line=line)
    return values


@dataclass(frozen=True, repr=False)
class AttributeRows:
    """Rows of attribute values and their classes.

    Attributes
    ----------
    rows : list of lists
        Text, floats where a names file says continuous, None where missing.
    labels : list of str
    names : list of str
        x0, x1, … without a names file.
    """

    rows: list[list[Any]]
    labels: list[str]
    names: list[str]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"AttributeRows({len(self)} rows, {len(self.names)} attributes)"


def read_attributes(
    source: Source,
    *,
    separator: Literal["comma", "columns"] | None = None,
    names: str | PathLike[str] | None = None,
    skip: int = 0,
    missing: str | None = "?",
) -> AttributeRows:
    """Read examples as C4.5 and TiMBL do: one a line, the class last, symbols unless declared.

    :func:`read_rows` finds out more by itself: headers, numbers, the column of the class.

    Parameters
    ----------
    source : path or file
        Plain, ``.gz`` or ``.zst``; ``-`` is standard input.
    separator : {"comma", "columns"}, optional
        By default commas if the first line has one, else blanks.
    names : path, optional
        A C4.5 names file. By default that beside a ``.data`` or ``.test`` file, if there is one.
    skip : int, default 0
        How many columns to leave out in front, such as a running number.
    missing : str or None, default "?"
        The value that stands for a missing one; None for no such value.

    Returns
    -------
    AttributeRows

    Raises
    ------
    FormatError
        With file and line, for rows of other lengths, values that are not declared or not
        numbers, or a file without examples.

    Examples
    --------
    >>> import io
    >>> data = read_attributes(io.StringIO("sunny,21,go\\nrain,?,stay\\n"))
    >>> data.rows, data.labels
    ([['sunny', '21'], ['rain', None]], ['go', 'stay'])
    """
    if skip < 0 or separator not in (None, "comma", "columns"):
        raise ParameterError("separator is None, 'comma' or 'columns', and skip is not negative.")
    file = source_name(source)
    beside = names_beside(source) if names is None else fspath(names)
    declared = None if beside is None else parse_names(beside)
    lines, values = parse_rows(list(read_lines(source)), file, separator)
    if not values:
        raise FormatError("the file has no example", file=file)
    if len(values[0]) < skip + 2:
        raise FormatError(
            f"expected more than {skip + 1} values, found {len(values[0])}",
            file=file, line=lines[0],
        )  # fmt: skip
    labels = [row[-1] for row in values]
    rows: list[list[Any]] = [row[skip:-1] for row in values]
    if missing is not None:
        rows = [[None if v == missing else v for v in row] if missing in row else row
                for row in rows]  # fmt: skip
    if declared is None:
        return AttributeRows(rows, labels, [f"x{j}" for j in range(len(rows[0]))])
    for place, line in enumerate(lines):
        try:
            rows[place] = declared.row(rows[place])
            labels[place] = declared.label(labels[place])
        except Mistake as mistake:
            raise mistake.at(file, line) from None
    kept = [name for name, kind in declared.kinds.items() if kind != "ignore"]
    return AttributeRows(rows, labels, kept)


def write_attributes(
    path: str | PathLike[str],
    rows: Iterable[Sequence[Any]],
    labels: Iterable[Any],
    *,
    separator: Literal["comma", "columns"] = "comma",
) -> None:
    """Write examples as :func:`read_attributes` reads them; None is written as ``?``.

    Raises
    ------
    DataError
        When rows and labels differ in number, rows differ in length, or a value holds the
        separator.
    """
    width = None
    with write_atomically(path) as out:
        try:
            for row, label in zip(rows, labels, strict=True):
                values = ["?" if v is None or v != v else str(v) for v in row] + [str(label)]
                if width not in (None, len(values)):
                    raise DataError("The rows differ in length; each needs the same attributes.")
                width = len(values)
                out.write(_line(values, separator))
        except ValueError as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"There must be one label for each row: {error}.") from None


def _line(values: Row, separator: str) -> str:
    """Return the line of a row; a value that the format cannot hold is refused."""
    for value in values:
        broken = "," in value or "\n" in value if separator == "comma" else value.split() != [value]
        if broken or not value.strip():
            raise DataError(
                f"The value {value!r} cannot be written in the format {separator!r}; use the other "
                "one, or replace its commas or blanks."
            )
    return ("," if separator == "comma" else " ").join(values) + "\n"
