"""The site of the documentation in a real browser: widths, dark, search, copying, axe."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.browsing import WIDTHS, Visit

ROOT = Path(__file__).resolve().parent.parent
VIEW = b"<!doctype html><html lang='en'><title>view</title><h1>view</h1>"
PAGES = ("index", "maxent", "hmm", "plots", "command_line", "specification/models")

pytestmark = pytest.mark.slow


class Quiet(SimpleHTTPRequestHandler):
    """Serves the site; plots, which take a minute to draw, are blank where nobody drew them."""

    def do_GET(self) -> None:
        if "/plots/" in self.path and not Path(self.translate_path(self.path)).exists():
            body = b"<svg xmlns='http://www.w3.org/2000/svg' width='600' height='300'/>"
            kind = "image/svg+xml"
            if self.path.endswith(".html"):
                body, kind = VIEW, "text/html"
            self.send_response(200)
            self.send_header("content-type", kind)
            self.end_headers()
            self.wfile.write(body)
        else:
            super().do_GET()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=300)
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), lambda *arguments: Quiet(*arguments, directory=str(folder))
    )
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_every_width_and_asks_no_other_host(
    chromium: Any, site: str, name: str, tmp_path: Path
) -> None:
    with Visit(chromium, f"{site}/{name}.html", "main h1") as visit:
        for width in WIDTHS:
            visit.page.set_viewport_size({"width": width, "height": 900})
            assert visit.overflow() <= 0, width
        assert visit.asks_only(site)
        assert visit.errors == []
        assert visit.page.locator("nav.pages [aria-current=page]").count() == 1


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
@pytest.mark.parametrize("name", PAGES[:4])
def test_axe_finds_nothing(chromium: Any, site: str, name: str, scheme: str, width: int) -> None:
    with Visit(chromium, f"{site}/{name}.html", width=width, color_scheme=scheme) as visit:
        assert visit.violations() == []


def test_dark_is_chosen_by_the_system_or_by_hand_and_kept(chromium: Any, site: str) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    with Visit(chromium, f"{site}/index.html", color_scheme="dark") as visit:
        dark = visit.page.evaluate(colour)
        visit.page.click("#theme")
        assert visit.page.evaluate(colour) == "rgb(255, 255, 255)" != dark
        visit.page.goto(f"{site}/svm.html")
        assert visit.page.evaluate(colour) == "rgb(255, 255, 255)"
        visit.page.click("#theme")
        assert visit.page.evaluate(colour) == dark


def test_searching_finds_the_page_and_goes_there(chromium: Any, site: str) -> None:
    with Visit(chromium, f"{site}/specification/index.html") as visit:
        visit.page.keyboard.press("/")
        visit.page.keyboard.type("forward backward by hand")
        visit.page.wait_for_selector("#hits a")
        visit.page.keyboard.press("ArrowDown")
        visit.page.keyboard.press("Enter")
        visit.page.wait_for_url("**/hmm.html#forward-and-backward-by-hand")
        visit.page.keyboard.press("/")
        visit.page.keyboard.type("qqqq")
        visit.page.wait_for_selector("#hits .none")


def test_a_session_is_copied_without_prompts_and_answers(chromium: Any, site: str) -> None:
    with Visit(chromium, f"{site}/svm.html") as visit:
        visit.context.grant_permissions(["clipboard-read", "clipboard-write"])
        visit.page.locator("pre:has-text('from linnet import SVM') + .copy").click()
        visit.page.wait_for_selector(".copy:text('Copied')")
        copied = visit.page.evaluate("navigator.clipboard.readText()")
        assert copied.startswith("from linnet import SVM\nsvm = SVM(C=1.0).fit([[1, 1]")
        assert ">>>" not in copied and "[[0.5, 0.5]]" not in copied


def test_formulas_are_drawn_by_the_browser_itself(chromium: Any, site: str) -> None:
    with Visit(chromium, f"{site}/maxent.html", "math") as visit:
        first = visit.page.locator("main .math math").first
        assert first.bounding_box()["height"] > 30, "a fraction is higher than a line"
        assert "\\frac" not in visit.page.inner_text("main")
        assert visit.page.locator("details.answer").count() >= 3
        visit.page.locator("details.answer summary").first.click()
        assert "grow for ever" in visit.page.inner_text("details.answer[open]")
