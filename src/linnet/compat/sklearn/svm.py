"""``sklearn.svm``: ``LinearSVC``."""

from __future__ import annotations

from typing import Any

from linnet.compat.sklearn.classifier import Translated
from linnet.learn.svm import SVM

__all__ = ["LinearSVC"]


class LinearSVC(Translated):
    """``sklearn.svm.LinearSVC``: LIBLINEAR's objectives, one class against the rest by default.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
    C : float, default=1.0
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
    tol, fit_intercept, intercept_scaling, class_weight, verbose, random_state, max_iter : optional
    dual : optional
        Taken and not used: both ways have one optimum.

    Examples
    --------
    >>> from linnet.compat.sklearn.svm import LinearSVC
    >>> LinearSVC(C=10.0).fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]).predict([[0.5], [3.5]])
    array([0, 1])
    """

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: bool | str = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        class_weight: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter

    def _learner(self, n_rows: int) -> SVM:
        names = ("C", "penalty", "loss", "multi_class", "tol", "fit_intercept", "intercept_scaling",
                 "class_weight", "verbose", "random_state", "max_iter")  # fmt: skip
        return SVM(**{name: getattr(self, name) for name in names})
