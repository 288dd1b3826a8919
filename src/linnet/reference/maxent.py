r"""Maximum entropy, also called multinomial logistic regression (M-50..M-55, M-65, M-71).

Model
    p(k | x) = exp(w_k.x) / sum_k' exp(w_k'.x)                            S0 Eq. 1.27-1.28
Problem, in the lectures' three forms (M-53), with L(W) = -sum_i ln p(y_i | x_i)
    (a)  min  L(W)/M + lambda/2 ||W||^2                                   S0 Eq. 1.31
    (b)  max  -L(W) - sum_jk w_jk^2 / (2 sigma_jk^2)                      S1 Eq. 70
    (c)  min  1/2 ||w||^2 + C sum_i ln(1 + exp(-y_i w.x_i))               S4 slides 60, 73
Given
    X (M, J), y in 0..K-1 (or +1/-1 for the single vector of form c).
Returned
    the objective and its gradient, at any W; the optimisers of this package find the minimum.

Each form is a Problem: `scale` * L(W) + 1/2 sum `penalty` * W^2, where `penalty` broadcasts to
(J, K); a last row of zeros leaves the bias free. The gradient is expectation minus observation
(S0 Eq. 1.29, 1.32), the Hessian a sum of covariances:
    grad = scale (X^T P - X^T Y) + penalty W
    H V  = scale X^T (P * (XV - (P * XV) 1)) + penalty V
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linnet.reference.common import FloatArray, IntArray, check_binary, check_classes, one_hot
from linnet.reference.losses import LOSSES, log_sum_exp, softmax

__all__ = [
    "Problem",
    "binary_objective",
    "expectations",
    "gaussian_prior",
    "mean_loss",
    "observations",
    "probabilities",
    "soft_objective",
    "summed_loss",
]


def probabilities(X: FloatArray, W: FloatArray) -> FloatArray:
    """Return p(k | x) for each row of X: (M, K).

    Examples
    --------
    >>> probabilities(np.array([[1.0]]), np.array([[0.0, np.log(3.0)]]))
    array([[0.25, 0.75]])
    """
    return softmax(X @ W)


def expectations(X: FloatArray, W: FloatArray) -> FloatArray:
    """Model means (1/M) sum_i E_W[f(x_i, Y)], over the training inputs (S1 Eq. 65-67): (J, K).

    Examples
    --------
    >>> expectations(np.array([[2.0], [4.0]]), np.zeros((1, 2)))
    array([[1.5, 1.5]])
    """
    return X.T @ probabilities(X, W) / len(X)


def observations(X: FloatArray, y: IntArray, n_classes: int) -> FloatArray:
    """Observed means (1/M) sum_i f(x_i, y_i): (J, K).

    Examples
    --------
    >>> observations(np.array([[2.0], [4.0]]), np.array([0, 1]), 2)
    array([[1., 2.]])
    """
    return X.T @ one_hot(y, n_classes) / len(X)


@dataclass(frozen=True)
class Problem:
    """min over W of scale * L(W) + 1/2 sum penalty * W^2; see the module for the formulas."""

    X: FloatArray
    y: IntArray
    n_classes: int
    scale: float
    penalty: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        """Shape (J, K) of W."""
        return self.X.shape[1], self.n_classes

    def __call__(self, W: FloatArray) -> tuple[float, FloatArray]:
        """Objective and gradient (M-54)."""
        scores = self.X @ W
        loss = float((log_sum_exp(scores) - scores[np.arange(len(self.y)), self.y]).sum())
        residual = softmax(scores) - one_hot(self.y, self.n_classes)
        value = self.scale * loss + 0.5 * float((self.penalty * W**2).sum())
        return value, self.scale * self.X.T @ residual + self.penalty * W

    def hessian_vector(self, W: FloatArray, V: FloatArray) -> FloatArray:
        """H(W) V, for the truncated Newton method (M-61): (J, K)."""
        P, change = softmax(self.X @ W), self.X @ V
        covariance = P * (change - (P * change).sum(axis=1, keepdims=True))
        product: FloatArray = self.scale * self.X.T @ covariance + self.penalty * V
        return product

    def hessian(self, W: FloatArray) -> FloatArray:
        """H(W) for W flattened row by row: (JK, JK)."""
        P = softmax(self.X @ W)
        J, K = self.shape
        blocks = np.einsum("mk,kl->mkl", P, np.eye(K)) - np.einsum("mk,ml->mkl", P, P)
        full = self.scale * np.einsum("mi,mj,mkl->ikjl", self.X, self.X, blocks, optimize=True)
        penalty = np.broadcast_to(self.penalty, self.shape).ravel()
        hessian: FloatArray = full.reshape(J * K, J * K) + np.diag(penalty)
        return hessian


def mean_loss(X: FloatArray, y: IntArray, n_classes: int, lam: float | FloatArray = 1.0) -> Problem:
    """Form (a): the mean loss plus lambda/2 ||W||^2.

    Examples
    --------
    >>> value, _ = mean_loss(np.ones((4, 1)), np.array([0, 1, 1, 0]), 2)(np.zeros((1, 2)))
    >>> round(value, 6)
    0.693147
    """
    check_classes(X, y, n_classes)
    return Problem(X, y, n_classes, 1.0 / len(X), np.asarray(lam, dtype=np.float64))


def gaussian_prior(
    X: FloatArray, y: IntArray, n_classes: int, variance: float | FloatArray = 1.0
) -> Problem:
    """Form (b), negated to be minimised: the summed loss with prior variances (M-65).

    `variance` is one number or broadcasts to (J, K); infinity leaves a weight free (A-82).

    Examples
    --------
    >>> gaussian_prior(np.ones((1, 1)), np.array([0]), 2, variance=np.inf).penalty.item()
    0.0
    """
    check_classes(X, y, n_classes)
    return Problem(X, y, n_classes, 1.0, np.asarray(1.0 / np.asarray(variance)))


def summed_loss(X: FloatArray, y: IntArray, n_classes: int, C: float = 1.0) -> Problem:
    """Form (c) with one column a class: 1/2 ||W||^2 + C sum of losses.

    Examples
    --------
    >>> summed_loss(np.ones((1, 1)), np.array([0]), 2, C=3.0).scale
    3.0
    """
    check_classes(X, y, n_classes)
    return Problem(X, y, n_classes, C, np.asarray(1.0))


def binary_objective(
    w: FloatArray, X: FloatArray, y: FloatArray | IntArray, C: float = 1.0
) -> tuple[float, FloatArray]:
    """Form (c) on a single vector, labels +1 and -1: value and gradient.

    Examples
    --------
    >>> binary_objective(np.zeros(1), np.ones((2, 1)), np.array([1, -1]))[1]
    array([0.])
    """
    sign, loss = check_binary(X, y), LOSSES["logistic"]
    margins = sign * (X @ w)
    value = 0.5 * float(w @ w) + C * float(loss.value(margins).sum())
    return value, w + C * X.T @ (sign * loss.derivative(margins))


def soft_objective(
    W: FloatArray, X: FloatArray, T: FloatArray, C: float = 1.0
) -> tuple[float, FloatArray]:
    """Form (c) with a distribution T[i] over the classes for each example: value and gradient.

        1/2 ||W||^2 - C sum_i sum_k T_ik ln p(k | x_i),    gradient  W + C X^T (P - T)

    With all of T_i on one class it is that of :func:`summed_loss`.

    Examples
    --------
    >>> value, gradient = soft_objective(np.zeros((1, 2)), np.ones((1, 1)), np.array([[0.3, 0.7]]))
    >>> round(value, 6), gradient.round(6).tolist()
    (0.693147, [[0.2, -0.2]])
    """
    scores = X @ W
    loss = float((log_sum_exp(scores) - (T * scores).sum(axis=1)).sum())
    return 0.5 * float((W**2).sum()) + C * loss, W + C * X.T @ (softmax(scores) - T)
