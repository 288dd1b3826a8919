"""Learners of texts on one split: the features are extracted once and shared by all.

A linear learner is trained exactly as :class:`linnet.TextClassifier` trains it: C on held-out
examples of the training part, and one factor that makes its scores probabilities. Any other
learner is fitted on the same matrix as it is.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from linnet.comparison.given import Labelled, Split
from linnet.comparison.outcome import (
    Cost,
    Outcome,
    flat_work,
    measured,
    quiet,
    score_of,
    shown_parameters,
)
from linnet.comparison.reasons import why_labels
from linnet.errors import DataError
from linnet.learn.shared.declaration import declaration_of
from linnet.learn.shared.inputs import checked_features
from linnet.model.fitting import features_for, learned, learner_of
from linnet.model.readers import TextReader
from linnet.model.reading import Read, labels_of, read
from linnet.model.text_classifier import TextClassifier
from linnet.text.parameters import checked_settings

__all__ = ["TextArena"]


class TextArena:
    """One split of labelled examples, read once."""

    metric = "accuracy"

    def __init__(self, split: Split, seed: int, n_threads: int | None) -> None:
        train: Labelled = split.train
        self._train, self._test = train, split.test
        self._seed, self._threads = seed, n_threads
        self._binary: Read | None = None
        self.gold: list[Any] = split.test.y
        self.n_train = len(train)
        self.classes, self._y = _labels(train.y)
        with measured() as self.reading:
            self._data = read(train.X, self._features(None), self._y)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return int(self._data.matrix.shape[1])

    def run(self, learner: Any, fixed: dict[str, Any], *, explain: bool = False) -> Outcome:
        """Train a copy of the learner with those parameters fixed, and let it answer."""
        own = clone(learner).set_params(**fixed)
        declared = declaration_of(own)
        by_presence = declared.reads == "presence" and self._data.kind == "vector"
        if by_presence or declared.reads == "numbers" or not declared.linear:
            return self._run_other(own, fixed, explain)
        clf = self._classifier(own, C=fixed.get("C", "auto"))
        own = learner_of(clf)
        data = self._data_for(own)
        with measured() as training, quiet():
            found = learned(clf, own, data, self.classes, self._y)
        model = found["model_"]
        with measured() as predicting:
            verdict = model.judge(self._test.X)
        _, arrays, _ = model._to_file()
        return self._outcome(
            verdict.probability, verdict.labels, training, predicting,
            sum(array.nbytes for array in arrays.values()), found["learner_"], fixed,
            model if explain else None,
        )  # fmt: skip

    def quick(self, learner: Any) -> float:
        """Fit this very learner and return its score, without calibration or measurement."""
        self._seeded(learner)
        with quiet():
            learner.fit(self._data.matrix, self._y)
        guess = self.classes[learner.predict(self._test_matrix)]
        return score_of(self.gold, guess.tolist(), self.metric)

    def work(self, learner: Any) -> float:
        """Return about how many multiplications a quick fit needs."""
        entries, columns = self._data.matrix.nnz, len(self.classes)
        columns = 1 if columns == 2 else columns
        return flat_work(learner, entries, columns, self.n_train)

    def _run_other(self, learner: Any, fixed: dict[str, Any], explain: bool) -> Outcome:
        """Fit what is no linear learner on the matrix."""
        self._seeded(learner)
        with measured() as training, quiet():
            learner.fit(self._data.matrix, self._y)
        chance = None
        with measured() as predicting:
            guess = self.classes[learner.predict(self._test_matrix)]
            if hasattr(learner, "predict_proba"):
                chance = np.asarray(learner.predict_proba(self._test_matrix))
        n_bytes = _bytes(learner)
        model = SimpleNamespace(classes_=self.classes) if explain else None
        return self._outcome(chance, guess, training, predicting, n_bytes, learner, fixed, model)

    def _outcome(
        self,
        chance: Any,
        guess: Any,
        training: Cost,
        predicting: Cost,
        n_bytes: int,
        learner: Any,
        fixed: dict[str, Any],
        model: Any,
    ) -> Outcome:
        """Return what is kept; with a model, why it answered so too."""
        sure = hit = None
        answers = guess.tolist()
        if chance is not None:
            sure = chance.max(axis=1)
            hit = np.array([a == b for a, b in zip(answers, self.gold, strict=True)], bool)
        optimality = getattr(learner, "optimality_", None)
        return Outcome(
            answers, sure, hit, training, predicting, n_bytes, shown_parameters(learner, fixed),
            None if optimality is None else float(np.max(optimality)),
            model and why_labels(model, self._test.X, self.gold, answers, chance),
        )  # fmt: skip

    def _seeded(self, learner: Any) -> None:
        """Set threads and seed where the learner leaves them open."""
        known = learner.get_params(deep=False)
        own = {"n_threads": self._threads, "random_state": self._seed}
        learner.set_params(**{name: own[name] for name in own if known.get(name, 0) is None})

    def _classifier(self, learner: Any, **more: Any) -> TextClassifier:
        return TextClassifier(learner, random_state=self._seed, n_threads=self._threads, **more)

    def _features(self, learner: Any) -> Any:
        return features_for(self._classifier(learner), learner, self.n_train)

    def _data_for(self, learner: Any) -> Read:
        if declaration_of(learner).reads != "presence":
            return self._data
        if self._binary is None:
            self._binary = self._with_ones(learner)
        return self._binary

    def _with_ones(self, learner: Any) -> Read:
        """Return the same features with value 1, for learners that look at presence only."""
        data, features = self._data, self._features(learner)
        if data.kind != "text":
            return read(self._train.X, features, self._y)
        matrix = data.matrix.copy()
        matrix.data = np.ones_like(matrix.data)
        settings = checked_settings(features.get_params(deep=False))
        extractor = replace(data.reader.extractor, settings=settings, scale=None)
        return replace(data, matrix=matrix, reader=TextReader(extractor), features=None)

    @cached_property
    def _test_matrix(self) -> sp.csr_matrix:
        """The features of the test part, for learners that take no raw examples."""
        data, X = self._data, self._test.X
        if data.features is not None:
            return data.features.transform(X)
        if data.kind == "bag":
            return data.reader.inputs(X, 1)
        return checked_features(X).csr


def _labels(y: list[Any]) -> tuple[Any, Any]:
    if len(set(y)) < 2:
        raise DataError(
            f"All {len(y)} training examples have the label {y[0]!r}; learners need two or more."
            if y
            else "There are no training examples."
        )
    return labels_of(y, len(y))


def _bytes(learner: Any) -> int:
    """Return the size of what a learner stores; 0 for one that is not linnet's."""
    from linnet.errors import LinnetError
    from linnet.model.file.learners import learner_to_file

    try:
        return sum(array.nbytes for array in learner_to_file(learner)[1].values())
    except (LinnetError, TypeError, ValueError, AttributeError):
        return 0
