"""The documentation is true: its Python blocks run, its links lead somewhere."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import linnet

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def _as_session(block: str) -> str:
    """Return a block as an interactive session; plain code becomes one without output."""
    if block.lstrip().startswith(">>>"):
        return block
    return f">>> exec({block!r}, globals())\n"


@each_page
def test_the_python_blocks_of_a_page_run_in_order(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    names: dict[str, object] = {"__name__": "__main__"}
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        session = _as_session(match.group(1))
        test = doctest.DocTestParser().get_doctest(session, names, page.name, str(page), line)
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=OPTIONS)
        result = runner.run(test, out=report.append, clear_globs=False)
        names = test.globs  # the parser works on a copy
        assert not result.failed, "".join(report)


@each_page
def test_the_links_of_a_page_lead_to_files_that_exist(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://", "mailto:")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_learner_has_a_page_named_like_the_module_it_is_exported_from() -> None:
    for name, module in linnet._HOME.items():
        if module.startswith("linnet.learn.") and hasattr(getattr(linnet, name), "fit"):
            page = ROOT / "docs" / f"{module.rpartition('.')[2]}.md"
            assert page.exists(), f"{name} has no page {page.name}"
