"""Every bad request gets a proper refusal, and the service goes on."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from linnet.serve.limits import Limits

OK = {"model": "reviews", "text": "a film"}


def problem(reply: Any, status: int) -> str:
    """Check the form of a refusal and return its sentence."""
    assert reply.status == status, reply.body
    assert reply.headers["content-type"] == "application/problem+json"
    document = reply.json
    assert document["status"] == status and document["title"] and document["type"]
    return str(document["detail"])


@pytest.mark.parametrize(
    "body, words",
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b'{"text": "a"} x', "not JSON"),
        (b'{"text": NaN}', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"text": "\xff"}', "not UTF-8"),
        ("\ufeff{}".encode("utf-16"), "not UTF-8"),
        (rb'{"text": "\ud800"}', "surrogate"),
        (b'{"top": ' + b"9" * 5000 + b"}", "not JSON"),
    ],
)
def test_what_is_no_json_is_told_so(everything: Any, body: bytes, words: str) -> None:
    assert words in problem(everything.send("/predict", body), 400)


@pytest.mark.parametrize(
    "document, pointer",
    [
        ([], ""),
        ("text", ""),
        ({}, "/model"),
        ({"model": None, "text": "a"}, "/model"),
        ({"model": 3, "text": "a"}, "/model"),
        ({"model": "reviews"}, ""),
        ({"model": "reviews", "text": "a", "texts": ["a"]}, ""),
        ({"model": "reviews", "text": ["a"]}, "/text"),
        ({"model": "reviews", "texts": "a"}, "/texts"),
        ({"model": "reviews", "texts": ["a", None]}, "/texts/1"),
        ({**OK, "top": 0}, "/top"),
        ({**OK, "top": 1.5}, "/top"),
        ({**OK, "top": True}, "/top"),
        ({**OK, "top": "3"}, "/top"),
        ({**OK, "abstain": 1.01}, "/abstain"),
        ({**OK, "probabilities": 1}, "/probabilities"),
        ({**OK, "nbest": 1}, "/nbest"),
        ({"model": "weather", "row": {"outlook": "sunny"}}, "/row"),
        ({"model": "weather", "row": {"outlook": "sunny", "degrees": "x"}}, "/row"),
        ({"model": "weather", "row": {"outlook": 3, "degrees": 3}}, "/row"),
        ({"model": "linear_weather", "row": {"outlook": "a", "degrees": None}}, "/row"),
        ({"model": "weather", "rows": [["sunny"]]}, "/rows/0"),
        ({"model": "bags", "bag": {"a": "b"}}, "/bag"),
        ({"model": "bags", "bag": {"a": 1e39}}, "/bag"),
        ({"model": "vectors", "vector": [1, 2]}, "/vector"),
        ({"model": "vectors", "vector": [1, 2, None]}, "/vector"),
    ],
)
def test_a_wrong_request_is_told_where_it_is_wrong(
    everything: Any, document: Any, pointer: str
) -> None:
    reply = everything.post("/predict", document)
    problem(reply, 422)
    assert reply.json["pointer"] == pointer


@pytest.mark.parametrize(
    "document",
    [
        {"model": "names", "tokens": ["a b"]},
        {"model": "names", "tokens": [""]},
        {"model": "names", "tokens": [None]},
        {"model": "names", "tokens": [["a"]]},
        {"model": "names", "sentences": ["a"]},
        {"model": "names", "text": "a", "constraints": "iob"},
        {"model": "hmm", "text": "Anna", "top": 1},
        {"model": "names", "text": "two\nlines", "nbest": 2},
        {"model": "reviews", "text": "a"},
    ],
)
def test_a_wrong_request_for_tags_is_refused(everything: Any, document: Any) -> None:
    problem(everything.post("/tag", document), 422)


def test_a_model_that_is_not_there_is_404(everything: Any) -> None:
    assert "there are" in problem(everything.post("/predict", {**OK, "model": "x"}), 404)
    for name in ("x", "..%2f..%2fetc%2fpasswd", "../../etc/passwd", "%00", ".", "reviews.linnet"):
        problem(everything.get(f"/models/{name}"), 404)
    problem(everything.get("/models/../../etc/passwd"), 404)


def test_other_paths_and_methods_are_told_what_there_is(everything: Any) -> None:
    assert "/openapi.json" in problem(everything.get("/nothing"), 404)
    reply = everything.get("/predict")
    problem(reply, 405)
    assert reply.headers["allow"] == "POST"


@pytest.mark.parametrize("media", ["text/plain", "", "application/xml", "multipart/form-data"])
def test_a_body_of_another_type_is_415(everything: Any, media: str) -> None:
    body = json.dumps(OK).encode()
    assert "application/json" in problem(everything.send("/predict", body, media), 415)


def test_a_compressed_body_is_415(everything: Any) -> None:
    reply = everything.send("/predict", b"x", **{"content-encoding": "gzip"})
    assert "compressed" in problem(reply, 415)


def test_limits_of_a_request(start: Callable[..., Any], models: dict[str, str]) -> None:
    limits = Limits(body=2000, batch=3, text=10)
    with start({"reviews": models["reviews"]}, limits) as running:
        assert running.post("/predict", {"texts": ["a" * 10] * 3}).status == 200
        assert "11 characters" in problem(running.post("/predict", {"text": "a" * 11}), 422)
        assert "at most 3" in problem(running.post("/predict", {"texts": ["a"] * 4}), 422)
        assert "2,000 bytes" in problem(running.send("/predict", b" " * 2001), 413)
        chunks = (b" " * 500 for _ in range(100))  # no length is announced
        with running.connection() as connection:
            connection.request("POST", "/predict", chunks, {"content-type": "application/json"})
            assert connection.getresponse().status == 413
        assert running.post("/predict", {"text": "a"}).status == 200


def test_a_hundred_megabytes_are_refused_and_the_connection_goes_on(everything: Any) -> None:
    with everything.connection() as connection:
        chunk = b" " * (1 << 20)
        headers = {"content-type": "application/json", "content-length": str(100 << 20)}
        connection.request("POST", "/predict", (chunk for _ in range(100)), headers)
        response = connection.getresponse()
        assert response.status == 413
        response.read()
        body = json.dumps(OK)
        connection.request("POST", "/predict", body, {"content-type": "application/json"})
        assert connection.getresponse().status == 200


def test_a_million_tiny_items_are_refused(everything: Any) -> None:
    body = b'{"model":"reviews","texts":[' + b",".join([b'"a"'] * 1_000_000) + b"]}"
    assert "1,000,000 texts" in problem(everything.send("/predict", body), 422)
    assert everything.post("/predict", OK).status == 200


def slow_model(service: Any, name: str, hold: threading.Event) -> None:
    """Let a model answer only when it is told to."""
    kind = service.models[name].kind
    ask = kind.ask

    def waits(*arguments: Any) -> Any:
        hold.wait(60)
        return ask(*arguments)

    kind.ask = waits


def test_requests_beyond_the_limit_are_429_and_others_are_finished(
    start: Callable[..., Any], models: dict[str, str]
) -> None:
    hold = threading.Event()
    with start({"reviews": models["reviews"]}, Limits(concurrency=2)) as running:
        slow_model(running.service, "reviews", hold)
        replies: list[Any] = []
        asking = [
            threading.Thread(target=lambda: replies.append(running.post("/predict", OK)))
            for _ in range(2)
        ]
        for thread in asking:
            thread.start()
        while running.service.requests.now < 2:
            time.sleep(0.01)
        refused = running.post("/predict", OK)
        problem(refused, 429)
        assert refused.headers["retry-after"] == "1"
        assert running.get("/health").status == 200  # the event loop is not blocked
        hold.set()
        for thread in asking:
            thread.join()
        assert [reply.status for reply in replies] == [200, 200]
        assert running.post("/predict", OK).status == 200


def test_an_answer_that_takes_too_long_is_504(
    start: Callable[..., Any], models: dict[str, str]
) -> None:
    hold = threading.Event()
    with start({"reviews": models["reviews"]}, Limits(timeout=0.3)) as running:
        slow_model(running.service, "reviews", hold)
        assert "0.3 seconds" in problem(running.post("/predict", OK), 504)
        hold.set()


def test_an_unforeseen_failure_is_500_and_tells_nothing(
    start: Callable[..., Any], models: dict[str, str]
) -> None:
    with start({"reviews": models["reviews"]}) as running:
        kind = running.service.models["reviews"].kind
        right = kind.ask
        kind.ask = lambda *_: {}["secret"]
        assert "secret" not in problem(running.post("/predict", OK), 500)
        kind.ask = lambda *_: (_ for _ in ()).throw(MemoryError())
        problem(running.post("/predict", OK), 503)
        kind.ask = right
        assert running.post("/predict", OK).status == 200


def test_one_bad_example_spoils_no_request_that_was_answered_together_with_it(
    start: Callable[..., Any], models: dict[str, str]
) -> None:
    from linnet.errors import DataError

    hold = threading.Event()
    with start({"reviews": models["reviews"]}) as running:
        kind = running.service.models["reviews"].kind
        ask, sizes = kind.ask, []

        def picky(form: Any, examples: Any, asked: Any) -> Any:
            hold.wait(60)
            sizes.append(len(examples))
            if "bad" in examples:
                raise DataError("this one is bad")
            return ask(form, examples, asked)

        kind.ask = picky
        statuses: dict[str, int] = {}

        def post(text: str) -> None:
            statuses[text] = running.post("/predict", {"text": text}).status

        first = threading.Thread(target=post, args=("first",))
        first.start()
        while running.service.requests.now < 1:
            time.sleep(0.01)
        others = [threading.Thread(target=post, args=(text,)) for text in ("a", "bad", "b")]
        for thread in others:
            thread.start()
        while running.service.requests.now < 4:
            time.sleep(0.01)
        time.sleep(0.2)  # what has arrived waits for the call under way
        hold.set()
        for thread in (first, *others):
            thread.join()
        assert statuses == {"first": 200, "a": 200, "bad": 422, "b": 200}
        assert max(sizes) >= 3, "those who waited were asked together"


def test_a_token_is_asked_for(start: Callable[..., Any], models: dict[str, str]) -> None:
    with start({"reviews": models["reviews"]}, token="open sesame") as running:
        for path in ("/health", "/ready", "/"):
            assert running.get(path).status == 200
        for path in ("/models", "/metrics", "/openapi.json"):
            problem(running.get(path), 401)
        refused = running.post("/predict", OK)
        problem(refused, 401)
        assert refused.headers["www-authenticate"] == "Bearer"
        for wrong in ("Bearer open", "open sesame", "Bearer open sesamE", "Basic x", "Bearer \xe9"):
            problem(running.post("/predict", OK, authorization=wrong), 401)
        assert running.post("/predict", OK, authorization="Bearer open sesame").status == 200


def test_a_page_of_another_site_cannot_use_a_service_without_a_token(everything: Any) -> None:
    problem(everything.get("/models", {"host": "evil.example"}), 421)
    for host in ("localhost", "127.0.0.1:80", "[::1]:8000"):
        assert everything.get("/models", {"host": host}).status == 200
