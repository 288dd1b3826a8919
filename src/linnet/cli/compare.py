"""``linnet compare``: every learner on the same data, and which may be called better."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from linnet.cli.console import (
    EncodingOption,
    ErrorsOption,
    FormatOption,
    JsonOption,
    LabelOption,
    QuietOption,
    TextOption,
    ThreadsOption,
    choose,
    print_json,
    progress,
    say,
    shown,
)
from linnet.errors import DataError, ParameterError

__all__ = ["EPILOG", "command", "parse_seconds", "parse_shares"]

EPILOG = (
    "Examples: [bold]linnet compare reviews.csv[/bold] · "
    "[bold]linnet compare train.tsv --test test.tsv --learners nb,maxent,svm[/bold] · "
    "[bold]linnet compare chunks.conll --folds 5 --report report.html[/bold] · "
    "[bold]linnet compare mails.csv --folds 5 --repeats 3 --group sender[/bold] · "
    "[bold]linnet compare intents.jsonl --tune 60s --curve 0.1,0.3,1[/bold]"
)
_STDOUT = Path("-")
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def command(
    data: Annotated[str, typer.Argument(metavar="DATA", help="Labelled file; - is stdin.")],
    test: Annotated[
        str | None,
        typer.Option(
            "--test", metavar="FILE", help="Measure on this file, not on a fifth of DATA."
        ),
    ] = None,
    learners: Annotated[
        str,
        typer.Option(
            "--learners",
            metavar="A,B",
            help="nb, bernoulli, perceptron, mira, maxent, svm, memory, kernel; for sequences hmm, "
            "local, memm, perceptron, mira, svm, crf.",
        ),
    ] = "all",
    folds: Annotated[
        int | None, typer.Option("--folds", metavar="K", min=2, help="Cross-validate with K folds.")
    ] = None,
    repeats: Annotated[
        int, typer.Option("--repeats", metavar="N", min=1, help="Cut the data anew N times.")
    ] = 1,
    group: Annotated[
        str | None,
        typer.Option(
            "--group",
            metavar="COLUMN",
            help="Keep rows of one group, such as an author, on one side.",
        ),
    ] = None,
    tune: Annotated[
        str | None,
        typer.Option(
            "--tune", metavar="60s", help="Choose C, smoothing and rounds within about this time."
        ),
    ] = None,
    curve: Annotated[
        str | None,
        typer.Option("--curve", metavar="SHARES", help="Learning curve, such as 0.1,0.3,1."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Also write everything as JSON."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help="Write a page for the browser: plots, mistakes, reasons.",
        ),
    ] = None,
    text: TextOption = None,
    label: LabelOption = None,
    format: FormatOption = None,
    encoding: EncodingOption = "utf-8",
    errors: ErrorsOption = "strict",
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of everything random.")] = 0,
    threads: ThreadsOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Train every learner on the same data and compare them.

    Scores with 95 % intervals, significance of every difference, calibration, time, memory and size
    of the model. A winner is named only if it is significantly better than all others. Texts or
    sequences: the format decides.
    """
    from linnet.cli.helpers import said_warnings
    from linnet.cli.training import check_folder
    from linnet.comparison import compare

    choose(errors, ("strict", "replace"), "--errors")
    if test is not None:
        others = {"--folds": folds, "--group": group, "--repeats": repeats if repeats > 1 else None}
        for option, value in others.items():
            if value is not None:
                raise ParameterError(f"give --test or {option}, not both")
    budget, shares = parse_seconds(tune), parse_shares(curve)
    json = json or output == _STDOUT
    if json and report == _STDOUT:
        raise ParameterError(
            "standard output takes one of JSON and --report; give the other a file"
        )
    for path in (output, report):
        if path not in (None, _STDOUT):
            check_folder(path)
    reading = {
        "format": format, "text": text, "label": label, "encoding": encoding, "errors": errors,
    }  # fmt: skip
    silent = quiet or json or report == _STDOUT
    given = _read(data, reading, silent)
    other = None if test is None else _read(test, reading, silent)
    groups = None if group is None else _groups(given, data, reading, group)
    with progress(1.0, quiet) as step:
        behind = 0.0

        def tell(what: str, share: float) -> None:
            nonlocal behind
            step(what, share - behind)
            behind = share

        with said_warnings(silent):
            found = compare(
                given, learners, test=other, folds=folds, repeats=repeats, groups=groups, seed=seed,
                time_budget=budget, curve=shares, explain=report is not None, n_threads=threads,
                progress=tell,
            )  # fmt: skip
    if output not in (None, _STDOUT):
        _write(output, found.to_dict())
        say(f"written to {output}", silent)
    if report is not None:
        options = {
            "test": test, "folds": folds, "repeats": repeats, "group": group, "tune": tune,
            "curve": curve, **reading,
        }  # fmt: skip
        again = _command(data, learners, report, options, seed)
        title = shown(Path(data).name)
        if report == _STDOUT:
            print(found.to_html(title=title, command=again))
            return
        found.report(report, title=title, command=again)
        say(f"the report is in {report}", silent)
    if json:
        print_json(found.to_dict())
    else:
        print(found)


def parse_seconds(text: str | None) -> float | None:
    """Return a time such as 60s, 2m or 90 as seconds.

    Examples
    --------
    >>> parse_seconds("60s"), parse_seconds("2m"), parse_seconds("0.5"), parse_seconds(None)
    (60.0, 120.0, 0.5, None)
    """
    if text is None:
        return None
    number, unit = (text[:-1], _UNITS[text[-1]]) if text[-1:] in _UNITS else (text, 1.0)
    try:
        seconds = float(number) * unit
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise ParameterError(f"--tune must be a time such as 60s or 2m, got {text!r}")
    return seconds


def parse_shares(text: str | None) -> list[float] | None:
    """Return shares such as 0.1,0.5,1 as numbers.

    Examples
    --------
    >>> parse_shares("0.1,1")
    [0.1, 1.0]
    """
    if text is None:
        return None
    try:
        shares = [float(part) for part in text.split(",")]
    except ValueError:
        shares = [0.0]
    if not all(0 < share <= 1 for share in shares):
        raise ParameterError(f"--curve must be shares such as 0.1,0.5,1, got {text!r}")
    return shares


def _command(data: str, learners: str, report: Path, options: dict[str, Any], seed: int) -> str:
    """Return the command that repeats a comparison; what is as by default is left out.

    Examples
    --------
    >>> _command("my data.tsv", "nb,svm", Path("r.html"), {"folds": 3, "encoding": "utf-8"}, 0)
    "linnet compare 'my data.tsv' --learners nb,svm --folds 3 --seed 0 --report r.html"
    """
    default = {"learners": "all", "encoding": "utf-8", "errors": "strict", "repeats": 1}
    given = {"learners": learners, **options, "seed": seed, "report": report}
    parts = ["linnet", "compare", data]
    for name, value in given.items():
        if value is not None and value != default.get(name):
            parts += [f"--{name}", str(value)]
    return shlex.join(parts)


def _read(data: str, reading: dict[str, Any], quiet: bool) -> Any:
    """Read sentences with tags or labelled examples; what was found out is said."""
    from linnet.cli.tagging import open_sequences, read_tagged
    from linnet.data.examples import read_examples

    source, found = open_sequences(data, reading["format"], reading["encoding"])
    if found is not None:
        return read_tagged(data, source, found, reading, quiet)
    examples = read_examples(source, **reading)
    for decision in examples.decisions:
        say(f"{shown(data)}: {decision}", quiet)
    if examples.y is None:
        raise DataError(f"{shown(data)} has no labels; name their column with --label")
    return examples


def _groups(given: Any, data: str, reading: dict[str, Any], name: str) -> list[str]:
    """Return the group of each row by a column, or of each sentence by a comment above it."""
    from linnet.cli.groups import comment_groups, example_groups
    from linnet.data.sequences import Sequences

    if not isinstance(given, Sequences):
        return example_groups(data, reading, name, len(given))
    found = comment_groups(given, name)
    if found is None:
        raise DataError(f"{shown(data)} has no comment '# {name} = …' above its sentences")
    return found


def _write(path: Path, value: dict[str, Any]) -> None:
    from json import dumps

    from linnet.data import write_atomically

    with write_atomically(path) as out:
        out.write(dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n")
