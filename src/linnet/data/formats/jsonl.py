"""JSON lines: one object a line, ``{"text": ..., "label": ...}`` or ``{"features": {...}}``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np

from linnet.data.columns import TextColumn
from linnet.data.formats.common import Bag, Blocks, Examples, Plan, Wishes, split_labels
from linnet.data.roles import with_roles
from linnet.errors import FormatError

__all__ = ["parse_object", "plan_objects", "read", "recognise", "write"]


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
    """Yield the examples of each block."""
    for first, block in blocks:
        found = _Columns(plan)
        for number, line in enumerate(block.split(b"\n"), first):
            if line and not line.isspace():
                found.add(parse_object(line, number, plan.file), number)
        if found.lines:
            yield found.examples()


def parse_object(line: bytes, number: int, file: str) -> dict[str, Any]:
    """Return the object of one line."""
    try:
        value = json.loads(line)
    except RecursionError:
        raise FormatError("the JSON is nested too deeply", file=file, line=number) from None
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg}; each line must hold one object"
        raise FormatError(message, file=file, line=number, column=error.pos + 1) from None
    except ValueError as error:  # a number with too many digits
        raise FormatError(f"not JSON: {error}", file=file, line=number) from None
    if not isinstance(value, dict):
        what = f'expected an object such as {{"text": ...}}, found {type(value).__name__}'
        raise FormatError(what, file=file, line=number, column=1)
    return value


class _Columns:
    """What is kept of the objects of one block; the objects themselves are let go."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.values: list[Any] = []
        self.labels: list[Any] = []
        self.ids: list[str] = []
        self.lines: list[int] = []

    def add(self, row: dict[str, Any], line: int) -> None:
        plan, name = self.plan, self.plan.text or "text"
        if not self.lines:
            self._take = _bag if isinstance(row.get(name), dict) else _text
        self.values.append(self._take(row, name, line, plan))
        if plan.label is not None and plan.labels:
            self.labels.append(_label(row, plan.label, line, plan))
        if "id" in row and "id" not in (plan.text, plan.label):
            self.ids.append(str(row["id"]))
        self.lines.append(line)

    def examples(self) -> Examples:
        kind = "bag" if isinstance(self.values[0], dict) else "text"
        X = self._column() if kind == "text" else self.values
        ids = self.ids if len(self.ids) == len(self.lines) else None
        return self.plan.examples(kind, X, _shaped(self.labels), np.array(self.lines), ids)

    def _column(self) -> TextColumn:
        try:
            return TextColumn.from_strings(self.values)
        except ValueError as error:  # a lone surrogate, written as \\ud800
            message = f"of the texts from this line on, counted from 0: {error}"
            raise FormatError(message, file=self.plan.file, line=self.lines[0]) from None


def _shaped(labels: list[Any]) -> list[Any] | None:
    """Return the labels; if any row has a list of them, all rows do."""
    if any(isinstance(label, list) for label in labels):
        return [label if isinstance(label, list) else [label] for label in labels]
    return labels or None


def _text(row: dict[str, Any], name: str, line: int, plan: Plan) -> str:
    value = row.get(name)
    if isinstance(value, str):
        return value
    if value is None and plan.nulls == "empty":
        return ""
    found = f"it is {json.dumps(value)[:40]}" if name in row else _keys(row)
    message = f"the text (key {name!r}) must be a string, but {found}"
    remedy = "; pass nulls='empty' to read it as an empty text" if value is None else ""
    raise FormatError(f"{message}{remedy}", file=plan.file, line=line)


def _keys(row: dict[str, Any]) -> str:
    return f"the object has only the keys {', '.join(row) or '(none)'}"


def _bag(row: dict[str, Any], name: str, line: int, plan: Plan) -> Bag:
    value = row.get(name)
    if not isinstance(value, dict):
        message = f"the features (key {name!r}) must be an object of numbers"
        raise FormatError(message, file=plan.file, line=line)
    for feature, count in value.items():
        if isinstance(count, bool) or not isinstance(count, (int, float)) or not isfinite(count):
            message = f"feature {feature!r} must be a finite number, found {count!r}"
            raise FormatError(message, file=plan.file, line=line)
    return {feature: float(count) for feature, count in value.items()}


def _label(row: dict[str, Any], name: str, line: int, plan: Plan) -> Any:
    value = row.get(name)
    if isinstance(value, list):
        return [_one_label(part, name, line, plan) for part in value]
    label = _one_label(value, name, line, plan)
    if plan.label_separator is not None and isinstance(label, str):
        return split_labels(label, plan.label_separator)
    return label


def _one_label(value: Any, name: str, line: int, plan: Plan) -> str | int:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int)) and value != "":
        return value
    if isinstance(value, float) and isfinite(value):
        return repr(value)
    message = f"the label (key {name!r}) must be a string or a number, but it is "
    found = "missing or null" if value is None else json.dumps(value)[:40]
    raise FormatError(
        f"{message}{found}; remove the line or give it a label", file=plan.file, line=line
    )


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
