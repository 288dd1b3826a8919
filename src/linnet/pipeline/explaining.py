"""The exact contribution of every feature to the score of a text (SPEC C-27)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.errors import DataError, ParameterError
from linnet.explain.text import Contribution, Explanation
from linnet.pipeline.probabilities import probabilities
from linnet.text.extractor import Rows

if TYPE_CHECKING:
    from linnet.pipeline.model import TextModel

__all__ = ["explain"]


def explain(model: TextModel, text: Any, label: Any = None) -> Explanation:
    """Explain one text, bag or vector.

    The score is the one ``decision_function`` gives the label (for two classes with its sign
    turned towards the label), and is the intercept plus the sum of the contributions.
    """
    given = [text] if model.kind != "vector" or not hasattr(text, "shape") else text.reshape(1, -1)
    if model.kind == "text" and not isinstance(text, str):
        raise DataError(f"explain takes one text, got {type(text).__name__}.")
    scores = model._scores(given)
    probability = probabilities(scores, model.sharpness_, multilabel=model.multilabel)[0]
    ranking = np.argsort(-probability, kind="stable").tolist()
    k = ranking[0] if label is None else _class_number(model, label)
    if label is None and model._is_binary():
        k = int(scores[0, 0] >= 0)
    others = [other for other in ranking if other != k]
    classes = model.classes_.tolist()
    sign = -1.0 if model._is_binary() and k == 0 else 1.0
    column = 0 if model._is_binary() else k
    parts = _contributions(model, text, given, k)
    return Explanation(
        text=text if isinstance(text, str) else _spelled(text),
        label=classes[k],
        runner_up=classes[others[0]] if others and not model.multilabel else None,
        score=sign * float(scores[0, column]),
        probability=float(probability[k]),
        intercept=sign * float(model.intercept_[column]),
        contributions=tuple(sorted(parts, key=lambda part: -abs(part.contribution))),
    )


def _class_number(model: TextModel, label: Any) -> int:
    for k, known in enumerate(model.classes_.tolist()):
        if known == label or str(known) == label:
            return k
    listed = ", ".join(repr(known) for known in model.classes_.tolist()[:10])
    raise ParameterError(f"The model has no label {label!r}; it has {listed}.")


def _contributions(model: TextModel, text: Any, given: Any, k: int) -> list[Contribution]:
    if model.kind == "text":
        rows = model.extractor.weigh(model.extractor.counts(given, 1), 1)
        spans = _spans(model, text)
    else:
        rows = model._bag_rows(given) if model.kind == "bag" else model._vector_rows(given)
        spans = {}
    return [
        Contribution(model.feature_name(j), value, weight, value * weight, spans.get(j, ()))
        for j, value, weight in _terms(model, rows, k)
    ]


def _terms(model: TextModel, rows: Rows, k: int) -> list[tuple[int, float, float]]:
    index, value = rows.index, rows.value.astype(np.float64)
    column = model.weights_[index, 0 if model._is_binary() else k].astype(np.float64)
    weight = -column if model._is_binary() and k == 0 else column
    return list(zip(index.tolist(), value.tolist(), weight.tolist(), strict=True))


def _spans(model: TextModel, text: str) -> dict[int, tuple[tuple[int, int], ...]]:
    """Return the character offsets of every feature's occurrences."""
    found: dict[int, list[tuple[int, int]]] = {}
    raw = text.encode()
    if len(raw) == len(text):
        at = list(range(len(raw) + 1))
    else:  # bytes to characters: a byte that continues a character belongs to it
        starts = np.frombuffer(raw, np.uint8) & 0xC0 != 0x80
        at = [*(np.cumsum(starts) - 1).tolist(), len(text)]
    for occurrence in model.extractor.trace(text):
        span = (at[occurrence.begin], at[occurrence.end])
        found.setdefault(occurrence.column, []).append(span)
    return {column: tuple(spans) for column, spans in found.items()}


def _spelled(example: Any) -> str:
    if isinstance(example, Mapping):
        return " ".join(f"{name}:{value:g}" for name, value in example.items())
    return str(example)
