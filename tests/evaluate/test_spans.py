"""Spans by type, by length and by kind of mistake."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.data.tags import spans
from linnet.errors import DataError, ParameterError
from linnet.evaluate import evaluate_sequences, span_scores


def _random(seed: int) -> tuple[list[list[str]], list[list[str]]]:
    rng = np.random.default_rng(seed)
    tags = np.array(["B-A", "I-A", "B-B", "I-B", "O"])
    gold = [tags[rng.integers(0, 5, rng.integers(1, 15))].tolist() for _ in range(50)]
    guess = [[tag if rng.random() < 0.8 else str(rng.choice(tags)) for tag in row] for row in gold]
    return gold, guess


@pytest.mark.parametrize("seed", range(5))
def test_types_are_those_of_the_report(seed: int) -> None:
    gold, guess = _random(seed)
    assert span_scores(gold, guess).types == evaluate_sequences(gold, guess).chunk_types


@pytest.mark.parametrize("seed", range(5))
def test_lengths_and_mistakes_by_comparing_every_pair_of_chunks(seed: int) -> None:
    gold, guess = _random(seed)
    found = span_scores(gold, guess, longest=3)
    size = {name: [0, 0, 0] for name in ("1", "2", "3+")}
    wrong = {"type": 0, "boundary": 0, "missed": 0, "invented": 0}
    for row, said in zip(gold, guess, strict=True):
        true, named = set(spans(row)), set(spans(said))
        for place, part in enumerate((true, named, true & named)):
            for chunk in part:
                size[("1", "2", "3+")[min(chunk[1] - chunk[0], 3) - 1]][place] += 1
        for chunk in true - named:
            if any(other[:2] == chunk[:2] for other in named):
                wrong["type"] += 1
            elif any(other[0] < chunk[1] and chunk[0] < other[1] for other in named):
                wrong["boundary"] += 1
            else:
                wrong["missed"] += 1
        for other in named:
            free = all(other[0] >= chunk[1] or chunk[0] >= other[1] for chunk in true)
            wrong["invented"] += free
    assert found.mistakes == wrong
    counts = {name: [s.gold, s.guessed, s.correct] for name, s in found.lengths.items()}
    assert counts == size


def test_perfect_tags_have_no_mistakes() -> None:
    gold, _ = _random(9)
    found = span_scores(gold, gold)
    assert not any(found.mistakes.values())
    assert all(score.f1 == 1.0 for score in found.lengths.values())


def test_no_chunks_at_all() -> None:
    found = span_scores([["O", "B-X"]], [["O", "O"]])
    assert found.mistakes["missed"] == 1
    assert found.lengths["1"].precision == 0.0
    both_empty = span_scores([["O", "B-X"], ["O"]], [["O", "B-X"], ["O"]])
    assert both_empty.mistakes == {"type": 0, "boundary": 0, "missed": 0, "invented": 0}


def test_tags_that_are_no_chunks_are_refused() -> None:
    with pytest.raises(DataError, match="B-NP"):
        span_scores([["N", "V"]], [["N", "N"]])
    with pytest.raises(ParameterError, match="longest"):
        span_scores([["B-X"]], [["B-X"]], longest=0)
