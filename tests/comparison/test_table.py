"""The table of a comparison fits its terminal, and a notebook shows it as a table."""

from __future__ import annotations

from itertools import pairwise

import pytest

import linnet
from linnet.comparison.result import Comparison

WORDS, TAGS = [["the", "dog", "ran"], ["a", "cat", "sat"]] * 8, [["D", "N", "V"]] * 16


@pytest.fixture(scope="module", params=["texts", "rows", "sentences"])
def found(request: pytest.FixtureRequest) -> Comparison:
    if request.param == "texts":
        data = (["good film", "bad film"] * 20, ["pos", "neg"] * 20)
        return linnet.compare(data, "nb, svm", curve=[0.5, 1.0])
    if request.param == "rows":
        rows = [["red", 1.5], ["blue", 2.0]] * 20
        return linnet.compare((rows, ["a", "b"] * 20), "memory, tree")
    return linnet.compare((WORDS, TAGS), "hmm, perceptron")


def tables(found: Comparison) -> list[str]:
    """Return the lines that begin with a learner or a heading, or rule a table."""
    starts = ("learner", "───", *(row.name for row in found.rows))
    lines = str(found).split("\n")
    return [line for line in lines if line.startswith(starts) and not line.endswith(".")]


def of_scores(lines: list[str]) -> list[str]:
    """Return the headings of the tables of scores, which has two groups of columns."""
    return [
        line for line in lines if line.startswith("learner") and {"%", "train"} & set(line.split())
    ]


def test_the_tables_fit_eighty_columns(found: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, tables(found))) <= 80
    assert len(of_scores(tables(found))) == 2


def test_every_table_has_a_rule_below_its_headings(found: Comparison) -> None:
    lines = tables(found)
    below = [after for line, after in pairwise(lines) if line.startswith("learner")]
    assert len(below) > 2 and all(line.startswith("───") for line in below)


def test_a_wide_terminal_has_one_table_of_scores(
    found: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert len(of_scores(tables(found))) == 1


def test_a_notebook_shows_a_table(found: Comparison) -> None:
    page = found._repr_html_()
    assert 'overflow-x:auto"><table>' in page  # wider than a telephone, so it scrolls by itself
    assert page.count("<tr>") == 1 + len(found.rows)
    assert found.verdict().split(":")[0] in page
