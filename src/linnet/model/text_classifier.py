"""TextClassifier: labelled texts in, a classifier of texts out."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from linnet.errors import DataError, ParameterError
from linnet.learn.base import _NotFitted
from linnet.learn.checks import sample_weights
from linnet.learn.restore import restored_on_error
from linnet.model.fitting import fitted
from linnet.model.model import TextModel
from linnet.text.features import TextFeatures

if TYPE_CHECKING:
    from linnet.explain.rows import RowExplanation
    from linnet.explain.text import Explanation
    from linnet.model.row_model import RowModel

__all__ = ["TextClassifier"]

Floats = NDArray[np.float64]


class TextClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify texts: features, any linear learner and a decision rule in one estimator.

    Parameters
    ----------
    learner : estimator, optional
        Any linear classifier of linnet (or of scikit-learn). By default
        ``SVM(loss="squared_hinge", multi_class="ovr", tol=1e-3)``. BernoulliNB looks at presence
        only, so it is given binary features without a norm. Of the others, MemoryBased with
        metric "cosine" or "l2", KernelSVM and KernelPerceptron read texts; all learners of
        linnet read vectors of up to 1,000 features.
    tokenizer, ngrams, skip, lowercase, accents, digits, html, stop_words, min_df, max_df, \
max_features, hashing, weighting, sublinear_tf, norm
        What to look at in a text: see :class:`linnet.text.TextFeatures`. ``min_df="auto"`` drops
        features of a single text when there are at least 1,000 texts. Bags of features are only
        weighted and pruned; values that are no counts stay as they are. Vectors stay as they are.
    C : float or "auto", default="auto"
        Weight of the losses against the penalty, for learners that have it. "auto" chooses it on
        held-out examples along a warm-started path, unless the learner was given another than its
        default.
    class_weight : dict or "balanced", optional
        Factor of the examples of each class. Not for several labels a row.
    abstain : float, optional
        Do not answer when the best probability is lower; ``abstain_label`` is returned instead.
        Not for several labels a row.
    abstain_label : str, int, float or None, default=None
    n_threads : int, optional
        None uses all cores. The result does not depend on it.
    random_state : int, default=0
        Of the folds and of the learner.

    Attributes
    ----------
    classes_ : array of shape (K,)
    model_ : TextModel, or RowModel for a learner that is not linear
        All that predicting needs; what :meth:`save` writes.
    learner_ : the fitted learner
        Its classes are the numbers of the labels. For several labels a row, a list of one learner
        for each; None for a label that every row has.
    features_ : TextFeatures, when X was texts
    tuning_ : Tuning
        What held-out examples said about C and about the probabilities.
    record_ : dict
        The training in numbers.
    seconds_ : dict
        What fitting took, in all and for the features; it says more about the machine than about
        the model, so it is not part of the file.

    Examples
    --------
    >>> import linnet
    >>> corpus = linnet.data.load_pydoc()
    >>> clf = linnet.TextClassifier().fit(corpus.train_texts, corpus.train_labels)
    >>> clf.predict(["Return the message's payload, decoded from base64."]).tolist()
    ['mail']
    >>> bool(clf.score(corpus.test_texts, corpus.test_labels) > 0.75)
    True
    """

    def __init__(
        self,
        learner: Any = None,
        *,
        tokenizer: Any = "token",
        ngrams: tuple[int, int] | int = (1, 2),
        skip: int = 0,
        lowercase: bool | None = None,
        accents: str | None = None,
        digits: bool = False,
        html: bool = False,
        stop_words: str | Iterable[str] | None = None,
        min_df: float | str = "auto",
        max_df: float = 1.0,
        max_features: int | None = None,
        hashing: int | bool | None = None,
        weighting: str = "tfidf",
        sublinear_tf: bool = True,
        norm: str | None = "auto",
        C: float | str = "auto",
        class_weight: Any = None,
        abstain: float | None = None,
        abstain_label: Any = None,
        n_threads: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.learner = learner
        self.tokenizer = tokenizer
        self.ngrams = ngrams
        self.skip = skip
        self.lowercase = lowercase
        self.accents = accents
        self.digits = digits
        self.html = html
        self.stop_words = stop_words
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.hashing = hashing
        self.weighting = weighting
        self.sublinear_tf = sublinear_tf
        self.norm = norm
        self.C = C
        self.class_weight = class_weight
        self.abstain = abstain
        self.abstain_label = abstain_label
        self.n_threads = n_threads
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn to classify.

        Parameters
        ----------
        X : list of str, TextColumn, pandas, polars or Arrow column
            Texts; or a list of dictionaries (feature to value); or a sparse matrix.
        y : sequence of labels, or of lists of labels
            With lists, a text may have any number of labels and each is learned by itself.
        sample_weight : array of shape (n,), optional
            An example of weight 0 counts as if it were not there.
        """
        self._check()
        with restored_on_error(self):
            self.__dict__.pop("features_", None)  # of an earlier fit on texts
            self.__dict__.update(fitted(self, X, y, sample_weight))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row; see :meth:`TextModel.predict`."""
        return self._model().predict(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose answer is right; a row's list of labels must be complete.

        A row without an answer, because the model abstains, is not right.
        """
        guesses, truth = self.predict(X).tolist(), _listed(y)
        if len(truth) != len(guesses):
            raise DataError(f"X has {len(guesses)} rows, y has {len(truth)} labels.")
        if self.multilabel:
            right = [set(guess) == set(gold) for guess, gold in zip(guesses, truth, strict=True)]
        else:
            right = [guess == gold for guess, gold in zip(guesses, truth, strict=True)]
        return float(np.average(right, weights=sample_weights(sample_weight, len(right))))

    def predict_proba(self, X: Any) -> Floats:
        """Return calibrated probabilities, shape (n, K)."""
        return self._model().predict_proba(X)

    def predict_top(self, X: Any, k: int = 3) -> tuple[NDArray[Any], Floats]:
        """Return the k most probable labels of each row and their probabilities, best first."""
        return self._model().predict_top(X, k)

    def decision_function(self, X: Any) -> Floats:
        """Return the scores: shape (n,) for two classes, else (n, K)."""
        return self._model().decision_function(X)

    def explain(self, text: Any, label: Any = None) -> Explanation | RowExplanation:
        """Say what each feature adds to the score of a label (by default the predicted one)."""
        return self._model().explain(text, label)

    def top_features(self, n: int = 10) -> dict[Any, list[tuple[str, float]]]:
        """Return the n features of largest weight for each label."""
        return self._model().top_features(n)

    def card(self) -> str:
        """Return a readable description of the model."""
        return self._model().card()

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        dtype: str = "float32",
        max_features: int | None = None,
    ) -> None:
        """Write the model to one file; see :meth:`TextModel.save`."""
        self._model().save(path, dtype=dtype, max_features=max_features)

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted."""
        return self._model().classes_

    @property
    def record_(self) -> dict[str, Any]:
        """The training in numbers."""
        return self._model().record_

    @property
    def multilabel(self) -> bool:
        """Whether a text may have any number of labels."""
        return self._model().multilabel

    @property
    def kind(self) -> str:
        """What is classified: "text", "bag" or "vector"."""
        return self._model().kind

    def _stored(self) -> TextModel | RowModel:
        return self._model()

    def _model(self) -> TextModel | RowModel:
        model: TextModel | RowModel | None = getattr(self, "model_", None)
        if model is None:
            raise _NotFitted("This TextClassifier is not fitted yet; call fit with texts.")
        return model

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags

    def _check(self) -> None:
        if self.C != "auto" and not _is_number(self.C, 0.0, np.inf, open_ends=True):
            raise ParameterError(f"C must be 'auto' or a positive number, got {self.C!r}.")
        if self.abstain is not None and not _is_number(self.abstain, 0.0, 1.0):
            raise ParameterError(
                f"abstain must be None or a probability from 0 to 1, got {self.abstain!r}."
            )
        label = self.abstain_label
        if not isinstance(label, (str, int, float, type(None))) or label != label:
            raise ParameterError(f"abstain_label must be a text or a number, got {label!r}.")

    def _features(self, n: int) -> TextFeatures:
        """Return what makes features of n texts."""
        min_df: Any = self.min_df
        if min_df == "auto":
            min_df = 2 if n >= 1000 and not self.hashing else 1
        given = {name: getattr(self, name) for name in _FEATURES}
        return TextFeatures(**given, min_df=min_df)


_FEATURES = (
    "tokenizer", "ngrams", "skip", "lowercase", "accents", "digits", "html", "stop_words", "max_df",
    "max_features", "hashing", "weighting", "sublinear_tf", "norm", "n_threads",
)  # fmt: skip


def _is_number(value: Any, low: float, high: float, *, open_ends: bool = False) -> bool:
    """Tell whether a value is a number, no truth value, between two others."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
        return False
    return bool(low < value < high if open_ends else low <= value <= high)


def _listed(y: Any) -> list[Any]:
    return list(y.tolist() if hasattr(y, "tolist") else y)
