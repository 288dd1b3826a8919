"""A model described in a page that people can read."""

from __future__ import annotations

import shlex
from html import escape
from textwrap import fill
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linnet.model.model import Model

__all__ = [
    "card",
    "card_html",
    "facts",
    "feature_weights",
    "headline",
    "recipe_options",
    "rules",
    "tried",
]

_LISTED = 30
_HIDDEN = ("feature_weights", "recipe", "tried")  # shown in a way of their own
#: What a number of the record says, where its name does not.
_MEANING = {
    "sharpness": "  (probabilities are those of the scores times this)",
    "optimality": "  (how far from the optimum the fit may be, as a share)",
    "majority": "  (share of the most frequent label)",
    "copies": "  (texts that equal another one)",
}
_WHAT = {
    "text": "classifier of texts",
    "bag": "classifier of bags of features",
    "vector": "classifier of vectors",
    "row": "classifier of rows",
    "columns": "classifier of columns",
    "sequence": "tagger of sentences",
}


def card(model: Model, width: int | None = None) -> str:
    """Return what the model predicts, from what, and how it was trained.

    With a width, longer values go on below themselves.

    Examples
    --------
    >>> import linnet
    >>> model = linnet.TextClassifier().fit(["good", "poor"] * 9, ["+", "-"] * 9).model_
    >>> print(card(model).splitlines()[0])
    A classifier of texts: 2 labels, 2 features
    """
    first, lines = facts(model)
    start = max(len(name) for name, _ in lines) + 2
    rows = [f"{name:<{start}}{value}" for name, value in lines]
    if width is not None and width > 2 * start:
        rows = [fill(row, width, subsequent_indent=" " * start) for row in rows]
    return "\n".join([first, *rows])


def card_html(model: Model) -> str:
    """Return the card as a table for a notebook.

    Examples
    --------
    >>> import linnet
    >>> model = linnet.TextClassifier().fit(["good", "poor"] * 9, ["+", "-"] * 9).model_
    >>> card_html(model)[:61]
    '<table><caption>A classifier of texts: 2 labels, 2 features</'
    """
    first, lines = facts(model)
    left = 'style="text-align:left"'
    rows = (f"<tr><th {left}>{escape(n)}</th><td {left}>{escape(v)}</td></tr>" for n, v in lines)
    return f"<table><caption>{escape(first)}</caption>{''.join(rows)}</table>"


def headline(model: Model) -> str:
    """Return in one line what the model is."""
    return facts(model)[0]


def facts(model: Model) -> tuple[str, list[tuple[str, str]]]:
    """Return what the model is, and what there is to say of it by name."""
    labels = [str(label) for label in model.classes_.tolist()]
    called = "tags" if model.kind == "sequence" else "labels"
    unit = "columns" if model.kind == "row" else "features"
    lines = [
        (called, ", ".join(labels[:_LISTED]) + (", …" if len(labels) > _LISTED else "")),
        ("decision", _rule(model)),
        *model.reader.card(),
        *_inside(model),
    ]
    for name, value in model.record_.items():
        if name not in _HIDDEN:
            shown = f"{value:.6g}" if isinstance(value, float) else _figure(value)
            lines.append((name.replace("_", " "), shown + _MEANING.get(name, "")))
    lines += [("tried", line) for line in tried(model.record_.get("tried"))]
    recipe = recipe_options(model)
    if recipe:
        lines.append(("command", _command(recipe)))
    size = f"{len(labels)} {called}, {model.n_features:,} {unit}"
    return f"A {_WHAT[model.kind]}: {size}", lines


def recipe_options(model: Model) -> dict[str, Any]:
    """Return the options that a model was trained with on the command line, by their names."""
    recipe = model.record_.get("recipe")
    options = recipe.get("options") if isinstance(recipe, dict) else None
    return options if isinstance(options, dict) else {}


def _command(options: dict[str, Any]) -> str:
    """Return the command that trains with some options.

    Examples
    --------
    >>> _command({"data": "my data.tsv", "C": "2", "set": ["k=3", "p=1"], "stream": True})
    "linnet train 'my data.tsv' -C 2 --set k=3 --set p=1 --stream"
    """
    words = ["linnet", "train", str(options.get("data", ""))]
    for name, value in options.items():
        dashes = "-" if len(name) == 1 else "--"
        for one in value if isinstance(value, list) else [value]:
            words += [] if name == "data" else [f"{dashes}{name}"]
            words += [] if name == "data" or one is True else [str(one)]
    return shlex.join(words)


def tried(trials: Any) -> list[str]:
    """Return the evidence about each kind of features that was tried, a line each.

    Examples
    --------
    >>> tried([{"features": "words:1-2", "accuracy": 0.875, "n_features": 5000}])
    ['words:1-2, accuracy 0.875, n features 5,000']
    """
    lines = []
    for trial in trials if isinstance(trials, list) else []:
        facts = dict(trial) if isinstance(trial, dict) else {}
        named = [f"{name.replace('_', ' ')} {_figure(facts[name])}" for name in list(facts)[1:]]
        lines.append(", ".join([str(facts.get("features", "")), *named]))
    return lines


def _figure(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    whole = isinstance(value, int) and not isinstance(value, bool)
    return f"{value:,}" if whole else str(value)


def _rule(model: Model) -> str:
    if model.multilabel:
        return "every label whose probability is at least 0.5"
    rule = str(model.scorer.rule)
    if model.scheme is not None:
        rule += f" among those legal in {model.scheme}"
    if model.abstain is not None:
        rule += f"; none ({model.abstain_label!r}) below a probability of {model.abstain:g}"
    return rule


def _inside(model: Model) -> list[tuple[str, str]]:
    """Return what a learner that is kept says of itself."""
    learner: Any = getattr(model, "learner_", None)
    if not hasattr(learner, "_card"):
        return []
    lines: list[tuple[str, str]] = learner._card(int(model.record_.get("examples", 0)))
    return lines


def feature_weights(model: Model) -> list[tuple[Any, ...]]:
    """Return name, used weight, gain ratio, information gain and χ² of each column.

    Empty where the learner is not memory-based, or compares vectors.
    """
    table = model.record_.get("feature_weights")
    used = getattr(model.learner_, "feature_weights_", None)
    if used is None or not isinstance(table, dict):
        return []
    others = [table.get(name, []) for name in ("gain_ratio", "information_gain", "chi2")]
    if any(not isinstance(column, list) or len(column) != len(model.names) for column in others):
        return []
    return list(zip(model.names, used.tolist(), *others, strict=True))


def rules(model: Model) -> list[str]:
    """Return the rules of a decision tree; empty for other learners."""
    tests: list[str] = model.learner_.rules() if hasattr(model.learner_, "rules") else []
    return tests
