r"""Local classifiers: a flat learner decides token by token (SPEC M-110).

.. math:: t_i = \operatorname{argmax}_t\ s_t(x_i)
          \qquad\text{or}\qquad t_i = \operatorname{argmax}_t\ s_t(x_i, t_{i-1}, \dots, t_{i-h})

Without a history the decisions are independent. With one, tokens are decided from left to right
and the labels before are features: gold ones in training, the learner's own in use. A beam keeps
the N best prefixes instead of one (M-115); with a history as long as a sentence that is the
lecture's MaxEnt with beam search, whose context is the whole prefix.
"""

from __future__ import annotations

from functools import partial
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
from linnet.learn.local.searching import LinearHistory, beam_by_places, greedy_by_places
from linnet.learn.maxent import MaxEnt
from linnet.learn.shared.checks import check_beam, check_choice, check_count, sample_weights
from linnet.learn.shared.declaration import Declaration, declaration_of
from linnet.learn.shared.inputs import RandomState
from linnet.learn.shared.properties import Properties, discriminative
from linnet.learn.shared.restore import restored_on_error
from linnet.stored import Anything, Fields, Labels, Number, Sizes, Vocabulary
from linnet.threads import thread_count

__all__ = ["LocalTagger"]

Floats = NDArray[np.float64]


class Decisions(NamedTuple):
    """Labels that were decided one by one: constraints do not bind them, and nothing is second."""

    sentence: NDArray[np.int64]
    labels: NDArray[np.int32]
    scores: Floats

    def decode(self, constraints: Constraints | None = None) -> tuple[NDArray[np.int32], Floats]:
        """Return the label of each token, and the score of each sentence; 0 if it is greedy."""
        return self.labels, self.scores

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
    search : {"greedy", "beam"}, default="greedy"
        Decide each token once and for all; or keep the best prefixes, by the product of the
        learner's probabilities, or the sum of its scores if it has no probabilities.
    beam : int, default=5
        How many prefixes a beam keeps (SPEC M-115); 1 is greedy.
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
        self,
        learner: Any = None,
        *,
        history: int = 0,
        search: str = "greedy",
        beam: int = 5,
        random_state: RandomState = None,
    ) -> None:
        self.learner = learner
        self.history = history
        self.search = search
        self.beam = beam
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
            if self.learner is not None and not hasattr(self.learner, "fit"):
                raise ParameterError(f"learner must be a classifier, got {self.learner!r}.")
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
        check_choice("search", self.search, ("greedy", "beam"))
        check_count("beam", self.beam)
        if self.learner is not None and not hasattr(self.learner, "predict"):
            raise ParameterError(f"learner must be a classifier, got {self.learner!r}.")

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

    @property
    def n_nonzero_(self) -> int:
        """The number of the learner's weights that are not zero (SPEC M-68)."""
        self._require_fitted()
        return int(self.learner_.n_nonzero_)

    def chain(self, X: Any, *, beam: int = 0) -> Decisions:
        """Return the decisions about the tokens of sentences, in the place of a chain.

        With a `beam` of some width that one is searched, whatever the model's search is.
        """
        self._require_fitted()
        features = self._read(X, reset=False)
        width = check_beam(beam) or (int(self.beam) if self.search == "beam" else 0)
        sentence, h, start = features.sentence, int(self.history), len(self.classes_)
        scores = np.zeros(features.n_sentences)
        if features.n_tokens == 0:
            labels = np.empty(0, np.int32)
        elif h == 0:
            labels = self._decide(self._rows(features, np.empty((features.n_tokens, 0), np.int32)))
        elif self._is_linear() and (self._is_softmax() or not self._has_probabilities()):
            threads = thread_count(getattr(self.learner_, "n_threads", None))
            labels, found = self._linear_history(features).search(sentence, width or 1, threads)
            scores = found if width else scores
        elif width:
            local = partial(self._local, self._tokens(features))
            labels, scores = beam_by_places(sentence, h, start, width, local)
        else:
            tokens = self._tokens(features)
            labels = greedy_by_places(
                sentence, h, start, lambda where, before: self._decide(
                    sp.hstack([tokens[where], self._indicators(before)], format="csr")
                ),
            )  # fmt: skip
        return Decisions(sentence, labels, scores)

    def predict(self, X: Any, *, beam: int = 0) -> list[list[Any]]:
        """Return the labels of every sentence.

        Parameters
        ----------
        X : list of sentences, or Ragged
        beam : int, default=0
            The width of a beam of prefixes; 0 is the model's own search.
        """
        sentence, labels, _ = self.chain(X, beam=beam)
        named = self.classes_[labels].tolist()
        return [named[a:b] for a, b in pairwise(sentence.tolist())]

    def _decide(self, rows: Any) -> NDArray[np.int32]:
        labels = self.learner_.predict(rows)
        return np.asarray(np.searchsorted(self.classes_, labels), np.int32)

    def _tokens(self, features: Ragged) -> Any:
        return self._rows(features, np.empty((features.n_tokens, 0), np.int32))

    def _is_linear(self) -> bool:
        """Whether the decision is the largest of linear scores, which can be added up."""
        learner = self.learner_
        return (
            declaration_of(learner).linear
            and getattr(learner, "coef_", None) is not None
            and isinstance(learner, Classifier)
            and learner._takes_largest_score()
            and getattr(learner, "joint_map", None) is None
            and getattr(learner, "multi_class", None) != "ovo"  # pairs of classes vote
            and len(learner.coef_) == (1 if len(self.classes_) == 2 else len(self.classes_))
            and bool(np.isfinite(learner.coef_).all() and np.isfinite(learner.intercept_).all())
        )

    def _is_batch_linear(self) -> bool:
        """Whether it is linear and no online learner, whose scores are often exactly equal."""
        return self._is_linear() and type(self.learner_).predict is Classifier.predict

    def _has_probabilities(self) -> bool:
        return hasattr(self.learner_, "predict_proba")

    def _is_softmax(self) -> bool:
        """Whether the probabilities of a linear learner are the softmax of its scores."""
        is_one_against_all = getattr(self.learner_, "multi_class", None) == "ovr"
        return self._has_probabilities() and (len(self.classes_) == 2 or not is_one_against_all)

    def _linear_history(self, features: Ragged) -> LinearHistory:
        """Score all tokens at once; the labels before them add their weights."""
        width, h = len(self.classes_) + 1, int(self.history)
        blank = sp.csr_matrix((features.n_tokens, h * width))
        rows = sp.hstack([self._tokens(features), blank], format="csr")
        alone = self.learner_.decision_function(rows).reshape(features.n_tokens, -1)
        after = np.asarray(self.learner_.coef_).T[features.n_features :].reshape(h, width, -1)
        return LinearHistory(alone, after, self._is_softmax())

    def _local(self, tokens: Any, where: NDArray[np.int64], before: NDArray[np.int32]) -> Floats:
        """Return ln P(label) of tokens after the labels before them, or scores: (m, L)."""
        rows, learner = (
            sp.hstack([tokens[where], self._indicators(before)], format="csr"),
            self.learner_,
        )
        if self._has_probabilities():
            with np.errstate(divide="ignore"):
                return np.log(np.asarray(learner.predict_proba(rows), np.float64))
        if not hasattr(learner, "decision_function"):
            raise ParameterError(
                f"A beam needs probabilities or scores; {type(learner).__name__} has neither. "
                "Use search='greedy'."
            )
        scores = np.asarray(learner.decision_function(rows), np.float64)
        return np.column_stack([0.0 * scores, scores]) if scores.ndim == 1 else scores

    def score(self, X: Any, y: Any) -> float:
        """Return the share of tokens whose label is right."""
        return token_accuracy(self.predict(X), y)
