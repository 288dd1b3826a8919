r"""A hook of mkdocs: formulas as MathML, captions, sessions in colour, items as links.

A formula stands between lines of two dollar signs, or within a line between \( and \), in LaTeX. A
browser draws MathML itself, so no script and no font is fetched. A letter with an index, as w_j,
gets it below the line. An item such as M-53 becomes a link to where the specification says it. What
a plot shows is written below it; one of several panels stays large enough to be read on a narrow
screen, where it is moved sideways.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert

DOCS = Path(__file__).resolve().parent
CODE = re.compile(
    r"(^ *```.*?^ *```$|`[^`\n]*`|^    [^\n]*$|<details class='reference'>.*?</details>)",
    re.MULTILINE | re.DOTALL,
)
DISPLAY = re.compile(r"^\$\$\n(.*?)^\$\$$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"\\\((.+?)\\\)")
ITEM = re.compile(r"(?<![\w\[/#*-])([A-Z])-(\d{2,3})\b(?!\])")
ANCHOR = re.compile(r'<a id="([a-z]-\d+)">')
TAG = re.compile(r"(<[^>]+>|\]\([^)]*\))")
INDEX = re.compile(
    r"(?<![A-Za-z0-9_\\])(df|argmax|argmin|max|min|wrong|[A-Za-z\u0391-\u03c9\u2113])_"
    r"(?:\{([^}]+)\}|([A-Za-z0-9]{1,2}))(?![A-Za-z0-9_])"
)
POWER = re.compile(r"(?<=[A-Za-z0-9)>])\^(?:\{([^}]+)\}|(−?[A-Za-z\u0391-\u03c9]+))")
SESSION = re.compile(r"^( *)```python\n(?= *>>> )", re.MULTILINE)
PLACE = "\u241fformula{}\u241f"
EMPTY = re.compile(r"<th[^>]*></th>")  # a corner heads nothing
PLOT = re.compile(r'^<img src="(plots/\w+\.svg)" alt="([^"]+)">$', re.MULTILINE)
SIZE = re.compile(r'<svg[^>]*? width="([\d.]+)pt" height="([\d.]+)pt"')
POINT = 4 / 3  # pixels of a typographic point
PADDING = 0.8 * 16  # pixels that the theme puts around a plot, both sides together
NARROW = 420  # typographic points: what a telephone shows with letters that can be read
BASE = r"<msub><mi>log</mi>(?:<mrow>)?<mn>\d+</mn>(?:</mrow>)?</msub>"
FUNCTION = rf"(?:<mi>(?:exp|ln|log)</mi>|{BASE})"
APPLIED = re.compile(rf"({FUNCTION})(?=<m(?!o|row|space))")  # to what has no parenthesis
BEHIND = re.compile(rf"(?:(?<=</m[in]>)|(?<=</msub>)|(?<=</mfrac>))(?={FUNCTION})")
SPACE = '<mspace width="0.17em"></mspace>'
TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
CELL = re.compile(r"<td>(.*?)</td>", re.DOTALL)
SPOKEN = re.compile(r"<code>([^<\n]+)</code>")  # code within a line; blocks end with a line feed
OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
JOINT = re.compile(r"(?<=\w[./_])(?=\w)")  # where a long name may be cut
LONG = 20  # characters: a name that does not fit behind others on a narrow screen
LINKED = re.compile(r"(?<=>)[A-Z]-\d{2,3}(?=</a>)")
PERCENT = re.compile(r"(?<=\d) %")
FEW = 5 + 1  # columns, and the head itself: more of them get smaller letters
SENTENCE = 20  # characters: a cell that says more is read, and needs room for some words a line


@cache
def items() -> dict[str, str]:
    """Return the page of the specification of each item, as "m-53"."""
    pages = sorted((DOCS / "specification").glob("*.md"))
    return {
        anchor: page.name
        for page in pages
        for anchor in ANCHOR.findall(page.read_text(encoding="utf-8"))
    }


def typeset(markdown: str) -> tuple[str, list[str]]:
    """Return the text with a place for each formula, and the formulas as MathML."""
    formulas: list[str] = []

    def place(latex: str, display: str) -> str:
        formula = spaced(convert(" ".join(latex.split()), display=display))
        formulas.append(f'<div class="math">{formula}</div>' if display == "block" else formula)
        return PLACE.format(len(formulas) - 1)

    text = DISPLAY.sub(lambda match: f"\n{place(match[1], 'block')}\n", markdown)
    parts = CODE.split(text)
    for k in range(0, len(parts), 2):
        parts[k] = INLINE.sub(lambda match: place(match[1], "inline"), parts[k])
    return "".join(parts), formulas


def spaced(formula: str) -> str:
    """Return a formula with some room around the names of functions: ln p, not lnp.

    Examples
    --------
    >>> spaced("<mi>ln</mi><mi>p</mi>")
    '<mi>ln</mi><mspace width="0.17em"></mspace><mi>p</mi>'
    >>> spaced("<mi>exp</mi><mo>(</mo>")
    '<mi>exp</mi><mo>(</mo>'
    """
    return BEHIND.sub(SPACE, APPLIED.sub(rf"\1{SPACE}", formula))


def linked(markdown: str, folder: str) -> str:
    """Return the text with its items of the specification as links, seen from a folder of docs."""

    def link(match: re.Match[str]) -> str:
        anchor = f"{match[1].lower()}-{match[2]}"
        if anchor not in items():
            return match[0]
        return f"[{match[0]}]({folder}{items()[anchor]}#{anchor})"

    parts = CODE.split(markdown)
    parts[::2] = [ITEM.sub(link, part) for part in parts[::2]]
    return "".join(parts)


def indexed(markdown: str) -> str:
    """Return the text with indices below the line and powers above, but in code, links and tags.

    Examples
    --------
    >>> indexed("w_j and `w_j`, P(t_{i-1}), n_threads")
    'w<sub>j</sub> and `w_j`, P(t<sub>i-1</sub>), n_threads'
    """
    parts = CODE.split(markdown)
    for k in range(0, len(parts), 2):
        pieces = TAG.split(parts[k])
        for n in range(0, len(pieces), 2):
            below = INDEX.sub(
                lambda match: f"{match[1]}<sub>{match[2] or match[3]}</sub>", pieces[n]
            )
            pieces[n] = POWER.sub(lambda match: f"<sup>{match[1] or match[2]}</sup>", below)
        parts[k] = "".join(pieces)
    return "".join(parts)


def captioned(markdown: str) -> str:
    """Return the text with each plot as a figure and what it shows as its caption."""

    def figure(match: re.Match[str]) -> str:
        file, says = DOCS / match[1], match[2]
        size = SIZE.search(file.read_text(encoding="utf-8")) if file.exists() else None
        kind = "plot panels" if size and float(size[1]) > NARROW else "plot"
        place = f' width="{_pixels(size[1])}" height="{_pixels(size[2])}"' if size else ""
        image = f'<img src="{match[1]}" alt="{says}"{place} loading="lazy">'
        return (
            f'<figure class="{kind}"><div class="scroll">{image}</div>'
            f"<figcaption>{says}.</figcaption></figure>"
        )

    return PLOT.sub(figure, markdown)


def _pixels(points: str) -> int:
    """Return what the theme gives to a length of a plot, so that nothing moves when it arrives."""
    return round(float(points) * POINT + PADDING)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Put places where formulas stand; mkdocs calls this for every page."""
    text, page.formulas = typeset(captioned(markdown))
    folder = page.file.src_uri.rpartition("/")[0]
    if folder != "specification":
        text = linked(text, "../specification/" if folder else "specification/")
    return SESSION.sub(r"\1```pycon\n", indexed(text))


def on_page_content(content: str, page: Any, **_: Any) -> str:
    """Put the formulas in their places, and let wide tables scroll."""
    for k, formula in enumerate(page.formulas):
        place = PLACE.format(k)
        content = content.replace(f"<p>{place}</p>", formula).replace(place, formula)
    return TABLE.sub(lambda table: scrolling(table[0]), unbroken(content))


def unbroken(content: str) -> str:
    """Return a page whose lines end where they may: not within an option, an item or before a %.

    Long names in code may be cut behind their dots, slashes and underscores.

    Examples
    --------
    >>> unbroken("<code>train --learner nb</code>")
    '<code>train <span class="whole">--learner</span> nb</code>'
    >>> unbroken("<code>linnet.reference.density</code>")
    '<code>linnet.<wbr>reference.<wbr>density</code>'
    """

    def code(match: re.Match[str]) -> str:
        says = JOINT.sub("<wbr>", match[1]) if len(match[1]) > LONG else match[1]
        return f"<code>{OPTION.sub(_whole, says)}</code>"

    return PERCENT.sub("\u00a0%", LINKED.sub(_whole, SPOKEN.sub(code, content)))


def _whole(match: re.Match[str]) -> str:
    return f'<span class="whole">{match[0]}</span>'


def scrolling(table: str) -> str:
    """Return a table that scrolls within the page; sentences and many columns are marked.

    Examples
    --------
    >>> "prose" in scrolling("<table><tr><td><code>x</code></td></tr></table>")
    False
    """

    def marked(cell: re.Match[str]) -> str:
        says = re.sub(r"<[^>]+>", "", cell[1])
        return f'<td class="prose">{cell[1]}</td>' if len(says) > SENTENCE else cell[0]

    kind = "<table>" if table.count("<th") <= FEW else '<table class="many">'
    cells = CELL.sub(marked, EMPTY.sub("<td></td>", table)).removeprefix("<table>")
    return f'<div class="scroll">{kind}{cells}</div>'
