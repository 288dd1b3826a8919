"""Bayes decision theory: losses, risks, rejecting, randomised rules (SPEC M-01 - M-06).

Problem: in the state of nature k, action a costs loss[a, k]. An observation x leaves the states
with probabilities P(k | x). Choose an action.

    conditional risk   R(a | x) = sum_k loss[a, k] P(k | x)
    Bayes decision     argmin_a R(a | x), the lowest index on ties
    randomised rule    takes a with probability Q(a | x) and costs sum_a Q(a | x) R(a | x),
                       which is never less than min_a R(a | x)

Given: probabilities, from any model that has them, and a matrix of losses of shape (A, K). The
actions need not be the classes: to reject, to ask a person, to wait are actions too. With the
zero-one loss R(k | x) = 1 - P(k | x), and the decision is the most probable class (S1 Eq 3 - 6).
"""

from __future__ import annotations

from linnet.decide.discriminants import dichotomiser, discriminants
from linnet.decide.risk import conditional_risk, posterior, randomised_risk, zero_one_loss
from linnet.decide.rule import BayesDecision

__all__ = [
    "BayesDecision",
    "conditional_risk",
    "dichotomiser",
    "discriminants",
    "posterior",
    "randomised_risk",
    "zero_one_loss",
]
