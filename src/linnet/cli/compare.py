"""``linnet compare``: every learner on the same data, and which may be called better."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

from linnet.cli.shared.console import (
    bare_suffix,
    between_words,
    print_json,
    progress,
    say,
    shown,
    write_atomically,
)
from linnet.cli.shared.hints import check_data
from linnet.cli.shared.options import (
    CLUSTER,
    COLUMN,
    DATA,
    FORCE,
    INPUT,
    JSON,
    LEARNER,
    OUTPUT,
    QUIET,
    SEED,
    THREADS,
    Options,
    Reading,
    option,
    parse_columns,
)
from linnet.cli.shared.outputs import check_outputs
from linnet.errors import DataError, ParameterError

__all__ = ["EPILOG", "Comparing", "command", "parse_seconds", "parse_shares"]

EPILOG = (
    "Examples: [bold]linnet compare reviews.csv[/bold] · "
    "[bold]linnet compare train.tsv --test test.tsv --learners nb,maxent,svm[/bold] · "
    "[bold]linnet compare chunks.conll --folds 5 --report report.html[/bold] · "
    "[bold]linnet compare news.jsonl --column title=words --column source=category[/bold] · "
    "[bold]linnet compare mails.csv --folds 5 --repeats 3 --group sender[/bold] · "
    "[bold]linnet compare intents.jsonl --tune 60s --curve 0.1,0.3,1[/bold]"
)
_STDOUT = Path("-")
_NO_JSON = (".csv", ".html", ".parquet", ".tsv")
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


_OUTPUT = option("--output -o FILE", "Also write everything as JSON.", OUTPUT)
_REPORT = option("--report FILE", "Write a page for the browser: plots, mistakes, reasons.", OUTPUT)


class Comparing(Options):
    """Who is compared, and how the data are cut."""

    test: str | None = option("--test FILE", "Measure on this file, not on a fifth of DATA.", INPUT)
    learners: str = option(
        "--learners A,B",
        "Such as nb,maxent,svm, or hmm,crf for sequences; names as for train --learner.",
        LEARNER,
        "all",
    )
    column: list[str] | None = COLUMN
    folds: int | None = option("--folds K", "Cross-validate with K folds.", INPUT, min=2)
    repeats: int = option("--repeats N", "Cut the data anew N times.", INPUT, 1, min=1)
    group: str | None = option(
        "--group COLUMN", "Keep rows of one group, such as an author, on one side.", INPUT
    )
    tune: str | None = option(
        "--tune 60s", "Choose C, smoothing and rounds within about this time.", LEARNER
    )
    curve: str | None = option("--curve SHARES", "Learning curve, such as 0.1,0.3,1.", OUTPUT)
    cluster: str | None = CLUSTER

    @property
    def columns(self) -> dict[str, str] | None:
        """What the columns hold that are looked at, where there are several."""
        return parse_columns(self.column) or None

    def __post_init__(self) -> None:
        if self.test is not None:
            others = {"--folds": self.folds, "--group": self.group, "--repeats": self.repeats}
            for option, value in others.items():
                if value not in (None, 1):
                    raise ParameterError(f"give --test or {option}, not both")


def command(
    data: str = DATA,
    *,
    comparing: Comparing,
    reading: Reading,
    output: Path | None = _OUTPUT,
    report: Path | None = _REPORT,
    force: bool = FORCE,
    seed: int = SEED,
    threads: int | None = THREADS,
    json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Train every learner on the same data and compare them.

    Scores with 95 % intervals, significance of every difference, calibration, time, memory and size
    of the model. A winner is named only if it is significantly better than all others. Texts or
    sequences: the format decides.
    """
    budget, shares = parse_seconds(comparing.tune), parse_shares(comparing.curve)
    json = json or output == _STDOUT
    if json and report == _STDOUT:
        raise ParameterError(
            "standard output takes one of JSON and --report; give the other a file"
        )
    check_outputs([output, report], [data, comparing.test], force=force)
    for file in filter(None, (data, comparing.test)):
        check_data(file)
    if output is not None and bare_suffix(str(output)) in _NO_JSON:
        raise ParameterError(f"--output writes JSON, and {output} promises something else")
    silent = quiet or json or report == _STDOUT
    with_report = {"explain": report is not None, "n_threads": threads, "seed": seed}
    table = _compared(
        data, comparing, reading, silent, quiet, time_budget=budget, curve=shares, **with_report
    )
    if output not in (None, _STDOUT):
        _write(output, _values(table))
        say(f"written to {output}", silent)
    if report is not None:
        options = {**vars(comparing), **reading.settings()}
        again = _command(data, options, report, seed)
        title = shown(Path(data).name)
        if report == _STDOUT:
            print(table.to_html(title=title, command=again))
            return
        table.report(report, title=title, command=again)
        say(f"the report is in {report}", silent)
    if json:
        print_json(_values(table))
    else:
        print(between_words(str(table), sys.stdout))


def _compared(
    data: str, comparing: Comparing, reading: Reading, silent: bool, quiet: bool, **settings: Any
) -> Any:
    """Read the data and compare the learners, a bar showing how far they are."""
    columns, test = comparing.columns, None
    with progress(None, quiet) as step:
        examples = _read(data, reading, silent, step, columns)
        if comparing.test is not None:
            test = _read(comparing.test, reading, silent, step, columns, examples)
    if columns is not None:  # those that were asked for by number have names now
        columns = dict(zip(examples.X.names, columns.values(), strict=True))
    groups = None if comparing.group is None else examples.whole_groups(comparing.group)
    with progress(1.0, quiet) as step:
        behind, began = 0.0, monotonic()

        def tell(what: str, share: float) -> None:
            nonlocal behind
            step(f"{what} · {_rate(share, monotonic() - began)}" if share else what, share - behind)
            behind = share

        return _on(comparing.cluster)(
            examples.whole,
            comparing.learners,
            test=None if test is None else test.whole,
            columns=columns,
            folds=comparing.folds,
            repeats=comparing.repeats,
            groups=groups,
            progress=tell,
            **settings,
        )


def _on(cluster: str | None) -> Callable[..., Any]:
    """Return who compares: this machine, or the workers of a cluster."""
    from linnet.comparison import compare

    if cluster is None:
        return compare
    from linnet.scale.cluster import cluster_client
    from linnet.scale.comparing import compare as compare_on_workers

    def compared(*arguments: Any, **settings: Any) -> Any:
        with cluster_client(cluster) as client:
            return compare_on_workers(*arguments, client=client, **settings)

    return compared


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


def _command(data: str, options: dict[str, Any], report: Path, seed: int) -> str:
    """Return the command that repeats a comparison; what is as by default is left out.

    Examples
    --------
    >>> _command("my data.tsv", {"learners": "nb,svm", "folds": 3}, Path("r.html"), 0)
    "linnet compare 'my data.tsv' --learners nb,svm --folds 3 --seed 0 --report r.html"
    """
    default = {"learners": "all", "encoding": "utf-8", "errors": "strict", "repeats": 1}
    parts = ["linnet", "compare", data]
    for name, value in {**options, "seed": seed, "report": report}.items():
        for one in value if isinstance(value, list) else [value]:
            if one is not None and one != default.get(name):
                parts += [f"--{name}", str(one)]
    return shlex.join(parts)


def _rate(share: float, seconds: float) -> str:
    """Return how fast a share of the work was done, in a unit that keeps the figure small.

    Examples
    --------
    >>> _rate(0.05, 60.0), _rate(0.5, 60.0), _rate(0.87, 1.0)
    ('5 %/min', '50 %/min', '87 %/s')
    """
    rate, unit = 100 * share / max(seconds, 1e-9), "s"
    if rate < 100 / 60:  # more than a minute for all of it
        rate, unit = 60 * rate, "min"
    return f"{rate:,.0f} %/{unit}" if rate >= 10 else f"{rate:.2g} %/{unit}"


def _read(
    data: str, reading: Reading, quiet: bool, step: Callable[[str, float], None],
    columns: dict[str, str] | None, like: Any = None,
) -> Any:  # fmt: skip
    """Read sentences with tags, or rows or texts with labels; what was found out is said."""
    from linnet.cli.kinds import recognise
    from linnet.cli.shared.watching import watched_file

    settings = reading.settings()
    file = recognise(data, settings, columns=columns)
    if columns is not None:
        settings["columns"] = columns
    with watched_file(step, data):
        examples = file.kind.read_alone(file, settings, quiet, like)
    if examples.y is None:
        raise DataError(examples.no_labels())
    return examples


def _values(table: Any) -> dict[str, Any]:
    """Return a comparison as plain values; the first says who wrote them."""
    from linnet import __version__

    return {"linnet": __version__, **table.to_dict()}


def _write(path: Path, value: dict[str, Any]) -> None:
    from json import dumps

    with write_atomically(path) as out:
        out.write(dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n")
