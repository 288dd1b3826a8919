"""What the service tells of itself: numbers, models, log lines."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from linnet.serve.metrics import Metrics

SAMPLE = re.compile(r'^[a-z_]+(\{([a-z]+="(\\.|[^"\\])*",?)+\})? -?[0-9.e+-]+$|^# (HELP|TYPE) .+$')


def value(text: str, line: str) -> float:
    found = re.search(rf"^{re.escape(line)} (\S+)$", text, re.MULTILINE)
    assert found, line
    return float(found[1])


def test_requests_batches_and_labels_are_counted(
    start: Callable[..., Any], models: dict[str, str]
) -> None:
    with start({"reviews": models["reviews"], "names": models["names"]}) as running:
        running.post("/predict", {"model": "reviews", "texts": ["wonderful"] * 3 + ["dull"]})
        running.post("/predict", {"model": "reviews", "text": 3})
        running.post("/tag", {"model": "names", "tokens": ["He", "ran"]})
        running.get("/etc/passwd")
        running.get("/models/x")
        text = running.get("/metrics").body.decode()
    assert all(SAMPLE.match(line) for line in text.splitlines()), text
    assert value(text, 'linnet_requests_total{path="/predict",status="200"}') == 1
    assert value(text, 'linnet_requests_total{path="/predict",status="422"}') == 1
    assert value(text, 'linnet_requests_total{path="other",status="404"}') == 1
    assert value(text, 'linnet_requests_total{path="/models/{name}",status="404"}') == 1
    assert value(text, 'linnet_request_seconds_count{path="/predict"}') == 2
    assert value(text, 'linnet_request_seconds_bucket{path="/predict",le="+Inf"}') == 2
    assert value(text, 'linnet_batch_examples_sum{model="reviews"}') == 4
    assert value(text, 'linnet_labels_total{model="reviews",label="pos"}') == 3
    assert value(text, 'linnet_labels_total{model="names",label="O"}') == 2
    assert value(text, "linnet_requests_in_flight") == 0
    assert value(text, "process_resident_memory_bytes") > 1e6


def test_workers_add_up_their_numbers(tmp_path: Path) -> None:
    first, second = Metrics(tmp_path), Metrics(tmp_path)
    for metrics in (first, second):
        metrics.request("/predict", 200, 0.003)
        metrics.batch("m", 2, 5, {'a "quoted"\nlabel': 4})
    second.leave(3)
    text = first.text(1)
    assert value(text, 'linnet_requests_total{path="/predict",status="200"}') == 2
    assert value(text, 'linnet_labels_total{model="m",label="a \\"quoted\\"\\nlabel"}') == 8
    assert value(text, "linnet_requests_in_flight") == 4
    memory = value(text, "process_resident_memory_bytes")
    second.gone()
    text = first.text(1)
    assert value(text, "linnet_requests_in_flight") == 1
    assert value(text, "process_resident_memory_bytes") < memory
    assert value(text, 'linnet_requests_total{path="/predict",status="200"}') == 2


def test_labels_without_number_do_not_fill_the_memory(tmp_path: Path) -> None:
    metrics = Metrics(tmp_path)
    metrics.batch("m", 1, 1, {str(n): 1 for n in range(10_000)})
    text = metrics.text(0)
    assert text.count("linnet_labels_total{") < 300
    assert value(text, 'linnet_labels_total{model="m",label="…"}') == 9800


def test_a_model_shows_its_card(everything: Any, models: dict[str, str]) -> None:
    import linnet

    listed = {m["name"]: m for m in everything.get("/models").json["models"]}
    assert set(listed) == set(models)
    for name, path in models.items():
        model = linnet.load(path)
        shown = everything.get(f"/models/{name}").json
        assert shown["card"] == model.card()
        assert shown["kind"] == model.kind and shown["labels"] == model.classes_.tolist()
        assert {**listed[name], "card": shown["card"]} == shown


@pytest.mark.parametrize("log_text", [False, True])
def test_a_line_is_logged_for_each_request_and_never_the_text_unless_asked(
    start: Callable[..., Any],
    models: dict[str, str],
    log_text: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = {"log": True, "log_text": log_text}
    with start({"reviews": models["reviews"]}, **options) as running:
        running.post("/predict", {"text": "a private film"})
        running.post("/predict", {"text": 3})
        running.get("/health")
    out = capsys.readouterr().out
    lines = [json.loads(line) for line in out.splitlines()]
    assert [(line["path"], line["status"]) for line in lines] == [
        ("/predict", 200), ("/predict", 422), ("/health", 200),
    ]  # fmt: skip
    assert lines[0]["model"] == "reviews" and lines[0]["examples"] == 1
    assert lines[0]["milliseconds"] > 0 and lines[0]["together"] == 1
    assert ("private" in out) == log_text
