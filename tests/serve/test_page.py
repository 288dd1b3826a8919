"""The page to try the models, in a real browser: it works, loads nothing from elsewhere, axe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.browsing import Visit

HOSTILE = "a wonderful <img src=x onerror='window.hacked = 1'> \U0001f600 dull film"


class Page(Visit):
    """The page of a service."""

    def ask(self, model: str, example: str, *, why: bool = False) -> str:
        self.page.select_option("#model", model)
        self.page.fill("#example", example)
        self.page.evaluate("document.getElementById('answer').replaceChildren()")
        self.page.click("#why" if why else "button.main")
        self.page.wait_for_selector("#answer > *")
        return str(self.page.inner_text("#answer"))


def test_the_page_may_run_its_own_script_only(everything: Any) -> None:
    reply = everything.get("/")
    policy = reply.headers["content-security-policy"]
    assert reply.status == 200 and "default-src 'none'" in policy
    assert policy.count("'sha256-") == 2 and "unsafe" not in policy
    assert b"http://" not in reply.body and b"https://" not in reply.body


class TestInABrowser:
    pytestmark = pytest.mark.slow

    def test_every_kind_of_model_answers_and_explains(self, chromium: Any, everything: Any) -> None:
        with Page(chromium, everything.url) as visit:
            assert "pos" in visit.ask("reviews", HOSTILE)
            shown = visit.ask("reviews", HOSTILE, why=True)
            assert "wonderful" in shown and "<img" in shown
            assert "LOC" in visit.ask("names", "\U0001f600 Bob left New York")
            assert visit.page.inner_text("mark >> nth=-1").startswith("New York")
            assert "Bob" in visit.ask("names", "Bob left", why=True)
            assert "yes" in visit.ask("weather", '{"outlook": "sunny", "degrees": 20}')
            assert "neighbours" in visit.ask("weather", '["sunny", 20]', why=True)
            assert "must be written as JSON" in visit.ask("weather", "sunny")
            assert visit.page.evaluate("window.hacked") is None
            assert visit.errors == []
            assert all(url.startswith(everything.url) for url in visit.requests)

    def test_it_asks_for_the_token(
        self, chromium: Any, start: Callable[..., Any], models: dict[str, str]
    ) -> None:
        with (
            start({"reviews": models["reviews"]}, token="sesame") as running,
            Page(chromium, running.url) as visit,
        ):
            visit.page.wait_for_selector("#token:visible")
            visit.page.fill("#token", "sesame")
            visit.page.press("#token", "Tab")
            visit.page.wait_for_selector("#model option", state="attached")
            assert "pos" in visit.ask("reviews", "a wonderful film")

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    @pytest.mark.parametrize("width", [360, 1000])
    def test_it_is_readable(
        self, chromium: Any, everything: Any, scheme: str, width: int, tmp_path: Any
    ) -> None:
        with Page(
            chromium, everything.url, width=width, color_scheme=scheme, bypass_csp=True
        ) as visit:
            visit.ask("reviews", HOSTILE, why=True)
            visit.shoot(tmp_path / "why.png")
            assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
            assert visit.violations() == []
