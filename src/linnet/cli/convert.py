"""``linnet convert``: from any format to any other, block by block."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from linnet.cli.shared.console import count, file_size, print_json, say, size
from linnet.cli.shared.folder import PartNames, is_folder, resumed, several_need_a_folder, tell_bad
from linnet.cli.shared.hints import is_model
from linnet.cli.shared.options import (
    FORCE,
    INPUT,
    JSON,
    LABEL,
    OUTPUT,
    QUIET,
    RESUME,
    SAFE_CSV,
    SKIP_BAD,
    From,
    argument,
    option,
)
from linnet.cli.shared.outputs import check_outputs
from linnet.cli.shared.watching import watched_reading
from linnet.errors import ParameterError

__all__ = ["EPILOG", "command"]

EPILOG = (
    "Examples: [bold]linnet convert train.svm train.jsonl[/bold] · "
    "[bold]linnet convert reviews.csv.gz reviews.parquet --text body --label stars[/bold] · "
    "[bold]zcat crawl.jsonl.gz | linnet convert - texts.txt --no-labels[/bold] · "
    "[bold]linnet convert parts/*.csv.gz texts/ --to jsonl --resume[/bold] · "
    "[bold]linnet convert lid.176.ftz lid.linnet[/bold]"
)


class Labels(From):
    """How the input and its labels are read."""

    label: str | None = LABEL
    labels: bool = option("--labels/--no-labels", "Whether to take the labels along.", INPUT, True)
    label_separator: str | None = option(
        "--label-separator MARK", "Between labels in one cell.", INPUT
    )


_SOURCES = argument("INPUT", "Files to read; - is standard input.")
_TARGET = argument("OUTPUT", "File to write; - is standard output, a name with / a folder.")
_TO = option("--to FORMAT", "Format of OUTPUT.", OUTPUT)


def command(
    sources: list[str] = _SOURCES,
    target: str = _TARGET,
    *,
    reading: Labels,
    target_format: str | None = _TO,
    resume: bool = RESUME,
    force: bool = FORCE,
    skip_bad: int = SKIP_BAD,
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
    if is_folder(target):
        done = _into_folder(
            sources, target, target_format, reading, safe_csv, quiet or json_answer,
            force=force, resume=resume, skip_bad=skip_bad,
        )  # fmt: skip
    else:
        several_need_a_folder(target, resume=resume, skip_bad=skip_bad)
        if len(sources) > 1:
            raise ParameterError("several inputs go into a folder; let the output's name end in /")
        if json_answer and target == "-":
            raise ParameterError("--json and the output - both write to standard output")
        check_outputs([target], sources, force=force)
        if _names_model(target) or is_model(sources[0]):
            _convert_model(sources[0], target, json_answer, quiet)
            return
        with watched_reading(sources, quiet or json_answer) as counted:
            done = _convert(
                sources[0], target, target_format, reading, safe_csv, quiet or json_answer, counted
            )
    if json_answer:
        print_json(done)
    else:
        say(f"{count(done['examples'])} examples written to {target}", quiet)


def _convert(
    source: str,
    target: str,
    format: str | None,
    reading: Labels,
    safe_csv: bool,
    quiet: bool,
    counted: Callable[[str, int], None] = lambda what, n: None,
) -> dict[str, Any]:
    """Convert one file; return what was decided and done."""
    from linnet.cli.kinds import check_target, recognise_examples

    check_target(target, format)
    settings = reading.settings()
    file = recognise_examples(source, settings)
    done: dict[str, Any] = file.contents.convert(
        file, target, format, settings, safe_csv, quiet, counted
    )
    return done


def _into_folder(
    sources: list[str],
    folder: str,
    format: str | None,
    reading: Labels,
    safe_csv: bool,
    quiet: bool,
    *,
    force: bool,
    resume: bool,
    skip_bad: int,
) -> dict[str, Any]:
    """Convert each file into one of its own; what is finished stays finished."""
    if format is None:
        raise ParameterError("files in a folder need a format; name it with --to")
    if "-" in sources:
        raise ParameterError("a folder takes converted files; name files, or another output")
    from linnet.data.hidden import BadRows

    bad = BadRows(skip_bad)
    wishes = {"verb": "convert", "to": [format, safe_csv, skip_bad], "reading": reading.settings()}
    done: list[dict[str, Any]] = []
    with resumed(
        sources, folder, wishes, PartNames(format),
        force=force, resume=resume, quiet=quiet,
    ) as parts:  # fmt: skip
        for part in parts:
            target = str(part.targets[0])
            with bad.left_out():
                done.append(_convert(part.source, target, format, reading, safe_csv, quiet))
    tell_bad(len(bad), bad.errors, quiet)
    examples = sum(one["examples"] for one in done)
    return {"files": done, "passed_over": len(sources) - len(done), "examples": examples}


def _names_model(name: str) -> bool:
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
