"""The exact contribution of every feature to the score of a text (SPEC C-27)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.explain.text import Contribution, Explanation
from linnet.learn.decision import ranking
from linnet.text.extractor import Rows

if TYPE_CHECKING:
    from linnet.model.model import TextModel

__all__ = ["explain"]


def explain(model: TextModel, text: Any, label: Any = None) -> Explanation:
    """Explain one text, bag or vector.

    The score is the one ``decision_function`` gives the label (for two classes with its sign
    turned towards the label), and is the intercept plus the sum of the contributions.
    """
    given = _one(model, text)
    verdict = model.judge(given)
    scores, probability = verdict.scores, verdict.probability
    order = ranking(scores, verdict.best, len(model.classes_))[0].tolist()
    k = order[0] if label is None else _class_number(model, label)
    others = [other for other in order if other != k]
    classes = model.classes_.tolist()
    sign = -1.0 if model._is_binary() and k == 0 else 1.0
    column = 0 if model._is_binary() else k
    parts = _contributions(model, text, given, k)
    return Explanation(
        text=text if isinstance(text, str) else _spelled(text),
        label=classes[k],
        runner_up=classes[others[0]] if others and not model.multilabel else None,
        score=sign * float(scores[0, column]),
        probability=float(probability[0, k]),
        intercept=sign * float(model.intercept_[column]),
        contributions=tuple(sorted(parts, key=lambda part: -abs(part.contribution))),
    )


def _one(model: TextModel, example: Any) -> Any:
    """Return the example as a batch of one."""
    if model.kind == "text" and not isinstance(example, str):
        raise DataError(f"explain takes one text, got {type(example).__name__}.")
    if model.kind != "vector" or not hasattr(example, "shape"):
        return [example]
    if len(example.shape) == 2 and example.shape[0] != 1:
        raise DataError(f"explain takes one row, got a matrix of {example.shape[0]}.")
    return example.reshape(1, -1)


def _class_number(model: TextModel, label: Any) -> int:
    for k, known in enumerate(model.classes_.tolist()):
        if known == label or str(known) == label:
            return k
    listed = ", ".join(repr(known) for known in model.classes_.tolist()[:10])
    raise ParameterError(f"The model has no label {label!r}; it has {listed}.")


def _contributions(model: TextModel, text: Any, given: Any, k: int) -> list[Contribution]:
    if model.kind == "text":
        index, value = _values(model, model.extractor.counts(given, 1))
        spans = _spans(model, text)
    else:
        rows, spans = model._rows(given), {}
        index, value = rows.index, rows.value.astype(np.float64)
    weight = model.weights_[index, 0 if model._is_binary() else k].astype(np.float64)
    if model._is_binary() and k == 0:
        weight = -weight
    terms = zip(index.tolist(), value.tolist(), weight.tolist(), strict=True)
    return [Contribution(model.feature_name(j), v, w, v * w, spans.get(j, ())) for j, v, w in terms]


def _values(model: TextModel, counts: Rows) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the columns of one text and their values, as exact as the scores are.

    ``Extractor.weigh`` rounds values to 24 bits for a matrix; scores are summed without that.
    """
    settings, scale = model.extractor.settings, model.extractor.scale
    value = counts.value.astype(np.float64)
    if settings.count == "binary":
        value = np.ones_like(value)
    elif settings.count == "logarithm":
        there = value != 0
        value[there] = np.copysign(1.0 + np.log(np.abs(value[there])), value[there])
    if scale is not None:
        value = value * scale[counts.index]
    norm = {"none": 1.0, "l1": np.abs(value).sum(), "l2": np.sqrt((value**2).sum())}[settings.norm]
    return counts.index, value / norm if norm else value


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
