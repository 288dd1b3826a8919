"""A page in a real browser, with what it said and what it asked for: for every test of a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["WIDTHS", "Visit"]

WIDTHS = (360, 768, 1280, 1920)


class Visit:
    """A page, its errors and its requests.

    Parameters
    ----------
    chromium : the browser of the fixture
    url : str
    ready : str, optional
        The selector of what is there once the page has drawn itself.
    width : int, default=1280
    options
        Of playwright's ``new_context``: color_scheme, offline, bypass_csp and so on.
    """

    def __init__(
        self, chromium: Any, url: str, ready: str | None = None, width: int = 1280, **options: Any
    ) -> None:
        size = {"width": width, "height": 900}
        self.context = chromium.new_context(viewport=size, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(30_000)
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.errors.append(message.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(url)
        if ready is not None:
            self.page.wait_for_selector(ready)

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def asks_only(self, *beginnings: str) -> bool:
        """Tell whether every request went to one of these places, or to none (data, blob)."""
        return all(url.startswith((*beginnings, "data:", "blob:")) for url in self.requests)

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than the window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))

    def violations(self) -> list[tuple[str, str, str]]:
        """Return what axe finds, with where it stands first."""
        from axe_playwright_python.sync_playwright import Axe

        listed = Axe().run(self.page).response["violations"]
        return [(one["id"], one["help"], one["nodes"][0]["html"][:200]) for one in listed]

    def shoot(self, path: Path) -> None:
        """Keep a picture of the whole page."""
        self.page.screenshot(path=path, full_page=True)
