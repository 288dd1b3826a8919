"""What the estimators share: once fitted, each is a face of one :class:`linnet.Model`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from linnet.errors import NotFittedError, ParameterError

if TYPE_CHECKING:
    from linnet.explain.rows import RowExplanation
    from linnet.explain.text import Explanation
    from linnet.model.model import Model
    from linnet.typing import Labels, Rows, TextInput, Weights

__all__ = ["ClassifierFace", "Face"]

Floats = NDArray[np.float64]
#: What a classifier takes.
Input = TypeVar("Input", bound="TextInput | Rows", contravariant=True)


class Face:
    """The verbs of a fitted model, with the classes and the record of its training."""

    model_: Model
    _examples = "examples"  # what fit is called with
    _not_fitted: type[Exception] = NotFittedError

    def predict(self, X: Any) -> Any:
        """Return the label of each row; see :meth:`Model.predict`."""
        return self._model().predict(X)

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
        """Write the model to one file that :func:`linnet.load` reads; see :meth:`Model.save`."""
        self._model().save(path, dtype=dtype, max_features=max_features)

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, sorted or in the order that was asked for."""
        classes: NDArray[Any] = self._model().classes_
        return classes

    @property
    def record_(self) -> dict[str, Any]:
        """The training in numbers."""
        return self._model().record_

    @property
    def kind(self) -> str:
        """What is read: "text", "bag", "vector", "row", "columns" or "sequence"."""
        return self._model().kind

    def _model(self) -> Model:
        model: Model | None = getattr(self, "model_", None)
        if model is None:
            raise self._not_fitted(
                f"This {type(self).__name__} is not fitted yet; call fit with {self._examples}."
            )
        return model

    def _stored(self) -> Model:
        return self._model()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")


class ClassifierFace(Face, Generic[Input]):
    """The verbs of a model that gives each example by itself a label."""

    C: float | str
    abstain: float | None
    abstain_label: Any

    def predict(self, X: Input) -> NDArray[Any] | Any:
        """Return the label of each row; see :meth:`Model.predict`."""
        return super().predict(X)

    def score(self, X: Input, y: Labels, sample_weight: Weights | None = None) -> float:
        """Return the share of rows whose answer is right; a row's list of labels must be complete.

        A row without an answer, because the model abstains, is not right.
        """
        return self._model().score(X, y, sample_weight)

    def predict_proba(self, X: Input) -> Floats:
        """Return calibrated probabilities, shape (n, K)."""
        return self._model().predict_proba(X)

    def predict_top(self, X: Input, k: int = 3) -> tuple[NDArray[Any], Floats]:
        """Return the k most probable labels of each row and their probabilities, best first."""
        return self._model().predict_top(X, k)

    def explain(self, example: Any, label: Any = None) -> Explanation | RowExplanation | Any:
        """Say why an example gets a label (by default the predicted one)."""
        return self._model().explain(example, label)

    def _check(self) -> None:
        C, abstain, label = self.C, self.abstain, self.abstain_label
        if C != "auto" and not (_is_number(C) and 0.0 < float(C) < np.inf):
            raise ParameterError(f"C must be 'auto' or a positive number, got {C!r}.")
        if abstain is not None and not (_is_number(abstain) and 0.0 <= abstain <= 1.0):
            raise ParameterError(
                f"abstain must be None or a probability from 0 to 1, got {abstain!r}."
            )
        if not isinstance(label, (str, int, float, type(None))) or label != label:
            raise ParameterError(f"abstain_label must be a text or a number, got {label!r}.")


def _is_number(value: Any) -> bool:
    """Tell whether a value is a number and no truth value."""
    return isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.bool_))
