"""Learners of rows on one split.

Each is trained as :class:`linnet.RowClassifier` trains it: memory-based learning and trees on the
values themselves, linear learners and kernels on indicators of the symbols.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from linnet.comparison.given import Split
from linnet.comparison.outcome import (
    Cost,
    Outcome,
    Part,
    but,
    flat_work,
    measured,
    quiet,
    score_of,
    shown_parameters,
)
from linnet.comparison.reasons import why_labels
from linnet.model.fitting.tuning import held_out_parts
from linnet.model.readers.rows import takes_rows
from linnet.model.row_classifier import RowClassifier

__all__ = ["RowArena"]


class RowArena:
    """One split of labelled rows."""

    metric = "accuracy"

    def __init__(self, split: Split, seed: int, n_threads: int | None) -> None:
        self._train, self._test = split.train, split.test
        self._seed, self._threads = seed, n_threads
        self.gold: list[Any] = split.test.y
        self.n_train = len(split.train)
        self.n_features = len(split.train.X.names)
        self.reading = Cost()  # what a learner reads is made for it alone

    def run(self, learner: Any, fixed: dict[str, Any], *, explain: bool = False) -> Outcome:
        """Train a copy of the learner with those parameters fixed, and let it answer."""
        clf = self._classifier(clone(learner).set_params(**fixed), fixed.get("C", "auto"))
        with measured() as training, quiet():
            clf.fit(self._train.X, self._train.y)
        model = clf.model_
        with measured() as predicting:
            verdict = model.judge(self._test.X)
        answers = verdict.labels.tolist()
        chance = verdict.probability
        sure = hit = None
        if chance is not None:
            sure = chance.max(axis=1)
            hit = np.array([a == b for a, b in zip(answers, self.gold, strict=True)], bool)
        _, arrays, _ = model._to_file()
        optimality = getattr(clf.learner_, "optimality_", None)
        return Outcome(
            answers, sure, hit, training, predicting,
            sum(array.nbytes for array in arrays.values()), shown_parameters(clf.learner_, fixed),
            None if optimality is None else float(np.max(optimality)),
            why_labels(model, self._test.X, self.gold, answers, chance) if explain else None,
            "values" if takes_rows(clf.learner_) else "indicators of values",
            () if clf.tuning_.C is None else ("C",),
        )  # fmt: skip

    def quick(self, learner: Any) -> float:
        """Fit a copy of the learner as it is and return its score."""
        return score_of(self.gold, self.guess(learner), self.metric)

    def guess(self, learner: Any) -> list[Any]:
        """Fit a copy of the learner as it is and return its answers to the test part."""
        strength = learner.get_params(deep=False).get("C", "auto")
        with quiet():
            clf = self._classifier(learner, strength).fit(self._train.X, self._train.y)
        guess: list[Any] = clf.predict(self._test.X).tolist()
        return guess

    def work(self, learner: Any) -> float:
        """Return about how many multiplications a quick fit needs."""
        cells, labels = self.n_train * self.n_features, len(set(self._train.y))
        return flat_work(learner, cells, labels, self.n_train)

    def parts(self, learner: Any) -> list[Part]:
        """Return folds of the training rows."""
        train = self._train
        held = held_out_parts(train.codes().astype(np.int32), self._seed, train.copies)
        splits = [Split(train.take(but(part, len(train))), train.take(part)) for part in held]
        return [RowArena(split, self._seed, self._threads) for split in splits]

    def _classifier(self, learner: Any, strength: Any) -> RowClassifier:
        return RowClassifier(learner, C=strength, random_state=self._seed, n_threads=self._threads)
