"""The views of texts and of models in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import linnet

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tagged(start: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Return a lab that was started with a tagger."""
    path = tmp_path_factory.mktemp("models") / "tagger.linnet"
    sentences, tags = [["the", "dog", "runs"], ["a", "cat"]] * 4, [["D", "N", "V"], ["D", "N"]] * 4
    linnet.SequenceTagger(linnet.CRF()).fit(sentences, tags).save(path)
    with start(model=path) as running:
        yield running


@pytest.mark.spec("W-06")
def test_words_move_on_the_axis_at_every_update(lab: Any, visit: Callable[..., Any]) -> None:
    page = visit(f"{lab.url}#text?step=1")
    comma = page.page.locator('[data-word=","]')
    assert comma.get_attribute("data-weight") == "-2"
    page.page.locator("h1").click()
    page.settle(lambda: page.page.keyboard.press("ArrowRight"))
    assert comma.get_attribute("data-weight") == "-1"
    assert "changed" in (comma.get_attribute("class") or "")
    assert "The score of the text was −4, the guess -1, the truth +1." in page.page.inner_text(
        "#root"
    )
    assert page.errors == []


def test_another_word_moves_the_score_and_the_flip_turns_it(
    lab: Any, visit: Callable[..., Any]
) -> None:
    page = visit(f"{lab.url}#text?corpus=reviews")
    assert "with probability 0.813609" in page.page.inner_text("#root")
    field = page.page.get_by_label("Text to decide")
    page.settle(lambda: field.fill("predictable fun"))
    assert "with probability 0.5218" in page.page.inner_text("#root")
    before = page.page.locator(".result strong").last.inner_text()
    page.page.locator("h1").click()
    page.settle(lambda: page.page.get_by_role("button", name="Make this edit").click())
    assert page.page.locator(".result strong").last.inner_text() != before
    assert page.errors == []


@pytest.mark.parametrize("width", [360, 1920])
@pytest.mark.parametrize("link", ["text?corpus=people&learner=log", "text?corpus=own", "model"])
def test_no_width_makes_the_page_overflow(
    tagged: Any, visit: Callable[..., Any], width: int, link: str
) -> None:
    page = visit(f"{tagged.url}#{link}", width=width)
    assert page.page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.errors == []


def test_a_sentence_is_explained_and_a_labelled_file_read(
    tagged: Any, visit: Callable[..., Any], tmp_path: Path
) -> None:
    page = visit(f"{tagged.url}#model?example=the+cat")
    assert "“the” is D" in page.page.inner_text("#root")
    page.page.locator("h1").click()
    page.settle(lambda: page.page.keyboard.press("ArrowRight"))
    assert "“cat” is N" in page.page.inner_text("#root")
    file = tmp_path / "gold.conll"
    file.write_text("the D\ncat V\n\na D\ndog N\n")
    page.settle(lambda: page.page.set_input_files("#labelled-file", file))
    assert "gold.conll: 75 % of 4 tokens are right." in page.page.inner_text("#root")
    assert page.errors == []


def test_hostile_text_is_shown_as_text(tagged: Any, visit: Callable[..., Any]) -> None:
    hostile = "<img src=x onerror=window.hacked=1> <b>dog</b>"
    for view, label in (("text", "Text to decide"), ("model", "A sentence")):
        page = visit(f"{tagged.url}#{view}")
        page.settle(lambda page=page, label=label: page.page.get_by_label(label).fill(hostile))
        assert page.page.locator("#root img, #root b").count() == 0
        assert page.page.evaluate("window.hacked") is None
        assert page.errors == []
