"""Files of rows: telling them from others, reading them for a model, what they hold, writing them.

A file is one of rows exactly where ``linnet train`` would take it for one.
"""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.cli.kinds import head_as_utf8, opened
from linnet.cli.kinds.labelled import tell
from linnet.cli.shared.console import count, grid, label_table, print_sample, printable, shown
from linnet.data.formats.common import Plan
from linnet.data.formats.rows import rows_by_plan
from linnet.data.recognise_rows import sniff_rows
from linnet.data.rows import ROW_FORMATS
from linnet.errors import DataError, FormatError, LinnetError, ParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from linnet.cli.kinds import Recognised
    from linnet.data.rows import RowFile

__all__ = [
    "ROW_FORMATS",
    "convert",
    "find_rows",
    "model_plan",
    "print_summary",
    "read_like_training",
    "row_format",
    "rows_of_strings",
    "summarise",
]

_SUFFIXES = {".data": "c45", ".test": "c45", ".csv": "table"}
_BLOCK = 4096


def find_rows(
    data: str, source: Any, reading: dict[str, Any], ignore: Sequence[str] | None
) -> tuple[Any, Plan | None]:
    """Return what to read the data from, and how to read its rows if it holds any.

    Parameters
    ----------
    data : str
        A file; ``-`` is standard input.
    source : path or file
        What has been opened of it.
    reading : dict
        The options format, text, label and encoding.
    ignore : list of str, optional
        Columns to leave out; with any, the file is one of rows.
    """
    format = reading["format"]
    asked = format in ROW_FORMATS or bool(ignore)
    if not asked and (format is not None or reading["text"] is not None):
        return source, None
    if isinstance(source, str):
        source, head = opened(data)
    else:
        head = source.head
    if not head:
        if asked:
            raise FormatError("the file is empty", file=shown(data))
        return source, None
    wanted = format if format in ROW_FORMATS else "table" if format in ("csv", "tsv") else None
    try:
        plan = sniff_rows(
            head_as_utf8(head, reading["encoding"]),
            shown(data),
            format=wanted,
            label=reading["label"],
            ignore=ignore,
        )
    except LinnetError:
        if asked:
            raise
        return source, None  # those who read it say better what is wrong
    mark = reading.get("delimiter")
    if plan is not None and mark not in (None, plan.delimiter):
        if asked:
            raise DataError(f"the rows of {shown(data)} do not stand between {mark!r}")
        return source, None
    return source, plan


def model_plan(model: Any) -> Plan:
    """Return how files for a model are read: like its training file, else as a table."""
    from linnet.model.readers.rows import plan_from

    if model.reading is not None:
        return plan_from(model.reading, model.names)
    names = tuple(model.names)
    return Plan("<training file>", "table", ",", header=True, columns=names, quoting=True)


def read_like_training(
    model: Any, data: Any, reading: dict[str, Any], *, label: str | None = None
) -> RowFile:
    """Read rows for a model from a file; the class may be absent."""
    plan = model_plan(model)
    if label is not None:
        if not plan.header:
            raise DataError("--label names a column of a file with a header; leave it out")
        plan = replace(plan, columns=(*plan.used, label), label=label, ignored=())
    format = reading.get("format")
    if format is not None and format != plan.format:
        raise DataError(f"the model reads files of the format {plan.format}, not {format}")
    options = {name: reading[name] for name in ("encoding", "errors") if name in reading}
    file = rows_by_plan(data, plan, **options)
    return file.with_numbers(dict(zip(model.names, model.kinds, strict=True)))


def rows_of_strings(model: Any, strings: Sequence[str]) -> RowFile:
    """Read rows from lines like those of the training file, without a header."""
    plan = model_plan(model)
    plain = replace(plan, format="columns" if plan.delimiter == " " else "c45", header=False)
    block = io.BytesIO("".join(line.replace("\n", " ") + "\n" for line in strings).encode())
    block.name = "<string>"
    try:
        file = rows_by_plan(block, plain)
    except FormatError as error:
        example = (plan.delimiter or ",").join(model.names)
        raise FormatError(f"{error}; a row looks like {example!r}") from None
    return file.with_numbers(dict(zip(model.names, model.kinds, strict=True)))


def summarise(recognised: Recognised, rows: int, reading: dict[str, Any]) -> dict[str, Any]:
    """Return what a file of rows holds, as plain values, with some rows as samples."""
    file = _rows_of(recognised, reading)
    table = file.with_numbers().table
    columns = []
    for name, values in zip(table.names, table.values, strict=True):
        there = [v for v in values if v is not None and v == v]
        numeric = isinstance(values, np.ndarray)
        column: dict[str, Any] = {"name": name, "kind": "numeric" if numeric else "symbolic"}
        column |= {"values": len(set(there)), "missing": len(values) - len(there)}
        if numeric:
            column |= {"least": float(min(there)), "most": float(max(there))}
        columns.append(column)
    sample = []
    for row in range(min(rows, len(file))):
        cells = dict(zip(file.table.names, file.table.row(row), strict=True))
        label = {} if file.labels is None else {"label": file.labels[row]}
        sample.append({"line": int(file.lines[row]), **label, "values": cells})
    return {
        "name": file.file,
        "kind": "row",
        "decisions": list(file.decisions),
        "examples": len(file),
        "columns": columns,
        "labels": dict(Counter(file.labels or []).most_common()),
        "sample": sample,
    }


def print_summary(console: Console, summary: dict[str, Any]) -> None:
    """Print what :func:`summarise` returns."""
    from rich.text import Text

    for sentence in summary["decisions"]:
        console.print(f"· {sentence}", style="dim")
    console.print(f"{count(summary['examples'])} rows, {count(len(summary['columns']))} columns")
    table = grid(["column", "kind"], ["values", "missing"], ["range"])
    for one in summary["columns"]:
        bounds = f"{one['least']:g} to {one['most']:g}" if "least" in one else ""
        figures = (count(one[name]) for name in ("values", "missing"))
        table.add_row(Text(printable(one["name"])), one["kind"], *figures, bounds)
    console.print(table)
    console.print(label_table(summary["labels"]) if summary["labels"] else "no labels")
    if summary["sample"]:
        known = ("line", "label") if summary["labels"] else ("line",)
        rows = [{name: row[name] for name in known} | row["values"] for row in summary["sample"]]
        print_sample(console, rows)


def convert(
    recognised: Recognised,
    target: str,
    format: str | None,
    reading: dict[str, Any],
    safe_csv: bool,
    quiet: bool,
    counted: Callable[[str, int], None],
) -> dict[str, Any]:
    """Write rows as other rows, or as bags of features; return what was decided and done."""
    file = _rows_of(recognised, reading)
    tell(recognised.data, file.decisions, quiet)
    return {
        "input": recognised.data,
        "output": target,
        "format": "rows",
        "examples": _write_rows(file, target, format, safe_csv=safe_csv),
        "decisions": list(file.decisions),
    }


def _rows_of(recognised: Recognised, reading: dict[str, Any]) -> RowFile:
    """Return the rows of a file, values as text."""
    options = {name: reading[name] for name in ("encoding", "errors")}
    return rows_by_plan(recognised.source, recognised.plan, **options)


def row_format(target: str, format: str | None) -> str | None:
    """Return the format of rows that a file is written in; None for a format of examples."""
    chosen = format or _SUFFIXES.get(os.path.splitext(target)[1])
    return chosen if chosen in ROW_FORMATS else None


def _write_rows(file: RowFile, target: str, format: str | None, *, safe_csv: bool = False) -> int:
    """Write rows in a format of rows, or as bags of ``column=value`` in any other; return how many.

    Parameters
    ----------
    file : RowFile
    target : str
        A path; ``-`` is standard output.
    format : str, optional
        By default what the target's suffix says: ``.data`` is C4.5, ``.csv`` a table.
    safe_csv : bool
        Whether cells of a table that a spreadsheet would take for formulas get an apostrophe.
    """
    chosen = row_format(target, format)
    if chosen is None:
        _write_bags(file, target, format, safe_csv)
        return len(file)
    if file.labels is None:
        raise DataError(f"{file.file} has no class to write; name its column with --label")
    if chosen == "table":
        _write_table(file, target, safe_csv)
        return len(file)
    if safe_csv:
        raise ParameterError(f"only CSV has a safe form, and {target} becomes {chosen}")
    if target == "-":
        raise ParameterError("rows are written to a file; name one instead of -")
    from linnet.data import write_attributes

    separator = "comma" if chosen == "c45" else "columns"
    write_attributes(target, file.table.rows(), file.labels, separator=separator)  # type: ignore[arg-type]
    return len(file)


def _write_table(file: RowFile, target: str, safe: bool) -> None:
    from linnet.data import write_atomically
    from linnet.data.formats.cells import csv_cell

    taken = file.table.names
    name = next(n for n in ("class", "label", "class_") if n not in taken)
    rows = zip(file.table.rows(), file.labels or [], strict=True)
    with write_atomically(target) as out:
        for cells in chain([[*taken, name]], ([*row, label] for row, label in rows)):
            texts = ("?" if cell is None else str(cell) for cell in cells)
            out.write(",".join(csv_cell(text, ",", safe=safe) for text in texts) + "\n")


def _write_bags(file: RowFile, target: str, format: str | None, safe_csv: bool) -> None:
    from linnet.data.examples import Examples
    from linnet.data.writing import example_writer

    with example_writer(target, format, safe_csv=safe_csv) as write:
        bags = list(_bags(file))
        for at in range(0, len(bags), _BLOCK):
            part = slice(at, at + _BLOCK)
            labels = None if file.labels is None else file.labels[part]
            write(Examples("bag", bags[part], labels, "rows", file.lines[part]))


def _bags(file: RowFile) -> Iterator[dict[str, float]]:
    """Yield each row as features: a number under its column, a symbol as ``column=value``."""
    table = file.with_numbers().table
    numeric = [isinstance(values, np.ndarray) for values in table.values]
    for row in table.rows():
        yield {
            (name if number else f"{name}={value}"): (float(value) if number else 1.0)
            for name, value, number in zip(table.names, row, numeric, strict=True)
            if value is not None and value == value
        }
