"""Maximum entropy by stochastic gradient descent (S0 Section 1.5.1, Alg. 5, Exercise 1.6.3)."""

from __future__ import annotations

from linnet.learn.maxent import MaxEnt
from linnet.lecture.stochastic import StochasticClassifier

__all__ = ["MaxEntOnline", "MaxEnt_online"]


class MaxEntOnline(StochasticClassifier):
    """The objective of :class:`MaxEntBatch`, minimised one example at a time.

    Parameters and attributes are those of :class:`StochasticClassifier`.

    Examples
    --------
    >>> me_sgd = MaxEntOnline(regularizer=0.1)
    >>> params = me_sgd.train([[-1.0], [0.0], [1.0]], [0, 0, 1])
    >>> me_sgd.test([[-2.0], [2.0]], params).tolist()
    [0, 1]
    """

    _learner = MaxEnt


MaxEnt_online = MaxEntOnline  # the lecture's spelling
