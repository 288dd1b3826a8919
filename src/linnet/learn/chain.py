"""What all sequence learners share: a chain of linear scores and the best labelling of it.

.. math:: s(y) = \\text{start}_{y_1} + \\sum_t x_t \\cdot w_{y_t}
          + \\sum_{t > 1} \\text{transition}_{y_{t-1} y_t} + \\text{stop}_{y_n}

The decision is the labelling of largest score, found by Viterbi's algorithm (SPEC M-112).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.estimator import Estimator
from linnet.learn.checks import MOST_STEPS, shown
from linnet.learn.sentences import SentenceFeatures, number_labels, read_features
from linnet.learn.transitions import Following
from linnet.stored import Anything, Array, Fields, Labels, Number, Sizes, Vocabulary
from linnet.threads import thread_count

__all__ = [
    "ChainClassifier",
    "Constraints",
    "PairTable",
    "check_beam",
    "check_count",
    "observed_pairs",
    "refuse_impossible",
]

Floats = NDArray[np.float64]


class Constraints(NamedTuple):
    """Which labels may begin, follow each other and end: tables of booleans."""

    start: NDArray[np.bool_]
    transition: NDArray[np.bool_]
    stop: NDArray[np.bool_]


class ChainClassifier(Estimator):
    """Predict the labelling of largest score.

    Attributes
    ----------
    classes_ : array of shape (L,)
    transition_ : array of shape (L, L)
        Score of a label (row) followed by another (column).
    start_, stop_ : arrays of shape (L,)
    pair_start_, pair_label_, pair_weight_ : arrays
        Weights of features, sparse: feature j has for the labels
        ``pair_label_[pair_start_[j]:pair_start_[j + 1]]`` the weights at the same places.
    vocabulary_ : dict
        Column of each feature, unless X was a :class:`Ragged` matrix.
    """

    stored: ClassVar[Fields] = {
        "classes_": Labels("L", least=1, ordered=False),
        "n_features_in_": Number(int, 0, 2**31 - 1, size="J"),
        "vocabulary_": Vocabulary("J", optional=True),
        "pair_label_": Array("i4", "pairs", 0, "L-1"),
        "pair_weight_": Array("f8", "pairs"),
        "pair_start_": Array("i8", "rows+1", 0, "pairs", order="starts"),
        "transition_": Array("f8", "L L"),
        "start_": Array("f8", "L"),
        "stop_": Array("f8", "L"),
        "history_": Anything(dict),
        "n_iter_": Anything(int),
        "optimality_": Anything(float),
    }
    n_threads: int | None
    classes_: NDArray[Any]
    transition_: Floats
    start_: Floats
    stop_: Floats
    pair_start_: NDArray[np.int64]
    pair_label_: NDArray[np.int32]
    pair_weight_: Floats
    n_features_in_: int
    vocabulary_: dict[str, int]

    def _stored_sizes(self) -> Sizes:
        """Return how many rows of pairs there are: one for each feature."""
        return {"rows": self.n_features_in_}

    def _threads(self) -> int:
        return thread_count(self.n_threads)

    def _read(self, X: Any, *, reset: bool) -> SentenceFeatures:
        return read_features(self, X, reset=reset)

    def _read_gold(self, y: Any, features: SentenceFeatures) -> NDArray[np.int32]:
        """Set ``classes_`` and return the number of each token's label."""
        self.classes_, gold = number_labels(y, features.sentence)
        return gold

    def _require_fitted(self) -> None:
        if not hasattr(self, "transition_"):
            raise NotFittedError(
                f"This {type(self).__name__} is not fitted yet; call fit with sentences first."
            )

    def _chain(self, features: SentenceFeatures, following: Following | None = None) -> _core.Chain:
        start, after = (None, None) if following is None else following
        return _core.Chain(
            features.matrix, features.sentence, self.pair_start_, self.pair_label_,
            len(self.classes_), start, after,
        )  # fmt: skip

    def _potentials(self, constraints: Constraints | None = None) -> _core.Potentials:
        transition, start, stop = self.transition_, self.start_, self.stop_
        if constraints is not None:
            start = np.where(constraints.start, start, -np.inf)
            transition = np.where(constraints.transition, transition, -np.inf)
            stop = np.where(constraints.stop, stop, -np.inf)
        return _core.Potentials(
            np.ascontiguousarray(transition), np.ascontiguousarray(start),
            np.ascontiguousarray(stop),
        )  # fmt: skip

    def predict(
        self, X: Any, *, constraints: Constraints | None = None, beam: int = 0
    ) -> list[list[Any]]:
        """Return the best labels of every sentence.

        Parameters
        ----------
        X : list of sentences, or Ragged
        constraints : Constraints, optional
            What may follow what; see :func:`linnet.data.tags.allowed_transitions`.
        beam : int, default=0
            Width of a beam search instead of the exact Viterbi search (SPEC M-115).
        """
        self._require_fitted()
        width = check_beam(beam)
        features = self._read(X, reset=False)
        labels = np.empty(features.n_tokens, np.int32)
        scores = np.empty(features.n_sentences)
        _core.decode(
            self._chain(features), self.pair_weight_, self._potentials(constraints), width,
            labels, scores, self._threads(),
        )  # fmt: skip
        refuse_impossible(scores, width)
        named = self.classes_.astype(object)[labels].tolist()  # one object for each label
        edges = features.sentence.tolist()
        return [named[first:last] for first, last in pairwise(edges)]

    def predict_nbest(
        self, X: Any, k: int = 5, *, constraints: Constraints | None = None
    ) -> list[list[tuple[float, list[Any]]]]:
        """Return for every sentence its k best labellings, best first, as (score, labels)."""
        self._require_fitted()
        check_count("k", k)
        potentials = self._potentials(constraints)
        found: list[list[tuple[float, list[Any]]]] = []
        for state in self.decision_function(X):
            labels = np.empty((int(k), len(state)), np.int32)
            scores = np.empty(int(k))
            n = _core.n_best(np.ascontiguousarray(state), potentials, labels, scores)
            named = self.classes_[labels[:n]].tolist()
            best = list(zip(scores[:n].tolist(), named, strict=True))
            found.append(best if len(state) else [(0.0, [])])
        return found

    def decision_function(self, X: Any) -> list[Floats]:
        """Return for every sentence the state scores (tokens, L): without the neighbours."""
        self._require_fitted()
        features = self._read(X, reset=False)
        out = np.empty((features.n_tokens, len(self.classes_)))
        _core.state_scores(self._chain(features), self.pair_weight_, out, self._threads())
        return features.cut(out)

    def score(self, X: Any, y: Any) -> float:
        """Return the share of tokens whose label is right."""
        guess = [label for labels in self.predict(X) for label in labels]
        gold = [label for labels in y for label in labels]
        if not gold or len(gold) != len(guess):
            raise DataError(f"There are {len(guess)} tokens and {len(gold)} labels to compare.")
        return float(np.mean([a == b for a, b in zip(guess, gold, strict=True)]))

    def _set_weights(self, weights: Floats) -> None:
        """Take one vector: pairs, transition, start, stop."""
        n, L = len(self.pair_label_), len(self.classes_)
        self.pair_weight_ = weights[:n].copy()
        self.transition_ = weights[n : n + L * L].reshape(L, L).copy()
        self.start_ = weights[n + L * L : n + L * L + L].copy()
        self.stop_ = weights[n + L * L + L :].copy()

    def _weights(self) -> Floats:
        parts = (self.pair_weight_, self.transition_.ravel(), self.start_, self.stop_)
        return np.concatenate(parts)


class PairTable(NamedTuple):
    """Which (feature, label) pairs have a weight: feature j those of start[j]:start[j + 1]."""

    start: NDArray[np.int64]
    label: NDArray[np.int32]


def observed_pairs(
    features: SentenceFeatures, gold: NDArray[np.int32], n_labels: int, *, every: bool
) -> PairTable:
    """Return which (feature, label) pairs get a weight: those seen together, or every one.

    Examples
    --------
    >>> from linnet.learn.sentences import checked, read_sentences
    >>> ragged, _ = read_sentences([[["a"], ["a", "b"]]], None)
    >>> table = observed_pairs(checked(ragged), np.array([0, 1], np.int32), 2, every=False)
    >>> table.start.tolist(), table.label.tolist()
    ([0, 2, 3], [0, 1, 1])
    """
    J, L = features.n_features, n_labels
    if every:
        start = np.arange(J + 1, dtype=np.int64) * L
        return PairTable(start, np.tile(np.arange(L, dtype=np.int32), J))
    found = _core.ObservedPairs(features.matrix, gold, L)
    table = PairTable(np.empty(J + 1, np.int64), np.empty(found.size, np.int32))
    found.copy(table.start, table.label)
    return table


def check_count(name: str, value: Any) -> int:
    """Return a positive integer, or say what is wrong with it."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ParameterError(f"{name} must be a positive integer, got {value!r}.")
    if value > MOST_STEPS:
        raise ParameterError(f"{name} must be at most {MOST_STEPS}, got {shown(value)}.")
    return int(value)


def check_beam(beam: Any) -> int:
    """Return the width of a beam; 0 is none."""
    if isinstance(beam, bool) or not isinstance(beam, (int, np.integer)) or beam < 0:
        raise ParameterError(f"beam must be 0 (exact search) or a positive integer, got {beam!r}.")
    return min(int(beam), MOST_STEPS)


def refuse_impossible(scores: Floats, beam: int, first: int = 0) -> None:
    """Name the first sentence that no labelling fits."""
    if np.isneginf(scores).any():
        where = first + int(np.argmax(np.isneginf(scores)))
        way = f" that a beam of {beam} finds" if beam else ""
        raise DataError(f"No labelling of sentence {where}{way} satisfies the constraints.")
