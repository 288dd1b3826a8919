"""``linnet convert``: from any format to any other, block by block."""

from __future__ import annotations

import os

from linnet.cli.console import count, file_size, print_json, say, size
from linnet.cli.options import (
    FORCE,
    INPUT,
    JSON,
    LABEL,
    OUTPUT,
    QUIET,
    SAFE_CSV,
    From,
    argument,
    option,
)
from linnet.cli.outputs import check_outputs
from linnet.errors import ParameterError

__all__ = ["EPILOG", "command"]

EPILOG = (
    "Examples: [bold]linnet convert train.svm train.jsonl[/bold] · "
    "[bold]linnet convert reviews.csv.gz reviews.parquet --text body --label stars[/bold] · "
    "[bold]zcat crawl.jsonl.gz | linnet convert - texts.txt --no-labels[/bold] · "
    "[bold]linnet convert lid.176.ftz lid.linnet[/bold]"
)


class Labels(From):
    """How the input and its labels are read."""

    label: str | None = LABEL
    labels: bool = option("--labels/--no-labels", "Whether to take the labels along.", INPUT, True)
    label_separator: str | None = option(
        "--label-separator MARK", "Between labels in one cell.", INPUT
    )


_SOURCE = argument("INPUT", "File to read; - is standard input.")
_TARGET = argument("OUTPUT", "File to write; - is standard output.")
_TO = option("--to FORMAT", "Format of OUTPUT.", OUTPUT)


def command(
    source: str = _SOURCE,
    target: str = _TARGET,
    *,
    reading: Labels,
    target_format: str | None = _TO,
    force: bool = FORCE,
    safe_csv: bool = SAFE_CSV,
    json_answer: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Convert examples between CSV, TSV, JSONL, Parquet, fastText, svmlight and other formats.

    The formats are found out from the input and from the output's suffix. Text and label go
    along, other columns are left behind. Rows of values become rows of another format (c45,
    columns, table), or bags of features. A model of another program becomes a model of linnet, and
    back where that program's format can say it (.model is LIBLINEAR's, .crfsuite CRFsuite's).
    """
    from linnet.cli.kinds import check_target, recognise_examples

    if json_answer and target == "-":
        raise ParameterError("--json and the output - both write to standard output")
    check_outputs([target], [source], force=force)
    if _is_model(target) or _is_model(source):
        _convert_model(source, target, json_answer, quiet)
        return
    check_target(target, target_format)
    settings = reading.settings()
    file = recognise_examples(source, settings)
    silent = quiet or json_answer
    done = file.contents.convert(file, target, target_format, settings, safe_csv, silent)
    if json_answer:
        print_json(done)
    else:
        say(f"{count(done['examples'])} examples written to {target}", quiet)


def _is_model(name: str) -> bool:
    from linnet.foreign import WRITTEN

    return os.path.splitext(name)[1] in (".linnet", *WRITTEN)


def _convert_model(source: str, target: str, json_answer: bool, quiet: bool) -> None:
    """Write a model in another format: linnet's own, or one that another program reads."""
    from linnet import foreign
    from linnet.model.file import load, save

    if source == "-" or target == "-":
        raise ParameterError("a model is read from a file and written to one, not to -")
    model = load(source)
    if os.path.splitext(target)[1] == ".linnet":
        save(model, target)
    else:
        foreign.write(model, target)
    if json_answer:
        print_json({"model": target, "bytes": file_size(target)})
    else:
        say(f"model written to {target}, {size(file_size(target))}", quiet)
