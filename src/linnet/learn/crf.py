r"""Conditional random fields: one exponential model of a whole labelling (SPEC M-118, M-119).

.. math::
   p(y \mid x) = \frac{e^{w \cdot \Phi(x, y)}}{\sum_{y'} e^{w \cdot \Phi(x, y')}}, \qquad
   \min_w\ \tfrac12 \lVert w \rVert^2 + C \sum_i -\ln p(y_i \mid x_i)

The sum over all labellings takes time linear in the length of the sentence (forward and backward).
Where a MEMM normalises at every token, a CRF does once for the sentence, so that a later word can
still change an earlier decision (M-120). CRFsuite's ``c2`` is 1 / (2 C), its ``c1`` is 1 / C.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from linnet.learn.chain.tagger import PenalisedChain, require_finite
from linnet.learn.chain.weights import (
    TRANSITIONS,
    Following,
    Layout,
    observed_pairs,
    wanted_transitions,
)
from linnet.learn.shared.checks import check_choice, sample_weights, seed_from
from linnet.learn.shared.declaration import Declaration, tried
from linnet.learn.shared.history import History
from linnet.learn.shared.properties import Properties, discriminative
from linnet.learn.shared.restore import restored_on_error

__all__ = ["CRF"]


class CRF(PenalisedChain):
    """Linear-chain conditional random field.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the penalty.
    penalty : {"l2", "l1", "elasticnet"}, default="l2"
    l1_ratio : float, default=0.5
        Share of l1 in "elasticnet".
    pairs : {"observed", "all"}, default="observed"
        Which (feature, label) pairs have a weight: those that occur together in the training
        data, as in CRFsuite, or all.
    transitions : {"auto", "observed", "all"}, default="auto"
        Which pairs of neighbouring labels have a weight: those that are neighbours somewhere in
        the training data, as in CRFsuite, or all. The others score 0 and stay possible; starts and
        stops always have a weight. With "observed" the time of a pass grows with the pairs seen,
        not with the square of the labels. "auto" is "all" up to 50 labels, "observed" above.
    solver : {"auto", "lbfgs", "gradient_descent", "sgd"}, default="auto"
        "auto" is "lbfgs"; with an l1 penalty it works orthant by orthant. "sgd" takes a step a
        sentence: soon near the optimum, and never certified.
    average : bool, default=False
        With "sgd", return the mean over the steps from the second round on.
    shuffle : bool, default=True
        With "sgd", a fresh order every round.
    tol : float, default=1e-3
        Stop when the objective is certified to be within this share of its optimum; with "sgd"
        when it has not fallen by this share in 5 rounds.
    max_iter : int, default=500
    warm_start : bool, default=False
        Start from the weights of the previous fit, if features and labels are the same.
    n_threads : int, optional
        None uses all cores. The result does not depend on it.
    random_state : int, RandomState or None
        Of the orders of "sgd".
    verbose : int, default=0

    Attributes
    ----------
    classes_, transition_, start_, stop_, pair_start_, pair_label_, pair_weight_
        See :class:`linnet.learn.chain.tagger.ChainClassifier`.
    history_ : dict of arrays
    optimality_ : float
        A certified bound on how far above its optimum the objective is, as a share of it;
        infinite with "sgd".
    n_iter_ : int

    Examples
    --------
    >>> import linnet
    >>> X = [[["w=the"], ["w=dog"], ["w=runs"]], [["w=dogs"], ["w=run"]]]
    >>> y = [["D", "N", "V"], ["N", "V"]]
    >>> crf = linnet.CRF(C=10.0).fit(X, y)
    >>> crf.predict([[["w=the"], ["w=dog"], ["w=run"]]])
    [['D', 'N', 'V']]
    """

    properties: ClassVar[Properties] = discriminative(models="P(y | x)", training="hard")
    declaration: ClassVar[Declaration] = Declaration(
        place=170,
        reads="tokens",
        convex=True,
        compared={"tol": 1e-2},
        grid=tried("C", 1.0, 0.3, 3.0, 0.1, 10.0, 0.03, 30.0),
    )
    solvers: ClassVar[tuple[str, ...]] = (*PenalisedChain.solvers, "sgd")

    def __init__(
        self,
        C: float = 1.0,
        *,
        penalty: str = "l2",
        l1_ratio: float = 0.5,
        pairs: str = "observed",
        transitions: str = "auto",
        solver: str = "auto",
        average: bool = False,
        shuffle: bool = True,
        tol: float = 1e-3,
        max_iter: int = 500,
        warm_start: bool = False,
        n_threads: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.penalty = penalty
        self.l1_ratio = l1_ratio
        self.pairs = pairs
        self.transitions = transitions
        self.solver = solver
        self.average = average
        self.shuffle = shuffle
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.n_threads = n_threads
        self.random_state = random_state
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
            history = History(self.verbose, "CRF")
            self._fit(X, y, sample_weight, history)
            self._keep_record(history)
            return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, history: History) -> None:
        self._check_parameters()
        before = self._before()
        features = self._read(X, reset=True)
        gold = self._read_gold(y, features)
        L, every = len(self.classes_), self.pairs == "all"
        self.pair_start_, self.pair_label_ = observed_pairs(features, gold, L, every=every)
        weights = sample_weights(sample_weight, features.n_sentences)
        following = wanted_transitions(self.transitions, gold, features.sentence, L)
        chain = self._core_chain(features, following)
        w = np.zeros(chain.weights)
        if before is not None and len(before[0]) == len(w) and self._same(before):
            w[:] = before[0]
            _forget_others(self._layout(), w, following)
        cost = np.ascontiguousarray(self.C * weights)
        if self.solver != "sgd":
            self._set_weights(self._minimise(chain, gold, cost, w, history))
            return
        from linnet.learn.shared.sgd import (
            fit_crf_sgd,  # with SciPy, which a saved CRF does without
        )

        w = fit_crf_sgd(
            chain, gold, cost, start=w, average=bool(self.average), shuffle=bool(self.shuffle),
            seed=seed_from(self.random_state), tol=float(self.tol),
            max_iter=int(self.max_iter), history=history, threads=self._threads(),
        )  # fmt: skip
        self._set_weights(require_finite(w))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("transitions", self.transitions, TRANSITIONS)

    def _before(self) -> tuple[NDArray[np.float64], Any, Any, Any] | None:
        if not self.warm_start or not hasattr(self, "transition_"):
            return None
        return self._weights(), self.classes_, self.pair_start_, self.pair_label_

    def _same(self, before: tuple[NDArray[np.float64], Any, Any, Any]) -> bool:
        _, classes, start, label = before
        return (
            np.array_equal(classes, self.classes_)
            and np.array_equal(start, self.pair_start_)
            and np.array_equal(label, self.pair_label_)
        )


def _forget_others(layout: Layout, w: NDArray[np.float64], following: Following | None) -> None:
    """Set the transitions to 0 that have no weight in this fit."""
    if following is None:
        return
    _, transition, _, _ = layout.split(w)
    previous = np.repeat(np.arange(layout.n_labels), np.diff(following.start))
    kept = transition[previous, following.next].copy()
    transition[:] = 0.0
    transition[previous, following.next] = kept
