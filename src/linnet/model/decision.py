r"""The decision: from scores to answers, the same for texts, rows and sentences.

The answer is the class of largest score, with the one rule for ties of SPEC C-04
(:mod:`linnet.learn.shared.decision`). It is settled before scores become probabilities: calibration
and rounding never change it. Probabilities come from scores by one number,

.. math:: p(k \mid x) = \frac{e^{a s_k}}{\sum_{k'} e^{a s_{k'}}}, \qquad
          p(1 \mid x) = \frac{1}{1 + e^{-a s}}\ \text{for two classes}

The sharpness a > 0 is fitted on examples that the weights have not seen, to the least log loss
(temperature scaling).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import linnet.data.tags as chunk_tags
from linnet.errors import DataError, ParameterError
from linnet.learn.shared.decision import ranking, winners
from linnet.stored import Field, Label, Labels, Number, check

__all__ = ["OWN", "Decision", "Verdict", "check_k", "fit_sharpness", "log_loss", "probabilities"]

Floats = NDArray[np.float64]
OWN = "model"  # of constraints: the scheme of the training data
_WIDTH = 16.0  # the search for ln a ends so far on either side of scores of size 1
_STEPS = 60
_GIVEN = "given"  # of labels: as another program numbers them, so that its ties stay its ties
_SHARPNESS = Number(low=1e-50, high=1e50)
_FLAT: dict[str, Field] = {
    "sharpness": replace(_SHARPNESS, optional=True),
    "multilabel": Number(bool),
    "abstain": Number(low=0, high=1, optional=True),
    "abstain_label": Label(optional=True),
}


def check_k(k: Any) -> int:
    """Return the number of answers asked for, if it is one."""
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise ParameterError(f"k must be a positive integer, got {k!r}.")
    return int(k)


@dataclass(frozen=True)
class Decision:
    """How scores become answers.

    Attributes
    ----------
    classes : array of shape (K,)
    sharpness : float or None
        Factor between scores and probabilities, from held-out examples; None where the scorer has
        probabilities of its own.
    multilabel : bool
        Whether a row's answer is every label whose score is not negative.
    abstain : float or None
        No answer where the probability of the best label is smaller.
    abstain_label : what stands there instead
    scheme : str or None
        The scheme of chunk tags whose legal sequences alone are predicted.
    """

    classes: NDArray[Any]
    sharpness: float | None = None
    multilabel: bool = False
    abstain: float | None = None
    abstain_label: Any = None
    scheme: chunk_tags.Scheme | None = None

    @property
    def columns(self) -> int:
        """The number of columns of scores: two classes share one."""
        return 1 if len(self.classes) == 2 and not self.multilabel else len(self.classes)

    def proba(self, scores: Floats) -> Floats:
        """Return calibrated probabilities, shape (n, K)."""
        if self.sharpness is None:
            raise ParameterError("These scores were never calibrated.")
        return probabilities(scores, self.sharpness, multilabel=self.multilabel)

    def verdict(self, scores: Floats) -> Verdict:
        """Return the answers for rows with these scores."""
        best = scores.argmax(axis=1) if self.multilabel else winners(scores)
        return Verdict(self, scores, self.proba(scores), best)

    def number_of(self, label: Any) -> int:
        """Return the number of a class, given as it is or as text."""
        for k, known in enumerate(self.classes.tolist()):
            if known == label or str(known) == label:
                return k
        listed = ", ".join(repr(known) for known in self.classes.tolist()[:10])
        raise ParameterError(f"The model has no label {label!r}; it has {listed}.")

    def to_file(self, *, sequence: bool) -> dict[str, Any]:
        """Return what a file holds of the decision."""
        names = ("scheme",) if sequence else tuple(_FLAT)
        classes = self.classes.tolist()
        order = {} if classes == sorted(classes) else {"order": _GIVEN}
        return {"classes": classes, **order, **{name: getattr(self, name) for name in names}}

    @classmethod
    def from_file(cls, config: Mapping[str, Any], *, sequence: bool) -> Decision:
        """Return the decision of a file, after checking it."""
        ordered = config.get("order") != _GIVEN
        if sequence:
            tags, scheme = _stored_classes(config["classes"], 1, {str}, ordered), config["scheme"]
            if scheme is not None:  # refuse what does not fit together
                chunk_tags.allowed_transitions(tags.tolist(), scheme)
            return cls(tags, scheme=scheme)
        values = {name: config[name] for name in _FLAT}
        check(values, _FLAT, {})
        if values["sharpness"] is not None:
            values["sharpness"] = float(values["sharpness"])
        least = 1 if values["multilabel"] else 2
        kinds = {str, int, float, bool}
        return cls(_stored_classes(config["classes"], least, kinds, ordered), **values)


def _stored_classes(listed: Any, least: int, kinds: set[type], ordered: bool) -> NDArray[Any]:
    """Return the labels or tags of a file: of one kind, all different, none empty."""
    if not isinstance(listed, list) or ("" in listed and kinds == {str}):
        raise DataError("the labels are no list, or a tag is empty")
    if len({type(label) for label in listed}) > 1 or not {*map(type, listed)} <= kinds:
        raise DataError("labels must be all texts or all numbers")
    classes = np.array(listed)
    if classes.dtype == object:
        raise DataError("a label is too large a number")
    Labels("K", least, ordered).check("classes", classes, {})
    return classes


@dataclass(frozen=True)
class Verdict:
    """The answers for n rows.

    Attributes
    ----------
    decision : Decision
    scores : array of shape (n, 1) for two classes, else (n, K)
        What the classes are ranked by.
    probability : array of shape (n, K)
    best : array of shape (n,)
        The number of each row's answer, also where the model abstains.
    """

    decision: Decision
    scores: Floats
    probability: Floats
    best: NDArray[np.intp]

    @property
    def labels(self) -> NDArray[Any]:
        """The answers, shape (n,); of dtype object where the model abstains or has several."""
        decision = self.decision
        if decision.multilabel:
            out = np.empty(len(self.scores), dtype=object)
            classes = decision.classes.tolist()
            for row, chosen in enumerate(self.scores >= 0):
                out[row] = [classes[k] for k in np.flatnonzero(chosen)]
            return out
        labels: NDArray[Any] = decision.classes[self.best]
        if decision.abstain is None:
            return labels
        answers = labels.astype(object)
        answers[self.abstained] = decision.abstain_label
        return answers

    @property
    def sure(self) -> Floats:
        """The probability of each row's best label."""
        return self.probability[np.arange(len(self.best)), self.best]

    @property
    def abstained(self) -> NDArray[np.bool_]:
        """Whether a row has no answer."""
        decision = self.decision
        if decision.abstain is None or decision.multilabel:
            return np.zeros(len(self.best), dtype=bool)
        return self.sure < decision.abstain

    def top(self, k: int) -> tuple[NDArray[Any], Floats]:
        """Return the k best labels of each row, the answer first, and their probabilities."""
        best = ranking(self.scores, self.best, check_k(k))
        return self.decision.classes[best], np.take_along_axis(self.probability, best, axis=1)


def probabilities(scores: Floats, sharpness: float, *, multilabel: bool) -> Floats:
    """Return p(class | x) from scores of shape (n, columns).

    One column means two classes, and the result has two; with `multilabel` every column is a
    question of its own.

    Examples
    --------
    >>> probabilities(np.array([[0.0], [2.0]]), 1.0, multilabel=False).round(3).tolist()
    [[0.5, 0.5], [0.119, 0.881]]
    """
    with np.errstate(over="ignore", under="ignore"):
        if multilabel:
            return _sigmoid(sharpness * scores)
        if scores.shape[1] == 1:
            return np.hstack([_sigmoid(-sharpness * scores), _sigmoid(sharpness * scores)])
        below = scores - scores.max(axis=1, keepdims=True, initial=-np.inf)
        exponentials = np.exp(sharpness * below)
        return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True))


def _sigmoid(z: Floats) -> Floats:
    small = np.exp(-np.abs(z))
    return np.asarray(np.where(z >= 0, 1.0, small) / (1.0 + small))


class _Choices(NamedTuple):
    """Questions with c answers each: scores below the best one (m, c), and what was wanted."""

    below: Floats
    wanted: Floats  # (m,): the score of the truth, softened
    weights: Floats | None


def log_loss(
    scores: Floats, gold: NDArray[np.int32], sharpness: float, weights: Floats | None = None
) -> float:
    """Return the mean of -ln p(gold), softened as if two more examples were undecided.

    Parameters
    ----------
    scores : array of shape (n, columns)
    gold : array of shape (n,), or (n, columns)
        Class numbers; or, for several labels a row, a table of 0 and 1.
    weights : array of shape (n,), optional
        Of the examples.

    Examples
    --------
    >>> round(log_loss(np.array([[0.0]]), np.array([1], np.int32), 1.0), 4)
    0.6931
    """
    return _loss(_choices(scores, gold, weights), sharpness)[0]


def fit_sharpness(scores: Floats, gold: NDArray[np.int32], weights: Floats | None = None) -> float:
    """Return the factor a of least log loss.

    The loss is convex in a: Newton's steps in ln a, kept inside a bracket, find its one minimum.

    Examples
    --------
    >>> scores = np.array([[4.0]] * 8)  # claims 98 %, and is right six times of eight
    >>> round(fit_sharpness(scores, np.array([1, 1, 1, 0] * 2, np.int32)), 2)
    0.21
    """
    choices = _choices(scores, gold, weights)
    size = float(np.sqrt(np.mean(choices.below**2)))
    if not np.isfinite(size) or size == 0.0:
        return 1.0  # all scores are equal: any factor gives the same
    low, high, at = -_WIDTH, _WIDTH, 0.0
    for _ in range(_STEPS):
        _, slope, curve = _loss(choices, float(np.exp(at)) / size)
        low, high = (at, high) if slope < 0 else (low, at)
        step = -slope / curve if curve > 0 else np.inf
        new = at + step if low < at + step < high else (low + high) / 2.0
        if abs(new - at) < 1e-7:
            break
        at = new
    return float(np.exp(at)) / size


def _choices(scores: Floats, gold: NDArray[np.int32], weights: Floats | None) -> _Choices:
    n = len(gold)
    if gold.ndim == 2 or scores.shape[1] == 1:  # each column is a question with two answers
        if weights is not None and gold.ndim == 2:
            weights = np.repeat(weights, gold.shape[1])
        flat = scores.reshape(-1, 1)
        scores, gold = np.hstack([-flat / 2.0, flat / 2.0]), gold.reshape(-1)
    below = scores - scores.max(axis=1, keepdims=True)
    share = 2.0 / (n + 2.0)
    truth = below[np.arange(len(gold)), gold]
    return _Choices(below, (1.0 - share) * truth + share * below.mean(axis=1), weights)


def _loss(choices: _Choices, sharpness: float) -> tuple[float, float, float]:
    """Return the loss at a, and its slope and curvature (Gauss-Newton) in ln a."""
    below, wanted, weights = choices
    with np.errstate(under="ignore"):
        chance = np.exp(sharpness * below)
    total = chance.sum(axis=1)
    chance /= total[:, None]
    expected = np.einsum("ij,ij->i", chance, below)
    spread = np.einsum("ij,ij,ij->i", chance, below, below) - expected**2
    loss = np.average(np.log(total) - sharpness * wanted, weights=weights)
    slope = sharpness * np.average(expected - wanted, weights=weights)
    curve = sharpness**2 * np.average(spread, weights=weights) + slope
    return float(loss), float(slope), float(curve)
