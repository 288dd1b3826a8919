"""Bulk: NDJSON and Arrow IPC streams are answered block by block, as the library answers."""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import socket
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import linnet
from linnet.serve.limits import Limits

NDJSON, ARROW = "application/x-ndjson", "application/vnd.apache.arrow.stream"
TEXTS = [
    f"a {word} film {n}" for n in range(700) for word in ("wonderful", "dull", "öde \U0001f600")
]


def lines_of(reply: Any) -> list[dict[str, Any]]:
    assert reply.status == 200, reply.body
    return [json.loads(line) for line in reply.body.decode().splitlines()]


def ipc(table: pa.Table, rows: int = 300) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=rows)
    return sink.getvalue()


def read_ipc(reply: Any) -> pa.Table:
    assert reply.status == 200, reply.body
    return pa.ipc.open_stream(reply.body).read_all()


def test_lines_are_answered_as_by_the_library(everything: Any, models: dict[str, str]) -> None:
    body = "\n".join(json.dumps({"text": text, "id": n}) for n, text in enumerate(TEXTS)) + "\n\n"
    answers = lines_of(everything.send("/predict?model=reviews&top=1", body.encode(), NDJSON))
    verdict = linnet.load(models["reviews"]).judge(TEXTS)
    assert [a["label"] for a in answers] == verdict.labels.tolist()
    assert [a["probability"] for a in answers] == verdict.sure.tolist()
    assert [a["id"] for a in answers] == list(range(len(TEXTS)))
    assert [a["line"] for a in answers] == list(range(1, len(TEXTS) + 1))
    assert all(len(a["top"]) == 1 for a in answers)


def test_a_line_may_be_the_example_itself(everything: Any, models: dict[str, str]) -> None:
    rows = [{"outlook": "sunny", "degrees": 20}, ["rain", 3.5]]
    body = "\n".join(map(json.dumps, rows)).encode()
    answers = lines_of(everything.send("/predict?model=weather", body, NDJSON))
    model = linnet.load(models["weather"])
    assert [a["label"] for a in answers] == [model.predict([row])[0] for row in rows]
    body = b'"Anna ran"\n["Bob", "left", "Paris"]\n{"tokens": ["He"]}'
    answers = lines_of(everything.send("/tag?model=names", body, NDJSON))
    tagged = linnet.load(models["names"]).predict(
        [["Anna", "ran"], ["Bob", "left", "Paris"], ["He"]]
    )
    assert [a["tags"] for a in answers] == tagged


def test_a_bad_line_gets_an_error_and_the_stream_goes_on(everything: Any) -> None:
    body = b'"good"\n3\n{broken\n{"other": 1}\n"\xff"\n"\\ud800"\n"fine"'
    answers = lines_of(everything.send("/predict?model=reviews", body, NDJSON))
    assert ["label" in answer for answer in answers] == [True] + [False] * 5 + [True]
    assert [a["error"]["status"] for a in answers[1:-1]] == [422, 400, 422, 400, 400]


def test_lines_are_answered_as_they_come(everything: Any) -> None:
    head = (
        b"POST /predict?model=reviews HTTP/1.1\r\nhost: localhost\r\n"
        b"content-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", everything.port), timeout=30) as sock:
        sock.sendall(head + b'7\r\n"good"\n\r\n')
        seen = b""
        while b'"line":1' not in seen:
            part = sock.recv(1 << 16)
            assert part
            seen += part
        sock.sendall(b'6\r\n"dull"\r\n0\r\n\r\n')  # the last line has no end
        while b"0\r\n\r\n" not in seen:
            part = sock.recv(1 << 16)
            assert part
            seen += part
    assert b'"line":2' in seen


@pytest.mark.parametrize(
    "query, status",
    [
        ("model=x", 404),
        ("", 422),
        ("model=reviews&top=0", 422),
        ("model=reviews&top=many", 422),
        ("model=reviews&probabilities=1", 422),
        ("model=reviews&colour=red", 422),
        ("model=names", 422),
    ],
)
def test_a_wrong_query_is_refused(everything: Any, query: str, status: int) -> None:
    for media in (NDJSON, ARROW):
        assert everything.send(f"/predict?{query}", b'"a"', media).status == status


def test_record_batches_are_answered_as_by_the_library(
    everything: Any, models: dict[str, str]
) -> None:
    verdict = linnet.load(models["reviews"]).judge(TEXTS)
    for type_ in (pa.string(), pa.large_string()):
        table = pa.table({"id": range(len(TEXTS)), "text": pa.array(TEXTS, type_)})
        path = "/predict?model=reviews&probabilities=true&top=2"
        answers = read_ipc(everything.send(path, ipc(table), ARROW))
        assert answers["label"].to_pylist() == verdict.labels.tolist()
        assert answers["probability"].to_pylist() == verdict.sure.tolist()
        assert answers["p:pos"].to_pylist() == verdict.probability[:, 1].tolist()
        assert [row[0]["label"] for row in answers["top"].to_pylist()] == verdict.labels.tolist()


def test_columns_of_every_kind_are_read(everything: Any, models: dict[str, str]) -> None:
    rows = pa.table({"degrees": [20.5, None], "outlook": ["sunny", "rain"], "more": [1, 2]})
    bags = pa.table({"bag": pa.array([[("film", 1.0)], []], pa.map_(pa.string(), pa.float64()))})
    vectors = pa.table({"vector": [[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]]})
    days = [{"outlook": "sunny", "degrees": 20.5}, {"outlook": "rain", "degrees": None}]
    asked = {
        "weather": (rows, days),
        "bags": (bags, [{"film": 1.0}, {}]),
        "vectors": (vectors, [[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]]),
    }
    for name, (table, examples) in asked.items():
        answers = read_ipc(everything.send(f"/predict?model={name}", ipc(table), ARROW))
        labels = linnet.load(models[name]).predict(examples).tolist()
        assert answers["label"].to_pylist() == labels
    table = pa.table({"tokens": [["Anna", "ran"], []]})
    answers = read_ipc(everything.send("/tag?model=names", ipc(table), ARROW))
    assert answers["tags"].to_pylist() == [["B-PER", "O"], []]


def test_labels_keep_their_type_where_all_abstain(everything: Any) -> None:
    table = pa.table({"text": ["a", "b"]})
    answers = read_ipc(everything.send("/predict?model=reviews&abstain=1", ipc(table), ARROW))
    assert answers.schema.field("label").type == pa.string()
    assert answers["label"].to_pylist() == [None, None]


@pytest.mark.parametrize(
    "table, words",
    [
        (pa.table({"words": ["a"]}), "no column text"),
        (pa.table({"text": [1]}), "int64"),
        (pa.table({"text": ["a", None]}), "nulls"),
        (pa.table({"text": ["a" * 100_001]}), "characters"),
        (pa.table({"text": pa.array([], pa.string())}), "no row"),
    ],
)
def test_wrong_columns_are_refused(everything: Any, table: pa.Table, words: str) -> None:
    reply = everything.send("/predict?model=reviews", ipc(table), ARROW)
    assert reply.status == 422
    assert words in reply.json["detail"]


def test_damaged_record_batches_are_refused_and_the_service_goes_on(everything: Any) -> None:
    whole = bytearray(ipc(pa.table({"text": ["good film", "dull film"] * 20})))
    path = "/predict?model=reviews"
    for cut in (0, 1, 50, len(whole) // 2, len(whole) - 100):
        assert everything.send(path, bytes(whole[:cut]), ARROW).status in (400, 422)
    for at in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[at] ^= 0xFF
        with contextlib.suppress(http.client.IncompleteRead):  # it breaks off after some answers
            assert everything.send(path, bytes(damaged), ARROW).status in (200, 400, 413, 422)
    assert everything.send(path, bytes(whole), ARROW).status == 200


def test_a_block_or_line_that_is_too_long_is_refused(
    start: Callable[..., Any], models: dict[str, str]
) -> None:
    with start({"reviews": models["reviews"]}, Limits(body=10_000)) as running:
        table = pa.table({"text": ["a" * 9000] * 4})
        assert running.send("/predict", ipc(table), ARROW).status == 413
        assert running.send("/predict", ipc(table, rows=1), ARROW).status == 200
        long = b'"' + b"a" * 20_000 + b'"\n"b"\n'
        answers = lines_of(running.send("/predict", long, NDJSON))
        assert answers[0]["error"]["status"] == 413 and "label" in answers[1]
        answers = lines_of(running.send("/predict", b'"a"\n' * 9000, NDJSON))
        assert len(answers) == 9000
        with pytest.raises((http.client.HTTPException, OSError)):  # it breaks off
            running.send("/predict", b'"' + b"a" * (1 << 22), NDJSON)
        assert running.post("/predict", {"text": "a"}).status == 200


def test_streams_beyond_the_limit_are_429_and_a_slow_one_is_given_up(
    start: Callable[..., Any], models: dict[str, str]
) -> None:
    limits = Limits(streams=1, timeout=1.0)
    with start({"reviews": models["reviews"]}, limits) as running:
        head = (
            b"POST /predict HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n"
            b"content-type: application/x-ndjson\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", running.port), timeout=30) as sock:
            sock.sendall(head)
            assert sock.recv(12) == b"HTTP/1.1 200"
            assert running.send("/predict", b'"a"', NDJSON).status == 429
            assert running.post("/predict", {"text": "a"}).status == 200
            while sock.recv(1 << 16):
                pass  # it is closed after a second
        assert running.send("/predict", b'"a"', NDJSON).status == 200
