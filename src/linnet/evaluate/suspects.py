"""Labels that look wrong.

Let p_i be the probabilities of a model that was not fitted on decision i, labelled y. It is suspect
if another label is the most probable and p_i[y] is below a limit, by default 0.1; the smaller
p_i[y], the more suspect. That takes probabilities that mean what they say, as those of MaxEnt, CRF
and of TextClassifier do (:mod:`linnet.evaluate.calibration` measures it). A decision is the label
of a row, the tag of a token, or the yes or no to one of several labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linnet.evaluate.resampling import cross_probabilities
from linnet.evaluate.rows import labels_of
from linnet.evaluate.units import as_units

__all__ = ["Suspect", "label_suspects", "suspects"]


@dataclass(frozen=True)
class Suspect:
    """A row whose label looks wrong: what is given, what a model suggests, and how sure it is.

    `token` is the place in the sentence `row`, for tags.
    """

    row: int
    given: Any
    suggested: Any
    probability: float
    suggested_probability: float
    token: int | None = None


def suspects(
    gold: Sequence[Any],
    probabilities: Any,
    classes: Sequence[Any],
    below: float = 0.1,
) -> list[Suspect]:
    """Return the rows whose given label looks wrong, the most suspect first.

    Parameters
    ----------
    gold : sequence of n labels, of lists of tags, or of sets of labels
        As given. Labels outside `classes` are not judged.
    probabilities : array of shape (n, K); of sentences a list of arrays of shape (tokens, K)
        Of a model that was not fitted on these rows.
    classes : sequence of K labels
    below : float
        How probable a label may be and still be suspect.

    Examples
    --------
    >>> p = [[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.95, 0.05], [0.2, 0.8]]
    >>> [(suspect.row, suspect.suggested) for suspect in suspects(list("aabbb"), p, list("ab"))]
    [(3, 'a')]
    >>> [suspect] = suspects([["a", "b"]], [np.array([[0.9, 0.1], [0.99, 0.01]])], list("ab"))
    >>> suspect.row, suspect.token
    (0, 1)
    """
    units = as_units(gold, probabilities, classes)
    doubtful = np.flatnonzero(units.wrong & (units.of_truth < below))
    ranked = doubtful[np.lexsort((-units.sure[doubtful], units.of_truth[doubtful]))]
    return [
        Suspect(
            int(units.row[i]),
            units.gold[i],
            units.guess[i],
            float(units.of_truth[i]),
            float(units.sure[i]),
            None if units.token is None else int(units.token[i]),
        )
        for i in ranked.tolist()
    ]


def label_suspects(
    learner: Any, X: Any, y: Any = None, folds: int = 5, seed: int = 0, below: float = 0.1
) -> list[Suspect]:
    """Return the rows of a training set whose label looks wrong, the most suspect first.

    Each row is judged by a copy of the learner fitted on the other folds.

    Parameters
    ----------
    learner : estimator with ``predict_proba`` or ``predict_marginals``
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
