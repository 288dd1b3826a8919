"""Shared fixtures: where real data lives, and the SPEC marks."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_dir() -> Callable[[str], Path]:
    """Return a function that finds one real data set or skips the test."""
    base = Path(os.environ.get("LINNET_DATA", ROOT.parent / "shared" / "data"))

    def find(name: str) -> Path:
        folder = base / name
        if not folder.is_dir():
            pytest.skip(f"data set {name!r} not found in {base} (set LINNET_DATA)")
        return folder

    return find


@pytest.fixture
def start_process() -> Iterator[Callable[..., Any]]:
    """Return a function like ``subprocess.Popen`` for children that are talked to through pipes.

    A child that says nothing is killed after five minutes, so that reading from it ends. It can be
    interrupted even where this process ignores SIGINT, as those in the background of a shell do:
    ignoring is inherited, handling is not.
    """
    with ExitStack() as stack:

        def start(*arguments: Any, **options: Any) -> subprocess.Popen[Any]:
            before = signal.signal(signal.SIGINT, signal.default_int_handler)
            try:
                process = subprocess.Popen(*arguments, **options)
            finally:
                signal.signal(signal.SIGINT, before)
            stack.enter_context(process)  # closes its pipes and waits for it
            stack.callback(process.kill)
            limit = Timer(300, process.kill)
            limit.start()
            stack.callback(limit.cancel)
            return process

        yield start
