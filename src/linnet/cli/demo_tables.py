"""Every learner on built-in data: tables of accuracies, how far training came, and a plot.

:func:`linnet.compare` compares learners on raw data, and says whether differences are significant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from sklearn.base import clone

import linnet
from linnet.cli.shared.console import stdout_console, write_atomically
from linnet.data import (
    SimpleDataSet,
    badge_features,
    count_words,
    load_badges,
    load_iris,
    load_pydoc,
    load_vague_adjectives,
    split,
)
from linnet.evaluate.metrics import accuracy, wilson_interval
from linnet.learn.shared.declaration import declaration_of
from linnet.learn.shared.known import learners

__all__ = [
    "PLOT",
    "DemoTask",
    "Row",
    "boundary_data",
    "comparison_table",
    "print_tables",
    "row_of",
    "tasks",
]

PLOT = "boundaries.png"
_LEGEND = """\
objective   what the learner minimises; each kind has its own, so compare it within a kind
optimality  what is left to gain: for maximum entropy and SVM a certified share of the objective,
            for perceptron and MIRA the share of examples still corrected in the last round
"""
Examples: TypeAlias = tuple[Any, Any]
"""Features X, in any form a learner takes, and labels y."""


@dataclass(frozen=True)
class Row:
    """What one learner did.

    ``objective`` is the last value of the learner's history and ``optimality`` its distance from
    the optimum; each is None for a learner that has none. Intervals are Wilson's, at 95 %.
    """

    name: str
    train_accuracy: float
    train_interval: tuple[float, float]
    test_accuracy: float
    test_interval: tuple[float, float]
    objective: float | None
    optimality: float | None
    seconds: float


def row_of(name: str, learner: Any, train: Examples, test: Examples) -> Row:
    """Fit a copy of a learner on `train` and evaluate it on both parts.

    Examples
    --------
    >>> from linnet.learn.maxent import MaxEnt
    >>> from linnet.data import make_gaussians
    >>> train = make_gaussians(100, [[-2, 0], [2, 0]], seed=1)
    >>> test = make_gaussians(100, [[-2, 0], [2, 0]], seed=2)
    >>> row = row_of("MaxEnt", MaxEnt(), train, test)
    >>> row.name, row.test_accuracy > 0.9
    ('MaxEnt', True)
    """
    model = clone(learner)
    began = perf_counter()
    model.fit(*train)
    seconds = perf_counter() - began
    on_train, train_interval = _evaluated(model, train)
    on_test, test_interval = _evaluated(model, test)
    record = getattr(model, "history_", {}).get("objective", ())
    optimality = getattr(model, "optimality_", None)
    return Row(
        name=name,
        train_accuracy=on_train,
        train_interval=train_interval,
        test_accuracy=on_test,
        test_interval=test_interval,
        objective=float(record[-1]) if len(record) and np.isfinite(record[-1]) else None,
        optimality=None if optimality is None else float(optimality),
        seconds=seconds,
    )


def _evaluated(model: Any, examples: Examples) -> tuple[float, tuple[float, float]]:
    X, y = examples
    gold = np.asarray(y)
    share = accuracy(gold, model.predict(X))
    return share, wilson_interval(round(share * len(gold)), len(gold))


@dataclass(frozen=True)
class DemoTask:
    """One data set and the learners to compare on it."""

    title: str
    train: tuple[Any, Any]
    test: tuple[Any, Any]
    learners: dict[str, Any]
    note: str = ""


def boundary_data() -> SimpleDataSet:
    """Return the points of the plot: S0's two Gaussians, 100 for training and 100 for testing."""
    return SimpleDataSet(nr_examples=200, g1=[[-1, -1], 1], g2=[[1, 1], 1])


def tasks() -> Iterator[DemoTask]:
    """Yield the demo's data sets, small ones first."""
    yield _gaussians("Two Gaussians", boundary_data())
    circle = SimpleDataSet(nr_examples=2000, g1=[[-1, -1], 1], g2=[[1, 1], 0.25])
    yield _gaussians("Two Gaussians of different width", circle)
    yield _iris()
    yield _badges()
    yield _docstrings()


def _learners(*reads: str, curved: bool = False) -> dict[str, Any]:
    """Return the learners of such data by their names in the tables, in the order of the lectures.

    Of those that read features in general, the ones that are not linear take part if `curved`.
    """
    rows: dict[str, Any] = {}
    for own, cls in learners("texts").items():
        declared = declaration_of(cls)
        if declared.reads in reads and (curved or declared.linear or declared.reads != "features"):
            shown = declared.shown or {own: {}}
            rows |= {name: cls(**settings) for name, settings in shown.items()}
    return rows


def _gaussians(title: str, data: SimpleDataSet) -> DemoTask:
    return DemoTask(
        title=f"{title}: {len(data.train_X)} points to learn from, {len(data.test_X)} to test",
        train=(data.train_X, data.train_y),
        test=(data.test_X, data.test_y),
        learners=_learners("numbers", "features", curved=True),
        note="The best possible classifier is right with probability "
        f"{1 - data.bayes_error():.3f}; more than that is luck.",
    )


def _iris() -> DemoTask:
    iris = load_iris()
    train, test = split(len(iris.y), (0.6, 0.4), stratify=iris.y)
    labels = np.array(iris.species)[iris.y]
    return DemoTask(
        title=f"Iris: {len(train)} flowers of three species, {len(test)} to test",
        train=(iris.X[train], labels[train]),
        test=(iris.X[test], labels[test]),
        learners=_learners("numbers", "features"),
    )


def _badges() -> DemoTask:
    badges = load_badges()
    return DemoTask(
        title=f"Badges: {len(badges.train_names)} names with + or -, "
        f"{len(badges.test_names)} to test",
        train=([badge_features(name) for name in badges.train_names], badges.train_labels),
        test=([badge_features(name) for name in badges.test_names], badges.test_labels),
        learners=_learners("presence", "features"),
        note="The rule of the game: + when the second letter is a vowel.",
    )


def _docstrings() -> DemoTask:
    corpus = load_pydoc()
    return DemoTask(
        title=f"Topics of texts: {corpus.description}, {len(corpus.test_texts)} of them to test",
        train=([count_words(text) for text in corpus.train_texts], corpus.train_labels),
        test=([count_words(text) for text in corpus.test_texts], corpus.test_labels),
        learners=_learners("counts", "presence", "features"),
        note="Words are counted as they stand, separated by white space; each is a feature.",
    )


def print_tables(output: Path) -> None:
    """Compare all learners in tables and draw their boundaries."""
    console = stdout_console()
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
        last = _write_plot(output / PLOT)
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
        figure.savefig(out.buffer, format="png", dpi=150, metadata={"Software": "linnet"})
    return f"The decision boundaries on the first data set are drawn in {path}"
