"""Explanations as web pages and in notebooks: coloured words, bars, a legend, light and dark.

What comes out is one fragment with its style inside, so that it works in a notebook's cell, and
:func:`page` puts it into a page of its own. Nothing is loaded from elsewhere. Marked words keep
dark text on a light ground in both schemes (contrast above 7 : 1), and no meaning hangs on colour
alone: what speaks against a label is underlined, a wrong tag is struck out.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linnet.explain.rows import RowExplanation
    from linnet.explain.tags import TagChoice, TagExplanation
    from linnet.explain.text import Explanation

__all__ = ["page", "row_fragment", "tag_fragment", "tag_grounds", "tag_kind", "text_fragment"]

_SHORT, _LONG = 40, 300  # characters of a cell
_COLUMNS = range(2, 6)  # that may stand at the left, as the first does
_STYLE = """
.linnet{--ink:#1b1b1b;--ground:#fff;--line:#d5d5d5;--soft:#555;--for:#2e8b57;--against:#c0392b;
font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--ground);padding:1em;
max-width:60em;margin:auto}
@media (prefers-color-scheme:dark){.linnet{--ink:#eee;--ground:#17181c;--line:#444;--soft:#b5b5b5;
--for:#5fc28a;--against:#ff8a7a}}
.linnet h1{font-size:1.3em;margin:0 0 .3em}
.linnet .legend{color:var(--soft);font-size:.85em}
.linnet .words{line-height:1.9;white-space:pre-wrap;overflow-wrap:anywhere}
.linnet .words span:not(.tok),.linnet .tok mark{color:#111;border-radius:.2em;padding:.05em .15em}
.linnet .scroll{overflow-x:auto}
.linnet table{border-collapse:collapse}
.linnet td,.linnet th{padding:.15em .7em;text-align:right;border-bottom:1px solid var(--line)}
.linnet .left2 tr>:nth-child(2),.linnet .left3 tr>:nth-child(3),.linnet .left4 tr>:nth-child(4),
.linnet .left5 tr>:nth-child(5){text-align:left}
.linnet td.said{text-align:left;min-width:min(20em,60vw)}
.linnet table:has(td.said:last-child) th:last-child{text-align:left}
.linnet td:first-child,.linnet th:first-child{text-align:left;min-width:6em;max-width:20em;
overflow-wrap:break-word}
.linnet .bar{display:inline-block;height:.7em;background:var(--for)}
.linnet .bar.no{background:var(--against)}
.linnet .axis{width:8em;text-align:left}
@media (max-width:30em){.linnet .parts tr>:nth-child(2),.linnet .parts tr>:nth-child(3)
{display:none}.linnet .axis{width:3em}}
.linnet .tok{display:inline-block;vertical-align:top;text-align:center;margin:.2em .15em;
cursor:help}
.linnet .tok small{display:block;color:var(--soft);font-size:.7em;min-height:1.4em}
.linnet .tok s{color:var(--against)}
""".replace("\n", "")
_GROUNDS = ("#ffe08a", "#b9e4c9", "#bcd7ff", "#f6c1d5", "#d9ccff", "#ffd0a8", "#c5ecec", "#e3e3a8")
_REASONS = 6  # that a tag shows
_LAST_PART = 3  # the column of contributions after feature, value and weight


def page(title: str, body: str) -> str:
    """Return a page of its own around a fragment.

    Examples
    --------
    >>> page("why", "<p>because</p>").startswith("<!doctype html>")
    True
    """
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="generator" content="linnet">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{html.escape(title)}</title></head><body><main>{body}</main></body></html>\n"
    )


def text_fragment(explanation: Explanation, words: str, top: int) -> str:
    """Return heading, legend, the coloured words and a table that sums to the score."""
    shown, rest = explanation.contributions[:top], explanation.contributions[top:]
    others = sum(part.contribution for part in rest)
    peak = max(
        [*(abs(part.contribution) for part in shown), abs(others), abs(explanation.intercept)]
    )
    rows = [
        _row([part.feature, f"{part.value:.4g}", f"{part.weight:+.4f}"], part.contribution, peak)
        for part in shown
    ]
    if rest:
        rows.append(_row([f"{len(rest):,} more features", "", ""], others, peak))
    rows.append(_row(["intercept", "", ""], explanation.intercept, peak))
    label = html.escape(str(explanation.label))
    table = _table(
        ["feature", "value", "weight", "contribution", ""], rows,
        f"<tr><th>score</th><td></td><td></td><th>{explanation.score:+.4f}</th><td></td></tr>",
    )  # fmt: skip
    legend = (
        f"Green speaks for <strong>{label}</strong>, red and underlined against it; the stronger "
        "the colour, the more. The contributions and the intercept sum to the score."
    )
    heading = _heading(explanation.label, explanation.probability, explanation.runner_up)
    parts = f'<div class="parts">{table}</div>'
    return _fragment(heading, f'<p class="words">{words}</p>', legend, parts)


def row_fragment(explanation: RowExplanation, top: int) -> str:
    """Return heading, example and a table of reasons, with bars where they add to the score."""
    headings, reasons = list(explanation.headings), list(explanation.reasons[:top])
    at = headings.index("contribution") if "contribution" in headings else None
    more = len(explanation.reasons) - len(reasons)
    cells = [[_said(_cell(value)) for value in row] for row in reasons]
    if more:
        cells.append([f"<td>{more:,} more</td>", *["<td></td>"] * (len(headings) - 1)])
    if at is not None:
        values = [float(row[at]) for row in explanation.reasons]
        values = values[:top] + ([sum(values[top:])] if more else [])
        peak = max(map(abs, values), default=0.0)
        for row, value in zip(cells, values, strict=True):
            row[at] = f"<td>{value:+.4g}</td>{_bar(value, peak)}"
        if more and at == 0:  # the first cell is taken; the next says what is summed
            cells[-1][1] = f"<td>of {more:,} more</td>"
        headings.insert(at + 1, "")
    rows = [f"<tr>{''.join(row)}</tr>" for row in cells]
    heading = _heading(explanation.label, explanation.probability, explanation.runner_up)
    example = f'<p class="words">{html.escape(explanation.example)}</p>'
    said = [part[:1].upper() + part[1:] for part in (explanation.title, explanation.note) if part]
    words = [
        n for n, column in enumerate(zip(*reasons, strict=True), 1)
        if at is None and all(isinstance(value, str) for value in column)
    ]  # fmt: skip
    table = _table(headings, rows, "", words)
    parts = f'<div class="parts">{table}</div>' if at == _LAST_PART else table
    return _fragment(heading, example, html.escape(f"{'. '.join(said)}."), parts)


def tag_fragment(explanation: TagExplanation, gold: Sequence[str] | None) -> str:
    """Return a sentence with its tags in colour; reasons show on hover, wrong tags are struck."""
    truth = [None] * len(explanation.tokens) if gold is None else list(gold)
    ground = tag_grounds(choice.tag for choice in explanation.tokens)
    tokens = "".join(
        _token(choice, right, ground.get(tag_kind(choice.tag)))
        for choice, right in zip(explanation.tokens, truth, strict=True)
    )
    keys = " ".join(
        f'<span style="background:{colour};color:#111">{html.escape(kind)}</span>'
        for kind, colour in ground.items()
    )
    legend = "Point at a word to see what speaks for its tag, and not for the next best one."
    if gold is not None:
        wrong = sum(c.tag != t for c, t in zip(explanation.tokens, truth, strict=True))
        legend += f" {wrong} of {len(truth)} tags are wrong: struck out, the right one beside."
    legend += f" {keys}"
    heading = "<h1>Why these tags?</h1>"
    return _fragment(heading, f'<p class="words">{tokens}</p>', legend, "")


def tag_grounds(tags: Iterable[str]) -> dict[str, str]:
    """Return a colour for each kind of tag but O.

    Examples
    --------
    >>> tag_grounds(["B-PER", "I-PER", "O", "B-LOC"])
    {'LOC': '#ffe08a', 'PER': '#b9e4c9'}
    """
    kinds = sorted({tag_kind(tag) for tag in tags if tag != "O"})
    return {kind: _GROUNDS[k % len(_GROUNDS)] for k, kind in enumerate(kinds)}


def tag_kind(tag: str) -> str:
    """Return what a chunk tag is a part of; another tag is itself."""
    return tag[2:] if tag[1:2] == "-" and tag[2:] else tag


def _token(choice: TagChoice, right: str | None, ground: str | None) -> str:
    parts = sorted((*choice.features, *choice.neighbours), key=lambda p: -abs(p.contribution))
    because = [f"{part.feature} {part.contribution:+.2f}" for part in parts[:_REASONS]]
    probability = "" if choice.probability is None else f", {100 * choice.probability:.0f} %"
    rival = "" if choice.runner_up is None else f", not {choice.runner_up} by {choice.margin:.2f}"
    reasons = html.escape("\n".join([f"{choice.tag}{probability}{rival}", *because]))
    word, tag = html.escape(choice.word), html.escape(choice.tag)
    word = f'<mark style="background:{ground}">{word}</mark>' if ground else word
    tag = "" if choice.tag == "O" else tag
    if right is not None and right != choice.tag:
        tag = f"<s>{html.escape(choice.tag)}</s> {html.escape(right)}"
    return f'<span class="tok" title="{reasons}">{word}<small>{tag}</small></span>'


def _heading(label: object, probability: float, runner_up: object) -> str:
    following = "" if runner_up is None else f"; next {html.escape(str(runner_up))}"
    return f"<h1>Why {html.escape(str(label))}?</h1><p>probability {probability:.3f}{following}</p>"


def _row(cells: Sequence[str], value: float, peak: float) -> str:
    text = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
    return f"<tr>{text}<td>{value:+.4f}</td>{_bar(value, peak)}</tr>"


def _bar(value: float, peak: float) -> str:
    width = round(100 * abs(value) / peak) if peak else 0
    side = "bar no" if value < 0 else "bar"
    return f'<td class="axis"><span class="{side}" style="width:{width}%"></span></td>'


def _said(cell: str) -> str:
    """Return a cell; a long one, such as another example, has room and is cut."""
    if len(cell) <= _SHORT:
        return f"<td>{html.escape(cell)}</td>"
    cut = cell if len(cell) <= _LONG else cell[: _LONG - 1] + "…"
    return f'<td class="said">{html.escape(cut)}</td>'


def _table(
    headings: Iterable[str], rows: Iterable[str], end: str, words: Iterable[int] = ()
) -> str:
    """Return a table; columns of words, by number, stand at the left, all others at the right."""
    left = " ".join(f"left{n}" for n in words if n in _COLUMNS)
    kind = f' class="{left}"' if left else ""
    head = "".join(f"<th>{html.escape(name)}</th>" if name else "<td></td>" for name in headings)
    return (
        '<div class="scroll" tabindex="0" role="group" aria-label="What speaks for it">'
        f"<table{kind}><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
        f"<tfoot>{end}</tfoot></table></div>"
    )


def _fragment(heading: str, example: str, legend: str, table: str) -> str:
    return (
        f'<div class="linnet linnet-explanation"><style>{_STYLE}</style>{heading}{example}'
        f'<p class="legend">{legend}</p>{table}</div>'
    )


def _cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
