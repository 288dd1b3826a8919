r"""The structured support vector machine with the Hamming cost (SPEC M-123).

.. math:: \min_w\ \tfrac12 \lVert w \rVert^2 + C \sum_i \max_y\,
   [w \cdot \Phi(x_i, y) + \text{wrong}(y, y_i)] - w \cdot \Phi(x_i, y_i)

The right labelling of every sentence is to lead each other one by as many points as that has wrong
labels. Solved in the dual by block-coordinate pairwise Frank–Wolfe (Lacoste-Julien et al. 2013,
Osokin et al. 2016), which has no rate to choose and ends with a duality gap.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from linnet import _core
from linnet.errors import DataError
from linnet.learn.chain.tagger import ChainClassifier
from linnet.learn.chain.weights import observed_pairs
from linnet.learn.checks import (
    check_choice,
    check_positive,
    sample_weights,
    seed_from,
    warn_unless_converged,
)
from linnet.learn.history import History
from linnet.learn.properties import Properties, discriminative
from linnet.learn.restore import restored_on_error
from linnet.learn.structured_online import check_count

__all__ = ["StructuredSVM"]


class StructuredSVM(ChainClassifier):
    """Structured SVM.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the penalty.
    pairs : {"observed", "all"}, default="observed"
        Which (feature, label) pairs have a weight: those that occur together in the training
        data, or all.
    tol : float, default=0.01
        Stop when the duality gap is at most this share of the objective.
    max_iter : int, default=100
        Rounds over the sentences.
    shuffle : bool, default=True
        A fresh order every round; False keeps the given order.
    n_threads : int, optional
        None uses all cores. The result does not depend on it.
    random_state : int, RandomState or None
    verbose : int, default=0

    Attributes
    ----------
    classes_, transition_, start_, stop_, pair_start_, pair_label_, pair_weight_
        See :class:`linnet.learn.chain.tagger.ChainClassifier`.
    history_ : dict of arrays, one value a round
        ``objective`` at the end of the round; ``gap``, the least objective so far minus the dual.
        The weights are those of the least objective.
    optimality_ : float
        The gap at the end as a share of the objective.
    n_iter_ : int

    Examples
    --------
    >>> import linnet
    >>> X = [[["w=the"], ["w=dog"], ["w=runs"]], [["w=dogs"], ["w=run"]]]
    >>> y = [["D", "N", "V"], ["N", "V"]]
    >>> svm = linnet.StructuredSVM(random_state=0).fit(X, y)
    >>> svm.predict([[["w=the"], ["w=dog"], ["w=run"]]])
    [['D', 'N', 'V']]
    """

    properties: ClassVar[Properties] = discriminative(training="hard")

    def __init__(
        self,
        C: float = 1.0,
        *,
        pairs: str = "observed",
        tol: float = 0.01,
        max_iter: int = 100,
        shuffle: bool = True,
        n_threads: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.pairs = pairs
        self.tol = tol
        self.max_iter = max_iter
        self.shuffle = shuffle
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
            Multiplies the C of a sentence.
        """
        with restored_on_error(self):
            return self._fit(X, y, sample_weight)

    def _check_parameters(self) -> None:
        check_positive(C=self.C, tol=self.tol)
        check_count("max_iter", self.max_iter, 1)
        check_choice("pairs", self.pairs, ("observed", "all"))

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._check_parameters()
        features = self._read(X, reset=True)
        gold = self._read_gold(y, features)
        every = self.pairs == "all"
        table = observed_pairs(features, gold, len(self.classes_), every=every)
        self.pair_start_, self.pair_label_ = table.start, table.label
        weights = sample_weights(sample_weight, features.n_sentences)
        chain = self._core_chain(features)
        w = np.zeros(chain.weights)
        history = History(self.verbose, "StructuredSVM")
        _core.structured_svm(
            chain=chain, gold=gold, cost=np.ascontiguousarray(self.C * weights),
            tolerance=float(self.tol), max_iterations=int(self.max_iter),
            shuffle=bool(self.shuffle), seed=seed_from(self.random_state), beam=0, w=w,
            record=history.record, threads=self._threads(),
        )  # fmt: skip
        if not np.isfinite(w).all():
            raise DataError("The fit overflowed: scale the features down, or lower C.")
        self._set_weights(w)
        self.history_ = history.as_dict()
        self.n_iter_ = len(history)
        self.optimality_ = history.last("gap") / max(history.least("objective"), 1e-300)
        warn_unless_converged("StructuredSVM", history, self.tol, self.optimality_ <= self.tol)
        return self
