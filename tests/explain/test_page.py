"""Explanations in a page and in a notebook: they sum up, name things, escape, and need nothing."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import linnet
from linnet.errors import DataError
from linnet.explain.page import page
from linnet.explain.rows import RowExplanation, render_row
from linnet.explain.text import Contribution, Explanation

PARTS = tuple(Contribution(f"f{k}", 1.0, w, w) for k, w in enumerate([2.0, -1.5, 0.5, 0.25, -0.1]))
SCORE = 0.3 + sum(part.contribution for part in PARTS)
EXPLANATION = Explanation("a film", "pos", "neg", SCORE, 0.8, 0.3, PARTS)
TAGGER = linnet.SequenceTagger(linnet.CRF()).fit(
    [["Ann", "ran"], ["Rome", "<b>"]] * 3, [["B-PER", "O"], ["B-LOC", "O"]] * 3
)
CRF = linnet.CRF(C=2.0).fit([[["a"], ["b"]]], [["A", "<b>"]])


class Balanced(HTMLParser):
    """Complains about an element that is not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("top", [0, 2, 5, 15])
def test_the_table_sums_to_the_score_however_many_features_it_shows(top: int) -> None:
    numbers = re.findall(r"<td>([+-][0-9.]+)</td><td class=\"axis\">", EXPLANATION.to_html(top))
    assert sum(map(float, numbers)) == pytest.approx(SCORE, abs=1e-4)
    assert f"<th>{SCORE:+.4f}</th>" in EXPLANATION.to_html(top)
    assert ("more features" in EXPLANATION.to_html(top)) == (top < len(PARTS))


def test_a_page_has_title_legend_bars_and_a_dark_scheme_and_loads_nothing() -> None:
    text = page("Why <pos>?", EXPLANATION.to_html())
    assert "<title>Why &lt;pos&gt;?</title>" in text
    assert "speaks for" in text and 'class="bar no"' in text
    assert "prefers-color-scheme:dark" in text
    assert "http" not in text.replace("http-equiv", "") and "src=" not in text
    Balanced(text)


def test_a_tagged_sentence_is_coloured_with_reasons_on_hover_and_wrong_tags_struck() -> None:
    found = TAGGER.explain([["Ann", "<b>"]][0])
    plain, judged = found.to_html(), found.to_html(gold=["B-PER", "B-LOC"])
    Balanced(plain)
    Balanced(judged)
    assert '<mark style="background:#' in plain and "&lt;b&gt;" in plain and "<b>" not in plain
    assert re.search(r'title="B-PER, \d+ %, not', plain)
    assert "<s>" not in plain and "<s>O</s> B-LOC" in judged and "1 of 2 tags are wrong" in judged
    with pytest.raises(DataError, match="2 words and 1 true tags"):
        found.to_html(gold=["O"])


def test_notebooks_get_every_explanation_model_comparison_and_tagger() -> None:
    texts, labels = ["good film", "bad film"] * 10, ["+", "-"] * 10
    clf = linnet.TextClassifier("maxent", C=1.0).fit(texts, labels)
    tree = linnet.RowClassifier("tree").fit([["a"], ["<b>"]] * 3, ["x", "y"] * 3)
    comparison = linnet.compare((texts, labels), "nb,maxent", seed=0)
    for shown in (
        EXPLANATION, TAGGER.explain(["Ann"]), tree.explain(["<b>"]), clf.model_, TAGGER.model_,
        TAGGER, linnet.CRF(C=2.0), CRF, comparison,
    ):  # fmt: skip
        text = shown._repr_html_()
        assert text.startswith("<") and "<b>" not in text
        Balanced(text)
    assert "2 tags" in CRF._repr_html_() and "optimality" in CRF._repr_html_()
    assert "<table>" not in linnet.CRF(C=2.0)._repr_html_()
    assert repr(clf.model_) == "<A classifier of texts: 2 labels, 5 features, by MaxEnt>"


def test_the_command_writes_pages_for_texts_rows_and_taggers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from typer.testing import CliRunner

    from linnet.cli.app import app

    monkeypatch.chdir(tmp_path)
    TAGGER.save("tagger.linnet")
    linnet.RowClassifier("tree").fit([["a"], ["b"]] * 3, ["x", "y"] * 3).save("tree.linnet")
    for model, example in (("tagger.linnet", "Ann ran"), ("tree.linnet", "a")):
        done = CliRunner().invoke(app, ["explain", model, example, "--html", f"{model}.html"])
        assert done.exit_code == 0, done.output
        Balanced(Path(f"{model}.html").read_text(encoding="utf-8"))


def test_the_lines_of_a_card_stand_under_each_other() -> None:
    lines = TAGGER.card().splitlines()[1:]
    starts = {re.match(r"(.*?\S)  +(?=\S)", line).end() for line in lines}  # type: ignore[union-attr]
    assert len(starts) == 1


def test_a_notebook_shows_gold_against_guess_where_tags_were_compared() -> None:
    sentences, tags = [["the", "dog"], ["a", "cat"]] * 3, [["D", "N"]] * 6
    tagger = linnet.SequenceTagger(linnet.CRF(max_iter=9)).fit(sentences, tags)
    assert "<s>" not in tagger.explain(["the", "cat"])._repr_html_()
    shown = tagger.explain(["the", "cat"], against=["D", "D"])._repr_html_()
    assert "<s>N</s> D" in shown and "1 of 2 tags are wrong" in shown


def test_the_repr_of_an_explanation_is_one_line_for_people() -> None:
    texts, labels = ["a good film", "a bad film"] * 9, ["pos", "neg"] * 9
    clf = linnet.TextClassifier(C=1.0).fit(texts, labels)
    shown = repr(clf.explain("a good " + "long " * 40 + "film"))
    assert shown.startswith("<'a good long") and "is 'pos' with probability" in shown
    assert "good +" in shown and len(shown) < 400
    tagger = linnet.SequenceTagger("hmm").fit([["the", "dog"]], [["D", "N"]])
    assert repr(tagger.explain(["the", "dog"])) == "<the/D dog/N>"
    tree = linnet.RowClassifier("tree").fit([["a"], ["b"]], ["x", "y"])
    assert repr(tree.explain(["a"])).startswith("<x0=a: x (probability 1.000; next y)")


def test_a_long_neighbour_has_room_in_its_cell_and_is_cut() -> None:
    long = "word " * 200
    explanation = RowExplanation(
        example="a", label="x", probability=0.9, runner_up="y", title="neighbours",
        headings=("distance", "example"), reasons=((0.5, "short"), (0.6, long)), note="",
    )  # fmt: skip
    html = explanation.to_html()
    assert "<td>short</td>" in html
    [said] = re.findall(r'<td class="said">(.*?)</td>', html)
    assert said.startswith("word word") and said.endswith("…") and len(said) == 300


def test_columns_of_words_stand_at_the_left_and_figures_at_the_right() -> None:
    explanation = RowExplanation(
        example="a", label="x", probability=0.9, runner_up="y", title="neighbours",
        headings=("distance", "label", "row"), reasons=((0.5, "x", 3), (0.6, "y", 4)), note="",
    )  # fmt: skip
    assert '<table class="left2">' in explanation.to_html()


@pytest.mark.parametrize("top", [1, 2, 15])
@pytest.mark.parametrize("first", [True, False], ids=["contribution first", "contribution last"])
def test_reasons_that_add_to_a_score_have_bars_and_the_sum_of_the_rest(
    top: int, first: bool
) -> None:
    reasons = (("a", 2.0), ("b", -1.0), ("c", 0.25))
    explanation = RowExplanation(
        example="a b c", label="x", probability=0.9, runner_up="y", title="what each adds",
        headings=("contribution", "feature") if first else ("feature", "contribution"),
        reasons=tuple((v, n) if first else (n, v) for n, v in reasons), note="they sum to 1.25",
    )  # fmt: skip
    text = explanation.to_html(top)
    numbers = re.findall(r'<td>([+-][0-9.]+)</td><td class="axis">', text)
    assert sum(map(float, numbers)) == 1.25
    assert (f"{3 - top} more" in text) == (top < 3)
    assert '<span class="bar no"' in text
    assert "<h1>Why x?</h1>" in text and "What each adds. They sum to 1.25." in text
    console = Console(record=True, width=80)
    render_row(explanation, console, top)
    printed = console.export_text()
    if not first and top < 3:
        last = next(line for line in printed.splitlines() if "more" in line)
        assert float(last.split()[-1]) == sum(value for _, value in reasons[top:])
