"""Scores of tagged sentences."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data.tags import spans, split_tag
from linnet.errors import DataError
from linnet.evaluate import evaluate_sequences, known_word_error, wilson_interval

TAGS = [f"{mark}-{kind}" for mark in "BIES" for kind in "XY"] + ["O", "B-X", "I-X", "O"]

#: System, error, OOV error, and the derived error on known words (all in percent).
TABLE = [
    ("HMM", 5.69, 45.99, 3.367),
    ("MEMM", 6.37, 54.61, 3.589),
    ("CRF", 5.55, 48.05, 3.100),
    ("MEMM+", 4.81, 26.99, 3.532),
    ("CRF+", 4.27, 23.76, 3.147),
]


def conlleval(gold: list[list[str]], guess: list[list[str]]) -> tuple[int, int, int]:
    """Count gold, guessed and correct chunks token by token, as the shared tasks' scorer does."""

    def ends(before: tuple[str, str], now: tuple[str, str]) -> bool:
        (mark, kind), (mark_now, kind_now) = before, now
        pairs = {"BB", "BO", "IB", "IO", "BS", "IS"}
        return mark + mark_now in pairs or mark in "ES" or (mark != "O" and kind != kind_now)

    def starts(before: tuple[str, str], now: tuple[str, str]) -> bool:
        (mark, kind), (mark_now, kind_now) = before, now
        pairs = {"BB", "IB", "OB", "OI", "EE", "EI", "OE", "EB", "SE", "SI"}
        return (
            mark + mark_now in pairs or mark_now in "BS" or (mark_now != "O" and kind != kind_now)
        )

    n_gold = n_guessed = n_correct = 0
    for true, said in zip(gold, guess, strict=True):
        together = False
        before = (("O", ""), ("O", ""))
        for tags in [*zip(true, said, strict=True), ("O", "O")]:
            now = (split_tag(tags[0]), split_tag(tags[1]))
            over = [ends(before[side], now[side]) for side in (0, 1)]
            new = [starts(before[side], now[side]) for side in (0, 1)]
            if together and any(over):
                n_correct += all(over)
                together = False
            n_gold += new[0]
            n_guessed += new[1]
            if all(new) and now[0][1] == now[1][1]:
                together = True
            before = now
    return n_gold, n_guessed, n_correct


sentence_pairs = st.lists(
    st.lists(st.tuples(st.sampled_from(TAGS), st.sampled_from(TAGS)), max_size=8),
    min_size=1,
    max_size=5,
).filter(lambda corpus: any(corpus))


@pytest.mark.spec("M-122")
@settings(max_examples=300)
@given(corpus=sentence_pairs)
def test_chunk_counts_equal_the_scorers_token_by_token_count(
    corpus: list[list[tuple[str, str]]],
) -> None:
    gold = [[pair[0] for pair in row] for row in corpus]
    guess = [[pair[1] for pair in row] for row in corpus]
    report = evaluate_sequences(gold, guess)
    if report.chunks is None:
        assert {tag for row in gold + guess for tag in row} == {"O"}
        return
    found = report.chunks
    assert (found.gold, found.guessed, found.correct) == conlleval(gold, guess)
    pairs = list(zip(gold, guess, strict=True))
    assert found.correct == sum(len({*spans(a)} & {*spans(b)}) for a, b in pairs)
    types = list((report.chunk_types or {}).values())
    assert found.gold == sum(score.gold for score in types)
    assert found.correct == sum(score.correct for score in types)


@pytest.mark.spec("M-122")
def test_a_hand_counted_case() -> None:
    gold = [["B-NP", "I-NP", "B-VP", "O"], ["B-NP", "B-PP", "B-NP"]]
    guess = [["B-NP", "I-NP", "I-VP", "O"], ["B-NP", "I-NP", "B-NP"]]
    report = evaluate_sequences(gold, guess)
    assert report.chunks is not None
    assert report.chunk_types is not None
    # gold: NP VP NP PP NP; guessed: NP VP NP(2 tokens) NP; right: NP VP and the last NP
    assert (report.chunks.gold, report.chunks.guessed, report.chunks.correct) == (5, 4, 3)
    assert report.chunks.precision == 3 / 4
    assert report.chunks.recall == 3 / 5
    assert report.chunks.f1 == pytest.approx(2 * 0.75 * 0.6 / (0.75 + 0.6))
    assert report.chunk_types["VP"].f1 == 1.0
    assert report.chunk_types["PP"] == type(report.chunks)(0.0, 0.0, 0.0, 1, 0, 0)
    assert report.accuracy == 5 / 7
    assert report.interval == wilson_interval(5, 7)
    assert report.sentence_accuracy == 0.0
    assert report.confusions == (("B-PP", "I-NP", 1), ("B-VP", "I-VP", 1))
    assert report.tags["B-NP"].support == 3


@pytest.mark.spec("M-122")
@settings(max_examples=100)
@given(
    st.lists(
        st.tuples(st.sampled_from("NVD"), st.sampled_from("NVD"), st.sampled_from("abcde")),
        min_size=1,
        max_size=30,
    ),
    st.sets(st.sampled_from("abcde")),
)
def test_the_error_is_the_mix_of_the_errors_on_unknown_and_on_known_words(
    tokens: list[tuple[str, str, str]], known: set[str]
) -> None:
    gold, guess, words = ([list(row)] for row in zip(*tokens, strict=True))
    report = evaluate_sequences(gold, guess, words=words, known=known)
    part = report.vocabulary
    assert part is not None
    mixed = part.oov_rate * (part.oov_error or 0) + (1 - part.oov_rate) * (part.known_error or 0)
    assert report.error == pytest.approx(mixed, abs=1e-12)
    assert (part.oov_error is None) == (part.oov_tokens == 0)
    assert report.chunks is None
    if part.oov_rate < 1:
        derived = known_word_error(report.error, part.oov_error or 0.0, part.oov_rate)
        assert derived == pytest.approx(part.known_error, abs=1e-12)


@pytest.mark.spec("W-22")
@pytest.mark.parametrize(("name", "error", "oov_error", "known_error"), TABLE)
def test_the_lectures_table_implies_these_errors_on_known_words(
    name: str, error: float, oov_error: float, known_error: float
) -> None:
    assert known_word_error(error, oov_error, 0.0545) == pytest.approx(known_error, abs=5e-4)


@pytest.mark.spec("W-22")
def test_the_lectures_table_implies_these_cuts_of_the_error() -> None:
    rows = {name: (error, oov) for name, error, oov, _ in TABLE}

    def cut(before: float, after: float) -> float:
        return round(100 * (before - after) / before, 1)

    assert cut(rows["MEMM"][0], rows["CRF"][0]) == 12.9
    assert cut(rows["HMM"][0], rows["CRF"][0]) == 2.5
    assert cut(rows["MEMM"][0], rows["MEMM+"][0]) == 24.5
    assert cut(rows["CRF"][0], rows["CRF+"][0]) == 23.1
    assert cut(rows["MEMM"][1], rows["MEMM+"][1]) == cut(rows["CRF"][1], rows["CRF+"][1]) == 50.6


def test_sentences_of_no_tokens_count_as_sentences_without_a_mistake() -> None:
    report = evaluate_sequences([[], ["B-X"], []], [[], ["O"], []])
    assert (report.n_sentences, report.n_tokens) == (3, 1)
    assert report.sentence_accuracy == pytest.approx(2 / 3)


def test_a_chunk_does_not_go_on_into_the_next_sentence() -> None:
    report = evaluate_sequences([["B-X"], ["I-X"]], [["B-X"], ["I-X"]])
    assert report.chunks is not None
    assert report.chunks.gold == 2


def test_the_report_turns_into_json() -> None:
    report = evaluate_sequences([["B-X", "O"]], [["B-X", "B-X"]], words=[["a", "b"]], known={"a"})
    plain = json.loads(json.dumps(report.to_dict()))
    assert plain["chunks"]["correct"] == 1
    assert plain["vocabulary"]["oov_error"] == 1.0
    assert "chunks" not in evaluate_sequences([["N"]], [["N"]]).to_dict()


@pytest.mark.parametrize(
    ("gold", "guess", "message"),
    [
        ([["O"]], [], "1 sentences of true tags and 0"),
        ([["O"], ["O"]], [["O"], ["O", "O"]], "sentence 1 has 1 true tags and 2"),
        ([[]], [[]], "nothing to evaluate"),
        ([], [], "nothing to evaluate"),
    ],
)
def test_tags_that_do_not_pair_up_are_refused(
    gold: list[list[str]], guess: list[list[str]], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        evaluate_sequences(gold, guess)


def test_known_words_need_the_words() -> None:
    with pytest.raises(DataError, match="pass `words`"):
        evaluate_sequences([["O"]], [["O"]], known={"a"})
    with pytest.raises(DataError, match="sentence 0 has 1 true tags and 2 words"):
        evaluate_sequences([["O"]], [["O"]], words=[["a", "b"]], known={"a"})
    with pytest.raises(DataError, match="below 1"):
        known_word_error(0.1, 0.1, 1.0)
