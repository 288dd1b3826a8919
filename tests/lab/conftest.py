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
from tests.browsing import Visit
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


class Page(Visit):
    """The page of a lab."""

    def __init__(self, chromium: Any, url: str, **options: Any) -> None:
        super().__init__(chromium, url, ready="#root[data-shown]", **options)

    def settle(self, action: Callable[[], Any]) -> None:
        """Do something, and wait until the page has drawn what follows from it."""
        before = self.page.get_attribute("#root", "data-shown")
        action()
        self.page.wait_for_function(
            "before => document.getElementById('root').dataset.shown !== before", arg=before
        )


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Page]]:
    """Return a function that opens a page of a lab; it is closed at the end of the test."""
    opened: list[Page] = []

    def opening(url: str, **options: Any) -> Page:
        opened.append(Page(chromium, url, **options))
        return opened[-1]

    yield opening
    for one in opened:
        one.context.close()
