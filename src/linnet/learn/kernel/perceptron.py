r"""The perceptron in its dual form, with any kernel (SPEC M-39–M-41).

The weights of a perceptron are a sum of examples, :math:`w = \sum_i \alpha_i y_i x_i` where
:math:`\alpha_i` counts the mistakes on example i, so its score needs dot products only, and those
may be the values of a kernel:

.. math:: y_k \Bigl(\sum_i \alpha_i y_i K(x_i, x_k) + b\Bigr) \le 0
   \quad\Rightarrow\quad \alpha_k \leftarrow \alpha_k + 1,\ b \leftarrow b + y_k

Several classes have an α each: the gold class gains, the wrong guess loses. The average of the
weights after every step is the same sum with averaged α.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.learn.kernel.base import KernelClassifier, KernelFunction
from linnet.learn.kernel.kernels import Table
from linnet.learn.shared.checks import check_choice, check_positive, seed_from
from linnet.learn.shared.declaration import Declaration
from linnet.learn.shared.inputs import encode_labels, require_two_classes
from linnet.learn.shared.properties import Properties, discriminative
from linnet.learn.shared.restore import restored_on_error
from linnet.stored import Array, Fields

__all__ = ["KernelPerceptron"]


class KernelPerceptron(KernelClassifier):
    """Perceptron with a kernel, plain or averaged, for two classes or more.

    Parameters
    ----------
    kernel, gamma, sigma, degree, coef0, length, decay
        As in :class:`linnet.KernelSVM`.
    max_iter : int, default=10
        Rounds over the examples.
    average : bool, default=True
        Return the mean of the coefficients after every step instead of the last ones.
    tie : {"nonpositive", "sign", "strict"}, default="nonpositive"
        When a score of 0 is wrong with two classes: always; when y is -1, as 0 counts as positive;
        never. With more, the lowest of equal classes is the guess.
    shuffle : bool, default=True
        A fresh order every round; False keeps the given order.
    stop_when_clean : bool, default=True
        Stop after a round without update.
    fit_intercept : bool, default=True
    cache_mb : float, default=200
        Memory for rows of the kernel matrix.
    classes : list of labels, optional
        The labels in the order in which ``classes_``, scores and probabilities have them; sorted by
        default. Ties go to the first of them.
    n_threads : int, optional
        Used to predict; None uses all cores. The result does not depend on it.
    random_state : int, RandomState or None

    Attributes
    ----------
    classes_ : array of shape (K,)
    alpha_ : array of int, shape (n,)
        The number of mistakes on each example.
    support_ : array of int
        The examples with at least one mistake.
    support_vectors_
    dual_coef_ : array of shape (1, S), or (K, S) for more than two classes
        The coefficient of each support vector: α y, or its average.
    intercept_ : array of shape (1,) or (K,)
    mistakes_ : array of int
        Updates in each round.
    history_ : dict of arrays, one value a round
    n_iter_ : int
    optimality_ : float
        Share of the examples that still caused an update in the last round; 0 means separated.
    gamma_ : float

    Examples
    --------
    >>> import linnet
    >>> X, y = [[1, 1], [1, -1], [-1, 1], [-1, -1]], [1, -1, -1, 1]
    >>> model = linnet.KernelPerceptron(kernel="quadratic", average=False, shuffle=False)
    >>> model.fit(X, y).alpha_.tolist(), float(model.intercept_[0])
    ([1, 1, 0, 0], 0.0)
    """

    stored: ClassVar[Fields] = {
        "alpha_": Array("i8", "n", low=0),
        "mistakes_": Array("i8", "rounds", low=0),
    }
    properties: ClassVar[Properties] = {
        **discriminative(
            misspecified="fair (may not converge)", training="fair", hyperparameters=1
        ),
        "boundary": "that of the kernel",
    }
    declaration: ClassVar[Declaration] = Declaration(
        short="kernel_perceptron",
        place=70,
        linear=False,
        training="pairs",
        compared=None,
        shown={
            "kernel perceptron, quadratic": {
                "kernel": "polynomial",
                "degree": 2,
                "coef0": 1.0,
                "random_state": 0,
            },
        },
    )

    def __init__(
        self,
        *,
        kernel: str | KernelFunction = "gaussian",
        gamma: str | float = "scale",
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 0.0,
        length: int = 3,
        decay: float = 0.5,
        max_iter: int = 10,
        average: bool = True,
        tie: str = "nonpositive",
        shuffle: bool = True,
        stop_when_clean: bool = True,
        fit_intercept: bool = True,
        cache_mb: float = 200.0,
        n_threads: int | None = None,
        classes: Any = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.length = length
        self.decay = decay
        self.max_iter = max_iter
        self.average = average
        self.tie = tie
        self.shuffle = shuffle
        self.stop_when_clean = stop_when_clean
        self.fit_intercept = fit_intercept
        self.cache_mb = cache_mb
        self.n_threads = n_threads
        self.classes = classes
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Run over the examples until a round has no mistake, or ``max_iter`` times.

        Parameters
        ----------
        X : array, sparse matrix, data frame, list of feature dictionaries; strings; Gram matrix
        y : array of shape (n,)
        """
        with restored_on_error(self):
            return self._fit(X, y)

    def _check_parameters(self) -> None:
        self._check_kernel()
        check_choice("tie", self.tie, ("nonpositive", "sign", "strict"))
        check_positive(max_iter=self.max_iter)
        if int(self.max_iter) != self.max_iter or not isinstance(self.average, (bool, np.bool_)):
            raise ParameterError("max_iter must be an integer and average True or False.")

    def _fit(self, X: Any, y: Any) -> Self:
        self._check_parameters()
        if y is None:
            raise DataError("KernelPerceptron requires y to be passed, but the target y is None.")
        data, examples, rows = self._read_for_fit(X)
        self.classes_, gold = encode_labels(y, rows, self.classes)
        require_two_classes(self.classes_, "KernelPerceptron")
        columns = 1 if len(self.classes_) == 2 else len(self.classes_)
        beta, late = np.zeros((rows, columns)), np.zeros((rows, columns))
        mistakes = np.zeros(int(self.max_iter), dtype=np.int64)
        rounds = _core.kernel_perceptron(
            data,
            **self._core_kernel(),
            shift=1.0 if self.fit_intercept else 0.0,
            gold=gold,
            classes=len(self.classes_),
            shuffle=bool(self.shuffle),
            seed=seed_from(self.random_state),
            tie=self.tie,
            stop_when_clean=bool(self.stop_when_clean),
            cache_bytes=int(min(self.cache_mb, 2**40) * 2**20),
            beta=beta,
            late=late,
            mistakes=mistakes,
        )
        self._keep(examples, beta, late / (rounds * rows), mistakes[:rounds])
        return self

    def _keep(self, examples: Any, beta: Table, late: Table, mistakes: NDArray[np.int64]) -> None:
        self.alpha_ = np.abs(beta).max(axis=1).astype(np.int64)
        support = np.flatnonzero(self.alpha_)
        # A change at step t is missing from t - 1 of the n vectors that are averaged.
        coefficients = beta - late if self.average else beta
        self._keep_support(examples, support)
        self.dual_coef_ = np.ascontiguousarray(coefficients[support].T)
        self.intercept_ = self.dual_coef_.sum(axis=1) * float(bool(self.fit_intercept))
        self.mistakes_ = mistakes
        self.n_iter_ = len(mistakes)
        self.optimality_ = float(mistakes[-1]) / len(beta)
        self.history_ = {
            "iteration": np.arange(1.0, len(mistakes) + 1.0),
            "mistakes": mistakes.astype(np.float64),
        }
