"""How long does the lab take to answer an interaction? (docs/lab.md, "How fast it answers")

A lab on a free port of this machine is asked over HTTP, as the page asks it, each time with one
setting changed: an edit of a transition, a slider, a point that is dragged. Printed are medians:
of the time until the last byte, and of the processor time of the whole process, which a busy
machine changes less.

    python benchmarks/lab.py [--repeats 15]
"""

from __future__ import annotations

import argparse
import http.client
import json
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from uvicorn import Server

from linnet.lab.app import Lab, application
from linnet.lab.lattice import answer
from linnet.serve.server import Listening, allowed_hosts, configured, listen

LATTICE: dict[str, Any] = {"example": "random", "tokens": 40, "tags": 49}
PLANE: dict[str, Any] = {"n": 2000}
LINEAR = ["perceptron", "mira", "maxent", "svm"]
CURVED = ["naive_bayes", "neighbours", "tree", "kernel_svm"]


@contextmanager
def running() -> Iterator[int]:
    """Serve a lab by a thread of this process; yields its port."""
    lab, listening = Lab(hosts=allowed_hosts("127.0.0.1", None)), Listening(port=0)
    with listen(listening) as sock:
        server = Server(configured(lambda: application(lab), listening))
        thread = threading.Thread(target=server.run, args=([sock],))
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield int(sock.getsockname()[1])
        server.should_exit = True
        thread.join()


def measured(port: int, view: str, settings: Callable[[int], Any], repeats: int) -> tuple[Any, ...]:
    """Return median milliseconds until the answer, of the processor, and the answer's bytes."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    waited, worked, size = [], [], 0
    for k in range(-2, repeats):  # the first two begin
        body = json.dumps(settings(k + 2))
        began, spent = time.perf_counter(), time.process_time()
        connection.request("POST", f"/ask/{view}", body, {"content-type": "application/json"})
        reply = connection.getresponse()
        size = len(reply.read())
        assert reply.status == 200
        if k >= 0:
            waited.append(1e3 * (time.perf_counter() - began))
            worked.append(1e3 * (time.process_time() - spent))
    return statistics.median(waited), statistics.median(worked), size


def main(repeats: int) -> None:
    """Measure and print."""
    first, second, *_ = answer({**LATTICE, "models": ["crf"]})["labels"]

    def edited(k: int) -> Any:
        return {**LATTICE, "edits": [["crf", "transition", first, second, k / 100]]}

    questions: dict[str, tuple[str, Callable[[int], Any]]] = {
        "lattice, three models: one edited": ("lattice", edited),
        "lattice, three models: all of them new": ("lattice", lambda k: {**LATTICE, "seed": k}),
    }
    for names in (LINEAR, CURVED):
        listed = ", ".join(names)
        asked = {**PLANE, "learners": names}
        questions[f"plane, {listed}: C changed"] = "plane", lambda k, a=asked: {**a, "C": 1 + k / 9}
        questions[f"plane, {listed}: a point dragged"] = (
            "plane",
            lambda k, a=asked: {**a, "moved": [[7, k / 9, 1.0]]},
        )
    with running() as port:
        print(f"{'':66}{'wait':>8}{'CPU':>8}{'kB':>7}")
        for what, (view, settings) in questions.items():
            wait, cpu, size = measured(port, view, settings, repeats)
            print(f"{what:66}{wait:5.0f} ms{cpu:5.0f} ms{size / 1e3:7.0f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=15)
    main(parser.parse_args().repeats)
