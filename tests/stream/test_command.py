"""``linnet train --stream``, also when it is killed at any moment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from tests.stream.conftest import reviews, write_tsv
from typer.testing import CliRunner

import linnet
from linnet.cli.app import app
from linnet.data import read_examples
from linnet.data.zipf import write_corpus

# Small blocks, a checkpoint after each. One process that has imported everything runs the command
# to its end, then starts it again and again by a fork and kills it some checkpoints later. So a
# kill costs no new start, and does not depend on how busy the machine is.
KILLER = """
import os, random, signal, sys, time
from linnet.stream import limits, run
limits.BLOCK = 4000; run._SECONDS = 0.0; run._SHARE = 1e9
from linnet.cli import main

def ends(words):
    sys.argv = ["linnet", *words]
    try:
        main()
    except SystemExit as ended:
        return ended.code or 0
    return 0

def written(path):
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns

def killed(words, checkpoint, after, delay):
    child = os.fork()
    if child == 0:
        os._exit(ends(words))
    last = written(checkpoint)
    while after > 0:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert status == 0, status
            return False
        now = written(checkpoint)
        after, last = after - (now != last), now
        time.sleep(0.0002)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])

kills, whole, broken, *words = sys.argv[1:]
assert ends([*words, "-o", whole]) == 0
moments, done = random.Random(0), 0
resumed = [*words, "-o", broken, "--resume"]
while done < int(kills):
    after, delay = moments.randrange(8), moments.uniform(0, 0.01)
    done += killed(resumed, broken + ".checkpoint", after, delay)
assert ends(resumed) == 0
"""


PROC = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")


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
    ends = machine["record"]["progressive"]["curve"][-2:]  # the very last may be a few left over
    assert f"of the last {sum(n for n, *_ in ends):,}" in " ".join(printed.output.split())
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
    data = write_tsv(tmp_path / "reviews.tsv", reviews(2000))
    whole, killed = tmp_path / "whole.linnet", tmp_path / "killed.linnet"
    words = ["train", data, "--stream", "--passes", "2", "--hashing", "12", "-q"]
    command = [sys.executable, "-c", KILLER, 12, whole, killed, *words]
    subprocess.run([str(word) for word in command], check=True)
    assert killed.read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "killed.linnet", "reviews.tsv", "whole.linnet",
    ]  # fmt: skip


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


def peak_of(*words: object) -> int:
    """Run a command in a process of its own and return the most memory that it had, in bytes."""
    code = (
        "import sys; from linnet.cli import main\n"
        "try: main()\n"
        "finally: print(open('/proc/self/status').read(), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    sizes = dict(line.split(":", 1) for line in done.stderr.splitlines() if ":" in line)
    files = int(sizes["RssFile"].split()[0])  # pages of files, which the system takes back
    return 1024 * (int(sizes["VmHWM"].split()[0]) - files)


@pytest.fixture(scope="module")
def zipfian(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("zipfian") / "corpus.tsv"
    write_corpus(path, size=6_000_000, vocabulary=20_000)
    return path


@PROC
@pytest.mark.parametrize("words", [["--hashing", "20"], ["--vocabulary"]], ids=str)
def test_a_run_stays_within_its_memory(words: list[str], zipfian: Path, tmp_path: Path) -> None:
    options = ["--stream", *words, "--memory", "250MB", "-q", "-o", tmp_path / "m.linnet"]
    assert peak_of("train", zipfian, *options) < 250_000_000


@PROC
def test_naive_bayes_within_its_memory_is_that_of_memory_to_the_bit(
    zipfian: Path, tmp_path: Path
) -> None:
    options = ["--stream", "--learner", "nb", "--hashing", 18, "--memory", "200MB", "-q"]
    assert peak_of("train", zipfian, *options, "-o", tmp_path / "m.linnet") < 200_000_000
    streamed, examples = linnet.load(tmp_path / "m.linnet"), read_examples(zipfian)
    start, index, value = streamed.extractor.counts(examples.X, 1)
    X = csr_matrix((value, index, start), shape=(len(examples), 2**18))
    whole = linnet.MultinomialNB().fit(X, examples.y)
    assert np.array_equal(streamed.weights_, whole.coef_.T.astype(np.float32))
    assert np.array_equal(streamed.intercept_, whole.intercept_)


@PROC
def test_an_exact_learner_over_a_cache_is_that_of_memory_in_bounded_memory(
    zipfian: Path, tmp_path: Path
) -> None:
    words = ["train", zipfian, "--learner", "svm", "-C", 1, "--ngrams", "1,1", "-q", "-o"]
    cached, whole = tmp_path / "cached.linnet", tmp_path / "whole.linnet"
    assert peak_of(*words, cached, "--cache", tmp_path / "cache") < 250_000_000
    assert run(*words, whole).exit_code == 0
    assert cached.read_bytes() == whole.read_bytes()  # with objective and certificate
