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
from dataclasses import dataclass

from linnet.data._roles import LABEL_NAMES, TEXT_NAMES, has_header
from linnet.data._sequences import sequence_file
from linnet.data.formats import bare_suffix, format_of_suffix
from linnet.data.formats._cells import parse_cells
from linnet.data.sniff import by_content, sample_lines
from linnet.errors import FormatError, ParameterError

__all__ = ["ROW_FORMATS", "RowPlan", "sniff_rows"]

ROW_FORMATS = ("c45", "columns", "table")

_MARKS = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "blanks"}
_FEW = 10  # lines; fewer say nothing about a file without a separator
_LONG = 40  # characters of a value, on average; more is text
_CLASSES = 100  # of a file without a separator

Rows = list[list[str]]


@dataclass(frozen=True)
class RowPlan:
    """How a file of rows is read, by training and by those who use the model.

    Attributes
    ----------
    format : {"c45", "columns", "table"}
    mark : str
        The separator; a blank stands for any white space.
    quoting : bool
        Whether cells may be quoted.
    names : tuple of str
        All columns of the file: those of its header, else c1, c2, ….
    label : str or None
        The column of the class.
    ignored : tuple of str
        Columns that are not read.
    decisions : tuple of str
    """

    format: str
    mark: str
    quoting: bool
    names: tuple[str, ...]
    label: str | None
    ignored: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()

    @property
    def header(self) -> bool:
        """Whether the file begins with the names of its columns."""
        return self.format == "table"

    @property
    def used(self) -> list[str]:
        """The columns to learn from."""
        return [name for name in self.names if name != self.label and name not in self.ignored]


def sniff_rows(
    first_block: bytes,
    name: str,
    *,
    format: str | None = None,
    label: str | None = None,
    ignore: Sequence[str] | None = None,
) -> RowPlan | None:
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
    sample = sample_lines(first_block)
    lines = [line for line in sample if line.strip() and line[0] != "|"]
    asked = format is not None or bool(ignore)
    if not lines or (not asked and not _may_be_rows(sample, lines, name)):
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


def _may_be_rows(sample: list[str], lines: list[str], name: str) -> bool:
    plain = format_of_suffix(name) in (None, "text", "labelled", "csv", "tsv")
    return plain and by_content(lines) is None and not sequence_file(sample, bare_suffix(name))


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
    spans = iter(zip(cells.start.tolist(), cells.end.tolist(), strict=True))
    return [
        [cells.block[a:b].decode().strip() for a, b in (next(spans) for _ in range(width))]
        for width in cells.widths.tolist()
    ]


def _plan(
    rows: Rows,
    mark: str,
    quoting: bool,
    name: str,
    format: str | None,
    label: str | None,
    ignore: Sequence[str] | None,
) -> RowPlan:
    header, why = format == "table", "as asked for"
    if format is None and mark != " ":
        header, why = has_header(rows)
    names = tuple(rows[0]) if header else tuple(f"c{j}" for j in range(1, len(rows[0]) + 1))
    if len(set(names)) < len(names):
        twice = next(one for one in names if names.count(one) > 1)
        raise FormatError(f"the header names two columns {twice!r}; rename one", file=name, line=1)
    chosen = format or ("table" if header else "columns" if mark == " " else "c45")
    said = [
        f"rows of values ({chosen}): each line has {len(names)} between {_MARKS[mark]}",
        *([why] if format is None and mark != " " else []),
    ]
    if label is not None:
        place, reason = _column(label, names, name), "as asked for"
    else:
        known = [one for one in names if header and one.casefold() in LABEL_NAMES]
        place, reason = (known[0], "by its name") if known else (names[-1], "the last one")
    said.append(f"the class is column {place}: {reason}")
    ignored, reason = _ignored(ignore, names, rows[int(header) :], name)
    if ignored:
        said.append(f"not read: column {', '.join(ignored)}{reason}")
    if place in ignored or len(names) - len(ignored) < 2:
        raise ParameterError("no column is left to learn from, or the class itself is ignored")
    return RowPlan(chosen, mark, quoting, names, place, ignored, tuple(said))


def _column(wish: str, names: Sequence[str], file: str) -> str:
    """Return the name of a column given by name, or by number from 1 or from the end."""
    if wish in names:
        return wish
    try:
        number = int(wish)
    except ValueError:
        listed = ", ".join(names)
        raise FormatError(f"there is no column {wish!r}; there are {listed}", file=file) from None
    if not 1 <= abs(number) <= len(names):
        raise FormatError(
            f"there is no column {wish}: the file has {len(names)}, numbered from 1; -1 is the "
            "last one",
            file=file,
        )
    return names[number - 1 if number > 0 else number]


def _ignored(
    ignore: Sequence[str] | None, names: Sequence[str], rows: Rows, file: str
) -> tuple[tuple[str, ...], str]:
    if ignore:
        wishes = [] if list(ignore) == ["none"] else [_column(one, names, file) for one in ignore]
        return tuple(dict.fromkeys(wishes)), ", as asked for"
    if len(names) > 3 and _counts_up([row[0] for row in rows]):
        return (names[0],), ", a running number (--ignore none reads it)"
    return (), ""


def _counts_up(values: list[str]) -> bool:
    """Tell a running number: whole, never falling, hardly ever twice."""
    if len(values) < _FEW or not all(value.isdecimal() and value.isascii() for value in values):
        return False
    numbers = [int(value) for value in values]
    return numbers == sorted(numbers) and 2 * len(set(numbers)) > len(numbers)


def _are_values(rows: Rows, plan: RowPlan) -> bool:
    """Tell rows of values from texts: short, without blanks, the classes few."""
    if not rows or plan.label is None:
        return False
    classes = {row[plan.names.index(plan.label)] for row in rows}
    if plan.mark == " " and (len(rows) < _FEW or len(classes) > min(_CLASSES, len(rows) / 4)):
        return False
    if len(classes) > max(2.0, len(rows) / 2):
        return False
    if any(name.casefold() in TEXT_NAMES for name in plan.names if plan.header):
        return False
    for column in plan.used:
        values = [row[plan.names.index(column)] for row in rows]
        spaced = sum(" " in value for value in values)
        if 2 * spaced > len(values) or sum(map(len, values)) > _LONG * len(values):
            return False
    return True


def columns_given(plan: RowPlan, names: Sequence[str], file: str) -> list[str]:
    """Return which columns of the plan a line has; the class, and what is ignored, may be absent.

    Examples
    --------
    >>> plan = RowPlan("c45", ",", False, ("c1", "c2", "c3"), "c3")
    >>> columns_given(plan, ["a", "b"], "new.data")
    ['c1', 'c2']
    """
    if plan.header:
        absent = [name for name in plan.used if name not in names]
        if absent:
            listed = ", ".join(names)
            raise FormatError(
                f"there is no column {absent[0]!r}, which the model reads; there are {listed}",
                file=file,
                line=1,
            )
        return list(names)
    without = [name for name in plan.names if name != plan.label]
    for given in (list(plan.names), without, plan.used):
        if len(names) == len(given):
            return given
    raise FormatError(
        f"the row has {len(names)} values; the model reads {len(plan.used)}, with the class "
        f"{len(plan.names)} in all",
        file=file,
        line=1,
    )
