"""Cross-validation: every example is predicted once by a model that has not seen it.

The n examples are cut into k folds; for each, a fresh copy of the learner is fitted on the others.
Fold scores share most of their training examples, so their plain variance promises too much. With
J = k · repeats scores of mean m and variance s², and folds of n₁ test and n₂ training examples, the
interval is Nadeau and Bengio's,

    m ± t_{J−1} · sqrt((1/J + n₁/n₂) · s²).

Where every fold is all right or all wrong it is Wilson's for n of n units instead. Folds are
scikit-learn's: stratified by label, kept whole by group, or both; sentences are units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.copies import Copies
from linnet.errors import DataError, ParameterError
from linnet.evaluate.intervals import check_share
from linnet.evaluate.metrics import wilson_interval
from linnet.evaluate.rows import labels_of, one_label_each, plain, row_count, taken, units_of
from linnet.evaluate.unit_counts import Metric, metric_name, unit_counts
from linnet.learn.shared.checks import check_count

__all__ = [
    "CrossValidation",
    "answers_of",
    "cross_probabilities",
    "cross_validate",
    "fold_pairs",
    "predicted_score",
    "score_of",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Split = tuple[Ints, Ints]
Answering = Callable[[Any, Any, list[Any], list[Split]], Iterable[list[Any]]]


@dataclass(frozen=True)
class CrossValidation:
    """What :func:`cross_validate` found.

    Attributes
    ----------
    scores : array of shape (repeats, folds)
    mean, deviation : float
        Of all scores; the standard deviation divides by their number less one.
    interval : (float, float)
        Of the mean, at `level`, for folds that share training examples.
    predictions : tuple of lists
        For each repeat what was said of every example by the model that had not seen it, in the
        order of the examples.
    """

    scores: Floats
    mean: float
    deviation: float
    interval: tuple[float, float]
    level: float
    predictions: tuple[list[Any], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values for JSON."""
        return {
            "scores": self.scores.tolist(),
            "mean": self.mean,
            "deviation": self.deviation,
            "interval": list(self.interval),
            "level": self.level,
        }


def cross_validate(
    learner: Any,
    X: Any,
    y: Any = None,
    folds: int = 5,
    repeats: int = 1,
    groups: Sequence[Any] | None = None,
    stratify: bool = True,
    seed: int = 0,
    *,
    metric: Metric = "accuracy",
    level: float = 0.95,
    answering: Answering | None = None,
) -> CrossValidation:
    """Score a learner on examples it was not fitted on.

    Parameters
    ----------
    learner : estimator
        A classifier, a pipeline, a :class:`linnet.TextClassifier` or a
        :class:`linnet.SequenceTagger`. Copies of it are fitted; it stays as it is.
    X : texts, bags, a matrix, or sentences
    y : labels, or a list of tags a sentence
        May be left out for :class:`linnet.data.Sequences` with tags.
    folds, repeats : int
        How many folds, and how often everything is cut anew.
    groups : sequence, optional
        What the example belongs to, for example its author: no group is on both sides.
    stratify : bool
        Give each fold every label in proportion. Sentences and sets of labels are not stratified.
    seed : int
    metric : as in :func:`linnet.evaluate.approximate_randomisation`
    level : float
        Of the interval.
    answering : function, optional
        Who fits and asks: given the learner, X, the labels and all pairs of the rest and the fold,
        it returns what :func:`answers_of` says of each pair. By default one after the other here;
        :func:`linnet.scale.cross_validate` does it on the workers of a cluster.

    Examples
    --------
    >>> from linnet import MaxEnt
    >>> from linnet.data import load_iris
    >>> iris = load_iris()
    >>> folded = cross_validate(MaxEnt(), iris.X, iris.y, folds=5)
    >>> folded.scores.shape, folded.mean > 0.9
    ((1, 5), True)
    """
    check_share(level)
    metric_name(metric)
    gold = labels_of(X, y)
    truth = units_of(X, gold)
    copies = _copies(X) if groups is None else None
    check_count("repeats", repeats)
    pairs = [
        pair
        for repeat in range(repeats)
        for pair in fold_pairs(gold, folds, groups, stratify, seed + repeat, copies)
    ]
    scores, said = np.empty((repeats, folds)), [[None] * len(gold) for _ in range(repeats)]
    guesses = (answering or _one_by_one)(learner, X, gold, pairs)
    for number, ((_, part), guess) in enumerate(zip(pairs, guesses, strict=True)):
        repeat, fold = divmod(number, folds)
        scores[repeat, fold] = score_of(taken(truth, part), guess, metric)
        for row, label in zip(part.tolist(), guess, strict=True):
            said[repeat][row] = label
    share = sum(len(part) / len(rest) for rest, part in pairs)
    return _summary(scores, share / scores.size, level, metric, tuple(said))


def _one_by_one(learner: Any, X: Any, gold: list[Any], pairs: list[Split]) -> Iterator[list[Any]]:
    return (answers_of(learner, X, gold, pair) for pair in pairs)


def answers_of(learner: Any, X: Any, gold: list[Any], pair: Split) -> list[Any]:
    """Return what a copy of the learner, fitted on the rest, says of a fold."""
    from sklearn.base import clone

    rest, part = pair
    model = clone(learner).fit(taken(X, rest), taken(gold, rest))
    answers: list[Any] = units_of(X, plain(model.predict(taken(X, part))))
    return answers


def cross_probabilities(
    learner: Any, X: Any, y: Any = None, folds: int = 5, seed: int = 0
) -> tuple[Any, NDArray[Any]]:
    """Return the probabilities of models that did not see the example, and the labels in order.

    Parameters
    ----------
    learner : estimator with ``predict_proba``, or tagger with ``predict_marginals``
    X, y, folds, seed
        As in :func:`cross_validate`; folds are stratified. A label that a fold's model has not
        seen has the probability 0.

    Returns
    -------
    probabilities : array of shape (n, K); of sentences a list of arrays of shape (tokens, K)
    classes : array of shape (K,)

    Examples
    --------
    >>> from linnet import MaxEnt
    >>> from linnet.data import load_iris
    >>> iris = load_iris()
    >>> p, classes = cross_probabilities(MaxEnt(), iris.X, iris.y)
    >>> p.shape, bool((abs(p.sum(axis=1) - 1) < 1e-9).all())
    ((150, 3), True)
    """
    from sklearn.base import clone

    gold = labels_of(X, y)
    units = units_of(X, gold)
    flat = gold if one_label_each(units) else [label for row in gold for label in row]
    classes = np.unique(np.asarray(flat))
    tables: list[Any] = [None] * len(gold)
    for rest, part in fold_pairs(gold, folds, None, True, seed, _copies(X)):
        model = clone(learner).fit(taken(X, rest), taken(gold, rest))
        columns = np.searchsorted(classes, np.asarray(model.classes_))
        for row, known in zip(part.tolist(), _chances(model, taken(X, part)), strict=True):
            tables[row] = np.zeros((*known.shape[:-1], len(classes)))
            tables[row][..., columns] = known
    return tables if isinstance(units[0], (list, tuple)) else np.array(tables), classes


def _chances(model: Any, X: Any) -> Any:
    """Return the probabilities of each row, or a table of them for each sentence."""
    for name in ("predict_marginals", "predict_proba"):
        if hasattr(model, name):
            return getattr(model, name)(X)
    raise ParameterError(
        f"{type(model).__name__} has no probabilities; use MaxEnt, TextClassifier or a CRF"
    )


def score_of(gold: Any, guess: Any, metric: Metric) -> float:
    """Return a score by name or by function."""
    name = metric_name(metric)
    if name is None:
        return float(metric(gold, guess))  # type: ignore[operator]  # not a name
    return unit_counts(gold, [guess], name)[0].observed()


def predicted_score(model: Any, X: Any, gold: list[Any], metric: Metric) -> float:
    """Return the score of what a fitted model says of examples."""
    return score_of(units_of(X, gold), units_of(X, plain(model.predict(X))), metric)


def _copies(X: Any) -> Copies | None:
    """Return which texts, rows or sentences are the same; vectors get scikit-learn's folds."""
    return None if len(getattr(X, "shape", ())) == 2 else Copies.of(X)


def fold_pairs(
    gold: list[Any],
    folds: int,
    groups: Sequence[Any] | None = None,
    stratify: bool = True,
    seed: int = 0,
    copies: Copies | None = None,
) -> Iterator[Split]:
    """Return the folds as pairs of the rest and the fold; see :func:`cross_validate`.

    Examples
    --------
    >>> [fold.tolist() for _, fold in fold_pairs(["a", "b"] * 3, 2, ["x", "x", "y", "y", "z", "z"])]
    [[0, 1, 4, 5], [2, 3]]
    """
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    from linnet.data.splits import folds as plain_folds

    if copies is not None and copies.matter and groups is None:
        originals = [gold[row] for row in copies.originals.tolist()]
        different = fold_pairs(originals, folds, None, stratify, seed)
        return ((copies.spread(rest), copies.spread(fold)) for rest, fold in different)
    n = len(gold)
    _check_folds(folds, n, "examples")
    flat = stratify and one_label_each(gold)
    labels = np.unique(np.asarray(gold), return_inverse=True)[1] if flat else None
    if groups is None:
        if flat and labels is not None and np.bincount(labels).max() < folds <= n:
            labels = None  # too few of every label to give each fold one
        return iter(plain_folds(n, folds, seed, _common(labels, folds)))
    if row_count(groups) != n:
        raise DataError(f"there are {n} examples and {row_count(groups)} groups")
    member = np.unique(np.asarray(groups), return_inverse=True)[1]
    _check_folds(folds, int(member.max()) + 1, "groups")
    cutter = (StratifiedGroupKFold if flat else GroupKFold)(folds, shuffle=True, random_state=seed)
    pairs = cutter.split(np.empty(n), _common(labels, folds), member)
    return ((np.asarray(a, np.int64), np.asarray(b, np.int64)) for a, b in pairs)


def _check_folds(folds: int, n: int, what: str) -> None:
    if not 2 <= folds <= n:
        raise ParameterError(f"folds must lie between 2 and the number of {what} {n}, got {folds}")


def _common(labels: Ints | None, folds: int) -> Ints | None:
    """Put labels rarer than the folds together, for they cannot be spread over all."""
    if labels is None:
        return None
    number = np.bincount(labels)
    rare = number[labels] < folds
    together = len(number) if int(rare.sum()) >= folds else int(number.argmax())
    return np.where(rare, together, labels)


def _summary(
    scores: Floats, share: float, level: float, metric: Metric, said: tuple[list[Any], ...]
) -> CrossValidation:
    from scipy.special import stdtrit

    mean, deviation = float(scores.mean()), float(scores.std(ddof=1))
    t = float(stdtrit(scores.size - 1, (1 + level) / 2))
    half = t * deviation * sqrt(1 / scores.size + share)
    low, high = mean - half, mean + half
    if metric_name(metric) is not None:
        low, high = max(0.0, low), min(1.0, high)
        if not deviation and mean in (0.0, 1.0):
            low, high = wilson_interval(round(mean * len(said[0])), len(said[0]), level)
    return CrossValidation(scores, mean, deviation, (low, high), level, said)
