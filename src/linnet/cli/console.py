"""Everything a verb takes from its neighbours: the options several share, and the helpers.

Each option has one wording everywhere. The helpers live in :mod:`linnet.cli.helpers`, which does
without the parser; what runs without options imports them from there.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from linnet.cli.helpers import (
    check_kind,
    choose,
    count,
    file_size,
    find_label,
    load_model,
    no_labels,
    parse_size,
    print_json,
    progress,
    say,
    shown,
    size,
    stdout_console,
)
from linnet.cli.warned import silence

__all__ = [
    "DelimiterOption",
    "EncodingOption",
    "ErrorsOption",
    "FormatOption",
    "JsonOption",
    "LabelOption",
    "LineOption",
    "ModelArgument",
    "QuietOption",
    "SafeCsvOption",
    "TextOption",
    "ThreadsOption",
    "check_kind",
    "choose",
    "count",
    "file_size",
    "find_label",
    "load_model",
    "no_labels",
    "parse_size",
    "print_json",
    "progress",
    "say",
    "shown",
    "size",
    "stdout_console",
]

ModelArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="MODEL", help="Model file, as written by linnet train.")
]
TextOption: TypeAlias = Annotated[
    str | None, typer.Option("--text", metavar="COLUMN", help="Column of the text: name or number.")
]
LabelOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--label", metavar="COLUMN", help="Column of the label: name or number."),
]
FormatOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--format", metavar="FORMAT", help="Format of the data; found out by default."),
]
DelimiterOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="MARK",
        callback=lambda mark: "\t" if mark in ("\\t", "tab") else mark,
        help="Between the columns of a table, or between a word and its tag; tab for a tab.",
    ),
]
EncodingOption: TypeAlias = Annotated[
    str, typer.Option("--encoding", metavar="NAME", help="Encoding of the data.")
]
ErrorsOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--errors", metavar="strict|replace", help="Bytes that do not decode: stop, or U+FFFD."
    ),
]


def _limit_lines(context: typer.Context, value: str) -> str:
    """Let lines be as long as the option says until the command ends."""
    if not context.resilient_parsing:
        from linnet.data.limits import line_limit

        context.with_resource(line_limit(parse_size(value)))
    return value


LineOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--max-line",
        metavar="SIZE",
        callback=_limit_lines,
        help="The longest line, row or sentence that is read.",
    ),
]
JsonOption: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print JSON on standard output and nothing else there.")
]
QuietOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", callback=silence, help="Say nothing on standard error but errors."
    ),
]
SafeCsvOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--safe-csv", help="CSV: an apostrophe before cells that spreadsheets take for formulas."
    ),
]
ThreadsOption: TypeAlias = Annotated[
    int | None, typer.Option("--threads", metavar="N", min=1, help="Threads; all cores by default.")
]
