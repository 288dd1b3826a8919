"""Word boundaries of the core are those of Unicode (UAX #29)."""

from __future__ import annotations

import re
import sys
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import _core

# One or two characters of every Word_Break class, by a letter that stands for the class below.
# P and Q are pictographic as well, Q also a letter.
CLASSES = {
    "C": "\r",
    "L": "\n",
    "N": "\v\u2028",
    "E": "\u0301\ufe0f",
    "Z": "\u200d",
    "F": "\u00ad\u2060",
    "R": "🇦🇿",
    "K": "カー",
    "H": "אש",
    "A": "aж",
    "S": "'",
    "D": '"',
    "B": ".’",
    "M": ":·",
    "U": ",;",
    "9": "0٣",
    "X": "_‿",
    "W": " \u3000",
    "O": "!漢",
    "P": "❤👩",
    "Q": "Ⓜℹ",
}
CLASS_OF = {char: name for name, chars in CLASSES.items() for char in chars}

# UAX #29 line by line: (what ends here, what begins here, whether they stay together).
LETTER, SKIP = "[AQH]", "[EFZ]*"
RULES = [
    (re.compile(f"(?:{left.replace('~', SKIP)})\\Z"), re.compile(right.replace("~", SKIP)), joined)
    for left, right, joined in (
        ("C", "L", True),  # WB3
        ("[CLN]", "", False),  # WB3a
        ("", "[CLN]", False),  # WB3b
        ("Z", "[PQ]", True),  # WB3c
        ("W", "W", True),  # WB3d
        ("[^CLN]", "[EFZ]", True),  # WB4
        (f"{LETTER}~", LETTER, True),  # WB5
        (f"{LETTER}~", f"[MBS]~{LETTER}", True),  # WB6
        (f"{LETTER}~[MBS]~", LETTER, True),  # WB7
        ("H~", "S", True),  # WB7a
        ("H~", "D~H", True),  # WB7b
        ("H~D~", "H", True),  # WB7c
        ("9~", "9", True),  # WB8
        (f"{LETTER}~", "9", True),  # WB9
        ("9~", LETTER, True),  # WB10
        ("9~[UBS]~", "9", True),  # WB11
        ("9~", "[UBS]~9", True),  # WB12
        ("K~", "K", True),  # WB13
        ("[AQHK9X]~", "X", True),  # WB13a
        ("X~", "[AQHK9]", True),  # WB13b
        ("(?:^|[^REFZ])~(?:R~R~)*R~", "R", True),  # WB15, WB16
    )
]


def boundaries_by_the_rules(text: str) -> list[int]:
    classes = "".join(CLASS_OF[char] for char in text)

    def breaks(i: int) -> bool:
        for left, right, joined in RULES:
            if left.search(classes[:i]) and right.match(classes[i:]):
                return not joined
        return True

    inside = [i for i in range(1, len(text)) if breaks(i)]
    return [len(text[:i].encode()) for i in (*inside, len(text))] if text else []


@settings(max_examples=500)
@given(st.text(st.sampled_from(sorted(CLASS_OF)), max_size=9))
def test_word_boundaries_follow_the_rules_of_the_standard(text: str) -> None:
    assert _core.word_breaks(text) == boundaries_by_the_rules(text)


def test_word_boundaries_of_every_two_classes_follow_the_rules() -> None:
    for left in CLASS_OF:
        for right in CLASS_OF:
            for text in (left + right, "a" + left + right + "a", "0" + left + right + "0"):
                assert _core.word_breaks(text) == boundaries_by_the_rules(text)


@pytest.mark.parametrize(
    "pieces",
    [
        ["The", " ", "quick", " ", "(", '"', "brown", '"', ")", " ", "fox", " ", "can’t", " "],
        ["jump", " ", "32.3", " ", "feet", ",", " ", "right", "?"],
        ["3,456.789", ";", "x_1", " ", "U.S", ".", "  ", "e.g", ".", "\r\n", "\n"],
        ["👩‍👧‍👦", "🇩🇪", "🇫🇷", "🇺", " ", "❤️", "❤️"],
        ["カタカナ", "漢", "字", " ", "нет", "!", "naïve", " ", "nai\u0308ve"],
        ['צה"ל', " ", "ש'", " ", "'", "a", "'"],
    ],
)
def test_words_are_where_a_reader_expects_them(pieces: list[str]) -> None:
    ends = _core.word_breaks("".join(pieces))
    data = "".join(pieces).encode()
    assert [data[i:j].decode() for i, j in pairwise([0, *ends])] == pieces


def test_word_boundaries_agree_with_another_implementation() -> None:
    import uniseg.wordbreak as wordbreak

    every = (chr(code) for code in range(0, sys.maxunicode + 1, 31))
    chars = [c for c in every if unicodedata.category(c) not in ("Cn", "Cs")]
    text = "".join(c + "a" + c + "'0," + c for c in chars)
    expected = [text[i:j] for i, j in pairwise(wordbreak.word_boundaries(text))]
    data, ends = text.encode(), _core.word_breaks(text)
    assert [data[i:j].decode() for i, j in pairwise([0, *ends])] == expected
