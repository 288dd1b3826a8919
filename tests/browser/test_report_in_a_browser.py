"""The HTML report in a real browser: no error, no request, every width, keyboard, paper, axe."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet

WIDTHS = {"phone": 360, "desktop": 1280}
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a report on texts with hostile content, and one on sentences."""
    folder = tmp_path_factory.mktemp("reports")
    corpus = linnet.data.load_pydoc()
    hostile = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
    texts = [f"{hostile} {text} {'w' * 300}" for text in corpus.train_texts[::9]]
    labels = [f"{label[0]} <b>" for label in corpus.train_labels[::9]]
    labels[::9] = ["a label that is really much too long for any table " * 4] * len(labels[::9])
    found = linnet.compare((texts, labels), "nb, svm, memory", curve=(0.3, 1), explain=True)
    found.report(folder / "texts.html", title=hostile)
    rng = np.random.default_rng(0)
    words = [rng.choice(["dog", "cat", "saw", "ran"], 6).tolist() for _ in range(80)]
    tags = [["B-N" if w in ("dog", "cat") or rng.random() < 0.1 else "O" for w in s] for s in words]
    linnet.compare((words, tags), "hmm, perceptron, crf", explain=True).report(
        folder / "sentences.html"
    )
    return {name: folder / f"{name}.html" for name in ("texts", "sentences")}


class Visit:
    """A page in a window of its own, with what it said and asked for."""

    def __init__(self, chromium: Any, path: Path, **options: Any) -> None:
        width = options.pop("width", WIDTHS["desktop"])
        size = {"width": width, "height": 800}
        self.context = chromium.new_context(viewport=size, offline=True, **options)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.errors.append(message.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()


@pytest.mark.parametrize("name", ["texts", "sentences"])
@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS.keys())
def test_it_opens_without_error_request_or_overflow(
    chromium: Any, reports: dict[str, Path], name: str, width: int
) -> None:
    with Visit(chromium, reports[name], width=width) as visit:
        assert visit.page.evaluate("document.documentElement.scrollWidth") == width
        for summary in visit.page.locator("summary").all():
            summary.click()
        assert visit.page.evaluate("document.documentElement.scrollWidth") == width
        assert visit.errors == []
        assert visit.requests == [reports[name].as_uri()]
        assert visit.page.evaluate("window.hacked") is None


def test_the_longest_name_of_a_learner_stays_one_word_on_a_telephone(
    chromium: Any, reports: dict[str, Path]
) -> None:
    lines = """heading => {
        heading.textContent = "StructuredPerceptron";
        return heading.offsetHeight / parseFloat(getComputedStyle(heading).lineHeight);
    }"""
    with Visit(chromium, reports["sentences"], width=WIDTHS["phone"]) as visit:
        assert round(visit.page.locator("h1").first.evaluate(lines)) == 1


@pytest.mark.parametrize(
    ("name", "scheme", "width"),
    [("texts", "light", 1280), ("texts", "dark", 360), ("sentences", "dark", 1280)],
)
def test_axe_finds_nothing(
    chromium: Any, reports: dict[str, Path], name: str, scheme: str, width: int
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    with Visit(chromium, reports[name], width=width, color_scheme=scheme) as visit:
        visit.page.locator(".learner:not([hidden]) td button").first.click()
        visit.page.locator("summary").first.click()
        found = Axe().run(visit.page).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found] == []


def test_dark_screens_get_a_dark_page(chromium: Any, reports: dict[str, Path]) -> None:
    grounds = {}
    for scheme in ("light", "dark"):
        with Visit(chromium, reports["texts"], color_scheme=scheme) as visit:
            said = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
            grounds[scheme] = sum(map(int, re.findall(r"\d+", said)))
    assert grounds["light"] > 700
    assert grounds["dark"] < 120


def test_headings_sort_the_table(chromium: Any, reports: dict[str, Path]) -> None:
    with Visit(chromium, reports["texts"]) as visit:
        names = visit.page.locator("table.scores tbody th")
        before = names.all_inner_texts()
        heading = visit.page.locator("table.scores thead th", has_text="learner")
        heading.get_by_role("button").click()
        assert names.all_inner_texts() == sorted(before)
        assert heading.get_attribute("aria-sort") == "ascending"
        heading.get_by_role("button").press("Enter")
        assert names.all_inner_texts() == sorted(before, reverse=True)
        score = visit.page.locator("table.scores thead th", has_text="accuracy")
        assert score.first.get_attribute("aria-sort") is None
        score.first.get_by_role("button").click()
        assert names.all_inner_texts() == before


def test_one_learner_is_shown_at_a_time(chromium: Any, reports: dict[str, Path]) -> None:
    with Visit(chromium, reports["texts"]) as visit:
        shown = visit.page.locator(".learner:visible h3")
        options = visit.page.locator("#learner option").all_inner_texts()
        assert shown.all_inner_texts() == options[:1]
        visit.page.get_by_label("Learner", exact=True).select_option(label=options[-1])
        assert shown.all_inner_texts() == options[-1:]


def test_a_cell_shows_its_examples_by_keyboard(chromium: Any, reports: dict[str, Path]) -> None:
    with Visit(chromium, reports["texts"]) as visit:
        panel = visit.page.locator(".learner:visible")
        stops = panel.locator("td button[tabindex='0']")
        assert stops.count() == 1, "one stop for Tab, arrows for the rest"
        stops.focus()
        visit.page.keyboard.press("ArrowDown")
        assert stops.count() == 1
        assert stops.evaluate("(one) => one === document.activeElement")
        visit.page.keyboard.press("Enter")
        behind = panel.locator(".behind")
        assert stops.get_attribute("aria-pressed") == "true"
        count = int(stops.inner_text().replace(",", ""))
        assert behind.locator("strong").inner_text() == stops.inner_text()
        assert behind.locator("li").count() == min(count, 5)
        assert "<script>" in behind.locator("li").first.inner_text(), "as text"


def test_marks_say_their_value_and_legends_switch(chromium: Any, reports: dict[str, Path]) -> None:
    with Visit(chromium, reports["texts"]) as visit:
        figure = visit.page.locator("figure.wide").first
        marks = figure.locator(".mark:visible")
        assert marks.count() == 3
        assert figure.locator(".mark[tabindex='0']").count() == 1
        figure.locator(".mark[tabindex='0']").focus()
        visit.page.keyboard.press("ArrowRight")
        tip = visit.page.locator("#tip")
        assert tip.inner_text() == marks.nth(1).get_attribute("aria-label")
        visit.page.keyboard.press("Escape")
        assert not tip.is_visible()
        marks.nth(0).hover()
        assert tip.inner_text() == marks.nth(0).get_attribute("aria-label")
        key = figure.locator(".legend button").first
        key.click()
        assert key.get_attribute("aria-pressed") == "false"
        assert marks.count() == 2
        key.press("Space")
        assert marks.count() == 3


def test_it_can_be_read_without_script(chromium: Any, reports: dict[str, Path]) -> None:
    for width in WIDTHS.values():
        with Visit(chromium, reports["texts"], width=width, java_script_enabled=False) as visit:
            assert visit.page.locator(".learner:visible").count() == 3
            assert not visit.page.locator("#learner").is_visible(), "there is nothing to choose"
            assert visit.page.locator("table.scores tbody tr:visible").count() == 3
            assert visit.page.locator(".mark title").count() > 10


@pytest.mark.parametrize("name", ["texts", "sentences"])
def test_it_prints_on_some_pages_of_paper(
    chromium: Any, reports: dict[str, Path], name: str
) -> None:
    with Visit(chromium, reports[name], color_scheme="dark") as visit:
        paper = visit.page.pdf(format="A4")
        assert 4 <= len(re.findall(rb"/Type\s*/Page\b", paper)) <= 14
        visit.page.emulate_media(media="print")
        assert not visit.page.locator("nav").is_visible()
        assert not visit.page.locator("#learner").is_visible()
        assert not visit.page.locator(".behind").first.is_visible()
        ground = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == "rgb(255, 255, 255)", "no dark paper"
