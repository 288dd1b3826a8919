"""The frame around the verbs: help, completion, exit codes, interruption."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linnet
from linnet.cli.app import _VERBS

Run = Callable[..., Any]
COMMAND = "import sys; sys.argv[0] = 'linnet'; from linnet.cli import main; main()"
WITH_EXAMPLES = [verb for verb in _VERBS if verb != "data"]


def test_help_lists_every_verb(linnet_command: Run) -> None:
    found = linnet_command("--help")
    assert found.exit_code == 0
    for verb in (*_VERBS, "demo"):
        assert f" {verb} " in found.stdout


def test_the_package_can_be_run_as_the_command() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "linnet", "--version"], capture_output=True, text=True, timeout=60
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout == f"linnet {linnet.__version__}\n"


@pytest.mark.parametrize("verb", WITH_EXAMPLES)
def test_every_verb_has_help_with_examples(linnet_command: Run, verb: str) -> None:
    found = linnet_command(verb, "--help")
    assert found.exit_code == 0
    assert found.stdout.count(f"linnet {verb}") >= 3, "usage and two examples"


def test_a_misspelt_verb_gets_a_suggestion(linnet_command: Run) -> None:
    found = linnet_command("trian")
    assert found.exit_code == 2
    assert "train" in found.stderr


@pytest.mark.parametrize(
    "arguments", [("predict",), ("train", "--no-such"), ("filter", "m.linnet", "a.txt")]
)
def test_a_command_that_is_not_understood_ends_with_2(
    linnet_command: Run, arguments: tuple[str, ...]
) -> None:
    assert linnet_command(*arguments).exit_code == 2


@pytest.mark.parametrize(
    "typed, offered",
    [("linnet pre", "predict"), ("linnet ", "train"), ("linnet train --hold", "--holdout")],
)
def test_the_shell_completes_verbs_and_options(typed: str, offered: str) -> None:
    environment = {
        **os.environ,
        "_LINNET_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split(" ")) - 1),
        "_TYPER_COMPLETE_ARGS": typed,
    }
    found = subprocess.run(
        [sys.executable, "-c", COMMAND],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert offered in found.stdout.split()


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("waited in vain")


INTERRUPT_AN_IMPORT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Finder:
    def find_spec(self, name, *_):
        if name == "{}":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("module", ["typer", "linnet.cli.app", "linnet.cli.predict", "numpy"])
@pytest.mark.parametrize("options", [(), ("--top", "1")])
def test_an_interrupt_among_the_first_imports_is_quiet(
    linnet_process: Run, model: str, module: str, options: tuple[str, ...]
) -> None:
    before = INTERRUPT_AN_IMPORT.format(module)
    found = linnet_process("predict", model, *options, stdin="a film\n", before=before)
    if not options and module in ("typer", "linnet.cli.app"):
        assert found.returncode == 0, "it starts without the parser"
    else:
        assert (found.returncode, found.stderr) == (130, "linnet: interrupted\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
@pytest.mark.parametrize("arguments", [("predict", "MODEL"), ("inspect", "MODEL"), ("--version",)])
def test_standard_output_without_room_is_named(model: str, arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        found = subprocess.run(
            [sys.executable, "-c", COMMAND, *(model if a == "MODEL" else a for a in arguments)],
            input=b"a dull film\n",
            stdout=full,
            stderr=subprocess.PIPE,
            env={k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"},
            timeout=60,
        )
    assert found.stderr == b"linnet: error: standard output: No space left on device\n"
    assert found.returncode == 1


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_command_leaves_nothing_half_written(
    start_process: Run, model: str, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    out = tmp_path / "answers.tsv"
    process = start_process(
        [sys.executable, "-c", COMMAND, "predict", model, "-o", str(out)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdin.write(b"a dull film\n")
    process.stdin.flush()
    wait_for(lambda: bool(list(tmp_path.iterdir())))
    process.send_signal(number)
    complaint = process.stderr.read()
    assert process.wait(timeout=30) == code
    if number == signal.SIGINT:
        assert complaint == b"linnet: interrupted\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_command_ends_behind_the_import_in_which_it_was_told_to(tmp_path: Path) -> None:
    tmp_path.joinpath("told.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\nprint('imported', flush=True)\n"
    )
    code = (
        "import signal, sys, time; from linnet.cli.start import _terminate\n"
        "signal.signal(signal.SIGTERM, _terminate); signal.signal(signal.SIGALRM, _terminate)\n"
        f"sys.path.insert(0, {str(tmp_path)!r}); import told; time.sleep(60)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (143, b"imported\n"), ended.stderr
