"""The lattice in a real browser: cells, formulas, edits, steps, links, widths."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from linnet.lab.lattice import answer

pytestmark = pytest.mark.slow


def cell(page: Any, model: str, t: int, j: int) -> Any:
    return page.locator(f'[data-model="{model}"] [data-cell="{t},{j}"]')


def value(page: Any, model: str, t: int, j: int) -> float:
    return float(cell(page, model, t, j).get_attribute("data-value"))


@pytest.fixture
def page(lab: Any, visit: Callable[..., Any]) -> Any:
    return visit(f"{lab.url}#lattice")


@pytest.mark.spec("F-06")
def test_the_cells_show_the_numbers_of_the_library(page: Any) -> None:
    for one in answer({})["lattices"]:
        for t, row in enumerate(one["viterbi"]):
            for j, expected in enumerate(row):
                assert value(page.page, one["model"], t, j) == pytest.approx(expected, abs=1e-9)
    assert page.errors == []


def test_numbers_that_come_as_bytes_are_those_of_the_library(
    lab: Any, visit: Callable[..., Any]
) -> None:
    page = visit(f"{lab.url}#lattice?example=random&tokens=20&tags=14&models=%5B%22crf%22%5D")
    expected = answer({"example": "random", "tokens": 20, "tags": 14})["lattices"][2]["viterbi"]
    for t, j in ((0, 0), (7, 13), (19, 5)):
        assert value(page.page, "crf", t, j) == pytest.approx(expected[t][j], abs=1e-9)
    assert page.errors == []


def test_a_clicked_cell_has_its_formula_and_its_sources_light_up(page: Any) -> None:
    page.settle(lambda: cell(page.page, "hmm", 1, 1).click())
    told = page.page.locator(".look").first.inner_text()
    assert "v₂(V) = (max over i of v₁(i) · P(V | i)) · P(can | V)" in told
    assert "= 0.21 · 0.3 = 0.063" in told
    assert page.page.locator('[data-model="hmm"] .cell.lit').get_attribute("data-cell") == "0,0"
    assert "cell=" in page.page.url


def test_arrow_keys_go_from_cell_to_cell(page: Any) -> None:
    page.settle(lambda: cell(page.page, "crf", 0, 0).click())
    cell(page.page, "crf", 0, 0).focus()
    page.settle(lambda: page.page.keyboard.press("ArrowRight"))
    page.settle(lambda: page.page.keyboard.press("ArrowDown"))
    assert cell(page.page, "crf", 1, 1).get_attribute("aria-pressed") == "true"


def test_an_edited_emission_changes_everything_that_follows(page: Any) -> None:
    page.page.locator('[data-model="hmm"] summary').click()
    field = page.page.get_by_label("HMM: can, V")
    field.fill("0.95")
    page.settle(lambda: field.press("Enter"))
    edits = [["hmm", "emission", "can", "V", 0.95]]
    expected = answer({"edits": edits})["lattices"][0]
    assert value(page.page, "hmm", 2, 1) == pytest.approx(expected["viterbi"][2][1], abs=1e-9)
    assert page.page.locator('[data-model="hmm"] .result strong').inner_text() == "N V V"
    page.settle(lambda: page.page.get_by_role("button", name="Undo all edits").click())
    assert page.page.locator('[data-model="hmm"] .result strong').inner_text() == "N N V"


def test_another_word_gives_another_lattice(page: Any) -> None:
    page.settle(lambda: page.page.get_by_label("Sentence").fill("fish swim"))
    assert page.page.locator('[data-model="crf"] .word').all_text_contents() == ["fish", "swim"]


def test_steps_build_the_viterbi_path_and_trace_it_back(page: Any) -> None:
    best = page.page.locator('[data-model="hmm"] .cell.best')
    assert best.count() == 3
    page.page.locator("h1").click()
    page.settle(lambda: page.page.keyboard.press("Home"))
    assert best.count() == 0 and cell(page.page, "hmm", 0, 0).get_attribute("data-value") == ""
    for count in (0, 0, 0, 1, 2, 3):
        page.settle(lambda: page.page.keyboard.press("ArrowRight"))
        assert best.count() == count


@pytest.mark.spec("F-13")
def test_a_link_shows_the_label_bias_and_constraints_keep_to_the_automaton(
    lab: Any, visit: Callable[..., Any]
) -> None:
    page = visit(f"{lab.url}#lattice?example=bias&show=marginal")
    results = page.page.locator(".result strong").all_inner_texts()
    assert results == ["4 5 3", "1 2 3", "4 5 3"]
    page.settle(lambda: page.page.get_by_label("Constraints").check())
    assert math.exp(value(page.page, "memm", 0, 2)) == 0.0
    assert "constraints=true" in page.page.url


def test_a_forbidden_arc_is_taken_by_no_path(page: Any) -> None:
    page.settle(lambda: cell(page.page, "hmm", 1, 0).click())
    page.settle(lambda: page.page.get_by_role("checkbox", name="N", exact=True).check())
    assert page.page.locator('[data-model="hmm"] .result strong').inner_text() == "V N V"


def test_predicting_hides_numbers_and_path_until_they_are_asked_for(page: Any) -> None:
    page.settle(lambda: page.page.get_by_label("Predict before you look").check())
    assert not page.page.locator('[data-model="hmm"] .result').is_visible()
    page.page.get_by_role("button", name="Show").click()
    assert page.page.locator('[data-model="hmm"] .result').is_visible()


@pytest.mark.parametrize("width", [360, 768, 1920])
@pytest.mark.parametrize("example", ["fish", "names", "random"])
def test_no_width_makes_the_page_overflow(
    lab: Any, visit: Callable[..., Any], width: int, example: str
) -> None:
    chosen = quote(json.dumps(["crf", 1, 1]))
    page = visit(f"{lab.url}#lattice?example={example}&tokens=12&cell={chosen}", width=width)
    assert page.page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.errors == []


def test_hostile_words_stay_words(lab: Any, visit: Callable[..., Any]) -> None:
    page = visit(f"{lab.url}#lattice")
    page.settle(lambda: page.page.get_by_label("Sentence").fill("<img/src=x> fish"))
    assert page.page.locator("#root img").count() == 0
    assert page.errors == []


@pytest.mark.parametrize("show", ["viterbi", "beta", "beam", "emission"])
def test_axe_finds_nothing_with_a_cell_picked_and_the_tables_open(
    lab: Any, visit: Callable[..., Any], show: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    chosen = quote(json.dumps(["memm", 1, 1]))
    link = f"{lab.url}#lattice?example=bias&show={show}&cell={chosen}"
    page = visit(link, bypass_csp=True)
    for summary in page.page.locator("summary").all():
        summary.click()
    found = Axe().run(page.page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found] == []
    assert page.errors == []


def test_editing_goes_on_in_the_field_that_follows(page: Any) -> None:
    page.page.locator('[data-model="hmm"] summary').click()
    page.page.get_by_label("HMM: can, N").fill("0.2")
    page.settle(lambda: page.page.keyboard.press("Tab"))
    label = page.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label == "HMM: can, V"
