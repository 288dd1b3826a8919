r"""Support vector machines with kernels (SPEC M-77–M-81, M-89, M-90).

.. math:: \min_{w, b, \xi}\ \tfrac12 \lVert w \rVert^2 + \sum_i C_i\,\xi_i
   \quad\text{with}\quad y_i (w \cdot \varphi(x_i) + b) \ge 1 - \xi_i,\ \xi_i \ge 0

is solved in the dual, where φ occurs only in K(x, z) = φ(x)·φ(z):

.. math:: \max_\alpha\ \sum_i \alpha_i - \tfrac12 \sum_{ij} y_i y_j \alpha_i \alpha_j K(x_i, x_j)
   \quad\text{with}\quad 0 \le \alpha_i \le C_i,\ \sum_i y_i \alpha_i = 0

A penalised intercept adds a constant to K and drops the last constraint (M-79). The solution is
:math:`f(x) = \sum_i y_i \alpha_i K(x_i, x) + b`: only examples with :math:`\alpha_i > 0`, the
support vectors, count. The margin is 2/‖w‖ wide (A-35).
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.learn.kernel.base import KernelClassifier, KernelFunction
from linnet.learn.kernel.kernels import Table
from linnet.learn.kernel.machines import Plan, feasible_start, is_large, pair_sums, plan_machines
from linnet.learn.shared.checks import check_choice, check_positive
from linnet.learn.shared.declaration import Declaration, tried
from linnet.learn.shared.inputs import encode_labels, example_weights, require_two_classes
from linnet.learn.shared.properties import Properties, discriminative
from linnet.learn.shared.restore import restored_on_error
from linnet.learn.svm import votes
from linnet.stored import Anything, Array, Fields, Sizes

__all__ = ["KernelSVM"]

_FINE = 1e-6  # tolerances below this need kernel values in double precision


class KernelSVM(KernelClassifier):
    """Support vector machine with a kernel.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the penalty; ``inf`` is the hard margin, which exists only if
        the classes can be separated.
    kernel : str or callable, default="gaussian"
        "linear", "polynomial", "quadratic", "gaussian", "sigmoid", "string_subsequence" (X holds
        strings or lists of tokens), "precomputed" (X is the Gram matrix), or a function of two
        collections of examples that returns all values K(x_i, z_j).
    gamma : "scale", "auto" or float, default="scale"
        Of the polynomial, gaussian and sigmoid kernels: "scale" is 1/(J Var(X)), "auto" 1/J.
    sigma : float, optional
        Instead of gamma: gamma = 1/(2 sigma²).
    degree, coef0
        Of the polynomial and sigmoid kernels.
    length, decay
        Of the subsequence kernel: symbols of a subsequence, and the price of its extent.
    multi_class : {"ovo", "ovr"}, default="ovo"
        One machine for each pair of classes, which vote, or for each class against the rest.
    fit_intercept : bool, default=True
    penalize_intercept : bool, default=False
        Fold the intercept into w, as :class:`linnet.SVM` does.
    tol : float, default=1e-3
        Stop when no pair of examples violates the optimality conditions by more, as LIBSVM does.
    max_iter : int, optional
        Steps of each machine; None allows ten million or more.
    cache_mb : float, default=200
        Memory for rows of the kernel matrix.
    shrinking : bool, default=True
        Leave examples aside that have settled at a bound.
    class_weight : dict, "balanced" or None
    classes : list of labels, optional
        The labels in the order in which ``classes_``, scores and probabilities have them; sorted by
        default. Ties go to the first of them.
    warm_start : bool, default=False
        Start from the last solution if it fits the examples; good for a path of C.
    n_threads : int, optional
        None uses all cores. The result does not depend on it.

    Attributes
    ----------
    classes_, n_support_ : array of shape (K,)
        The labels, and the number of support vectors of each.
    support_ : array of int
        Which examples are support vectors, class by class.
    support_vectors_
    dual_coef_ : array of shape (K - 1, S), or (K, S) for "ovr" with more than two classes
        y α of each support vector; with "ovo" in the machines of its class with the K - 1 others,
        in their order.
    intercept_ : array of shape (machines,)
    coef_ : array of shape (machines, J)
        For the linear kernel only.
    history_ : dict of arrays, one value a machine
        ``iteration``, ``objective``, ``dual``, ``gap``, ``violation``.
    certificate_ : dict
        ``primal``, ``dual`` and ``gap`` summed over the machines, and the largest ``violation``.
    optimality_ : float
        The gap as a share of the objective.
    n_iter_ : int
    gamma_ : float

    Examples
    --------
    >>> import linnet
    >>> X, y = [[1, 1], [1, -1], [-1, 1], [-1, -1]], [1, -1, -1, 1]
    >>> svm = linnet.KernelSVM(C=float("inf"), kernel="quadratic").fit(X, y)
    >>> svm.predict(X).tolist(), svm.decision_function(X).round(3).tolist()
    ([1, -1, -1, 1], [1.0, -1.0, -1.0, 1.0])
    """

    stored: ClassVar[Fields] = {
        "n_support_": Array("i8", "K", low=0),
        "certificate_": Anything(dict),
        "_beta": Array("f8", None, optional=True),
    }
    properties: ClassVar[Properties] = {
        **discriminative(training="hard", hyperparameters=2),
        "boundary": "that of the kernel",
    }
    declaration: ClassVar[Declaration] = Declaration(
        short="kernel",
        place=71,
        linear=False,
        training="pairs",
        convex=True,
        texts={"C": 10.0, "multi_class": "ovr"},
        compared={"kernel": "gaussian"},
        grid=tried("C", 1.0, 0.3, 3.0, 0.1, 10.0, 0.03, 30.0),
        shown={"kernel SVM, gaussian": {}},
    )
    certificate_: dict[str, float]
    history_: dict[str, NDArray[np.float64]]

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str | KernelFunction = "gaussian",
        gamma: str | float = "scale",
        sigma: float | None = None,
        degree: int = 3,
        coef0: float = 0.0,
        length: int = 3,
        decay: float = 0.5,
        multi_class: str = "ovo",
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
        tol: float = 1e-3,
        max_iter: int | None = None,
        cache_mb: float = 200.0,
        shrinking: bool = True,
        class_weight: Any = None,
        classes: Any = None,
        warm_start: bool = False,
        n_threads: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.length = length
        self.decay = decay
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.cache_mb = cache_mb
        self.shrinking = shrinking
        self.class_weight = class_weight
        self.classes = classes
        self.warm_start = warm_start
        self.n_threads = n_threads

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the machines.

        Parameters
        ----------
        X : array, sparse matrix, data frame, list of feature dictionaries; strings; Gram matrix
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Multiplies C for each example; 0 leaves it out.
        """
        with restored_on_error(self):
            return self._fit(X, y, sample_weight)

    def _stored_sizes(self) -> Sizes:
        n_classes = len(self.classes_)
        if not self._pairs():
            return super()._stored_sizes()
        return {"D": n_classes - 1, "M": n_classes * (n_classes - 1) // 2}

    def _check_loaded(self) -> None:
        super()._check_loaded()
        if self.n_support_.sum() != len(self.support_):
            raise DataError("n_support_ does not count the support vectors")

    def _check_parameters(self) -> None:
        self._check_kernel()
        check_choice("multi_class", self.multi_class, ("ovo", "ovr"))
        check_positive(tol=self.tol)
        if not (isinstance(self.C, (int, float, np.number)) and self.C == np.inf):
            check_positive(C=self.C)
        if self.max_iter is not None:
            check_positive(max_iter=self.max_iter)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._check_parameters()
        if y is None:
            raise DataError("KernelSVM requires y to be passed, but the target y is None.")
        previous = self._start_from() if self.warm_start else None
        data, examples, rows = self._read_for_fit(X)
        self.classes_, gold = encode_labels(y, rows, self.classes)
        require_two_classes(self.classes_, "KernelSVM")
        weights = example_weights(sample_weight, self.class_weight, self.classes_, gold)
        plan = plan_machines(gold, weights, self.C, len(self.classes_), self.multi_class)
        beta = feasible_start(previous, plan)
        results = self._solve(data, plan, beta, rows)
        self._raise_unless_separable(plan, (results[:, 5] == 2) | np.isinf(results[:, 1]))
        self._record(results)
        if self.warm_start:
            self._beta = beta
        coefficients = self._spread(plan, beta, rows, gold)
        used = np.flatnonzero(coefficients.any(axis=0))
        support = used[np.argsort(gold[used], kind="stable")]
        self._keep_support(examples, support)
        self.dual_coef_ = np.ascontiguousarray(coefficients[:, support])
        self.n_support_ = np.bincount(gold[support], minlength=len(self.classes_))
        self.intercept_ = self._intercepts(plan, beta, results)
        return self

    def _solve(self, data: _core.Matrix | Table, plan: Plan, beta: Table, rows: int) -> Table:
        results = np.zeros((len(plan.pairs), 6))
        _core.kernel_machines(
            data,
            **self._core_kernel(),
            shift=1.0 if self.fit_intercept and self.penalize_intercept else 0.0,
            start=plan.start,
            ids=plan.ids,
            sign=plan.sign,
            cost=plan.cost,
            beta=beta,
            free_intercept=bool(self.fit_intercept and not self.penalize_intercept),
            shrinking=bool(self.shrinking),
            tolerance=float(self.tol),
            max_iterations=int(self.max_iter or max(10_000_000, 100 * rows)),
            cache_bytes=int(min(self.cache_mb, 2**40) * 2**20),
            precise=bool(self.C == np.inf or self.tol < _FINE or is_large(data)),
            results=results,
            threads=self._threads(),
        )
        if (results[:, 5] == 3).any() or not np.isfinite(results[:, [0, 2, 3]]).all():
            raise DataError(
                "The kernel has values that are not finite or too large; scale the features, or "
                "use a smaller gamma or degree."
            )
        return results

    def _raise_unless_separable(self, plan: Plan, unbounded: NDArray[np.bool_]) -> None:
        for (first, second), failed in zip(plan.pairs, unbounded, strict=True):
            if failed:
                names = self.classes_.tolist()
                other = "the rest" if second is None else repr(names[second])
                raise DataError(
                    f"The classes {names[first]!r} and {other} cannot be separated, so there is no "
                    "hard margin; use a finite C, or a kernel that can separate them. (If they "
                    "can, and max_iter is small, increase it.)"
                )

    def _record(self, results: Table) -> None:
        primal, dual, violation, steps = results[:, 1], results[:, 2], results[:, 3], results[:, 4]
        gap = np.maximum(primal - dual, 0.0)
        self.history_ = {
            "iteration": steps.copy(),
            "objective": primal.copy(),
            "dual": dual.copy(),
            "gap": gap,
            "violation": violation.copy(),
        }
        self.certificate_ = {
            "primal": float(primal.sum()),
            "dual": float(dual.sum()),
            "gap": float(gap.sum()),
            "violation": float(violation.max()),
        }
        self.optimality_ = self.certificate_["gap"] / max(abs(self.certificate_["primal"]), 1e-300)
        self.n_iter_ = max(1, int(steps.max()))
        if (results[:, 5] == 1).any():
            warnings.warn(
                f"KernelSVM stopped after {self.n_iter_} steps: the optimality conditions are "
                f"violated by {self.certificate_['violation']:.1e}, tol asks for {self.tol:.1e}; "
                f"the duality gap is {self.optimality_:.1e} of the objective. Increase max_iter or "
                "tol, or scale the features.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _pairs(self) -> bool:
        return self.multi_class == "ovo" and len(self.classes_) > 2

    def _spread(self, plan: Plan, beta: Table, rows: int, gold: NDArray[np.int32]) -> Table:
        """Return y α for all examples, in the layout of ``dual_coef_``."""
        n_classes = len(self.classes_)
        table = np.zeros((n_classes - 1 if self._pairs() else len(plan.pairs), rows))
        for m, (first, second) in enumerate(plan.pairs):
            part = slice(plan.start[m], plan.start[m + 1])
            ids = plan.ids[part]
            if self._pairs() and second is not None:
                table[np.where(gold[ids] == first, second - 1, first), ids] = beta[part]
            else:
                table[m, ids] = beta[part]
        return table

    def _intercepts(self, plan: Plan, beta: Table, results: Table) -> Table:
        if self.fit_intercept and self.penalize_intercept:
            parts = zip(plan.start[:-1], plan.start[1:], strict=True)
            return np.array([beta[first:last].sum() for first, last in parts])
        return results[:, 0].copy()

    def _start_from(self) -> Table | None:
        return getattr(self, "_beta", None)

    def _machine_scores(self, gram: Table) -> Table:
        if not self._pairs():
            return super()._machine_scores(gram)
        return pair_sums(gram, self.dual_coef_, self.n_support_)

    def pair_scores(self, X: Any) -> Table:
        """Return the score of each pair of classes, shape (n, K (K - 1) / 2), for "ovo".

        Pairs are in lexicographic order; a score of 0 or more is a vote for the second class.
        """
        if self.multi_class != "ovo":
            raise ParameterError("pair_scores needs multi_class='ovo'.")
        return self._all_scores(X)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the scores: shape (n,) for two classes, else (n, K).

        With "ovo" the score of a class is its number of won pairs, plus less than a half for the
        sum of its pair scores, which so breaks ties between votes (SPEC M-89).
        """
        scores = super().decision_function(X)
        return votes(scores, len(self.classes_)) if self._pairs() else scores

    @property
    def coef_(self) -> Table:
        """The weights of each machine; they exist for the linear kernel (S1 Eq 51)."""
        if self.kernel != "linear":
            raise AttributeError("coef_ exists for kernel='linear' only.")
        self._require_fitted("dual_coef_")
        rows = self._support_csr()
        if not self._pairs():
            return np.asarray(self.dual_coef_ @ rows)
        return pair_sums(np.asarray(rows.T.toarray()), self.dual_coef_, self.n_support_).T
