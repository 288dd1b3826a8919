"""``linnet explain --html`` in a real browser: every width, light and dark, and no other file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.browsing import WIDTHS, Visit

import linnet

pytestmark = pytest.mark.slow

TEXT = "a wonderful, wonderful film; not dull: <b>" + "Donaudampfschifffahrtsgesellschaft" * 2


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the pages that the command writes of a text, a sentence and a row."""
    from typer.testing import CliRunner

    from linnet.cli.app import app

    folder = tmp_path_factory.mktemp("pages")
    texts = linnet.TextClassifier(learner=linnet.MaxEnt()).fit(
        ["a wonderful film", "dull and long"] * 3, ["pos", "neg"] * 3
    )
    tagger = linnet.SequenceTagger(linnet.CRF()).fit(
        [["Ann", "ran"], ["Rome", "fell"]] * 3, [["B-PER", "O"], ["B-LOC", "O"]] * 3
    )
    rows = linnet.RowClassifier("tree").fit([["a"], ["b"]] * 3, ["x", "y"] * 3)
    written = {}
    for name, model, example in (
        ("text", texts, TEXT), ("tags", tagger, "Ann ran to Rome " * 9), ("row", rows, "a"),
    ):  # fmt: skip
        model.save(str(folder / f"{name}.linnet"))
        written[name] = folder / f"{name}.html"
        command = ["explain", str(folder / f"{name}.linnet"), example, "--html", str(written[name])]
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, done.output
    return written


@pytest.mark.parametrize("name", ["text", "tags", "row"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_explanation_is_readable_everywhere_and_loads_nothing(
    chromium: Any, pages: dict[str, Path], name: str, scheme: str
) -> None:
    url = pages[name].as_uri()
    with Visit(chromium, url, "main", color_scheme=scheme, offline=True) as visit:
        for width in WIDTHS:
            visit.page.set_viewport_size({"width": width, "height": 900})
            assert visit.overflow() <= 0, width
        visit.page.set_viewport_size({"width": 360, "height": 900})
        assert visit.violations() == []
        assert visit.requests == [url]
        assert visit.errors == []


def test_hostile_text_is_shown_as_text(chromium: Any, pages: dict[str, Path]) -> None:
    with Visit(chromium, pages["text"].as_uri(), "main") as visit:
        assert "<b>" in visit.page.inner_text("main")
        assert visit.page.locator("main .words b").count() == 0
