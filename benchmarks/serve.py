"""The service and its peer: requests a second, p50 and p99, single and batched; or a soak.

    python benchmarks/serve.py                  against FastAPI with a scikit-learn pipeline
    python benchmarks/serve.py --batching       what batching is worth
    python benchmarks/serve.py --soak 300       five minutes at full load: errors, memory, files

Both are trained on the same texts and run under uvicorn (httptools, uvloop) with the same number of
workers, one after the other, over loopback, asked by the same client with the same requests. The
client runs in a process of its own on the same machine, so the ratio is what counts. Each round is
bounded in time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np

import linnet

HOST = "127.0.0.1"
PEER = """
import pickle, sys
from fastapi import FastAPI
from pydantic import BaseModel
import uvicorn

class Question(BaseModel):
    texts: list[str]

pipeline = pickle.load(open({path!r}, "rb"))
app = FastAPI()

@app.post("/predict")
def predict(question: Question):
    p = pipeline.predict_proba(question.texts)
    best = p.argmax(axis=1)
    labels = pipeline.classes_[best].tolist()
    rows = zip(labels, p.max(axis=1).tolist())
    return {{"answers": [{{"label": label, "probability": share}} for label, share in rows]}}

if __name__ == "__main__":
    uvicorn.run("peer:app", host="127.0.0.1", port={port}, workers={workers}, access_log=False,
                log_level="warning", timeout_worker_healthcheck=120)
"""


class Client(asyncio.Protocol):
    """One connection that asks again as soon as it is answered."""

    def __init__(self, requests: list[bytes], seconds: list[float], stop: asyncio.Event) -> None:
        self._requests, self._seconds, self._stop = requests, seconds, stop
        self._buffer, self._at, self._began = b"", 0, 0.0
        self.errors = 0
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._ask()

    def _ask(self) -> None:
        if self._stop.is_set():
            self._transport.close()
            return
        self._at = (self._at + 1) % len(self._requests)
        self._began = time.perf_counter()
        self._transport.write(self._requests[self._at])

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, body = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(re.search(rb"content-length: (\d+)", head)[1])  # type: ignore[index]
        if len(body) < length:
            return
        self._seconds.append(time.perf_counter() - self._began)
        self.errors += not head.startswith(b"HTTP/1.1 200")
        self._buffer = b""
        self._ask()

    def connection_lost(self, error: Exception | None) -> None:
        self.errors += not self._stop.is_set()
        self.done.set_result(None)


def load(port: int, bodies: list[bytes], connections: int, seconds: float) -> dict[str, float]:
    """Ask as fast as so many connections can; return rates and latencies."""

    async def run() -> tuple[list[float], int, float]:
        loop, stop = asyncio.get_running_loop(), asyncio.Event()
        latencies: list[float] = []
        requests = [
            b"POST /predict HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
            b"content-length: %d\r\n\r\n%s" % (len(body), body)
            for body in bodies
        ]
        began = time.perf_counter()
        clients = [
            (await loop.create_connection(
                lambda n=n: Client(requests[n:] + requests[:n], latencies, stop), HOST, port
            ))[1]
            for n in range(connections)
        ]  # fmt: skip
        await asyncio.sleep(seconds)
        stop.set()
        await asyncio.wait([client.done for client in clients], timeout=60)
        return latencies, sum(c.errors for c in clients), time.perf_counter() - began

    try:
        import uvloop

        latencies, errors, took = uvloop.run(run())
    except ImportError:
        latencies, errors, took = asyncio.run(run())
    p50, p99 = np.quantile(latencies, [0.5, 0.99]) if latencies else (np.nan, np.nan)
    return {"requests": len(latencies), "rate": len(latencies) / took, "p50": 1000 * p50,
            "p99": 1000 * p99, "errors": errors}  # fmt: skip


def free_port() -> int:
    import socket

    with socket.create_server((HOST, 0)) as sock:
        return int(sock.getsockname()[1])


class Server:
    """A process that serves on a port."""

    def __init__(self, command: list[str], port: int, cwd: str | None = None) -> None:
        self.port = port
        self.process = subprocess.Popen(command, cwd=cwd)
        deadline = time.monotonic() + 120
        while self.process.poll() is None and time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"http://{HOST}:{port}/openapi.json").read()
                return
            except OSError:
                time.sleep(0.1)
        self.process.kill()
        raise RuntimeError("the server did not start")

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


def ours(model: Path, workers: int, *options: str) -> Server:
    port = free_port()
    start = "import sys; sys.argv[0] = 'linnet'; from linnet.cli import main; main()"
    command = [sys.executable, "-c", start, "serve", str(model), "--port", str(port), "--quiet"]
    return Server([*command, "--workers", str(workers), *options], port)


def peer(folder: Path, workers: int) -> Server:
    port = free_port()
    source = PEER.format(path=str(folder / "peer.pkl"), port=port, workers=workers)
    (folder / "peer.py").write_text(source)
    return Server([sys.executable, "peer.py"], port, cwd=str(folder))


def train(folder: Path) -> tuple[Path, list[str], str]:
    """Train both on the same short texts; return ours, what is asked, and their accuracies."""
    import pickle

    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    corpus = linnet.data.load_pydoc()
    short = [" ".join(text.split()[:20]) for text in corpus.train_texts]
    asked = [" ".join(text.split()[:20]) for text in corpus.test_texts]
    classifier = linnet.TextClassifier(linnet.MaxEnt()).fit(short, corpus.train_labels)
    pipeline = make_pipeline(
        TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2)), LogisticRegression(max_iter=1000)
    ).fit(short, corpus.train_labels)
    classifier.save(folder / "texts.linnet")
    with open(folder / "peer.pkl", "wb") as file:
        pickle.dump(pipeline, file)
    shares = [
        np.mean(np.asarray(model.predict(asked)) == np.asarray(corpus.test_labels))
        for model in (classifier, pipeline)
    ]
    accuracy = f"accuracy: linnet {shares[0]:.3f}, scikit-learn {shares[1]:.3f}"
    return folder / "texts.linnet", asked, accuracy


def bodies_of(texts: list[str], size: int) -> list[bytes]:
    """Return requests of so many texts each."""
    n = max(50, min(500, len(texts) // size))
    rows = [[texts[(k * size + i) % len(texts)] for i in range(size)] for k in range(n)]
    return [json.dumps({"texts": row}).encode() for row in rows]


def show(name: str, result: dict[str, float]) -> None:
    print(
        f"  {name:<28} {result['rate']:9,.0f} requests/s   p50 {result['p50']:8.2f} ms   "
        f"p99 {result['p99']:8.2f} ms   errors {result['errors']:.0f}",
        flush=True,
    )


def compare(folder: Path, options: argparse.Namespace) -> int:
    model, texts, accuracy = train(folder)
    print(f"{accuracy}; {options.workers} workers each, rounds of {options.seconds:g} s")
    passed = True
    for size, connections in ((1, 1), (1, options.connections), (100, options.connections // 4)):
        print(f"{size} texts a request, {connections} connections")
        bodies = bodies_of(texts, size)
        results: dict[str, list[dict[str, float]]] = {"linnet serve": [], "FastAPI": []}
        for _ in range(options.rounds):
            for name, server in (
                ("linnet serve", lambda: ours(model, options.workers)),
                ("FastAPI", lambda: peer(folder, options.workers)),
            ):
                with server() as running:
                    load(running.port, bodies, connections, 1.0)
                    results[name].append(load(running.port, bodies, connections, options.seconds))
                    show(name, results[name][-1])
        rate, p99 = (
            [float(np.median([one[part] for one in results[name]])) for name in results]
            for part in ("rate", "p99")
        )
        print(f"  throughput × {rate[0] / rate[1]:.1f}, p99 × {p99[0] / p99[1]:.2f}")
        if connections > 1:
            passed = passed and rate[0] >= 5 * rate[1] and p99[0] < p99[1]
    print("at least 5 × the throughput at a lower p99:", "yes" if passed else "NO")
    return 0 if passed else 1


def batching(folder: Path, options: argparse.Namespace) -> int:
    model, texts, _ = train(folder)
    bodies = bodies_of(texts, 1)
    for connections in (1, 8, options.connections):
        print(f"single texts, {connections} connections, {options.workers} workers")
        for name, wait in (("each alone", -1), ("what is there", 0), ("1 ms", 1), ("3 ms", 3)):
            with ours(model, options.workers, "--batch-wait", str(wait)) as running:
                load(running.port, bodies, connections, 1.0)
                show(name, load(running.port, bodies, connections, options.seconds))
    return 0


def soak(folder: Path, options: argparse.Namespace) -> int:
    """Load the service for long; fail on an error, growing memory or a leak of files."""
    model, texts, _ = train(folder)
    single, many = bodies_of(texts, 1), bodies_of(texts, 50)
    with ours(model, 1) as running:
        load(running.port, single, options.connections, 5.0)  # all that is allocated once is there
        before = measured(running.port)
        began, errors, answered = time.monotonic(), 0, 0
        while time.monotonic() - began < options.soak:
            for bodies in (single, many):
                left = max(1.0, min(10.0, options.soak - (time.monotonic() - began)))
                result = load(running.port, bodies, options.connections, left)
                errors, answered = errors + int(result["errors"]), answered + result["requests"]
            print(
                f"  {answered:,.0f} requests, {errors} errors, {measured(running.port)}", flush=True
            )
        time.sleep(2)
        after = measured(running.port)
    growth = after["memory"] - before["memory"]
    files = after["files"] - before["files"]
    more = f"memory {growth / 1e6:+.1f} MB, files {files:+d}"
    print(f"{answered:,.0f} requests, {errors} errors, {more}")
    return 0 if not errors and growth < options.growth * 1e6 and files <= 2 else 1


def measured(port: int) -> dict[str, int]:
    text = urllib.request.urlopen(f"http://{HOST}:{port}/metrics").read().decode()
    found = {
        name: re.search(rf"^{metric} (\S+)$", text, re.MULTILINE)
        for name, metric in (
            ("memory", "process_resident_memory_bytes"), ("files", "process_open_fds"),
        )
    }  # fmt: skip
    return {name: int(float(match[1])) for name, match in found.items() if match}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=8.0, help="of a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--batching", action="store_true", help="measure what batching is worth")
    parser.add_argument("--soak", type=float, metavar="SECONDS", help="load the service so long")
    parser.add_argument("--growth", type=float, default=20.0, help="megabytes a soak may add")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        task = soak if options.soak else batching if options.batching else compare
        return task(Path(folder), options)


if __name__ == "__main__":
    sys.exit(main())
