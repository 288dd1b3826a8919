"""RowClassifier: labelled rows of attribute values in, a classifier of rows out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier

from linnet.errors import DataError, ParameterError
from linnet.learn.attributes import Kinds
from linnet.learn.base import Learner, _NotFitted
from linnet.learn.checks import LARGEST, sample_weights
from linnet.learn.inputs import ClassWeight
from linnet.learn.memory import MemoryBased
from linnet.learn.restore import restored_on_error
from linnet.model.row_fitting import fit_rows
from linnet.model.row_model import RowModel

if TYPE_CHECKING:
    from linnet.explain.rows import RowExplanation

__all__ = ["RowClassifier"]

Floats = NDArray[np.float64]


class RowClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify rows of attribute values: symbols, numbers, or both.

    Parameters
    ----------
    learner : estimator, optional
        Any flat classifier of linnet. By default ``MemoryBased(feature_weights="gain_ratio")``.
        Memory-based learning and decision trees take rows as they are; for kernels and linear
        learners a symbol becomes an indicator ``column=value`` (SPEC M-72); densities take
        numbers only.
    kinds : None, "symbolic", "numeric", list or dict
        What the columns hold; None lets their values decide, a dictionary names some of them.
    C : float or "auto", default="auto"
        Weight of the losses, for learners that have it. "auto" lets held-out examples choose for
        linear learners, and is the learner's own for others.
    class_weight : dict or "balanced", optional
        Factor of the examples of each class, for learners that weigh examples.
    abstain : float, optional
        Do not answer when the best probability is lower; ``abstain_label`` is returned instead.
    abstain_label : str, int, float or None, default=None
    n_threads : int, optional
        None uses all cores. The result does not depend on it.
    random_state : int, default=0
        Of the folds and of the learner.

    Attributes
    ----------
    classes_ : array of shape (K,)
    model_ : RowModel
        All that predicting needs; what :meth:`save` writes.
    learner_ : the fitted learner
    tuning_ : Tuning
        What held-out examples said, where some were held out.
    record_ : dict
        The training in numbers.
    seconds_ : dict
        What fitting took in all; it says more about the machine than about the model, so it is
        not part of the file.

    Examples
    --------
    >>> import linnet
    >>> rows = [["sunny", 30], ["sunny", 20], ["rain", 20], ["rain", 10]]
    >>> tree = linnet.RowClassifier(linnet.DecisionTree()).fit(rows, ["stay", "go", "stay", "stay"])
    >>> tree.predict([["sunny", 18]]).tolist()
    ['go']
    """

    def __init__(
        self,
        learner: Any = None,
        *,
        kinds: Kinds = None,
        C: float | str = "auto",
        class_weight: ClassWeight = None,
        abstain: float | None = None,
        abstain_label: Any = None,
        n_threads: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.learner = learner
        self.kinds = kinds
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
        X : list of rows, list of dictionaries, array, data frame or RowTable
            None and NaN are missing values, for learners that take them.
        y : sequence of labels
        sample_weight : array of shape (n,), optional
            For learners that weigh examples.
        """
        self._check()
        with restored_on_error(self):
            self.__dict__.update(fit_rows(self, self._own_learner(), X, y, sample_weight))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row; see :meth:`RowModel.predict`."""
        return self._model().predict(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows whose answer is right; no answer is not right."""
        guesses, truth = self.predict(X).tolist(), np.asarray(y).tolist()
        if len(truth) != len(guesses):
            raise DataError(f"X has {len(guesses)} rows, y has {len(truth)} labels.")
        right = [guess == gold for guess, gold in zip(guesses, truth, strict=True)]
        return float(np.average(right, weights=sample_weights(sample_weight, len(right))))

    def predict_proba(self, X: Any) -> Floats:
        """Return probabilities, shape (n, K)."""
        return self._model().predict_proba(X)

    def predict_top(self, X: Any, k: int = 3) -> tuple[NDArray[Any], Floats]:
        """Return the k most probable labels of each row and their probabilities, best first."""
        return self._model().predict_top(X, k)

    def explain(self, row: Any, label: Any = None) -> RowExplanation:
        """Say why a row gets its label; see :meth:`RowModel.explain`."""
        return self._model().explain(row, label)

    def card(self) -> str:
        """Return a readable description of the model."""
        return self._model().card()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to one file that :func:`linnet.load` reads."""
        self._model().save(path)

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted."""
        return self._model().classes_

    @property
    def record_(self) -> dict[str, Any]:
        """The training in numbers."""
        return self._model().record_

    def _model(self) -> RowModel:
        model: RowModel | None = getattr(self, "model_", None)
        if model is None:
            raise _NotFitted("This RowClassifier is not fitted yet; call fit with rows.")
        return model

    def _stored(self) -> RowModel:
        return self._model()

    def _own_learner(self) -> Any:
        """Return the learner, unfitted, with the parameters that it shares with the classifier."""
        if self.learner is None:
            learner: Any = MemoryBased(feature_weights="gain_ratio")
        else:
            if not isinstance(self.learner, Learner) or not is_classifier(self.learner):
                raise ParameterError(
                    f"learner must be a classifier of linnet such as MemoryBased(), DecisionTree() "
                    f"or MaxEnt(), got {self.learner!r}."
                )
            learner = clone(self.learner)
        known = learner.get_params()
        if known.get("joint_map") is not None or known.get("kernel") == "precomputed":
            raise ParameterError("The learner must read rows, not a joint map or a Gram matrix.")
        if self.C != "auto":
            if "C" not in known:
                raise ParameterError(f"{type(learner).__name__} has no C; leave C='auto'.")
            learner.set_params(C=self.C)
        for name in ("n_threads", "random_state"):
            if name in known and known[name] is None:
                learner.set_params(**{name: getattr(self, name)})
        return learner

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        return tags

    def _check(self) -> None:
        C: Any = self.C
        if C != "auto" and not (_is_number(C) and 0 < C <= LARGEST):
            raise ParameterError(f"C must be 'auto' or a positive number, got {self.C!r}.")
        if self.abstain is not None and not (_is_number(self.abstain) and 0 <= self.abstain <= 1):
            raise ParameterError(f"abstain must be None or a probability, got {self.abstain!r}.")
        other = self.abstain_label
        if other is not None and not isinstance(other, (str, int, float)):
            raise ParameterError(f"abstain_label must be a text, a number or None, got {other!r}.")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
