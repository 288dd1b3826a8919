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
from linnet.learn.flat.online_classifier import OnlineClassifier
from linnet.learn.flat.online_run import Examples
from linnet.learn.flat.regularised import cost_matrix
from linnet.learn.shared.declaration import Declaration, tried
from linnet.learn.shared.elsewhere import Mixing
from linnet.learn.shared.online_run import Rule
from linnet.learn.shared.parameters import parameters
from linnet.learn.shared.updates import MiraUpdate

__all__ = ["MIRA"]


@parameters
class MIRA(MiraUpdate, OnlineClassifier):
    """MIRA and the passive-aggressive algorithms, for two classes or more.

    Parameters
    ----------
    cost : array of shape (K, K), optional
        ``cost[gold, guess]`` is the margin asked for; not negative, zero diagonal. Default 1.

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

    declaration: ClassVar[Declaration] = Declaration(
        place=30,
        training="rounds",
        grid=tried("C", 1.0, 0.1, 0.01, 0.3, 0.03, 3.0),
        shown={"MIRA": {"random_state": 0}},
    )

    cost: Any = None

    def _rule(self, n_classes: int, form: str) -> Rule:
        return replace(super()._rule(n_classes, form), cost=cost_matrix(self.cost, n_classes))

    def _with_norms(self, examples: Examples) -> Examples:
        if isinstance(examples.features, Mixing):  # each part takes the norms of its own rows
            return examples
        norms = np.empty(examples.count)
        _core.squared_norms(examples.features.matrix, self._bias(), norms, self._threads())
        return replace(examples, norms=norms)
