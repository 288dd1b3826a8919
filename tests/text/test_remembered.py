"""Texts that remember what was counted give the matrices that texts give, and count once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linnet.text import TextFeatures
from linnet.text import remembered as room
from linnet.text.remembered import Remembered

SEEN = ["the good book", "a good good film", "Bühne and film", "the dull book", ""] * 3
HELD = ["a good play", "the Bühne", "", "unseen"]
Y = np.array([0, 1, 1, 0, 0] * 3)
KINDS: list[dict[str, Any]] = [
    {"tokenizer": "token", "ngrams": (1, 2), "weighting": "tfidf"},
    {"features": ["words:1-2", "char_wb:2-5"], "weighting": "tfidf", "sublinear_tf": True},
    {"features": ["words:1-2", "char_wb:2-5"], "weighting": "log_count_ratio"},
    {"features": ["words:1-3"], "weighting": "log_count_ratio"},
    {"features": ["words:1-2", "char_wb:2-5"], "alternate_sign": False},
    {"features": ["words:1-2"], "weighting": "binary", "max_features": 5},
    {"features": ["words:1-2"], "max_features": 5},
    {"features": ["words:1-2"], "min_df": 4},
    {"hashing": 6, "ngrams": (1, 2)},
]


def _same(one: Any, two: Any) -> None:
    assert one.shape == two.shape
    for name in ("indptr", "indices", "data"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name


def test_matrices_are_those_of_the_texts_whatever_was_counted_before() -> None:
    seen, held = Remembered(SEEN), Remembered(HELD)
    for _ in range(2):  # the second time all is remembered
        for kind in KINDS:
            plain, twin = TextFeatures(**kind), TextFeatures(**kind)
            _same(plain.fit_transform(SEEN, Y), twin.fit_transform(seen, Y))
            _same(plain.transform(HELD), twin.transform(held))
            _same(plain.transform(HELD), twin.transform(HELD))


def test_a_block_is_counted_once_for_all_kinds_that_have_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted = []
    learn = room.learn_vocabulary
    monkeypatch.setattr(
        room, "learn_vocabulary", lambda *a, **b: counted.append(1) or learn(*a, **b)
    )
    seen = Remembered(SEEN)
    for kind in KINDS[:5]:
        TextFeatures(**kind).fit_transform(seen, Y)
    assert len(counted) == 3  # words:1-2, words:1-3 and char_wb:2-5
