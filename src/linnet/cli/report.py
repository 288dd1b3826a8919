"""A report for people: figures, a table of classes, confusions, calibration bars."""

from __future__ import annotations

from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from linnet.cli.helpers import count
from linnet.data.terminal import escaped
from linnet.evaluate import Calibration, Report

__all__ = ["headline", "print_report"]

_MATRIX_UP_TO = 8  # classes; with more only the largest confusions are shown
_ROWS = 50  # classes listed at most
_BAR = 20


def headline(report: Report) -> str:
    """Return accuracy, interval and number of examples as one phrase."""
    low, high = report.interval
    return (
        f"accuracy {100 * report.accuracy:.2f} % "
        f"(95 % interval {100 * low:.2f} to {100 * high:.2f}, {count(report.n)} examples)"
    )


def print_report(report: Report, console: Console) -> None:
    """Print everything there is to say."""
    console.print(headline(report), style="bold")
    console.print(
        f"F1: macro {report.macro_f1:.4f}, micro {report.micro_f1:.4f}, "
        f"weighted {report.weighted_f1:.4f}"
    )
    if report.hamming_loss is not None:
        console.print(f"share of wrong label decisions {report.hamming_loss:.4f}")
    if report.abstained:
        answered = report.answered_accuracy
        console.print(
            f"no answer for {100 * report.abstained:.2f} %"
            + ("" if answered is None else f"; accuracy of the others {100 * answered:.2f} %")
        )
    if report.unseen:
        names = ", ".join(escaped(str(label)) for label in report.unseen[:10])
        console.print(f"labels the model never saw, always wrong: {names}", style="yellow")
    console.print(_class_table(report))
    if report.confusion is not None:
        _print_confusions(report, console)
    if report.calibration is not None:
        _print_calibration(report.calibration, console)


def _class_table(report: Report) -> Table:
    table = Table(box=SIMPLE_HEAD)
    table.add_column("label", overflow="fold")
    for heading in ("precision", "recall", "F1", "support"):
        table.add_column(heading, justify="right", no_wrap=True)
    ranked = sorted(report.classes.items(), key=lambda item: -item[1].support)
    for label, score in list(report.classes.items()) if len(ranked) <= _ROWS else ranked[:_ROWS]:
        table.add_row(
            _name(label),
            f"{score.precision:.4f}",
            f"{score.recall:.4f}",
            f"{score.f1:.4f}",
            count(score.support),
        )
    if len(ranked) > _ROWS:
        table.add_row(f"{len(ranked) - _ROWS} rarer labels: see --json", "", "", "", "")
    return table


def _print_confusions(report: Report, console: Console) -> None:
    labels = list(report.classes)
    if report.confusion is not None and 1 < len(labels) <= _MATRIX_UP_TO:
        table = Table(box=SIMPLE_HEAD, title="truth (rows) and prediction (columns)")
        table.add_column("", overflow="fold")
        for label in labels:
            table.add_column(_name(label), justify="right")
        for label, row in zip(labels, report.confusion.tolist(), strict=True):
            table.add_row(_name(label), *(count(cell) if cell else "·" for cell in row))
        console.print(table)
        return
    worst = report.confusions()
    if not worst:
        return
    table = Table(box=SIMPLE_HEAD, title="the most frequent confusions")
    table.add_column("truth", overflow="fold")
    table.add_column("taken for", overflow="fold")
    table.add_column("times", justify="right", no_wrap=True)
    for truth, guess, times in worst:
        table.add_row(_name(truth), _name(guess), count(times))
    console.print(table)


def _print_calibration(calibration: Calibration, console: Console) -> None:
    console.print(
        f"calibration: expected error {calibration.error:.4f}, Brier {calibration.brier:.4f}, "
        f"log loss {calibration.log_loss:.4f}"
    )
    table = Table(box=SIMPLE_HEAD)
    for heading in ("said", "right", "rows"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("share right; | marks the promise")
    for part in calibration.bins:
        table.add_row(
            f"{part.confidence:.3f}",
            f"{part.accuracy:.3f}",
            count(part.n),
            _bar(part.accuracy, part.confidence),
        )
    console.print(table)


def _bar(filled: float, mark: float) -> str:
    """Draw a share as a bar with a mark where it was promised to end.

    Examples
    --------
    >>> _bar(0.5, 0.75)
    '██████████     |     '
    """
    cells = ["█" if i < round(filled * _BAR) else " " for i in range(_BAR + 1)]
    cells[round(mark * _BAR)] = "|"
    return "".join(cells)


def _name(label: Any) -> Text:
    return Text(escaped(str(label)))
