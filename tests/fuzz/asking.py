"""Everything that can be asked of a loaded model, and whether its answers are numbers."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

import linnet
from linnet.errors import LinnetError

from .kinds import Kind

__all__ = ["Wrong", "ask_all"]

#: Answers in which infinity has a meaning: log 0, beyond the last neighbour.
_INFINITE = ("decision_function", "predict_log_proba", "kneighbors", "predict_nbest", "explain")


class Wrong(Exception):
    """A model that was accepted answers with what is no number."""


def ask_all(path: Path, kind: Kind) -> list[str]:
    """Load a model and ask it everything; return which questions it refused.

    Raises
    ------
    Wrong
        When an answer is not finite.
    LinnetError
        When the file is refused.
    Exception
        Any other is a fault of linnet.
    """
    model = linnet.load(path)
    refused = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, ask in _questions(model, kind, path):
            try:
                with np.errstate(all="ignore"):
                    answer = ask()
            except LinnetError as error:
                refused.append(f"{name}: {type(error).__name__}: {error}")
                continue
            if not all(_is_number(v, infinite=name in _INFINITE) for v in _numbers(answer)):
                raise Wrong(f"{name} answers {str(answer)[:300]}")
    return refused


def _questions(model: Any, kind: Kind, path: Path) -> Iterator[tuple[str, Any]]:
    X = kind.questions
    for verb in (
        "predict", "predict_proba", "decision_function", "predict_log_proba", "predict_top",
        "predict_marginals", "predict_nbest", "kneighbors", "apply", "conditional_risk",
        "probability", "expectation",
    ):  # fmt: skip
        if hasattr(model, verb):
            yield verb, lambda verb=verb: getattr(model, verb)(X)
    if hasattr(model, "explain"):
        yield "explain", lambda: model.explain(X[0])
    for verb in ("top_features", "top_transitions", "card", "rules", "export_text"):
        if hasattr(model, verb):
            yield verb, getattr(model, verb)
    if hasattr(model, "entities"):
        yield "entities", lambda: model.entities("The old man saw Rome.")
    if hasattr(model, "record_"):
        yield "inspect", lambda: _inspected(path, json=False)
        yield "inspect --json", lambda: _inspected(path, json=True)
    yield "repr", lambda: repr(model)
    yield "save", lambda: linnet.save(model, path.with_suffix(".again"))
    yield "load", lambda: linnet.load(path.with_suffix(".again")) and None
    if hasattr(model, "partial_fit") and kind.labels is not None:
        yield "partial_fit", lambda: model.partial_fit(X, kind.labels).predict(X)


def _inspected(path: Path, *, json: bool) -> None:
    """Show a model as the command line does."""
    from linnet.cli.inspect import command

    with redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")):
        command(str(path), other=None, top=3, features=None, json=json)


def _numbers(answer: Any) -> Iterator[Any]:
    """Yield the numbers in an answer, however deep."""
    if isinstance(answer, np.ndarray) and answer.dtype.kind in "fc":
        yield answer
    elif isinstance(answer, (float, np.floating)):
        yield np.asarray(answer)
    elif isinstance(answer, Mapping):
        for value in answer.values():
            yield from _numbers(value)
    elif isinstance(answer, (list, tuple)) or (
        isinstance(answer, np.ndarray) and answer.dtype == object
    ):
        for value in answer:
            yield from _numbers(value)
    elif is_dataclass(answer) and not isinstance(answer, type):
        for field in fields(answer):
            yield from _numbers(getattr(answer, field.name))


def _is_number(values: Any, *, infinite: bool) -> bool:
    return not np.isnan(values).any() if infinite else bool(np.isfinite(values).all())
