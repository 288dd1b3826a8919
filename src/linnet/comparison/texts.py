"""Learners of texts on one split: the features are extracted once and shared by all.

A linear learner is trained exactly as :class:`linnet.TextClassifier` trains it: C on held-out
examples of the training part, and one factor that makes its scores probabilities. Any other
learner is fitted on the same matrix as it is. Learners that model counts or presence are given
those, of the same features, where the others are given TF-IDF.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from linnet.comparison.given import Labelled, Split
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
from linnet.errors import DataError
from linnet.learn.shared.declaration import declaration_of
from linnet.model.fitting.columns import read_columns
from linnet.model.fitting.linear import learned
from linnet.model.fitting.reading import Read, labels_of, read
from linnet.model.fitting.steps import features_for, learner_of
from linnet.model.fitting.tuning import held_out_parts
from linnet.model.readers.features import TextReader
from linnet.model.text_classifier import TextClassifier
from linnet.text.parameters import checked_settings
from linnet.threads import thread_count

__all__ = ["TextArena"]

_VALUES = {"counts": "counts", "presence": "presence"}  # in place of TF-IDF


class TextArena:
    """One split of labelled examples, read once."""

    metric = "accuracy"

    def __init__(self, split: Split, seed: int, n_threads: int | None) -> None:
        train: Labelled = split.train
        self._train, self._test = train, split.test
        self._seed, self._threads = seed, n_threads
        self._read_for: dict[str, Read] = {}
        self._tests: dict[str, sp.csr_matrix] = {}
        self.gold: list[Any] = split.test.y
        self.n_train = len(train)
        self.classes, self._y = _labels(train.y)
        with measured() as self.reading:
            self._data = self._read(None)

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
            model if explain else None, found["tuning_"].C is not None,
        )  # fmt: skip

    def quick(self, learner: Any) -> float:
        """Fit this very learner and return its score, without calibration or measurement."""
        return score_of(self.gold, self.guess(learner), self.metric)

    def guess(self, learner: Any) -> list[Any]:
        """Fit this very learner and return its answers to the test part."""
        self.seed(learner)
        with quiet():
            learner.fit(self._data_for(learner).matrix, self._y)
        guess: list[Any] = self.classes[learner.predict(self._test_for(learner))].tolist()
        return guess

    def parts(self, learner: Any) -> list[Part]:
        """Return folds of the training examples; they share the features of all."""
        X, y = self._data_for(learner).matrix, self._y
        return [
            _Fold(self, X[but(held, len(y))], y[but(held, len(y))], X[held], y[held])
            for held in held_out_parts(y, self._seed, self._data.copies)
        ]

    def work(self, learner: Any) -> float:
        """Return about how many multiplications a quick fit needs."""
        entries, columns = self._data.matrix.nnz, len(self.classes)
        columns = 1 if columns == 2 else columns
        return flat_work(learner, entries, columns, self.n_train)

    def _run_other(self, learner: Any, fixed: dict[str, Any], explain: bool) -> Outcome:
        """Fit what is no linear learner on the matrix."""
        self.seed(learner)
        data = self._data_for(learner)
        with measured() as training, quiet():
            learner.fit(data.matrix, self._y)
        chance = None
        with measured() as predicting:
            guess = self.classes[learner.predict(self._test_for(learner))]
            if hasattr(learner, "predict_proba"):
                chance = np.asarray(learner.predict_proba(self._test_for(learner)))
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
        chose_c: bool = False,
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
            self._described(learner), ("C",) if chose_c else (),
        )  # fmt: skip

    def seed(self, learner: Any) -> None:
        """Set threads and seed where the learner leaves them open."""
        known = learner.get_params(deep=False)
        own = {"n_threads": self._threads, "random_state": self._seed}
        learner.set_params(**{name: own[name] for name in own if known.get(name, 0) is None})

    def _classifier(self, learner: Any, **more: Any) -> TextClassifier:
        return TextClassifier(
            learner, columns=self._train.columns, random_state=self._seed, n_threads=self._threads,
            **more,
        )  # fmt: skip

    def _features(self, learner: Any, blocks: list[str] | None = None) -> Any:
        """Return what makes the features of texts, or of one column, for a learner."""
        features = features_for(self._classifier(learner), learner, self.n_train, blocks)
        if declaration_of(learner).reads == "counts":
            features.set_params(weighting="count", sublinear_tf=False, norm=None)
        return features

    def _read(self, learner: Any) -> Read:
        """Read the training part for a learner; None for all that take weighted features."""
        train = self._train
        if train.columns is None:
            return read(train.X, self._features(learner), self._y)
        make = partial(self._features, learner)
        threads = thread_count(self._threads)
        return read_columns(train.X, train.columns, make, learner, self._y, threads)

    def _described(self, learner: Any) -> str:
        """Return in words what a learner is given."""
        if self._data.kind == "vector":
            return "values"
        return _VALUES.get(declaration_of(learner).reads, "TF-IDF")

    def _data_for(self, learner: Any) -> Read:
        """Return the examples as what the learner models: counts, presence, or weighted."""
        reads = declaration_of(learner).reads
        if reads not in _VALUES or self._data.kind == "vector":
            return self._data
        if reads not in self._read_for:
            self._read_for[reads] = self._unweighted(learner)
        return self._read_for[reads]

    def _test_for(self, learner: Any) -> sp.csr_matrix:
        """Return the test part as a matrix, for learners that take no raw examples."""
        data = self._data_for(learner)
        reads = "" if data is self._data else declaration_of(learner).reads
        if reads not in self._tests:
            self._tests[reads] = data.reader.inputs(self._test.X, self._threads)
        return self._tests[reads]

    def _unweighted(self, learner: Any) -> Read:
        """Return the same features, with how often each occurs or that it does."""
        data = self._data
        if data.kind != "text":
            return self._read(learner)
        settings = checked_settings(self._features(learner).get_params(deep=False))
        reader = TextReader(replace(data.reader.extractor, settings=settings, scale=None))
        matrix = reader.inputs(self._train.X, self._threads)
        return replace(data, matrix=matrix, reader=reader, features=None)


@dataclass
class _Fold:
    """Training examples without a fold, and the fold."""

    arena: TextArena
    X: sp.csr_matrix
    y: Any
    held: sp.csr_matrix
    gold: Any
    _last: Any = None

    def quick(self, learner: Any) -> float:
        """Fit this very learner, or smooth its counts anew, and return the share it gets right."""
        if learner is self._last and hasattr(learner, "reestimate"):
            learner.reestimate()
        else:
            self.arena.seed(learner)
            learner.fit(self.X, self.y)
        self._last = learner
        return float(np.mean(learner.predict(self.held) == self.gold))


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
