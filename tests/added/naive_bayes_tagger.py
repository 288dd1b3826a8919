"""A naive Bayes tagger: features given tags, and tags given the tag before, by counting."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from linnet.learn.chain.tagger import ChainClassifier
from linnet.learn.chain.weights import observed_pairs
from linnet.learn.shared.checks import check_positive
from linnet.learn.shared.declaration import Declaration, tried
from linnet.learn.shared.properties import GENERATIVE, Properties
from linnet.learn.shared.restore import restored_on_error

__all__ = ["NaiveBayesTagger"]


class NaiveBayesTagger(ChainClassifier):
    """Tag by the most probable sequence, all features of a token being independent.

    Examples
    --------
    >>> X = [[["w=the"], ["w=dog"], ["w=runs"]], [["w=dogs"], ["w=run"]]]
    >>> model = NaiveBayesTagger().fit(X, [["D", "N", "V"], ["N", "V"]])
    >>> model.predict([[["w=the"], ["w=dogs"], ["w=run"]]])
    [['D', 'N', 'V']]
    """

    properties: ClassVar[Properties] = GENERATIVE
    declaration: ClassVar[Declaration] = Declaration(
        short="nb", reads="tokens", training="counts", grid=tried("alpha", 0.1, 1.0, 0.01)
    )

    def __init__(self, alpha: float = 0.1, *, n_threads: int | None = None) -> None:
        self.alpha = alpha
        self.n_threads = n_threads

    def fit(self, X: Any, y: Any) -> Self:
        """Count features with tags, and tags with the tags before them."""
        check_positive(alpha=self.alpha)
        with restored_on_error(self):
            features = self._read(X, reset=True)
            gold = self._read_gold(y, features)
            L, J = len(self.classes_), features.n_features
            owner = np.repeat(gold, np.diff(features.start))  # the tag of each feature's token
            pairs = features.column.astype(np.int64) * L + owner
            seen = np.bincount(pairs, features.value, J * L).reshape(J, L)
            first = features.sentence[:-1][np.diff(features.sentence) > 0]
            later = np.setdiff1d(np.arange(len(gold)), first)
            steps = np.bincount(gold[later - 1] * L + gold[later], minlength=L * L)
            every = observed_pairs(features, gold, L, every=True)
            self.pair_start_, self.pair_label_ = every
            self.pair_weight_ = self._log_shares(seen.T).T.ravel()
            self.transition_ = self._log_shares(steps.reshape(L, L))
            self.start_ = self._log_shares(np.bincount(gold[first], minlength=L)[None])[0]
            self.stop_ = np.zeros(L)
            return self

    def _log_shares(self, counts: Any) -> Any:
        """Return the logarithm of each row's shares, smoothed."""
        smooth = counts + self.alpha
        return np.log(smooth / smooth.sum(axis=1, keepdims=True))
