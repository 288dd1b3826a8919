"""A model described in a page that people can read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linnet.model.model import TextModel

__all__ = ["card"]

_LISTED = 20


def card(model: TextModel) -> str:
    """Return what the model predicts, from what, and how it was trained.

    Examples
    --------
    >>> import linnet
    >>> model = linnet.TextClassifier().fit(["good", "poor"] * 9, ["+", "-"] * 9).model_
    >>> print(card(model).splitlines()[0])
    A classifier of texts: 2 labels, 2 features
    """
    what = {"text": "texts", "bag": "bags of features", "vector": "vectors"}[model.kind]
    labels = [str(label) for label in model.classes_.tolist()]
    listed = ", ".join(labels[:_LISTED]) + (", …" if len(labels) > _LISTED else "")
    lines = [
        f"A classifier of {what}: {len(labels)} labels, {model.n_features:,} features",
        f"labels         {listed}",
        f"decision       {_decision(model)}",
    ]
    if model.kind != "vector":
        lines += _features(model)
    for name, value in model.record_.items():
        shown = f"{value:.6g}" if isinstance(value, float) else str(value)
        lines.append(f"{name.replace('_', ' '):<14} {shown}")
    return "\n".join(lines)


def _decision(model: TextModel) -> str:
    if model.multilabel:
        return "every label whose probability is at least 0.5"
    text = "the label of largest score"
    if model.abstain is not None:
        text += f"; none ({model.abstain_label!r}) below a probability of {model.abstain:g}"
    return text


def _features(model: TextModel) -> list[str]:
    settings = model.extractor.settings
    lines = []
    if model.kind == "text":
        low, high = settings.ngrams
        unit = "characters" if settings.tokenizer.startswith("char") else "tokens"
        size = f"{low}" if low == high else f"{low} to {high}"
        chosen = [f"n-grams of {size} {unit} ({settings.pattern or settings.tokenizer})"]
        chosen += ["case folded"] if settings.lowercase else []
        chosen += [f"accents stripped ({settings.accents})"] if settings.accents != "keep" else []
        chosen += ["digits as 0"] if settings.digits else []
        chosen += ["HTML removed"] if settings.html else []
        chosen += [f"{len(settings.stop_words)} stop words"] if settings.stop_words else []
        chosen += [f"hashed into {settings.buckets:,} buckets"] if settings.buckets else []
        lines.append(f"features       {', '.join(chosen)}")
    counts = {"plain": "counts", "binary": "presence", "logarithm": "1 + ln count"}
    value = counts[settings.count]
    value += " × scale of the feature" if model.extractor.scale is not None else ""
    value += f", rows divided by their {settings.norm} norm" if settings.norm != "none" else ""
    lines.append(f"values         {value}")
    return lines
