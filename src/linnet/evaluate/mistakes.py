"""The examples behind the figures: cells of the confusion matrix, sure mistakes, label noise.

*Suspects.* Let p_i be the probabilities of a model that was not fitted on row i, labelled y. The
row is suspect if another label is the most probable and p_i[y] is below a limit, by default 0.1;
the smaller p_i[y], the more suspect. That takes probabilities that mean what they say, as those of
MaxEnt and of TextClassifier do (:mod:`linnet.evaluate.calibration` measures it).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError, ParameterError
from linnet.evaluate.resampling import cross_probabilities
from linnet.evaluate.rows import labels_of

__all__ = [
    "Cell",
    "Mistake",
    "Suspect",
    "confident_mistakes",
    "confusion_cells",
    "label_suspects",
    "suspects",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cell:
    """The rows labelled `truth` that the model called `guess`, the most confident first."""

    truth: Any
    guess: Any
    rows: tuple[int, ...]

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(self.rows)


@dataclass(frozen=True)
class Mistake:
    """A row that got a wrong label, and the features that spoke for it over the true one.

    `features` are (name, contribution), the strongest first; empty for a model that cannot
    explain. `truth_probability` is None for a label the model does not know.
    """

    row: int
    example: Any
    truth: Any
    guess: Any
    probability: float
    truth_probability: float | None
    features: tuple[tuple[str, float], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        shown = self.example if isinstance(self.example, (str, dict)) else str(self.example)
        features = [list(pair) for pair in self.features]
        return asdict(self) | {"example": shown, "features": features}


@dataclass(frozen=True)
class Suspect:
    """A row whose label looks wrong: what is given, what a model suggests, and how sure it is."""

    row: int
    given: Any
    suggested: Any
    probability: float
    suggested_probability: float


def confusion_cells(
    gold: Sequence[Any], guess: Sequence[Any], confidence: ArrayLike | None = None
) -> list[Cell]:
    """Return the cells of the confusion matrix with their rows, the fullest wrong cell first.

    Parameters
    ----------
    gold, guess : sequences of n labels
        None is a row without an answer.
    confidence : array of shape (n,), optional
        Orders the rows of a cell; by default they come as they stand.

    Examples
    --------
    >>> cells = confusion_cells(["a", "b", "b", "b"], ["a", "a", "b", "a"], [0.5, 0.6, 0.9, 0.8])
    >>> [(cell.truth, cell.guess, cell.rows) for cell in cells]
    [('b', 'a', (3, 1)), ('a', 'a', (0,)), ('b', 'b', (2,))]
    """
    truth, said = _plain(gold), _plain(guess)
    if len(truth) != len(said):
        raise DataError(f"there are {len(truth)} true labels and {len(said)} predictions")
    order = range(len(truth))
    if confidence is not None:
        sure = np.asarray(confidence, np.float64)
        if sure.shape != (len(truth),):
            raise DataError(f"confidence must have the shape ({len(truth)},), got {sure.shape}")
        order = np.argsort(-sure, kind="stable").tolist()
    cells: dict[tuple[Any, Any], list[int]] = {}
    for row in order:
        cells.setdefault((truth[row], said[row]), []).append(row)
    found = [Cell(*pair, tuple(rows)) for pair, rows in cells.items()]
    return sorted(found, key=lambda cell: (cell.truth == cell.guess, -cell.count, min(cell.rows)))


def confident_mistakes(
    model: Any,
    X: Any,
    y: Any,
    n: int = 10,
    features: int = 5,
    *,
    probabilities: ArrayLike | None = None,
) -> list[Mistake]:
    """Return the mistakes a model was surest of, and why it made them.

    Parameters
    ----------
    model : fitted classifier with ``predict_proba``
        One that has ``explain``, as :class:`linnet.TextClassifier` and :class:`linnet.TextModel`
        have, also names the features.
    X, y
        Examples and their true labels.
    n, features : int
        How many mistakes, and how many features of each.
    probabilities : array of shape (rows, K), optional
        What the model says about X, where that is known already.

    Examples
    --------
    >>> import linnet
    >>> texts, labels = ["good film", "fine film", "poor film", "dull film"], ["+", "+", "-", "-"]
    >>> model = linnet.TextClassifier(ngrams=1).fit(texts * 5, labels * 5)
    >>> [found] = confident_mistakes(model, ["a good film", "so dull"], ["-", "-"])
    >>> found.row, found.guess, found.features[0][0]
    (0, '+', 'good')
    """
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
        raise ParameterError(f"n must be an integer, not negative; got {n!r}")
    gold, classes = labels_of(X, y), _plain(model.classes_)
    if any(isinstance(label, (list, tuple, set)) for label in gold):
        raise DataError("mistakes are listed for one label a row, these are several")
    p = np.asarray(model.predict_proba(X) if probabilities is None else probabilities, np.float64)
    best = p.argmax(axis=1)
    column = {label: k for k, label in enumerate(classes)}
    sure = p[np.arange(len(p)), best]
    order = np.argsort(-sure, kind="stable").tolist()
    wrong = [row for row in order if classes[best[row]] != gold[row]][:n]
    return [
        Mistake(
            row,
            X[row],
            gold[row],
            classes[best[row]],
            float(sure[row]),
            float(p[row, column[gold[row]]]) if gold[row] in column else None,
            _behind(model, X[row], classes[best[row]], gold[row], features),
        )
        for row in wrong
    ]


def _behind(
    model: Any, example: Any, guess: Any, truth: Any, limit: int
) -> tuple[tuple[str, float], ...]:
    """Return the features whose contribution to the guess exceeds that to the truth by most."""
    if not hasattr(model, "explain"):
        return ()
    parts = model.explain(example, guess).contributions
    gain = {part.feature: part.contribution for part in parts}
    classes = _plain(model.classes_)
    if len(classes) > 2 and truth in classes:  # two classes share one score
        for part in model.explain(example, truth).contributions:
            gain[part.feature] = gain.get(part.feature, 0.0) - part.contribution
    ranked = sorted(gain.items(), key=lambda item: -item[1])[:limit]
    return tuple((name, float(value)) for name, value in ranked if value > 0)


def suspects(
    gold: Sequence[Any],
    probabilities: ArrayLike,
    classes: Sequence[Any],
    below: float = 0.1,
) -> list[Suspect]:
    """Return the rows whose given label looks wrong, the most suspect first.

    Parameters
    ----------
    gold : sequence of n labels
        As given. Labels outside `classes` are not judged.
    probabilities : array of shape (n, K)
        Of a model that was not fitted on these rows.
    classes : sequence of K labels
    below : float
        How probable a label may be and still be suspect.

    Examples
    --------
    >>> p = [[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.95, 0.05], [0.2, 0.8]]
    >>> [(found.row, found.suggested) for found in suspects(list("aabbb"), p, list("ab"))]
    [(3, 'a')]
    """
    known = _plain(classes)
    column = {label: k for k, label in enumerate(known)}
    given = np.array([column.get(label, -1) for label in _plain(gold)], np.int64)
    p = np.asarray(probabilities, np.float64)
    if p.shape != (len(given), len(known)) or not np.isfinite(p).all():
        raise DataError(
            f"probabilities must be finite and of the shape ({len(given)}, {len(known)}), "
            f"got {p.shape}"
        )
    best = p.argmax(axis=1) if len(known) else given
    doubtful = p[np.arange(len(p)), given] < below
    rows = np.flatnonzero((given >= 0) & (best != given) & doubtful)
    own = p[rows, given[rows]]
    rows = rows[np.lexsort((-p[rows, best[rows]], own))]
    return [
        Suspect(i, known[given[i]], known[best[i]], float(p[i, given[i]]), float(p[i, best[i]]))
        for i in rows.tolist()
    ]


def label_suspects(
    learner: Any, X: Any, y: Any, folds: int = 5, seed: int = 0, below: float = 0.1
) -> list[Suspect]:
    """Return the rows of a training set whose label looks wrong, the most suspect first.

    Each row is judged by a copy of the learner fitted on the other folds.

    Parameters
    ----------
    learner : estimator with ``predict_proba``
    X, y, folds, seed
        As in :func:`linnet.evaluate.cross_validate`.
    below : float
        As in :func:`suspects`.

    Examples
    --------
    >>> from linnet import MaxEnt
    >>> from linnet.data import load_iris
    >>> iris = load_iris()
    >>> y = iris.y.copy()
    >>> y[0] = y[-1]  # a mistake
    >>> label_suspects(MaxEnt(), iris.X, y)[0].row
    0
    """
    table, classes = cross_probabilities(learner, X, y, folds, seed)
    return suspects(labels_of(X, y), table, classes.tolist(), below)


def _plain(labels: Any) -> list[Any]:
    return labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
