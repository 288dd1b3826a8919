"""A closer look for ``linnet evaluate``: groups, sure mistakes, abstaining, label noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from linnet.cli.answers import Answers, plain_labels
from linnet.cli.helpers import count
from linnet.errors import DataError, ParameterError
from linnet.evaluate import (
    AbstentionCurve,
    Audit,
    Mistake,
    Suspect,
    abstention_curve,
    audit,
    confident_mistakes,
    length_groups,
    suspects,
)
from linnet.explain.text import visible

__all__ = ["Closer", "Look"]

_GROUPS = 30  # listed at most
_SUSPECTS = 20
_COVERAGES = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0.1)
_ACCURACIES = (0.9, 0.95, 0.99)
_SNIPPET = 160  # characters of a text


@dataclass(frozen=True)
class Look:
    """What was asked for beyond the report."""

    groups: str | None
    mistakes: int
    abstention: bool
    suspects: bool

    def __bool__(self) -> bool:
        return bool(self.groups is not None or self.mistakes or self.abstention or self.suspects)

    def refuse(self) -> None:
        """Refuse all of it, for a model it means nothing for."""
        asked = {f"--{name}": value for name, value in asdict(self).items()}
        given = [name for name, value in asked.items() if value not in (None, 0, False)]
        if given:
            raise ParameterError(f"{given[0]} needs a classifier of one label a text; leave it out")

    def reader(self, data: str, examples: Any, reading: dict[str, Any]) -> Callable[..., Closer]:
        """Return the function that looks at truth and probabilities."""

        def found(model: Any, truth: list[Any], answers: Answers) -> Closer:
            classes, table = plain_labels(model.classes_), answers.table
            assert table is not None  # it is asked for
            groups = self._groups(data, examples, reading) if self.groups is not None else None
            listed = None
            if self.mistakes:
                listed = confident_mistakes(
                    model, examples.X, truth, self.mistakes, probabilities=table
                )
            return Closer(
                examples,
                None if groups is None else audit(truth, answers.labels, groups),
                listed,
                abstention_curve(truth, table, classes) if self.abstention else None,
                suspects(truth, table, classes) if self.suspects else None,
            )

        return found

    def _groups(self, data: str, examples: Any, reading: dict[str, Any]) -> list[Any]:
        """Return the group of each row: of its length, or a column of the file read once more."""
        from linnet.data.examples import read_examples

        if self.groups == "length":
            if examples.kind != "text":
                raise ParameterError("--groups length needs texts; name a column instead")
            return length_groups(examples.X)
        if data == "-":
            raise ParameterError("--groups reads the data twice; pass a file, not standard input")
        rows = read_examples(data, **{**reading, "label": self.groups}).y
        if rows is None or len(rows) != len(examples):
            raise DataError(f"{data} has no column {self.groups!r} with a value for every row")
        return [" ".join(map(str, row)) if isinstance(row, list) else str(row) for row in rows]


@dataclass(frozen=True)
class Closer:
    """What a closer look found; None where it was not asked for."""

    examples: Any
    audit: Audit | None
    mistakes: list[Mistake] | None
    abstention: AbstentionCurve | None
    suspects: list[Suspect] | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; rows are given by their line in the file."""
        answer: dict[str, Any] = {}
        if self.audit is not None:
            answer["groups"] = self.audit.to_dict()
        if self.mistakes is not None:
            answer["mistakes"] = [self._located(m.row, m.to_dict()) for m in self.mistakes]
        if self.abstention is not None:
            keys = ("coverage", "threshold", "accuracy")
            points = [dict(zip(keys, row, strict=True)) for row in _points(self.abstention)]
            answer["abstention"] = {"area": self.abstention.area, "curve": points}
        if self.suspects is not None:
            answer["suspects"] = [self._located(s.row, asdict(s)) for s in self.suspects]
        return answer

    def print(self, console: Console) -> None:
        """Print it for people."""
        if self.audit is not None:
            _print_audit(self.audit, console)
        if self.abstention is not None:
            _print_abstention(self.abstention, console)
        if self.mistakes is not None:
            self._print_mistakes(self.mistakes, console)
        if self.suspects is not None:
            self._print_suspects(self.suspects, console)

    def _located(self, row: int, values: dict[str, Any]) -> dict[str, Any]:
        del values["row"]
        return {"line": self._line(row), **values}

    def _line(self, row: int) -> int:
        return int(self.examples.lines[row])

    def _snippet(self, row: int) -> Text:
        example = self.examples.X[row]
        if isinstance(example, dict):
            example = " ".join(f"{name}:{value:g}" for name, value in example.items())
        elif not isinstance(example, str):  # a sparse row
            pairs = zip(example.indices.tolist(), example.data.tolist(), strict=True)
            example = " ".join(f"{column + 1}:{value:g}" for column, value in pairs)
        words = " ".join(visible(example).split())
        return Text(words if len(words) <= _SNIPPET else words[: _SNIPPET - 1] + "…")

    def _print_mistakes(self, mistakes: list[Mistake], console: Console) -> None:
        console.print("the surest mistakes" if mistakes else "no mistakes", style="bold")
        for found in mistakes:
            own = found.truth_probability
            head = Text(f"line {self._line(found.row)}: ")
            head.append(_name(found.truth)).append(" taken for ").append(_name(found.guess))
            head.append(f" at {found.probability:.3f}")
            head.append("" if own is None else f", the truth at {own:.3f}")
            console.print(head)
            console.print(Text("  ").append(self._snippet(found.row)), style="dim")
            why = ", ".join(f"{visible(name)} {value:+.3f}" for name, value in found.features)
            if why:
                console.print(Text(f"  because of {why}"))
        console.print()

    def _print_suspects(self, found: list[Suspect], console: Console) -> None:
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
            table.add_row(str(self._line(one.row)), given, rather, self._snippet(one.row))
        console.print(table)
        if len(found) > _SUSPECTS:
            console.print(f"{len(found) - _SUSPECTS} more: see --json")


def _print_audit(found: Audit, console: Console) -> None:
    table = Table(box=SIMPLE_HEAD, title="by group")
    table.add_column("group", overflow="fold")
    for heading in ("rows", "accuracy", "95 % interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("most predicted", overflow="fold")
    for name, score in list(found.groups.items())[:_GROUPS]:
        low, high = score.interval
        label, share = max(score.shares.items(), key=lambda item: item[1])
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


def _print_abstention(curve: AbstentionCurve, console: Console) -> None:
    table = Table(box=SIMPLE_HEAD, title="answering only if sure")
    for heading in ("answered", "threshold", "accuracy"):
        table.add_column(heading, justify="right", no_wrap=True)
    for coverage, threshold, share in _points(curve):
        table.add_row(f"{100 * coverage:.1f} %", f"{threshold:.4f}", f"{100 * share:.2f}")
    console.print(table)
    for goal in _ACCURACIES:
        at = curve.threshold_for(goal)
        if curve.accuracy[-1] < goal and at is not None:
            coverage = float(curve.coverage[curve.threshold == at][0])
            console.print(
                f"for an accuracy of {100 * goal:.0f} %: --abstain {_down(at)} answers "
                f"{100 * coverage:.1f} %"
            )
    console.print()


def _points(curve: AbstentionCurve) -> list[tuple[float, float, float]]:
    """Return coverage, threshold and accuracy where each round coverage is first reached."""
    places = sorted({int(np.searchsorted(curve.coverage, c - 1e-12)) for c in _COVERAGES})
    columns = (curve.coverage, curve.threshold, curve.accuracy)
    return [tuple(float(column[at]) for column in columns) for at in places[::-1]]  # type: ignore[misc]


def _down(threshold: float) -> str:
    """Return a threshold that still answers the row it was taken from.

    Examples
    --------
    >>> _down(0.9999999), _down(0.75)
    ('0.999999', '0.75')
    """
    return f"{np.floor(threshold * 1e6) / 1e6:.6g}"


def _name(label: Any) -> Text:
    return Text(visible(str(label)))
