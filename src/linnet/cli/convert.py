"""``linnet convert``: from any format to any other, block by block."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from linnet.cli.console import (
    DelimiterOption,
    EncodingOption,
    ErrorsOption,
    JsonOption,
    LabelOption,
    LineOption,
    QuietOption,
    SafeCsvOption,
    TextOption,
    choose,
    count,
    file_size,
    print_json,
    progress,
    say,
)
from linnet.cli.outputs import check_outputs
from linnet.errors import ParameterError

__all__ = ["EPILOG", "command", "run"]

EPILOG = (
    "Examples: [bold]linnet convert train.svm train.jsonl[/bold] · "
    "[bold]linnet convert reviews.csv.gz reviews.parquet --text body --label stars[/bold] · "
    "[bold]zcat crawl.jsonl.gz | linnet convert - texts.txt --no-labels[/bold]"
)


def command(
    source: Annotated[
        str, typer.Argument(metavar="INPUT", help="File to read; - is standard input.")
    ],
    target: Annotated[
        str, typer.Argument(metavar="OUTPUT", help="File to write; - is standard output.")
    ],
    source_format: Annotated[
        str | None, typer.Option("--from", metavar="FORMAT", help="Format of INPUT.")
    ] = None,
    target_format: Annotated[
        str | None, typer.Option("--to", metavar="FORMAT", help="Format of OUTPUT.")
    ] = None,
    text: TextOption = None,
    label: LabelOption = None,
    labels: Annotated[
        bool, typer.Option("--labels/--no-labels", help="Whether to take the labels along.")
    ] = True,
    label_separator: Annotated[
        str | None,
        typer.Option("--label-separator", metavar="MARK", help="Between labels in one cell."),
    ] = None,
    safe_csv: SafeCsvOption = False,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = "utf-8",
    errors: ErrorsOption = "strict",
    max_line: LineOption = "64MB",
    json_answer: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Convert examples between CSV, TSV, JSONL, Parquet, fastText, svmlight and other formats.

    The formats are found out from the input and from the output's suffix. Text and label go
    along, other columns are left behind. Rows of values become rows of another format (c45,
    columns, table), or bags of features.
    """
    from linnet.cli.row_files import row_format
    from linnet.data.writing import format_to_write

    choose(errors, ("strict", "replace"), "--errors")
    if json_answer and target == "-":
        raise ParameterError("--json and the output - both write to standard output")
    check_outputs([target], [source])
    if row_format(target, target_format) is None:
        format_to_write(target, target_format)
    reading = {
        "format": source_format,
        "text": text,
        "label": label,
        "labels": labels,
        "label_separator": label_separator,
        "delimiter": delimiter,
        "encoding": encoding,
        "errors": errors,
    }
    writing = {"label_separator": label_separator, "safe_csv": safe_csv}
    found = _run_rows(source, target, target_format, reading, safe_csv, quiet or json_answer)
    if found is None:
        found = run(source, target, target_format, reading, writing, quiet or json_answer)
    if json_answer:
        print_json(found)
    else:
        say(f"{count(found['examples'])} examples written to {target}", quiet)


def _run_rows(
    source: str,
    target: str,
    target_format: str | None,
    reading: dict[str, Any],
    safe_csv: bool,
    quiet: bool,
) -> dict[str, Any] | None:
    """Convert a file of rows; None where the input holds something else."""
    from linnet.cli.row_files import rows_in, write_rows

    found = rows_in(source, reading)
    if found is None:
        return None
    for sentence in found.decisions:
        say(f"{source}: {sentence}", quiet)
    return {
        "input": source,
        "output": target,
        "format": "rows",
        "examples": write_rows(found, target, target_format, safe_csv=safe_csv),
        "decisions": list(found.decisions),
    }


def run(
    source: str,
    target: str,
    target_format: str | None,
    reading: dict[str, Any],
    writing: dict[str, Any],
    quiet: bool = False,
) -> dict[str, Any]:
    """Convert a file and return what was decided and done.

    Parameters
    ----------
    source, target : str
        Paths; ``-`` is standard input or output.
    target_format : str, optional
        By default what the target's suffix says.
    reading : dict
        Options of :func:`linnet.data.examples.stream_examples`.
    writing : dict
        Options of :func:`linnet.data.example_writer`.
    quiet : bool
        Whether to keep what was decided from standard error.
    """
    from linnet.data import example_writer, stream_examples

    examples = 0
    decisions: tuple[str, ...] = ()
    with (
        progress(_total(source), quiet) as step,
        example_writer(target, target_format, **writing) as write,
    ):
        for block in stream_examples(source, **reading):
            if not examples:
                decisions = block.decisions
                for sentence in decisions:
                    say(f"{source}: {sentence}", quiet)
            write(block)
            examples += len(block)
            step(f"{count(examples)} examples", _bytes_read(block))
    return {
        "input": source,
        "output": target,
        "format": block.format,
        "examples": examples,
        "decisions": list(decisions),
    }


def _total(source: str) -> int | None:
    """Return how many bytes there are to read, if the file's size tells."""
    from linnet.data.formats import TABLE_FORMATS, format_of_suffix

    packed = source.endswith((".gz", ".zst")) or format_of_suffix(source) in TABLE_FORMATS
    return None if packed else file_size(source) or None


def _bytes_read(block: Any) -> int:
    """Return about how many bytes of the file a block stands for."""
    if block.kind == "text":
        return int(block.X.nbytes)
    if block.kind == "vector":
        return int(block.X.nnz * 8)
    return sum(8 * len(bag) for bag in block.X)
