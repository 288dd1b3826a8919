"""The specification is complete: every id that code, tests and pages name leads to one item."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "specification"
ANCHOR = re.compile(r'^<a id="([a-z]-\d+)"></a>\*\*([A-Z]-\d+)\b', re.MULTILINE)
ITEM = re.compile(r"\b[ACDEFMPRTWX]-\d{2,3}\b")
LINKED = re.compile(r"\[([A-Z]-\d+)\]\(([^)\s]+)\)")


def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "build_spec_coverage", ROOT / "docs" / "build_spec_coverage.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def written() -> list[Path]:
    """Return the files in which items may be named."""
    kinds = {"src": "*.py", "tests": "*.py", "benchmarks": "*.py", "docs": "*.md", "core": "*.?pp"}
    return [file for folder, kind in kinds.items() for file in (ROOT / folder).rglob(kind)]


def test_each_item_has_one_anchor_on_the_page_of_its_letter() -> None:
    build = builder()
    anchors = Counter[str]()
    for letter, name in build.PAGES.items():
        for anchor, item in ANCHOR.findall(text_of(PAGES / f"{name}.md")):
            assert anchor == item.lower() and item[0] == letter
            anchors[item] += 1
    assert len(anchors) == 366
    assert anchors == Counter(build.every_item())
    stray = [page.name for page in PAGES.glob("*.md") if page.stem not in build.PAGES.values()]
    assert stray == ["index.md"] and "<a id" not in text_of(PAGES / "index.md")


def test_the_first_page_counts_the_items_as_they_are() -> None:
    rows = re.findall(
        r"^\| ([A-Z]) \| (\d+) \| \[.+\]\((\w+)\.md\) \|$", text_of(PAGES / "index.md"), re.M
    )
    build = builder()
    assert {letter: int(count) for letter, count, _ in rows} == build.COUNTS
    assert {letter: page for letter, _, page in rows} == build.PAGES


def test_every_item_that_is_named_anywhere_exists() -> None:
    known = set(builder().every_item())
    for file in written():
        unknown = set(ITEM.findall(text_of(file))) - known
        assert not unknown, f"{file.relative_to(ROOT)} names {sorted(unknown)}"


def test_the_link_of_an_item_leads_to_that_item() -> None:
    build, seen = builder(), 0
    for page in (ROOT / "docs").rglob("*.md"):
        for item, target in LINKED.findall(text_of(page)):
            name, _, anchor = target.partition("#")
            assert anchor == item.lower(), f"{page.name}: {item} leads to {target}"
            assert (page.parent / name).resolve() == PAGES / f"{build.PAGES[item[0]]}.md"
            seen += 1
    assert seen > 366
