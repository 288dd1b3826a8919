"""Whether a file holds rows of attribute values, and which column is the class.

Such a file is one of

==========  =======================================================================================
c45         ``=,=,+,k,e,T``: values between commas, no header; C4.5 and TiMBL write it
columns     ``join board as director V``: values between blanks, no header
table       a header, then values between commas, semicolons or tabs
==========  =======================================================================================

With nothing else known it is taken for one when all lines have the same number of short values,
three at least, no column reads like text, and the class column has values that repeat. All that
was decided is said in words.
"""

from __future__ import annotations

from collections.abc import Sequence

from linnet.data.formats import format_of_suffix
from linnet.data.formats.cells import parse_cells
from linnet.data.formats.common import Plan
from linnet.data.recognise import Sample
from linnet.data.roles import (
    LABEL_NAMES,
    TEXT_NAMES,
    has_header,
    ignored_columns,
    refuse_twins,
    row_column,
)
from linnet.data.rows import ROW_FORMATS
from linnet.errors import FormatError, ParameterError

__all__ = ["sniff_rows"]

_MARKS = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "blanks"}
_FEW = 10  # lines; fewer say nothing about a file without a separator
_LONG = 40  # characters of a value, on average; more is text
_CLASSES = 100  # of a file without a separator

Rows = list[list[str]]


def sniff_rows(
    first_block: bytes,
    name: str,
    *,
    format: str | None = None,
    label: str | None = None,
    ignore: Sequence[str] | None = None,
) -> Plan | None:
    """Find out how to read a file of rows; None when it does not look like one.

    Parameters
    ----------
    first_block : bytes
        The start of the file, unpacked: whole lines.
    name : str
        The file's name.
    format : {"c45", "columns", "table"}, optional
        Take it for such a file, whatever it looks like.
    label : str, optional
        The column of the class: a name, or a number from 1, negative from the end.
    ignore : sequence of str, optional
        Columns to leave out, named in the same way; with any, the file is one of rows.

    Examples
    --------
    >>> plan = sniff_rows(b"sunny,21,go\\nrain,12,stay\\nsunny,19,go\\n", "weather.data")
    >>> plan.format, plan.used, plan.label
    ('c45', ['c1', 'c2'], 'c3')
    """
    if format is not None and format not in ROW_FORMATS:
        raise ParameterError(f"rows have the format {', '.join(ROW_FORMATS)}, not {format!r}")
    sample = Sample(name, first_block)
    lines = [line for line in sample.filled if line[0] != "|"]
    asked = format is not None or bool(ignore)
    if not lines or (not asked and not _may_be_rows(sample)):
        return None
    tabs = all("\t" in line for line in lines)
    for mark in _marks(format):
        if tabs and mark != "\t" and not asked:
            continue  # what stands between tabs may hold any other mark
        rows, quoting = _split(lines, mark)
        if not rows or len(rows[0]) < (2 if asked else 3):
            continue
        plan = _plan(rows, mark, quoting, name, format, label, ignore)
        if asked or _are_values(rows[int(plan.header) :], plan):
            return plan
    if asked:
        what = f"{format} rows" if format is not None else "rows of values"
        raise FormatError(
            f"the lines are not {what}: they have no separator that cuts each of them into the "
            "same number of values",
            file=name,
        )
    return None


def _may_be_rows(sample: Sample) -> bool:
    plain = format_of_suffix(sample.name) in (None, "text", "labelled", "csv", "tsv")
    return plain and sample.content is None and sample.sentences is None


def _marks(format: str | None) -> str:
    return {"c45": ",", "columns": " ", "table": ",;\t"}.get(format or "", ",;\t ")


def _split(lines: list[str], mark: str) -> tuple[Rows, bool]:
    """Return the values of each line; nothing when lines have different numbers of them."""
    if mark == " ":
        rows, quoting = [line.split() for line in lines], False
    else:
        rows = [[cell.strip() for cell in line.split(mark)] for line in lines]
        quoted = [cell for row in rows for cell in row if cell.startswith('"')]
        quoting = bool(quoted) and mark != "\t" and all(c.count('"') % 2 == 0 for c in quoted)
        if quoting or (quoted and len({len(row) for row in rows}) > 1):
            rows, quoting = _quoted(lines, mark), True
    return (rows if len({len(row) for row in rows}) == 1 else []), quoting


def _quoted(lines: list[str], mark: str) -> Rows:
    try:
        cells = parse_cells("\n".join(lines).encode(), 1, "", mark, True, final=True)
    except FormatError:
        return []
    return [[cell.strip() for cell in row] for row in cells.rows()]


def _plan(
    rows: Rows,
    mark: str,
    quoting: bool,
    name: str,
    format: str | None,
    label: str | None,
    ignore: Sequence[str] | None,
) -> Plan:
    header, why = format == "table", "as asked for"
    if format is None and mark != " ":
        header, why = has_header(rows)
    names = tuple(rows[0]) if header else tuple(f"c{j}" for j in range(1, len(rows[0]) + 1))
    refuse_twins(names, name, 1)
    chosen = format or ("table" if header else "columns" if mark == " " else "c45")
    said = [
        f"rows of values ({chosen}): each line has {len(names)} between {_MARKS[mark]}",
        *([why] if format is None and mark != " " else []),
    ]
    if label is not None:
        place, reason = row_column(label, names, name), "as asked for"
    else:
        known = [one for one in names if header and one.casefold() in LABEL_NAMES]
        place, reason = (known[0], "by its name") if known else (names[-1], "the last one")
    said.append(f"the class is column {place}: {reason}")
    ignored, reason = ignored_columns(ignore, names, rows[int(header) :], name)
    if ignored:
        said.append(f"not read: column {', '.join(ignored)}{reason}")
    if place in ignored or len(names) - len(ignored) < 2:
        raise ParameterError("no column is left to learn from, or the class itself is ignored")
    return Plan(
        name,
        chosen,
        mark,
        header=chosen == "table",
        columns=names,
        label=place,
        decisions=tuple(said),
        quoting=quoting,
        ignored=ignored,
    )


def _are_values(rows: Rows, plan: Plan) -> bool:
    """Tell rows of values from texts: short, without blanks, the classes few."""
    if not rows or plan.label is None:
        return False
    classes = {row[plan.columns.index(plan.label)] for row in rows}
    if plan.delimiter == " " and (len(rows) < _FEW or len(classes) > min(_CLASSES, len(rows) / 4)):
        return False
    if len(classes) > max(2.0, len(rows) / 2):
        return False
    if any(name.casefold() in TEXT_NAMES for name in plan.columns if plan.header):
        return False
    for column in plan.used:
        values = [row[plan.columns.index(column)] for row in rows]
        spaced = sum(" " in value for value in values)
        if 2 * spaced > len(values) or sum(map(len, values)) > _LONG * len(values):
            return False
    return True
