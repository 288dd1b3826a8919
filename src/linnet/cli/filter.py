"""``linnet filter``: keep the rows of files that a model approves of.

The rules are those of :mod:`linnet.scale.filtering.rules`; :func:`linnet.scale.filter_parts` does
the work.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linnet.cli.shared.console import (
    count,
    file_size,
    grid,
    name_cell,
    print_json,
    progress,
    say,
    size,
    stdout_console,
)
from linnet.cli.shared.folder import already_there, tell_bad
from linnet.cli.shared.hints import check_swapped
from linnet.cli.shared.options import (
    CLUSTER,
    FORCE,
    FOREIGN,
    JSON,
    MODEL,
    OUTPUT,
    QUIET,
    REQUIRED,
    RESUME,
    SKIP_BAD,
    THREADS,
    Files,
    Options,
    argument,
    option,
)
from linnet.cli.shared.watching import watched_reading
from linnet.errors import ModelFileError, ParameterError

if TYPE_CHECKING:
    from linnet.scale.filtering.result import Filtered

__all__ = ["EPILOG", "command"]

EPILOG = (
    "Examples: [bold]linnet filter quality.linnet crawl/*.parquet -o kept --keep 'hq>=0.9'[/bold] "
    "· [bold]linnet filter lang.linnet a.jsonl.gz -o en --keep en --dropped rest[/bold] · "
    "[bold]linnet filter spam.linnet mail.tsv -o ham --keep 'spam<0.2' --dry-run[/bold] · "
    "[bold]linnet filter quality.linnet crawl/*.jsonl -o best --keep-top 10% --score hq "
    "--audit-by source[/bold]"
)
_GROUPS = 30  # of an audit, printed
# Options that linnet.scale.filter_parts takes by the same name.
_AS_NAMED = (
    "any_rule", "keep_top", "score", "dropped", "add_score", "scores_only", "ids", "skip_bad",
    "resume", "dry_run",
)  # fmt: skip

_FILES = argument("FILES", "Parquet, JSONL, TSV, CSV or text files.")


class Filtering(Options):
    """What is kept, and where it goes."""

    output: Path = option("--output -o DIR", "Folder for the kept rows.", OUTPUT, REQUIRED)
    keep: list[str] | None = option(
        "--keep RULE", "'label>=0.9', >, <, <=; or 'label' alone.", OUTPUT
    )
    drop: list[str] | None = option("--drop RULE", "Rows to drop, whatever is kept.", OUTPUT)
    any_rule: bool = option(
        "--any/--all", "With several rules: one is enough, or all hold.", OUTPUT, False
    )
    keep_top: str | None = option(
        "--keep-top SHARE", "The rows of highest score: 10%, or 5000. Reads twice.", OUTPUT
    )
    score: str | None = option("--score LABEL", "Whose probability is the score.", OUTPUT)
    add_score: str | None = option(
        "--add-score NAME", "Add the score to each row as a column.", OUTPUT
    )
    scores_only: bool = option(
        "--scores-only", "Copy no rows; write scores of all, in Parquet.", OUTPUT, False
    )
    ids: str | None = option("--ids COLUMN", "Ids for the files of scores.", OUTPUT)
    audit_by: list[str] | None = option(
        "--audit-by COLUMN", "What is kept of each source, language ..., or length.", OUTPUT
    )
    dropped: Path | None = option("--dropped DIR", "Folder for the other rows.", OUTPUT)
    force: bool = FORCE
    resume: bool = RESUME
    skip_bad: int = SKIP_BAD
    dry_run: bool = option("--dry-run", "Count; write nothing.", OUTPUT, False)
    cluster: str | None = CLUSTER


def command(
    model: str = MODEL,
    files: list[Path] = _FILES,
    *,
    filtering: Filtering,
    reading: Files,
    threads: int | None = THREADS,
    learner: str | None = FOREIGN,
    json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Keep the rows that a model gives the wanted label.

    Output files have the name, format and columns of the input. Each appears when it is complete,
    so a run that was stopped can go on with --resume.
    """
    from linnet.cli.kinds import checked_model
    from linnet.scale.filtering.files import filter_parts
    from linnet.scale.loading import loaded_model

    if reading.encoding.lower().replace("_", "-").startswith(("utf-16", "utf-32")):
        raise ParameterError(
            f"files in {reading.encoding} are not filtered; convert them to UTF-8 first"
        )
    check_swapped("filter", model, list(map(str, files)))
    os.stat(model)  # a file that is not there is told as by the other verbs
    try:
        loaded = loaded_model(os.path.abspath(model), threads)
    except ModelFileError as error:  # it names the file as the user did
        raise ModelFileError(error.message, file=model) from None
    checked_model(loaded, model, texts=True)
    with _watched(files, filtering.cluster, quiet or json) as watch:
        done = filter_parts(
            model,
            files,
            filtering.output,
            keep=filtering.keep or (),
            drop=filtering.drop or (),
            audit_by=filtering.audit_by or (),
            reading=reading.settings(),
            overwrite=filtering.force,
            n_threads=threads,
            learner=learner,
            client=filtering.cluster,
            watch=watch,
            **{name: getattr(filtering, name) for name in _AS_NAMED},
        )
    tell_bad(done.n_bad, done.bad, quiet)
    _report(done, json, quiet)


@contextmanager
def _watched(
    files: list[Path], cluster: str | None, quiet: bool
) -> Iterator[Callable[[str, int], None]]:
    """Show how far the files are: what is read here, or what workers have finished."""
    if cluster is not None:
        with progress(sum(map(file_size, files)), quiet) as step:
            yield lambda file, rows: step(os.path.basename(file), file_size(file))
        return
    judged: dict[str, int] = {}
    with watched_reading(files, quiet) as counted:

        def watch(file: str, rows: int) -> None:
            judged[file] = rows
            counted("rows", sum(judged.values()))

        yield watch


def _report(done: Filtered, json: bool, quiet: bool) -> None:
    if done.wanted is not None:
        _report_estimate(done, json, quiet)
    elif json:
        files = [
            {
                "file": part.source,
                "bytes": file_size(part.source),
                "seconds": round(part.seconds, 4),
                "rows_per_second": round(sum(part.tally.rows) / max(part.seconds, 1e-9)),
                **part.tally.to_dict(),
            }
            for part in done.parts
        ]
        scored = {} if done.score is None else {"score": done.score, "threshold": done.threshold}
        start = {"rules": done.rules, **scored, "files": files, "passed_over": done.passed_over}
        print_json({**start, **done.total.to_dict()})
    elif not quiet:
        if done.passed_over:
            say(already_there(done.passed_over))
        if done.threshold is not None:
            say(f"kept are scores of {done.score} from {done.threshold:.6g} on")
        _print_tables(done)


def _report_estimate(done: Filtered, json: bool, quiet: bool) -> None:
    """Say about which score the wanted rows reach, and how many rows do."""
    n, kept = sum(done.total.rows), done.total.rows[1]
    if json:
        files = [
            {"file": part.source, "total": sum(part.tally.rows), "kept": part.tally.rows[1]}
            for part in done.parts
        ]
        found = {"score": done.score, "threshold": done.threshold, "threshold_is": "estimate"}
        print_json({**found, "wanted": done.wanted, "kept": kept, "total": n, "files": files})
    elif not quiet:
        stdout_console().print(_file_table(done))
        say(
            f"an estimate of one pass: {count(kept)} of {count(n)} rows reach it, where "
            f"{count(done.wanted or 0)} were asked for; to keep them: "
            f"--keep '{done.score}>={done.threshold!r}'"
        )


def _print_tables(done: Filtered) -> None:
    console, total = stdout_console(), done.total
    console.print(_file_table(done))
    audit = grid([""], ["rows", "mean text"], ["most probable labels"])
    for name, side in (("removed", 0), ("kept", 1)):
        n = total.rows[side]
        ranked = sorted(zip(total.labels[side].tolist(), total.classes, strict=True), reverse=True)
        shown = ", ".join(f"{label} {100 * c / n:.1f} %" for c, label in ranked[:5] if c)
        length = total.text_bytes[side] / max(n, 1)
        audit.add_row(name, count(n), size(length) if length else "", name_cell(shown))
    console.print(audit)
    for name, groups in total.audit().items():
        console.print(_audit_table(name, groups))


def _file_table(done: Filtered) -> Any:
    """Return what is kept of each file."""
    table = grid(["file"], ["kept", "of", "share", "read", "rows/s"])
    for part in done.parts:
        n, kept = sum(part.tally.rows), part.tally.rows[1]
        table.add_row(
            name_cell(part.source),
            count(kept),
            count(n),
            f"{100 * kept / max(n, 1):.1f} %",
            size(file_size(part.source)),
            count(round(n / max(part.seconds, 1e-9))),
        )
    return table


def _audit_table(name: str, groups: list[dict[str, Any]]) -> Any:
    """Return what is kept of each group, and how that compares with all rows."""
    table = grid([name], ["rows", "kept", "removed", "share kept", "against all"])
    for row in groups[:_GROUPS]:
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f} ×"
        table.add_row(
            name_cell(row["group"]),
            *(count(row[key]) for key in ("rows", "kept", "removed")),
            f"{100 * row['share_kept']:.1f} %",
            ratio,
        )
    if len(groups) > _GROUPS:
        table.add_row(f"({len(groups) - _GROUPS} more)")
    return table
