"""A scheduler that is killed while the command line works on its cluster: one plain line."""

import json
import re
import subprocess
import sys
import time
from contextlib import suppress

import pytest

import linnet


@pytest.fixture
def scheduler(tmp_path):
    """Return the process of a scheduler, its address and a client of it; a worker is there."""
    import distributed

    told = tmp_path / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    module = [sys.executable, "-m"]
    settings = ["--no-dashboard", "--scheduler-file", str(told)]
    where = ["--host", "127.0.0.1", "--port", "0"]
    process = subprocess.Popen(
        [*module, "distributed.cli.dask_scheduler", *where, *settings], **quiet
    )
    alone = ["--nthreads", "1", "--no-nanny"]
    worker = subprocess.Popen([*module, "distributed.cli.dask_worker", *alone, *settings], **quiet)
    try:
        while not told.exists():
            time.sleep(0.1)
        with distributed.Client(scheduler_file=str(told), set_as_default=False) as client:
            client.wait_for_workers(1, timeout=60)
            yield process, json.loads(told.read_text())["address"], client
    finally:
        for one in (process, worker):
            one.kill()
            one.wait()


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["train", "compare"])
def test_a_killed_scheduler_is_told_in_one_line_while_models_are_fitted(verb, scheduler, tmp_path):
    process, address, client = scheduler
    corpus = linnet.data.load_pydoc()
    data = tmp_path / "texts.tsv"
    pairs = list(zip(corpus.train_labels, corpus.train_texts, strict=True))[:1000]
    data.write_text("".join(f"{label}\t{' '.join(text.split())}\n" for label, text in pairs))
    wishes = {
        "train": ["-o", str(tmp_path / "m.linnet"), "--learner", "maxent"],
        "compare": ["--learners", "maxent, svm", "--folds", "5"],
    }
    command = [sys.executable, "-m", "linnet", verb, str(data), *wishes[verb]]
    working = subprocess.Popen(
        [*command, "--cluster", address], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    begun = {"train": "linnet-sum", "compare": "linnet-played"}[verb]
    with suppress(OSError):
        while not client.run_on_scheduler(_has(begun)):
            assert working.poll() is None
            time.sleep(0.05)
    process.kill()
    _, said = working.communicate(timeout=300)
    errors = [line for line in said.splitlines() if "texts.tsv: " not in line]
    assert working.returncode == 1
    assert len(errors) == 1 and re.match(
        rf"linnet: error: the scheduler at {address} is gone, while the model was fitted on ",
        errors[0],
    )
    assert not (tmp_path / "m.linnet").exists()


def _has(begun):
    """Return what asks a scheduler for a task; it travels as it is."""

    def has(dask_scheduler=None):
        return any(str(key).startswith(begun) for key in dask_scheduler.tasks)

    return has
