"""The plots of the report: cost, learning curves, calibration, abstaining. Each has its numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from linnet.comparison.figures import METRIC, duration, percent, size
from linnet.comparison.report.markup import Markup, element, isolated, joined
from linnet.comparison.report.svg import Frame, Scale, around, line, mark, marker, number
from linnet.comparison.report.tables import cell, folded, name_cell, scrolling, table
from linnet.evaluate.calibration import Bin, calibrate, merged
from linnet.evaluate.curves import abstention_curve

if TYPE_CHECKING:
    from linnet.comparison.answers import LearnerAnswers
    from linnet.comparison.result import Comparison, LearnerScore

__all__ = ["calibration_panels", "cost_plots", "coverage_plot", "curve_plot"]

_BINS, _FEWEST = 10, 10  # a bin with fewer answers is joined with its neighbour
_MARK = 12.0  # the width of a marker and some room
_COVERAGES = np.linspace(0.1, 1.0, 19)


def cost_plots(found: Comparison) -> list[Markup]:
    """Return the score against training time, and against the size of the model."""
    plots = [
        _scatter(
            found, "What training time buys", "training, seconds",
            lambda row: max(row.train_seconds, 1e-3), _plain,
            lambda row: duration(row.train_seconds),
        )
    ]  # fmt: skip
    if any(row.model_bytes for row in found.rows):
        plots.append(
            _scatter(
                found, "What a larger model buys", "model in a file",
                lambda row: float(row.model_bytes), lambda value: size(value).replace(".0", ""),
                lambda row: size(row.model_bytes),
            )
        )  # fmt: skip
    return plots


def curve_plot(found: Comparison) -> Markup | None:
    """Return the learning curves, if they were asked for."""
    series = [(place, row.name, _floats(row.curve)) for place, row in enumerate(found.rows)]
    series = [one for one in series if one[2]]
    if not series:
        return None
    metric = METRIC[found.metric]
    sizes = sorted({n for _, _, points in series for n, _ in points})
    shown = [end for row in found.rows for pair in row.curve_intervals for end in pair]
    frame = Frame(
        around(sizes, log=True), around(shown, unit=True),
        f"training {found.card['kind']}", metric, lambda n: f"{n:,.0f}", _share,
        x_ticks=tuple(sizes) if len(sizes) <= 5 else None,
    )  # fmt: skip
    ends = {row.name: row.curve_intervals for row in found.rows}
    drawn = _lines(
        frame, series, lambda x, y: f"{x:,.0f} {found.card['kind']}, {percent(y)}", intervals=ends
    )
    rows = []
    for _, name, points in series:
        at = {n: (y, *pair) for (n, y), pair in zip(points, ends[name], strict=True)}
        rows.append([name_cell(name), *(_with_interval(at.get(n)) for n in sizes)])
    twin = table(f"{metric} after so many", ["learner", *(f"{n:,.0f}" for n in sizes)], rows)
    return _figure(
        "Learning curves", "Each learner after parts of the training data. A line that still "
        "climbs at its end asks for more labelled data; upright lines are 95 % intervals.",
        frame.draw("Learning curves", *drawn), _legend(series), twin,
    )  # fmt: skip


def coverage_plot(found: Comparison) -> Markup | None:
    """Return the accuracy on what a learner is surest of, for learners with probabilities."""
    series = []
    for place, row in enumerate(found.rows):
        own = _answers(found, row.name)
        if own is not None:
            series.append((place, row.name, _coverage(own)))
    if not series:
        return None
    units = "tokens" if found.card["kind"] == "sentences" else "examples"
    frame = Frame(
        Scale(0.0, 1.0), around([1.0, *(y for *_, points in series for _, y in points)], unit=True),
        f"share of {units} answered, the surest first", "accuracy on them", _share, _share,
    )  # fmt: skip
    drawn = _lines(frame, series, lambda x, y: f"{100 * x:.0f} % answered, {percent(y)}", 3.5)
    rows = [[name_cell(name), *(cell(percent(y)) for _, y in points)] for _, name, points in series]
    head = ["learner", *(f"{100 * share:.0f} %" for share in _COVERAGES)]
    return _figure(
        "Answering only when sure", "Leave out what a learner is least sure of, and the rest "
        "gets more accurate. A flat line means that it does not know when it errs.",
        frame.draw("Accuracy against coverage", *drawn), _legend(series),
        table(f"accuracy when so many {units} are answered", head, rows),
    )  # fmt: skip


def calibration_panels(found: Comparison) -> list[Markup]:
    """Return a reliability plot for each learner with probabilities."""
    panels = []
    for place, row in enumerate(found.rows):
        own = _answers(found, row.name)
        if own is not None and own.sure is not None and own.hit is not None:
            column = np.where(own.hit, 0, -1)  # one column: the most probable label's
            measured = calibrate(own.sure[:, None], column, _BINS)
            panels.append(_reliability(place, row, merged(measured.bins, _FEWEST)))
    return panels


def _reliability(place: int, row: LearnerScore, bins: Sequence[Bin]) -> Markup:
    unit = Scale(0.0, 1.0)
    frame = Frame(unit, unit, "says", "is right", _share, _share, 240.0, 230.0)
    (x1, y1), (x2, y2) = frame.place(0, 0), frame.place(1, 1)
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    diagonal = element("line", class_="base", **{key: number(v) for key, v in ends.items()})
    points = [frame.place(one.confidence, one.accuracy) for one in bins]
    most = max((one.n for one in bins), default=1)
    marks = [
        mark(
            place, *at, f"{row.name} says {percent(one.confidence)}, is right "
            f"{percent(one.accuracy)} of {one.n:,}", _whisker(frame, at[0], one.interval),
            size=2.5 + 3.5 * (one.n / most) ** 0.5,
        )
        for at, one in zip(points, bins, strict=True)
    ]  # fmt: skip
    drawn = frame.draw(
        f"Calibration of {row.name}", diagonal, line(place, points), *marks, ticks=(3, 3)
    )
    rows = [
        [name_cell(f"{100 * one.low:.0f} – {100 * one.high:.0f} %"), cell(percent(one.confidence)),
         cell(percent(one.accuracy)), cell(" – ".join(map(percent, one.interval))),
         cell(f"{one.n:,}")]
        for one in bins
    ]  # fmt: skip
    error = row.calibration_error
    said = "" if error is None else f"calibration error {error:.3f}"
    heads = ["bin", "says", "is right", "95 % interval", "answers"]
    twin = table(f"{row.name} in bins of confidence", heads, rows)
    return _figure(row.name, said, drawn, None, twin, kind="panel")


def _apart(places: Sequence[float]) -> list[float]:
    """Return places across, moved as little as keeps markers from hiding each other.

    With x in order, y_i = x_i - i·width must not fall: the nearest such y is an isotonic
    regression.

    Examples
    --------
    >>> _apart([50.0, 10.0, 50.0, 50.0])
    [38.0, 10.0, 50.0, 62.0]
    """
    from sklearn.isotonic import isotonic_regression

    x = np.asarray(places)
    order, room = np.argsort(x, kind="stable"), _MARK * np.arange(len(x))
    moved = np.empty_like(x)
    moved[order] = isotonic_regression(x[order] - room) + room
    return [float(place) for place in moved]


def _whisker(frame: Frame, across: float, interval: tuple[float, float]) -> Markup:
    """Return the line of an interval at a place across."""
    low, high = (frame.place(frame.x.low, end)[1] for end in interval)
    ends = {"x1": across, "x2": across, "y1": low, "y2": high}
    return element("line", class_="interval", **{key: number(v) for key, v in ends.items()})


def _scatter(
    found: Comparison,
    title: str,
    x_name: str,
    x_of: Callable[[LearnerScore], float],
    x_text: Callable[[float], str],
    x_says: Callable[[LearnerScore], str],
) -> Markup:
    known = [(place, row) for place, row in enumerate(found.rows) if x_of(row) > 0]
    metric = METRIC[found.metric]
    frame = Frame(
        around([x_of(row) for _, row in known], log=True),
        around([end for _, row in known for end in row.interval], unit=True),
        x_name, metric, x_text, _share,
    )  # fmt: skip
    marks = []
    across = _apart([frame.place(x_of(row), row.score)[0] for _, row in known])
    for (place, row), x in zip(known, across, strict=True):
        _, y = frame.place(x_of(row), row.score)
        whisker = _whisker(frame, x, row.interval)
        says = f"{row.name}: {metric} {percent(row.score)}, {x_says(row)}"
        marks.append(mark(place, x, y, says, whisker))
    rows = [[name_cell(row.name), cell(percent(row.score)), cell(x_says(row))] for _, row in known]
    return _figure(
        title, "Up is better, left is cheaper; lines are 95 % intervals. Learners that cost the "
        "same stand side by side.",
        frame.draw(title, *marks), _legend([(place, row.name, []) for place, row in known]),
        table(title, ["learner", metric, x_name], rows),
    )  # fmt: skip


def _lines(
    frame: Frame,
    series: Sequence[tuple[int, str, list[tuple[float, float]]]],
    says: Callable[[float, float], str],
    dot: float = 4.5,
    intervals: Mapping[str, Sequence[tuple[float, float]]] | None = None,
) -> list[Markup]:
    parts = []
    for place, name, points in series:
        drawn = [frame.place(x, y) for x, y in points]
        parts.append(line(place, drawn))
        if intervals:
            pairs = zip(drawn, intervals[name], strict=True)
            whiskers = [_whisker(frame, x, ends) for (x, _), ends in pairs]
            parts.append(element("g", *whiskers, data_s=place))
        for (x, y), at in zip(points, drawn, strict=True):
            parts.append(mark(place, *at, f"{name}: {says(x, y)}", size=dot))
    return parts


def _with_interval(point: tuple[float, float, float] | None) -> Markup:
    if point is None:
        return cell("–")
    score, low, high = point
    below = element("small", f"{100 * low:.2f} – {100 * high:.2f}")
    return cell(joined((percent(score), element("br"), below)))


def _legend(series: Sequence[tuple[int, str, object]]) -> Markup:
    """Return the markers and their names; the script lets them switch a series on and off."""
    keys = []
    for place, name, _ in series:
        sign = element(
            "svg", marker(place, 8, 8, 5), viewBox="0 0 16 16", class_="key", aria_hidden="true"
        )
        keys.append(element("li", element("span", sign, isolated(name, 32), data_s=place)))
    return element("ul", *keys, class_="legend")


def _figure(
    title: str, said: str, drawn: Markup, legend: Markup | None, twin: Markup, kind: str = "wide"
) -> Markup:
    caption = element("figcaption", element("h3", isolated(title, 60)), element("p", said))
    numbers = folded("Numbers", scrolling(twin, f"Numbers: {title}"))
    return element("figure", caption, joined((drawn, legend, numbers)), class_=kind)


def _answers(found: Comparison, name: str) -> LearnerAnswers | None:
    own = None if found.answers is None else found.answers.learners.get(name)
    return own if own is not None and own.sure is not None and own.hit is not None else None


def _coverage(own: LearnerAnswers) -> list[tuple[float, float]]:
    """Return the accuracy at some coverages; a tie is answered as a whole."""
    right = ["yes" if hit else "no" for hit in own.hit.tolist()]  # type: ignore[union-attr]
    curve = abstention_curve(right, own.sure[:, None], ["yes"])  # type: ignore[index]
    places = np.searchsorted(curve.coverage, _COVERAGES - 1e-9)
    return [(float(curve.coverage[at]), float(curve.accuracy[at])) for at in places.tolist()]


def _floats(points: Sequence[tuple[int, float]]) -> list[tuple[float, float]]:
    return [(float(n), score) for n, score in points]


def _share(value: float) -> str:
    return f"{100 * value:.6g} %"


def _plain(value: float) -> str:
    return f"{value:g}"
