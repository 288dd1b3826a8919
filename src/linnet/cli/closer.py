"""A closer look for ``linnet evaluate``: groups, confusion, sure mistakes, abstaining, noise."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.text import Text

from linnet.cli.shared.console import count, escaped, grid, name_cell
from linnet.cli.shared.options import changed
from linnet.errors import ParameterError
from linnet.evaluate import (
    AbstentionCurve,
    Audit,
    Cell,
    Mistake,
    Suspect,
    abstention_curve,
    audit,
    confident_mistakes,
    confusion_cells,
    suspects,
)
from linnet.evaluate.units import as_units

if TYPE_CHECKING:
    from linnet.cli.evaluate import Look
    from linnet.cli.kinds.kind import Measured

__all__ = ["Closer", "look_at", "print_closer"]

_ACCURACIES = (0.9, 0.95, 0.99)
_COVERAGES = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0.1)
_PLACES = 20  # listed of a cell
_GROUPS = 30  # printed at most
_SUSPECTS = 20
_CELLS = 25
_EXAMPLES = 20  # of one cell
_FEW_PLACES = 4  # of each cell, among all


def look_at(measured: Measured, look: Look) -> Closer:
    """Look at what a model said as closely as was asked for."""
    p = _probabilities(measured, look)
    classes, truth, guess = measured.classes, measured.truth, measured.guess
    mistakes = None
    if look.mistakes:
        mistakes = confident_mistakes(
            measured.model, measured.data.X, truth, look.mistakes, probabilities=p, guess=guess
        )
    return Closer(
        measured,
        look,
        None if look.groups is None else _audited(measured, look.groups),
        mistakes,
        abstention_curve(truth, p, classes) if look.abstention else None,
        suspects(truth, p, classes) if look.suspects else None,
        _cells(measured, p) if look.confusion or look.cell is not None else None,
    )


def _probabilities(measured: Measured, look: Look) -> Any:
    """Return the probabilities, if something asks for them."""
    if look.abstention and measured.several:
        raise ParameterError(
            "--abstention needs one label a row; a model of several has no single answer"
        )
    p = measured.probabilities() if changed(look, groups=None) != type(look)() else None
    needy = {f"--{name}": getattr(look, name) for name in ("mistakes", "abstention", "suspects")}
    asked = next((name for name, value in needy.items() if value), None)
    if asked is not None and p is None:
        learner = measured.model.record_.get("learner", "the learner")
        raise ParameterError(
            f"{asked} needs probabilities, and the scores of {learner} are none; "
            "train a CRF, an HMM or a MEMM, or use --confusion"
        )
    return p


def _audited(measured: Measured, name: str) -> Audit:
    groups, truth, guess = measured.data.groups(name), measured.truth, measured.guess
    if groups and isinstance(groups[0], list):  # a column of tokens
        groups, truth, guess = (list(chain(*part)) for part in (groups, truth, guess))
    return audit(truth, guess, groups)


def _cells(measured: Measured, p: Any) -> list[Cell]:
    """Return the cells of the confusion matrix, the surest examples of each first."""
    if p is None:
        return confusion_cells(measured.truth, measured.guess)
    units = as_units(measured.truth, p, measured.classes, measured.guess)
    if not measured.several:
        return confusion_cells(measured.truth, measured.guess, units.sure)
    cells = confusion_cells(units.gold, units.guess, units.sure)
    rows = units.row.tolist()
    return [Cell(c.truth, c.guess, tuple(rows[unit] for unit in c.rows)) for c in cells]


@dataclass(frozen=True)
class Closer:
    """What a closer look found; None where it was not asked for."""

    measured: Measured
    look: Look
    audit: Audit | None = None
    mistakes: list[Mistake] | None = None
    abstention: AbstentionCurve | None = None
    suspects: list[Suspect] | None = None
    cells: list[Cell] | None = None

    def __post_init__(self) -> None:
        self.cell()  # so that a label that is not there is told before anything is printed

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; rows are given by their line in the file."""
        answer: dict[str, Any] = {}
        if self.audit is not None:
            answer["groups"] = self.audit.to_dict()
        if self.mistakes is not None:
            answer["mistakes"] = [self._located(m, m.to_dict()) for m in self.mistakes]
        if self.abstention is not None:
            keys = ("coverage", "threshold", "accuracy")
            points = [dict(zip(keys, row, strict=True)) for row in _curve_points(self.abstention)]
            answer["abstention"] = {"area": self.abstention.area, "curve": points}
        if self.suspects is not None:
            answer["suspects"] = [self._located(s, asdict(s)) for s in self.suspects]
        if self.look.confusion:
            answer["confusion_cells"] = [self._listed(c, _PLACES) for c in self.cells or []]
        one = self.cell()
        if one is not None:
            answer["cell"] = self._listed(one, None, examples=True)
        return answer

    def cell(self) -> Cell | None:
        """Return the cell that was asked for by name; it may have no rows."""
        if self.look.cell is None:
            return None
        cells, classes = self.cells or [], self.measured.classes
        labels = [*classes, *(f"not {c}" for c in classes)] if self.measured.several else classes
        known = {str(label): label for label in (*labels, *(cell.truth for cell in cells))}
        answers = known | {"": None}  # no answer
        parts = self.look.cell.split(",")
        for at in range(1, len(parts)):
            truth, guess = ",".join(parts[:at]), ",".join(parts[at:])
            if truth in known and guess in answers:
                pair = known[truth], answers[guess]
                return next((c for c in cells if (c.truth, c.guess) == pair), Cell(*pair, ()))
        listed = ", ".join(list(known)[:10])
        raise ParameterError(
            f"--cell must be TRUTH,GUESS, two of the labels {listed}; got {self.look.cell!r}"
        )

    def _located(self, one: Mistake | Suspect, values: dict[str, Any]) -> dict[str, Any]:
        for name in ("row", "token"):
            del values[name]
        return {**self.measured.data.place(one.row, one.token), **values}

    def _listed(self, cell: Cell, limit: int | None, examples: bool = False) -> dict[str, Any]:
        places = []
        for row, token in map(_place_of, cell.rows[:limit]):
            shown = {"example": self.measured.data.snippet(row, token)} if examples else {}
            places.append(self.measured.data.place(row, token) | shown)
        return {"truth": cell.truth, "guess": cell.guess, "count": cell.count, "rows": places}


def _place_of(row: Any) -> tuple[int, int | None]:
    """Return row and token of what a cell lists."""
    return row if isinstance(row, tuple) else (row, None)


def _curve_points(curve: AbstentionCurve) -> list[tuple[float, float, float]]:
    """Return coverage, threshold and accuracy where each round coverage is first reached."""
    places = sorted({int(np.searchsorted(curve.coverage, c - 1e-12)) for c in _COVERAGES})
    columns = (curve.coverage, curve.threshold, curve.accuracy)
    return [tuple(float(column[at]) for column in columns) for at in places[::-1]]  # type: ignore[misc]


def print_closer(closer: Closer, console: Console) -> None:
    """Print everything that was asked for."""
    measured = closer.measured
    if closer.audit is not None:
        _print_audit(closer.audit, measured.tokens, console)
    if closer.look.confusion:
        _print_cells(closer.cells or [], measured, console)
    cell = closer.cell()
    if cell is not None:
        _print_cell(cell, measured, console)
    if closer.abstention is not None:
        _print_abstention(closer.abstention, measured.tokens, console)
    if closer.mistakes is not None:
        _print_mistakes(closer.mistakes, measured, console)
    if closer.suspects is not None:
        _print_suspects(closer.suspects, measured, console)


def _print_audit(audit: Audit, tokens: bool, console: Console) -> None:
    figures = ["tokens" if tokens else "rows", "accuracy", "95 % interval"]
    table = grid(["group"], figures, ["most predicted"], title="by group")
    for name, score in list(audit.groups.items())[:_GROUPS]:
        low, high = score.interval
        label, share = max(score.shares.items(), key=lambda item: item[1], default=("", 0.0))
        table.add_row(
            name_cell(name),
            count(score.n),
            f"{100 * score.accuracy:.2f}",
            f"{100 * low:.2f} to {100 * high:.2f}",
            Text.assemble(name_cell(label), f" {100 * share:.0f} %"),
        )
    if len(audit.groups) > _GROUPS:
        table.add_row(f"{len(audit.groups) - _GROUPS} smaller groups: see --json", *[""] * 4)
    console.print(table)
    for what, part in (
        ("predicted label by group", audit.predictions),
        ("true label by group", audit.truth),
        ("mistakes by group, given the true label", audit.mistakes),
    ):
        console.print(
            f"{what}: Cramér's V {part.cramers_v:.3f}, "
            f"{part.mutual_information:.4f} bits, p = {part.p:.4g}"
        )
    console.print()


def _print_cells(cells: list[Cell], measured: Measured, console: Console) -> None:
    wrong = [cell for cell in cells if cell.truth != cell.guess]
    if not wrong:
        console.print("nothing is taken for anything else", style="bold")
        return
    title = "what is taken for what, and where"
    table = grid(["truth", "taken for"], ["times"], ["the surest"], title=title)
    for cell in wrong[:_CELLS]:
        places = "; ".join(_where(measured, row) for row in cell.rows[:_FEW_PLACES])
        more = "; …" if cell.count > _FEW_PLACES else ""
        table.add_row(
            name_cell(cell.truth), name_cell(cell.guess), count(cell.count), Text(places + more)
        )
    if len(wrong) > _CELLS:
        table.add_row(f"{len(wrong) - _CELLS} rarer ones: see --json", *[""] * 3)
    console.print(table)


def _print_cell(cell: Cell, measured: Measured, console: Console) -> None:
    head = Text().append(name_cell(cell.truth)).append(" taken for ").append(name_cell(cell.guess))
    console.print(head.append(f": {count(cell.count)}"), style="bold")
    for row in cell.rows[:_EXAMPLES]:
        console.print(Text(f"{_where(measured, row)}: "), end="")
        console.print(Text(measured.data.snippet(*_place_of(row))), style="dim")
    if cell.count > _EXAMPLES:
        console.print(f"{cell.count - _EXAMPLES} more: see --json")
    console.print()


def _print_mistakes(mistakes: list[Mistake], measured: Measured, console: Console) -> None:
    console.print("the surest mistakes" if mistakes else "no mistakes", style="bold")
    for mistake in mistakes:
        truth = mistake.truth_probability
        head = Text(f"{_where(measured, (mistake.row, mistake.token))}: ")
        head.append(name_cell(mistake.truth)).append(" taken for ").append(name_cell(mistake.guess))
        head.append(f" at {mistake.probability:.3f}")
        head.append("" if truth is None else f", the truth at {truth:.3f}")
        console.print(head)
        console.print(Text(f"  {measured.data.snippet(mistake.row, mistake.token)}"), style="dim")
        why = ", ".join(f"{escaped(name)} {value:+.3f}" for name, value in mistake.features)
        if why:
            console.print(Text(f"  because of {why}"))
        for reason in mistake.reasons:
            console.print(Text(f"  because of {escaped(reason)}"))
    console.print()


def _print_suspects(suspects: list[Suspect], measured: Measured, console: Console) -> None:
    if not suspects:
        console.print("no label looks wrong", style="bold")
        return
    title = f"labels that look wrong: {count(len(suspects))}"
    table = grid([], ["line"], ["given", "rather", "text"], title=title)
    for one in suspects[:_SUSPECTS]:
        given = Text.assemble(name_cell(one.given), f" {one.probability:.3f}")
        rather = Text.assemble(name_cell(one.suggested), f" {one.suggested_probability:.3f}")
        line = str(measured.data.place(one.row)["line"])
        table.add_row(line, given, rather, Text(measured.data.snippet(one.row, one.token)))
    console.print(table)
    if len(suspects) > _SUSPECTS:
        console.print(f"{len(suspects) - _SUSPECTS} more: see --json")


def _print_abstention(curve: AbstentionCurve, tokens: bool, console: Console) -> None:
    answered = "tokens answered" if tokens else "answered"
    table = grid([], [answered, "threshold", "accuracy"], title="answering only if sure")
    for coverage, threshold, share in _curve_points(curve):
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


def _where(measured: Measured, row: Any) -> str:
    """Return the place of a row or token in words."""
    at = measured.data.place(*_place_of(row))
    if "token" not in at:
        return f"line {at['line']}"
    return f"line {at['line']}, token {at['token']} {escaped(at['word'])}"
