"""Local classifiers in plain NumPy: their rows, their past, their fast twin."""

from __future__ import annotations

import numpy as np
import pytest

import linnet
from linnet.errors import DataError
from linnet.reference import local


@pytest.mark.spec("M-110")
def test_the_past_is_padded_with_the_start_symbol_and_its_nearest_tag_comes_first() -> None:
    x = np.array([5.0])
    assert local.row(x, [0, 1], 2, 2).tolist() == [5, 0, 1, 0, 1, 0, 0]
    assert local.row(x, [1], 2, 2).tolist() == [5, 0, 1, 0, 0, 0, 1]


@pytest.mark.spec("M-110")
@pytest.mark.parametrize("history", [0, 1, 2])
def test_the_fast_tagger_decides_as_the_page_does(history: int) -> None:
    rng = np.random.default_rng(history)
    gold = [rng.integers(3, size=n) for n in (4, 6, 1, 5, 3)]
    X = [np.eye(3)[y] + rng.normal(0, 0.8, (len(y), 3)) for y in gold]
    bags = [[dict(zip("abc", x, strict=True)) for x in sentence.tolist()] for sentence in X]
    learner = linnet.MaxEnt(fit_intercept=False)
    tagger = linnet.LocalTagger(learner, history=history).fit(bags, [y.tolist() for y in gold])

    stacked = np.vstack([local.rows(*pair, 3, history) for pair in zip(X, gold, strict=True)])
    flat = linnet.MaxEnt(fit_intercept=False).fit(stacked, np.concatenate(gold))
    np.testing.assert_allclose(tagger.learner_.coef_, flat.coef_, atol=1e-6)
    fresh = [rng.normal(0, 1, (n, 3)) for n in (7, 1, 4)]
    for x in fresh:
        tokens = [dict(zip("abc", row, strict=True)) for row in x.tolist()]
        slow = local.tag(x, tagger.learner_.coef_.T, history)
        assert tagger.predict([tokens])[0] == slow.tolist()


def test_weights_of_another_history_are_refused() -> None:
    with pytest.raises(DataError, match="need 4"):
        local.tag(np.ones((2, 1)), np.zeros((1, 2)), history=1)
