"""Files of rows for ``linnet data show`` and ``linnet convert``: what they hold, other spellings.

A file is one of rows exactly where ``linnet train`` would take it for one.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.cli.helpers import count
from linnet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from linnet.data.rows import RowFile

__all__ = ["print_row_summary", "row_format", "rows_in", "summarise_rows", "write_rows"]

_SUFFIXES = {".data": "c45", ".test": "c45", ".csv": "table"}
_BLOCK = 4096


def rows_in(data: str, reading: dict[str, Any]) -> RowFile | None:
    """Return the rows of a file, values as text, or None where it holds something else.

    Standard input is looked at only when a format of rows is named.
    """
    from linnet.cli.rows import find_rows
    from linnet.cli.tagging import open_sequences
    from linnet.data.formats.rows import rows_by_plan
    from linnet.data.rows import ROW_FORMATS

    named = reading["format"] in ROW_FORMATS
    if not named and (data == "-" or not os.path.isfile(data)):
        return None
    source: Any = data
    if not named:
        source, sequences = open_sequences(data, reading)
        if sequences is not None:
            return None
    source, plan = find_rows(data, source, reading, None)
    if plan is None:
        return None
    return rows_by_plan(source, plan, encoding=reading["encoding"], errors=reading["errors"])


def summarise_rows(found: RowFile, rows: int) -> dict[str, Any]:
    """Return what a file of rows holds, as plain values."""
    table = found.with_numbers().table
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
    for row in range(min(rows, len(found))):
        cells = dict(zip(found.table.names, found.table.row(row), strict=True))
        label = {} if found.labels is None else {"label": found.labels[row]}
        sample.append({"line": int(found.lines[row]), **label, "values": cells})
    return {
        "name": found.file,
        "kind": "row",
        "decisions": list(found.decisions),
        "examples": len(found),
        "columns": columns,
        "labels": dict(Counter(found.labels or []).most_common()),
        "sample": sample,
    }


def print_row_summary(console: Console, found: dict[str, Any]) -> None:
    """Print what :func:`summarise_rows` found."""
    from rich.table import Table
    from rich.text import Text

    from linnet.cli.datasets import label_table, printable

    for sentence in found["decisions"]:
        console.print(f"· {sentence}", style="dim")
    console.print(f"{count(found['examples'])} rows, {count(len(found['columns']))} columns")
    table = Table("column", "kind", "values", "missing", "range", box=None, pad_edge=False)
    for one in found["columns"]:
        bounds = f"{one['least']:g} to {one['most']:g}" if "least" in one else ""
        figures = (count(one[name]) for name in ("values", "missing"))
        table.add_row(Text(printable(one["name"])), one["kind"], *figures, bounds)
    console.print(table)
    console.print(label_table(found["labels"]) if found["labels"] else "no labels")
    if found["sample"]:
        names = list(found["sample"][0]["values"])
        shown = Table("line", *(["label"] if found["labels"] else []), *names, box=None)
        for row in found["sample"]:
            label = [row["label"]] if found["labels"] else []
            cells = ["?" if v is None else v for v in (*label, *row["values"].values())]
            shown.add_row(str(row["line"]), *(Text(printable(cell)) for cell in cells))
        console.print()
        console.print(shown)


def row_format(target: str, format: str | None) -> str | None:
    """Return the format of rows that a file is written in; None for a format of examples."""
    from linnet.data.rows import ROW_FORMATS

    chosen = format or _SUFFIXES.get(os.path.splitext(target)[1])
    return chosen if chosen in ROW_FORMATS else None


def write_rows(found: RowFile, target: str, format: str | None, *, safe_csv: bool = False) -> int:
    """Write rows in a format of rows, or as bags of ``column=value`` in any other; return how many.

    Parameters
    ----------
    found : RowFile
    target : str
        A path; ``-`` is standard output.
    format : str, optional
        By default what the target's suffix says: ``.data`` is C4.5, ``.csv`` a table.
    safe_csv : bool
        Whether cells of a table that a spreadsheet would take for formulas get an apostrophe.
    """
    chosen = row_format(target, format)
    if chosen is None:
        _write_bags(found, target, format, safe_csv)
        return len(found)
    if found.labels is None:
        raise DataError(f"{found.file} has no class to write; name its column with --label")
    if chosen == "table":
        _write_table(found, target, safe_csv)
        return len(found)
    if safe_csv:
        raise ParameterError(f"only CSV has a safe form, and {target} becomes {chosen}")
    if target == "-":
        raise ParameterError("rows are written to a file; name one instead of -")
    from linnet.data import write_attributes

    separator = "comma" if chosen == "c45" else "columns"
    write_attributes(target, found.table.rows(), found.labels, separator=separator)  # type: ignore[arg-type]
    return len(found)


def _write_table(found: RowFile, target: str, safe: bool) -> None:
    from linnet.data import write_atomically
    from linnet.data.formats.cells import csv_cell

    taken = found.table.names
    name = next(n for n in ("class", "label", "class_") if n not in taken)
    rows = zip(found.table.rows(), found.labels or [], strict=True)
    with write_atomically(target) as out:
        for cells in chain([[*taken, name]], ([*row, label] for row, label in rows)):
            texts = ("?" if cell is None else str(cell) for cell in cells)
            out.write(",".join(csv_cell(text, ",", safe=safe) for text in texts) + "\n")


def _write_bags(found: RowFile, target: str, format: str | None, safe_csv: bool) -> None:
    from linnet.data import Examples, example_writer

    with example_writer(target, format, safe_csv=safe_csv) as write:
        bags = list(_bags(found))
        for at in range(0, len(bags), _BLOCK):
            part = slice(at, at + _BLOCK)
            labels = None if found.labels is None else found.labels[part]
            write(Examples("bag", bags[part], labels, "rows", found.lines[part]))


def _bags(found: RowFile) -> Iterator[dict[str, float]]:
    """Yield each row as features: a number under its column, a symbol as ``column=value``."""
    table = found.with_numbers().table
    numeric = [isinstance(values, np.ndarray) for values in table.values]
    for row in table.rows():
        yield {
            (name if number else f"{name}={value}"): (float(value) if number else 1.0)
            for name, value, number in zip(table.names, row, numeric, strict=True)
            if value is not None and value == value
        }
