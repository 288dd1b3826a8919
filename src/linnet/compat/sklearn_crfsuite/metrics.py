"""``sklearn_crfsuite.metrics``: scikit-learn's scores over all tokens, and over sentences."""

from __future__ import annotations

from itertools import chain
from typing import Any

__all__ = [
    "flat_accuracy_score", "flat_classification_report", "flat_f1_score", "flat_fbeta_score",
    "flat_precision_score", "flat_recall_score", "sequence_accuracy_score",
]  # fmt: skip


def _over_tokens(name: str, y_true: Any, y_pred: Any, **settings: Any) -> Any:
    from sklearn import metrics

    gold, guess = list(chain.from_iterable(y_true)), list(chain.from_iterable(y_pred))
    return getattr(metrics, name)(gold, guess, **settings)


def flat_accuracy_score(y_true: Any, y_pred: Any) -> float:
    """Return the share of tokens whose label is right.

    Examples
    --------
    >>> flat_accuracy_score([["N", "V"], ["N"]], [["N", "V"], ["D"]])
    0.6666666666666666
    """
    return float(_over_tokens("accuracy_score", y_true, y_pred))


def flat_precision_score(y_true: Any, y_pred: Any, **settings: Any) -> Any:
    """Return scikit-learn's ``precision_score`` over all tokens."""
    return _over_tokens("precision_score", y_true, y_pred, **settings)


def flat_recall_score(y_true: Any, y_pred: Any, **settings: Any) -> Any:
    """Return scikit-learn's ``recall_score`` over all tokens."""
    return _over_tokens("recall_score", y_true, y_pred, **settings)


def flat_f1_score(y_true: Any, y_pred: Any, **settings: Any) -> Any:
    """Return scikit-learn's ``f1_score`` over all tokens.

    Examples
    --------
    >>> round(flat_f1_score([["N", "V"]], [["N", "N"]], average="macro", zero_division=0), 3)
    0.333
    """
    return _over_tokens("f1_score", y_true, y_pred, **settings)


def flat_fbeta_score(y_true: Any, y_pred: Any, beta: float, **settings: Any) -> Any:
    """Return scikit-learn's ``fbeta_score`` over all tokens."""
    return _over_tokens("fbeta_score", y_true, y_pred, beta=beta, **settings)


def flat_classification_report(
    y_true: Any, y_pred: Any, labels: Any = None, **settings: Any
) -> Any:
    """Return scikit-learn's ``classification_report`` over all tokens."""
    return _over_tokens("classification_report", y_true, y_pred, labels=labels, **settings)


def sequence_accuracy_score(y_true: Any, y_pred: Any) -> float:
    """Return the share of sentences whose labels are all right.

    Examples
    --------
    >>> sequence_accuracy_score([["N", "V"], ["N"]], [["N", "V"], ["D"]])
    0.5
    """
    pairs = list(zip(y_true, y_pred, strict=True))
    return sum(list(gold) == list(guess) for gold, guess in pairs) / max(len(pairs), 1)
