"""The site of the documentation: complete pages in lecture order, no link that leads nowhere."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import unicodedata
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from linnet import reference

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
WRITTEN = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted(DOCS.rglob("*.md")),
]
FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
IMAGE = re.compile(r"""<(?:img|a)\s[^>]*(?:src|href)=["']([^"']+)["']""")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
NAV = re.compile(r"^ {2,}- .+: ([\w/]+\.md)$", re.MULTILINE)
SECTION = re.compile(r"^  - (.+):$", re.MULTILINE)
MATHS = re.compile(r"^ {4}(?=\S).*(?:=|argmax|min|←|\\leftarrow).*$", re.MULTILINE)

each_file = pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.stem)


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def slug(heading: str) -> str:
    """Return the anchor that mkdocs gives a heading: ASCII letters, digits and dashes."""
    shown = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    plain = unicodedata.normalize("NFKD", shown).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


@cache
def anchors(page: Path) -> set[str]:
    text = FENCED.sub("", text_of(page))
    named = re.findall(r"""\sid=["']([^"']+)["']""", text)
    return {slug(heading) for heading in HEADING.findall(text)} | set(named)


@cache
def pictures() -> frozenset[str]:
    """Return the files that docs/build_plots.py writes, by the names of its functions."""
    sources = "".join(text_of(DOCS / f"{part}.py") for part in ("build_plots", "course_plots"))
    sources += text_of(DOCS / "sketches.py") + text_of(DOCS / "growth_plots.py")
    return frozenset(f"plots/{name}.svg" for name in re.findall(r"^def (\w+)\(\)", sources, re.M))


def broken(page: Path) -> list[str]:
    """Return the links of a page that lead nowhere."""
    text = CODE.sub("", FENCED.sub("", text_of(page)))
    lost = []
    for target in (*LINK.findall(text), *IMAGE.findall(text)):
        if re.match(r"[a-z]+:", target) or target in pictures():
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            lost.append(target)
    return lost


@each_file
def test_links_and_anchors_lead_to_something(page: Path) -> None:
    assert broken(page) == []


def test_a_lost_file_a_lost_anchor_and_a_lost_picture_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A title, with `code`\n[a](#a-title-with-code) [b](#b) [c](c.md) `[d](d.md)`\n\n"
        '<img src="plots/losses.svg"> <img src="plots/nothing.svg">\n\n```\n[e](e.md)\n```\n',
        encoding="utf-8",
    )
    assert broken(page) == ["#b", "c.md", "plots/nothing.svg"]


def algorithms() -> list[str]:
    """Return the pages of the first three sections of the site: one for each algorithm."""
    config = text_of(ROOT / "mkdocs.yml")
    start, *_, end = (match.start() for match in list(SECTION.finditer(config))[:4])
    return NAV.findall(config[start:end])


def test_the_site_lists_every_page_and_the_algorithms_in_lecture_order() -> None:
    listed = NAV.findall(text_of(ROOT / "mkdocs.yml"))
    assert sorted(listed) == sorted(
        page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")
    )
    order = re.findall(r"\(([a-z_]+\.md)\)", text_of(DOCS / "index.md"))
    assert [page for page in order if page in algorithms()] == algorithms()
    assert algorithms()[:2] == ["naive_bayes.md", "gaussian_naive_bayes.md"]
    assert algorithms()[-2:] == ["crf.md", "label_bias.md"]


@pytest.mark.parametrize("page", algorithms())
def test_a_page_has_the_mathematics_a_plot_the_reference_and_the_fast_call(page: str) -> None:
    text = text_of(DOCS / page)
    prose = FENCED.sub("", text)
    assert MATHS.search(prose), "no formula"
    assert 'src="plots/' in prose, "no picture"
    assert re.search(r"^>>> .*linnet", text, re.MULTILINE), "no call"
    assert "## Reference code" in prose
    assert load("show_reference").modules_of(text), "no reference code"


def test_the_site_shows_the_source_of_every_module_of_the_reference() -> None:
    hook = load("show_reference")
    shown = set()
    for page in DOCS.glob("*.md"):
        text = text_of(page)
        shown |= set(hook.modules_of(text))
        assert not hook.PLACE.search(hook.on_page_markdown(text)), page.name
    assert shown == set(reference.__all__)
    page = hook.on_page_markdown("before\n\n<!-- reference: local -->\n\nafter\n")
    assert page.startswith("before\n") and page.endswith("\nafter\n")
    assert "linnet.reference.local" in page and "def tag(X: FloatArray" in page
    assert "history &gt;= 0" in page or "h &gt;= 0" in page  # escaped for HTML


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(tmp_path)]
    result = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )
    assert result.returncode == 0, result.stderr
    page = (tmp_path / "local.html").read_text(encoding="utf-8")
    assert "def tag(X: FloatArray" in page
    for built in tmp_path.glob("*.html"):
        said = re.sub(
            r"<(pre|code)\b.*?</\1>", "", built.read_text(encoding="utf-8"), flags=re.DOTALL
        )
        assert not re.search(r"\\[a-z]+[{ _^]|^\$\$$", said, re.MULTILINE), f"LaTeX in {built.name}"
