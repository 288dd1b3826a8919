"""What the verbs share for rows of attribute values: telling such files from others, reading them.

What was found out about the training file is in the model, and files are read alike ever after.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from linnet.cli.helpers import say, shown
from linnet.cli.tagging import head_as_utf8, opened
from linnet.data.formats.rows import declared_kinds, rows_by_plan, sniff_rows
from linnet.data.rows import ROW_FORMATS, RowFile, RowPlan, numbers_of
from linnet.errors import DataError, FormatError, LinnetError

__all__ = ["find_rows", "kinds_of", "model_plan", "read_model_rows", "rows_of_strings"]


def find_rows(
    data: str, source: Any, reading: dict[str, Any], ignore: Sequence[str] | None
) -> tuple[Any, RowPlan | None]:
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
    if plan is not None and mark not in (None, plan.mark):
        if asked:
            raise DataError(f"the rows of {shown(data)} do not stand between {mark!r}")
        return source, None
    return source, plan


def kinds_of(file: RowFile, source: Any, plan: RowPlan, wish: Any) -> dict[str, str]:
    """Return what each column holds: as asked for, as a names file says, or as it looks."""
    declared = declared_kinds(source, plan) or {}
    kinds = {}
    for name, column in zip(file.table.names, file.table.values, strict=True):
        kind = wish.get(name) if isinstance(wish, dict) else wish
        looks = "symbolic" if numbers_of(column) is None else "numeric"
        kinds[name] = kind or declared.get(name) or looks
    return kinds


def model_plan(model: Any) -> RowPlan:
    """Return how files for a model are read: like its training file, else as a table."""
    from linnet.model.row_reader import plan_from

    if model.reading is not None:
        return plan_from(model.reading, model.names)
    return RowPlan("table", ",", True, tuple(model.names), None)


def read_model_rows(
    model: Any, data: Any, reading: dict[str, Any], *, label: str | None = None
) -> RowFile:
    """Read rows for a model from a file; the class may be absent."""
    plan = model_plan(model)
    if label is not None:
        if not plan.header:
            raise DataError("--label names a column of a file with a header; leave it out")
        plan = replace(plan, names=(*plan.used, label), label=label, ignored=())
    format = reading.get("format")
    if format is not None and format != plan.format:
        raise DataError(f"the model reads files of the format {plan.format}, not {format}")
    options = {name: reading[name] for name in ("encoding", "errors") if name in reading}
    found = rows_by_plan(data, plan, **options)
    return found.with_numbers(dict(zip(model.names, model.kinds, strict=True)))


def rows_of_strings(model: Any, strings: Sequence[str]) -> RowFile:
    """Read rows from lines like those of the training file, without a header."""
    plan = model_plan(model)
    plain = replace(plan, format="columns" if plan.mark == " " else "c45")
    block = io.BytesIO("".join(line.replace("\n", " ") + "\n" for line in strings).encode())
    block.name = "<string>"
    try:
        found = rows_by_plan(block, plain)
    except FormatError as error:
        example = plan.mark.join(model.names)
        raise FormatError(f"{error}; a row looks like {example!r}") from None
    return found.with_numbers(dict(zip(model.names, model.kinds, strict=True)))


def say_decisions(data: str, found: RowFile, quiet: bool) -> None:
    """Say what was found out about a file."""
    for decision in found.decisions:
        say(f"{shown(data)}: {decision}", quiet)
