"""The report on tagged sentences for people."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from linnet.cli.shared.report import print_sequence_report, sequence_headline
from linnet.evaluate import SequenceReport, evaluate_sequences


def _printed(report: SequenceReport) -> str:
    out = io.StringIO()
    print_sequence_report(report, Console(file=out, width=120))
    return out.getvalue()


@pytest.mark.spec("M-122")
def test_chunks_are_printed_by_type_with_the_vocabulary_figures() -> None:
    report = evaluate_sequences(
        [["B-NP", "I-NP", "B-VP"]],
        [["B-NP", "I-NP", "O"]],
        words=[["the", "dog", "ran"]],
        known={"the", "dog"},
    )
    assert sequence_headline(report).startswith("chunk F1 66.67 (precision 100.00, recall 50.00)")
    text = _printed(report)
    assert "words not seen in training: 33.33 %, error on them 100.00 %" in text
    assert "2 chunks, 1 found, 1 of them right" in text
    assert "B-VP" in text  # taken for O


def test_tags_that_are_no_chunks_are_printed_as_tags() -> None:
    gold = [[f"T{number}" for number in range(60)]]
    text = _printed(evaluate_sequences(gold, gold))
    assert "token accuracy 100.00 %" in text
    assert "10 rarer tags: see --json" in text
    assert "chunk" not in text


def test_control_characters_of_a_tag_do_not_reach_the_terminal() -> None:
    report = evaluate_sequences([["\x1b[31mN", "V"]], [["V", "V"]])
    assert "\x1b[31m" not in _printed(report)
