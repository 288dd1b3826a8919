r"""Maximum entropy Markov models: MaxEnt with the previous label as a feature (SPEC M-113).

.. math:: P(T \mid W) = \prod_i P(t_i \mid x_i, t_{i-1}), \qquad
          \min_w\ \tfrac12 \lVert w \rVert^2 + C \sum_i -\ln P(t_i \mid x_i, t_{i-1})

Training is MaxEnt on single tokens with the gold previous label, or the start symbol. There are
two readings of the model (A-56):

"shared"     one model; the previous label is one more feature of the token
"per_state"  a model with an intercept for each previous label, trained on what follows it

Each factor sums to 1, so a state with one likely successor passes nearly all its mass on whatever
the word: the label bias (M-120), which a CRF does not have.

In the shared model a factor is :math:`e^{s_t(j) + b_{ij}} / Z_t(i)`. Its denominator depends on
the previous label alone and so belongs to the state score of the token before: decoding is that of
any chain with the transitions b (M-114).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import ParameterError
from linnet.learn.chain.between import BetweenChain
from linnet.learn.chain.regularised import Learnt, PenalisedChain
from linnet.learn.chain.scores import Chain, Constraints, Floats, Table
from linnet.learn.chain.sentences import Ragged
from linnet.learn.chain.tagger import cut, refuse_impossible
from linnet.learn.chain.weights import PairTable
from linnet.learn.memm.reasons import Factors
from linnet.learn.memm.training import (
    cross,
    previous_labels,
    token_pairs,
    with_previous,
    with_two_before,
)
from linnet.learn.shared.checks import check_choice, check_count, sample_weights
from linnet.learn.shared.declaration import Declaration, tried
from linnet.learn.shared.history import History
from linnet.learn.shared.parameters import parameters
from linnet.learn.shared.properties import Properties, discriminative
from linnet.stored import Array, Fields, Sizes

__all__ = ["MEMM"]


@parameters
class MEMM(PenalisedChain):
    """Maximum entropy Markov model: each label depends on the token and on the label before.

    Parameters
    ----------
    states : {"shared", "per_state"}, default="shared"
        One model in which the previous label is a feature, or a model for each previous label.
    order : {1, 2}, default=1
        How many labels before it a label depends on. With 2 the pair of the two labels before is a
        feature as well; there may be 100 labels, and states must be "shared".
    search : {"viterbi", "beam"}, default="viterbi"
        The most probable labelling, exactly; or the best that a beam of prefixes finds.
    beam : int, default=5
        How many prefixes a beam keeps (SPEC M-115); 1 decides each token once and for all.

    Attributes
    ----------
    classes_ : array of shape (L,)
    transition_, start_ : arrays of shape (L, L) and (L,)
        Weights of the previous label and of the start symbol: with "per_state" the intercepts of
        their models. ``stop_`` is 0.
    triple_ : array of shape (L, L, L), with order=2
        Weights of the two labels before, besides those of the label before.
    pair_start_, pair_label_, pair_weight_ : arrays
        Weights of features, as in :class:`linnet.CRF`; with "per_state" those of the pairs
        (previous label i, feature j) in the order of ``state_key_``, which is i J + j, the start
        symbol last.

    Examples
    --------
    >>> import linnet
    >>> X = [[["w=the"], ["w=dog"], ["w=runs"]], [["w=dogs"], ["w=run"]]]
    >>> y = [["D", "N", "V"], ["N", "V"]]
    >>> memm = linnet.MEMM(C=10.0).fit(X, y)
    >>> memm.predict([[["w=the"], ["w=dog"], ["w=run"]]])
    [['D', 'N', 'V']]
    """

    stored: ClassVar[Fields] = {
        "state_key_": Array("i8", "rows", low=0, order="ascending", optional=True),
    }
    properties: ClassVar[Properties] = discriminative(models="P(y | x)", training="fair")
    declaration: ClassVar[Declaration] = Declaration(
        place=130,
        reads="tokens",
        linear=False,
        convex=True,
        compared={"tol": 1e-2},
        grid=tried("C", 1.0, 0.3, 3.0, 0.1, 10.0, 0.03, 30.0),
    )

    states: str = "shared"
    order: int = 1
    search: str = "viterbi"
    beam: int = 5

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_order()
        check_choice("search", self.search, ("viterbi", "beam"))
        check_count("beam", self.beam)
        if self.order == 2 and self.states == "per_state":
            raise ParameterError(
                "order=2 needs states='shared': a model for each pair of labels is not made."
            )
        check_choice("states", self.states, ("shared", "per_state"))

    def _minimise(self, X: Any, y: Any, sample_weight: Any, history: History) -> bool:
        learnt, keys = self._learnt(), self._state_keys()
        features = self._read(X, reset=True)
        gold = self._read_gold(y, features)
        weight = sample_weights(sample_weight, features.n_sentences)
        sentence = features.sentence
        cost = self.C * np.repeat(weight, np.diff(sentence))
        self.__dict__.pop("state_key_", None)
        previous = previous_labels(gold, sentence, len(self.classes_))
        if self.states == "per_state":
            features, self.state_key_ = cross(features, previous)
        is_same_model = np.array_equal(keys, self._state_keys())
        joined = with_previous(features, previous, len(self.classes_))
        if self.order == 2:
            joined = with_two_before(joined, previous, sentence, len(self.classes_))
        return self._train(joined, gold, cost, learnt if is_same_model else None, history)

    def _state_keys(self) -> NDArray[np.int64]:
        """Return the pairs (previous label, feature) that have weights; none with "shared"."""
        keys: NDArray[np.int64] = getattr(self, "state_key_", np.empty(0, np.int64))
        return keys

    def _train(
        self, joined: Ragged, gold: Any, cost: Floats, learnt: Learnt | None, history: History
    ) -> bool:
        """Fit single tokens: a CRF on sentences of one token whose own transitions stay 0."""
        L = len(self.classes_)
        J = joined.n_features - (L + 1)  # the last features are the labels before
        J -= L * L if self.order == 2 else 0
        pairs = token_pairs(joined, gold, L, 0 if self.pairs == "all" else J)
        n, last = int(pairs.start[J]), len(pairs.label)
        own = PairTable(pairs.start[: J + 1].copy(), pairs.label[:n].copy())
        chain = _core.Chain(joined.matrix, joined.sentence, *pairs, L)
        frozen = np.ones(chain.weights, np.uint8)
        frozen[:last] = 0
        w = np.zeros(chain.weights)
        if learnt is not None and learnt.has(self.classes_, own):
            known = [learnt.pair_weight, learnt.transition.ravel(), learnt.start]
            if self.order == 2 and learnt.triple is not None:
                known.append(learnt.triple.ravel())
            begin = np.concatenate(known)
            w[: len(begin)] = begin
        self.pair_start_, self.pair_label_ = own
        history.watch(self._with_weights)
        converged = self._solve(chain, gold, cost, w, history, frozen)
        self._set_weights(w)
        return converged

    def _set_weights(self, weights: Floats) -> None:
        n, L = len(self.pair_label_), len(self.classes_)
        self.pair_weight_ = weights[:n].copy()
        rows = L + 1 + (L * L if self.order == 2 else 0)
        after = weights[n : n + rows * L].reshape(-1, L)  # labels before, the start symbol, pairs
        self.transition_, self.start_, self.stop_ = after[:L].copy(), after[L].copy(), np.zeros(L)
        self.__dict__.pop("triple_", None)
        if self.order == 2:
            self.triple_ = after[L + 1 :].reshape(L, L, L).copy()

    def _stored_sizes(self) -> Sizes:
        if self.states == "shared":
            return super()._stored_sizes()
        return {"rows": len(self.state_key_)}  # a feature with a previous label

    def chain(self, X: Any, *, beam: int = 0) -> Any:
        """Return the chain over sentences: with fixed transitions, if that is the same search."""
        self._require_fitted()
        width = beam or (int(self.beam) if self.search == "beam" else 0)
        order = 2 if hasattr(self, "triple_") else 1
        if self.states == "per_state" or width or order == 2:
            features = self._read(X, reset=False)
            local = partial(self._local, features)
            return BetweenChain(features.sentence, local, self.stop_, order, width)
        sentence, table = self._tables(X)
        return Chain(sentence, Table(table), self._edges(), self._threads())

    # The shared model: a chain with fixed transitions.

    def _tables(self, X: Any) -> tuple[NDArray[np.int64], Callable[[int, int], Floats]]:
        features = self._read(X, reset=False)
        return features.sentence, partial(self._shared_table, features)

    def _shared_table(self, features: Ragged, first: int, last: int) -> Floats:
        """State scores with the denominator of the next token; the sum over a path is ln P."""
        sentence = features.sentence[first : last + 1]
        table = self._states(features, int(sentence[0]), int(sentence[-1]))
        begins = (sentence[:-1] - sentence[0])[np.diff(sentence) > 0]
        scores = table[begins] + self.start_
        constant = np.logaddexp.reduce(scores, axis=1)[:, None] if len(begins) else 0.0
        inside = np.ones(len(table), bool)
        inside[begins] = False
        after = np.flatnonzero(inside)
        denominators = log_sums(table[after], self.transition_)
        table[begins] -= constant
        table[after - 1] -= denominators
        return table

    def _states(self, features: Ragged, first: int, last: int) -> Floats:
        """Return x_t . w for the tokens first .. last - 1: (tokens, L)."""
        part = features.tokens(first, last)
        out = np.empty((last - first, len(self.classes_)))
        chain = _core.Chain(
            part.matrix, part.sentence, self.pair_start_, self.pair_label_, len(self.classes_)
        )
        _core.state_scores(chain, self.pair_weight_, out, self._threads())
        return out

    # The factors one by one: any model, and beam search.

    def _local(self, features: Ragged, first: int, last: int) -> Floats:
        """Return ln P(label | token, previous): (tokens, L + 1, L), the start symbol last.

        With order=2 the label before that comes first: (tokens, L + 1, L + 1, L).
        """
        L = len(self.classes_)
        if hasattr(self, "triple_"):
            before = np.tile(np.vstack([self.transition_, self.start_]), (L + 1, 1, 1))
            before[:L, :L] += self.triple_
            states = self._states(features, first, last)
            sums = log_sums(states, before.reshape(-1, L)).reshape(-1, L + 1, L + 1, 1)
            return np.asarray(states[:, None, None, :] + before - sums)
        if self.states == "shared":
            scores = np.repeat(self._states(features, first, last)[:, None, :], L + 1, axis=1)
        else:
            scores = np.empty((last - first, L + 1, L))
            part = features.tokens(first, last)
            for i in range(L + 1):
                crossed, _ = cross(part, np.full(last - first, i, np.int32), self.state_key_)
                scores[:, i] = self._states(crossed, 0, last - first)
        scores += np.vstack([self.transition_, self.start_])
        scores -= np.logaddexp.reduce(scores, axis=2)[:, :, None]
        return scores

    def predict_nbest(
        self, X: Any, k: int = 5, *, constraints: Constraints | None = None
    ) -> list[list[tuple[float, list[Any]]]]:
        """Return for every sentence its k best labellings, best first, as (ln P, labels)."""
        ranked = super().predict_nbest(X, k, constraints=constraints)
        if self.states == "per_state":
            refuse_impossible(np.array([0.0 if best else -np.inf for best in ranked]), 0)
        return ranked

    def _reasons(self, rows: Any, extractor: Any) -> Factors:
        return Factors(self, extractor, rows)

    def local_distributions(self, X: Any) -> list[Floats]:
        """Return for every sentence P(label | token, previous), shape (tokens, L + 1, L).

        The second axis is the previous label, the start symbol last; every row sums to 1. With
        order=2 the shape is (tokens, L + 1, L + 1, L), the label two before coming first.
        """
        self._require_fitted()
        features = self._read(X, reset=False)
        edges = features.sentence.tolist()
        return [np.exp(self._local(features, a, b)) for a, b in pairwise(edges)]

    def decision_function(self, X: Any) -> list[Floats]:
        """Return for every sentence the scores x_t . w (tokens, L) of the tokens alone.

        Only with "shared": else a token has no score without the label before it.
        """
        self._require_fitted()
        features = self._read(X, reset=False)
        if self.states == "shared":
            return cut(self._states(features, 0, features.n_tokens), features.sentence)
        raise ParameterError(
            "With states='per_state' a token has no score without the label before it; "
            "use local_distributions."
        )


def log_sums(state: Floats, transition: Floats) -> Floats:
    """Return ln sum_j e^(state[t, j] + transition[i, j]) for all t and i, by a matrix product.

    Examples
    --------
    >>> log_sums(np.zeros((1, 2)), np.array([[0.0, 0.0], [-np.inf, 0.0]])).round(4)
    array([[0.6931, 0.    ]])
    """
    top, high = state.max(axis=1, initial=-1e300), transition.max(axis=1)
    sums = np.exp(state - top[:, None]) @ np.exp(transition - high[:, None]).T
    out = np.log(np.maximum(sums, 1e-300)) + top[:, None] + high
    lost = np.argwhere(sums < 1e-280)  # the two maxima are far apart: sum these in logarithms
    for t, i in lost:
        out[t, i] = np.logaddexp.reduce(state[t] + transition[i])
    return np.asarray(out)
