r"""How an online learner answers an example: the columns of the lectures' table.

.. math:: w \leftarrow w + \eta\,(\Phi(x, y) - \Phi(x, \hat y))

The perceptron's step η is 1, or a rate; MIRA's is the shortest after which the right answer leads
by its cost. What y ranges over is the structure's business: labels, or labellings of a sentence.
"""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

from linnet.learn.shared.checks import check_choice, check_positive
from linnet.learn.shared.online import Online
from linnet.learn.shared.online_run import Rule
from linnet.learn.shared.parameters import parameters
from linnet.learn.shared.properties import Properties, discriminative

__all__ = ["MiraUpdate", "PerceptronUpdate"]


@parameters
class PerceptronUpdate(Online):
    """A wrong answer moves the weights by one step, whatever it cost."""

    properties: ClassVar[Properties] = discriminative(
        misspecified="fair (may not converge)", training="easy", hyperparameters=0
    )

    max_iter: int = field(default=10, kw_only=False)

    def _rule(self, n_classes: int, form: str) -> Rule:
        return Rule("perceptron", form, n_classes)


@parameters
class MiraUpdate(Online):
    """The smallest change of the weights that corrects a wrong answer.

    Parameters
    ----------
    C : float, default=1.0
        The longest step, 1/λ in the lectures.
    variant : {"pa1", "pa", "pa2"}, default="pa1"
        The step: "pa1" is MIRA, min(C, ℓ/|Δ|²); "pa" has no cap; "pa2" takes ℓ/(|Δ|² + 1/(2C)),
        with Δ = Φ(x, y) - Φ(x, ŷ) and the loss ℓ = cost - w · Δ.
    decode : {"predicted", "augmented"}
        Which answer is corrected: that of largest score, or of largest score plus cost; the latter
        also corrects examples that are right by less than their cost.
    """

    properties: ClassVar[Properties] = discriminative(training="easy")

    C: float = field(default=1.0, kw_only=False)
    variant: str = "pa1"
    decode: str = "predicted"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_positive(C=self.C)
        check_choice("variant", self.variant, ("pa1", "pa", "pa2"))
        check_choice("decode", self.decode, ("predicted", "augmented"))

    def _rule(self, n_classes: int, form: str) -> Rule:
        return Rule(
            "mira", form, n_classes, variant=self.variant, cap=float(self.C),
            augmented=self.decode == "augmented",
        )  # fmt: skip
