"""``word/tag`` lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from linnet.data import (
    read_sequences,
)

from ..reading import read_sentences


@pytest.mark.spec("D-07")
def test_brown_has_its_known_size(data_dir: Callable[[str], Path]) -> None:
    parts = [read_sequences(data_dir("brown") / f"{part}.txt.gz") for part in ("train", "test")]
    assert sum(map(len, parts)) == 57340
    assert sum(part.n_tokens for part in parts) == 1161192


@pytest.mark.spec("D-07")
def test_the_lectures_sentence_has_five_tagged_tokens_and_one_untagged() -> None:
    line = "Secretariat/NNP is/BEZ expected/VBN to/TO race/VB tomorrow"
    found = read_sentences(line, format="word_tag")
    assert found.sentences() == [["Secretariat", "is", "expected", "to", "race", "tomorrow"]]
    assert found.tags == [["NNP", "BEZ", "VBN", "TO", "VB", ""]]


@pytest.mark.spec("D-07")
def test_the_last_slash_separates_and_one_at_an_end_does_not() -> None:
    found = read_sentences("1/2/cd / a/ /b //in\n\n x/y", format="word_tag")
    assert found.sentences() == [["1/2", "/", "a/", "/b", "/"], ["x"]]
    assert found.tags == [["cd", "", "", "", "in"], ["y"]]
    assert found.lines.tolist() == [1, 3]
    assert read_sentences("a b\n", format="word_tag").tags is None
    assert read_sentences("a_x b_y", format="word_tag", delimiter="_").tags == [["x", "y"]]
