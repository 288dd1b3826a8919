"""The colours of the page: those of all plots, and a lighter twin of each for dark screens."""

from __future__ import annotations

from linnet.explain.style import COLOURS

__all__ = ["DARK", "colours"]

#: On a dark ground the contrast of each with it is above 7 : 1.
DARK = {
    "red": "#ff8a75",
    "blue": "#4aa3ff",
    "green": "#5fd0a8",
    "orange": "#ffc266",
    "purple": "#d9a0e8",
    "black": "#eeeeee",
}


def colours() -> str:
    """Return the style of the series s0, s1, … for light and for dark screens.

    Examples
    --------
    >>> colours().splitlines()[0][:19]
    ':root{--s0:#941809;'
    """
    light = "".join(f"--s{k}:{shade};" for k, (shade, _) in enumerate(COLOURS.values()))
    dark = "".join(f"--s{k}:{DARK[name]};" for k, name in enumerate(COLOURS))
    rules = "".join(f".s{k}{{--c:var(--s{k})}}" for k in range(len(COLOURS)))
    screens = f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    return f":root{{{light}}}\n{screens}\n{rules}\n"
