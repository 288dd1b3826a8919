"""Event files: what is written is read back, and what cannot be written is refused."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linnet
from linnet.data import read_events, write_events
from linnet.errors import DataError, FormatError

names = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1).filter(
    lambda text: len(text.split()) == 1
)
values = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.spec("E-03")
@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(names, st.dictionaries(names, values, max_size=4)), max_size=5))
def test_events_come_back_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, events: list[tuple[str, dict[str, float]]]
) -> None:
    path = tmp_path_factory.mktemp("events") / "train.txt"
    labels, bags = [label for label, _ in events], [bag for _, bag in events]
    write_events(path, bags, labels)
    assert read_events(path) == (bags, labels)


@pytest.mark.spec("E-03")
def test_events_are_learnt_from() -> None:
    lines = "yes sunny wind:0.5\n\nno rain wind:2 wind:1\nyes sunny\n"
    bags, labels = read_events(io.StringIO(lines))
    assert bags[1] == {"rain": 1.0, "wind": 3.0}
    assert linnet.MaxEnt().fit(bags, labels).predict([{"sunny": 1.0}]).tolist() == ["yes"]


def test_bad_events_are_refused_with_their_place(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="too large") as caught:
        read_events(io.StringIO("yes a\nno b c:1e999\n"))
    assert (caught.value.line, caught.value.column) == (2, 8)
    for bag, label in (
        ({"a b": 1.0}, "x"),
        ({"": 1.0}, "x"),
        ({"a": 1.0}, " "),
        ({"a": 1e999}, "x"),
    ):
        with pytest.raises(DataError, match="event 1"):
            write_events(tmp_path / "bad.txt", [bag], [label])
    assert not (tmp_path / "bad.txt").exists()
