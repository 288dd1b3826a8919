"""A lab that listens on a free port of this machine, and ways to talk to it."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from uvicorn import Server

from linnet.lab.app import Lab, application
from linnet.serve.server import Listening, allowed_hosts, configured, listen


class Running:
    """A lab on a free port."""

    def __init__(self, port: int, token: str | None) -> None:
        self.port, self.token = port, token
        self.url = f"http://127.0.0.1:{port}/" + ("" if token is None else f"{token}/")

    def request(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body, sent)
            reply = connection.getresponse()
            return reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read()
        finally:
            connection.close()

    def ask(self, view: str, settings: Any, **headers: str) -> tuple[int, Any]:
        headers = {"content_type": "application/json", **headers}
        body = json.dumps(settings).encode()
        status, _, reply = self.request("POST", f"/ask/{view}", body, **headers)
        return status, json.loads(reply)


@pytest.fixture(scope="session")
def start() -> Callable[..., Any]:
    """Return a context manager that serves a lab by a thread of this process."""

    @contextmanager
    def started(token: str | None = None, **settings: Any) -> Iterator[Running]:
        lab = Lab(token=token, hosts=allowed_hosts("127.0.0.1", token), **settings)
        listening = Listening(port=0)
        with listen(listening) as sock:
            server = Server(configured(lambda: application(lab), listening))
            thread = threading.Thread(target=server.run, args=([sock],))
            thread.start()
            try:
                while not server.started:
                    assert thread.is_alive(), "the lab did not start"
                    time.sleep(0.01)
                yield Running(sock.getsockname()[1], token)
            finally:
                server.should_exit = True
                thread.join()

    return started


@pytest.fixture(scope="session")
def lab(start: Callable[..., Any]) -> Iterator[Running]:
    """Return a lab without a model."""
    with start() as running:
        yield running


class Visit:
    """The page of a lab, with what it said and asked for."""

    def __init__(self, chromium: Any, url: str, **options: Any) -> None:
        size = {"width": options.pop("width", 1280), "height": 900}
        self.context = chromium.new_context(viewport=size, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(30_000)
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.errors.append(message.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(url)
        self.page.wait_for_selector("#root[data-shown]")

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def settle(self, action: Callable[[], Any]) -> None:
        """Do something, and wait until the page has drawn what follows from it."""
        before = self.page.get_attribute("#root", "data-shown")
        action()
        self.page.wait_for_function(
            "before => document.getElementById('root').dataset.shown !== before", arg=before
        )


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Visit]]:
    """Return a function that opens a page of a lab; it is closed at the end of the test."""
    opened: list[Visit] = []

    def opening(url: str, **options: Any) -> Visit:
        opened.append(Visit(chromium, url, **options))
        return opened[-1]

    yield opening
    for one in opened:
        one.context.close()
