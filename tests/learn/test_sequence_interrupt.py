"""Ctrl-C stops the fit of a sequence learner and leaves an interpreter that works."""

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
import numpy as np
import linnet

random = np.random.default_rng(0)
words = random.integers(0, 300, (4000, 20)).astype(str).tolist()
tokens = [[[word, "bias"] for word in sentence] for sentence in words]
labels = random.integers(0, 12, (4000, 20)).tolist()
for code in {learners!r}:
    learner = eval("linnet." + code)
    X, y = (words, None) if "HMM" in code else (tokens, labels)
    print("ready", flush=True)
    try:
        learner.fit(X, y)
        print("finished", time.time(), flush=True)
    except KeyboardInterrupt:
        print("interrupted", time.time(), flush=True)
    learner.set_params(max_iter=1).fit(X[:5], y and y[:5])
    print("usable", len(learner.predict(X[:3])), flush=True)
"""
LONG = "max_iter=10**6, tol=1e-15"
LEARNERS = [
    f"CRF({LONG}, C=1e4)",
    f"CRF({LONG}, C=1e4, n_threads=1)",
    f"MEMM({LONG}, C=1e4)",
    f"MEMM({LONG}, C=1e4, states='per_state')",
    f"HMM({LONG}, n_states=20, random_state=0)",
]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_a_signal_stops_a_fit_and_the_interpreter_goes_on(
    start_process: Callable[..., Any],
) -> None:
    script = SCRIPT.format(learners=LEARNERS)
    process = start_process(
        [sys.executable, "-W", "ignore", "-c", script], stdout=subprocess.PIPE, text=True
    )
    for code in LEARNERS:
        assert process.stdout.readline() == "ready\n", code
        time.sleep(0.8)  # reading the features takes part of it
        process.send_signal(signal.SIGINT)
        word, _ = process.stdout.readline().split()
        assert word == "interrupted", code
        assert process.stdout.readline() == "usable 3\n", code
    assert process.wait(timeout=30) == 0
