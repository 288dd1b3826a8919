r"""Local classifiers: a flat learner decides token by token (SPEC M-110).

.. math:: t_i = \operatorname{argmax}_t\ s_t(x_i)
          \qquad\text{or}\qquad t_i = \operatorname{argmax}_t\ s_t(x_i, t_{i-1}, \dots, t_{i-h})

Without a history the decisions are independent. With one, tokens are decided from left to right
and the labels before are features: gold ones in training, the learner's own in use.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.learn.chain.scores import Constraints, Ranked
from linnet.learn.chain.sentences import Ragged, number_labels, read_features, token_accuracy
from linnet.learn.flat.base import Classifier, Learner
from linnet.learn.maxent import MaxEnt
from linnet.learn.shared.checks import sample_weights
from linnet.learn.shared.declaration import Declaration, declaration_of
from linnet.learn.shared.inputs import RandomState
from linnet.learn.shared.properties import Properties, discriminative
from linnet.learn.shared.restore import restored_on_error
from linnet.stored import Anything, Fields, Labels, Number, Sizes, Vocabulary

__all__ = ["LocalTagger"]

Floats = NDArray[np.float64]


class Decisions(NamedTuple):
    """Labels that were decided one by one: constraints do not bind them, and nothing is second."""

    sentence: NDArray[np.int64]
    labels: NDArray[np.int32]

    def decode(self, constraints: Constraints | None = None) -> tuple[NDArray[np.int32], Floats]:
        """Return the label of each token, and a score of 0 for each sentence."""
        return self.labels, np.zeros(len(self.sentence) - 1)

    def n_best(self, k: int, constraints: Constraints | None = None) -> list[Ranked]:
        """Refuse: there is one labelling."""
        raise ParameterError("LocalTagger gives no n-best lists.")


class LocalTagger(BaseEstimator):  # type: ignore[misc]
    """Tag each token by a flat classifier, with or without the labels before it.

    Parameters
    ----------
    learner : classifier, default=MaxEnt()
        Any flat classifier of linnet, or one with scikit-learn's ``fit`` and ``predict`` that
        takes sparse matrices.
    history : int, default=0
        How many labels before a token are features of it.
    random_state : int or RandomState, optional
        For a learner that leaves its own open.

    Attributes
    ----------
    classes_ : array of shape (L,)
    learner_ : classifier
        The fitted learner. Its columns are the features, and then for each step back L + 1
        indicators: the labels, and the start symbol last.
    vocabulary_ : dict
        Column of each feature, unless X was a Ragged matrix.

    Examples
    --------
    >>> import linnet
    >>> X = [[["w=the"], ["w=can"]], [["w=they"], ["w=can"]], [["w=the"], ["w=can"]]]
    >>> y = [["D", "N"], ["P", "V"], ["D", "N"]]
    >>> linnet.LocalTagger().fit(X, y).predict([[["w=they"], ["w=can"]]])
    [['P', 'N']]
    >>> linnet.LocalTagger(history=1).fit(X, y).predict([[["w=they"], ["w=can"]]])
    [['P', 'V']]
    """

    stored: ClassVar[Fields] = {
        "classes_": Labels("L", least=1),
        "n_features_in_": Number(int, 0, 2**31 - 1, size="J"),
        "vocabulary_": Vocabulary("J", optional=True),
        "learner_": Anything(Learner, optional=False),
    }
    properties: ClassVar[Properties] = discriminative(training="fair")
    declaration: ClassVar[Declaration] = Declaration(
        short="local",
        place=120,
        reads="tokens",
        linear=False,
        compared=lambda: {"learner": MaxEnt(tol=1e-2)},
    )
    classes_: NDArray[Any]
    learner_: Any
    n_features_in_: int

    def __init__(
        self, learner: Any = None, *, history: int = 0, random_state: RandomState = None
    ) -> None:
        self.learner = learner
        self.history = history
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the learner on the tokens of all sentences.

        Parameters
        ----------
        X : list of sentences, or Ragged
            A sentence is a list of tokens, a token a dictionary or a list of feature names.
        y : list of lists of labels
        sample_weight : array of shape (sentences,), optional
            For learners that take weights.
        """
        with restored_on_error(self):
            self._check_parameters()
            features = self._read(X, reset=True)
            self.classes_, gold = number_labels(y, features.sentence)
            rows = self._rows(features, self._before(gold, features.sentence))
            weights: dict[str, Any] = {}
            if sample_weight is not None:
                each = sample_weights(sample_weight, features.n_sentences)
                weights["sample_weight"] = np.repeat(each, np.diff(features.sentence))
            learner = MaxEnt() if self.learner is None else clone(self.learner)
            if getattr(learner, "classes", None) is not None:
                raise ParameterError("A LocalTagger numbers its labels itself: they are sorted.")
            if learner.get_params(deep=False).get("random_state", 0) is None:
                learner.set_params(random_state=self.random_state)
            self.learner_ = learner.fit(rows, self.classes_[gold], **weights)
            return self

    def _stored_sizes(self) -> Sizes:
        return {}

    def _check_loaded(self) -> None:
        """Refuse what a forged file may hold: a learner of other features or labels."""
        width = self.n_features_in_ + self.history * (len(self.classes_) + 1)
        if self.learner_.n_features_in_ != width:
            raise DataError(f"the learner has {self.learner_.n_features_in_} features, not {width}")
        if not np.isin(self.learner_.classes_, self.classes_).all():
            raise DataError("the learner has other labels")

    def _check_parameters(self) -> None:
        h = self.history
        if isinstance(h, bool) or not isinstance(h, (int, np.integer)) or h < 0:
            raise ParameterError(f"history must be an integer of at least 0, got {h!r}.")
        learner = self.learner
        if learner is not None and not (hasattr(learner, "fit") and hasattr(learner, "predict")):
            raise ParameterError(f"learner must be a classifier, got {learner!r}.")

    def _read(self, X: Any, *, reset: bool) -> Ragged:
        return read_features(self, X, reset=reset)

    def _before(self, gold: NDArray[np.int32], sentence: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the labels before each token, nearest first: (tokens, history)."""
        n, start = len(gold), len(self.classes_)
        out = np.full((n, int(self.history)), start, np.int32)
        place = np.arange(n) - np.repeat(sentence[:-1], np.diff(sentence))
        for back in range(1, int(self.history) + 1):
            has = np.flatnonzero(place >= back)
            out[has, back - 1] = gold[has - back]
        return out

    def _rows(self, features: Ragged, before: NDArray[np.int32]) -> Any:
        """Return the tokens as a sparse matrix, the labels before them included."""
        n, h = before.shape
        value = np.ones(len(features.column)) if features.value is None else features.value
        shape = (n, features.n_features)
        tokens = sp.csr_matrix((value, features.column, features.start), shape=shape)
        return sp.hstack([tokens, self._indicators(before)], format="csr") if h else tokens

    def _indicators(self, before: NDArray[np.int32]) -> Any:
        n, h = before.shape
        width = len(self.classes_) + 1
        column = (before + np.arange(h) * width).ravel()
        return sp.csr_matrix((np.ones(n * h), column, np.arange(n + 1) * h), shape=(n, h * width))

    def _require_fitted(self) -> None:
        if not hasattr(self, "learner_"):
            raise NotFittedError("This LocalTagger is not fitted yet; call fit with sentences.")

    def chain(self, X: Any) -> Decisions:
        """Return the decisions about the tokens of sentences, in the place of a chain."""
        self._require_fitted()
        features = self._read(X, reset=False)
        if features.n_tokens == 0:
            labels = np.empty(0, np.int32)
        elif int(self.history) == 0:
            labels = self._decide(self._rows(features, np.empty((features.n_tokens, 0), np.int32)))
        elif self._is_linear():
            labels = self._left_to_right_linear(features)
        else:
            labels = self._left_to_right(features)
        return Decisions(features.sentence, labels)

    def predict(self, X: Any) -> list[list[Any]]:
        """Return the labels of every sentence."""
        sentence, labels = self.chain(X)
        named = self.classes_[labels].tolist()
        return [named[a:b] for a, b in pairwise(sentence.tolist())]

    def _decide(self, rows: Any) -> NDArray[np.int32]:
        labels = self.learner_.predict(rows)
        return np.asarray(np.searchsorted(self.classes_, labels), np.int32)

    def _is_linear(self) -> bool:
        """Whether the decision is the largest of linear scores, which can be added up."""
        learner = self.learner_
        return (
            declaration_of(learner).linear
            and getattr(learner, "coef_", None) is not None
            and type(learner).predict is Classifier.predict
            and getattr(learner, "joint_map", None) is None
            and getattr(learner, "multi_class", None) != "ovo"  # pairs of classes vote
            and len(learner.coef_) == (1 if len(self.classes_) == 2 else len(self.classes_))
            and bool(np.isfinite(learner.coef_).all() and np.isfinite(learner.intercept_).all())
        )

    def _left_to_right_linear(self, features: Ragged) -> NDArray[np.int32]:
        """Score all tokens at once, then add what the labels before them say, place by place."""
        J, width = features.n_features, len(self.classes_) + 1
        weights = np.asarray(self.learner_.coef_).T
        h = int(self.history)
        blank = sp.csr_matrix((features.n_tokens, h * width))
        tokens = self._rows(features, np.empty((features.n_tokens, 0), np.int32))
        alone = self.learner_.decision_function(sp.hstack([tokens, blank], format="csr"))
        scores = alone.reshape(features.n_tokens, -1)
        by_step = weights[J:].reshape(h, width, -1)

        def decide(where: NDArray[np.int64], before: NDArray[np.int32]) -> NDArray[np.int32]:
            here = scores[where] + by_step[np.arange(h), before].sum(axis=1)
            if here.shape[1] == 1:
                return np.asarray(here[:, 0] >= 0, np.int32)
            return np.asarray(here.argmax(axis=1), np.int32)

        return self._walk(features, decide)

    def _left_to_right(self, features: Ragged) -> NDArray[np.int32]:
        """Ask the learner for all tokens at one place of their sentences together."""
        tokens = self._rows(features, np.empty((features.n_tokens, 0), np.int32))

        def decide(where: NDArray[np.int64], before: NDArray[np.int32]) -> NDArray[np.int32]:
            return self._decide(sp.hstack([tokens[where], self._indicators(before)], format="csr"))

        return self._walk(features, decide)

    def _walk(self, features: Ragged, decide: Any) -> NDArray[np.int32]:
        """Decide the first tokens of all sentences, then the second ones, and so on."""
        h = int(self.history)
        lengths = np.diff(features.sentence)
        order = np.argsort(-lengths, kind="stable")  # those that are still there come first
        begins, ascending = features.sentence[:-1][order], -lengths[order]
        before = np.full((len(order), h), len(self.classes_), np.int32)
        guess = np.empty(features.n_tokens, np.int32)
        for place in range(int(lengths.max(initial=0))):
            alive = int(np.searchsorted(ascending, -place, side="left"))
            where = begins[:alive] + place
            label = decide(where, before[:alive])
            guess[where] = label
            before[:alive, 1:] = before[:alive, :-1].copy()
            before[:alive, 0] = label
        return guess

    def score(self, X: Any, y: Any) -> float:
        """Return the share of tokens whose label is right."""
        return token_accuracy(self.predict(X), y)
