"""Attribute-value data: reading and writing files of C4.5 and TiMBL (SPEC D-11)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Literal

from linnet.data.files import Source, source_name, write_atomically
from linnet.data.formats.c45 import Names, format_row, names_beside, parse_names, parse_rows
from linnet.errors import DataError, FormatError, ParameterError

__all__ = ["AttributeRows", "read_attributes", "write_attributes"]


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
    lines, values = parse_rows(source, separator)
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
    rows = [_declared(row, declared, file, n) for n, row in zip(lines, rows, strict=True)]
    labels = [_label(label, declared, file, n) for n, label in zip(lines, labels, strict=True)]
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
                out.write(format_row(values, separator))
        except ValueError as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"There must be one label for each row: {error}.") from None


def _declared(row: list[Any], names: Names, file: str, line: int) -> list[Any]:
    """Return a row as its names file describes it."""
    if len(row) != len(names.kinds):
        raise FormatError(
            f"the names file declares {len(names.kinds)} attributes, the row has {len(row)}",
            file=file, line=line,
        )  # fmt: skip
    read: list[Any] = []
    for value, (name, kind) in zip(row, names.kinds.items(), strict=True):
        if kind == "ignore":
            continue
        allowed = names.attributes[name]
        if value is not None and kind == "numeric":
            try:
                value = float(value)
            except ValueError:
                raise FormatError(
                    f"attribute {name!r} is continuous, but the value is {value!r}",
                    file=file, line=line,
                ) from None  # fmt: skip
        elif value is not None and allowed and value not in allowed:
            raise FormatError(f"attribute {name!r} has no value {value!r}", file=file, line=line)
        read.append(value)
    return read


def _label(value: str, names: Names, file: str, line: int) -> str:
    if value in names.classes:
        return value
    if value.removesuffix(".") in names.classes:
        return value.removesuffix(".")
    raise FormatError(f"there is no class {value!r} in the names file", file=file, line=line)
