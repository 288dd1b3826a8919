"""Regular expressions of a model file: those that end are stored, the others are not."""

from __future__ import annotations

from pathlib import Path

import pytest

import linnet
from linnet.errors import DataError, ParameterError
from linnet.text.patterns import check_pattern

SAFE = [
    "",
    r"\w+",
    r"(?u)\b\w\w+\b",
    r"\S+",
    r"[A-Za-z]+",
    r"\w+|[^\w\s]",
    r"\w+(?:-\w+)*",
    r"\w+(?:[-']\w+)*|[^\w\s]+",
    r"(?:[A-Z]\.)+|\w+(?:-\w+)*|\$?\d+(?:\.\d+)?%?|\.\.\.|[][.,;\"'?():_`-]",
    r"(?i)[a-zäöüß]{2,20}",
    r"(?:ab|cd)+",
    r"<[^>]*>|\w+",
    r"(?<=#)\w+(?=\s|$)",
    r".*foo.*",
    r"(\d{4})-\d{2}",
]
ENDLESS = [
    "(a+)+$",
    "(a|aa)*b",
    "(a*)*",
    r"(\w+\s?)+",
    r"(?:\w+-?)+!",
    "(ab|abab)*c",
    "(?:a?){30}a{30}",
    "a?" * 30 + "a" * 30,
    "a*a*a*a*a*a*b",
    r"(.*,){11}P",
    r"(\w)\1+",
    r"(?i)(?:[a-z]+[A-Z]?)+x",
    "([é-ü]+É?)+x",
]  # fmt: skip


@pytest.mark.parametrize("pattern", SAFE)
def test_a_pattern_whose_search_ends_is_stored(pattern: str) -> None:
    check_pattern(pattern)


@pytest.mark.parametrize("pattern", ENDLESS)
def test_a_pattern_whose_search_may_not_end_is_refused(pattern: str) -> None:
    with pytest.raises(DataError, match=r"pattern .*(several ways|places where|another part)"):
        check_pattern(pattern)


def test_a_model_with_such_a_pattern_is_not_saved(tmp_path: Path) -> None:
    clf = linnet.TextClassifier(tokenizer=r"(a+)+\b|b", C=1.0).fit(
        ["a b", "b", "a"] * 9, [0, 1, 0] * 9
    )
    with pytest.raises(ParameterError, match="several ways"):
        clf.save(tmp_path / "m.linnet")
    assert not list(tmp_path.iterdir())
