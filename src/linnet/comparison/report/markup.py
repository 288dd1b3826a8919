"""HTML that cannot be broken by what stands in it: children are escaped unless they are markup.

Texts and labels come from anywhere. Control characters and halves of surrogate pairs, which no HTML
file may hold, become U+FFFD.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Any

from linnet.explain.text import visible

__all__ = ["Markup", "clean", "element", "isolated", "joined", "short"]

_EMPTY = frozenset(("br", "col", "hr", "input", "meta"))
_SURROGATE = re.compile("[\ud800-\udfff\ufffe\uffff]")
_SPACE = re.compile(r"\s+")


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def clean(text: Any) -> str:
    """Return text that may stand in an HTML file, once escaped.

    Examples
    --------
    >>> clean("a\\0b")
    'a\ufffdb'
    """
    return _SURROGATE.sub("\ufffd", visible(str(text)))


def short(text: Any, most: int = 160) -> str:
    """Return text on one line, cut where it is too long.

    Examples
    --------
    >>> short("a  long\\nstory", 8)
    'a long …'
    """
    line = _SPACE.sub(" ", clean(text)).strip()
    return line if len(line) <= most else line[: most - 1] + "…"


def element(tag: str, *children: Any, **attributes: Any) -> Markup:
    """Return an element; text in it and in its attributes is escaped.

    Attributes that are None or False are left out; ``class_`` is class, and an underscore is a
    hyphen.

    Examples
    --------
    >>> element("td", "a < b", class_="n", data_v=3)
    '<td class="n" data-v="3">a &lt; b</td>'
    """
    parts = [tag]
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        name = name.rstrip("_").replace("_", "-")
        parts.append(name if value is True else f'{name}="{escape(clean(value))}"')
    opening = f"<{' '.join(parts)}>"
    if tag in _EMPTY:
        return Markup(opening)
    return Markup(f"{opening}{joined(children)}</{tag}>")


def joined(children: Iterable[Any], between: str = "") -> Markup:
    """Return children one after the other, those that are no markup escaped.

    Examples
    --------
    >>> joined(["<", element("b", "x")])
    '&lt;<b>x</b>'
    """
    return Markup(
        between.join(
            child if isinstance(child, Markup) else escape(clean(child))
            for child in children
            if child is not None
        )
    )


def isolated(text: Any, most: int = 40, **attributes: Any) -> Markup:
    """Return a text of unknown direction of writing, shortened; the whole of it on hovering."""
    line = short(text, most)
    whole = short(text, 400)
    return element("bdi", line, title=whole if whole != line else None, **attributes)
