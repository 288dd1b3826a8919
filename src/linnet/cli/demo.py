"""``linnet demo``: the text pipeline, then every learner on built-in data, as tables and a plot."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import linnet
from linnet.cli.demo_rows import Row, row_of
from linnet.cli.demo_tasks import boundary_data, tasks
from linnet.data import (
    load_pydoc,
    load_vague_adjectives,
    write_atomically,
    write_labelled_text,
)

__all__ = ["run"]

_WIDTH_IN_A_PIPE = 120
_SENTENCE = "Wait until the thread terminates and return the payload of its message."
_LEGEND = """\
objective   what the learner minimises; each kind has its own, so compare it within a kind
optimality  what is left to gain: for maximum entropy and SVM a certified share of the objective,
            for perceptron and MIRA the share of examples still corrected in the last round
"""


def run(output: Path) -> None:
    """Print what the verbs print, then the tables; write everything into the folder `output`."""
    report = output / "report.html"
    _pipeline(output, report)
    _comparison(output)
    print(f"Which learner, how sure, and why: open {report} in a browser")


def _pipeline(output: Path, report: Path) -> None:
    """Train, evaluate, explain and inspect a text classifier as a user would."""
    corpus = load_pydoc()
    output.mkdir(parents=True, exist_ok=True)
    train, test, model = (output / name for name in ("train.tsv", "test.tsv", "pydoc.linnet"))
    write_labelled_text(train, corpus.train_labels, corpus.train_texts)
    write_labelled_text(test, corpus.test_labels, corpus.test_texts)
    print(f"Text in, labels out: {corpus.description}\n")
    verbs = (
        ["train", str(train), "-o", str(model)],
        ["evaluate", str(model), str(test)],
        ["explain", str(model), _SENTENCE],
        ["inspect", str(model), "--top", "5"],
        [
            *("compare", str(train), "--test", str(test)),
            *("--curve", "0.1,0.3,1", "--report", str(report)),
        ],
    )
    for arguments in verbs:
        print(f"$ linnet {shlex.join(arguments)}", flush=True)
        _call(arguments)
        print(flush=True)


def _call(arguments: list[str]) -> None:
    from linnet.cli.app import app

    try:
        app(arguments, prog_name="linnet", standalone_mode=False)
    except SystemExit as stop:
        if stop.code:
            raise


def _comparison(output: Path) -> None:
    """Compare all learners in tables and draw their boundaries."""
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, width=_WIDTH_IN_A_PIPE)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("reading the data", total=None)
        todo = list(tasks())
        progress.update(bar, total=sum(len(task.learners) for task in todo))
        for task in todo:
            rows = []
            for name, learner in task.learners.items():
                progress.update(bar, description=f"training: {name}")
                rows.append(row_of(name, learner, task.train, task.test))
                progress.advance(bar)
            _print(console, task.title, comparison_table(rows), task.note)
        console.print(_LEGEND)
        _print(console, *_regression())
        progress.update(bar, description="plotting")
        last = _write_plot(output / "boundaries.png")
    console.print(last, soft_wrap=True)


def _print(console: Console, title: str, table: Table, note: str) -> None:
    console.print(title, style="bold")
    console.print(table)
    if note:
        console.print(f"{note}\n")


def comparison_table(rows: Iterable[Row]) -> Table:
    """Return learners and their accuracies as a table for the terminal or a pipe."""
    table = Table(box=SIMPLE_HEAD, collapse_padding=True)
    table.add_column("learner")  # the one column that may wrap on a narrow terminal
    for heading in ("train", "test", "95 % interval", "objective", "optimality", "seconds"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        low, high = row.test_interval
        table.add_row(
            row.name,
            f"{row.train_accuracy:.3f}",
            f"{row.test_accuracy:.3f}",
            f"{low:.3f} - {high:.3f}",
            "" if row.objective is None else f"{row.objective:.6g}",
            "" if row.optimality is None else f"{row.optimality:.1e}",
            f"{row.seconds:.3f}",
        )
    return table


def _regression() -> tuple[str, Table, str]:
    """Fit the lecture's six houses by least squares; return title, table and note."""
    X, y = load_vague_adjectives()
    model = linnet.LinearRegression().fit(X, y)
    table = Table(box=SIMPLE_HEAD)
    for heading in ("vague adjectives", "dollars", "predicted"):
        table.add_column(heading, justify="right")
    for values in np.column_stack([X, y, model.predict(X)]):
        table.add_row(*(f"{value:.0f}" for value in values))
    return (
        "Linear regression: adjectives in an advertisement, dollars paid over the asking price",
        table,
        f"dollars = {model.intercept_:.0f} {model.coef_[0]:+.0f} * adjectives, "
        f"squared error {model.history_['objective'][-1]:.0f}",
    )


def _write_plot(path: Path) -> str:
    """Draw all boundaries on the first data set; return what there is to say about it."""
    from linnet.explain.plots import compare_all

    try:
        import matplotlib
    except ImportError:
        return "No plot: matplotlib is not installed; pip install linnet[plot] brings it."
    matplotlib.use("agg")
    figure, _ = compare_all(boundary_data())
    path.parent.mkdir(parents=True, exist_ok=True)
    with write_atomically(path) as out:
        figure.savefig(out.buffer, format="png", dpi=150)
    return f"The decision boundaries on the first data set are drawn in {path}"
