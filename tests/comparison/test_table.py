"""The table of a comparison fits its terminal, and a notebook shows it as a table."""

from __future__ import annotations

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


def test_the_tables_fit_eighty_columns(found: Comparison, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, tables(found))) <= 80
    assert len([line for line in tables(found) if line.startswith("───")]) == 2


def test_a_wide_terminal_has_one_table_of_scores(
    found: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert len([line for line in tables(found) if line.startswith("───")]) == 1


def test_a_notebook_shows_a_table(found: Comparison) -> None:
    page = found._repr_html_()
    assert page.count("<tr>") == 1 + len(found.rows)
    assert found.verdict().split(":")[0] in page
