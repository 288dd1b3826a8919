"""What the kernel learners share: reading examples for any kernel, and scores from support vectors.

A kernel is one of the core's over features, the subsequence kernel over strings, any function of
two collections of examples, or a Gram matrix that was computed before. The first kind goes to the
core as features, the others as a table of values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.learn.flat.base import Learner
from linnet.learn.kernel.kernels import (
    FEATURE_KERNELS,
    Table,
    check_subsequences,
    core_options,
    features_gram,
    gamma_of,
    string_subsequence,
)
from linnet.learn.kernel.reasons import kernel_reasons
from linnet.learn.shared.checks import LARGEST, check_positive, check_row_numbers
from linnet.learn.shared.decision import winners
from linnet.learn.shared.inputs import Features, check_structure, checked_features, is_bags
from linnet.learn.shared.reasons import Named, Reasons
from linnet.stored import Array, Dict, Each, Fields, Labels, Number, Sizes, Text

KernelFunction: TypeAlias = Callable[[Any, Any], Any]
KERNELS = (*FEATURE_KERNELS, "string_subsequence", "precomputed")
_BLOCK = 1 << 22  # kernel values that prediction holds at a time


class KernelClassifier(ClassifierMixin, Learner):  # type: ignore[misc]
    """Scores that are sums over support vectors: Σ_i dual_i K(x_i, x) + b."""

    stored: ClassVar[Fields] = {
        "classes_": Labels("K", ordered=False),
        "gamma_": Number(low=1e-100, optional=True),
        "_sparse_input": Number(bool, optional=True),
        "support_": Array("i8", "s", low=0),
        "_support_rows": Dict(
            {
                "index": Array("i4", "stored", 0, "J-1"),
                "value": Array("f8", "stored"),
                "start": Array("i8", "s+1", 0, "stored", order="starts"),
            },
            optional=True,
        ),
        "_support_items": Each(Text(), "s", optional=True),
        "dual_coef_": Array("f8", "D s"),
        "intercept_": Array("f8", "M"),
    }
    _takes_squares = True
    kernel: str | KernelFunction
    gamma: str | float
    sigma: float | None
    degree: int
    coef0: float
    length: int
    decay: float
    cache_mb: float
    classes_: NDArray[Any]
    support_: NDArray[np.intp]
    dual_coef_: Table
    intercept_: Table
    gamma_: float

    def _stored_sizes(self) -> Sizes:
        """Return the rows of dual_coef_ (D) and the number of machines (M)."""
        columns = super()._stored_sizes()["R"]
        return {"D": columns, "M": columns}

    def _check_loaded(self) -> None:
        """Refuse what a forged file may hold: the kernel needs what was kept for it."""
        over_features, precomputed = self._over_features(), self.kernel == "precomputed"
        kept = {
            "gamma_": over_features,
            "_sparse_input": over_features,
            "_support_rows": over_features,
            "_support_items": not (over_features or precomputed),
        }
        for name, needed in kept.items():
            if (vars(self).get(name) is not None) != needed:
                raise DataError(f"{name} does not fit the kernel {self.kernel!r}")
        if precomputed and self.support_.max(initial=-1) >= self.n_features_in_:
            raise DataError("support_ holds a row that the Gram matrix has not")

    # --- parameters ---

    def _check_kernel(self) -> None:
        if not callable(self.kernel) and self.kernel not in KERNELS:
            listed = ", ".join(repr(name) for name in KERNELS)
            raise ParameterError(
                f"kernel must be one of {listed}, or a function; got {self.kernel!r}."
            )
        if self.kernel == "string_subsequence":
            check_subsequences(self.length, self.decay)
        check_positive(cache_mb=self.cache_mb)
        if self.sigma is not None:
            check_positive(sigma=self.sigma)
        elif self.gamma not in ("scale", "auto"):
            if isinstance(self.gamma, str):
                raise ParameterError(
                    f"gamma must be 'scale', 'auto' or a positive number, got {self.gamma!r}."
                )
            check_positive(gamma=self.gamma)

    def _over_features(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel in FEATURE_KERNELS

    def _find_gamma(self, features: Features) -> float:
        if self.sigma is not None:
            return gamma_of(self.sigma)
        if self.gamma == "auto":
            return 1.0 / features.cols
        if self.gamma != "scale":
            return float(self.gamma)
        mean = float(features.csr.sum()) / (features.rows * features.cols)
        squares = float(np.square(features.csr.data, dtype=np.float64).sum())
        variance = squares / (features.rows * features.cols) - mean**2
        gamma = 1.0 / (features.cols * variance) if variance > 0 else 1.0
        if gamma > LARGEST:
            raise DataError(
                "gamma='scale' is one over the variance of X, which is too small to be inverted; "
                "multiply X by a constant."
            )
        return gamma

    def _core_kernel(self) -> dict[str, Any]:
        """Return the core's arguments; a table of values needs no kernel any more."""
        if not self._over_features():
            return {"kernel": "linear", "gamma": 1.0, "coef0": 0.0, "degree": 1}
        return core_options(
            str(self.kernel), gamma=self.gamma_, coef0=self.coef0, degree=self.degree
        )

    # --- examples ---

    def _read_for_fit(self, X: Any) -> tuple[_core.Matrix | Table, Any, int]:
        """Return what the core reads, the examples to keep support vectors of, and their number."""
        self._check_kernel()
        self.__dict__.pop("gamma_", None)
        if self._over_features():
            features = self._read(X, reset=True)
            check_row_numbers(features.rows)
            self.gamma_ = self._find_gamma(features)
            self._sparse_input = sp.issparse(X) or is_bags(X)
            return features.matrix, features.csr, features.rows
        if self.kernel == "precomputed":
            gram = self._read_table(X, reset=True)
            if gram.shape[0] != gram.shape[1]:
                raise DataError(
                    f"A precomputed Gram matrix must be square, this one has shape {gram.shape}."
                )
            return _symmetric(gram), None, len(gram)
        examples = self._read_objects(X, reset=True)
        return _symmetric(self._function_gram(examples, examples)), examples, _length(examples)

    def _read_table(self, X: Any, *, reset: bool) -> Table:
        if sp.issparse(X):
            check_structure(X)
            X = X.toarray()
        try:
            dense = check_array(X, dtype=np.float64)
            validate_data(self, dense, reset=reset, skip_check_array=True)
        except (TypeError, ValueError, OverflowError) as error:
            raise DataError(f"The Gram matrix cannot be used: {error}") from None
        return np.ascontiguousarray(dense)

    def _read_objects(self, X: Any, *, reset: bool) -> Any:
        """Read strings, or whatever a kernel function takes; numbers become a dense array."""
        if isinstance(X, str) or not hasattr(X, "__len__") or (sp.issparse(X) and not X.shape[0]):
            raise DataError(f"X must be a collection of examples, got {type(X).__name__}.")
        if sp.issparse(X) or (hasattr(X, "dtype") and X.dtype.kind in "biuf"):
            if self.kernel == "string_subsequence":
                raise DataError("kernel='string_subsequence' needs strings, X holds numbers.")
            return self._read(X, reset=reset).csr.toarray()
        examples = X.tolist() if hasattr(X, "tolist") else list(X)
        if not examples:
            raise DataError("X has 0 samples; at least one is needed.")
        if callable(self.kernel) and _is_numeric(examples[0]):
            return self._read(X, reset=reset).csr.toarray()
        if reset:
            self.n_features_in_ = 1
        return examples

    def _function_gram(self, left: Any, right: Any) -> Table:
        if callable(self.kernel):
            values = np.asarray(self.kernel(left, right), dtype=np.float64)
            shape = (_length(left), _length(right))
            if values.shape != shape:
                raise DataError(
                    f"The kernel function returned an array of shape {values.shape} for "
                    f"{shape[0]} and {shape[1]} examples; expected {shape}."
                )
            if not np.isfinite(values).all():
                raise DataError("The kernel function returned NaN or infinity.")
            return np.ascontiguousarray(values)
        return string_subsequence(
            left, right, length=self.length, decay=self.decay, n_threads=self._threads()
        )

    # --- support vectors ---

    def _keep_support(self, examples: Any, support: NDArray[np.intp]) -> None:
        self.support_ = support
        for name in ("_support_rows", "_support_items"):
            self.__dict__.pop(name, None)
        if self._over_features():
            rows = examples[support]
            self._support_rows = {
                "start": rows.indptr.astype(np.int64),
                "index": rows.indices.astype(np.int32),
                "value": np.asarray(rows.data, dtype=np.float64),
            }
        elif examples is not None:
            is_array = isinstance(examples, np.ndarray)
            items: Any = examples[support] if is_array else [examples[i] for i in support]
            self._support_items = items

    def _support_csr(self) -> sp.csr_matrix:
        rows = self._support_rows
        shape = (len(rows["start"]) - 1, self.n_features_in_)
        return sp.csr_matrix((rows["value"], rows["index"], rows["start"]), shape=shape)

    @property
    def support_vectors_(self) -> Any:
        """The support vectors: rows, sparse if X was, or the examples themselves.

        A precomputed Gram matrix has none; ``support_`` tells which columns are used.
        """
        self._require_fitted("dual_coef_")
        if self._over_features():
            rows = self._support_csr()
            return rows if self._sparse_input else rows.toarray()
        return getattr(self, "_support_items", np.empty((0, 0)))

    def _cross_grams(self, X: Any) -> Iterator[Table]:
        """Give K(x, support vectors) for blocks of examples."""
        step = max(1, _BLOCK // max(1, len(self.support_)))
        if self.kernel == "precomputed":
            yield self._read_table(X, reset=False)[:, self.support_]
        elif self._over_features():
            features = self._read(X, reset=False)
            yield from self._feature_grams(features, step)
        else:
            examples = self._read_objects(X, reset=False)
            for first in range(0, _length(examples), step):
                block = examples[first : first + step]
                if not len(self.support_):
                    yield np.zeros((_length(block), 0))
                else:
                    yield self._function_gram(block, self._support_items)

    def _feature_grams(self, features: Features, step: int) -> Iterator[Table]:
        if not len(self.support_):
            yield np.zeros((features.rows, 0))
            return
        options, threads = self._core_kernel(), self._threads()
        support = checked_features(self._support_csr(), threads)
        if features.rows <= step:
            yield features_gram(features, support, options, threads)
            return
        for first in range(0, features.rows, step):
            block = checked_features(features.csr[first : first + step], threads)
            yield features_gram(block, support, options, threads)

    # --- scores ---

    def _machine_scores(self, gram: Table) -> Table:
        """Return the scores of all machines from K(x, support vectors), without the intercept."""
        return gram @ self.dual_coef_.T

    def _all_scores(self, X: Any) -> Table:
        self._require_fitted("dual_coef_")
        if self.dual_coef_.shape[1] != len(self.support_):
            raise DataError("dual_coef_ and support_ do not fit each other.")
        return np.vstack([self._machine_scores(g) for g in self._cross_grams(X)]) + self.intercept_

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the scores: shape (n,) for two classes, else (n, K)."""
        scores = self._all_scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of largest score for each example."""
        best = winners(self.decision_function(X))
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def _card(self, n_examples: int) -> list[tuple[str, str]]:
        kernel = self.kernel if isinstance(self.kernel, str) else "a function"
        kernel += f", gamma {self.gamma_:.6g}" if hasattr(self, "gamma_") else ""
        share = f" of {n_examples:,} examples" if n_examples else ""
        return [("kernel", kernel), ("support", f"{len(self.support_):,}{share}")]

    def _reasons(self, inputs: Any, k: int, other: int, named: Named) -> Reasons:
        return kernel_reasons(self, inputs, k, other, named)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.string = self.kernel == "string_subsequence"
        return tags


def _length(examples: Any) -> int:
    return int(examples.shape[0]) if hasattr(examples, "shape") else len(examples)


def _is_numeric(example: Any) -> bool:
    try:
        return bool(np.asarray(example).dtype.kind in "biuf")
    except ValueError:
        return False


def _symmetric(gram: Table) -> Table:
    """Refuse values that are no kernel of a set with itself."""
    scale = float(np.abs(gram).max(initial=0.0))
    if np.abs(gram - gram.T).max(initial=0.0) > 1e-8 * scale:
        raise DataError("The Gram matrix is not symmetric: K(x, z) must equal K(z, x).")
    return gram
