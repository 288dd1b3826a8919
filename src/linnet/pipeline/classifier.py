"""TextClassifier: labelled texts in, a classifier of texts out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.learn.inputs import encode_labels, example_weights, require_two_classes
from linnet.learn.regularized import RegularizedClassifier
from linnet.learn.restore import restored_on_error
from linnet.pipeline.labels import label_table
from linnet.pipeline.linear import linear_parts
from linnet.pipeline.model import TextModel
from linnet.pipeline.reading import Read, read
from linnet.pipeline.tuning import (
    Tuning,
    fit_quietly,
    held_out_parts,
    strengths,
    tune,
    walk,
)
from linnet.text.features import TextFeatures

if TYPE_CHECKING:
    from linnet.explain.text import Explanation

__all__ = ["TextClassifier"]

Floats = NDArray[np.float64]


class TextClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify texts: features, any linear learner and a decision rule in one estimator.

    Parameters
    ----------
    learner : estimator, optional
        Any linear classifier of linnet (or of scikit-learn). By default
        ``SVM(loss="squared_hinge", multi_class="ovr")``.
    tokenizer, ngrams, skip, lowercase, accents, digits, html, stop_words, min_df, max_df, \
max_features, hashing, weighting, sublinear_tf, norm
        What to look at in a text: see :class:`linnet.text.TextFeatures`. ``min_df="auto"`` drops
        features of a single text when there are at least 1,000 texts.
    C : float or "auto", default="auto"
        Weight of the losses against the penalty, for learners that have it. "auto" chooses it on
        held-out examples along a warm-started path, unless the learner was given its own.
    class_weight : dict or "balanced", optional
        Passed on to the learner.
    abstain : float, optional
        Do not answer when the best probability is lower; ``abstain_label`` is returned instead.
    abstain_label : label, default=None
    n_threads : int, optional
        None uses all cores. The result does not depend on it.
    random_state : int, default=0
        Of the folds and of the learner.

    Attributes
    ----------
    classes_ : array of shape (K,)
    model_ : TextModel
        All that predicting needs; what :meth:`save` writes.
    learner_ : the fitted learner (a list of them for several labels a row)
    features_ : TextFeatures, when X was texts
    tuning_ : Tuning
        What held-out examples said about C and about the probabilities.
    record_ : dict
        The training in numbers.

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
        """
        with restored_on_error(self):
            return self._fit(X, y, sample_weight)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row; see :meth:`TextModel.predict`."""
        return self._model().predict(X)

    def predict_proba(self, X: Any) -> Floats:
        """Return calibrated probabilities, shape (n, K)."""
        return self._model().predict_proba(X)

    def predict_top(self, X: Any, k: int = 3) -> tuple[NDArray[Any], Floats]:
        """Return the k most probable labels of each row and their probabilities, best first."""
        return self._model().predict_top(X, k)

    def decision_function(self, X: Any) -> Floats:
        """Return the scores: shape (n,) for two classes, else (n, K)."""
        return self._model().decision_function(X)

    def explain(self, text: Any, label: Any = None) -> Explanation:
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

    def _model(self) -> TextModel:
        model: TextModel | None = getattr(self, "model_", None)
        if model is None:
            raise NotFittedError("This TextClassifier is not fitted yet; call fit with texts.")
        return model

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        self._check()
        began = perf_counter()
        classes, gold = self._labels(X, y)
        learner = self._learner()
        data = read(X, self._features(len(gold)), classes[gold] if gold.ndim == 1 else None)
        read_seconds = perf_counter() - began
        weights = self._weights(sample_weight, classes, gold)
        tuning = self._tune(learner, data, gold, weights, len(classes))
        if tuning.C is not None:
            learner.set_params(C=tuning.C)
        if gold.ndim == 2:
            self.learner_, W, b = _fit_labels(learner, data.matrix, gold, weights)
        else:
            self.learner_ = _fit_all(learner, data.matrix, gold, weights, tuning)
            W, b = linear_parts(self.learner_)
        self.tuning_ = tuning
        if data.features is not None:
            self.features_ = data.features
        self.model_ = TextModel(
            classes=classes,
            weights=np.ascontiguousarray(W, dtype=np.float32),
            intercept=b,
            extractor=data.extractor,
            kind=data.kind,
            sharpness=tuning.sharpness,
            multilabel=gold.ndim == 2,
            abstain=self.abstain,
            abstain_label=self.abstain_label,
            record=self._record(learner, gold, data, tuning, read_seconds, perf_counter() - began),
            n_threads=self.n_threads,
        )
        return self

    def _check(self) -> None:
        good = isinstance(self.C, (int, float)) and not isinstance(self.C, bool) and self.C > 0
        if self.C != "auto" and not good:
            raise ParameterError(f"C must be 'auto' or a positive number, got {self.C!r}.")
        chance = self.abstain
        if chance is not None and not (isinstance(chance, (int, float)) and 0 <= chance <= 1):
            raise ParameterError(f"abstain must be a probability, got {chance!r}.")
        label = self.abstain_label
        if label is not None and not isinstance(label, (str, int, float)):
            raise ParameterError(f"abstain_label must be a text or a number, got {label!r}.")

    def _labels(self, X: Any, y: Any) -> tuple[NDArray[Any], NDArray[np.int32]]:
        """Return the labels and, for each row, its number; or a table of 0 and 1."""
        if y is None:
            raise DataError("TextClassifier requires y to be passed, but the target y is None.")
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        if _holds_lists(y):
            if len(y) != rows:
                raise DataError(f"There are {rows} texts, but labels for {len(y)}.")
            return label_table(y)
        classes, gold = encode_labels(y, rows)
        require_two_classes(classes, "TextClassifier")
        return classes, gold

    def _learner(self) -> Any:
        learner = _default_learner() if self.learner is None else clone(self.learner)
        known = learner.get_params()
        if self.C != "auto":
            if "C" not in known:
                raise ParameterError(f"{type(learner).__name__} has no C; leave C='auto'.")
            learner.set_params(C=self.C)
        if "n_threads" in known and known["n_threads"] is None:
            learner.set_params(n_threads=self.n_threads)
        if "random_state" in known and known["random_state"] is None:
            learner.set_params(random_state=self.random_state)
        return learner

    def _features(self, n: int) -> TextFeatures:
        min_df: Any = self.min_df
        if min_df == "auto":
            min_df = 2 if n >= 1000 and not self.hashing else 1
        return TextFeatures(
            self.tokenizer,
            ngrams=self.ngrams,
            skip=self.skip,
            lowercase=self.lowercase,
            accents=self.accents,
            digits=self.digits,
            html=self.html,
            stop_words=self.stop_words,
            min_df=min_df,
            max_df=self.max_df,
            max_features=self.max_features,
            hashing=self.hashing,
            weighting=self.weighting,
            sublinear_tf=self.sublinear_tf,
            norm=self.norm,
            n_threads=self.n_threads,
        )

    def _weights(
        self, sample_weight: Any, classes: NDArray[Any], gold: NDArray[np.int32]
    ) -> Floats | None:
        if sample_weight is None and self.class_weight is None:
            return None
        if gold.ndim == 2:
            if self.class_weight is not None:
                raise ParameterError("class_weight is for one label a row; use sample_weight.")
            return example_weights(sample_weight, None, classes, np.zeros(len(gold), np.int32))
        return example_weights(sample_weight, self.class_weight, classes, gold)

    def _tune(
        self,
        learner: Any,
        data: Read,
        gold: NDArray[np.int32],
        weights: Floats | None,
        n_classes: int,
    ) -> Tuning:
        """Hold examples out to choose C and to calibrate."""
        values: list[Any] = strengths(learner) if self.C == "auto" else []
        if "C" in learner.get_params() and learner.C != type(learner)().C:
            values = []  # the user's own choice
        parts = held_out_parts(gold, self.random_state)
        if gold.ndim == 2:
            scorer: Any = partial(_walk_labels, learner, data.matrix, gold, weights)
        else:
            scorer = partial(walk, learner, data.matrix, gold, weights, n_classes)
        return tune(values or [None], gold, parts, scorer)

    def _record(
        self,
        learner: Any,
        gold: NDArray[np.int32],
        data: Read,
        tuning: Tuning,
        read_seconds: float,
        seconds: float,
    ) -> dict[str, Any]:
        fitted = self.learner_[0] if isinstance(self.learner_, list) else self.learner_
        record: dict[str, Any] = {
            "learner": type(learner).__name__,
            "examples": len(gold),
            "n_features": int(data.matrix.shape[1]),
            "C": getattr(learner, "C", None),
            "optimality": getattr(fitted, "optimality_", None),
            "iterations": getattr(fitted, "n_iter_", None),
            "sharpness": tuning.sharpness,
        }
        if tuning.n_held_out:
            record["held_out"] = tuning.n_held_out
            record["held_out_accuracy"] = tuning.accuracy
        record["seconds_features"] = round(read_seconds, 4)
        record["seconds"] = round(seconds, 4)
        return {name: value for name, value in record.items() if value is not None}


def _default_learner() -> Any:
    from linnet.learn.svm import SVM

    return SVM(loss="squared_hinge", multi_class="ovr", tol=1e-3)


def _holds_lists(y: Any) -> bool:
    """Tell whether labels come as lists, one for each row."""
    if isinstance(y, (str, bytes)) or not isinstance(y, Sequence):
        return False
    first = next((entry for entry in y if entry is not None), None)
    return isinstance(first, (list, tuple, set, frozenset)) and not isinstance(first, Mapping)


def _fit_all(
    learner: Any,
    X: Any,
    gold: NDArray[np.int32],
    weights: Floats | None,
    tuning: Tuning,
) -> Any:
    """Fit on all examples, starting from the dual variables of those that were not held out."""
    before, held_out = tuning.learner, tuning.held_out
    if (
        isinstance(learner, RegularizedClassifier)
        and held_out is not None
        and getattr(before, "dual_coef_", None) is not None
        and len(before.classes_) == gold.max() + 1
    ):
        duals = np.zeros((len(gold), before.dual_coef_.shape[1]))
        duals[np.delete(np.arange(len(gold)), held_out)] = before.dual_coef_
        learner.__dict__.update(
            classes_=before.classes_, coef_=before.coef_, intercept_=before.intercept_,
            dual_coef_=duals, n_features_in_=before.n_features_in_,
        )  # fmt: skip
        was = learner.warm_start
        learner.set_params(warm_start=True)
        learner.fit(X, gold, sample_weight=weights)
        learner.set_params(warm_start=was)
    elif weights is None:
        learner.fit(X, gold)
    else:
        learner.fit(X, gold, sample_weight=weights)
    return learner


def _fit_labels(
    learner: Any, X: Any, table: NDArray[np.int32], weights: Floats | None
) -> tuple[list[Any], Floats, Floats]:
    """Fit one two-class learner for each label; one that never varies becomes an intercept."""
    W = np.zeros((X.shape[1], table.shape[1]))
    b = np.zeros(table.shape[1])
    fitted = []
    for k in range(table.shape[1]):
        yes = table[:, k]
        own = clone(learner)
        if yes.min() == yes.max():
            b[k] = np.log((yes.sum() + 1.0) / (len(yes) - yes.sum() + 1.0))
        else:
            fit_quietly(own, X, yes, weights)
            weights_k, intercept_k = linear_parts(own)
            W[:, k], b[k] = weights_k[:, 0], intercept_k[0]
        fitted.append(own)
    return fitted, W, b


def _walk_labels(
    learner: Any,
    X: Any,
    table: NDArray[np.int32],
    weights: Floats | None,
    values: Sequence[float | None],
    rest: NDArray[np.intp],
    part: NDArray[np.intp],
) -> Iterator[tuple[Any, Floats]]:
    """Yield (None, held-out scores) for each C, all labels together."""
    held = X[part]
    sample_weight = None if weights is None else weights[rest]
    for C in values:
        own = clone(learner) if C is None else clone(learner).set_params(C=C)
        _, W, b = _fit_labels(own, X[rest], table[rest], sample_weight)
        yield None, np.asarray(held @ W + b)
