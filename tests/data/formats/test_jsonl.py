"""JSON lines."""

from __future__ import annotations

import json

import pytest

from ..reading import read, where


def test_json_lines_keep_integer_labels_and_spell_other_values() -> None:
    rows = [{"text": "a", "label": 1}, {"text": "", "label": "x"}, {"text": "c", "label": True}]
    raw = "\n".join(map(json.dumps, rows)) + "\n\n"
    assert read(raw).y == [1, "x", "true"]
    assert read('{"text": "a", "label": 2.5}').y == ["2.5"]


def test_json_lines_with_lists_of_labels_have_several_labels() -> None:
    raw = '{"text": "a", "labels": ["x", 2]}\n{"text": "b", "labels": []}\n'
    assert read(raw).y == [["x", 2], []]
    mixed = '{"text": "a", "label": "x"}\n{"text": "b", "label": ["x", "y"]}\n'
    assert read(mixed).y == [["x"], ["x", "y"]]


@pytest.mark.parametrize(
    ("raw", "line", "message"),
    [
        ('{"text": "a", "label": 1}\n{"text": \n', 2, "not JSON"),
        ('{"text": "a", "label": 1}\n[1]\n', 2, "expected an object"),
        ('{"text": "a", "label": 1}\n{"label": 1}\n', 2, "only the keys label"),
        ('{"text": "a", "label": 1}\n{"text": null, "label": 1}\n', 2, "nulls='empty'"),
        ('{"text": "a", "label": 1}\n{"text": "b"}\n', 2, "missing or null"),
        ('{"text": "a", "label": 1}\n{"text": "b", "label": {}}\n', 2, "but it is {}"),
        ('{"features": {"a": "b"}, "label": 1}\n', 1, "finite number"),
        ('{"features": {"a": NaN}, "label": 1}\n', 1, "finite number"),
        ('{"text": "\\ud800", "label": 1}\n', 1, "lone surrogate"),
        ('{"text": "a", "label": 1' + "[" * 100_000 + "\n", 1, "JSON"),
        ('{"text": "a", "label": ' + "1" * 10_000 + "}\n", 1, "not JSON"),
    ],
)
def test_a_broken_json_line_is_refused_with_its_line(raw: str, line: int, message: str) -> None:
    found = where(raw, format="jsonl")
    assert found[0] == line
    assert message in found[2]


def test_json_texts_may_be_empty_for_null_and_labels_may_be_left() -> None:
    raw = '{"id": 5, "text": null, "label": null}\n'
    found = read(raw, nulls="empty", labels=False, text="text")
    assert (found.X.to_list(), found.y, found.ids) == ([""], None, ["5"])
