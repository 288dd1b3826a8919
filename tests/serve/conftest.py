"""Small models of every kind, and services that listen on a free port of this machine."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from uvicorn import Server

import linnet
from linnet.serve.app import application
from linnet.serve.limits import Limits
from linnet.serve.server import Listening, allowed_hosts, configured, listen
from linnet.serve.service import Settings

GOOD = ("a wonderful film", "great acting, a joy", "lovely and moving", "wonderful, great, lovely")
BAD = ("a dull film", "boring acting, a mess", "awful and slow", "dull, boring, awful")
TEXTS = [f"{words} number {n}" for n in range(30) for words in (GOOD[n % 4], BAD[n % 4])]
LABELS = ["pos", "neg"] * 30
SENTENCES = [["Anna", "lives", "in", "Paris"], ["He", "ran"], ["Bob", "left", "New", "York"]] * 5
TAGS = [["B-PER", "O", "O", "B-LOC"], ["O", "O"], ["B-PER", "O", "B-LOC", "I-LOC"]] * 5
WEATHER = [["sunny", 21.0], ["rain", 12.0], ["sunny", 18.5], ["rain", 9.0]] * 5
PLAY = ["yes", "no"] * 10


class Reply:
    """What a service answered."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status, self.body = response.status, response.read()
        self.headers = {name.lower(): value for name, value in response.getheaders()}

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Running:
    """A service on a free port, and ways to talk to it."""

    def __init__(self, port: int, app: Any) -> None:
        self.port, self.app = port, app
        self.url = f"http://127.0.0.1:{port}"

    @property
    def service(self) -> Any:
        return self.app.state.service

    @contextmanager
    def connection(self) -> Iterator[http.client.HTTPConnection]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            yield connection
        finally:
            connection.close()

    def get(self, path: str, headers: dict[str, str] | None = None) -> Reply:
        with self.connection() as connection:
            connection.request("GET", path, headers=headers or {})
            return Reply(connection.getresponse())

    def send(self, path: str, body: bytes, media: str = "application/json", **more: str) -> Reply:
        with self.connection() as connection:
            headers = {"content-type": media, **more}
            connection.request("POST", path, body, headers)
            return Reply(connection.getresponse())

    def post(self, path: str, document: Any, **more: str) -> Reply:
        return self.send(path, json.dumps(document).encode(), **more)


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the files of a model of each kind, by their names."""
    folder = tmp_path_factory.mktemp("models")
    bags = [{word: 1.0 for word in text.split()} for text in TEXTS]
    vectors = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, -1.0]] * 10)
    topics = [["film"] if n % 2 else ["film", "good"] for n in range(60)]
    rows = [{"outlook": outlook, "degrees": degrees} for outlook, degrees in WEATHER]
    fitted = {
        "reviews": linnet.TextClassifier().fit(TEXTS, LABELS),
        "careful": linnet.TextClassifier(abstain=0.9).fit(TEXTS, LABELS),
        "topics": linnet.TextClassifier().fit(TEXTS, topics),
        "near": linnet.TextClassifier(linnet.MemoryBased(k=3, metric="cosine")).fit(TEXTS, LABELS),
        "bags": linnet.TextClassifier().fit(bags, LABELS),
        "vectors": linnet.TextClassifier().fit(vectors, ["up", "down"] * 10),
        "numbers": linnet.TextClassifier().fit(TEXTS, [1, 2] * 30),
        "weather": linnet.RowClassifier().fit(rows, PLAY),
        "linear_weather": linnet.RowClassifier(linnet.MaxEnt()).fit(rows, PLAY),
        "column_weather": linnet.TextClassifier(
            columns={"outlook": "words", "degrees": "number"}
        ).fit(rows, PLAY),
        "names": linnet.SequenceTagger().fit(SENTENCES, TAGS),
        "hmm": linnet.SequenceTagger(linnet.HMM()).fit(SENTENCES, TAGS),
    }
    for name, model in fitted.items():
        model.save(folder / f"{name}.linnet")
    return {name: str(folder / f"{name}.linnet") for name in fitted}


@pytest.fixture(scope="session")
def start() -> Iterator[Callable[..., Any]]:
    """Return a context manager that serves models by a thread of this process."""

    @contextmanager
    def started(
        files: dict[str, str], limits: Limits | None = None, patience: float = 30.0, **settings: Any
    ) -> Iterator[Running]:
        hosts = allowed_hosts("127.0.0.1", settings.get("token"))
        wanted = Settings(files, limits or Limits(), hosts=hosts, **settings)
        made: list[Any] = []

        def factory() -> Any:
            made.append(application(wanted))
            return made[0]

        listening = Listening(port=0, patience=patience)
        with listen(listening) as sock:
            port = sock.getsockname()[1]
            server = Server(configured(factory, listening))
            thread = threading.Thread(target=server.run, args=([sock],))
            thread.start()
            try:
                while not server.started:
                    assert thread.is_alive(), "the service did not start"
                    time.sleep(0.01)
                yield Running(port, made[0])
            finally:
                server.should_exit = True
                thread.join()

    yield started


@pytest.fixture(scope="session")
def everything(start: Callable[..., Any], models: dict[str, str]) -> Iterator[Running]:
    """Return a service of all models."""
    with ExitStack() as stack:
        yield stack.enter_context(start(models))


@pytest.fixture
def copied(models: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """Return a file of reviews that a test may replace."""
    path = tmp_path / "reviews.linnet"
    path.write_bytes(Path(models["reviews"]).read_bytes())
    return {"reviews": str(path)}
