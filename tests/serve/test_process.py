"""``linnet serve`` as a process: start, workers, signals, and no leak under load."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

COMMAND = "import sys; sys.argv[0] = 'linnet'; from linnet.cli import main; main()"


class Started:
    """A service in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stderr is not None
        self.said: list[str] = []
        while not (self.said and "serving" in self.said[-1]):
            line = process.stderr.readline()
            assert line, f"it ended: {self.said}"
            self.said.append(line)
        found = re.search(r"http://[^;]*:(\d+)", self.said[-1])
        assert found is not None
        self.port = int(found[1])
        self.wait()

    def wait(self) -> None:
        """Wait until a worker answers."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            try:
                if self.get("/ready")[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.05)
        raise AssertionError("it is never ready")

    def get(self, path: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path)
        response = connection.getresponse()
        body = response.read().decode()
        connection.close()
        return response.status, body

    def post(self, document: Any) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        body = json.dumps(document)
        connection.request("POST", "/predict", body, {"content-type": "application/json"})
        response = connection.getresponse()
        answer = json.loads(response.read())
        connection.close()
        return response.status, answer


@pytest.fixture
def serve(start_process: Callable[..., Any]) -> Callable[..., Started]:
    """Return a function that starts the service with options of the command line."""

    def start(*arguments: str) -> Started:
        command = [sys.executable, "-c", COMMAND, "serve", *arguments, "--port", "0"]
        pipe = subprocess.PIPE
        return Started(start_process(command, stdout=pipe, stderr=pipe, text=True))

    return start


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_it_finish_what_is_under_way(
    serve: Callable[..., Started], models: dict[str, str], number: int
) -> None:
    running = serve(models["reviews"])
    body = json.dumps({"text": "a wonderful film"}).encode()
    head = (
        b"POST /predict HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        b"content-length: %d\r\n\r\n" % len(body)
    )
    with socket.create_connection(("127.0.0.1", running.port), timeout=60) as sock:
        sock.sendall(head + body[:5])
        time.sleep(0.5)
        running.process.send_signal(number)
        time.sleep(1)
        with pytest.raises(OSError):  # no new connection is taken
            socket.create_connection(("127.0.0.1", running.port), timeout=5)
        sock.sendall(body[5:])
        answer = b""
        while part := sock.recv(1 << 16):
            answer += part
    assert answer.startswith(b"HTTP/1.1 200 ") and b'"label":"pos"' in answer
    assert running.process.wait(60) == 0


def test_workers_answer_share_the_weights_and_stop(
    serve: Callable[..., Started], models: dict[str, str]
) -> None:
    running = serve(models["reviews"], "--workers", "2")
    status, answer = running.post({"text": "a wonderful film"})
    assert (status, answer["label"]) == (200, "pos")
    children = _children(running.process.pid)
    deadline = time.monotonic() + 120
    mapped: list[set[str]] = []
    while time.monotonic() < deadline:
        mapped = [_mapped(child) for child in children]
        if sum(map(bool, mapped)) >= 2:
            break
        time.sleep(0.1)
        children = _children(running.process.pid)
    files = [one for one in mapped if one]
    assert len(files) >= 2 and len(set.union(*files)) == 1, "both map the same copy"
    time.sleep(2.5)  # the workers leave their numbers for each other
    text = running.get("/metrics")[1]
    assert 'linnet_requests_total{path="/predict",status="200"} 1' in text
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(120) == 0


def _children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]


def _mapped(pid: int) -> set[str]:
    try:
        lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    except OSError:
        return set()
    return {line.split()[-1] for line in lines if "linnet-serve-" in line}


def test_it_warns_when_everybody_can_reach_it(
    serve: Callable[..., Started], models: dict[str, str]
) -> None:
    running = serve(models["reviews"], "--host", "0.0.0.0")
    assert any("everybody" in line and "token" in line for line in running.said)
    running = serve(models["reviews"], "--host", "0.0.0.0", "--token", "sesame")
    assert not any("everybody" in line for line in running.said)
    assert running.post({"text": "a"})[0] == 401


def test_what_cannot_be_served_is_said_in_one_line(models: dict[str, str], tmp_path: Path) -> None:
    def failing(*arguments: str) -> str:
        found = subprocess.run(
            [sys.executable, "-c", COMMAND, "serve", *arguments],
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert found.returncode == 1 and found.stderr.count("\n") == 1, found.stderr
        return found.stderr

    bad = tmp_path / "bad.linnet"
    bad.write_bytes(b"nothing")
    assert "bad.linnet" in failing(str(bad))
    assert "none.linnet" in failing(str(tmp_path / "none.linnet"))
    assert "cannot be called" in failing(models["reviews"], f"reviews={bad}")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert "choose another" in failing(models["reviews"], "--port", port)
    assert "must be above 0" in failing(models["reviews"], "--timeout", "0")


@pytest.mark.slow
def test_memory_and_descriptors_stay_under_load(
    serve: Callable[..., Started], models: dict[str, str]
) -> None:
    running = serve(models["reviews"], models["names"])
    stop = threading.Event()
    bodies = [
        json.dumps({"model": "reviews", "texts": [f"a film {n}"] * (1 + n % 20)}) for n in range(50)
    ]
    bodies += ['{"model": "reviews"}', "{", json.dumps({"model": "reviews", "text": "x" * 70_000})]

    def ask(_: int) -> set[int]:
        statuses = set()
        connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
        n = 0
        while not stop.is_set():
            body = bodies[n % len(bodies)]
            connection.request("POST", "/predict", body, {"content-type": "application/json"})
            response = connection.getresponse()
            response.read()
            statuses.add(response.status)
            n += 1
            if n % 100 == 0:
                connection.close()  # and a new one
        connection.close()
        return statuses

    def measured() -> tuple[float, float]:
        text = running.get("/metrics")[1]
        names = ("process_resident_memory_bytes", "process_open_fds")
        found = [re.search(rf"^{name} (\S+)$", text, re.MULTILINE) for name in names]
        return float(found[0][1]), float(found[1][1])  # type: ignore[index]

    with ThreadPoolExecutor(8) as pool:
        asking = [pool.submit(ask, n) for n in range(8)]
        time.sleep(5)  # what is allocated once is there
        before = measured()
        time.sleep(10)
        after = measured()
        stop.set()
        assert set.union(*(one.result() for one in asking)) == {200, 400, 422}
    assert after[0] - before[0] < 10e6
    time.sleep(1)
    assert measured()[1] <= before[1]
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(60) == 0
