"""The calling style of S0's lab, over linnet's learners (SPEC C-21, E-08).

The classes are named as in the lecture's exercises, which so run almost as printed:

>>> import linnet.lecture as lab
>>> sd = lab.SimpleDataSet(nr_examples=100, g1=[[-1, -1], 1], g2=[[1, 1], 1], balance=0.5,
...                        split=[0.5, 0, 0.5])
>>> gnb = lab.GaussianNaiveBayes()
>>> params = gnb.train(sd.train_X, sd.train_y)
>>> params.shape
(3, 2)
>>> gnb.evaluate(sd.test_y, gnb.test(sd.test_X, params)) > 0.8
True

A session typed from the lecture needs two changed lines, those that say where its modules are::

    import sys
    import linnet.lecture as lab; sys.path.append(lab.READERS)
    sys.path.append(lab.CLASSIFIERS)
    import mira as mirac  # a mira.py of your own, in your folder, comes first

Labels are 0..K-1; parameters have shape (J + 1, K), row 0 the bias, column k for label k. The
classes only translate the lecture's parameters into linnet's and call its learners; new work is
better written with the learners themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from linnet.data.corpora import SentimentCorpus
from linnet.data.gaussian import SimpleDataSet
from linnet.errors import ParameterError
from linnet.explain.boundaries import linear_parameters
from linnet.explain.plots.comparison import Boundary
from linnet.learn import perceptron, svm
from linnet.learn.maxent import MaxEnt
from linnet.learn.mira import MIRA
from linnet.learn.naive_bayes import GaussianNB, MultinomialNB
from linnet.lecture.base import (
    Array,
    LinearClassifier,
    MeanLoss,
    StochasticClassifier,
    class_labels,
)
from linnet.lecture.compare import boundaries

__all__ = [
    "CLASSIFIERS",
    "READERS",
    "SVM",
    "GaussianNaiveBayes",
    "LinearClassifier",
    "MaxEntBatch",
    "MaxEntOnline",
    "MaxEnt_batch",
    "MaxEnt_online",
    "MeanLoss",
    "Mira",
    "MultinomialNaiveBayes",
    "Perceptron",
    "SentimentCorpus",
    "SimpleDataSet",
    "compare_all",
]

#: Folders for ``sys.path``, with modules named like the files of the lab.
READERS, CLASSIFIERS = (str(Path(__file__).parent / name) for name in ("readers", "classifiers"))


@dataclass(eq=False)
class GaussianNaiveBayes(LinearClassifier):
    """Estimate a mean for each class and feature; the variance is given (Exercises 1.1, 1.3).

    Parameters
    ----------
    variance : float
        The variance of every feature in every class (SPEC A-11).

    Attributes
    ----------
    means : array of shape (K, J)
    prior : array of shape (K,)

    Examples
    --------
    >>> gnb = GaussianNaiveBayes()
    >>> gnb.train([[-1.0, 0.0], [1.0, 0.0]], [0, 1]).round(4).tolist()
    [[-1.1931, -1.1931], [-1.0, 1.0], [0.0, 0.0]]
    """

    variance: float = 1.0

    def train(self, x: Any, y: ArrayLike) -> Array:
        """Return w_y = means_y / variance and b_y = ln prior_y - ||means_y||^2 / (2 variance)."""
        gold, _ = class_labels(y)
        model = GaussianNB(variance=self.variance).fit(x, gold)
        self.means, self.prior = model.theta_, np.exp(model.class_log_prior_)
        self.trained = True
        bias = model.class_log_prior_ - (self.means**2).sum(axis=1) / (2 * self.variance)
        return np.vstack([bias, self.means.T / self.variance])


@dataclass(eq=False)
class MultinomialNaiveBayes(LinearClassifier):
    """Estimate a distribution over the words for each class (S0 Exercise 1.2).

    Parameters
    ----------
    smoothing : float
        Added to every count: 0 is maximum likelihood (part 2 of the exercise), 1 its part 3.
    normalizer : {"tokens", "documents"}
        What counts are divided by: the number of words in the class, which makes a distribution,
        or the number of its documents, as the lecture prints it (SPEC A-01, A-02).

    Attributes
    ----------
    likelihood : array of shape (J, K)
        Probability of each word in each class.
    prior : array of shape (K,)

    Examples
    --------
    >>> mnb = MultinomialNaiveBayes(smoothing=1.0)
    >>> params = mnb.train([[2, 0], [0, 1]], [0, 1])
    >>> mnb.likelihood.round(3).tolist(), mnb.test([[1, 0], [0, 1]], params).tolist()
    ([[0.75, 0.333], [0.25, 0.667]], [0, 1])
    """

    smoothing: float = 0.0
    normalizer: Literal["tokens", "documents"] = "tokens"

    def train(self, x: Any, y: ArrayLike) -> Array:
        """Return b_y = ln prior_y and w_yj = ln likelihood_jy (S0 Eq. 1.20); -inf is legal."""
        gold, _ = class_labels(y)
        model = MultinomialNB(alpha=self.smoothing, normalizer=self.normalizer).fit(x, gold)
        self.prior = np.exp(model.class_log_prior_)
        self.likelihood = np.exp(model.feature_log_prob_).T
        self.trained = True
        return np.vstack([model.class_log_prior_, model.feature_log_prob_.T])


@dataclass(eq=False)
class Perceptron(LinearClassifier):
    """w += f(x, y) - f(x, guess) after each wrong guess, in a new order each round (Alg. 2).

    Parameters
    ----------
    nr_rounds : int
        Passes over the data.
    averaged : bool
        Return the mean of the weights after each step rather than the last weights (SPEC A-16).
    seed : int
        Of the shuffling.

    Attributes
    ----------
    params_per_round : list of arrays of shape (J + 1, K)
        The last weights of each round, before averaging: the "intermediate weight vectors".

    Examples
    --------
    >>> perc = Perceptron(nr_rounds=5)
    >>> params = perc.train([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1])
    >>> perc.test([[-3.0], [3.0]], params).tolist()
    [0, 1]
    """

    nr_rounds: int = 10
    averaged: bool = True
    seed: int = 0

    def train(self, x: Any, y: ArrayLike) -> Array:
        """Return the parameters, shape (J + 1, K)."""
        gold, n_classes = class_labels(y)
        # A tie goes to label 0 in the lecture's argmax and to the second class of linnet's single
        # score, so label 0 is made the second class.
        model = perceptron.Perceptron(
            max_iter=self.nr_rounds,
            average=self.averaged,
            tie="sign",
            stop_when_clean=False,
            snapshot_every=1,
            random_state=self.seed,
        ).fit(x, 1 - gold if n_classes == 2 else gold)
        self.params_per_round = [_columns(s.last_coef, s.last_intercept) for s in model.snapshots_]
        self.trained = True
        return _columns(model.coef_, model.intercept_)


def _columns(coef: Array, intercept: Array) -> Array:
    """Return parameters; each update of two classes adds to one column what the other loses."""
    weights = np.vstack([intercept, coef.T])
    return np.hstack([weights, -weights]) if weights.shape[1] == 1 else weights


@dataclass(eq=False)
class Mira(LinearClassifier):
    """After a wrong guess the smallest change that gains a margin, up to 1/regularizer (Alg. 3).

    Parameters
    ----------
    nr_rounds : int
        Passes over the data, shuffled each time.
    regularizer : float
        The lecture's lambda: steps are at most 1/lambda long.
    averaged : bool
        Return the mean of the weights after each step rather than the last weights.
    seed : int
        Of the shuffling.

    Examples
    --------
    >>> mira = Mira(regularizer=1.0)
    >>> params = mira.train([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1])
    >>> mira.test([[-3.0], [3.0]], params).tolist()
    [0, 1]
    """

    nr_rounds: int = 10
    regularizer: float = 1.0
    averaged: bool = True
    seed: int = 0

    def train(self, x: Any, y: ArrayLike) -> Array:
        """Return the parameters, shape (J + 1, K)."""
        if not self.regularizer > 0:
            raise ParameterError(f"regularizer must be positive, got {self.regularizer}.")
        gold, _ = class_labels(y)
        model = MIRA(
            C=1.0 / self.regularizer,
            max_iter=self.nr_rounds,
            average=self.averaged,
            stop_when_clean=False,
            random_state=self.seed,
        ).fit(x, gold)
        self.trained = True
        return linear_parameters(model)


@dataclass(eq=False)
class MaxEntBatch(LinearClassifier):
    """Minimise regularizer/2 ||w||^2 - (1/M) sum_m ln p_w(y_m | x_m) (S0 Eq. 1.31).

    Parameters
    ----------
    regularizer : float
        The lecture's lambda.

    Attributes
    ----------
    objectives : array
        The objective of each iteration, from w = 0 on.

    Examples
    --------
    >>> me_lbfgs = MaxEntBatch(regularizer=0.1)
    >>> params = me_lbfgs.train([[-1.0], [0.0], [1.0]], [0, 0, 1])
    >>> me_lbfgs.test([[-2.0], [2.0]], params).tolist()
    [0, 1]
    """

    regularizer: float = 1.0

    def train(self, x: Any, y: ArrayLike) -> Array:
        """Return the optimal parameters, shape (J + 1, K)."""
        problem = MeanLoss(y, self.regularizer)
        model = MaxEnt(problem.C, solver="lbfgs", tol=1e-8).fit(x, problem.gold)
        self.objectives = problem.objectives(model)
        self.trained = True
        return problem.parameters(model)


MaxEnt_batch = MaxEntBatch  # the lecture's spelling


class MaxEntOnline(StochasticClassifier):
    """The objective of :class:`MaxEntBatch`, minimised one example at a time (S0 Alg. 5).

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


@dataclass(eq=False)
class SVM(StochasticClassifier):
    """Minimise regularizer/2 ||w||^2 + (1/M) sum_m hinge(w; x_m, y_m) (S0 Eq. 1.35, SPEC A-36).

    The other parameters and the attributes are those of :class:`StochasticClassifier`.

    Parameters
    ----------
    loss_sum : bool
        Minimise the sum of the losses, as Eq. 1.35 prints it, instead of their mean: the optimum
        for regularizer / M.

    Examples
    --------
    >>> machine = SVM(regularizer=0.1)
    >>> params = machine.train([[-1.0], [0.0], [1.0]], [0, 0, 1])
    >>> machine.test([[-2.0], [2.0]], params).tolist()
    [0, 1]
    """

    _learner = svm.SVM
    loss_sum: bool = False

    def _problem(self, y: ArrayLike) -> MeanLoss:
        return MeanLoss(y, self.regularizer, loss_sum=self.loss_sum)


def compare_all(
    data: SimpleDataSet, classifiers: Mapping[str, LinearClassifier] | None = None
) -> tuple[Any, list[Boundary]]:
    """Plot the boundaries of all classifiers, with their accuracies (Exercise 1.8's "xx").

    Parameters
    ----------
    data : SimpleDataSet
    classifiers : mapping, optional
        Name to classifier; by default the five of the chapter with its settings, lambda = 1.

    Returns
    -------
    fig : Figure
    rows : list of Boundary
        Name, colour, parameters, training and test accuracy of each.

    Examples
    --------
    >>> fig, rows = compare_all(SimpleDataSet())
    >>> [(row.name, row.colour) for row in rows][3:]
    [('MaxEnt', 'orange'), ('SVM', 'purple')]
    """
    five: Mapping[str, LinearClassifier] = {
        "naive Bayes": GaussianNaiveBayes(),
        "perceptron": Perceptron(),
        "MIRA": Mira(),
        "MaxEnt": MaxEntBatch(),
        "SVM": SVM(),
    }
    return boundaries(data, five if classifiers is None else classifiers)
