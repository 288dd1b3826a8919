"""The command line in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

__all__ = ["run"]


def run(*words: str | Path, stdin: str | None = None) -> str:
    """Return what a command prints; it must succeed."""
    command = [sys.executable, "-m", "linnet", *map(str, words)]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout
