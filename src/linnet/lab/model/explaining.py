"""One example of a model explained, as plain values: text, bag, vector, row or sentence."""

from __future__ import annotations

import json
import math
from typing import Any

from linnet.errors import DataError
from linnet.explain.rows import RowExplanation
from linnet.model.model import Model

__all__ = ["explained", "first_example", "read_example"]

MOST_CLASSES, MOST_PARTS, MOST_REMOVED = 4, 40, 12


def first_example(model: Model) -> str:
    """Return an example to begin with: some of the words that the model knows best."""
    if model.kind == "text" and model.scorer.name != "learner":
        listed = model.top_features(3).values()
        names = [name for rows in list(listed)[:3] for name, _ in rows[:2]]
        return " ".join(dict.fromkeys(word for name in names for word in name.split()))
    if model.kind == "text":
        return "a text"
    if model.kind == "sequence":
        known = sorted(getattr(model.reader, "known_words", None) or [])
        return " ".join(map(str, known[:: max(1, len(known) // 6)][:6])) or "a sentence"
    if model.kind == "row":
        return ", ".join("0" if kind == "numeric" else "?" for kind in model.kinds)
    return ""


def read_example(model: Model, example: str) -> Any:
    """Turn what was typed into what the model explains."""
    if model.kind in ("text", "sequence"):
        return example
    if model.kind == "row":
        cells = [cell.strip() for cell in example.split(",")]
        if len(cells) != len(model.names):
            raise DataError(
                f"a row has {len(model.names)} values with commas between: {', '.join(model.names)}"
            )
        kinds = zip(cells, model.kinds, strict=True)
        return [_number(cell) if kind == "numeric" else cell for cell, kind in kinds]
    try:
        value = json.loads(example)
    except ValueError:
        value = None
    wanted = dict if model.kind == "bag" else list
    if not isinstance(value, wanted):
        form = '{"feature": 1}' if model.kind == "bag" else "[0.5, 1]"
        raise DataError(f"the model reads {model.kind}s; write one as JSON, such as {form}")
    return value


def _number(cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DataError(f"{cell!r} is no number")
    return value


def explained(model: Model, example: Any) -> dict[str, Any]:
    """Return why the model answers as it does."""
    if model.kind == "sequence":
        tokens = model.explain(example).to_dict(MOST_PARTS)["tokens"]
        return {"form": "tags", "tokens": tokens}
    verdict = model.explain(example)
    labels, shares = model.predict_top([example], min(10, len(model.classes_)))
    ranked = [[str(label), float(p)] for label, p in zip(labels[0], shares[0], strict=True)]
    about = {"label": str(verdict.label), "probabilities": ranked}
    if isinstance(verdict, RowExplanation):
        rows = [[str(cell) for cell in row] for row in verdict.reasons[:MOST_PARTS]]
        return about | {
            "form": "reasons", "title": verdict.title, "headings": list(verdict.headings),
            "rows": rows, "note": verdict.note,
        }  # fmt: skip
    classes = []
    for label in labels[0][:MOST_CLASSES]:
        why = model.explain(example, label)
        parts = [[p.feature, p.value, p.weight, p.contribution] for p in why.contributions]
        words = [[w.start, w.end, w.contribution] for w in why.words()]
        sums = {"label": str(label), "score": why.score, "intercept": why.intercept}
        more = max(0, len(parts) - MOST_PARTS)
        classes.append({**sums, "words": words, "parts": parts[:MOST_PARTS], "more": more})
    flip = fewest_removals(model, example, str(verdict.label)) if model.kind == "text" else None
    return about | {"form": "sums", "text": verdict.text, "classes": classes, "flip": flip}


def fewest_removals(model: Model, text: str, label: str) -> dict[str, Any] | None:
    """Return the words whose removal changes the label: at each step the one that helps most.

    One word is the fewest if one is enough; beyond that there may be a smaller set.
    """
    words, removed = text.split(), list[str]()
    column = [str(one) for one in model.classes_.tolist()].index(label)
    while len(words) > 1 and len(removed) < MOST_REMOVED:
        shorter = [" ".join(words[:i] + words[i + 1 :]) for i in range(len(words))]
        shares = model.judge(shorter).probability[:, column]
        best = int(shares.argmin())
        removed.append(words.pop(best))
        now = str(model.predict([shorter[best]])[0])
        if now != label:
            return {"removed": removed, "text": shorter[best], "label": now}
    return None
