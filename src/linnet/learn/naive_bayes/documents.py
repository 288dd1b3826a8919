"""What the two naive Bayes models of documents share: counts in, linear scores out.

With p = p(j | k) the joint of class k is linear in what is counted (S0 Remark 1.2, SPEC M-19):

    ln p(k) + sum over present j of ln p + sum over absent j of ln(1 - p)

where the multinomial model leaves out the last sum. Without smoothing p may be 0 or 1 and a term
-inf. Such terms are counted apart from the finite ones, so no infinities are ever subtracted and
no score is NaN (A-05).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.learn.flat.base import LinearClassifier
from linnet.learn.shared.generative import Floats, Generative, log, minus, require_not_negative
from linnet.learn.shared.history import History
from linnet.learn.shared.inputs import Features, is_bags
from linnet.learn.shared.restore import restored_on_error
from linnet.learn.shared.symbols import with_indicators
from linnet.stored import Array, Fields, Number

UNKNOWN = "<unk>"
_WORTH_THREADS = 1 << 18  # cells of a table whose logarithms are worth a second thread


class DocumentNB(Generative, LinearClassifier):
    """Naive Bayes over counts n_kj; the two document models differ in what they count."""

    stored: ClassVar[Fields] = {
        "feature_count_": Array("f8", "K J", low=0),
        "feature_log_prob_": Array("f8", "K J", beyond=(-np.inf,)),
        "has_zeros_": Number(bool),
        "coef_": Array("f8", "R J", beyond=(-np.inf, np.inf)),
    }
    _statistics = ("feature_count_",)

    alpha: float
    oov: Literal["drop", "unk"]
    feature_count_: Floats
    feature_log_prob_: Floats
    has_zeros_: bool

    def _check_parameters(self) -> None:
        require_not_negative("alpha", self.alpha)
        if self.oov not in ("drop", "unk"):
            raise ParameterError(f"oov must be 'drop' or 'unk', got {self.oov!r}.")

    def _check_incremental(self) -> None:
        """Refuse what cannot be counted block by block."""
        self._check_parameters()
        if self.alpha == 0 or self.class_prior is not None:
            raise ParameterError("alpha=0 and class_prior need all rows; leave them out.")

    def _prior_of(self, examples: Floats) -> Floats:
        """Return ln p(k) of the examples of each class, shape (K,)."""
        equal = np.full(len(examples), 1.0 / len(examples))
        return log(examples / examples.sum() if self.fit_prior else equal)

    def _check_loaded(self) -> None:
        super()._check_loaded()
        if self.has_zeros_:
            return
        tables = [self.feature_log_prob_, self.coef_, self._log_absent()]
        impossible = any(table.min() == -np.inf for table in tables if table is not None)
        if impossible or self.coef_.max() == np.inf:
            raise DataError("there are probabilities of zero that has_zeros_ does not know of")

    def _read(self, X: Any, *, reset: bool) -> Features:
        if self.oov == "drop":
            return super()._read(X, reset=reset)
        if is_bags(X):
            known = None if reset else self.__dict__.get("vocabulary_")
            return super()._read(
                [_with_unknown(bag, known) for bag in with_indicators(X)], reset=reset
            )
        if reset:
            raise DataError("oov='unk' needs feature dictionaries: arrays have no unseen names.")
        return super()._read(X, reset=reset)

    def _table_threads(self) -> int:
        """Return how many threads a pass over the table of counts is worth."""
        return self._threads() if self.feature_count_.size >= _WORTH_THREADS else 1

    def _add(self, features: Features, gold: NDArray[np.int32], weights: Floats) -> None:
        counts = features.counts(gold, weights, len(self.classes_), self._threads())
        if self.class_count_.any():
            counts += self.feature_count_
        self.feature_count_ = counts
        self.class_count_ = self.class_count_ + np.bincount(gold, weights, len(self.classes_))

    def reestimate(self) -> Self:
        """Smooth the counts of the last fit anew, after ``set_params(alpha=...)``.

        Returns
        -------
        self
            The same as after another fit, without going over the examples.

        Examples
        --------
        >>> from linnet import MultinomialNB
        >>> model = MultinomialNB().fit([{"a": 1}, {"b": 3}], ["x", "y"])
        >>> model.set_params(alpha=0.5).reestimate().feature_log_prob_.round(2).tolist()
        [[-0.29, -1.39], [-2.08, -0.13]]
        """
        self._require_fitted("class_log_prior_")
        self._check_parameters()
        with restored_on_error(self):
            history = History()
            history.add(iteration=1, objective=-self._estimate())
            self.history_ = history.as_dict()
        return self

    def _log_absent(self) -> Floats | None:
        """Return ln(1 - p(j | k)), shape (K, J); None where absent features do not count."""
        return None

    def _linear(self, present: Floats, absent: Floats | None) -> tuple[Floats, Floats]:
        """Return weights (K, J) and bias (K,) from ln p and ln(1 - p)."""
        if absent is None:
            return present, self.class_log_prior_
        return minus(present, absent), self.class_log_prior_ + absent.sum(axis=1)

    def _set_probabilities(self, present: Floats, absent: Floats | None = None) -> None:
        """Keep ln p(j | k) and export the linear form."""
        tables = (present,) if absent is None else (present, absent)
        self.has_zeros_ = any(bool(table.min(initial=0.0) == -np.inf) for table in tables)
        self.feature_log_prob_ = np.asfortranarray(present)  # feature-major, as the core reads it
        self._export(*self._linear(self.feature_log_prob_, absent))

    def _joint(self, features: Features) -> Floats:
        present, absent = self.feature_log_prob_, self._log_absent()
        if not self.has_zeros_:
            return self._apply(features, *self._linear(present, absent))
        # Score what is finite and count what is impossible; only then does -inf come in.
        zero = np.isneginf(present)
        impossible, base = zero.astype(np.float64), np.zeros(len(self.classes_))
        if absent is not None:
            one = np.isneginf(absent)
            impossible, base = impossible - one, one.sum(axis=1).astype(np.float64)
            absent = np.where(one, 0.0, absent)
        joint = self._apply(features, *self._linear(np.where(zero, 0.0, present), absent))
        joint[self._apply(features, impossible, base) > 0] = -np.inf
        return joint

    def _apply(self, features: Features, weights: Floats, bias: Floats) -> Floats:
        return features.scores(np.ascontiguousarray(weights.T), self._threads()) + bias

    def _why_not_linear(self) -> str:
        return "with alpha=0 has infinite weights" if self.alpha == 0 else ""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on clouds of points, which are not counts
        return tags

    def decision_function(self, X: Any) -> Floats:
        """Return the scores: shape (n,) for two classes, else (n, K) joint log probabilities."""
        self._require_fitted("class_log_prior_")
        if self.has_zeros_:
            return super().decision_function(X)
        scores = self._scores(self._prepare(self._read(X, reset=False)))
        return scores[:, 0] if scores.shape[1] == 1 else scores


def _with_unknown(bag: Any, known: dict[str, int] | None) -> Any:
    """Give the bag the feature UNKNOWN, which takes up all names that are not known."""
    if not isinstance(bag, Mapping):
        return bag  # refused by the reader, which knows the row
    if known is None:
        return {UNKNOWN: 0.0, **bag}
    inside = {name: value for name, value in bag.items() if name in known}
    try:
        unknown = sum(value for name, value in bag.items() if name not in known)
    except TypeError as error:
        raise DataError(f"Feature values must be numbers: {error}.") from None
    return {**inside, UNKNOWN: inside.get(UNKNOWN, 0.0) + unknown}


def log_ratio(top: Floats, bottom: Floats) -> Floats:
    """Return ln(top / bottom), with 0/0 = 0: a class without data gives every feature 0.

    Where nothing is 0 the result takes the place of ``top``: new memory costs as much as the
    logarithms.

    Examples
    --------
    >>> log_ratio(np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([[1.0], [0.0]]))
    array([[  0., -inf],
           [-inf, -inf]])
    """
    if top.min(initial=1.0) > 0 and bottom.min(initial=1.0) > 0:  # smoothed
        out = np.log(top, out=top)
        out -= np.log(bottom)
        return out
    out = log(top)
    return np.subtract(out, log(bottom), out=out, where=bottom > 0)


def weighted_sum(counts: Floats, log_probabilities: Floats) -> float:
    """Return sum of counts * log_probabilities, with 0 * -inf = 0.

    Examples
    --------
    >>> weighted_sum(np.array([2.0, 0.0]), np.array([-1.0, -np.inf]))
    -2.0
    """
    if log_probabilities.min(initial=0.0) > -np.inf:
        every = "kj,kj->" if counts.ndim == 2 else "k,k->"
        return float(np.einsum(every, counts, log_probabilities))
    seen = counts > 0
    return float(counts[seen] @ log_probabilities[seen])


def stored_values(features: Features) -> NDArray[np.floating[Any]]:
    """Return the values in the order of the rows; a CSR matrix may hold unused ones after them."""
    values: NDArray[np.floating[Any]] = features.csr.data[: features.stored]
    return values


def first_marked(features: Features, where: NDArray[np.bool_]) -> tuple[int, int, float]:
    """Return row, column and value of the first stored value that is marked."""
    at = int(np.flatnonzero(where)[0])
    row = int(np.searchsorted(features.csr.indptr, at, side="right")) - 1
    return row, int(features.csr.indices[at]), float(features.csr.data[at])
