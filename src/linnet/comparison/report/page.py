"""The page: its parts in order, with style and script inside."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from linnet.comparison.report.answer import headline, top
from linnet.comparison.report.markup import Markup, clean, element, joined
from linnet.comparison.report.panels import panels
from linnet.comparison.report.plots import (
    calibration_panels,
    cost_plots,
    coverage_plot,
    curve_plot,
)
from linnet.comparison.report.scores import pair_matrix, score_table
from linnet.comparison.report.style import colours
from linnet.comparison.report.words import glossary, properties

if TYPE_CHECKING:
    from linnet.comparison.result import Comparison

__all__ = ["page"]


def page(found: Comparison, title: str | None = None, command: str | None = None) -> str:
    """Return a comparison as one HTML page; see :meth:`linnet.Comparison.to_html`."""
    script = _packed("script.js")
    sections = _sections(found)
    links = (element("li", element("a", name, href=f"#{key}")) for key, name, _ in sections)
    body = element(
        "body",
        top(found, title, command),
        element("nav", element("ul", *links), aria_label="Sections"),
        element("main", *(_section(*one) for one in sections)),
        element("footer", element("p", f"Made by linnet {_version()}. This file loads nothing.")),
        Markup(f"<script>{script}</script>"),
    )
    name = f"{headline(found)} · {title}" if title else headline(found)
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="generator", content=f"linnet {_version()}"),
        element("title", clean(name)),
        Markup(f"<style>{colours()}{_packed('style.css')}</style>"),
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _sections(found: Comparison) -> list[tuple[str, str, Markup]]:
    """Return key, name and content of every section that has content."""
    cost = [*cost_plots(found), curve_plot(found), coverage_plot(found)]
    calibration = calibration_panels(found)
    sections = [
        ("scores", "Scores", score_table(found)),
        ("pairs", "Which differences are real", pair_matrix(found)),
        ("cost", "Cost and data", element("div", *cost, class_="plots")),
    ]
    if calibration:
        said = "Dots on the diagonal: what a learner calls 80 % sure is right 80 % of the time. "
        said += "The larger the dot, the more answers."
        inner = joined((element("p", said), element("div", *calibration, class_="plots small")))
        sections.append(("calibration", "Do probabilities mean what they say", inner))
    sections += [
        ("learners", "One learner at a time", panels(found)),
        ("properties", "What kind of learners these are", properties(found)),
        ("glossary", "What the numbers mean", glossary()),
    ]
    return sections


def _section(key: str, name: str, content: Markup) -> Markup:
    named = f"{key}-name"
    return element("section", element("h2", name, id=named), content, id=key, aria_labelledby=named)


def _policy(script: str) -> str:
    """Return what the browser may run and load: this one script, styles of the page, no more."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _packed(name: str) -> str:
    return files("linnet.comparison.report").joinpath(name).read_text(encoding="utf-8")


def _version() -> str:
    import linnet

    return linnet.__version__
