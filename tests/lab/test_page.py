"""The page of the lab in a real browser: every view, its steps, its links, what it exports."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest

from linnet.lab.plane import answer
from linnet.lab.views import TITLES, ask, spelled

pytestmark = pytest.mark.slow
HOSTILE = "<img src=x onerror='window.hacked = 1'>"
BROKEN = """Array.from(document.querySelectorAll("td.number")).filter((cell) => {
  const line = parseFloat(getComputedStyle(cell).lineHeight);
  const text = document.createRange();
  text.selectNodeContents(cell);
  return text.getBoundingClientRect().height > 1.5 * line;
}).map((cell) => cell.textContent)"""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize("view", TITLES)
@pytest.mark.parametrize("width", [360, 800, 1920])
def test_every_view_opens_without_error_foreign_request_or_overflow(
    visit: Callable[..., Any], lab: Any, view: str, width: int
) -> None:
    shown = visit(f"{lab.url}#{view}", width=width)
    assert shown.page.inner_text("#problem") == ""
    assert len(shown.page.inner_text("#root")) > 200, "something is said before the first click"
    assert shown.page.evaluate(OVERFLOW) == 0
    assert shown.page.evaluate(BROKEN) == [], "no number is broken"
    assert shown.errors == []
    foreign = [url for url in shown.requests if not url.startswith((lab.url, "data:,"))]
    assert foreign == []


@pytest.mark.parametrize("view", TITLES)
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_axe_finds_nothing(
    visit: Callable[..., Any], lab: Any, view: str, scheme: str, width: int
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    shown = visit(f"{lab.url}#{view}", width=width, color_scheme=scheme, bypass_csp=True)
    found = Axe().run(shown.page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found] == []


@pytest.mark.parametrize("view", TITLES)
def test_what_a_view_asks_at_first_is_what_python_answers_without_settings(
    visit: Callable[..., Any], lab: Any, view: str
) -> None:
    shown = visit(f"{lab.url}#{view}")
    asked = shown.page.evaluate(
        """async (view) => {
            const { defaults } = await import(`lab/${view}.js`);
            const sent = { method: "POST", headers: { "content-type": "application/json" } };
            const reply = await fetch(`ask/${view}`, { ...sent, body: JSON.stringify(defaults) });
            return await reply.text();
        }""",
        view,
    )
    assert json.loads(asked) == json.loads(spelled(ask(view, {})))


@pytest.mark.parametrize("view", TITLES)
def test_arrow_keys_step_and_the_link_says_where(
    visit: Callable[..., Any], lab: Any, view: str
) -> None:
    shown = visit(f"{lab.url}#{view}")
    shown.settle(lambda: shown.page.keyboard.press("Home"))
    first = shown.page.inner_text("#root")
    shown.settle(lambda: shown.page.keyboard.press("ArrowRight"))
    link, second = shown.page.url, shown.page.inner_text("#root")
    assert first != second
    again = visit(link)
    assert again.page.inner_text("#root") == second, "a link shows the same"
    again.settle(lambda: again.page.keyboard.press("ArrowLeft"))
    assert again.page.inner_text("#root") == first


@pytest.mark.parametrize("view", TITLES)
def test_prediction_comes_before_the_answer(visit: Callable[..., Any], lab: Any, view: str) -> None:
    shown = visit(f"{lab.url}#{view}")
    answers = shown.page.locator("#root [data-answer]")

    def visible() -> bool:
        return any(one.is_visible() for one in answers.all())

    assert visible()
    shown.settle(lambda: shown.page.get_by_label("Predict before you look").check())
    assert answers.count() > 0 and not visible()
    assert len(shown.page.inner_text("#question p")) > 10
    shown.page.get_by_role("button", name="Show", exact=True).click()
    assert visible()
    shown.settle(lambda: shown.page.keyboard.press("Home"))
    assert not visible(), "the next step is covered again"


@pytest.mark.parametrize("view", TITLES)
def test_an_exported_view_opens_from_a_file_without_any_request(
    visit: Callable[..., Any], lab: Any, view: str, tmp_path: Path
) -> None:
    shown = visit(f"{lab.url}#{view}", accept_downloads=True)
    shown.settle(lambda: shown.page.keyboard.press("Home"))
    with shown.page.expect_download() as download:
        shown.page.get_by_role("button", name="Save as page").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    alone = visit(path.as_uri(), offline=True)
    assert alone.page.inner_text("#root") == shown.page.inner_text("#root")
    alone.settle(lambda: alone.page.keyboard.press("ArrowRight"))
    shown.settle(lambda: shown.page.keyboard.press("ArrowRight"))
    assert alone.page.inner_text("#root") == shown.page.inner_text("#root"), "it steps"
    assert alone.errors == []
    foreign = [url for url in alone.requests if not url.startswith(("file:", "data:"))]
    assert foreign == []


def test_the_theme_is_that_of_the_system_or_the_one_chosen(
    visit: Callable[..., Any], lab: Any
) -> None:
    def ground(page: Any) -> int:
        said = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", said)))

    shown = visit(lab.url, color_scheme="dark")
    assert ground(shown.page) < 120
    shown.page.get_by_label("Theme").select_option("light")
    assert ground(shown.page) > 700


class TestPlane:
    def test_a_dragged_point_moves_and_the_learners_follow(
        self, visit: Callable[..., Any], lab: Any
    ) -> None:
        shown = visit(f"{lab.url}#plane?n=12&learners=%5B%22svm%22%5D")
        told = answer({"n": 12, "learners": ["svm"]})
        x, y = told["points"][5]
        svg = shown.page.locator("svg.plane").bounding_box()

        def place(a: float, b: float) -> tuple[float, float]:
            span = told["span"]
            u = svg["x"] + (a / span + 1) / 2 * svg["width"]
            return u, svg["y"] + (1 - b / span) / 2 * svg["height"]

        mouse = shown.page.mouse
        mouse.move(*place(x, y))
        mouse.down()
        shown.settle(lambda: mouse.move(*place(-3.0, 3.0)))
        mouse.up()
        moved = json.loads(unquote(re.search(r"moved=([^&]*)", shown.page.url)[1]))
        assert moved[0][0] == 5
        np.testing.assert_allclose(moved[0][1:], [-3.0, 3.0], atol=0.05)
        weights = answer({"n": 12, "learners": ["svm"], "moved": moved})["learners"][0]["weights"]
        assert f"({weights[-1][0]:.4g}, " in shown.page.inner_text(".formula")

    def test_points_are_drawn_from_nothing(self, visit: Callable[..., Any], lab: Any) -> None:
        shown = visit(f"{lab.url}#plane?data=none")
        assert "draw both classes" in shown.page.inner_text("#root")
        for pen, x in (("add0", 0.2), ("add1", 0.8)):
            shown.settle(
                lambda pen=pen: shown.page.get_by_label("On the picture").select_option(pen)
            )
            svg = shown.page.locator("svg.plane").first
            box = svg.bounding_box()
            place = {"x": x * box["width"], "y": 0.5 * box["height"]}
            shown.settle(lambda svg=svg, place=place: svg.click(position=place))
        assert "draw both classes" not in shown.page.inner_text("#root")
        assert "100.0 % of these" in shown.page.inner_text("#root")

    def test_sliders_work_by_keyboard(self, visit: Callable[..., Any], lab: Any) -> None:
        shown = visit(lab.url)
        shown.page.get_by_label("Variance of ●").focus()
        shown.settle(lambda: shown.page.keyboard.press("ArrowRight"))
        assert "variance0=1.02" in shown.page.url
        assert "step" not in shown.page.url, "arrows on a slider do not step"

    def test_a_wrong_link_is_told_as_text(self, visit: Callable[..., Any], lab: Any) -> None:
        shown = visit(f"{lab.url}#plane?data={HOSTILE}")
        assert "data must be one of" in shown.page.inner_text("#problem")
        assert "<img" in shown.page.inner_text("#problem")
        assert shown.page.evaluate("window.hacked") is None

    def test_play_goes_on_to_the_end(self, visit: Callable[..., Any], lab: Any) -> None:
        shown = visit(f"{lab.url}#plane?learners=%5B%22maxent%22%5D&step=0")
        shown.page.get_by_role("button", name="Play").click()
        shown.page.wait_for_function(
            "() => document.querySelector('.stepper-said').value === '6 of 6'"
        )
        shown.page.wait_for_selector("button:has-text('Play')")


def test_a_click_asks_about_another_point(visit: Callable[..., Any], lab: Any) -> None:
    shown = visit(f"{lab.url}#neighbours")
    shown.settle(lambda: shown.page.locator("svg.plane").first.click(position={"x": 30, "y": 30}))
    assert re.search(r"x=-\d", shown.page.url) and re.search(r"y=\d", shown.page.url)
    assert "They say" in shown.page.inner_text(".lead")


def test_the_losses_are_read_off_at_the_margin(visit: Callable[..., Any], lab: Any) -> None:
    shown = visit(f"{lab.url}#losses?margin=-2")
    rows = shown.page.locator("table").first.locator("tbody tr").all_inner_texts()
    read = {row.split("\t")[0].strip(): row.split("\t")[2:] for row in rows}
    assert read["hinge: SVM"] == ["3", "−1"]
    assert read["squared hinge"] == ["9", "−6"]
    assert read["perceptron"] == ["2", "−1"]
    assert read["0/1"] == ["1", "0"]
