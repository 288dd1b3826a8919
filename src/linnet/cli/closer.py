"""A closer look for ``linnet evaluate``: groups, confusion, sure mistakes, abstaining, noise."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.cli.options import changed
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

__all__ = ["Closer", "curve_points", "look_at", "place_of"]

_COVERAGES = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0.1)
_PLACES = 20  # listed of a cell


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
            points = [dict(zip(keys, row, strict=True)) for row in curve_points(self.abstention)]
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
        for row, token in map(place_of, cell.rows[:limit]):
            shown = {"example": self.measured.data.snippet(row, token)} if examples else {}
            places.append(self.measured.data.place(row, token) | shown)
        return {"truth": cell.truth, "guess": cell.guess, "count": cell.count, "rows": places}


def place_of(row: Any) -> tuple[int, int | None]:
    """Return row and token of what a cell lists."""
    return row if isinstance(row, tuple) else (row, None)


def curve_points(curve: AbstentionCurve) -> list[tuple[float, float, float]]:
    """Return coverage, threshold and accuracy where each round coverage is first reached."""
    places = sorted({int(np.searchsorted(curve.coverage, c - 1e-12)) for c in _COVERAGES})
    columns = (curve.coverage, curve.threshold, curve.accuracy)
    return [tuple(float(column[at]) for column in columns) for at in places[::-1]]  # type: ignore[misc]
