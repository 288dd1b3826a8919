"""A closer look for people: tables of groups, confusions, mistakes, thresholds and suspects."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from linnet.cli.closer import Closer, curve_points, place_of
from linnet.cli.helpers import count
from linnet.cli.subjects import Subject, TagSubject
from linnet.data.terminal import escaped
from linnet.evaluate import AbstentionCurve, Audit, Cell, Mistake, Suspect

__all__ = ["print_closer"]

_GROUPS = 30  # listed at most
_SUSPECTS = 20
_CELLS = 25
_EXAMPLES = 20  # of one cell
_PLACES = 4  # of each cell, among all
_ACCURACIES = (0.9, 0.95, 0.99)


def print_closer(found: Closer, console: Console) -> None:
    """Print everything that was asked for."""
    subject = found.subject
    if found.audit is not None:
        _print_audit(found.audit, isinstance(subject, TagSubject), console)
    if found.every:
        _print_cells(found.cells or [], subject, console)
    cell = found.cell()
    if cell is not None:
        _print_cell(cell, subject, console)
    if found.abstention is not None:
        _print_abstention(found.abstention, isinstance(subject, TagSubject), console)
    if found.mistakes is not None:
        _print_mistakes(found.mistakes, subject, console)
    if found.suspects is not None:
        _print_suspects(found.suspects, subject, console)


def _print_audit(found: Audit, tokens: bool, console: Console) -> None:
    table = Table(box=SIMPLE_HEAD, title="by group")
    table.add_column("group", overflow="fold")
    for heading in ("tokens" if tokens else "rows", "accuracy", "95 % interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("most predicted", overflow="fold")
    for name, score in list(found.groups.items())[:_GROUPS]:
        low, high = score.interval
        label, share = max(score.shares.items(), key=lambda item: item[1], default=("", 0.0))
        table.add_row(
            _name(name),
            count(score.n),
            f"{100 * score.accuracy:.2f}",
            f"{100 * low:.2f} to {100 * high:.2f}",
            Text.assemble(_name(label), f" {100 * share:.0f} %"),
        )
    if len(found.groups) > _GROUPS:
        table.add_row(f"{len(found.groups) - _GROUPS} smaller groups: see --json", *[""] * 4)
    console.print(table)
    for what, part in (
        ("predicted label by group", found.predictions),
        ("true label by group", found.truth),
        ("mistakes by group, given the true label", found.mistakes),
    ):
        console.print(
            f"{what}: Cramér's V {part.cramers_v:.3f}, "
            f"{part.mutual_information:.4f} bits, p = {part.p:.4g}"
        )
    console.print()


def _print_cells(cells: list[Cell], subject: Subject, console: Console) -> None:
    wrong = [cell for cell in cells if cell.truth != cell.guess]
    if not wrong:
        console.print("nothing is taken for anything else", style="bold")
        return
    table = Table(box=SIMPLE_HEAD, title="what is taken for what, and where")
    for heading in ("truth", "taken for"):
        table.add_column(heading, overflow="fold")
    table.add_column("times", justify="right", no_wrap=True)
    table.add_column("the surest", overflow="fold")
    for cell in wrong[:_CELLS]:
        places = "; ".join(_where(subject, row) for row in cell.rows[:_PLACES])
        more = "; …" if cell.count > _PLACES else ""
        table.add_row(_name(cell.truth), _name(cell.guess), count(cell.count), Text(places + more))
    if len(wrong) > _CELLS:
        table.add_row(f"{len(wrong) - _CELLS} rarer ones: see --json", *[""] * 3)
    console.print(table)


def _print_cell(cell: Cell, subject: Subject, console: Console) -> None:
    head = Text().append(_name(cell.truth)).append(" taken for ").append(_name(cell.guess))
    console.print(head.append(f": {count(cell.count)}"), style="bold")
    for row in cell.rows[:_EXAMPLES]:
        console.print(Text(f"{_where(subject, row)}: "), end="")
        console.print(Text(subject.snippet(*place_of(row))), style="dim")
    if cell.count > _EXAMPLES:
        console.print(f"{cell.count - _EXAMPLES} more: see --json")
    console.print()


def _print_mistakes(mistakes: list[Mistake], subject: Subject, console: Console) -> None:
    console.print("the surest mistakes" if mistakes else "no mistakes", style="bold")
    for found in mistakes:
        own = found.truth_probability
        head = Text(f"{_where(subject, (found.row, found.token))}: ")
        head.append(_name(found.truth)).append(" taken for ").append(_name(found.guess))
        head.append(f" at {found.probability:.3f}")
        head.append("" if own is None else f", the truth at {own:.3f}")
        console.print(head)
        console.print(Text(f"  {subject.snippet(found.row, found.token)}"), style="dim")
        why = ", ".join(f"{escaped(name)} {value:+.3f}" for name, value in found.features)
        if why:
            console.print(Text(f"  because of {why}"))
        for reason in found.reasons:
            console.print(Text(f"  because of {escaped(reason)}"))
    console.print()


def _print_suspects(found: list[Suspect], subject: Subject, console: Console) -> None:
    if not found:
        console.print("no label looks wrong", style="bold")
        return
    table = Table(box=SIMPLE_HEAD, title=f"labels that look wrong: {count(len(found))}")
    table.add_column("line", justify="right", no_wrap=True)
    for heading in ("given", "rather", "text"):
        table.add_column(heading, overflow="fold")
    for one in found[:_SUSPECTS]:
        given = Text.assemble(_name(one.given), f" {one.probability:.3f}")
        rather = Text.assemble(_name(one.suggested), f" {one.suggested_probability:.3f}")
        line = str(subject.place(one.row)["line"])
        table.add_row(line, given, rather, Text(subject.snippet(one.row, one.token)))
    console.print(table)
    if len(found) > _SUSPECTS:
        console.print(f"{len(found) - _SUSPECTS} more: see --json")


def _print_abstention(curve: AbstentionCurve, tokens: bool, console: Console) -> None:
    table = Table(box=SIMPLE_HEAD, title="answering only if sure")
    for heading in ("tokens answered" if tokens else "answered", "threshold", "accuracy"):
        table.add_column(heading, justify="right", no_wrap=True)
    for coverage, threshold, share in curve_points(curve):
        table.add_row(f"{100 * coverage:.1f} %", f"{threshold:.4f}", f"{100 * share:.2f}")
    console.print(table)
    for goal in _ACCURACIES:
        at = curve.threshold_for(goal)
        if curve.accuracy[-1] < goal and at is not None:
            coverage = float(curve.coverage[curve.threshold == at][0])
            how = "a probability of at least" if tokens else "--abstain"
            console.print(
                f"for an accuracy of {100 * goal:.0f} %: {how} {_down(at)} answers "
                f"{100 * coverage:.1f} %"
            )
    console.print()


def _down(threshold: float) -> str:
    """Return a threshold that still answers the row it was taken from.

    Examples
    --------
    >>> _down(0.9999999), _down(0.75)
    ('0.999999', '0.75')
    """
    return f"{np.floor(threshold * 1e6) / 1e6:.6g}"


def _where(subject: Subject, row: Any) -> str:
    """Return the place of a row or token in words."""
    at = subject.place(*place_of(row))
    if "token" not in at:
        return f"line {at['line']}"
    return f"line {at['line']}, token {at['token']} {escaped(at['word'])}"


def _name(label: Any) -> Text:
    return Text("(no answer)" if label is None else escaped(str(label)))
