"""Tables of the report, each in a box of its own that scrolls when the page is narrow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from linnet.comparison.report.markup import Markup, element, isolated

__all__ = ["cell", "folded", "heading", "more", "name_cell", "scrolling", "table"]


def cell(text: Any, value: float | None = None, **attributes: Any) -> Markup:
    """Return a cell of a number; `value` is what it is sorted by."""
    sorted_by = None if value is None else f"{value:.12g}"
    return element("td", text, data_v=sorted_by, **attributes)


def name_cell(text: Any, most: int = 40, **attributes: Any) -> Markup:
    """Return the cell that names a row."""
    return element("th", isolated(text, most), scope="row", **attributes)


def heading(text: Any, **attributes: Any) -> Markup:
    """Return the cell that names a column."""
    return element("th", text, scope="col", **attributes)


def table(
    caption: Any, head: Sequence[Any], rows: Iterable[Iterable[Markup]], kind: str | None = None
) -> Markup:
    """Return a table; headings that are no markup become cells of their own."""
    named = [one if isinstance(one, Markup) else heading(one) for one in head]
    return element(
        "table",
        element("caption", element("span", caption)),
        element("thead", element("tr", *named)),
        element("tbody", *(element("tr", *cells) for cells in rows)),
        class_=kind,
    )


def scrolling(inner: Markup, name: str) -> Markup:
    """Return a table in a box that scrolls by itself, also by keyboard."""
    return element("div", inner, class_="scroll", role="region", aria_label=name, tabindex="0")


def folded(summary: str, inner: Markup, kind: str = "twin") -> Markup:
    """Return something that is shown when asked for."""
    return element("details", element("summary", summary), inner, class_=kind)


def more(n: int, what: str) -> Markup | None:
    """Say how many were left out.

    Examples
    --------
    >>> more(3, "labels"), more(0, "labels")
    ('<p class="quiet">and 3 more labels</p>', None)
    """
    return element("p", f"and {n:,} more {what}", class_="quiet") if n > 0 else None
