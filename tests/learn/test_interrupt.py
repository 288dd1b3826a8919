"""Ctrl-C stops a fit within a second and leaves an interpreter that works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

SCRIPT = """
import time
import numpy as np, scipy.sparse as sp
import linnet

X = sp.random(20_000, 1_000, 0.02, format="csr", random_state=0)
labels = np.random.default_rng(0).integers(0, 60, X.shape[0])
for code, classes in {learners!r}:
    learner = eval("linnet." + code)
    print("ready", flush=True)
    try:
        learner.fit(X, labels % classes)
        print("finished", time.time(), flush=True)
    except KeyboardInterrupt:
        print("interrupted", time.time(), flush=True)
    learner.set_params(max_iter=1).fit(X[:50], np.arange(50) % 2)
    print("usable", learner.predict(X[:3]).shape, flush=True)
"""
LONG = "max_iter=10**6, tol=1e-15, C=1e4"
LEARNERS = {
    "dual": [
        (f"SVM({LONG})", 2),
        (f"SVM({LONG}, n_threads=1)", 2),
        (f"SVM({LONG}, multi_class='ovr')", 20),
        (f"SVM({LONG})", 20),
        (f"MaxEnt({LONG}, solver='dual_cd')", 3),
    ],
    "batch": [
        (f"MaxEnt({LONG}, solver='newton')", 60),
        (f"MaxEnt({LONG}, solver='lbfgs')", 5),
        (f"MaxEnt({LONG}, solver='gis')", 3),
    ],
    "online": [
        ("MaxEnt(max_iter=10**6, tol=1e-300, solver=linnet.SGD(average=True))", 3),
        ("Perceptron(max_iter=10**6)", 3),
        ("MIRA(max_iter=10**6)", 3),
    ],
    "kernels": [
        ("KernelSVM(C=1e6, tol=1e-9, n_threads=1)", 2),
        ("KernelSVM(C=1e6, tol=1e-9, n_threads=2)", 4),
        ("KernelPerceptron(kernel='linear', max_iter=10**6)", 3),
    ],
}


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("learners", LEARNERS.values(), ids=LEARNERS.keys())
def test_a_signal_stops_a_fit_and_the_interpreter_goes_on(
    start_process: Callable[..., Any], learners: list[tuple[str, int]]
) -> None:
    script = SCRIPT.format(learners=learners)
    process = start_process(
        [sys.executable, "-W", "ignore", "-c", script], stdout=subprocess.PIPE, text=True
    )
    for code, _ in learners:
        assert process.stdout.readline() == "ready\n", code
        time.sleep(0.3)
        sent = time.time()
        process.send_signal(signal.SIGINT)
        word, when = process.stdout.readline().split()
        assert word == "interrupted", code
        assert float(when) - sent < 3.0, code
        assert process.stdout.readline() == "usable (3,)\n", code
    assert process.wait(timeout=30) == 0
