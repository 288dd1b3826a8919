"""Clients that misbehave at the level of the connection are bounded, and harm nobody else."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from linnet.serve.limits import Limits

BODY = b'{"text":"a film"}'
HEAD = b"POST /predict HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
REQUEST = HEAD + b"content-length: %d\r\n\r\n" % len(BODY) + BODY


@pytest.fixture(scope="module")
def running(start: Callable[..., Any], models: dict[str, str]) -> Iterator[Any]:
    """Return a service that does not wait long."""
    with start({"reviews": models["reviews"]}, Limits(timeout=1.0), patience=1.0) as service:
        yield service


def connect(running: Any) -> socket.socket:
    return socket.create_connection(("127.0.0.1", running.port), timeout=30)


def everything_from(sock: socket.socket) -> bytes:
    """Return what comes until the connection ends."""
    parts = []
    try:
        while data := sock.recv(1 << 16):
            parts.append(data)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def is_alive(running: Any) -> bool:
    return bool(running.post("/predict", {"text": "a film"}).status == 200)


def test_a_head_that_never_ends_is_given_up(running: Any) -> None:
    with connect(running) as sock:
        sock.sendall(HEAD)
        answer = everything_from(sock)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert is_alive(running)


def test_a_head_that_comes_byte_by_byte_is_given_up(running: Any) -> None:
    with connect(running) as sock:
        began = time.monotonic()
        try:
            while time.monotonic() - began < 20:
                sock.sendall(b"P" if time.monotonic() - began < 0.1 else b"a")
                time.sleep(0.1)
            pytest.fail("the connection stays")
        except (BrokenPipeError, ConnectionResetError):
            pass
    assert is_alive(running)


def test_a_connection_that_says_nothing_is_closed(running: Any) -> None:
    with connect(running) as sock:
        assert everything_from(sock) == b""


def test_a_body_that_never_ends_is_408(running: Any) -> None:
    with connect(running) as sock:
        sock.sendall(HEAD + b"content-length: 100\r\n\r\n{")
        assert everything_from(sock).startswith(b"HTTP/1.1 408 ")
    assert is_alive(running)


def test_a_client_that_closes_its_side_still_gets_the_answer(running: Any) -> None:
    with connect(running) as sock:
        sock.sendall(REQUEST)
        sock.shutdown(socket.SHUT_WR)
        answer = everything_from(sock)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert json.loads(body)["label"] in ("pos", "neg")


def test_a_client_that_leaves_in_the_middle_harms_nobody(running: Any) -> None:
    for cut in (10, len(HEAD), len(REQUEST) - 3, len(REQUEST)):
        with connect(running) as sock:
            sock.sendall(REQUEST[:cut])
    with connect(running) as sock:
        sock.sendall(REQUEST[:-3])
        sock.shutdown(socket.SHUT_WR)
        everything_from(sock)
    assert is_alive(running)
    while running.service.requests.now:
        time.sleep(0.01)


@pytest.mark.parametrize(
    "flood",
    [
        b"".join(b"x-%d: y\r\n" % n for n in range(20_000)),
        b"x: " + b"y" * 500_000,
        b"x" * 500_000,
    ],
    ids=["many", "long value", "long name"],
)
def test_a_flood_of_headers_is_431(running: Any, flood: bytes) -> None:
    with connect(running) as sock:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # refused while sent
            sock.sendall(HEAD + flood)
        answer = everything_from(sock)
    assert answer == b"" or answer.split(b" ")[1] in (b"431", b"400")
    assert is_alive(running)


def test_a_head_that_is_too_long_at_once_is_431(running: Any) -> None:
    with connect(running) as sock:
        sock.sendall(HEAD + b"x: " + b"y" * 66_000 + b"\r\n\r\n")
        assert everything_from(sock).startswith(b"HTTP/1.1 431 ")


def test_a_path_without_end_is_refused(running: Any) -> None:
    with connect(running) as sock:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            sock.sendall(b"GET /" + b"a" * 300_000)
        answer = everything_from(sock)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 431 ")
    assert is_alive(running)


@pytest.mark.parametrize(
    "noise", [b"\x16\x03\x01\x02\x00\x01", b"hello\r\n\r\n", b"GET / FTP/9\r\n\r\n"]
)
def test_what_is_not_http_is_told_so(running: Any, noise: bytes) -> None:
    with connect(running) as sock:
        sock.sendall(noise)
        assert everything_from(sock).startswith(b"HTTP/1.1 400 ")
    assert is_alive(running)


def test_requests_one_after_the_other_without_waiting_are_answered_in_order(running: Any) -> None:
    with connect(running) as sock:
        sock.sendall(REQUEST * 20)
        sock.shutdown(socket.SHUT_WR)
        answers = everything_from(sock)
    assert answers.count(b"HTTP/1.1 200 ") == 20


def test_a_large_request_does_not_spoil_the_head_of_the_next(running: Any) -> None:
    body = json.dumps({"texts": ["film " * 400] * 200}).encode()
    large = HEAD + b"content-length: %d\r\n\r\n" % len(body) + body
    with connect(running) as sock:
        sender = threading.Thread(target=sock.sendall, args=(large + REQUEST[:20],))
        sender.start()
        time.sleep(0.3)
        sender.join()
        sock.sendall(REQUEST[20:])
        sock.shutdown(socket.SHUT_WR)
        assert everything_from(sock).count(b"HTTP/1.1 200 ") == 2


def test_connections_beyond_the_limit_are_503(
    start: Callable[..., Any], models: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("linnet.serve.server._connections", lambda: 3)
    with start({"reviews": models["reviews"]}) as service:
        idle = [connect(service) for _ in range(3)]
        with connect(service) as sock:
            assert everything_from(sock).startswith(b"HTTP/1.1 503 ")
        for sock in idle:
            sock.close()
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with connect(service) as sock:
                sock.sendall(REQUEST)
                if sock.recv(15).startswith(b"HTTP/1.1 200 "):
                    return
        pytest.fail("the service does not take connections again")
