"""The forms of one example in a request: what it is called, its JSON Schema, what is wrong with it.

The schema and the check say the same; a request that keeps to the schema is answered.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from linnet.serve.limits import Limits

__all__ = ["FORMS", "Form", "Options"]

Options = dict[str, dict[str, Any]]
Schema = dict[str, Any]
_NUMBER = (int, float)
# What str.isspace() calls white space and \s of a JSON Schema does not is listed.
_WORD = "^[^\\s\\u0085\\u001c-\\u001f]+$"
_SPACE = re.compile(r"\s")


@dataclass(frozen=True)
class Form:
    """A form of examples.

    Attributes
    ----------
    one, many : str
        The members of a request that hold one example and a list of them.
    schema : function of the model and the limits
        Of one example.
    fault : function of the model, an example and the limits
        What is wrong with an example, or None.
    raw : bool
        Whether sentences are given as raw text.
    alike : function of the model and an example, optional
        Makes examples that are written in several ways alike, so that they can go together.
    """

    one: str
    many: str
    schema: Callable[[Any, Limits], Schema]
    fault: Callable[[Any, Any, Limits], str | None]
    raw: bool = False
    alike: Callable[[Any, Any], Any] | None = None

    def read(self, model: Any, examples: list[Any]) -> list[Any]:
        """Return examples without fault as the model takes them."""
        alike = self.alike
        return examples if alike is None else [alike(model, one) for one in examples]


def _text_schema(model: Any, limits: Limits) -> Schema:
    return {"type": "string", "maxLength": limits.text}


def _text_fault(model: Any, example: Any, limits: Limits) -> str | None:
    if not isinstance(example, str):
        return f"must be a string, not {_called(example)}"
    if len(example) > limits.text:
        return f"has {len(example):,} characters, at most {limits.text:,} are read"
    return None


def _bag_schema(model: Any, limits: Limits) -> Schema:
    number = {"type": "number", "minimum": -1e30, "maximum": 1e30}
    return {"type": "object", "additionalProperties": number, "maxProperties": limits.text}


def _bag_fault(model: Any, example: Any, limits: Limits) -> str | None:
    if not isinstance(example, dict):
        return f"must be an object of features and numbers, not {_called(example)}"
    if len(example) > limits.text:
        return f"has {len(example):,} features, at most {limits.text:,} are read"
    for name, value in example.items():
        if not _is_number(value):
            return f"has {_called(value)} at {name[:40]!r}, where a number must be"
    return None


def _vector_schema(model: Any, limits: Limits) -> Schema:
    n, number = model.n_features, {"type": "number", "minimum": -1e30, "maximum": 1e30}
    return {"type": "array", "items": number, "minItems": n, "maxItems": n}


def _vector_fault(model: Any, example: Any, limits: Limits) -> str | None:
    if not isinstance(example, list) or len(example) != model.n_features:
        return f"must be an array of {model.n_features} numbers"
    wrong = next((value for value in example if not _is_number(value)), 0)
    return None if _is_number(wrong) else f"holds {_called(wrong)}, where a number must be"


def _cell_schema(model: Any) -> list[Schema]:
    number: Schema = {"type": ["number"], "minimum": -1e30, "maximum": 1e30}
    if model.reader.vectors is None:  # a learner of rows knows what to do without a value
        number["type"] = ["number", "null"]
    symbol = {"type": ["string", "null"]}
    return [number if kind == "numeric" else symbol for kind in model.kinds]


def _row_schema(model: Any, limits: Limits) -> Schema:
    cells, names, n = _cell_schema(model), model.names, len(model.names)
    properties = dict(zip(names, cells, strict=True))
    by_name = {"type": "object", "properties": properties, "required": names}
    by_place = {"type": "array", "prefixItems": cells, "minItems": n, "maxItems": n}
    return {"anyOf": [by_name, by_place]}


def _row_fault(model: Any, example: Any, limits: Limits) -> str | None:
    names: list[str] = model.names
    if isinstance(example, dict):
        absent = next((name for name in names if name not in example), None)
        if absent is not None:
            return f"has no value of {absent!r}; null says that it is missing"
        cells = [example[name] for name in names]
    elif isinstance(example, list) and len(example) == len(names):
        cells = example
    else:
        return f"must be an object with the members {', '.join(names[:20])}, or an array of them"
    missing = model.reader.vectors is None
    for name, kind, cell in zip(names, model.kinds, cells, strict=True):
        if kind == "numeric" and not (_is_number(cell) or (cell is None and missing)):
            return f"has {_called(cell)} at {name!r}, where a number must be"
        if kind == "symbolic" and not (cell is None or isinstance(cell, str)):
            return f"has {_called(cell)} at {name!r}, where a string must be"
    return None


def _row_by_place(model: Any, example: Any) -> list[Any]:
    return example if isinstance(example, list) else [example[name] for name in model.names]


def _columns_schema(model: Any, limits: Limits) -> Schema:
    number = {"type": ["number", "null"], "minimum": -1e30, "maximum": 1e30}
    text = {"type": ["string", "null"], "maxLength": limits.text}
    cells = {
        name: number if kind == "number" else text for name, kind in model.reader.holds.items()
    }
    return {"type": "object", "properties": cells, "required": list(cells)}


def _columns_fault(model: Any, example: Any, limits: Limits) -> str | None:
    holds: dict[str, str] = model.reader.holds
    if not isinstance(example, dict):
        return f"must be an object with the members {', '.join(list(holds)[:20])}"
    for name, kind in holds.items():
        if name not in example:
            return f"has no value of {name!r}; null says that it is missing"
        value = example[name]
        if kind == "number" and not (value is None or _is_number(value)):
            return f"has {_called(value)} at {name!r}, where a number must be"
        if kind != "number" and not (value is None or isinstance(value, str)):
            return f"has {_called(value)} at {name!r}, where a string must be"
        if isinstance(value, str) and len(value) > limits.text:
            return f"has {len(value):,} characters at {name!r}, at most {limits.text:,} are read"
    return None


def _tokens_schema(model: Any, limits: Limits) -> Schema:
    word: Schema = {"type": "string", "pattern": _WORD}
    token, n = word, model.n_columns
    if n > 1:
        columns = {"type": "array", "minItems": n, "maxItems": n, "items": {"type": "string"}}
        token = {**columns, "prefixItems": [word]}
    listed = [token, word] if n > 1 and model.column_models else [token]
    if _takes_attributes(model):
        value = {"type": ["number", "string", "boolean"]}
        names = {"type": "array", "items": {"type": "string"}}
        listed = [{"anyOf": [word, names, {"type": "object", "additionalProperties": value}]}]
    forms = [{"type": "array", "items": one, "maxItems": limits.text} for one in listed]
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _tokens_fault(model: Any, example: Any, limits: Limits) -> str | None:
    if not isinstance(example, list):
        return f"must be an array of tokens, not {_called(example)}"
    if len(example) > limits.text:
        return f"has {len(example):,} tokens, at most {limits.text:,} are read"
    n = model.n_columns
    if _takes_attributes(model):
        right = [_is_word(token) or _is_item(token) for token in example]
        kind = "a string, an array of attributes, or an object of their values"
    elif n == 1 or (model.column_models and example and isinstance(example[0], str)):
        right = [_is_word(token) for token in example]
        kind = "a string without white space, and not empty"
    else:
        right = [_is_token(token, n) for token in example]
        kind = f"an array of {n} strings, the word first"
    for token, fits in zip(example, right, strict=True):
        if not fits:
            return f"holds {_called(token)}; each token must be {kind}"
    return None


def _takes_attributes(model: Any) -> bool:
    """Tell whether tokens are items, as CRFsuite has them: their attributes come along."""
    return getattr(model.reader, "takes_attributes", False)


def _is_item(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(one, (str, bool)) or _is_number(one) for one in value.values())
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and _SPACE.search(value) is None


def _is_token(value: Any, n: int) -> bool:
    whole = isinstance(value, list) and len(value) == n
    return whole and _is_word(value[0]) and all(isinstance(cell, str) for cell in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, _NUMBER) and not isinstance(value, bool) and abs(value) <= 1e30


def _called(value: Any) -> str:
    """Return what JSON calls a value."""
    if isinstance(value, _NUMBER) and not isinstance(value, bool):
        return "a number"
    names = {str: "a string", list: "an array", dict: "an object", bool: "a truth value"}
    return names.get(type(value), "null")


_TEXT = Form("text", "texts", _text_schema, _text_fault)
#: Of each kind of model.
FORMS = {
    "text": (_TEXT,),
    "bag": (Form("bag", "bags", _bag_schema, _bag_fault),),
    "vector": (Form("vector", "vectors", _vector_schema, _vector_fault),),
    "row": (Form("row", "rows", _row_schema, _row_fault, alike=_row_by_place),),
    "columns": (Form("row", "rows", _columns_schema, _columns_fault),),
    "sequence": (
        Form("text", "texts", _text_schema, _text_fault, raw=True),
        Form("tokens", "sentences", _tokens_schema, _tokens_fault),
    ),
}
