"""All learners in one table with their intervals drawn, and the test of every pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linnet.comparison.figures import METRIC, TEST, duration, p_value, percent, settings, size
from linnet.comparison.report.markup import Markup, element, isolated, joined
from linnet.comparison.report.svg import Scale, around, marker, number
from linnet.comparison.report.tables import cell, heading, name_cell, scrolling, table
from linnet.comparison.result import LEVEL

if TYPE_CHECKING:
    from linnet.comparison.result import Comparison, LearnerScore

__all__ = ["pair_matrix", "score_table"]

_WIDE, _HIGH = 160.0, 26.0
_EDGE = 8.0


def score_table(found: Comparison) -> Markup:
    """Return the table of learners, best first."""
    metric = METRIC[found.metric]
    flat = found.rows[0].macro_f1 is not None
    extra = "macro F1" if flat else "token accuracy"
    scale = around([end for row in found.rows for end in row.interval], unit=True)
    columns = [
        ("learner", "text"), (metric, "down"), ("95 % interval", "down"),
        ("p vs first", "up"), (extra, "down"), ("ECE", "up"), ("train", "up"),
        ("predict", "up"), ("memory", "up"), ("model", "up"), ("features", None),
        ("settings", None),
    ]  # fmt: skip
    head = [
        heading(
            name,
            data_sort=order,
            aria_sort="descending" if place == 1 else None,
            class_="left" if place in (0, len(columns) - 2, len(columns) - 1) else None,
        )
        for place, (name, order) in enumerate(columns)
    ]
    hidden = element("span", f"{metric}, drawn", class_="unseen")
    head.insert(3, heading(joined((hidden, _axis(scale))), class_="plotted"))
    rows = [_row(found, place, row, scale) for place, row in enumerate(found.rows)]
    says = f"Learners, best {metric} first; dotted: without learning"
    return scrolling(table(says, head, rows, "scores"), "Table of learners")


def _row(found: Comparison, place: int, row: LearnerScore, scale: Scale) -> list[Markup]:
    low, high = row.interval
    versus = found.pair(found.rows[0].name, row.name).p_corrected if place else None
    extra = row.accuracy if row.macro_f1 is None else row.macro_f1
    error = row.calibration_error
    return [
        name_cell(row.name, 32, class_="left"),
        cell(percent(row.score), row.score, class_="main"),
        cell(f"{100 * low:.2f} – {100 * high:.2f}", low),
        element("td", _dot(place, row, scale, found.card["baseline"]), class_="plotted"),
        cell("–" if versus is None else p_value(versus), -1.0 if versus is None else versus),
        cell(percent(extra), extra),
        cell("–" if error is None else f"{error:.3f}", 9.0 if error is None else error),
        cell(duration(row.train_seconds), row.train_seconds),
        cell(duration(row.predict_seconds), row.predict_seconds),
        cell("–" if row.peak_bytes is None else size(row.peak_bytes), row.peak_bytes or 0.0),
        cell(size(row.model_bytes) if row.model_bytes else "–", float(row.model_bytes)),
        element("td", row.features, class_="left"),
        element("td", settings(row.parameters) + _chosen(row), class_="left"),
    ]


def _chosen(row: LearnerScore) -> str:
    return f" ({', '.join(row.tuned)} chosen on held-out examples)" if row.tuned else ""


def _at(scale: Scale, value: float) -> float:
    return _EDGE + (_WIDE - 2 * _EDGE) * scale.at(value)


def _axis(scale: Scale) -> Markup:
    texts = [
        element(
            "text", f"{100 * value:g}", x=number(_at(scale, value)), y="13", text_anchor="middle"
        )
        for value in scale.ticks(4)
    ]
    box = f"0 0 {number(_WIDE)} 16"
    return element("svg", *texts, viewBox=box, class_="strip", aria_hidden="true")


def _dot(place: int, row: LearnerScore, scale: Scale, baseline: float) -> Markup:
    """Return the score as a marker on its interval."""
    middle = number(_HIGH / 2)
    parts = [
        element("line", class_="grid", x1=number(x), x2=number(x), y1="0", y2=number(_HIGH))
        for x in (_at(scale, value) for value in scale.ticks(4))
    ]
    if scale.low < baseline < scale.high:
        x = number(_at(scale, baseline))
        parts.append(element("line", class_="base", x1=x, x2=x, y1="0", y2=number(_HIGH)))
    ends = [number(_at(scale, end)) for end in row.interval]
    parts.append(element("line", class_="interval", x1=ends[0], x2=ends[1], y1=middle, y2=middle))
    parts.append(marker(place, _at(scale, row.score), _HIGH / 2, 4.0))
    box = f"0 0 {number(_WIDE)} {number(_HIGH)}"
    return element("svg", *parts, viewBox=box, class_="strip", aria_hidden="true")


def pair_matrix(found: Comparison) -> Markup:
    """Return all pairs: the difference of row and column in points, and its p-value."""
    if not found.pairs:
        return element("p", "There is one learner, so there is nothing to compare it with.")
    names = [row.name for row in found.rows]
    head = [heading("row minus column", class_="left"), *(heading(isolated(n, 24)) for n in names)]
    rows = [[name_cell(a, 24, class_="left"), *(_pair(found, a, b) for b in names)] for a in names]
    says = (
        f"Difference in points of {METRIC[found.metric]}, below it p by {TEST[found.test]} after "
        f"Holm's correction. ▲ the row is better, ▼ worse, ≈ not told apart at "
        f"{100 * LEVEL:.0f} %."
    )
    return scrolling(table(says, head, rows, "pairs"), "All pairs of learners")


def _pair(found: Comparison, row: str, column: str) -> Markup:
    if row == column:
        return element("td", "·", class_="quiet")
    pair = found.pair(row, column)
    difference = 100 * (pair.difference if pair.better == row else -pair.difference)
    sign = "≈" if not pair.significant else "▲" if pair.better == row else "▼"
    shown = f"{difference:+.2f}".replace("-", "−")
    below = p_value(pair.p_corrected)
    text = joined((f"{sign} {shown}", element("br"), element("small", f"p {below}")))
    return element("td", text, class_="sure" if pair.significant else None)
