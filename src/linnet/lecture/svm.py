"""The multiclass SVM by stochastic subgradients (S0 Section 1.5.2, Alg. 6, Exercise 1.7)."""

from __future__ import annotations

from linnet.learn import svm
from linnet.lecture.stochastic import StochasticClassifier

__all__ = ["SVM"]


class SVM(StochasticClassifier):
    """Minimise regularizer/2 ||w||^2 + (1/M) sum_m hinge(w; x_m, y_m) (S0 Eq. 1.35, SPEC A-36).

    Parameters and attributes are those of :class:`StochasticClassifier`.

    Examples
    --------
    >>> machine = SVM(regularizer=0.1)
    >>> params = machine.train([[-1.0], [0.0], [1.0]], [0, 0, 1])
    >>> machine.test([[-2.0], [2.0]], params).tolist()
    [0, 1]
    """

    _learner = svm.SVM
