"""What all sequence learners share as estimators: reading sentences, and asking their chain.

The decision is the labelling of largest score, found by Viterbi's algorithm (SPEC M-112).
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError, NotFittedError
from linnet.estimator import Estimator
from linnet.learn.chain.elsewhere import SentencesElsewhere
from linnet.learn.chain.reasons import ChainReasons
from linnet.learn.chain.scores import Chain, Constraints, Edges, Floats, Weighted, edges_of
from linnet.learn.chain.sentences import Ragged, number_labels, read_features, token_accuracy
from linnet.learn.chain.weights import Following, Layout, PairTable
from linnet.learn.shared.checks import check_beam, check_choice, check_count
from linnet.learn.shared.declaration import Declaration
from linnet.stored import Anything, Array, Fields, Labels, Number, Sizes, Vocabulary
from linnet.threads import thread_count

if TYPE_CHECKING:
    from linnet.typing import Sentences, Tags

__all__ = [
    "ChainClassifier",
    "ProbabilisticChain",
    "cut",
    "refuse_impossible",
    "require_few",
    "require_finite",
]

ORDERS = (1, 2)
MOST_LABELS = 100  # of a chain of second order


class ChainClassifier(Estimator):
    """Predict the labelling of largest score.

    Attributes
    ----------
    classes_ : array of shape (L,)
    transition_ : array of shape (L, L)
        Score of a label (row) followed by another (column).
    start_, stop_ : arrays of shape (L,)
    triple_ : array of shape (L, L, L), with order=2
        Score of three labels in a row, besides that of the transition between the last two.
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
        "triple_": Array("f8", "L L L", optional=True),
        "history_": Anything(dict),
        "n_iter_": Anything(int),
        "optimality_": Anything(float),
    }
    declaration: ClassVar[Declaration] = Declaration(reads="tokens")
    order: int = 1
    n_threads: int | None
    classes: Any = None  # in the order of the user; a parameter of the learners that take one
    classes_: NDArray[Any]
    transition_: Floats
    start_: Floats
    stop_: Floats
    triple_: Floats
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

    def _read(self, X: Any, *, reset: bool) -> Ragged:
        return read_features(self, X, reset=reset)

    def _read_gold(self, y: Any, features: Ragged) -> NDArray[np.int32]:
        """Set ``classes_`` and return the number of each token's label."""
        self.classes_, gold = number_labels(y, features.sentence, self.classes)
        if self.order == 2:
            require_few(len(self.classes_))
        return gold

    def _require_fitted(self) -> None:
        if not hasattr(self, "transition_"):
            raise NotFittedError(
                f"This {type(self).__name__} is not fitted yet; call fit with sentences first."
            )

    def _core_chain(
        self,
        features: Ragged,
        following: Following | None = None,
        triples: NDArray[np.uint8] | None = None,
    ) -> _core.Chain:
        order = self._layout().order
        if isinstance(features, SentencesElsewhere):
            pairs = PairTable(self.pair_start_, self.pair_label_)
            L = len(self.classes_)
            return features.chain(pairs, L, following, order, triples)
        start, after = (None, None) if following is None else following
        return _core.Chain(
            features.matrix, features.sentence, self.pair_start_, self.pair_label_,
            len(self.classes_), start, after, order,
            None if triples is None else triples.ravel(),
        )  # fmt: skip

    def _edges(self) -> Edges:
        triple = getattr(self, "triple_", None)
        return edges_of(self.transition_, self.start_, self.stop_, triple)

    def _check_order(self) -> None:
        check_choice("order", self.order, ORDERS)

    def chain(self, X: Any, *, beam: int = 0) -> Chain:
        """Return the chain of scores over sentences, to be searched with that beam."""
        self._require_fitted()
        features = self._read(X, reset=False)
        tokens = _core.Chain(
            features.matrix, features.sentence, self.pair_start_, self.pair_label_,
            len(self.classes_),
        )  # fmt: skip
        states = Weighted(tokens, self.pair_weight_)
        return Chain(features.sentence, states, self._edges(), self._threads())

    def predict(
        self, X: Sentences, *, constraints: Constraints | None = None, beam: int = 0
    ) -> list[list[Any]]:
        """Return the best labels of every sentence.

        Should no labelling be possible under the model, it is one with as few impossible parts as
        may be.

        Parameters
        ----------
        X : list of sentences, or Ragged
        constraints : Constraints, optional
            What may follow what; see :func:`linnet.data.tags.allowed_transitions`.
        beam : int, default=0
            Width of a beam search instead of the exact Viterbi search (SPEC M-115); 1 is greedy.
        """
        self._require_fitted()
        width = check_beam(beam)
        chain = self.chain(X, beam=width)
        labels, scores = chain.decode(constraints, width)
        refuse_impossible(scores, width)
        return _core.named_labels(labels, chain.sentence, self.classes_.tolist())

    def predict_nbest(
        self, X: Sentences, k: int = 5, *, constraints: Constraints | None = None
    ) -> list[list[tuple[float, list[Any]]]]:
        """Return for every sentence its k best labellings, best first, as (score, labels)."""
        self._require_fitted()
        check_count("k", k)
        ranked = self.chain(X).n_best(int(k), constraints)
        return [[(score, self.classes_[path].tolist()) for score, path in best] for best in ranked]

    def decision_function(self, X: Any) -> list[Floats]:
        """Return for every sentence the state scores (tokens, L): without the neighbours."""
        chain = self.chain(X)
        return cut(chain.table(), chain.sentence)

    def score(self, X: Sentences, y: Tags) -> float:
        """Return the share of tokens whose label is right."""
        return token_accuracy(self.predict(X), y)

    def _reasons(self, rows: Any, extractor: Any) -> ChainReasons | None:
        """Return the parts of the scores of tokens; None: its weights are those parts.

        Parameters
        ----------
        rows : TokenRows, or lists of words for a learner that reads words
        extractor : TokenExtractor or None
            Knows the names of features.
        """
        return None

    def _layout(self) -> Layout:
        return Layout(len(self.pair_label_), len(self.classes_), int(self.order))

    def _set_weights(self, weights: Floats) -> None:
        """Take one vector of all weights."""
        layout = self._layout()
        parts = (part.copy() for part in layout.split(weights))
        self.pair_weight_, self.transition_, self.start_, self.stop_ = parts
        self.__dict__.pop("triple_", None)
        triple = layout.triples(weights)
        if triple is not None:
            self.triple_ = triple.copy()

    def _with_weights(self, weights: Floats) -> Self:
        """Return this model at other weights."""
        model = copy(self)
        model._set_weights(weights)
        return model

    def _weights(self) -> Floats:
        triple = getattr(self, "triple_", None)
        return Layout.join(self.pair_weight_, self.transition_, self.start_, self.stop_, triple)

    @property
    def n_nonzero_(self) -> int:
        """The number of weights that are not zero, those of labels included (SPEC M-68)."""
        self._require_fitted()
        names = ("pair_weight_", "transition_", "start_", "stop_", "triple_")
        return sum(int(np.count_nonzero(getattr(self, name, 0.0))) for name in names)


class ProbabilisticChain(ChainClassifier):
    """A chain whose scores are log probabilities, up to a constant for each sentence."""

    def predict_marginals(self, X: Any, *, constraints: Constraints | None = None) -> list[Floats]:
        """Return for every sentence P(label at token | sentence), shape (tokens, L)."""
        chain = self.chain(X)
        table, log_z = chain.marginals(constraints)
        refuse_impossible(log_z, 0)
        return cut(table, chain.sentence)

    def predict_pair_marginals(
        self, X: Any, *, constraints: Constraints | None = None
    ) -> list[Floats]:
        """Return for every sentence P(label at token, label at the next | sentence).

        The shape is (tokens - 1, L, L): the first label's number, then the second's. Summed over
        the second label it is :meth:`predict_marginals` of the first token, and the other way
        round.
        """
        chain = self.chain(X)
        table, log_z = chain.pair_marginals(constraints)
        refuse_impossible(log_z, 0)
        return [part[1:] for part in cut(table, chain.sentence)]


def require_few(n_labels: int) -> None:
    """Refuse more labels than a chain of second order has room for."""
    if n_labels > MOST_LABELS:
        raise DataError(
            f"order=2 has a number for each triple of labels: {n_labels} labels are too many, "
            f"{MOST_LABELS} may be. Use order=1."
        )


def require_finite(w: Floats) -> Floats:
    """Return the weights of a fit unless they overflowed."""
    if not np.isfinite(w).all():
        raise DataError("The fit overflowed: scale the features down, or lower C.")
    return w


def cut(tokens: NDArray[Any], sentence: NDArray[np.int64]) -> list[NDArray[Any]]:
    """Cut an array with one row for each token into one array for each sentence."""
    return np.split(tokens, sentence[1:-1]) if len(sentence) > 1 else []


def refuse_impossible(scores: Floats, beam: int) -> None:
    """Name the first sentence that no labelling fits."""
    if np.isneginf(scores).any():
        where = int(np.argmax(np.isneginf(scores)))
        way = f" that a beam of {beam} finds" if beam else ""
        raise DataError(f"No labelling of sentence {where}{way} satisfies the constraints.")
