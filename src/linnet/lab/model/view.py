"""What the page shows of a model: of linnet or of another program, of texts, rows or sentences.

The model is the file that the lab was started with; the page cannot name another one. A labelled
file comes from the page itself, which reads it where the browser runs.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from linnet.errors import DataError, ParameterError
from linnet.lab.model.explaining import explained, first_example, read_example
from linnet.lab.settings import text, whole
from linnet.model.card import facts
from linnet.model.model import Model

__all__ = ["answer"]

MOST_LABELS, MOST_FILE, MOST_EXAMPLE, MOST_MISTAKES = 30, 3_000_000, 20_000, 20
NO_MODEL = (
    "No model file was given: this one was just trained on five film reviews. Start linnet lab "
    "MODEL to look into a file, also one of fastText, CRFsuite or LIBLINEAR."
)


def answer(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a model's card, strongest features, an explained example, and mistakes.

    Parameters
    ----------
    settings : dict
        model (a path or None), example (text, or a row's values with commas), top (features a
        label), labelled (the content of a labelled file) and its name; all are optional.

    Examples
    --------
    >>> state = answer({"example": "very boring"})
    >>> state["kind"], state["explained"]["label"]
    ('text', '-')
    """
    path = settings.get("model")
    model = _demonstration() if path is None else _loaded(path, *_stamp(path))
    top = whole(settings, "top", 10, 1, 50)
    example = text(settings, "example", "", MOST_EXAMPLE).strip() or first_example(model)
    labelled = text(settings, "labelled", "", MOST_FILE)
    return {
        "file": None if path is None else os.path.basename(path),
        "note": NO_MODEL if path is None else "",
        "kind": model.kind,
        "card": _card(model),
        "labels": [str(label) for label in model.classes_.tolist()],
        "strongest": _strongest(model, top),
        "transitions": _transitions(model, top),
        "example": example,
        "explained": None if not example else explained(model, read_example(model, example)),
        "mistakes": None if not labelled.strip() else _mistakes(model, labelled, settings),
    }


@lru_cache(maxsize=1)
def _demonstration() -> Model:
    from linnet.data.tiny import REVIEWS
    from linnet.learn.naive_bayes import MultinomialNB
    from linnet.model.text_classifier import TextClassifier

    face = TextClassifier(
        MultinomialNB(), ngrams=1, weighting="count", sublinear_tf=False, norm=None, n_threads=1
    )
    model: Model = face.fit(list(REVIEWS.texts), list(REVIEWS.labels)).model_
    return model


def _stamp(path: str) -> tuple[int, int]:
    """Return what changes when a file does."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise DataError(f"the model file cannot be read: {error.strerror}") from error
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=1)
def _loaded(path: str, changed: int, size: int) -> Model:
    from linnet.model.file import load

    model = load(path)
    held = getattr(model, "model_", model)
    if not isinstance(held, Model):
        raise DataError(
            f"the file holds a {type(model).__name__}, which reads no texts, rows or sentences; "
            "the lab looks into what linnet train writes"
        )
    return held


def _card(model: Model) -> list[list[str]]:
    """Return the lines of the card: a name and what it says; the first has no name."""
    first, lines = facts(model)
    return [["", first], *map(list, lines)]


def _strongest(model: Model, top: int) -> dict[str, list[list[Any]]]:
    """Return the features of largest weight of each label; none of a learner without weights."""
    if model.scorer.name == "learner":
        return {}
    try:
        listed = list(model.top_features(top).items())[:MOST_LABELS]
    except ParameterError:  # a chain that is no sum of weights, such as an HMM's
        return {}
    return {str(label): [[name, float(w)] for name, w in rows] for label, rows in listed}


def _transitions(model: Model, top: int) -> list[list[Any]]:
    if model.kind != "sequence":
        return []
    try:
        return [[a, b, float(score)] for a, b, score in model.top_transitions(2 * top)]
    except ParameterError:
        return []


def _mistakes(model: Model, labelled: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Compare a model with a labelled file: how many are right, and the surest mistakes."""
    source = io.BytesIO(labelled.encode("utf-8"))
    source.name = os.path.basename(text(settings, "name", "labelled file", 300)) or "labelled file"
    X, y = _read(model, source)
    count = len(y) if model.kind != "sequence" else sum(map(len, y))
    unit = "tokens" if model.kind == "sequence" else "examples"
    found = {"file": source.name, "accuracy": model.score(X, y), "count": count, "unit": unit}
    if model.kind == "sequence" and not model.probabilistic:
        return {**found, "list": _wrong_tags(model, X, y)}
    from linnet.evaluate.mistakes import confident_mistakes

    listed = confident_mistakes(model, X, y, MOST_MISTAKES)
    return {**found, "list": [_plain(mistake.to_dict()) for mistake in listed]}


def _wrong_tags(model: Model, X: Any, y: list[list[str]]) -> list[dict[str, Any]]:
    """Return the first wrong tags of a tagger that has no probabilities, in their order."""
    wrong: list[dict[str, Any]] = []
    unknown: dict[str, Any] = {
        "probability": None,
        "truth_probability": None,
        "features": [],
        "reasons": [],
    }
    for row, (words, guesses, gold) in enumerate(
        zip(X.sentences(), model.predict(X), y, strict=True)
    ):
        for token, (guess, truth) in enumerate(zip(guesses, gold, strict=True)):
            if guess != truth:
                place = {"row": row, "token": token, "truth": truth, "guess": guess}
                wrong.append({**place, **unknown, "example": " ".join(words)})
    return wrong[:MOST_MISTAKES]


def _read(model: Model, source: Any) -> tuple[Any, Any]:
    from linnet.data.examples import read_examples
    from linnet.data.formats.rows import read_rows
    from linnet.data.sequences import read_sequences

    X: Any
    y: Any
    if model.kind == "sequence":
        X = read_sequences(source)
        y = X.tags
    elif model.kind == "row":
        file = read_rows(source)
        if len(file.table.names) != len(model.names):
            raise DataError(
                f"the rows have {len(file.table.names)} values and a label; the model reads "
                f"{len(model.names)}: {', '.join(model.names)}"
            )
        file = file.with_numbers(dict(zip(file.table.names, model.kinds, strict=True)))
        X, y = [file.table.row(i) for i in range(len(file))], file.labels
    else:
        examples = read_examples(source, nulls="empty")
        if examples.kind != model.kind:
            raise DataError(f"the file holds {examples.kind}s, the model reads {model.kind}s")
        X, y = examples.X, examples.y
    if y is None or not len(y):
        raise DataError("the file has no labels to compare with")
    return X, y


def _plain(mistake: dict[str, Any]) -> dict[str, Any]:
    names = ("row", "token", "truth", "guess", "probability", "truth_probability")
    kept = {name: mistake[name] for name in names}
    kept |= {name: str(mistake[name]) for name in ("truth", "guess")}
    kept["example"] = str(mistake["example"])[:600]
    kept["features"] = [[name, float(w)] for name, w in mistake["features"]]
    kept["reasons"] = list(mistake["reasons"])
    return kept
