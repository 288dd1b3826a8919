r"""Conversions between lambda, sigma^2 and C (M-53, A-36, A-39, A-41).

The same optimum has three names, with L(w) = sum_i loss_i(w) over M examples:

    (a)  L/M + lambda/2 ||w||^2            S0
    (b)  L + ||w||^2 / (2 sigma^2)         S1
    (c)  1/2 ||w||^2 + C L                 S4, and everywhere else in linnet

    sigma^2 = 1/(lambda M)       C = sigma^2

K = 2 with one column a class pays for both columns; at the optimum w_1 = -w_0, so the single
vector w = w_1 - w_0 has the penalty lambda/4 ||w||^2: it is the binary problem with
C = 2/(lambda M). For S0's printed SVM, a sum where the others have the mean, put M = 1.
(S0 footnote 7 says 1/lambda^2 for the variance; Eq. 1.31 gives 1/(lambda M).)
"""

from __future__ import annotations

from linnet.errors import ParameterError

__all__ = ["c_to_lambda", "lambda_to_c", "lambda_to_variance", "variance_to_lambda"]


def _reciprocal(value: float, name: str, n_examples: int) -> float:
    if not value > 0 or n_examples < 1:
        raise ParameterError(f"{name}={value}, n_examples={n_examples}: both must be positive")
    return 1.0 / (value * n_examples)


def lambda_to_variance(lam: float, n_examples: int) -> float:
    """Prior variance sigma^2 = 1/(lambda M); also C for the same weights.

    Examples
    --------
    >>> lambda_to_variance(0.5, 10)
    0.2
    """
    return _reciprocal(lam, "lam", n_examples)


def variance_to_lambda(variance: float, n_examples: int) -> float:
    """Regulariser lambda = 1/(sigma^2 M).

    Examples
    --------
    >>> variance_to_lambda(0.2, 10)
    0.5
    """
    return _reciprocal(variance, "variance", n_examples)


def lambda_to_c(lam: float, n_examples: int, *, two_columns: bool = False) -> float:
    """C for the same weights; `two_columns`: lambda is of a K = 2 model, C of a single vector.

    Examples
    --------
    >>> lambda_to_c(1.0, 5), lambda_to_c(1.0, 5, two_columns=True)
    (0.2, 0.4)
    """
    return (2.0 if two_columns else 1.0) * _reciprocal(lam, "lam", n_examples)


def c_to_lambda(C: float, n_examples: int, *, two_columns: bool = False) -> float:
    """Inverse of `lambda_to_c`.

    Examples
    --------
    >>> c_to_lambda(0.2, 5), c_to_lambda(0.4, 5, two_columns=True)
    (1.0, 1.0)
    """
    return (2.0 if two_columns else 1.0) * _reciprocal(C, "C", n_examples)
