"""Linear regression by least squares (SPEC M-93, M-94; S1, S3 "Linear Regression").

Problem: minimise over w and b

    sum_i s_i (w.x_i + b - y_i)^2 + ridge |w|^2

Given: real features, real targets y, sample weights s. Returned: the solution of the normal
equations (X^T X + ridge I) w = X^T y, and of all solutions, when there are many, the one of least
norm, which is the limit of ridge -> 0. The intercept counts once (A-71): as a column of ones that
is penalised like the rest, or, by default, left out of penalty and norm; the columns are then
centred, which solves for b exactly.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, lsqr
from sklearn.base import RegressorMixin
from sklearn.utils.validation import column_or_1d

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.learn.flat.base import Learner
from linnet.learn.shared.checks import LARGEST, sample_weights
from linnet.learn.shared.declaration import Declaration
from linnet.learn.shared.history import History
from linnet.learn.shared.inputs import LARGE, Features
from linnet.learn.shared.properties import Properties, discriminative
from linnet.learn.shared.restore import restored_on_error
from linnet.stored import Array, Fields, Number

__all__ = ["LinearRegression"]

Floats = NDArray[np.float64]

DENSE_LIMIT = 1 << 24  # matrices of at most so many entries are solved by a factorisation
TOLERANCE = 1e-14


class LinearRegression(RegressorMixin, Learner):  # type: ignore[misc]
    """Fit a real target by a linear function.

    Parameters
    ----------
    ridge : float, default 0.0
        The penalty of the squared norm of the weights.
    fit_intercept : bool, default True
        Add a constant to the linear function.
    penalize_intercept : bool, default False
        Treat the intercept as the weight of a column of ones like any other.
    max_iter : int, default 10000
        Most iterations where the matrix is too large for a factorisation.
    n_threads : int, optional
        Threads for predicting; None is all cores.

    Attributes
    ----------
    coef_ : array of shape (J,)
    intercept_ : float
    history_ : dict
        One row: the objective and seconds.
    optimality_ : float
        The norm of the residual of the normal equations: 0 at the exact solution.
    n_iter_ : int
        1 for a factorisation, otherwise the iterations of LSQR.

    Examples
    --------
    >>> from linnet.data import load_vague_adjectives
    >>> model = LinearRegression().fit(*load_vague_adjectives())
    >>> model.coef_.round(6).tolist(), round(model.intercept_, 6)
    ([-4900.0], 16550.0)
    """

    stored: ClassVar[Fields] = {"coef_": Array("f8", "J"), "intercept_": Number()}
    properties: ClassVar[Properties] = discriminative(models="E(y | x)", training="closed form")
    declaration: ClassVar[Declaration] = Declaration(place=90, classifies=False)
    _takes_squares = True
    coef_: Floats
    intercept_: float
    history_: dict[str, Floats]
    optimality_: float
    n_iter_: int

    def __init__(
        self,
        ridge: float = 0.0,
        *,
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
        max_iter: int = 10_000,
        n_threads: int | None = None,
    ) -> None:
        self.ridge = ridge
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.max_iter = max_iter
        self.n_threads = n_threads

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Solve the least-squares problem.

        Parameters
        ----------
        X : array, sparse matrix, data frame or list of dictionaries, n rows
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        self._check_parameters()
        with restored_on_error(self):
            features = self._read(X, reset=True)
            target = _targets(y, features.rows)
            with np.errstate(all="ignore"):
                self._learn(features, target, sample_weights(sample_weight, features.rows))
            if not (np.isfinite(self.coef_).all() and np.isfinite(self.intercept_)):
                raise DataError("The fit overflowed: multiply X by a constant, or divide y.")
        return self

    def _check_parameters(self) -> None:
        if not isinstance(self.ridge, (int, float, np.number)) or not 0 <= self.ridge <= LARGEST:
            raise ParameterError(
                f"ridge must be a finite number of at least 0, got {self.ridge!r}."
            )

    def _learn(self, features: Features, target: Floats, weights: Floats) -> None:
        history = History()
        matrix = features.csr.astype(np.float64)
        folded = self.fit_intercept and self.penalize_intercept
        if folded:
            matrix = sp.csr_matrix(sp.hstack([matrix, np.ones((features.rows, 1))]))
        centred = self.fit_intercept and not folded
        centre = weights @ matrix / weights.sum() if centred else np.zeros(matrix.shape[1])
        level = float(weights @ target / weights.sum()) if centred else 0.0
        solution, self.n_iter_ = _solve(
            matrix, centre, target - level, np.sqrt(weights), float(self.ridge), self.max_iter
        )
        self.coef_ = solution[: features.cols]
        self.intercept_ = float(solution[-1]) if folded else level - float(centre @ solution)
        self._certify(features, target, weights, history)

    def _certify(
        self, features: Features, target: Floats, weights: Floats, history: History
    ) -> None:
        """Record the objective and how well the normal equations hold."""
        error = self._values(features) - target
        gradient = (weights * error) @ features.csr + self.ridge * self.coef_
        penalty = self.ridge * float(self.coef_ @ self.coef_)
        if self.fit_intercept:
            extra = self.ridge * self.intercept_ if self.penalize_intercept else 0.0
            gradient = np.append(gradient, weights @ error + extra)
            penalty += extra * self.intercept_
        history.add(iteration=self.n_iter_, objective=float(weights @ error**2) + penalty)
        self.history_ = history.as_dict()
        self.optimality_ = float(np.linalg.norm(gradient))

    def _values(self, features: Features) -> Floats:
        out = np.empty((features.rows, 1))
        _core.scores(
            features.matrix, np.ascontiguousarray(self.coef_[:, None]), 0.0, out, self._threads()
        )
        return np.asarray(out[:, 0] + self.intercept_)

    def predict(self, X: Any) -> Floats:
        """Return w.x + b for each row."""
        self._require_fitted()
        return self._values(self._read(X, reset=False))

    def predict_sign(self, X: Any) -> NDArray[np.int64]:
        """Return +1 where the prediction is at least 0, else -1: a classifier (S3)."""
        return np.where(self.predict(X) >= 0, 1, -1)


def _targets(y: Any, rows: int) -> Floats:
    if y is None:
        raise DataError("LinearRegression requires y to be passed, but the target y is None.")
    try:
        target = np.asarray(column_or_1d(y, warn=True), dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"y must be one number a row: {error}") from None
    if len(target) != rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {rows} rows, "
            f"y has {len(target)} targets."
        )
    if not np.isfinite(target).all():
        raise DataError("Input y contains NaN or infinity.")
    if np.abs(target).max(initial=0.0) > LARGE:
        raise DataError(f"Input y holds values above {LARGE:g}, whose squares overflow; divide it.")
    return target


def _solve(
    matrix: sp.csr_matrix,
    centre: Floats,
    target: Floats,
    root: Floats,
    ridge: float,
    max_iter: int,
) -> tuple[Floats, int]:
    """Return the w of least norm that minimises |root ((X - centre) w - target)|^2 + ridge |w|^2.

    Also the number of iterations. The penalty is the same as J more rows sqrt(ridge) e_j with
    target 0, so X^T X, whose condition is the square of that of X, is never formed.
    """
    rows, cols = matrix.shape
    if rows * cols <= DENSE_LIMIT:
        dense = root[:, None] * (matrix.toarray() - centre)
        right = root * target
        if ridge > 0:
            dense = np.vstack([dense, np.sqrt(ridge) * np.eye(cols)])
            right = np.concatenate([right, np.zeros(cols)])
        cutoff = max(dense.shape) * np.finfo(np.float64).eps  # smaller singular values are 0
        return np.asarray(scipy.linalg.lstsq(dense, right, cond=cutoff, overwrite_a=True)[0]), 1
    operator = LinearOperator(
        (rows, cols),
        matvec=lambda v: root * (matrix @ v - centre @ v),
        rmatvec=lambda u: (root * u) @ matrix - centre * (root @ u),
        dtype=np.float64,
    )
    found = lsqr(
        operator, root * target, damp=ridge**0.5, atol=TOLERANCE, btol=TOLERANCE, iter_lim=max_iter
    )
    return np.asarray(found[0]), max(1, int(found[2]))
