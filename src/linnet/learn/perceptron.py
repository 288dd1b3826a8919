r"""The perceptron (SPEC M-29–M-37, M-42–M-46).

Two classes, y = ±1: when an example is wrong, :math:`w \leftarrow w + \eta\,y\,x`. Several classes:
when the guess :math:`\hat y = \arg\max_k w_k \cdot x` is wrong,
:math:`w_y \leftarrow w_y + \eta\,x` and :math:`w_{\hat y} \leftarrow w_{\hat y} - \eta\,x`.
It is stochastic subgradient descent on the perceptron criterion
:math:`\sum_i \max(0, \theta - y_i\,w \cdot x_i)` with margin θ (M-44).
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from linnet.errors import ParameterError
from linnet.learn.flat.online_classifier import OnlineClassifier
from linnet.learn.shared.checks import LARGEST, check_choice
from linnet.learn.shared.declaration import Declaration, tried
from linnet.learn.shared.online_run import Floats, Rule
from linnet.learn.shared.parameters import parameters
from linnet.learn.shared.schedules import HeldOut, Schedule, check_schedule
from linnet.learn.shared.updates import PerceptronUpdate

__all__ = ["Perceptron"]


@parameters
class Perceptron(PerceptronUpdate, OnlineClassifier):
    """Perceptron, plain or averaged, for two classes or more.

    Parameters
    ----------
    margin : float, default=0.0
        θ: with two classes update when y s <= margin, with more when the gold score does not
        exceed the best other by more than the margin.
    tie : {"nonpositive", "sign", "strict"}, default="nonpositive"
        When a binary score on the margin is wrong: "nonpositive" always (y s <= margin); "sign"
        when the sign is wrong, a score of 0 counting as positive; "strict" never (y s < margin).
    learning_rate : float or Schedule, default=1.0
        η. From zero weights and without margin a constant rate only scales the weights.

    Examples
    --------
    >>> X = [[2, 1], [-1, -2], [1, -1], [-2, 1], [0.5, -2]]
    >>> model = Perceptron(average=False, shuffle=False).fit(X, [1, -1, 1, -1, -1])
    >>> model.coef_, model.intercept_, model.mistakes_
    (array([[2.5, 2. ]]), array([1.]), array([2, 1, 0]))
    """

    declaration: ClassVar[Declaration] = Declaration(
        place=20,
        training="rounds",
        grid=tried("max_iter", 10, 5, 20, 40),
        shown={
            "perceptron": {"average": False, "random_state": 0},
            "perceptron, averaged": {"random_state": 0},
        },
    )

    margin: float = 0.0
    tie: str = "nonpositive"
    learning_rate: float | Schedule = 1.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("tie", self.tie, ("nonpositive", "sign", "strict"))
        if not 0.0 <= self.margin <= LARGEST:
            raise ParameterError(f"margin must be finite and not negative, got {self.margin}.")
        if isinstance(check_schedule(self.learning_rate), HeldOut):
            raise ParameterError("HeldOut follows a likelihood, which a perceptron does not have.")

    def _rule(self, n_classes: int, form: str) -> Rule:
        rule = super()._rule(n_classes, form)
        return replace(rule, tie=self.tie, margin=float(self.margin))

    def _rates(self, first: int, n: int) -> Floats:
        return check_schedule(self.learning_rate).rates(first, n)
