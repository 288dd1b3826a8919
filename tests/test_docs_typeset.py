"""What the documentation writes as LaTeX, as a session and as an item of the specification."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from tests.test_docs_site import algorithms

DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("typeset", DOCS / "typeset.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_formula_becomes_mathml_and_code_stays_as_it_is(hook: ModuleType) -> None:
    text = "so \\( x_{1} \\) and\n\n$$\n    y = \\frac{1}{2}\n$$\n\n`\\( not \\)`\n"
    marked, formulas = hook.typeset(text)
    assert len(formulas) == 2 and all("<math" in formula for formula in formulas)
    assert "<mfrac>" in formulas[0] and "<msub>" in formulas[1]
    assert "`\\( not \\)`" in marked and "frac" not in marked


def test_an_item_of_the_specification_becomes_a_link_once(hook: ModuleType) -> None:
    said = "counts (SPEC M-18), see [M-15](specification/models.md#m-15), `M-18` and M-9990"
    assert hook.linked(said, "specification/") == (
        "counts (SPEC [M-18](specification/models.md#m-18)), "
        "see [M-15](specification/models.md#m-15), `M-18` and M-9990"
    )


def test_a_session_is_coloured_as_one(hook: ModuleType) -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri="svm.md"))
    text = "```python\n>>> 1 + 1\n2\n```\n\n```python\nx = 1\n```\n"
    marked = hook.on_page_markdown(text, page=page)
    assert "```pycon\n>>> 1" in marked and "```python\nx" in marked


@pytest.mark.parametrize("page", algorithms())
def test_an_algorithm_says_what_comes_before_where_to_try_it_and_asks_back(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    assert re.search(r"^> \*\*Before this page:\*\* .+ \*\*Try it:\*\* .+\]\(", text, re.MULTILINE)
    assert "## Check yourself" in text
    assert text.count('<details class="answer"') == text.count("</details>") >= 1


def test_the_derivations_are_there_in_steps() -> None:
    for name, heading in {
        "maxent": "## The gradient, step by step",
        "svm": "## The dual, step by step",
        "perceptron": "## Why the mistakes are bounded",
        "hmm": "### Forward and backward, by hand",
    }.items():
        text = (DOCS / f"{name}.md").read_text(encoding="utf-8")
        section = text.partition(heading)[2].partition("\n## ")[0]
        assert section.count("$$") >= 2 and ">>> " in section, name
