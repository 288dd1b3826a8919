r"""Kernels: inner products in a feature space that is never built (SPEC M-40).

.. math::
   \text{linear}\quad & x \cdot z &
   \text{polynomial}\quad & (\gamma\, x \cdot z + r)^d \\
   \text{quadratic}\quad & (x \cdot z)^2 &
   \text{gaussian}\quad & \exp(-\gamma \lVert x - z \rVert^2),\ \gamma = 1 / 2\sigma^2 \\
   \text{sigmoid}\quad & \tanh(\gamma\, x \cdot z + r)

and, for strings, the gap-weighted subsequence kernel of Lodhi et al. (2002). Each function returns
the matrix of all values K(x_i, z_j); without Z, that of X with itself. All but the sigmoid are
positive semi-definite: some map φ has K(x, z) = φ(x)·φ(z), see
:mod:`linnet.learn.kernel.feature_maps`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.learn.shared.checks import LARGEST, check_positive
from linnet.learn.shared.inputs import Features, checked_features
from linnet.threads import thread_count

__all__ = [
    "gaussian",
    "gram",
    "linear",
    "polynomial",
    "quadratic",
    "sigmoid",
    "string_subsequence",
]

Table: TypeAlias = NDArray[np.float64]
Strings: TypeAlias = Sequence[str] | Sequence[Sequence[Hashable]]

#: The kernels over features, and their names in the core.
FEATURE_KERNELS = {
    "linear": "linear",
    "polynomial": "polynomial",
    "quadratic": "polynomial",
    "gaussian": "gaussian",
    "sigmoid": "sigmoid",
}


def linear(X: Any, Z: Any = None, *, n_threads: int | None = None) -> Table:
    """Return the dot products of the rows of X and Z.

    Examples
    --------
    >>> linear([[1, 2]], [[3, -1], [0, 1]])
    array([[1., 2.]])
    """
    return gram("linear", X, Z, n_threads=n_threads)


def polynomial(
    X: Any,
    Z: Any = None,
    *,
    degree: int = 3,
    gamma: float = 1.0,
    coef0: float = 0.0,
    n_threads: int | None = None,
) -> Table:
    """Return (gamma x·z + coef0) to the power of the degree.

    Examples
    --------
    >>> polynomial([[1, 2]], [[3, -1]], degree=2, coef0=1.0)
    array([[4.]])
    """
    return gram("polynomial", X, Z, degree=degree, gamma=gamma, coef0=coef0, n_threads=n_threads)


def quadratic(X: Any, Z: Any = None, *, n_threads: int | None = None) -> Table:
    """Return the squares of the dot products (S1 Eq 42).

    Examples
    --------
    >>> quadratic([[1, 2]], [[3, -1]])
    array([[1.]])
    """
    return gram("quadratic", X, Z, n_threads=n_threads)


def gaussian(
    X: Any,
    Z: Any = None,
    *,
    gamma: float = 1.0,
    sigma: float | None = None,
    n_threads: int | None = None,
) -> Table:
    """Return exp(-gamma |x - z|²); ``sigma`` sets gamma to 1/(2 sigma²).

    Examples
    --------
    >>> gaussian([[0.0], [1.0]], sigma=1.0).round(4)
    array([[1.    , 0.6065],
           [0.6065, 1.    ]])
    """
    if sigma is not None:
        gamma = gamma_of(sigma)
    return gram("gaussian", X, Z, gamma=gamma, n_threads=n_threads)


def gamma_of(sigma: float) -> float:
    """Return 1 / (2 sigma²)."""
    check_positive(sigma=sigma)
    if not 1e-150 <= sigma <= 1e150:
        raise ParameterError(f"sigma must be 1e-150 to 1e150, so that it can be squared: {sigma}.")
    return 0.5 / float(sigma) ** 2


def sigmoid(
    X: Any,
    Z: Any = None,
    *,
    gamma: float = 1.0,
    coef0: float = 0.0,
    n_threads: int | None = None,
) -> Table:
    """Return tanh(gamma x·z + coef0); not positive semi-definite in general.

    Examples
    --------
    >>> sigmoid([[1.0]], [[0.5]]).round(4)
    array([[0.4621]])
    """
    return gram("sigmoid", X, Z, gamma=gamma, coef0=coef0, n_threads=n_threads)


def gram(
    kernel: str,
    X: Any,
    Z: Any = None,
    *,
    gamma: float = 1.0,
    coef0: float = 0.0,
    degree: int = 3,
    n_threads: int | None = None,
) -> Table:
    """Return the values of a kernel over features, by its name.

    Parameters
    ----------
    kernel : {"linear", "polynomial", "quadratic", "gaussian", "sigmoid"}
    X, Z : array or sparse matrix of shape (n, J) and (m, J)
        Without Z, X is compared with itself.
    gamma, coef0, degree
        Of the kernels that have them.

    Examples
    --------
    >>> gram("quadratic", [[1, 2]], [[3, -1]])
    array([[1.]])
    """
    threads = thread_count(n_threads)
    rows = checked_features(X, threads)
    others = rows if Z is None else checked_features(Z, threads)
    if rows.cols != others.cols:
        raise DataError(
            f"X has {rows.cols} features, Z has {others.cols}; a kernel needs the same."
        )
    options = core_options(kernel, gamma=gamma, coef0=coef0, degree=degree)
    return features_gram(rows, others, options, threads)


def core_options(kernel: str, *, gamma: float, coef0: float, degree: int) -> dict[str, Any]:
    """Return the arguments by which the core knows a kernel, after checking them."""
    if kernel not in FEATURE_KERNELS:
        listed = ", ".join(repr(name) for name in FEATURE_KERNELS)
        raise ParameterError(f"kernel must be one of {listed}; got {kernel!r}.")
    if kernel == "quadratic":
        gamma, coef0, degree = 1.0, 0.0, 2
    check_positive(gamma=gamma, degree=degree)
    if int(degree) != degree:
        raise ParameterError(f"degree must be an integer, got {degree!r}.")
    if not abs(coef0) <= LARGEST:
        raise ParameterError(f"coef0 must be finite, got {coef0!r}.")
    return {
        "kernel": FEATURE_KERNELS[kernel],
        "gamma": float(gamma),
        "coef0": float(coef0),
        "degree": int(degree),
    }


def features_gram(rows: Features, others: Features, options: dict[str, Any], threads: int) -> Table:
    """Return K(x_i, z_j) of checked features."""
    out = np.empty((rows.rows, others.rows))
    _core.kernel_gram(rows.matrix, others.matrix, **options, out=out, threads=threads)
    if not np.isfinite(out).all():
        raise DataError(
            f"The {options['kernel']} kernel is not finite on these rows; scale the features, or "
            "use a smaller gamma or degree."
        )
    return out


def check_subsequences(length: Any, decay: Any) -> None:
    """Refuse parameters that no kernel of subsequences can have."""
    whole = isinstance(length, (int, np.integer)) and not isinstance(length, bool)
    if not whole or not 1 <= length < 2**31:
        raise ParameterError(f"length must be a positive integer below 2³¹, got {length!r}.")
    if not (isinstance(decay, (int, float)) and 0 < decay <= 1):
        raise ParameterError(f"decay must lie in (0, 1], got {decay!r}.")


def string_subsequence(
    S: Strings,
    T: Strings | None = None,
    *,
    length: int = 2,
    decay: float = 0.5,
    normalize: bool = True,
    n_threads: int | None = None,
) -> Table:
    """Return the gap-weighted subsequence kernel of strings (Lodhi et al. 2002).

    All subsequences of ``length`` symbols that two strings share count, each occurrence by
    decay to the power of its extent in both, gaps included.

    Parameters
    ----------
    S, T : list of str, or list of lists of tokens
        The symbols of a str are its characters.
    length : int
    decay : float in (0, 1]
        Small values punish gaps; 1 counts all subsequences alike.
    normalize : bool
        Divide by the square root of K(s, s) K(t, t), so that K(s, s) = 1; a string shorter than
        ``length`` has no subsequence and K = 0.

    Examples
    --------
    >>> string_subsequence(["cat"], ["car", "cat"], normalize=False)
    array([[0.0625 , 0.140625]])
    """
    check_subsequences(length, decay)
    numbers: dict[Hashable, int] = {}
    left = _symbols(S, numbers)
    right = left if T is None else _symbols(T, numbers)
    out = np.empty((len(S), len(S if T is None else T)))
    threads = thread_count(n_threads)
    _core.subsequence_gram(*left, *right, int(length), float(decay), bool(normalize), out, threads)
    return out


def _symbols(
    strings: Strings, numbers: dict[Hashable, int]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return all strings as one array of symbol numbers, and where each begins."""
    if isinstance(strings, str):
        raise DataError("A list of strings is needed, got a single string.")
    flat: list[int] = []
    start = [0]
    for row, string in enumerate(strings):
        if not isinstance(string, (str, Sequence)) and not isinstance(string, np.ndarray):
            raise DataError(
                f"Row {row} is a {type(string).__name__}, not a string or a list of tokens."
            )
        flat.extend(numbers.setdefault(symbol, len(numbers)) for symbol in string)
        start.append(len(flat))
    return np.array(flat, dtype=np.int32), np.array(start, dtype=np.int64)
