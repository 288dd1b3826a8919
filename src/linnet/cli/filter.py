"""``linnet filter``: keep the rows of files that a model approves of."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linnet.cli.console import (
    EncodingOption,
    ErrorsOption,
    FormatOption,
    JsonOption,
    LineOption,
    ModelArgument,
    QuietOption,
    TextOption,
    ThreadsOption,
    check_kind,
    choose,
    count,
    file_size,
    load_model,
    print_json,
    progress,
    say,
    size,
    stdout_console,
)
from linnet.cli.outputs import check_outputs, keep_inputs
from linnet.data.terminal import escaped
from linnet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from linnet.cli.filtering import Tally
    from linnet.cli.keep import Judge

__all__ = ["EPILOG", "command"]

EPILOG = (
    "Examples: [bold]linnet filter quality.linnet crawl/*.parquet -o kept --keep 'hq>=0.9'[/bold] "
    "· [bold]linnet filter lang.linnet a.jsonl.gz -o en --keep en --dropped rest[/bold] · "
    "[bold]linnet filter spam.linnet mail.tsv -o ham --keep 'spam<0.2' --dry-run[/bold]"
)


def command(
    model: ModelArgument,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILES", help="Parquet, JSONL, TSV, CSV or text files.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the kept rows.")
    ],
    keep: Annotated[
        list[str],
        typer.Option("--keep", metavar="RULE", help="'label>=0.9', >, <, <=; or 'label' alone."),
    ],
    any_rule: Annotated[
        bool, typer.Option("--any/--all", help="With several rules: one is enough, or all hold.")
    ] = False,
    dropped: Annotated[
        Path | None, typer.Option("--dropped", metavar="DIR", help="Folder for the other rows.")
    ] = None,
    text: TextOption = None,
    format: FormatOption = None,
    encoding: EncodingOption = "utf-8",
    errors: ErrorsOption = "strict",
    max_line: LineOption = "64MB",
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace files that are already there.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Pass over files whose output is already there.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count; write nothing.")] = False,
    threads: ThreadsOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Keep the rows that a model gives the wanted label.

    Output files have the name, format and columns of the input. Each appears when it is complete,
    so a run that was stopped can go on with --resume.
    """
    from linnet.cli.keep import Judge, parse_rule

    if encoding.lower().replace("_", "-").startswith(("utf-16", "utf-32")):
        raise ParameterError(f"files in {encoding} are not filtered; convert them to UTF-8 first")
    reading = {
        "format": format,
        "text": text,
        "encoding": encoding,
        "errors": choose(errors, ("strict", "replace"), "--errors"),
        "nulls": "empty",
    }
    plan = _plan(model, files, output, dropped, overwrite or dry_run, resume)
    loaded = load_model(model, threads)
    labels = [str(label) for label in loaded.classes_]
    judge = Judge(loaded, [parse_rule(rule, labels) for rule in keep], any_rule)
    if not dry_run:
        for folder in (output, dropped):
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
        check_outputs([target for _, *pair in plan for target in pair], [model, *files])
    rows = _run(plan, judge, model, reading, dry_run, quiet or json)
    _report(rows, judge, len(files) - len(plan), json, quiet)


def _plan(
    model: str, files: list[Path], output: Path, dropped: Path | None, overwrite: bool, resume: bool
) -> list[tuple[Path, Path, Path | None]]:
    """Return (input, kept, dropped) of every file, or say what stands in the way."""
    if dropped is not None and dropped.resolve() == output.resolve():
        raise ParameterError("kept and dropped rows need two folders, not one")
    names: dict[str, Path] = {}
    for source in files:
        if not source.is_file():
            raise DataError(f"{source} is not a file; name Parquet, JSONL, TSV or text files")
        if source.name in names:
            raise DataError(
                f"{names[source.name]} and {source} would both become {output / source.name}; "
                "filter them into two folders"
            )
        names[source.name] = source
    folders = [folder for folder in (output, dropped) if folder is not None]
    keep_inputs([folder / name for name in names for folder in folders], [model, *files])
    plan: list[tuple[Path, Path, Path | None]] = []
    for name, source in names.items():
        there = [folder / name for folder in folders if (folder / name).exists()]
        if resume and len(there) == len(folders):
            continue
        if there and not (overwrite or resume):
            raise DataError(
                f"{there[0]} is already there; --overwrite replaces it, --resume passes over it"
            )
        plan.append((source, output / name, None if dropped is None else dropped / name))
    return plan


def _run(
    plan: list[tuple[Path, Path, Path | None]],
    judge: Judge,
    model_name: str,
    reading: dict[str, Any],
    dry_run: bool,
    quiet: bool,
) -> list[tuple[Path, Tally, float]]:
    """Filter every file; return its tally and seconds."""
    from linnet.cli.filtering import filter_file

    rows = []
    with progress(sum(file_size(source) for source, *_ in plan), quiet) as step:
        for source, kept, rest in plan:
            began = perf_counter()

            def check(block: Any, name: str = str(source)) -> None:
                check_kind(judge.model, model_name, block, name)
                for decision in block.decisions:
                    say(f"{name}: {decision}", quiet)

            def watch(n: int, name: str = source.name) -> None:
                step(f"{name}: {count(n)} rows", 0)

            outputs = (None, None) if dry_run else (rest, kept)
            tally = filter_file(source, judge, reading, outputs, check, watch)
            step(source.name, file_size(source))
            rows.append((source, tally, perf_counter() - began))
    return rows


def _report(
    rows: list[tuple[Path, Tally, float]], judge: Judge, passed: int, json: bool, quiet: bool
) -> None:
    from linnet.cli.filtering import Tally

    total = Tally(judge.classes)
    for _, tally, _ in rows:
        total.merge(tally)
    if json:
        files = [
            {
                "file": str(source),
                "bytes": file_size(source),
                "seconds": round(seconds, 4),
                "rows_per_second": round(sum(tally.rows) / max(seconds, 1e-9)),
                **tally.to_dict(),
            }
            for source, tally, seconds in rows
        ]
        rules = [str(rule) for rule in judge.rules]
        print_json({"rules": rules, "files": files, "passed_over": passed, **total.to_dict()})
    elif not quiet:
        if passed:
            say(f"{passed} files were already there")
        _print_tables(rows, total)


def _print_tables(rows: list[tuple[Path, Tally, float]], total: Tally) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    console = stdout_console()
    table = Table(box=SIMPLE_HEAD)
    table.add_column("file", overflow="fold")
    for heading in ("kept", "of", "share", "read", "rows/s"):
        table.add_column(heading, justify="right", no_wrap=True)
    for source, tally, seconds in rows:
        n = sum(tally.rows)
        table.add_row(
            Text(escaped(str(source))),
            count(tally.rows[1]),
            count(n),
            f"{100 * tally.rows[1] / max(n, 1):.1f} %",
            size(file_size(source)),
            count(round(n / max(seconds, 1e-9))),
        )
    console.print(table)
    audit = Table(box=SIMPLE_HEAD)
    for heading in ("", "rows", "mean text"):
        audit.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    audit.add_column("most probable labels", overflow="fold")
    for name, side in (("removed", 0), ("kept", 1)):
        n = total.rows[side]
        ranked = sorted(zip(total.labels[side].tolist(), total.classes, strict=True), reverse=True)
        shown = ", ".join(f"{label} {100 * c / n:.1f} %" for c, label in ranked[:5] if c)
        length = total.text_bytes[side] / max(n, 1)
        audit.add_row(name, count(n), size(length) if length else "", Text(escaped(shown)))
    console.print(audit)
