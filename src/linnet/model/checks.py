"""Whether labels and examples are those of a model."""

from __future__ import annotations

from typing import Any

from linnet.errors import DataError, ParameterError

__all__ = ["check_kind", "find_label"]

_NAMED = {
    "text": "texts", "bag": "bags of named features", "vector": "numbered features",
    "columns": "rows of several columns",
}  # fmt: skip


def find_label(model: Any, spelled: str) -> Any:
    """Return the model's label of that spelling; the error names the closest ones."""
    known = {str(label): label for label in model.classes_}
    if spelled in known:
        return known[spelled]
    from difflib import get_close_matches

    near = get_close_matches(spelled, known, n=3) or list(known)[:10]
    raise ParameterError(
        f"the model has no label {spelled!r}; it has {len(known):,}, "
        f"such as {', '.join(map(repr, near))}"
    )


def check_kind(model: Any, model_name: str, examples: Any, file: str) -> None:
    """Refuse examples of a kind the model was not trained on."""
    if examples.kind != model.kind:
        raise DataError(
            f"{file} holds {_NAMED[examples.kind]}, but {model_name} was trained on "
            f"{_NAMED[model.kind]}; name the right format or train on such data"
        )
