"""Explanations of texts: sums, words, and what a terminal and a page show."""

from __future__ import annotations

import io
import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from linnet.explain import Contribution, Explanation, render


def explanation(text: str, parts: list[Contribution], intercept: float = 0.5) -> Explanation:
    ranked = tuple(sorted(parts, key=lambda part: -abs(part.contribution)))
    score = intercept + sum(part.contribution for part in ranked)
    return Explanation(text, "neg", "pos", score, 0.75, intercept, ranked)


DULL = explanation(
    "a dull film, a kind friend",
    [
        Contribution("dull", 1.0, 1.5, 1.5, ((2, 6),)),
        Contribution("dull film", 0.5, 1.0, 0.5, ((2, 11),)),
        Contribution("kind", 1.0, -2.0, -2.0, ((15, 19),)),
        Contribution("a", 2.0, 0.1, 0.2, ((0, 1), (13, 14))),
    ],
)


def shown(found: Explanation, **options: object) -> str:
    out = io.StringIO()
    render(found, Console(file=out, width=100, **options))
    return out.getvalue()


def test_what_overlapping_features_give_to_a_word_adds_up() -> None:
    words = {word.start: word for word in DULL.words()}
    assert words[2].text == "dull"
    assert words[2].contribution == pytest.approx(1.5 + 0.5 * 4 / 8)
    assert words[7].contribution == pytest.approx(0.5 * 4 / 8)
    assert words[0].contribution == words[13].contribution == pytest.approx(0.1)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_words_and_intercept_sum_to_the_score(data: st.DataObject) -> None:
    text = data.draw(st.text(alphabet="ab é𝄞\n", min_size=1, max_size=30))
    dark = [i for i, c in enumerate(text) if not c.isspace()]
    parts = []
    for _ in range(data.draw(st.integers(0, 5)) if dark else 0):
        start = data.draw(st.sampled_from(dark))
        end = data.draw(st.integers(start + 1, len(text)))
        weight = data.draw(st.floats(-3, 3))
        parts.append(Contribution("f", 1.0, weight, weight, ((start, end),)))
    found = explanation(text, parts)
    total = sum(word.contribution for word in found.words()) + found.intercept
    assert total == pytest.approx(found.score, abs=1e-6)
    assert [text[word.start : word.end] for word in found.words()] == text.split()


def test_the_dictionary_is_json_and_can_be_cut() -> None:
    plain = json.loads(json.dumps(DULL.to_dict(top=2)))
    assert [part["feature"] for part in plain["contributions"]] == ["kind", "dull"]
    assert plain["contributions"][1]["spans"] == [[2, 6]]
    full = DULL.to_dict()
    total = full["intercept"] + sum(part["contribution"] for part in full["contributions"])
    assert total == pytest.approx(full["score"])


def test_labels_of_numpy_become_plain() -> None:
    found = Explanation("x", np.int64(3), np.int64(4), 0.0, 0.5, 0.0, ())
    assert json.dumps(found.to_dict()["label"]) == "3"


def test_a_pipe_gets_plain_text_and_numbers() -> None:
    answer = shown(DULL)
    assert "\x1b" not in answer
    assert "a dull film, a kind friend" in answer
    assert re.search(r"kind +1 +-2\.0000 +-2\.0000", answer)
    assert re.search(r"score +\+0\.7000", answer)


def test_a_terminal_gets_words_for_the_label_green_and_others_red_and_underlined() -> None:
    answer = shown(DULL, force_terminal=True, color_system="truecolor")
    dull = re.search(r"\x1b\[([\d;]+)mdull", answer)
    kind = re.search(r"\x1b\[([\d;]+)mkind", answer)
    assert dull and kind
    assert "48;2;" in dull.group(1) and "48;2;255;" in kind.group(1)
    assert kind.group(1).startswith("4;") and not dull.group(1).startswith("4;")


def test_the_table_says_what_it_leaves_out() -> None:
    out = io.StringIO()
    render(DULL, Console(file=out, width=100), top=1)
    assert re.search(r"3 more features +\+2\.2000", out.getvalue())


def test_text_cannot_steer_the_terminal() -> None:
    hostile = "\x1b[2Jclear [bold]me[/bold] \x9b31m"
    found = explanation(hostile, [Contribution("\x1b]0;title\x07", 1.0, 1.0, 1.0, ((4, 9),))])
    answer = shown(found)
    assert "\x1b" not in answer and "\x9b" not in answer and "\x07" not in answer
    assert "[bold]me[/bold]" in answer, "markup is text"


def test_the_page_escapes_everything() -> None:
    found = explanation("<script>alert(1)</script> & co", [Contribution("<b>", 1, 1, 1, ((0, 8),))])
    page = found.to_html()
    assert "<script" not in page and "<b>" not in page
    assert "&lt;script&gt;" in page and "&amp; co" in page


def luminance(colour: str) -> float:
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=6))
@settings(max_examples=40, deadline=None)
def test_every_coloured_word_keeps_a_contrast_above_seven(weights: list[float]) -> None:
    parts = [
        Contribution("w", 1.0, weight, weight, ((2 * i, 2 * i + 1),))
        for i, weight in enumerate(weights)
    ]
    page = explanation("x " * len(weights), parts).to_html()
    ink = luminance("#111111")
    for ground in re.findall(r"background:(#[0-9a-f]{6})", page):
        assert (luminance(ground) + 0.05) / (ink + 0.05) > 7


def test_a_text_without_known_words_is_explained_by_the_intercept() -> None:
    found = Explanation("", "a", None, 0.25, 0.56, 0.25, ())
    assert found.words() == []
    assert "intercept" in shown(found)
    assert "; next" not in shown(found)
    assert found.to_html().count("<tr>") == 3
