"""``linnet train --stream``, also when it is killed at any moment."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.stream.conftest import reviews, write_tsv
from typer.testing import CliRunner

import linnet
from linnet.cli.app import app
from linnet.data.zipf import write_corpus

EAGER = (  # small blocks, a checkpoint after each
    "import sys; sys.argv[0] = 'linnet'; from linnet.stream import limits, run;"
    "limits.BLOCK = 4000; run._SECONDS = 0.0; run._SHARE = 1e9;"
    "from linnet.cli import main; main()"
)


def run(*arguments: object, stdin: bytes | None = None) -> Any:
    return CliRunner().invoke(app, [str(part) for part in arguments], input=stdin)


def test_a_stream_becomes_a_model_file(stream: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.linnet"
    arguments = ("train", stream, "--stream", "--hashing", 12, "-o", model, "--valid", stream)
    printed = run(*arguments)
    assert printed.exit_code == 0, printed.output
    assert "trained on 1,500 examples with 2 labels in one pass" in printed.output
    assert "foreseen before they were learned: accuracy" in printed.output
    assert "held out: accuracy" in printed.output
    machine = json.loads(run(*arguments, "--json").stdout)
    assert machine["examples"] == 1500
    assert machine["record"]["progressive"]["examples"] == 1500
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.linnet", "reviews.tsv"]


def test_standard_input_is_a_stream(stream: Path, tmp_path: Path) -> None:
    one, other = tmp_path / "one.linnet", tmp_path / "other.linnet"
    assert run("train", stream, "--stream", "--hashing", 12, "-o", one).exit_code == 0
    piped = run("train", "-", "--stream", "--hashing", 12, "-o", other, stdin=stream.read_bytes())
    assert piped.exit_code == 0, piped.output
    first, second = (linnet.load(path) for path in (one, other))
    assert first.weights_.tobytes() == second.weights_.tobytes()
    first.record_.pop("recipe")  # which names the data
    second.record_.pop("recipe")
    assert first.record_ == second.record_
    twice = run("train", "-", "--stream", "--passes", 2, "-o", other, stdin=stream.read_bytes())
    assert "one pass only" in twice.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--passes", "2"], "--passes is for streams; add --stream"),
        (["--stream", "--holdout", "0.1"], "--holdout needs all examples at once"),
        (["--stream", "--memory", "much"], "a size must be a number"),
        (["--stream", "--learner", "tree"], "needs all examples at once"),
        (["--stream", "-C", "2"], "AdaGrad has no penalty"),
    ],
)
def test_options_that_mean_nothing_are_refused(
    options: list[str], message: str, stream: Path, tmp_path: Path
) -> None:
    printed = run("train", stream, "-o", tmp_path / "m.linnet", *options)
    assert printed.exit_code == 1
    assert message in printed.output


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_killed_run_resumes_to_the_same_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    data = write_tsv(tmp_path / "reviews.tsv", reviews(6000))
    whole, killed = tmp_path / "whole.linnet", tmp_path / "killed.linnet"
    command = [sys.executable, "-c", EAGER, "train", str(data), "--stream", "--passes", "2",
               "--hashing", "16", "-q", "-o"]  # fmt: skip
    subprocess.run([*command, str(whole)], check=True)
    began = time.monotonic()
    subprocess.run([*command, str(whole)], check=True)
    assert kill_and_resume([*command, str(killed), "--resume"], 5, time.monotonic() - began)
    assert killed.read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "killed.linnet", "reviews.tsv", "whole.linnet",
    ]  # fmt: skip


def kill_and_resume(command: list[str], kills: int, seconds: float) -> int:
    """Start a command again and again, killing it at random moments; return how often it was."""
    rng, done = random.Random(0), 0
    for _ in range(kills):
        process = subprocess.Popen(command)
        try:
            process.wait(timeout=seconds * rng.uniform(0.4, 0.9))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            done += 1
    subprocess.run(command, check=True)
    return done


def test_resuming_without_a_checkpoint_begins_anew(stream: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.linnet"
    assert run("train", stream, "--stream", "--hashing", 12, "-o", model).exit_code == 0
    before = model.read_bytes()
    resumed = run("train", stream, "--stream", "--hashing", 12, "-o", model, "--resume")
    assert resumed.exit_code == 0
    assert model.read_bytes() == before


def test_the_model_explains_itself(stream: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.linnet"
    run("train", stream, "--stream", "--hashing", 12, "-o", model, "--learner", "svm")
    assert linnet.load(model).explain("pos3 w1 w2").label in ("neg", "pos")
    assert run("inspect", model).exit_code == 0


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
@pytest.mark.parametrize("words", [["--hashing", "20"], ["--vocabulary"]], ids=str)
def test_a_run_stays_within_its_memory(words: list[str], tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus.tsv", size=6_000_000, vocabulary=20_000)
    code = (
        "import sys; from linnet.cli import main\n"
        "try: main()\n"
        "finally: print(open('/proc/self/status').read(), file=sys.stderr)"
    )
    command = [
        "train", str(tmp_path / "corpus.tsv"), "--stream", *words, "--memory", "250MB",
        "-q", "-o", str(tmp_path / "m.linnet"),
    ]  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True)
    assert (tmp_path / "m.linnet").exists(), done.stderr
    sizes = dict(line.split(":", 1) for line in done.stderr.splitlines() if ":" in line)
    files = int(sizes["RssFile"].split()[0])  # pages of programs, which the system takes back
    assert 1024 * (int(sizes["VmHWM"].split()[0]) - files) < 250_000_000
