"""One learner at a time: what it confuses, how it finds each label, its features, its mistakes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from linnet.comparison.reasons import AROUND
from linnet.comparison.report.confusion import (
    Confusion,
    Texts,
    confusion_of,
    label_scores,
    matrix,
    worst,
)
from linnet.comparison.report.markup import Markup, element, isolated, joined, short
from linnet.comparison.report.tables import heading, name_cell, scrolling, table
from linnet.data.tags import are_chunk_tags
from linnet.evaluate.chunks import evaluate_sequences
from linnet.evaluate.report import evaluate
from linnet.evaluate.spans import span_scores
from linnet.explain.page import tag_grounds, tag_kind

if TYPE_CHECKING:
    from linnet.comparison.answers import Answers, LearnerAnswers
    from linnet.comparison.reasons import Why
    from linnet.comparison.result import Comparison
    from linnet.evaluate.mistakes import Mistake

__all__ = ["panels"]

_EXAMPLES = 5
_REASONS = 6
_SPAN_MISTAKES = {
    "type": "right place, wrong type",
    "boundary": "overlaps, wrong boundary",
    "missed": "missed",
    "invented": "invented",
}


def panels(found: Comparison) -> Markup:
    """Return a panel a learner, the choice between them, and the examples behind the cells."""
    if found.answers is None:
        return element("p", "The answers of the learners were not kept.")
    answers, texts = found.answers, Texts(found.answers)
    names = [row.name for row in found.rows]
    tables = [confusion_of(answers, answers.learners[name]) for name in names]
    parts = [_panel(place, name, answers, tables[place], texts) for place, name in enumerate(names)]
    options = (element("option", short(name, 60), value=place) for place, name in enumerate(names))
    choice = element(
        "p", element("label", "Learner", for_="learner"), element("select", *options, id="learner"),
        class_="choice", hidden=True,
    )  # fmt: skip
    return joined((choice, *parts, _data(tables, texts)))


def _panel(place: int, name: str, answers: Answers, table_: Confusion, texts: Texts) -> Markup:
    own = answers.learners[name]
    return element(
        "article",
        element("h3", isolated(name, 60)),
        element("h4", "What it takes for what"),
        matrix(table_, place, name),
        element("h4", "The most frequent mistakes"),
        worst(table_, texts),
        *_labels(name, answers, own),
        *_why(name, own.why),
        class_="learner",
        data_learner=place,
    )


def _labels(name: str, answers: Answers, own: LearnerAnswers) -> list[Markup]:
    if not answers.tagged:
        scores = evaluate(answers.gold, own.guess).classes
        listed = [str(label) for label in scores]
        says = f"How {name} finds each label, in percent"
        return [
            element("h4", "Label by label"),
            label_scores(listed, list(scores.values()), says, "examples"),
        ]
    report = evaluate_sequences(answers.gold, own.guess)
    parts = []
    tags = list(report.tags)
    if are_chunk_tags(tags):
        spans = span_scores(answers.gold, own.guess)
        parts += [
            element("h4", "Chunks by type"),
            label_scores(
                list(spans.types), list(spans.types.values()),
                f"How {name} finds each type of chunk, in percent", "chunks",
            ),
            element("p", "Chunks gone wrong: " + "; ".join(
                f"{_SPAN_MISTAKES[kind]} {count:,}" for kind, count in spans.mistakes.items()
            ) + "."),
        ]  # fmt: skip
    says = f"How {name} finds each tag, in percent"
    parts += [
        element("h4", "Tag by tag"),
        label_scores(tags, list(report.tags.values()), says, "tokens"),
    ]
    return parts


def _why(name: str, why: Why | None) -> list[Markup]:
    if why is None:
        return [element("p", "Explanations were not asked for (explain=True).", class_="quiet")]
    parts = []
    if why.features:
        head = [heading("label", class_="left"), heading("features, weight", class_="left")]
        rows = [
            [name_cell(label, 32, class_="left"), element("td", _listed(found), class_="left")]
            for label, found in why.features.items()
        ]
        says = f"The strongest features of {name} for each label"
        parts += [
            element("h4", "What speaks for each label"),
            scrolling(table(says, head, rows, "features"), says),
        ]
    if why.mistakes:
        sure = why.mistakes[0].probability is not None
        listed = element("div", *map(_mistake, why.mistakes), class_="mistakes")
        which = "Its surest" if sure else "Some"
        parts += [element("h4", f"{which} mistakes, and why"), listed]
    return parts


def _listed(features: list[tuple[str, float]]) -> Markup:
    if not features:
        return element("span", "none", class_="quiet")
    return joined(
        (
            element("span", isolated(name, 32), element("small", f" {value:.2f}"), class_="feature")
            for name, value in features
        ),
        " ",
    )


def _words(found: Mistake) -> Markup:
    return element("p", short(found.example, 240), class_="example", dir="auto")


def _sentence(found: Mistake) -> Markup:
    """Return the words around a wrong tag, each over its tag in colour; wrong ones are struck."""
    grounds = tag_grounds(guess for _, _, guess in found.tagged)
    place = min(found.token or 0, AROUND)
    tokens = []
    for at, (word, truth, guess) in enumerate(found.tagged):
        shown: Any = short(f"[{word}]" if at == place else word, 40)
        if tag_kind(guess) in grounds:
            shown = element("mark", shown, style=f"background:{grounds[tag_kind(guess)]}")
        tag: list[Any] = ["" if guess == "O" else short(guess, 20)]
        if truth != guess:
            tag = [element("s", short(guess, 20)), " ", short(truth, 20)]
        tokens.append(element("span", shown, element("small", *tag), class_="tok"))
    return element("p", joined(tokens, " "), class_="example tagged", dir="auto")


def _mistake(found: Mistake) -> Markup:
    sure = found.probability
    says: list[Any] = ["said ", element("strong", isolated(found.guess, 32))]
    says += [] if sure is None else [f" ({100 * sure:.1f} %)"]
    says += [", but it is ", element("strong", isolated(found.truth, 32))]
    if found.truth_probability is not None:
        says.append(f" ({100 * found.truth_probability:.1f} %)")
    parts = [_sentence(found) if found.tagged else _words(found), element("p", *says)]
    if found.features:
        peak = found.features[0][1]
        rows = (
            element(
                "li",
                isolated(feature, 28),
                element("span", style=f"--w:{100 * value / peak:.0f}%", class_="bar"),
                element("small", f"{value:+.3f}"),
            )
            for feature, value in found.features[:_REASONS]
            if value > 0.02 * peak
        )
        parts.append(element("ul", *rows, class_="bars"))
    return element("div", *parts, class_="mistake")


def _data(tables: list[Confusion], texts: Texts) -> Markup:
    """Return the examples behind every cell, as many as there is room for, as JSON."""
    cells: list[dict[str, list[list[Any]]]] = [{} for _ in tables]
    for turn in range(_EXAMPLES):  # one of each cell, then another of each
        for place, found in enumerate(tables):
            for (i, j), rows in found.rows.items():
                at = texts.number(rows[turn]) if turn < len(rows) else None
                if at is not None:
                    sure = None if found.sure is None else round(float(found.sure[rows[turn]]), 3)
                    cells[place].setdefault(f"{i},{j}", []).append([at, sure])
    value = {
        "texts": texts.shown,
        "cells": cells,
        "labels": [[short(name, 60) for name in found.names()] for found in tables],
    }
    # In a script element only "<" could end it; it never gets there.
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    plain = plain.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return Markup(f'<script type="application/json" id="data">{plain}</script>')
