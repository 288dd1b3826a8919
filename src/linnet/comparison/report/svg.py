"""Plots as SVG: scales, axes, marks. Colours are those of :mod:`linnet.explain.style`, by class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

from linnet.comparison.report.markup import Markup, element, joined
from linnet.explain.style import COLOURS, MARKERS

__all__ = ["Frame", "Scale", "around", "line", "mark", "marker", "number"]

_N = len(COLOURS)
_DECADE = 8.0  # the least ratio of the ends of a logarithmic scale
_DASHES = [dashes for _, dashes in COLOURS.values()]
#: Outlines of the markers around (0, 0), about as large as a circle of radius 1.
_SHAPES = {
    "o": "M1 0A1 1 0 1 1-1 0A1 1 0 1 1 1 0Z",
    "^": "M0-1.2L1.1.8L-1.1.8Z",
    "D": "M0-1.25L1.1 0L0 1.25L-1.1 0Z",
    "v": "M0 1.2L1.1-.8L-1.1-.8Z",
    "P": "M-.4-1.15H.4V-.4H1.15V.4H.4V1.15H-.4V.4H-1.15V-.4H-.4Z",
    "X": "M-1.1-.6L-.6-1.1L0-.5L.6-1.1L1.1-.6L.5 0L1.1.6L.6 1.1L0 .5L-.6 1.1L-1.1.6L-.5 0Z",
}


@dataclass(frozen=True)
class Scale:
    """From values to a place between 0 and 1, evenly or by their logarithm."""

    low: float
    high: float
    log: bool = False

    def at(self, value: float) -> float:
        """Return the place of a value; one outside is put on the edge."""
        low, high = self.low, self.high
        if self.log:
            low, high, value = log10(low), log10(high), log10(max(value, 1e-300))
        return min(1.0, max(0.0, (value - low) / (high - low)))

    def ticks(self, most: int = 6) -> list[float]:
        """Return round values between the ends.

        Examples
        --------
        >>> Scale(0.0, 1.0).ticks(), Scale(0.3, 40.0, log=True).ticks()
        ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [1.0, 10.0])
        """
        if self.log:
            return self._powers(most)
        step = _step((self.high - self.low) / most)
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [round(step * i, 12) for i in range(first, last + 1)]

    def _powers(self, most: int) -> list[float]:
        powers = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
        for digits in ((1,), (1, 3), (1, 2, 5)):
            values = [digit * 10.0**power for power in powers for digit in digits]
            inside = [v for v in values if self.low * 0.999 <= v <= self.high * 1.001]
            if len(inside) >= 2:
                break
        return inside[:: max(1, ceil(len(inside) / most))]


def _step(least: float) -> float:
    """Return the smallest 1, 2 or 5 times a power of ten that is not smaller."""
    power = 10.0 ** floor(log10(least))
    return next(digit * power for digit in (1, 2, 5, 10) if digit * power >= least * 0.999)


def around(values: Sequence[float], *, log: bool = False, unit: bool = False) -> Scale:
    """Return a scale on which all values have some room; with `unit` not beyond 0 and 1.

    With `log` it is logarithmic and wide enough for ticks; values must be positive.

    Examples
    --------
    >>> around([0.5, 1.0], unit=True)
    Scale(low=0.45, high=1.0, log=False)
    """
    low, high = min(values), max(values)
    if log:
        narrow = max(1.0, (_DECADE * low / high) ** 0.5)
        low, high = low / narrow, high * narrow
        room = (high / low) ** 0.08
        return Scale(low / room, high * room, log=True)
    room = 0.1 * (high - low) or 0.05 * abs(high) or 1.0
    low, high = low - room, high + room
    if unit:
        low, high = max(0.0, low), min(1.0, high)
    return Scale(low, high)


def number(value: float) -> str:
    """Return a coordinate.

    Examples
    --------
    >>> number(3.14159), number(2.0)
    ('3.1', '2')
    """
    return f"{value:.1f}".removesuffix(".0")


def marker(series: int, x: float, y: float, size: float = 5.0) -> Markup:
    """Return the marker of a series; after six they begin again, hollow."""
    shape = _SHAPES[MARKERS[series % _N]]
    hollow = " hollow" if series // _N % 2 else ""
    place = f"translate({number(x)} {number(y)}) scale({number(size)})"
    return element("path", d=shape, class_=f"dot s{series % _N}{hollow}", transform=place)


def mark(series: int, x: float, y: float, says: str, *inner: Markup, size: float = 5.0) -> Markup:
    """Return a marker that says its value to the pointer, the keyboard and a screen reader."""
    return element(
        "g", element("title", says), *inner,
        element("circle", cx=number(x), cy=number(y), r=number(max(11.0, size)), class_="hit"),
        marker(series, x, y, size),
        class_="mark", role="img", aria_label=says, data_s=series, tabindex="-1",
    )  # fmt: skip


def line(series: int, points: Sequence[tuple[float, float]]) -> Markup:
    """Return the line of a series in its colour and dashes."""
    path = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
    dashes = " ".join(f"{1.6 * part:g}" for part in _DASHES[series % _N]) or None
    return element(
        "path", d=path, class_=f"line s{series % _N}", stroke_dasharray=dashes, data_s=series
    )


@dataclass(frozen=True)
class Frame:
    """The plane of a plot: two scales, their names, and how their values are written."""

    x: Scale
    y: Scale
    x_name: str
    y_name: str
    x_text: Callable[[float], str]
    y_text: Callable[[float], str]
    width: float = 400.0
    height: float = 280.0
    x_ticks: tuple[float, ...] | None = None

    _LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 14.0, 24.0, 40.0

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point is drawn."""
        across = self.width - self._LEFT - self._RIGHT
        up = self.height - self._TOP - self._BOTTOM
        return self._LEFT + across * self.x.at(x), self._TOP + up * (1.0 - self.y.at(y))

    def draw(self, name: str, *content: Markup, ticks: tuple[int, int] = (5, 5)) -> Markup:
        """Return the plot; `name` is what it is called where it is not seen."""
        box = f"0 0 {number(self.width)} {number(self.height)}"
        inner = joined((*self._axes(*ticks), *content))
        return element("svg", inner, viewBox=box, class_="plot", role="group", aria_label=name)

    def _axes(self, across: int, up: int) -> list[Markup]:
        left, bottom = self._LEFT, self.height - self._BOTTOM
        right = self.width - self._RIGHT
        parts = []
        for value in self.y.ticks(up):
            _, y = self.place(self.x.low, value)
            parts.append(_rule("grid", left, y, right, y))
            parts.append(_text(self.y_text(value), left - 7, y + 4, "end"))
        for value in self.x_ticks or self.x.ticks(across):
            x, _ = self.place(value, self.y.low)
            parts.append(_rule("tick", x, bottom, x, bottom + 4))
            parts.append(_text(self.x_text(value), x, bottom + 17, "middle"))
        parts.append(_rule("axis", left, bottom, right, bottom))
        parts.append(_text(self.y_name, 2, 12, "start", "name"))
        x_name = f"{self.x_name} (log)" if self.x.log else self.x_name
        parts.append(_text(x_name, right, self.height - 5, "end", "name"))
        hidden: dict[str, Any] = {"aria_hidden": "true"}
        return [element("g", *parts, **hidden)]


def _rule(kind: str, x1: float, y1: float, x2: float, y2: float) -> Markup:
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return element("line", class_=kind, **{name: number(value) for name, value in ends.items()})


def _text(words: str, x: float, y: float, anchor: str, kind: str | None = None) -> Markup:
    return element("text", words, x=number(x), y=number(y), text_anchor=anchor, class_=kind)
