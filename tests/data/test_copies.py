"""Equal examples share a fold; without any, cuts are what they always were."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data import TextColumn
from linnet.data.copies import FEWEST, Copies
from linnet.data.rows import RowTable
from linnet.data.splits import folds, hold_out, split
from linnet.evaluate.resampling import fold_pairs
from linnet.model.fitting.tuning import held_out_parts

Texts = st.lists(st.integers(0, 40).map(chr), max_size=60).map(
    lambda more: [*more, *map(chr, range(FEWEST))]
)


@pytest.mark.parametrize(
    "X",
    [
        ["x", "y", "x"],
        TextColumn.from_strings(["ü", "y", "ü"]),
        [{"a": 1, "b": 2}, {"a": 1}, {"b": 2, "a": 1}],
        sp.csr_matrix([[1, 0], [0, 1], [1, 0]]),
        np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]),
        RowTable(["a", "b"], [["p", "q", "p"], np.array([1.0, 1.0, 1.0])]),
        [["a", "film"], ["a", "book"], ["a", "film"]],
        np.array(["x", "y", "x"], dtype=object),
    ],
    ids=lambda X: type(X).__name__,
)
def test_equal_examples_are_found_whatever_they_are(X: Any) -> None:
    assert Copies.of(X).original.tolist() == [0, 1, 0]


@settings(max_examples=60, deadline=None)
@given(Texts, st.integers(0, 5))
def test_no_text_is_on_both_sides_of_a_cut(texts: list[str], seed: int) -> None:
    copies = Copies.of(texts)
    labels = [ord(text) % 3 for text in texts]
    cuts = [
        split(len(texts), (0.8, 0.2), seed, labels, copies),
        split(len(texts), (0.5, 0.3, 0.2), seed, None, copies),
        hold_out(copies, 0.3, seed),
    ]
    cuts += folds(len(texts), 2, seed, copies=copies)
    cuts += list(fold_pairs(labels, 3, None, True, seed, copies))
    for cut in cuts:
        assert sorted(np.concatenate(cut).tolist()) == list(range(len(texts)))
        sides = [{texts[i] for i in part.tolist()} for part in cut]
        assert sum(map(len, sides)) == len(set(texts))


@settings(max_examples=30, deadline=None)
@given(st.integers(20, 300), st.integers(0, 5), st.integers(2, 4))
def test_without_copies_cuts_are_the_same_bits(n: int, seed: int, n_labels: int) -> None:
    none = Copies.of([str(number) for number in range(n)])
    gold = np.random.default_rng(seed).integers(0, n_labels, n).astype(np.int32)
    pairs = [
        (split(n, (0.8, 0.2), seed, gold), split(n, (0.8, 0.2), seed, gold, none)),
        (held_out_parts(gold, seed), held_out_parts(gold, seed, none)),
    ]
    for before, after in pairs:
        assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    order = np.random.default_rng(seed).permutation(n)
    held = np.sort(order[: round(0.2 * n)])
    assert np.array_equal(hold_out(none, 0.2, seed)[1], held)


def test_held_out_folds_keep_copies_together_and_classes_in_proportion() -> None:
    texts = [f"text {number // 2}" for number in range(400)]  # each twice
    gold = np.array([number // 2 % 2 for number in range(400)], np.int32)
    parts = held_out_parts(gold, 0, Copies.of(texts))
    assert [len(part) for part in parts] == [80] * 5
    for part in parts:
        inside = {texts[i] for i in part.tolist()}
        assert not inside & {texts[i] for i in np.setdiff1d(np.arange(400), part).tolist()}
        assert gold[part].mean() == 0.5


def test_a_text_with_more_copies_than_a_fold_is_trained_on() -> None:
    texts = ["again"] * 60 + [f"text {number}" for number in range(60)]
    gold = (np.arange(120) % 2).astype(np.int32)
    copies = Copies.of(texts)
    assert all(part.min() >= 60 for part in held_out_parts(gold, 0, copies))
    for seed in range(20):
        assert split(120, (0.8, 0.2), seed, gold, copies)[1].min() >= 60
        assert hold_out(copies, 0.2, seed)[1].min() >= 60


@pytest.mark.parametrize("texts", [["x"] * 90, ["x", "y"] * 45])
def test_where_hardly_any_differ_examples_are_cut_as_if_all_did(texts: list[str]) -> None:
    gold, copies = (np.arange(90) % 2).astype(np.int32), Copies.of(texts)
    pairs = [
        (held_out_parts(gold, 0), held_out_parts(gold, 0, copies)),
        (split(90, (0.8, 0.2), 0, gold), split(90, (0.8, 0.2), 0, gold, copies)),
    ]
    for plain, cut in pairs:
        assert all(np.array_equal(a, b) for a, b in zip(plain, cut, strict=True))


@given(Texts, st.integers(0, 9))
@settings(max_examples=50)
def test_copies_of_texts_are_those_that_a_dictionary_finds(texts: list[str], more: int) -> None:
    texts = texts + texts[:more]
    first: dict[str, int] = {}
    plain = [first.setdefault(text, row) for row, text in enumerate(texts)]
    column = TextColumn.from_strings(texts)
    for X in (texts, tuple(texts), column, np.array(texts, dtype=object)):
        assert Copies.of(X).original.tolist() == plain
    names, numbers = column.distinct()
    assert names == list(first) and [names[n] for n in numbers] == texts
    interned = column.interned()
    assert interned == texts
    assert all(interned[row] is interned[plain[row]] for row in range(len(texts)))


def test_texts_that_utf8_cannot_express_are_compared_as_they_are() -> None:
    assert Copies.of(["\ud800", "a", "\ud800"]).original.tolist() == [0, 1, 0]
    assert Copies.of([]).original.tolist() == []
    assert TextColumn.from_strings([]).interned() == []
