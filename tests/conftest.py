"""Shared fixtures: where real data lives, and the SPEC marks."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER_ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
]  # fmt: skip


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


@pytest.fixture(scope="session")
def generated_reviews(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder whose ``amazon_books`` a naive Bayes model drew: 800 short reviews.

    Its words are Zipfian, so some are seen with one sentiment only and some not at all before the
    test part: what the exercises say about reviews can be seen on them too.
    """
    from linnet.data import write_bags
    from linnet.learn.naive_bayes import MultinomialNB

    rng = np.random.default_rng(0)
    often = 4000.0 / np.arange(1, 2001)
    lean = np.exp(rng.normal(scale=0.5, size=2000))
    counts = np.vstack([often * lean, often / lean])
    names = [f"w{j}" for j in range(2000)]
    bags = [dict(zip(names, row, strict=True)) for row in counts.tolist()]
    story = MultinomialNB(alpha=0.0).fit(bags, ["positive", "negative"])
    drawn, labels = story.sample(800, length=(20, 60), random_state=0)
    folder = tmp_path_factory.mktemp("reviews") / "amazon_books"
    folder.mkdir()
    for sentiment in ("positive", "negative"):
        own = [bag for bag, label in zip(drawn, labels, strict=True) if label == sentiment][:380]
        write_bags(folder / f"{sentiment}.review", own, [sentiment] * len(own))
    return folder.parent


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Return a browser, or skip the test where there is none."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip("there is no chromium; on Debian: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tool:
        opened = tool.chromium.launch(executable_path=browser, args=BROWSER_ARGUMENTS)
        yield opened
        opened.close()


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
