"""A small model of film reviews and ways to run the command."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import linnet
from linnet.cli.app import app

COMMAND = "import sys; sys.argv[0] = 'linnet'; from linnet.cli import main; main()"
GOOD = ("a wonderful film", "great acting, a joy", "lovely and moving", "wonderful, great, lovely")
BAD = ("a dull film", "boring acting, a mess", "awful and slow", "dull, boring, awful")


@pytest.fixture(scope="session")
def reviews() -> list[tuple[str, str]]:
    """Return labelled sentences that any learner can tell apart."""
    rows = []
    for number in range(30):
        rows.append(("pos", f"{GOOD[number % 4]} number {number}"))
        rows.append(("neg", f"{BAD[number % 4]} number {number}"))
    return rows


@pytest.fixture(scope="session")
def reviews_file(reviews: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "reviews.tsv"
    path.write_text("".join(f"{label}\t{text}\n" for label, text in reviews), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def model(reviews: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the path of a trained model."""
    path = tmp_path_factory.mktemp("model") / "reviews.linnet"
    labels, texts = map(list, zip(*reviews, strict=True))
    linnet.TextClassifier(C=1.0).fit(texts, labels).save(path)
    return str(path)


@pytest.fixture
def linnet_command() -> Callable[..., Any]:
    """Return a function that runs the command in this process."""

    def run(*arguments: object, stdin: str | bytes | None = None) -> Any:
        return CliRunner().invoke(app, [str(part) for part in arguments], input=stdin)

    return run


@pytest.fixture
def linnet_process() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that runs the command in a new interpreter, as a shell does."""

    def run(
        *arguments: object, stdin: str = "", before: str = ""
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", f"{before}\n{COMMAND}", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
        )

    return run
