"""Naive Bayes: multinomial and Bernoulli for documents, Gaussian for numbers (SPEC M-12 - M-22).

Problem: maximise the joint log-likelihood

    sum_i ln p(x_i, y_i),    p(x, k) = p(k) prod_j p(x_j | k)

Given: counts x_ij >= 0 and classes. Returned, in closed form after one pass of counting:

    p(k)                    = examples of k / examples
    p(j | k), multinomial   = (alpha + tokens j in class k) / (alpha J + tokens of class k)
    p(j | k), Bernoulli     = (alpha + examples of k that have j) / (2 alpha + examples of k)

Both are linear classifiers (S0 Remark 1.2, M-19):

    multinomial  w_kj = ln p(j | k),     b_k = ln p(k)
    Bernoulli    w_kj = logit p(j | k),  b_k = ln p(k) + sum_j ln(1 - p(j | k))

Add-alpha is the posterior mean under a symmetric Dirichlet(alpha) prior; as a most probable value
it belongs to Dirichlet(alpha + 1), and under a uniform prior it would be alpha = 0 (A-03).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.learn.flat.counting import Counting, CountingPresence
from linnet.learn.naive_bayes.documents import (
    DocumentNB,
    first_marked,
    log_ratio,
    stored_values,
    weighted_sum,
)
from linnet.learn.naive_bayes.gaussian import GaussianNB
from linnet.learn.shared.declaration import Declaration, tried
from linnet.learn.shared.drawing import draw, draw_lengths
from linnet.learn.shared.generative import Floats, minus, require_not_negative
from linnet.learn.shared.inputs import ClassWeight, Features, checked_features
from linnet.learn.shared.large_pages import large_empty

__all__ = ["BernoulliNB", "GaussianNB", "MultinomialNB"]

SMOOTHING = tried("alpha", 0.1, 1.0, 0.01, 0.3, 0.03, 0.003, 0.001)
BLOCK = 1 << 22  # uniform numbers drawn at a time


class MultinomialNB(DocumentNB):
    """Naive Bayes over word counts (S0 Eq 1.9, S2 "Learning in Practice"; SPEC M-15 - M-17).

    Parameters
    ----------
    alpha : float, default 1.0
        Smoothing: added to every count. 0 is maximum likelihood; words not seen with a class then
        have probability 0 and scores of -inf.
    fit_prior : bool, default True
        Estimate the class priors; False takes them as equal.
    class_prior : array of shape (K,), optional
        Given priors.
    normalizer : {"tokens", "documents"}, default "tokens"
        What the counts of a class are divided by: its tokens, which gives a distribution, or its
        documents, which is what S0 Eq 1.10 prints (SPEC A-01, A-02).
    oov : {"drop", "unk"}, default "drop"
        Names outside the training vocabulary, in feature dictionaries: left out, or counted for
        one more feature ``<unk>`` that has count 0.
    class_weight : dict, "balanced" or None
    classes : list of labels, optional
        The labels in the order in which ``classes_``, scores and probabilities have them; sorted by
        default. Ties go to the first of them.
        How often an example of each class counts.
    n_threads : int, optional
        None is all cores. The result does not depend on it.

    Attributes
    ----------
    classes_ : array of shape (K,)
    class_count_, class_log_prior_ : arrays of shape (K,)
    feature_count_, feature_log_prob_ : arrays of shape (K, J)
    coef_, intercept_ : arrays of shape (K, J) and (K,); for two classes (1, J) and (1,)
        The same model as linear weights; for two classes log ratios, 0 where both are -inf.
    has_zeros_ : bool
        Whether some probability is 0, so that scores may be -inf.
    history_ : dict
        One row: the objective, minus the joint log-likelihood, and seconds.
    n_iter_, optimality_ : 1 and 0.0, for the estimate is a closed form

    Examples
    --------
    >>> bags = [{"dull": 2, "plot": 1}, {"fun": 2, "plot": 1}]
    >>> model = MultinomialNB().fit(bags, ["-", "+"])
    >>> model.predict([{"fun": 1, "new": 1}]).tolist()
    ['+']
    >>> model.predict_proba([{"fun": 1}]).round(3).tolist()
    [[0.75, 0.25]]
    """

    declaration: ClassVar[Declaration] = Declaration(
        short="nb",
        place=10,
        reads="counts",
        training="counts",
        grid=SMOOTHING,
        tries_all=True,
        shown={
            "naive Bayes, multinomial, add 1": {},
            "naive Bayes, multinomial, add 0.1": {"alpha": 0.1},
        },
    )

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        normalizer: Literal["tokens", "documents"] = "tokens",
        oov: Literal["drop", "unk"] = "drop",
        class_weight: ClassWeight = None,
        classes: Any = None,
        n_threads: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.normalizer = normalizer
        self.oov = oov
        self.class_weight = class_weight
        self.classes = classes
        self.n_threads = n_threads

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.normalizer not in ("tokens", "documents"):
            raise ParameterError(
                f"normalizer must be 'tokens' or 'documents', got {self.normalizer!r}."
            )

    def _prepare(self, features: Features) -> Features:
        if not features.non_negative:
            row, column, value = first_marked(features, stored_values(features) < 0)
            raise DataError(
                f"Negative values in data passed to MultinomialNB: counts cannot be negative, but "
                f"row {row}, column {column} is {value}."
            )
        return features

    def _estimate(self) -> float:
        counts, threads = self.feature_count_, self._table_threads()
        size = self.class_count_
        if self.normalizer == "tokens":
            size = np.empty(len(counts))
            _core.count_totals(counts, size, threads)
        size = size + self.alpha * self.n_features_in_
        prior = weighted_sum(self.class_count_, self.class_log_prior_)
        if self.alpha >= np.finfo(np.float64).tiny and np.isfinite(size).all():
            return prior + self._set_smoothed(size, threads)
        present = log_ratio(counts + self.alpha, size[:, None])
        self._set_probabilities(present)
        return prior + weighted_sum(counts, present)

    def _set_smoothed(self, size: Floats, threads: int) -> float:
        """Do what ``_set_probabilities(log_ratio(counts + alpha, size))`` does where no count is 0.

        All of it in one pass of the core. Returns the weighted sum of the logarithms.
        """
        counts = self.feature_count_
        present = large_empty(*counts.shape[::-1])  # feature-major, as the core reads it
        odds = large_empty(counts.shape[1]) if len(counts) == 2 else None
        total = _core.log_probabilities(counts, self.alpha, np.log(size), present, odds, threads)
        self.has_zeros_ = False
        self.feature_log_prob_ = self.coef_ = present.T
        self.intercept_ = self.class_log_prior_
        if odds is not None:
            prior = self.class_log_prior_
            self.coef_, self.intercept_ = odds[None, :], minus(prior[1:], prior[:1])
        return total

    def incremental(
        self, n_features: int, n_classes: int = 2, examples: int | None = None
    ) -> Counting:
        """Return who counts rows block by block; see :mod:`linnet.learn.flat.incremental`."""
        self._check_incremental()
        return Counting(self.estimated, n_features, n_classes)

    def estimated(
        self, counts: Floats, totals: Floats, examples: Floats, n_features: int
    ) -> tuple[Floats, Floats]:
        """Return the linear form of counts, weights of shape (R, J') and intercepts (R,).

        Parameters
        ----------
        counts : array of shape (K, J')
            Of all features, or of some.
        totals, examples : arrays of shape (K,)
            The tokens and the examples of each class.
        n_features : int
            J, the number of all features.
        """
        size = totals if self.normalizer == "tokens" else examples
        present = log_ratio(counts + self.alpha, (size + self.alpha * n_features)[:, None])
        return _one_column(present, self._prior_of(examples))

    def sample(
        self, n: int = 1, *, length: Any = None, random_state: Any = None
    ) -> tuple[Any, NDArray[Any]]:
        """Draw documents: a class by its prior, then one word after the other of that class.

        Parameters
        ----------
        n : int, default 1
        length : int, pair or array of shape (n,), optional
            The number of words: of all documents, between two numbers (each as likely), or of each
            document. The lecture assumes that all documents are equally long (S0 Section 1.2.2);
            without a number that is the mean length of the training documents.
        random_state : int, RandomState or None

        Returns
        -------
        X : CSR matrix or list of dictionaries, n rows
            Counts of words; dictionaries where the model was fitted on such.
        y : array of shape (n,)

        Examples
        --------
        >>> bags = [{"dull": 2, "plot": 1}, {"fun": 2, "plot": 1}]
        >>> model = MultinomialNB(alpha=0).fit(bags, ["-", "+"])
        >>> X, y = model.sample(2, length=4, random_state=0)
        >>> [(label, sum(bag.values())) for bag, label in zip(X, y.tolist(), strict=True)]
        [('-', 4.0), ('+', 4.0)]
        """
        return self._sample(n, random_state, partial(self._draw, length=length))

    def _draw(
        self, rng: np.random.Generator, gold: NDArray[np.int64], length: Any = None
    ) -> sp.csr_matrix:
        if self.normalizer == "documents":
            raise ParameterError(
                "normalizer='documents' does not make a distribution over words, so there is "
                "nothing to draw from; fit with normalizer='tokens'."
            )
        if length is None:
            length = round(float(self.feature_count_.sum() / self.class_count_.sum()))
        lengths = draw_lengths(rng, length, len(gold))
        words = draw(rng, np.exp(self.feature_log_prob_), np.repeat(gold, lengths))
        start = np.concatenate([[0], np.cumsum(lengths)])
        shape = (len(gold), self.n_features_in_)
        counts = sp.csr_matrix((np.ones(len(words)), words, start), shape)
        counts.sum_duplicates()
        return counts

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


class BernoulliNB(DocumentNB):
    """Naive Bayes over the presence of words; absent words count too (SPEC M-18).

    Parameters
    ----------
    alpha : float, default 1.0
        Smoothing: p(j | k) = (alpha + examples of k that have j) / (2 alpha + examples of k).
    binarize : float or None, default 0.0
        A feature is present when its value is greater than this, which may not be negative. None
        says that X holds 0 and 1 already.
    fit_prior, class_prior, oov, class_weight, n_threads
        As for :class:`MultinomialNB`.

    Attributes
    ----------
    feature_count_ : array of shape (K, J)
        The number of examples of each class that have each feature.
    classes_, class_count_, class_log_prior_, feature_log_prob_, coef_, intercept_, has_zeros_, \
    history_, n_iter_, optimality_
        As for :class:`MultinomialNB`; the linear form is against presence 0 or 1.

    Examples
    --------
    >>> model = BernoulliNB().fit([{"dull": 2}, {"fun": 1}], ["-", "+"])
    >>> model.predict_proba([{"fun": 3}]).round(3).tolist()
    [[0.8, 0.2]]
    """

    declaration: ClassVar[Declaration] = Declaration(
        short="bernoulli",
        place=11,
        reads="presence",
        training="counts",
        grid=SMOOTHING,
        tries_all=True,
        shown={
            "naive Bayes, Bernoulli, add 1": {},
            "naive Bayes, Bernoulli, add 0.1": {"alpha": 0.1},
        },
    )

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: ArrayLike | None = None,
        oov: Literal["drop", "unk"] = "drop",
        class_weight: ClassWeight = None,
        classes: Any = None,
        n_threads: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.oov = oov
        self.class_weight = class_weight
        self.classes = classes
        self.n_threads = n_threads

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.binarize is not None:
            require_not_negative("binarize", self.binarize)

    def _prepare(self, features: Features) -> Features:
        return features.each(self._presence)

    def _presence(self, features: Features) -> Features:
        values = stored_values(features)
        if self.binarize is None:
            strange = (values != 0) & (values != 1)
            if strange.any():
                row, column, value = first_marked(features, strange)
                raise DataError(
                    f"binarize=None needs values 0 and 1, but row {row}, column {column} is "
                    f"{value}; pass binarize=0.0."
                )
        present = values > (self.binarize or 0.0)
        if present.all():  # forget the values, share the rest
            return replace(features, matrix=features.matrix.with_values(None))
        shape = (features.rows, features.cols)
        start, index = features.csr.indptr, features.csr.indices[: features.stored]
        csr = sp.csr_matrix((present.astype(np.float32), index, start), shape, copy=True)
        csr.eliminate_zeros()
        return checked_features(csr, self._threads())

    def _estimate(self) -> float:
        counts, size = self.feature_count_, self.class_count_[:, None]
        present = log_ratio(counts + self.alpha, size + 2 * self.alpha)
        absent = self._log_absent()
        self._set_probabilities(present, absent)
        prior = weighted_sum(self.class_count_, self.class_log_prior_)
        missing = np.maximum(size - counts, 0.0)
        return prior + weighted_sum(counts, present) + weighted_sum(missing, absent)

    def incremental(
        self, n_features: int, n_classes: int = 2, examples: int | None = None
    ) -> CountingPresence:
        """Return who counts rows block by block; see :mod:`linnet.learn.flat.incremental`."""
        self._check_incremental()
        if self.binarize is not None and self.binarize >= 1:
            raise ParameterError("over a stream a word is present or not: binarize must be below 1")
        return CountingPresence(self.estimated, self.absent, n_features, n_classes)

    def absent(self, counts: Floats, examples: Floats) -> Floats:
        """Return ln(1 - p(j | k)) of counts of shape (K, J') and examples of shape (K,)."""
        # From the counts, not from p: 1 - p would lose what p rounds off near 1.
        size = examples[:, None]
        missing = np.maximum(size - counts, 0.0)
        return log_ratio(missing + self.alpha, size + 2 * self.alpha)

    def estimated(
        self, counts: Floats, totals: Floats, examples: Floats, n_features: int
    ) -> tuple[Floats, Floats]:
        """Return the linear form of counts, weights of shape (R, J') and intercepts (R,).

        Parameters
        ----------
        counts : array of shape (K, J')
            Examples that have a feature: of all features, or of some.
        totals, examples : arrays of shape (K,)
            The sum of ln(1 - p) over all features, and the examples of each class.
        n_features : int
            J, the number of all features.
        """
        present = log_ratio(counts + self.alpha, examples[:, None] + 2 * self.alpha)
        weights = minus(present, self.absent(counts, examples))
        return _one_column(weights, self._prior_of(examples) + totals)

    def _draw(self, rng: np.random.Generator, gold: NDArray[np.int64]) -> sp.csr_matrix:
        present = np.exp(self.feature_log_prob_)
        step = max(1, BLOCK // self.n_features_in_)
        blocks = [
            sp.csr_matrix(rng.random((len(part), self.n_features_in_)) < present[part], dtype=float)
            for part in (gold[first : first + step] for first in range(0, len(gold), step))
        ]
        return sp.vstack(blocks, "csr") if blocks else sp.csr_matrix((0, self.n_features_in_))

    def _log_absent(self) -> Floats:
        return self.absent(self.feature_count_, self.class_count_)


def _one_column(weights: Floats, bias: Floats) -> tuple[Floats, Floats]:
    """Return weights (K, J) and bias (K,), of two classes the second against the first."""
    if len(bias) > 2:
        return weights, bias
    return minus(weights[1:], weights[:1]), minus(bias[1:], bias[:1])
