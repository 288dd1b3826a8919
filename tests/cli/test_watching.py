"""Long work shows on a terminal how far it is; Ctrl-C with --keep keeps what was learned."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import linnet

Run = Callable[..., Any]
pty = pytest.importorskip("pty")
COMMAND = "import sys; sys.argv[0] = 'linnet'; from linnet.cli import main; main()"
LONG = ("--learner", "perceptron", "--set", "max_iter=100000000")


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """Return sentences that no perceptron is done with: equal words have two tags."""
    path = tmp_path / "data.conll"
    path.write_text("".join(f"word{k // 2 % 9}\tN\t{'AB'[k % 2]}\n\n" for k in range(90)))
    return path


def on_a_terminal(start_process: Run, *arguments: object) -> tuple[Any, int]:
    leader, follower = pty.openpty()
    process = start_process(
        [sys.executable, "-c", COMMAND, *map(str, arguments)],
        stdin=subprocess.DEVNULL, stdout=follower, stderr=follower,
        env={**os.environ, "COLUMNS": "120", "TERM": "xterm"},
    )  # fmt: skip
    os.close(follower)
    return process, leader


def read_until(leader: int, mark: bytes | None) -> bytes:
    """Read what a terminal shows until a mark, or to the end."""
    shown = b""
    while mark is None or mark not in shown:
        try:
            chunk = os.read(leader, 1 << 16)
        except OSError:  # how Linux says that nobody holds the other end any more
            break
        if not chunk:
            break
        shown += chunk
    return shown


def test_a_fit_shows_its_iterations_and_ctrl_c_keeps_them(
    start_process: Run, endless: Path, tmp_path: Path
) -> None:
    out = tmp_path / "kept.linnet"
    command = ("train", endless, "-o", out, "--keep", *LONG)
    process, leader = on_a_terminal(start_process, *command)
    assert "/≤100,000,000 · mistakes" in read_until(leader, b"mistakes ").decode()
    process.send_signal(signal.SIGINT)
    rest = read_until(leader, None).decode()
    assert process.wait(timeout=60) == 0
    assert "interrupted: kept what was learned up to fit" in rest
    assert "written to" in rest
    assert len(linnet.load(out).predict([[("word1", "N")]])) == 1


def test_without_keep_ctrl_c_leaves_nothing(
    start_process: Run, endless: Path, tmp_path: Path
) -> None:
    process, leader = on_a_terminal(
        start_process, "train", endless, "-o", tmp_path / "m.linnet", *LONG
    )
    read_until(leader, b"mistakes")
    process.send_signal(signal.SIGINT)
    assert "linnet: interrupted" in read_until(leader, None).decode()
    assert process.wait(timeout=60) == 130
    assert list(tmp_path.iterdir()) == [endless]
