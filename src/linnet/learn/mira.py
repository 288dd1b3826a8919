r"""MIRA, the margin infused relaxed algorithm (SPEC M-47–M-49).

At each example whose guess is wrong, the smallest change of the weights that puts the gold label
ahead of the guess by its cost, as far as the cap C = 1/λ allows:

.. math:: \min_{w,\,\xi\ge0}\ \tfrac12\lVert w - w_t\rVert^2 + C\,\xi \quad\text{s.t.}\quad
   w \cdot f(x, y) \ge w \cdot f(x, \hat y) + \rho(\hat y, y) - \xi

In closed form, with :math:`\Delta = f(x, y) - f(x, \hat y)` and
:math:`\ell = \rho(\hat y, y) - w_t \cdot \Delta`:
:math:`w = w_t + \min(C,\ \ell / \lVert\Delta\rVert^2)\,\Delta`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from linnet import _core
from linnet.learn.flat.joint import JointFunction
from linnet.learn.flat.online_classifier import OnlineClassifier
from linnet.learn.flat.regularized import cost_matrix
from linnet.learn.shared.checks import check_choice, check_positive
from linnet.learn.shared.declaration import Declaration, tried
from linnet.learn.shared.online_run import Examples, Floats, Rule
from linnet.learn.shared.properties import Properties, discriminative

__all__ = ["MIRA"]


class MIRA(OnlineClassifier):
    """MIRA and the passive-aggressive algorithms, for two classes or more.

    Parameters
    ----------
    C : float
        The largest step, 1/λ in the lectures.
    cost : array of shape (K, K), optional
        ``cost[gold, guess]`` is the margin asked for; not negative, zero diagonal. Default 1.
    variant : {"pa1", "pa", "pa2"}
        "pa1" is MIRA, min(C, ℓ/|Δ|²); "pa" has no cap; "pa2" takes ℓ/(|Δ|² + 1/(2C)).
    decode : {"predicted", "augmented"}
        Whether the guess has the largest score, or the largest score plus cost; the latter also
        corrects examples that are right by less than their cost.
    max_iter, average, truncate, shuffle, stop_when_clean, fit_intercept, intercept_scaling, \
early_stopping, validation_fraction, n_iter_no_change, snapshot_every, record_objective, \
joint_map, class_weight, warm_start, n_threads, random_state, verbose
        As in :class:`~linnet.learn.perceptron.Perceptron`.

    Attributes
    ----------
    classes_, coef_, intercept_, history_, mistakes_, n_iter_, t_, optimality_, snapshots_, \
validation_scores_
        As in :class:`~linnet.learn.perceptron.Perceptron`; the loss is ℓ.

    Notes
    -----
    Two classes keep the single vector w₁ − w₀, which moves by twice the step of each; during
    training a score of exactly 0 guesses class 0, as the argmax over two columns would.

    Examples
    --------
    >>> model = MIRA(fit_intercept=False, average=False, max_iter=1, shuffle=False)
    >>> model.fit([[1, 2], [0, 0]], ["b", "a"]).coef_
    array([[0.2, 0.4]])
    """

    properties: ClassVar[Properties] = discriminative(training="easy")
    declaration: ClassVar[Declaration] = Declaration(
        place=30,
        training="rounds",
        grid=tried("C", 1.0, 0.1, 0.01, 0.3, 0.03, 3.0),
        shown={"MIRA": {"random_state": 0}},
    )

    def __init__(
        self,
        C: float = 1.0,
        *,
        cost: Any = None,
        variant: str = "pa1",
        decode: str = "predicted",
        max_iter: int = 10,
        average: bool | str = True,
        truncate: float = 0.0,
        shuffle: bool = True,
        stop_when_clean: bool = True,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        snapshot_every: int | None = None,
        record_objective: bool = True,
        joint_map: JointFunction | None = None,
        class_weight: Any = None,
        warm_start: bool = False,
        n_threads: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.cost = cost
        self.variant = variant
        self.decode = decode
        self.max_iter = max_iter
        self.average = average
        self.truncate = truncate
        self.shuffle = shuffle
        self.stop_when_clean = stop_when_clean
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.snapshot_every = snapshot_every
        self.record_objective = record_objective
        self.joint_map = joint_map
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_threads = n_threads
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_positive(C=self.C)
        check_choice("variant", self.variant, ("pa1", "pa", "pa2"))
        check_choice("decode", self.decode, ("predicted", "augmented"))

    def _rule(self, n_classes: int, form: str) -> Rule:
        return Rule(
            "mira",
            form,
            n_classes,
            variant=self.variant,
            cap=float(self.C),
            augmented=self.decode == "augmented",
            cost=cost_matrix(self.cost, n_classes),
        )

    def _rates(self, first: int, n: int) -> Floats:
        return np.ones(n)

    def _with_norms(self, examples: Examples) -> Examples:
        norms = np.empty(examples.count)
        _core.squared_norms(examples.features.matrix, self._bias(), norms, self._threads())
        return replace(examples, norms=norms)
