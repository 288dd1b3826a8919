"""The Bayes decision as an estimator: the action of least conditional risk (SPEC M-02, M-03)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from linnet.decide.risk import cost_of, loss_table, zero_one_loss
from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.stored import Anything, Array, Fields, Labels

__all__ = ["BayesDecision"]

Floats = NDArray[np.float64]


class BayesDecision(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Choose the action of least expected loss, on top of any model with probabilities.

    Parameters
    ----------
    model : classifier with ``predict_proba``
        Fitted already, or to be fitted by :meth:`fit`, which works on a copy.
    loss : array of shape (A, K), optional
        loss[a, k] is the cost of action a when the class is ``classes_[k]``, in sorted order. The
        zero-one loss by default.
    actions : sequence of length A, optional
        What :meth:`predict` returns for each row of `loss`; the classes by default.
    reject : float, optional
        Adds an action that costs this much whatever the class: with the zero-one loss it is taken
        when no class has a probability above 1 - reject.
    reject_label : object, default None
        What :meth:`predict` returns for it.

    Attributes
    ----------
    model_ : the fitted model
    classes_ : array of shape (K,)
    actions_ : array of shape (A,), the reject action last
    loss_ : array of shape (A, K)

    Examples
    --------
    >>> from linnet import GaussianNB
    >>> model = GaussianNB(variance=1.0).fit([[-1.0], [1.0]], ["ham", "spam"])
    >>> cautious = BayesDecision(model, loss=[[0, 1], [10, 0]])
    >>> cautious.predict([[0.5], [1.5]]).tolist()
    ['ham', 'spam']
    >>> BayesDecision(model, reject=0.2).predict([[0.5], [1.5]]).tolist()
    [None, 'spam']
    """

    stored: ClassVar[Fields] = {
        "classes_": Labels("K"),
        "actions_": Anything(np.ndarray, optional=False),
        "model_": Anything(object, optional=False),
        "loss_": Array("f8", "actions K"),
    }

    def __init__(
        self,
        model: Any = None,
        loss: ArrayLike | None = None,
        *,
        actions: Sequence[Any] | None = None,
        reject: float | None = None,
        reject_label: Any = None,
    ) -> None:
        self.model = model
        self.loss = loss
        self.actions = actions
        self.reject = reject
        self.reject_label = reject_label

    def fit(self, X: Any, y: Any, **options: Any) -> Self:
        """Fit a copy of the model and check the losses against its classes.

        Parameters
        ----------
        X, y
            What the model takes.
        **options
            Passed on to the model's ``fit``, such as ``sample_weight``.

        Returns
        -------
        self
        """
        if not hasattr(self.model, "fit"):
            raise ParameterError("model must be a classifier with predict_proba, such as MaxEnt().")
        model = clone(self.model).fit(X, y, **options)
        self._take(model)
        return self

    def _take(self, model: Any) -> None:
        if not hasattr(model, "predict_proba"):
            raise ParameterError(
                f"{type(model).__name__} has no probabilities (predict_proba), which the risk needs"
                "; use a model that has, such as MaxEnt or a naive Bayes."
            )
        classes = np.asarray(model.classes_)
        loss = zero_one_loss(len(classes)) if self.loss is None else loss_table(self.loss)
        if loss.shape[1] != len(classes):
            raise ParameterError(
                f"loss has {loss.shape[1]} columns, but there are {len(classes)} classes: "
                f"{classes.tolist()}."
            )
        self.actions_ = self._labels(classes, len(loss))
        if self.reject is not None:
            loss = np.vstack([loss, np.full(len(classes), cost_of(self.reject))])
        self.model_, self.classes_, self.loss_ = model, classes, loss

    def _labels(self, classes: NDArray[Any], rows: int) -> NDArray[Any]:
        if self.actions is None and rows != len(classes):
            raise ParameterError(
                f"loss has {rows} rows for {len(classes)} classes; name the actions: actions=[…]."
            )
        names = classes.tolist() if self.actions is None else list(self.actions)
        if len(names) != rows:
            raise ParameterError(f"there are {len(names)} actions, but loss has {rows} rows.")
        if self.actions is None and self.reject is None:
            return classes
        names += [] if self.reject is None else [self.reject_label]
        if len({type(name) for name in names}) == 1 and isinstance(names[0], (str, int, float)):
            return np.array(names)
        labels = np.empty(len(names), dtype=object)
        labels[:] = names
        return labels

    def _ready(self) -> None:
        if not hasattr(self, "model_"):
            if not hasattr(self.model, "classes_"):
                raise NotFittedError(
                    "This BayesDecision is not fitted yet; call fit, or give it a fitted model."
                )
            self._take(self.model)

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the classes, those of the model."""
        self._ready()
        return np.asarray(self.model_.predict_proba(X), dtype=np.float64)

    def conditional_risk(self, X: Any) -> Floats:
        """Return the expected loss of each action, shape (n, A)."""
        return np.asarray(self.predict_proba(X) @ self.loss_.T)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the action of least risk for each row; the first on ties."""
        best = self.conditional_risk(X).argmin(axis=1)
        chosen: NDArray[Any] = self.actions_[best]
        return chosen

    def risk(self, X: Any, y: Any = None) -> float:
        """Return the mean loss of the decisions: observed with labels, expected without.

        Parameters
        ----------
        X : rows
        y : array of shape (n,), optional
            The true classes. Without them the model's own probabilities are believed.
        """
        risks = self.conditional_risk(X)
        if y is None:
            return float(risks.min(axis=1).mean())
        gold = np.asarray(y)
        if gold.shape != (len(risks),):
            raise DataError(f"X has {len(risks)} rows, y has shape {gold.shape}.")
        unknown = ~np.isin(gold, self.classes_)
        if unknown.any():
            raise DataError(
                f"y holds {gold[unknown].tolist()[0]!r}, which is not among the classes."
            )
        order = np.argsort(self.classes_)  # they may be in an order of the user's
        column = order[np.searchsorted(self.classes_, gold, sorter=order)]
        return float(self.loss_[risks.argmin(axis=1), column].mean())

    def _stored(self) -> BayesDecision:
        self._ready()
        return self

    def _stored_sizes(self) -> dict[str, int]:
        return {}

    def _check_loaded(self) -> None:
        """Refuse what a forged file may hold."""
        model, loss, actions = self.model_, self.loss_, self.actions_
        if not hasattr(model, "classes_"):
            raise DataError("the model is not fitted")
        self._take(model)
        if not np.array_equal(loss, self.loss_) or actions.tolist() != self.actions_.tolist():
            raise DataError("losses and actions are not those of the parameters")
