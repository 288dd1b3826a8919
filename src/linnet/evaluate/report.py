"""One report on predictions: how often right, how sure, per class, what is taken for what.

Given the true labels of n examples and what a model said about them (a label, or None where it
abstained), :func:`evaluate` returns a :class:`Report`. For several labels a row, truth and
predictions are lists of lists. Only NumPy is needed.

With tp, fp and fn the hits, false alarms and misses of a label:

    precision = tp / (tp + fp),   recall = tp / (tp + fn),   F1 = 2 tp / (2 tp + fp + fn),

and 0 / 0 is 0. An abstained row is a miss of its label and a false alarm of none.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError
from linnet.evaluate.calibration import Calibration, calibrate
from linnet.evaluate.metrics import wilson_interval
from linnet.evaluate.rows import ratio, sorted_labels, table_of

__all__ = ["ClassScore", "Report", "evaluate"]

Label: TypeAlias = Any
Counts: TypeAlias = NDArray[np.int64]
_ABSTAINED = -1


@dataclass(frozen=True)
class ClassScore:
    """How one label was found; ``support`` counts the rows that truly have it."""

    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True)
class Report:
    """What :func:`evaluate` found.

    Attributes
    ----------
    n : int
        Number of examples.
    accuracy, interval
        Share of rows that are right (with several labels a row: exactly right) and its Wilson
        interval at 95 %. An abstained row is not right.
    macro_f1, micro_f1, weighted_f1 : float
        F1 averaged over labels, over decisions, and over labels weighted by support.
    classes : dict
        Label to :class:`ClassScore`, for every label in truth or predictions.
    confusion : array of shape (K, K), or None with several labels a row
        Row = truth, column = prediction, in the order of `classes`; abstained rows are left out.
    unseen : tuple
        Labels of the truth that the model does not know (needs `classes`).
    abstained, answered_accuracy : float
        Share of rows without an answer, and the accuracy on the others (None if there are none).
    calibration : Calibration or None
        Needs probabilities.
    hamming_loss : float or None
        With several labels a row: share of wrong yes-or-no decisions.
    """

    n: int
    accuracy: float
    interval: tuple[float, float]
    macro_f1: float
    micro_f1: float
    weighted_f1: float
    classes: dict[Label, ClassScore]
    confusion: Counts | None
    unseen: tuple[Label, ...] = ()
    abstained: float = 0.0
    answered_accuracy: float | None = None
    calibration: Calibration | None = None
    hamming_loss: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values for JSON; labels become text."""
        answer: dict[str, Any] = {
            "n": self.n,
            "accuracy": self.accuracy,
            "interval": list(self.interval),
            "macro_f1": self.macro_f1,
            "micro_f1": self.micro_f1,
            "weighted_f1": self.weighted_f1,
            "classes": {str(label): asdict(score) for label, score in self.classes.items()},
            "unseen": [str(label) for label in self.unseen],
            "abstained": self.abstained,
            "answered_accuracy": self.answered_accuracy,
        }
        if self.confusion is not None:
            labels = [str(label) for label in self.classes]
            answer["confusion"] = {"labels": labels, "matrix": self.confusion.tolist()}
        if self.calibration is not None:
            answer["calibration"] = asdict(self.calibration)
        if self.hamming_loss is not None:
            answer["hamming_loss"] = self.hamming_loss
        return answer

    def confusions(self, limit: int = 10) -> list[tuple[Label, Label, int]]:
        """Return the most frequent mistakes as (truth, prediction, count), largest first."""
        if self.confusion is None:
            return []
        wrong = self.confusion.copy()
        np.fill_diagonal(wrong, 0)
        labels = list(self.classes)
        order = np.argsort(-wrong, axis=None, kind="stable")[:limit]
        rows, columns = np.unravel_index(order, wrong.shape)
        return [
            (labels[row], labels[column], int(wrong[row, column]))
            for row, column in zip(rows, columns, strict=True)
            if wrong[row, column]
        ]


def evaluate(
    truth: Sequence[Label],
    predicted: Sequence[Label],
    probabilities: ArrayLike | None = None,
    classes: Sequence[Label] | None = None,
) -> Report:
    """Compare predictions with the truth.

    Parameters
    ----------
    truth : sequence of labels, or of lists of labels
        Labels are strings or numbers.
    predicted : the same
        None where the model abstained.
    probabilities : array of shape (n, K), optional
        Of every label in `classes`; gives the calibration.
    classes : sequence of K labels, optional
        What the model knows: the columns of `probabilities`, and the order of labels in the
        report. Labels of the truth outside it are reported as unseen.

    Examples
    --------
    >>> report = evaluate(["ham", "spam", "spam", "ham"], ["ham", "spam", "ham", None])
    >>> report.accuracy, report.abstained, report.classes["spam"].recall
    (0.5, 0.25, 0.5)
    >>> report.confusion.tolist(), report.confusions()
    ([[1, 0], [1, 1]], [('spam', 'ham', 1)])
    """
    gold, guess = list(truth), list(predicted)
    if len(gold) != len(guess):
        raise DataError(f"There are {len(gold)} true labels and {len(guess)} predictions.")
    if not gold:
        raise DataError("There is nothing to evaluate; pass at least one labelled example.")
    known = [_plain(label) for label in classes] if classes is not None else None
    scores = _checked(probabilities, len(gold), known)
    if any(isinstance(row, (list, tuple, set, frozenset)) for row in gold):
        return _evaluate_sets(gold, guess, scores, known)
    return _evaluate_labels(gold, guess, scores, known)


def _evaluate_labels(
    truth: list[Label],
    predicted: list[Label],
    probabilities: NDArray[np.float64] | None,
    known: list[Label] | None,
) -> Report:
    gold = [_plain(label) for label in truth]
    guess = [_plain(label) for label in predicted]
    if None in gold:
        row = gold.index(None) + 1
        raise DataError(f"Row {row} has no true label; leave such rows out.")
    labels = _ordered({*gold, *guess} - {None}, known)
    index = {label: number for number, label in enumerate(labels)}
    y = np.array([index[label] for label in gold], dtype=np.int64)
    said = np.array([index.get(label, _ABSTAINED) for label in guess], dtype=np.int64)
    k = len(labels)
    answered = said != _ABSTAINED
    confusion = table_of(y[answered], said[answered], k, k)
    hits = np.diagonal(confusion)
    calibration = None
    if probabilities is not None and known is not None:
        column = {label: number for number, label in enumerate(known)}
        target = np.array([column.get(label, -1) for label in gold], dtype=np.int64)
        likely = probabilities.argmax(axis=1)
        best = [column.get(label, k) for label, k in zip(guess, likely.tolist(), strict=True)]
        calibration = calibrate(probabilities, target, best=np.array(best, dtype=np.intp))
    return Report(
        **_right_answers(y == said, answered),
        **_f1_scores(labels, hits, confusion.sum(axis=0), np.bincount(y, minlength=k)),
        confusion=confusion,
        unseen=_unseen(labels, gold, known),
        calibration=calibration,
    )


def _evaluate_sets(
    truth: list[Label],
    predicted: list[Label],
    probabilities: NDArray[np.float64] | None,
    known: list[Label] | None,
) -> Report:
    gold = [_label_set(row) for row in truth]
    guess = [_label_set(row) for row in predicted]
    labels = _ordered(set().union(*gold, *guess), known)
    index = {label: number for number, label in enumerate(labels)}
    n, k = len(gold), len(labels)
    both = (true & said for true, said in zip(gold, guess, strict=True))
    hits, called, support = (
        np.bincount(np.array([index[label] for row in rows for label in row], int), minlength=k)
        for rows in (both, guess, gold)
    )
    right = [true == said for true, said in zip(gold, guess, strict=True)]
    calibration = None
    if probabilities is not None and known is not None:
        target = np.array([[label in row for label in known] for row in gold])
        calibration = calibrate(probabilities, target)
    answered = [row is not None for row in predicted]
    return Report(
        **_right_answers(right, answered),
        **_f1_scores(labels, hits, called, support),
        confusion=None,
        unseen=_unseen(labels, [label for row in gold for label in row], known),
        calibration=calibration,
        hamming_loss=float((called + support - 2 * hits).sum() / (n * k)) if k else 0.0,
    )


def _right_answers(right: Any, answered: Any) -> dict[str, Any]:
    """Return the figures on whole rows, which are right or not, answered or not."""
    n, hits, replies = len(right), int(np.sum(right)), int(np.sum(answered))
    return {
        "n": n,
        "accuracy": hits / n,
        "interval": wilson_interval(hits, n),
        "abstained": 1.0 - replies / n,
        "answered_accuracy": int(np.sum(np.logical_and(right, answered))) / replies
        if replies
        else None,
    }


def _f1_scores(
    labels: list[Label], hits: Counts, called: Counts, support: Counts
) -> dict[str, Any]:
    precision, recall = ratio(hits, called), ratio(hits, support)
    f1 = ratio(2 * hits, called + support)
    columns = (precision.tolist(), recall.tolist(), f1.tolist(), support.tolist())
    total = int(support.sum())
    return {
        "macro_f1": float(f1.mean()) if len(labels) else 0.0,
        "micro_f1": float(ratio(2 * hits.sum(), called.sum() + support.sum())),
        "weighted_f1": float(f1 @ support / total) if total else 0.0,
        "classes": {
            label: ClassScore(*scores) for label, *scores in zip(labels, *columns, strict=True)
        },
    }


def _ordered(labels: set[Label], known: list[Label] | None) -> list[Label]:
    """Return the model's labels in its own order, then all others sorted."""
    first = [label for label in known or [] if label in labels]
    return first + sorted_labels(labels.difference(first))


def _unseen(
    labels: list[Label], gold: Iterable[Hashable], known: list[Label] | None
) -> tuple[Label, ...]:
    if known is None:
        return ()
    foreign = set(gold).difference(known)
    return tuple(label for label in labels if label in foreign)


def _plain(label: Label) -> Label:
    """Return NumPy's scalars as Python's, so that equal labels are one label."""
    return label.item() if isinstance(label, np.generic) else label


def _label_set(row: Label) -> set[Label]:
    return set() if row is None else {_plain(label) for label in row}


def _checked(
    probabilities: ArrayLike | None, n: int, known: list[Label] | None
) -> NDArray[np.float64] | None:
    if probabilities is None:
        return None
    if known is None:
        raise DataError("Probabilities need `classes`: the label of each column.")
    table = np.asarray(probabilities, dtype=np.float64)
    if table.shape != (n, len(known)):
        raise DataError(
            f"Probabilities of {n} examples and {len(known)} classes have the shape "
            f"({n}, {len(known)}), got {table.shape}."
        )
    if not (np.isfinite(table).all() and (table >= 0).all() and (table <= 1 + 1e-6).all()):
        raise DataError("Probabilities must lie between 0 and 1.")
    return table
