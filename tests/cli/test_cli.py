"""The command line: help, version, errors, and the demo from end to end."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import linnet
from linnet.cli.demo_tables import tasks
from linnet.learn.flat.base import Learner
from linnet.public import public_homes

COMMAND = "import sys; sys.argv[0] = 'linnet'; from linnet.cli import main; main()"


def run(*arguments: str, before: str = "", folder: Path | None = None):
    """Run the command in a new interpreter, as from a shell whose output is a pipe."""
    return subprocess.run(
        [sys.executable, "-c", f"{before}\n{COMMAND}", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=folder,
        timeout=120,
    )


def test_the_version_is_printed() -> None:
    assert run("--version").stdout == f"linnet {linnet.__version__}\n"


@pytest.mark.parametrize("arguments", [(), ("--help",), ("demo", "--help")])
def test_help_names_the_command_and_gives_an_example(arguments: tuple[str, ...]) -> None:
    answer = run(*arguments)
    assert "Usage: linnet" in answer.stdout + answer.stderr
    assert "linnet demo" in answer.stdout + answer.stderr


def test_help_does_not_wait_for_anything_heavy() -> None:
    code = (
        "import sys; from linnet.cli import main\n"
        "print({'numpy', 'sklearn', 'matplotlib', 'pyarrow'} & set(sys.modules))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300
    )
    assert answer.stdout == "set()\n"


def test_an_unknown_verb_is_refused() -> None:
    answer = run("dance")
    assert answer.returncode == 2
    assert "dance" in answer.stderr


def test_an_error_is_one_line_on_standard_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    answer = run("demo", "--output", "file", folder=tmp_path)
    assert answer.returncode == 1
    assert answer.stderr.startswith("linnet: error: ")
    assert answer.stderr.count("\n") == 1


def test_the_demo_compares_all_learners_and_draws_their_boundaries(tmp_path: Path) -> None:
    answer = run("demo", folder=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert "Warning" not in answer.stderr, "no warning on built-in data"
    for verb in ("train", "evaluate", "explain", "inspect"):
        assert f"\n$ linnet {verb} " in answer.stdout
    assert re.search(r"^accuracy 8\d\.\d\d % ", answer.stdout, re.M)
    assert "\x1b" not in answer.stdout, "plain text in a pipe"
    for task in tasks():
        assert task.title in answer.stdout
        for learner in task.learners:
            assert re.search(rf"^  {re.escape(learner)} +[01]\.\d{{3}} ", answer.stdout, re.M)
    assert "16550 -4900 * adjectives, squared error 45775000" in answer.stdout
    path = Path("demo_output/boundaries.png")
    assert str(path) in answer.stdout.splitlines()[-2]
    assert (tmp_path / path).read_bytes().startswith(b"\x89PNG")
    report = Path("demo_output/report.html")
    assert str(report) in answer.stdout.splitlines()[-1], "it ends with the report"
    assert (tmp_path / report).read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_demo_works_without_matplotlib_and_says_how_to_get_it(tmp_path: Path) -> None:
    answer = run("demo", before="import sys; sys.modules['matplotlib'] = None", folder=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert "pip install linnet[plot]" in answer.stdout.splitlines()[-2]
    assert not list(tmp_path.glob("**/*.png"))


def test_the_demo_uses_every_learner_that_is_exported() -> None:
    used = {type(learner).__name__ for task in tasks() for learner in task.learners.values()}
    exported = {
        name
        for name in public_homes()
        if isinstance(learner := getattr(linnet, name), type)
        and issubclass(learner, Learner)
        and hasattr(learner, "decision_function")
    }
    assert used == exported
