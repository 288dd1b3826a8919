"""JSON lines: one object a line, ``{"text": ..., "label": ...}`` or ``{"features": {...}}``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn
from linnet.data.formats.common import (
    Bag,
    Blocks,
    Examples,
    Mistake,
    Plan,
    Wishes,
    parsed_lines,
    split_labels,
)
from linnet.data.inputs import cells_of_object, table_of_cells
from linnet.data.roles import with_roles
from linnet.errors import FormatError

__all__ = ["parse_object", "plan_objects", "read", "recognise", "write"]

_decode = json.JSONDecoder().raw_decode  # json.loads asks more of each of millions of calls


def recognise(filled: list[str]) -> str | None:
    """Say why lines are objects."""
    return "starts with {" if all(line.lstrip().startswith("{") for line in filled) else None


def plan_objects(lines: list[str], plan: Plan, wishes: Wishes) -> Plan:
    """Return the plan with the keys of the objects, those of texts and labels among them."""
    if "".join(lines[:100]).lstrip().startswith("["):
        message = "this is one JSON array; write one object a line (JSONL), as jq -c '.[]' does"
        raise FormatError(message, file=plan.file, line=1)
    objects: list[dict[str, Any]] = []
    for line in lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue  # the reader will say what is wrong, and where
        if isinstance(value, dict):
            objects.append(value)
    columns = tuple(dict.fromkeys(key for row in objects for key in row))
    if not columns:
        return replace(plan, text="text")
    rows = [[row.get(key) for key in columns] for row in objects]
    chosen = with_roles(replace(plan, columns=columns, decisions=()), rows, wishes)
    said = [sentence.replace("column", "key") for sentence in chosen.decisions]
    if any(isinstance(row.get(chosen.text or ""), dict) for row in objects):
        said = [sentence.replace("text is", "features are under", 1) for sentence in said]
    return replace(chosen, decisions=(*plan.decisions, *said))


def read(blocks: Blocks, plan: Plan) -> Iterator[Examples]:
    """Yield the examples of each block; whether they are texts or bags the first object says."""
    name, kind = plan.text or "text", ""

    def parse(line: bytes) -> tuple[Any, Any, str | None]:
        """Return what is kept of an object: value, label and id."""
        nonlocal kind
        row = parse_object(line)
        value: Any
        if plan.inputs:
            kind, value = "columns", cells_of_object(row, plan)
        else:
            kind = kind or ("bag" if isinstance(row.get(name), dict) else "text")
            value = _bag(row, name) if kind == "bag" else _text(row, name, plan)
        wanted = plan.label is not None and plan.labels
        label = _label(row, str(plan.label), plan) if wanted else None
        named = "id" in row and "id" not in (plan.text, plan.label, *dict(plan.inputs))
        return value, label, str(row["id"]) if named else None

    for records, lines in parsed_lines(blocks, plan, parse):
        values, labels, ids = map(list, zip(*records, strict=True))
        X: Any = values
        if kind == "columns":
            X = table_of_cells(values, lines, plan)
        elif kind == "text":
            X = _column(values, lines, plan)
        names = None if None in ids else ids
        yield plan.examples(kind, X, _shaped(labels), lines, names)


def parse_object(line: bytes) -> dict[str, Any]:
    """Return the object of one line."""
    try:
        text = line.decode("utf-8", "surrogatepass")
        value, end = _decode(text) if text[:1] == "{" else (None, -1)
        if end != len(text):
            value = json.loads(text)
    except RecursionError:
        raise Mistake("the JSON is nested too deeply") from None
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg}; each line must hold one object"
        raise Mistake(message, error.pos + 1) from None
    except ValueError as error:  # a number with too many digits
        raise Mistake(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        what = f'expected an object such as {{"text": ...}}, found {type(value).__name__}'
        raise Mistake(what, 1)
    return value


def _column(texts: list[str], lines: NDArray[np.int64], plan: Plan) -> TextColumn:
    try:
        return TextColumn.from_strings(texts)
    except ValueError as error:  # a lone surrogate, written as \\ud800
        message = f"of the texts from this line on, counted from 0: {error}"
        raise FormatError(message, file=plan.file, line=int(lines[0])) from None


def _shaped(labels: list[Any]) -> list[Any] | None:
    """Return the labels; if any row has a list of them, all rows do."""
    if any(isinstance(label, list) for label in labels):
        return [label if isinstance(label, list) else [label] for label in labels]
    return None if None in labels else labels


def _text(row: dict[str, Any], name: str, plan: Plan) -> str:
    value = row.get(name)
    if isinstance(value, str):
        return value
    if value is None and plan.nulls == "empty":
        return ""
    held = f"it is {json.dumps(value)[:40]}" if name in row else _keys(row)
    message = f"the text (key {name!r}) must be a string, but {held}"
    remedy = "; pass nulls='empty' to read it as an empty text" if value is None else ""
    raise Mistake(f"{message}{remedy}")


def _keys(row: dict[str, Any]) -> str:
    return f"the object has only the keys {', '.join(row) or '(none)'}"


def _bag(row: dict[str, Any], name: str) -> Bag:
    value = row.get(name)
    if not isinstance(value, dict):
        raise Mistake(f"the features (key {name!r}) must be an object of numbers")
    for feature, count in value.items():
        if isinstance(count, bool) or not isinstance(count, (int, float)) or not isfinite(count):
            raise Mistake(f"feature {feature!r} must be a finite number, found {count!r}")
    return {feature: float(count) for feature, count in value.items()}


def _label(row: dict[str, Any], name: str, plan: Plan) -> Any:
    value = row.get(name)
    if isinstance(value, list):
        return [_one_label(part, name) for part in value]
    label = _one_label(value, name)
    if plan.label_separator is not None and isinstance(label, str):
        return split_labels(label, plan.label_separator)
    return label


def _one_label(value: Any, name: str) -> str | int:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int)) and value != "":
        return value
    if isinstance(value, float) and isfinite(value):
        return repr(value)
    message = f"the label (key {name!r}) must be a string or a number, but it is "
    held = "missing or null" if value is None else json.dumps(value)[:40]
    raise Mistake(f"{message}{held}; remove the line or give it a label")


def write(examples: Examples, row: int, plan: Plan) -> Iterator[str]:
    """Yield one object a line; `row` counts the examples before."""
    key = "text" if examples.kind == "text" else "features"
    values = iter(examples.X) if examples.kind == "text" else examples.bags()
    for number, value in enumerate(values):
        record: dict[str, Any] = {}
        if examples.ids is not None:
            record["id"] = examples.ids[number]
        if examples.y is not None:
            record["label"] = examples.y[number]
        record[key] = value
        yield json.dumps(record, ensure_ascii=False) + "\n"
