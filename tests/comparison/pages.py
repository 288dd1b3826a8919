"""A page of HTML as its tests read it."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

EMPTY = {"br", "meta"}


class Page(HTMLParser):
    """The elements of a page; a page that is not well nested is refused."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.scripts: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            self.scripts.append(data)
        else:
            self.words.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [own for name, own in self.elements if name == tag]

    def of_class(self, name: str) -> list[dict[str, str | None]]:
        return [own for _, own in self.elements if name in (own.get("class") or "").split()]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    @property
    def data(self) -> Any:
        return json.loads(next(part for part in self.scripts if part.startswith('{"texts"')))
