"""The label-bias experiment and the tagging table show what the docs say they show."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.data import make_rib_rob
from linnet.evaluate import known_word_error

ROOT = Path(__file__).resolve().parents[2]
MODULES = ("label_bias", "mixed_order", "tagging_table", "matrices")


@pytest.fixture(scope="module")
def scripts() -> Iterator[dict[str, Any]]:
    """Import the scripts as they import each other: by bare names, from their folder."""
    folder = str(ROOT / "benchmarks")
    sys.path.insert(0, folder)
    yield {name: importlib.import_module(name) for name in MODULES}
    sys.path.remove(folder)
    for name in MODULES:
        sys.modules.pop(name, None)


@pytest.mark.spec("M-120", "M-113", "M-118")
@pytest.mark.parametrize("seed", [0, 1])
def test_the_memm_cannot_tell_the_branches_and_the_crf_can(
    scripts: dict[str, Any], seed: int
) -> None:
    bias = scripts["label_bias"]
    errors = bias.bias_experiment(seed, 1000, 400)
    assert errors["CRF"][0] < 0.10
    assert errors["HMM"][0] < 0.10
    assert errors[bias.BOUND][0] > 0.25
    assert errors[bias.BOUND][1] > 0.4


@pytest.mark.spec("M-120")
def test_on_the_automaton_the_first_letter_alone_decides(scripts: dict[str, Any]) -> None:
    X, y = make_rib_rob(800, seed=5)
    memm = linnet.MEMM(states="per_state", **scripts["label_bias"].SOLVER).fit(X, y)
    guess = scripts["label_bias"].predict_on_automaton(memm, X)
    by_letter: dict[str, set[str]] = {}
    for word, states in zip(X, guess, strict=True):
        by_letter.setdefault(word[0][0], set()).add("".join(states))
    assert set(by_letter) == set("riob")
    assert all(len(found) == 1 for found in by_letter.values())


def test_errors_are_counted_by_label_and_by_word(scripts: dict[str, Any]) -> None:
    errors = scripts["label_bias"].label_errors
    assert errors([list("123"), list("453")], [list("123"), list("123")]) == (2 / 6, 1 / 2)


@pytest.mark.spec("M-121")
def test_spelling_features_are_the_start_the_hyphen_and_the_suffixes(
    scripts: dict[str, Any],
) -> None:
    spelling = scripts["tagging_table"].spelling
    assert spelling("dog") == []
    assert spelling("1990s") == ["digit", "-s"]
    assert spelling("Well-nations") == ["upper", "hyphen", "-s"]
    assert spelling("nation") == ["-ion", "-tion"]
    assert spelling("cities") == ["-s", "-ies"]


def test_halves_keep_every_sentence_once_and_a_share_keeps_fewer(scripts: dict[str, Any]) -> None:
    table = scripts["tagging_table"]
    words, tags = [[str(i)] for i in range(100)], [["T"]] * 100
    corpus = table.halves("made", words, tags)
    assert sorted(corpus.words + corpus.test_words) == sorted(words)
    assert len(corpus.words) == len(corpus.test_words) == 50
    assert len(table.halves("made", words, tags, share=0.1).words) == 5
    assert table.halves("made", words, tags, seed=1) != corpus


def made_corpus(table: Any) -> Any:
    """Names are capitalised, verbs end in -ed; half of them occur once."""
    rng = np.random.default_rng(0)
    words, tags = [], []
    for _ in range(300):
        name, verb, noun = rng.integers(0, 150, 3)
        words.append([f"N{name}x", f"v{verb}ed", "the", f"n{noun}x", "."])
        tags.append(["NAME", "VERB", "DET", "NOUN", "STOP"])
    return table.halves("made", words, tags)


@pytest.mark.spec("T-05", "M-121", "M-122")
def test_the_table_has_its_rows_and_its_errors_add_up(scripts: dict[str, Any]) -> None:
    table, said = scripts["tagging_table"], list[str]()
    corpus = made_corpus(table)
    rows = table.tagging_table(corpus, threads=1, say=said.append)
    assert [row.model for row in rows] == list(table.ROWS)
    assert len(said) == len(rows)
    for row in rows:
        assert 0 < row.oov_rate < 1
        derived = known_word_error(row.error, row.oov_error, row.oov_rate)
        assert derived == pytest.approx(row.known_error, abs=1e-12)
    shown = scripts["label_bias"].render_table(corpus, rows).splitlines()
    assert [line.split(" | ")[0] for line in shown[4:]] == [f"| {name}" for name in table.ROWS]
    assert len({line.count("|") for line in shown[2:]}) == 1


@pytest.mark.slow
@pytest.mark.spec("T-05", "W-22", "M-121", "A-60")
def test_on_parts_of_speech_the_crf_beats_the_memm_and_spelling_helps_unknown_words(
    scripts: dict[str, Any], data_dir: Callable[[str], Path]
) -> None:
    table = scripts["tagging_table"]
    corpus = table.read_corpus(data_dir("ud_en_ewt"), share=0.1)
    wanted = ("MEMM", "CRF", "MEMM+", "CRF+")
    rows = {row.model: row for row in table.tagging_table(corpus, wanted)}
    for plus in ("", "+"):
        assert rows[f"CRF{plus}"].error < rows[f"MEMM{plus}"].error
    for model in ("MEMM", "CRF"):
        assert rows[f"{model}+"].oov_error < 0.8 * rows[model].oov_error


def test_the_page_has_the_markers_and_only_what_is_between_them_is_replaced(
    scripts: dict[str, Any],
) -> None:
    bias = scripts["label_bias"]
    page = bias.PAGE.read_text(encoding="utf-8")
    for name in ("bias", "ud_en_ewt", "brown"):
        new = bias.put(page, name, "| new |")
        assert new.count("| new |") == 1
        assert bias.put(new, name, "| new |") == new
        assert new.split("## ")[0] == page.split("## ")[0]
    with pytest.raises(SystemExit, match="needs the markers"):
        bias.put("nothing", "bias", "text")


def test_the_rendered_experiment_has_a_row_for_each_model_and_the_optimum(
    scripts: dict[str, Any],
) -> None:
    bias = scripts["label_bias"]
    lines = bias.render_bias([{"CRF": (0.04, 0.06)}, {"CRF": (0.06, 0.1)}]).splitlines()
    assert lines[2:] == [
        "| CRF | 5.0 (4.0 – 6.0) | 8.0 | 4.6 |",
        "| best possible | 4.2 | 6.2 | |",
    ]


@pytest.mark.spec("E-11", "M-120")
def test_mixed_data_have_two_successors_and_three_symbols_and_leave_the_memm_behind(
    scripts: dict[str, Any],
) -> None:
    mixed = scripts["mixed_order"]
    for share in (0.0, 0.5, 1.0):
        words, tags = mixed.mixed_data(share, 200, seed=3)
        assert {len(row) for row in (*words, *tags)} == {25}
        after: dict[str, set[str]] = {}
        symbols: dict[str, set[str]] = {}
        for row, labels in zip(words, tags, strict=True):
            for one, two in pairwise(labels):
                after.setdefault(one, set()).add(two)
            for word, tag in zip(row, labels, strict=True):
                symbols.setdefault(tag, set()).add(word)
        assert max(map(len, after.values())) == 2
        assert max(map(len, symbols.values())) == 3
    errors = mixed.mixed_errors(0.5, seed=1, n=200)  # 1.5 against 7.7 %: no matter of rounding
    assert errors["CRF"] < errors["MEMM"]
    table = mixed.render_mixed({0.5: [errors]})
    assert "| 0.5 |" in table
    assert "1 of 1" in table
