r"""Re-ranking: a perceptron that chooses from an explicit list of candidates (SPEC M-116).

The generic perceptron asks for GEN(x), the outputs to choose from, and a feature vector of each:

.. math:: \hat y = \operatorname{argmax}_{y \in \text{GEN}(x)} w \cdot \Phi(x, y), \qquad
          w \leftarrow w + \Phi(x, y) - \Phi(x, \hat y) \quad\text{when}\quad \hat y \ne y

Here GEN is given: the n best labellings of a tagger, the parses of a grammar. Nothing is known of
the candidates but their features.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError, NotFittedError
from linnet.estimator import Estimator
from linnet.learn.chain.sentences import Ragged, read_features
from linnet.learn.shared.checks import check_positive, seed_from
from linnet.learn.shared.history import History
from linnet.learn.shared.restore import restored_on_error

__all__ = ["Reranker"]

Floats = NDArray[np.float64]


class Reranker(Estimator):
    """Perceptron over lists of candidates.

    Parameters
    ----------
    max_iter : int, default=10
        Rounds over the lists; fewer when a round makes no mistake.
    average : bool, default=True
        Return the mean of the weights after every list (SPEC M-34) instead of the last ones.
    shuffle : bool, default=True
        Take the lists of each round in a random order.
    random_state : int, RandomState or None

    Attributes
    ----------
    coef_ : array of shape (J,)
    vocabulary_ : dict
        Column of each feature.
    history_ : dict of arrays
        The mistakes of every round.

    Examples
    --------
    >>> lists = [[{"rank": 1}, {"rank": 2, "verb": 1}], [{"rank": 1, "verb": 1}, {"rank": 2}]]
    >>> Reranker(random_state=0).fit(lists, [1, 0]).predict(lists)
    [1, 0]
    """

    coef_: Floats
    vocabulary_: dict[str, int]
    n_features_in_: int

    def __init__(
        self,
        max_iter: int = 10,
        *,
        average: bool = True,
        shuffle: bool = True,
        random_state: Any = None,
    ) -> None:
        self.max_iter = max_iter
        self.average = average
        self.shuffle = shuffle
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn to choose.

        Parameters
        ----------
        X : list of lists of candidates
            A candidate is a dictionary (feature to value) or a list of feature names.
        y : list of int
            The place of the right candidate in each list.
        """
        with restored_on_error(self):
            check_positive(max_iter=self.max_iter)
            lists = self._read(X, reset=True)
            gold = _places(y, np.diff(lists.sentence))
            history = History(0, "Reranker")
            self._learn(lists, gold, history)
            self.history_ = history.as_dict()
            self.n_iter_ = len(history)
            return self

    def _learn(self, lists: Ragged, gold: NDArray[np.int64], history: History) -> None:
        w, sums = np.zeros(lists.n_features), np.zeros(lists.n_features)
        seed, order, step = seed_from(self.random_state), np.arange(lists.n_sentences), 0
        for epoch in range(int(self.max_iter)):
            if self.shuffle:
                _core.permutation(order, seed, epoch)
            mistakes = 0
            for i in order.tolist():
                right = int(lists.sentence[i] + gold[i])
                guess = int(lists.sentence[i]) + int(np.argmax(_scores(lists, i, w)))
                if guess != right:
                    mistakes += 1
                    for row, sign in ((right, 1.0), (guess, -1.0)):
                        column, value = _row(lists, row)
                        np.add.at(w, column, sign * value)
                        np.add.at(sums, column, sign * step * value)
                step += 1
            history.add(iteration=epoch + 1, mistakes=mistakes)
            if mistakes == 0:
                break
        if not np.isfinite(w).all():
            raise DataError("The weights overflowed: scale the features down.")
        # An update at step s is part of the weights after the steps s .. step - 1.
        self.coef_ = w - sums / max(step, 1) if self.average else w

    def _read(self, X: Any, *, reset: bool) -> Ragged:
        return read_features(self, [list(part) for part in _checked(X)], reset=reset)

    def _require_fitted(self) -> None:
        if not hasattr(self, "coef_"):
            raise NotFittedError("This Reranker is not fitted yet; call fit with lists first.")

    @property
    def n_nonzero_(self) -> int:
        """The number of weights that are not zero (SPEC M-68)."""
        self._require_fitted()
        return int(np.count_nonzero(self.coef_))

    def decision_function(self, X: Any) -> list[Floats]:
        """Return the scores of the candidates of every list."""
        self._require_fitted()
        lists = self._read(X, reset=False)
        return [_scores(lists, i, self.coef_) for i in range(lists.n_sentences)]

    def predict(self, X: Any) -> list[int]:
        """Return the place of the best candidate of every list, the first of equals."""
        scores = self.decision_function(X)
        for number, part in enumerate(scores):
            if len(part) == 0:
                raise DataError(f"List {number} has no candidates to choose from.")
        return [int(np.argmax(part)) for part in scores]

    def score(self, X: Any, y: Any) -> float:
        """Return the share of lists whose right candidate is chosen."""
        guess = self.predict(X)
        gold = _places(y, np.array([len(part) for part in self.decision_function(X)]))
        return float(np.mean(np.asarray(guess) == gold))


def _checked(X: Any) -> list[Any]:
    if isinstance(X, (str, bytes, Mapping)) or not isinstance(X, Iterable):
        raise DataError(f"X must be a list of lists of candidates, got {type(X).__name__}.")
    return list(X)


def _places(y: Any, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    gold = np.asarray(y)
    if len(sizes) == 0:
        raise DataError("There are no lists to learn from; at least one is needed.")
    if gold.shape != sizes.shape or gold.dtype.kind not in "iu":
        raise DataError(f"y must hold {len(sizes)} integers, the places of the right candidates.")
    wrong = np.flatnonzero((gold < 0) | (gold >= sizes))
    if len(wrong):
        i = int(wrong[0])
        raise DataError(f"List {i} has {sizes[i]} candidates, but y says place {gold[i]}.")
    return gold.astype(np.int64)


def _row(lists: Ragged, row: int) -> tuple[NDArray[np.int32], Floats]:
    part = slice(lists.start[row], lists.start[row + 1])
    column = lists.column[part]
    return column, np.ones(len(column)) if lists.value is None else lists.value[part]


def _scores(lists: Ragged, i: int, w: Floats) -> Floats:
    """Return w . Phi of the candidates of list i."""
    first, last = int(lists.sentence[i]), int(lists.sentence[i + 1])
    a, b = lists.start[first], lists.start[last]
    terms = w[lists.column[a:b]]
    if lists.value is not None:
        terms = terms * lists.value[a:b]
    owner = np.repeat(np.arange(last - first), np.diff(lists.start[first : last + 1]))
    return np.bincount(owner, weights=terms, minlength=last - first).astype(np.float64)
