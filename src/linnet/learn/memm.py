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

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.learn.between import Paths, best_paths, forward, forward_backward, search_beam
from linnet.learn.chain import Constraints, check_beam, check_count
from linnet.learn.checks import check_choice, check_positive, sample_weights, warn_unless_converged
from linnet.learn.history import History
from linnet.learn.memm_training import Solver, cross, fit_tokens, previous_labels, with_previous
from linnet.learn.properties import Properties, discriminative
from linnet.learn.restore import restored_on_error
from linnet.learn.sentences import SentenceFeatures
from linnet.learn.tables import BLOCK, Floats, Tables, TableTagger, blocks
from linnet.stored import Array, Fields, Sizes

__all__ = ["MEMM"]

SOLVERS = ("auto", "lbfgs", "gradient_descent")


class MEMM(TableTagger):
    """Maximum entropy Markov model: each label depends on the token and on the label before.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the penalty.
    states : {"shared", "per_state"}, default="shared"
        One model in which the previous label is a feature, or a model for each previous label.
    penalty : {"l2", "l1", "elasticnet"}, default="l2"
    l1_ratio : float, default=0.5
        Share of l1 in "elasticnet".
    pairs : {"observed", "all"}, default="observed"
        Which (feature, label) pairs have a weight: those that occur together, or all.
    solver : {"auto", "lbfgs", "gradient_descent"}, default="auto"
    tol : float, default=1e-3
        Stop when the objective is certified to be within this share of its optimum.
    max_iter : int, default=500
    n_threads : int, optional
        None uses all cores. The result does not depend on it.
    verbose : int, default=0

    Attributes
    ----------
    classes_ : array of shape (L,)
    transition_, start_ : arrays of shape (L, L) and (L,)
        Weights of the previous label and of the start symbol: with "per_state" the intercepts of
        their models. ``stop_`` is 0.
    pair_start_, pair_label_, pair_weight_ : arrays
        Weights of features, as in :class:`linnet.learn.chain.ChainClassifier`; with "per_state"
        those of the pairs (previous label i, feature j) in the order of ``state_key_``, which is
        i J + j, the start symbol last.
    history_, optimality_, n_iter_
        As for :class:`linnet.CRF`.

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

    def __init__(
        self,
        C: float = 1.0,
        *,
        states: str = "shared",
        penalty: str = "l2",
        l1_ratio: float = 0.5,
        pairs: str = "observed",
        solver: str = "auto",
        tol: float = 1e-3,
        max_iter: int = 500,
        n_threads: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.states = states
        self.penalty = penalty
        self.l1_ratio = l1_ratio
        self.pairs = pairs
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.n_threads = n_threads
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the weights.

        Parameters
        ----------
        X : list of sentences, or Ragged
            A sentence is a list of tokens, a token a dictionary or a list of feature names.
        y : list of lists of labels
        sample_weight : array of shape (sentences,), optional
        """
        with restored_on_error(self):
            how = self._how()
            features = self._read(X, reset=True)
            gold = self._read_gold(y, features)
            weight = sample_weights(sample_weight, features.n_sentences)
            cost = self.C * np.repeat(weight, np.diff(features.sentence))
            history = History(self.verbose, "MEMM")
            self.__dict__.pop("state_key_", None)
            self._train(features, gold, cost, how, history)
            self.history_ = history.as_dict()
            self.n_iter_ = max(1, int(history.last("iteration")))
            self.optimality_ = history.last("gap") / max(abs(history.last("objective")), 1e-300)
            warn_unless_converged("MEMM", history, self.tol, self.optimality_ <= self.tol)
            return self

    def _train(
        self, features: SentenceFeatures, gold: Any, cost: Floats, how: Solver, history: History
    ) -> None:
        L = len(self.classes_)
        previous = previous_labels(gold, features.sentence, L)
        if self.states == "per_state":
            features, self.state_key_ = cross(features, previous)
        J = features.n_features
        every = 0 if self.pairs == "all" else J
        joined = with_previous(features, previous, L)
        model = fit_tokens(joined, gold, cost, L, every, how, history)
        n = int(model.start[J])
        self.pair_start_, self.pair_label_ = model.start[: J + 1].copy(), model.label[:n].copy()
        self.pair_weight_ = model.weight[:n].copy()
        self.transition_ = model.weight[n : n + L * L].reshape(L, L).copy()
        self.start_, self.stop_ = model.weight[n + L * L :].copy(), np.zeros(L)

    def _check_parameters(self) -> None:
        self._how()

    def _stored_sizes(self) -> Sizes:
        if self.states == "shared":
            return super()._stored_sizes()
        return {"rows": len(self.state_key_)}  # a feature with a previous label

    def _how(self) -> Solver:
        check_positive(C=self.C, tol=self.tol, max_iter=self.max_iter)
        check_choice("states", self.states, ("shared", "per_state"))
        check_choice("penalty", self.penalty, ("l2", "l1", "elasticnet"))
        check_choice("pairs", self.pairs, ("observed", "all"))
        check_choice("solver", self.solver, SOLVERS)
        if not (isinstance(self.l1_ratio, (int, float, np.number)) and 0 <= self.l1_ratio <= 1):
            raise ParameterError(f"l1_ratio must lie in [0, 1], got {self.l1_ratio!r}.")
        if self.penalty != "l2" and self.solver not in ("auto", "lbfgs"):
            raise ParameterError(f"penalty={self.penalty!r} needs solver='lbfgs'.")
        l1 = {"l2": 0.0, "l1": 1.0}.get(self.penalty, float(self.l1_ratio))
        name = "lbfgs" if self.solver == "auto" else self.solver
        return Solver(name, l1, 1.0 - l1, float(self.tol), int(self.max_iter), self._threads())

    # The shared model: a chain with fixed transitions.

    def _tables(self, X: Any) -> Tables:
        features = self._read(X, reset=False)
        return Tables(features.sentence, partial(self._shared_table, features))

    def _shared_table(self, features: SentenceFeatures, first: int, last: int) -> Floats:
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

    def _states(self, features: SentenceFeatures, first: int, last: int) -> Floats:
        """Return x_t . w for the tokens first .. last - 1: (tokens, L)."""
        part = features.tokens(first, last)
        out = np.empty((last - first, len(self.classes_)))
        chain = _core.Chain(
            part.matrix, part.sentence, self.pair_start_, self.pair_label_, len(self.classes_)
        )
        _core.state_scores(chain, self.pair_weight_, out, self._threads())
        return out

    # The factors one by one: any model, and beam search.

    def _local(self, features: SentenceFeatures, first: int, last: int) -> Floats:
        """Return ln P(label | token, previous): (tokens, L + 1, L), the start symbol last."""
        L = len(self.classes_)
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

    def _each_sentence(
        self, features: SentenceFeatures, constraints: Constraints | None
    ) -> Iterator[tuple[int, Floats, Callable[[], Iterator[Floats]]]]:
        """Yield for every sentence its length, the scores of its first token, and the rest."""
        L = len(self.classes_)
        room = max(1, BLOCK // (L * (L + 1)))
        if constraints is not None:
            bar_start, bar = (np.where(c, 0.0, -np.inf) for c in constraints[:2])
        else:
            bar_start, bar = np.zeros(L), np.zeros((L, L))

        def rest(known: Floats, at: int, end: int) -> Iterator[Floats]:
            yield known + bar
            for t in range(at, end, room):
                yield self._local(features, t, min(end, t + room))[:, :L] + bar

        for low, high in blocks(features.sentence, L * (L + 1)):
            edges = features.sentence[low : high + 1].tolist()
            begin, end = edges[0], min(edges[-1], edges[0] + room)  # less than one long sentence
            local = self._local(features, begin, end)
            for a, b in pairwise(edges):
                if a == b:
                    yield 0, np.zeros(L), partial(rest, local[:0, :L], b, b)
                    continue
                here = local[a - begin : b - begin]
                first = here[0, L] + bar_start
                yield b - a, first, partial(rest, here[1:, :L], a + len(here), b)

    def _stop(self, constraints: Constraints | None) -> Floats:
        if constraints is None:
            return self.stop_
        return np.where(constraints.stop, self.stop_, -np.inf)

    def _paths(self, X: Any, constraints: Constraints | None, beam: int, k: int) -> list[Paths]:
        self._require_fitted()
        features, stop = self._read(X, reset=False), self._stop(constraints)
        found: list[Paths] = []
        for number, (n, first, rest) in enumerate(self._each_sentence(features, constraints)):
            if n == 0:
                found.append([(0.0, [])])
                continue
            search = partial(search_beam, width=beam) if beam else partial(best_paths, k=k)
            found.append(search(first, rest(), stop))
            if not found[-1]:
                way = f" that a beam of {beam} finds" if beam else ""
                raise DataError(
                    f"No labelling of sentence {number}{way} satisfies the constraints."
                )
        return found

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
            Width of a beam search instead of the exact Viterbi search (SPEC M-115); 1 is greedy.
        """
        if check_beam(beam) == 0 and self.states == "shared":
            return super().predict(X, constraints=constraints)
        paths = self._paths(X, constraints, int(beam), 1)
        return [self.classes_[best[0][1]].tolist() if best[0][1] else [] for best in paths]

    def predict_nbest(
        self, X: Any, k: int = 5, *, constraints: Constraints | None = None
    ) -> list[list[tuple[float, list[Any]]]]:
        """Return for every sentence its k best labellings, best first, as (ln P, labels)."""
        if self.states == "shared":
            return super().predict_nbest(X, k, constraints=constraints)
        paths = self._paths(X, constraints, 0, check_count("k", k))
        named = self.classes_.tolist()
        return [[(score, [named[i] for i in path]) for score, path in best] for best in paths]

    def predict_marginals(self, X: Any, *, constraints: Constraints | None = None) -> list[Floats]:
        """Return for every sentence P(label at token | sentence), shape (tokens, L)."""
        if self.states == "shared":
            return super().predict_marginals(X, constraints=constraints)
        self._require_fitted()
        features, found = self._read(X, reset=False), list[Floats]()
        for number, (n, first, rest) in enumerate(self._each_sentence(features, constraints)):
            if n == 0:
                found.append(np.empty((0, len(first))))
            elif constraints is None:
                found.append(forward(first, rest(), n))
            else:
                L = len(first)
                between = np.concatenate([np.empty((0, L, L)), *rest()])
                both = forward_backward(first, between, self._stop(constraints))
                if both is None:
                    raise DataError(f"No labelling of sentence {number} satisfies the constraints.")
                found.append(both)
        return found

    def local_distributions(self, X: Any) -> list[Floats]:
        """Return for every sentence P(label | token, previous), shape (tokens, L + 1, L).

        The second axis is the previous label, the start symbol last; every row sums to 1.
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
            return features.cut(self._states(features, 0, features.n_tokens))
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
