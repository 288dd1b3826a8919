r"""Conditional random fields: one exponential model of a whole labelling (SPEC M-118, M-119).

.. math::
   p(y \mid x) = \frac{e^{w \cdot \Phi(x, y)}}{\sum_{y'} e^{w \cdot \Phi(x, y')}}, \qquad
   \min_w\ \tfrac12 \lVert w \rVert^2 + C \sum_i -\ln p(y_i \mid x_i)

The sum over all labellings takes time linear in the length of the sentence (forward and backward).
Where a MEMM normalises at every token, a CRF does once for the sentence, so that a later word can
still change an earlier decision (M-120). Features may span two neighbouring labels, or three with
``order=2``; forward and backward then take n L² or n L³ steps (M-119). CRFsuite's ``c2`` is
1 / (2 C), its ``c1`` is 1 / C.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from linnet.errors import ParameterError
from linnet.learn.chain.elsewhere import ChainElsewhere
from linnet.learn.chain.regularised import Learnt, PenalisedChain
from linnet.learn.chain.scores import Floats
from linnet.learn.chain.tagger import require_finite
from linnet.learn.chain.weights import (
    TRANSITIONS,
    Following,
    observed_pairs,
    observed_triples,
    wanted_transitions,
)
from linnet.learn.shared.checks import check_choice, sample_weights, seed_from
from linnet.learn.shared.declaration import Declaration, tried
from linnet.learn.shared.history import History
from linnet.learn.shared.parameters import parameters
from linnet.learn.shared.properties import Properties, discriminative
from linnet.learn.shared.solvers import SGD, solver_name, stochastic

__all__ = ["CRF"]


@parameters
class CRF(PenalisedChain):
    """Linear-chain conditional random field.

    Parameters
    ----------
    transitions : {"auto", "observed", "all"}, default="auto"
        Which pairs of neighbouring labels have a weight: those that are neighbours somewhere in
        the training data, as in CRFsuite, or all. The others score 0 and stay possible; starts and
        stops always have a weight. With "observed" the time of a pass grows with the pairs seen,
        not with the square of the labels. "auto" is "all" up to 50 labels, "observed" above.
    solver : {"auto", "lbfgs", "gradient_descent", "sgd"} or SGD, default="auto"
        "auto" is "lbfgs"; with an l1 penalty it works orthant by orthant. "sgd" takes a step a
        sentence: soon near the optimum, and never certified. :class:`linnet.SGD` sets its order and
        its average, which is over the steps from the second round on.
    tol : float, default=1e-3
        Stop when the objective is certified to be within this share of its optimum; with "sgd"
        when it has not fallen by this share in 5 rounds.
    random_state : int, RandomState or None
        Of the orders of "sgd".
    order : {1, 2}, default=1
        How many labels before it a label depends on. With 2 three labels in a row have a weight
        too, ``triple_``: those that stand so somewhere in the training data, or all, as
        ``transitions`` says. Time and memory grow with the third power of the labels, of which
        there may be 100.

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

    transitions: str = "auto"
    random_state: Any = None
    order: int = 1

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_order()
        check_choice("transitions", self.transitions, TRANSITIONS)

    def _check_stochastic(self, settings: SGD) -> None:
        from linnet.learn.chain.sgd import check_settings

        super()._check_stochastic(settings)
        check_settings(settings)

    def _minimise(self, X: Any, y: Any, sample_weight: Any, history: History) -> bool:
        learnt = self._learnt()
        features = self._read(X, reset=True)
        gold = self._read_gold(y, features)
        L, every = len(self.classes_), self.pairs == "all"
        pairs = observed_pairs(features, gold, L, every=every)
        self.pair_start_, self.pair_label_ = pairs
        weights = sample_weights(sample_weight, features.n_sentences)
        following = wanted_transitions(self.transitions, gold, features.sentence, L)
        triples = None
        if following is not None and self.order == 2:
            triples = observed_triples(gold, features.sentence, L)
        chain = self._core_chain(features, following, triples)
        w = np.zeros(chain.weights)
        if learnt is not None and learnt.has(self.classes_, pairs):
            self._take_over(learnt, w, following, triples)
        cost = np.ascontiguousarray(self.C * weights)
        history.watch(self._with_weights)
        settings, converged = stochastic(self.solver), True
        if settings is None:
            converged = self._solve(chain, gold, cost, w, history)
        else:
            from linnet.learn.chain.sgd import SentencesHere, fit_crf_sgd

            here = partial(SentencesHere, chain)
            walk_of = chain.walk if isinstance(chain, ChainElsewhere) else here
            rounds = int(self.max_iter)
            walk = walk_of(
                gold, cost, settings, start=w, seed=seed_from(self.random_state), rounds=rounds,
                threads=self._threads(),
            )  # fmt: skip
            w = fit_crf_sgd(walk, w, tol=float(self.tol), max_iter=rounds, history=history)
        self._set_weights(require_finite(w))
        return converged

    def streamed(self) -> CRF:
        """Return the same CRF, unfitted, as it learns from a stream: by SGD, which "auto" is there.

        Raises
        ------
        ParameterError
            When its solver needs all sentences at once.
        """
        if solver_name(self.solver) not in ("auto", "sgd"):
            raise ParameterError(
                f"CRF needs all sentences at once with solver={solver_name(self.solver)!r}; over a "
                "stream use 'sgd'."
            )
        crf = CRF(**self.get_params(deep=False))
        crf.solver = "sgd" if self.solver == "auto" else self.solver
        crf.random_state = 0 if self.random_state is None else self.random_state
        crf._check_parameters()
        return crf

    def _take_over(
        self, learnt: Learnt, w: Floats, following: Following | None,
        triples: NDArray[np.uint8] | None,
    ) -> None:  # fmt: skip
        """Begin with the weights of an earlier fit, but for those that have none in this one."""
        layout = self._layout()
        parts = (learnt.pair_weight, learnt.transition, learnt.start, learnt.stop)
        for part, value in zip(layout.split(w), parts, strict=True):
            part[:] = value
        triple = layout.triples(w)
        if triple is not None and learnt.triple is not None:
            triple[:] = learnt.triple if triples is None else learnt.triple * triples
        if following is None:
            return
        _, transition, _, _ = layout.split(w)
        previous = np.repeat(np.arange(layout.n_labels), np.diff(following.start))
        kept = transition[previous, following.next].copy()
        transition[:] = 0.0
        transition[previous, following.next] = kept
