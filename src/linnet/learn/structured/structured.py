r"""The structured perceptron, MIRA and SVM: learning with a decoder inside (SPEC M-116, M-123).

.. math:: \hat y = \arg\max_y w \cdot \Phi(x, y), \qquad
   w \leftarrow w + \eta\,(\Phi(x, y) - \Phi(x, \hat y))

One sentence at a time: find the best labelling, and if it is wrong, move the weights towards the
features of the right one and away from those of the guess. The perceptron's step η is 1; MIRA's is
the shortest after which the right labelling leads by the number of labels that were wrong.

The support vector machine asks the same lead of every sentence at once, with the Hamming cost:

.. math:: \min_w\ \tfrac12 \lVert w \rVert^2 + C \sum_i \max_y\,
   [w \cdot \Phi(x_i, y) + \text{wrong}(y, y_i)] - w \cdot \Phi(x_i, y_i)

Solved in the dual by coordinate ascent on the shares of wrong stretches of labels, which has no
rate to choose and ends with a duality gap (core/learners/structured_svm.hpp).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from linnet import _core
from linnet.learn.chain.online import OnlineTagger
from linnet.learn.chain.tagger import ChainClassifier, require_finite
from linnet.learn.chain.weights import observed_pairs
from linnet.learn.shared.checks import check_choice, sample_weights, seed_from
from linnet.learn.shared.declaration import Declaration, tried
from linnet.learn.shared.history import History
from linnet.learn.shared.parameters import parameters
from linnet.learn.shared.properties import Properties, discriminative
from linnet.learn.shared.regularised import Regularised
from linnet.learn.shared.updates import MiraUpdate, PerceptronUpdate

__all__ = ["StructuredMIRA", "StructuredPerceptron", "StructuredSVM"]


@parameters
class StructuredPerceptron(PerceptronUpdate, OnlineTagger):
    """Structured perceptron, plain or averaged.

    Examples
    --------
    >>> import linnet
    >>> X = [[["w=the"], ["w=dog"], ["w=runs"]], [["w=dogs"], ["w=run"]]]
    >>> y = [["D", "N", "V"], ["N", "V"]]
    >>> tagger = linnet.StructuredPerceptron(random_state=0).fit(X, y)
    >>> tagger.predict([[["w=the"], ["w=dog"], ["w=run"]]])
    [['D', 'N', 'V']]
    """

    declaration: ClassVar[Declaration] = Declaration(
        short="perceptron",
        place=140,
        reads="tokens",
        training="rounds",
        grid=tried("max_iter", 10, 5, 20),
    )


@parameters
class StructuredMIRA(MiraUpdate, OnlineTagger):
    """Structured MIRA: the smallest change that corrects a sentence, with the Hamming cost.

    The cost of a labelling is the number of its wrong labels.

    Parameters
    ----------
    decode : {"augmented", "predicted"}, default="augmented"
        Which labelling is corrected: that of largest score plus cost, or of largest score.

    Examples
    --------
    >>> import linnet
    >>> X, y = [[{"a": 1.0}, {"b": 1.0}]], [["A", "B"]]
    >>> step = next(linnet.StructuredMIRA(shuffle=False).steps(X, y))
    >>> step.guess, step.loss, step.step_size
    (['B', 'A'], 2.0, 0.25)
    """

    declaration: ClassVar[Declaration] = Declaration(
        short="mira",
        place=150,
        reads="tokens",
        training="rounds",
        grid=tried("C", 1.0, 0.1, 0.01, 0.3),
    )

    decode: str = "augmented"


@parameters
class StructuredSVM(Regularised, ChainClassifier):
    """Structured SVM.

    Parameters
    ----------
    pairs : {"observed", "all"}, default="observed"
        Which (feature, label) pairs have a weight: those that occur together in the training
        data, or all.
    classes : list of labels, optional
        The labels in the order in which ``classes_`` and all tables have them; sorted by default.
    tol : float, default=0.01
        Stop when the duality gap is at most this share of the objective.
    max_iter : int, default=100
        Passes over the sentences; each decodes every sentence once.
    shuffle : bool, default=True
        A fresh order every pass; False keeps the given order.
    random_state : int, RandomState or None
    order : {1, 2}, default=1
        How many labels before it a label depends on. With 2 three labels in a row have a weight
        too, ``triple_``; time and memory grow with the third power of the labels, of which there
        may be 100.

    Attributes
    ----------
    transition_, start_, stop_, pair_start_, pair_label_, pair_weight_
        See :class:`linnet.learn.chain.tagger.ChainClassifier`.
    history_ : dict of arrays, one value a pass
        ``objective`` at the end of the pass; ``gap``, the least objective so far minus the dual.
        The weights are those of the least objective.
    optimality_ : float
        The gap at the end as a share of the objective.

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
    declaration: ClassVar[Declaration] = Declaration(
        short="svm",
        place=160,
        reads="tokens",
        training="rounds",
        compared={"max_iter": 5},
        grid=tried("C", 1.0, 0.3, 3.0, 0.1, 10.0, 0.03, 30.0),
    )

    pairs: str = "observed"
    classes: Any = None
    tol: float = 0.01
    max_iter: int = 100
    shuffle: bool = True
    random_state: Any = None
    order: int = 1

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_order()
        check_choice("pairs", self.pairs, ("observed", "all"))

    def _minimise(self, X: Any, y: Any, sample_weight: Any, history: History) -> bool:
        features = self._read(X, reset=True)
        gold = self._read_gold(y, features)
        L, every = len(self.classes_), self.pairs == "all"
        self.pair_start_, self.pair_label_ = observed_pairs(features, gold, L, every=every)
        weights = sample_weights(sample_weight, features.n_sentences)
        chain = self._core_chain(features)
        w = np.zeros(chain.weights)
        history.watch(self._with_weights)
        history.follow(w)
        _core.structured_svm(
            chain=chain, gold=gold, cost=np.ascontiguousarray(self.C * weights),
            tolerance=float(self.tol), max_iterations=int(self.max_iter),
            shuffle=bool(self.shuffle), seed=seed_from(self.random_state), w=w,
            record=history.record, threads=self._threads(),
        )  # fmt: skip
        self._set_weights(require_finite(w))
        return self._optimality(history) <= self.tol

    def _optimality(self, history: History) -> float:
        return history.last("gap") / max(history.least("objective"), 1e-300)
