"""What the documentation writes as LaTeX, as a session and as an item of the specification."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from tests.test_docs_site import algorithms

DOCS = Path(__file__).resolve().parent.parent / "docs"


def load_hook(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    return load_hook("typeset")


def test_a_formula_becomes_mathml_and_code_stays_as_it_is(hook: ModuleType) -> None:
    text = "so \\( x_{1} \\) and\n\n$$\n    y = \\frac{1}{2}\n$$\n\n`\\( not \\)`\n"
    marked, formulas = hook.typeset(text)
    assert len(formulas) == 2 and all("<math" in formula for formula in formulas)
    assert "<mfrac>" in formulas[0] and "<msub>" in formulas[1]
    assert "`\\( not \\)`" in marked and "frac" not in marked


def test_names_of_functions_have_room_around_them(hook: ModuleType) -> None:
    _, [formula] = hook.typeset("\\( p_{i} \\log_{2} p_{i} + \\exp(x) \\)")
    room = hook.SPACE
    assert f"</msub>{room}<msub><mi>log</mi>" in formula and f"</msub>{room}<msub><mi>p" in formula
    assert '<mi>exp</mi><mo stretchy="false">' in formula and formula.count(room) == 2


def test_what_follows_indented_lines_is_no_code(hook: ModuleType) -> None:
    marked, formulas = hook.typeset("so\n\n    x = \\( 1 \\)\n\nand \\( x_{1} \\)\n")
    assert len(formulas) == 1 and "x = \\( 1 \\)" in marked and "x_{1}" not in marked


def test_reference_code_is_shown_as_it_is(hook: ModuleType) -> None:
    block = "<details class='reference'><pre>M-18\n\nM-15</pre>\n</details>"
    assert hook.linked(f"{block}\nM-18", "") == f"{block}\n[M-18](models.md#m-18)"


def test_an_item_of_the_specification_becomes_a_link_once(hook: ModuleType) -> None:
    said = "counts (SPEC M-18), see [M-15](specification/models.md#m-15), `M-18` and M-9990"
    assert hook.linked(said, "specification/") == (
        "counts (SPEC [M-18](specification/models.md#m-18)), "
        "see [M-15](specification/models.md#m-15), `M-18` and M-9990"
    )


def test_plain_letters_of_a_formula_get_their_index(hook: ModuleType) -> None:
    said = (
        "w_j², Σ_k (n_k / n), P(t_{i−2}), Σ⁻¹μ_kᵀ, d^β, argmax_i g_i(x) and "
        "df_j; `w_j`, n_threads, [a](a_b.md), <i id='a_b'>"
    )
    assert hook.indexed(said) == (
        "w<sub>j</sub>², Σ<sub>k</sub> (n<sub>k</sub> / n), P(t<sub>i−2</sub>), "
        "Σ⁻¹μ<sub>k</sub>ᵀ, d<sup>β</sup>, argmax<sub>i</sub> g<sub>i</sub>(x) and "
        "df<sub>j</sub>; `w_j`, n_threads, [a](a_b.md), <i id='a_b'>"
    )


def test_no_command_is_left_in_a_formula(hook: ModuleType) -> None:
    for page in DOCS.glob("*.md"):
        _, formulas = hook.typeset(page.read_text(encoding="utf-8"))
        assert not [formula for formula in formulas if "\\" in formula], page.name


def test_the_heads_of_reference_code_have_no_item_without_a_link() -> None:
    reference = load_hook("show_reference")
    for page in DOCS.glob("*.md"):
        for module in reference.modules_of(page.read_text(encoding="utf-8")):
            summary = reference.block(module).partition("</summary>")[0]
            assert not re.search(r"\b[A-Z]-\d\d", summary), module


def test_a_plot_gets_what_it_shows_as_its_caption(hook: ModuleType) -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri="svm.md"))
    text = hook.on_page_markdown('so:\n\n<img src="plots/x.svg" alt="A line">\n', page=page)
    assert '<img src="plots/x.svg" alt="A line"' in text
    assert "<figcaption>A line.</figcaption></figure>" in text


def test_a_plot_has_its_place_before_it_arrives(
    hook: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook, "DOCS", tmp_path)
    (tmp_path / "plots").mkdir()
    (tmp_path / "plots" / "x.svg").write_text('<svg width="300pt" height="150.6pt"></svg>')
    text = hook.captioned('<img src="plots/x.svg" alt="A line">')
    assert 'width="413" height="214" loading="lazy"' in text  # 4/3 of a point, 0.8 rem around


def test_lines_do_not_end_within_an_option_an_item_or_before_a_percentage(
    hook: ModuleType,
) -> None:
    page = SimpleNamespace(formulas=[])
    text = '<p>94 % of <code>--max-df 5</code> (<a href="m.html#m-53">M-53</a>)</p>'
    content = hook.on_page_content(text, page=page)
    assert "94\u00a0%" in content
    assert '<span class="whole">--max-df</span> 5</code>' in content
    assert '"><span class="whole">M-53</span></a>' in content
    block = "<pre><code>linnet train reviews.csv --learner nb\n</code></pre>"
    assert hook.on_page_content(block, page=page) == block  # blocks are copied as they stand


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


def test_no_formula_is_left_as_plain_text(hook: ModuleType) -> None:
    for page in DOCS.glob("*.md"):
        text = hook.DISPLAY.sub("", page.read_text(encoding="utf-8"))
        outside = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL)
        indented = re.findall(r"^    \S.*$", outside, re.MULTILINE)
        assert not [line for line in indented if re.search("[Σ∏Π∇½←‖ᵀλη]", line)], page.name


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


def test_cells_that_are_read_are_told_from_names_and_numbers(hook: ModuleType) -> None:
    row = "<tr><td><code>src/linnet/learn/x.py</code></td><td>new: its <i>reference</i></td>"
    table = hook.scrolling(f"<table>{row}<td>0.95</td></tr></table>")
    assert table.count('<td class="prose">') == 1
    assert '<td class="prose"><code>src/linnet' in table and "<td>0.95</td>" in table


def test_a_table_of_many_columns_gets_smaller_letters(hook: ModuleType) -> None:
    five, six = (f"<table><thead>{n * '<th>a</th>'}</thead></table>" for n in (5, 6))
    assert "<table>" in hook.scrolling(five) and '<table class="many">' in hook.scrolling(six)
