"""Characters in the core agree with Python's: properties, case, accents, UTF-8, markup."""

from __future__ import annotations

import html
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import strip_accents_ascii, strip_accents_unicode

from linnet import _core

SAME_VERSION = _core.unicode_version == unicodedata.unidata_version


def known(char: str) -> bool:
    """Whether the tables and the running Python must agree on a character."""
    category = unicodedata.category(char)
    if category == "Cs":
        return False
    # Another version of Unicode: take what has been there, and the same, for a long time.
    return SAME_VERSION or category == unicodedata.ucd_3_2_0.category(char) != "Cn"


KNOWN = [char for char in map(chr, range(sys.maxunicode + 1)) if known(char)]


def normalise(text: str | bytes, **steps: object) -> str:
    return _core.normalise(text, **steps)[0].decode("utf-8")


def lines_of_all_characters() -> Iterator[str]:
    """Every character on a line of its own, some thousand lines at a time."""
    for i in range(0, len(KNOWN), 4096):
        yield "\n".join(KNOWN[i : i + 4096])


# Characters that the rules about context and expansion are made of, and any other.
PECULIAR = "aAΣΣσ'.:\u00ad\u0301\u0345ʰİßẞﬁﷺ각가Ⅷ①²٣７é<>&;# 1B\0"
texts = st.text(st.sampled_from(PECULIAR) | st.characters().filter(known), max_size=20)

PIECES = (
    *(b"\xe2\x82 \xf0\x9f \xf0\x9f\x98 \xed\xa0\x80 \xf4\x90\x80\x80 \xe0\x80 \xc0\xaf".split()),
    *(bytes([byte]) for byte in b"\x00aA\x80\xbf\xc2\xe0\xef\xf0\xf5\xff"),
    *("Σ é 日 😀 \ufffd".encode().split()),
    b"a long stretch of ASCII, longer than one step of the fast path",
)
dirty = st.lists(st.sampled_from(PIECES) | st.binary(max_size=3), max_size=10).map(b"".join)


def test_properties_of_every_character_are_those_of_python() -> None:
    def expected(char: str) -> int:
        cased = (char + "Σ").lower().endswith("ς")
        ignorable = not cased and ("A" + char + "Σ").lower().endswith("ς")
        return (
            1 * (re.match(r"\w", char) is not None)
            + 2 * (re.match(r"\s", char) is not None)
            + 4 * cased
            + 8 * ignorable
            + 16 * char.isdecimal()
            + 32 * (unicodedata.combining(char) != 0)
            + 64 * (unicodedata.category(char)[0] in "PS")
        )

    wrong = [c for c in KNOWN if _core.unicode_properties(ord(c)) != expected(c)]
    assert wrong == []


def test_a_number_that_is_no_character_has_the_properties_of_the_replacement() -> None:
    for code in (0x110000, 0xFFFFFFFF):
        assert _core.unicode_properties(code) == _core.unicode_properties(0xFFFD)


@pytest.mark.parametrize(
    ("steps", "python"),
    [
        ({"lowercase": True}, str.lower),
        ({"accents": "unicode"}, strip_accents_unicode),
        ({"accents": "ascii"}, strip_accents_ascii),
        ({"digits": True}, lambda s: "".join("0" if c.isdecimal() else c for c in s)),
        ({}, str),
    ],
    ids=["lower", "accents", "ascii", "digits", "nothing"],
)
def test_every_character_is_normalised_as_in_python(
    steps: dict[str, object], python: Callable[[str], str]
) -> None:
    for text in lines_of_all_characters():
        assert normalise(text, **steps) == python(text)


@given(texts)
def test_whole_texts_have_the_lower_case_and_accents_of_python(text: str) -> None:
    low = text.lower()
    assert normalise(text, lowercase=True) == low
    assert normalise(text, lowercase=True, accents="unicode") == strip_accents_unicode(low)
    assert normalise(text, lowercase=True, accents="ascii") == strip_accents_ascii(low)


@pytest.mark.parametrize(
    "text",
    [
        "ΟΔΥΣΣΕΥΣ",
        "Σ",
        "ΑΣ",
        "ΣΑ",
        "ΑΣ.",
        "ΑΣ.Α",
        "Α.Σ",
        ".Σ",
        "1Σ",
        "Α\u0301Σ\u0301",
        "Α\u0301Σ\u0301Β",
        "ΣΣ ΣΣ",
        "aΣ" + "'" * 99 + "b",
        "a" + "\u00ad" * 99 + "Σ",
        "𝐀Σ",
        "日Σ",
    ],
)
def test_sigma_takes_its_final_form_where_python_has_it(text: str) -> None:
    assert normalise(text, lowercase=True) == text.lower()


@given(dirty)
def test_bytes_that_are_not_utf8_are_replaced_as_python_does(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    assert normalise(data) == text
    assert normalise(data, lowercase=True) == text.lower()
    assert normalise(data, accents="unicode") == strip_accents_unicode(text)


@given(dirty)
def test_the_first_invalid_byte_is_found(data: bytes) -> None:
    try:
        data.decode("utf-8")
        where = -1
    except UnicodeDecodeError as error:
        where = error.start
    assert _core.invalid_utf8(data) == where


def test_the_end_of_the_data_may_fall_inside_a_character_at_any_offset() -> None:
    for fill in range(70):
        data = b"x" * fill + "😀".encode()
        assert _core.invalid_utf8(data) == -1
        for cut in (1, 2, 3):
            assert _core.invalid_utf8(data[:-cut]) == fill
            assert normalise(data[:-cut]) == "x" * fill + "\ufffd"


steps_of_all_kinds = st.fixed_dictionaries(
    {
        "lowercase": st.booleans(),
        "accents": st.sampled_from(["keep", "unicode", "ascii"]),
        "digits": st.booleans(),
        "html": st.booleans(),
    }
)


@given(dirty | texts.map(str.encode), steps_of_all_kinds)
@example(b"", {"html": True})
def test_origins_never_go_back_and_end_at_the_end(data: bytes, steps: dict[str, object]) -> None:
    out, origin = _core.normalise(data, **steps)
    out.decode("utf-8")
    assert len(origin) == len(out) + 1
    assert origin[-1] == len(data)
    assert all(a <= b for a, b in pairwise(origin))


@given(texts.map(lambda text: text.replace("Σ", "")), st.booleans())
def test_each_byte_is_traced_to_the_character_it_came_from(text: str, strip: bool) -> None:
    out, origin = _core.normalise(text, lowercase=True, accents="unicode" if strip else "keep")
    start = 0
    for char in text:
        made = char.lower()
        made = strip_accents_unicode(made) if strip else made
        assert (
            bytes(b for b, o in zip(out, origin[:-1], strict=True) if o == start) == made.encode()
        )
        start += len(char.encode())


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("one<br />two", "one two"),
        ("<p class='x'>A</p>", " A "),
        ("a<!-- <b> > -->b", "a b"),
        ("a<!-->b", "a<!-->b"),
        ("a<!-- b <i>c", "a<!-- b  c"),
        ("<?xml version='1.0'?><!DOCTYPE html>x", "  x"),
        ("1 < 2 > 1, i <3 u", "1 < 2 > 1, i <3 u"),
        ("a <b and <br> c", "a <b and   c"),
        ("open <a href", "open <a href"),
        ("<", "<"),
        ("Q&amp;A &lt;b&gt; &quot;&apos;", "Q&A <b> \"'"),
        ("a&nbsp;b", "a\u00a0b"),
        ("it&#39;s &#x27;it&#X27;", "it's 'it'"),
        ("&#146;&#x80;", "’€"),
        ("&amp;lt;", "&lt;"),
        ("AT&T &eacute; &; &# &#; &#x; &#xg; &amp", "AT&T &eacute; &; &# &#; &#x; &#xg; &amp"),
        ("&#0;&#xD800;&#x110000;&#99999999999999999999;", "\ufffd" * 4),
    ],
)
def test_markup_becomes_space_and_entities_characters(raw: str, plain: str) -> None:
    assert normalise(raw, html=True) == plain
    assert normalise(raw) == raw


def test_numeric_entities_are_those_of_the_html_standard() -> None:
    for code in (*range(0x80, 0x180), 0x20AC, 0x1F600, 0x10FFFD):
        for entity in (f"&#{code};", f"&#x{code:x};"):
            if standard := html.unescape(entity):
                assert normalise(entity, html=True) == standard


def test_what_markup_leaves_is_traced_to_where_it_stood() -> None:
    raw = "é<br>&eacute;&#192;B"
    out, origin = _core.normalise(raw, lowercase=True, accents="ascii", html=True)
    assert out == b"e &eacute;ab"
    assert origin == [0, 2, *range(6, 14), 14, 20, 21]


def test_case_and_accents_see_what_entities_stand_for() -> None:
    assert normalise("&#913;&#931;<b>&#931;", lowercase=True, html=True) == "ας σ"
    assert normalise("&#xC9;&#x663;", lowercase=True, accents="ascii", html=True) == "e"


def test_many_unclosed_brackets_take_time_linear_in_the_text() -> None:
    for piece in ("<a", "<!--", "&#1", "&", "Σ'"):
        text = piece * 200_000
        assert len(_core.normalise(text, lowercase=True, html=True)[0]) == len(text.encode())


def test_steps_are_taken_in_their_order() -> None:
    text = "<b>ＦＵＬＬ ½ ÉTÉ ٣</b>"
    assert normalise(text, lowercase=True, accents="unicode", digits=True, html=True) == (
        " full 0\u20440 ete 0 "
    )


def test_an_unknown_way_with_accents_is_refused() -> None:
    with pytest.raises(ValueError, match="'keep', 'unicode' or 'ascii'"):
        _core.normalise("x", accents="remove")
