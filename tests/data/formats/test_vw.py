"""Vowpal Wabbit's lines."""

from __future__ import annotations

import pytest

from ..reading import read, where


def test_vowpal_wabbit_lines_become_bags() -> None:
    found = read("1 2.0 'tag|a b c:2 b |d:3 e:0.5 |  f\r\n-1 | g\n")
    assert found.X == [{"a^b": 2.0, "a^c": 2.0, "d^e": 1.5, "f": 1.0}, {"g": 1.0}]
    assert (found.kind, found.y, found.ids) == ("bag", ["1", "-1"], ["tag", ""])
    assert read("|a b\n").y is None


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        ("1 |a b\n1 a b\n", (2, 6)),
        ("1 |a b:x\n", (1, 8)),
        ("1 x y z|a b\n", (1, 1)),
        ("1 |a b\n|a c\n", (2, 1)),
    ],
)
def test_a_broken_vowpal_wabbit_line_is_refused_with_its_place(
    raw: str, place: tuple[int, int]
) -> None:
    assert where(raw, format="vw")[:2] == place
