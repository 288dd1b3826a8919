"""Classifiers of scikit-learn as weights and the way from scores to probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.foreign.scikit_learn.calibration import METHODS, Calibration
from linnet.foreign.scikit_learn.fields import Fields, fields_of
from linnet.foreign.scikit_learn.scorers import CalibratedScorer, LinkedScorer

__all__ = ["CALIBRATED", "CLASSIFIERS", "Classifier", "classifier_of"]

Floats = NDArray[np.float64]
CALIBRATED = "CalibratedClassifierCV"
_MARGINS = ("LinearSVC", "RidgeClassifier", "PassiveAggressiveClassifier", "Perceptron")
_BAYES = ("MultinomialNB", "ComplementNB", "BernoulliNB")
CLASSIFIERS = (*_MARGINS, *_BAYES, "LogisticRegression", "SGDClassifier", CALIBRATED)
_LINKS = {"log_loss": "shares", "log": "shares", "modified_huber": "huber"}
_FOLDED = ("ovr", "warn")
_ONE_VS_REST_SOLVERS = ("liblinear", "newton-cholesky")


@dataclass
class Classifier:
    """A classifier, ready to be one part of a model.

    Attributes
    ----------
    labels : array of shape (K,)
    scorer : LinkedScorer or CalibratedScorer
    sharpness : float
        Between scores and the softmax.
    calibrated : bool
        Whether its probabilities are its own; others come from scores that nobody calibrated.
    above : float or None
        What a value must be above to count as present, for those that ask only that.
    bayes : bool
        Whether it answers with probabilities alone.
    """

    labels: NDArray[Any]
    scorer: Any
    sharpness: float = 1.0
    calibrated: bool = True
    above: float | None = None
    bayes: bool = False


def classifier_of(fields: Fields, columns: int) -> Classifier:
    """Return a classifier of texts with so many columns of features."""
    if fields.cls == "FrozenEstimator":
        return classifier_of(fields.inner("estimator"), columns)
    if fields.cls == CALIBRATED:
        return _calibrated(fields, columns)
    if fields.cls in _BAYES:
        return _bayes(fields, columns)
    if fields.cls in CLASSIFIERS:
        return _linear(fields, columns)
    fields.refuse(f"is no classifier that linnet reads; it reads {', '.join(CLASSIFIERS)}")


def _linear(fields: Fields, columns: int) -> Classifier:
    labels = _labels(fields)
    rows = 1 if len(labels) == 2 else len(labels)
    weights = fields.matrix("coef_", rows, columns)
    intercept = fields.numbers("intercept_").reshape(-1)
    if len(intercept) not in (1, rows):
        fields.refuse(f"has {len(intercept)} intercepts for {rows} rows of weights")
    intercept = np.broadcast_to(intercept, (rows,)).copy()  # without any it is one 0
    link, sharpness, calibrated = "softmax", 1.0, True
    if fields.cls == "LogisticRegression":
        link, sharpness = _logistic(fields, len(labels))
    elif fields.cls == "SGDClassifier":
        loss = fields.value("loss")
        calibrated = isinstance(loss, str) and loss in _LINKS
        link = _LINKS[loss] if calibrated else link
    else:
        calibrated = False
    scorer = LinkedScorer(np.ascontiguousarray(weights.T), intercept, link)
    return Classifier(labels, scorer, sharpness, calibrated)


def _labels(fields: Fields) -> NDArray[Any]:
    if fields.has("classes_"):
        return fields.labels()
    return fields.inner("_label_binarizer").labels()  # of ridge


def _logistic(fields: Fields, n_labels: int) -> tuple[str, float]:
    """Return the link and the sharpness, which older versions choose by two parameters."""
    kind = fields.value("multi_class", "auto")
    if kind == "deprecated" or not fields.has("multi_class"):
        kind = "multinomial" if n_labels > 2 else "auto"
    if kind == "auto":
        liblinear = fields.value("solver", "lbfgs") in _ONE_VS_REST_SOLVERS
        kind = "ovr" if n_labels == 2 or liblinear else "multinomial"
    if kind in _FOLDED:
        return "shares", 1.0
    return "softmax", 2.0 if n_labels == 2 else 1.0  # of two labels: the softmax of (-s, s)


def _bayes(fields: Fields, columns: int) -> Classifier:
    labels = fields.labels()
    weights = fields.matrix("feature_log_prob_", len(labels), columns)
    prior = fields.numbers("class_log_prior_").reshape(-1)
    if len(prior) != len(labels):
        fields.refuse("has not one prior for each label")
    above: float | None = None
    if fields.cls == "ComplementNB":
        prior = np.zeros(len(labels))
    elif fields.cls == "BernoulliNB":
        with np.errstate(all="ignore"):
            absent = np.log(1.0 - np.exp(weights))
        if not np.isfinite(absent).all():
            fields.refuse("has a feature that is always there, so its absence has no logarithm")
        weights, prior = weights - absent, prior + absent.sum(axis=1)
        if fields.value("binarize") is not None:
            above = fields.numbers("binarize").reshape(-1)[0].item()
            if above < 0.0:
                fields.refuse(f"cannot be read with binarize={above}, as absent words would count")
    if len(labels) == 2:
        weights, prior = weights[1:] - weights[:1], prior[1:] - prior[:1]
    scorer = LinkedScorer(np.ascontiguousarray(weights.T), prior)
    return Classifier(labels, scorer, above=above, bayes=True)


def _calibrated(fields: Fields, columns: int) -> Classifier:
    labels = fields.labels()
    members, curves, method = [], [], ""
    for item in fields.listed("calibrated_classifiers_"):
        member = fields_of(item, fields.file, f"a member of this {CALIBRATED}")
        method = member.choice("method", METHODS if not method else (method,))
        name = "estimator" if member.has("estimator") else "base_estimator"
        members.append(classifier_of(member.inner(name), columns))
        curves.append(_curves(member, method))
    first = members[0]
    for one in members:
        same = (len(one.labels), one.bayes, one.above) == (len(labels), first.bayes, first.above)
        if not same or not isinstance(one.scorer, LinkedScorer):
            fields.refuse("has members of different kinds, or with other labels")
    stacked = np.hstack([one.scorer.weights for one in members])
    offsets = np.concatenate([one.scorer.intercept for one in members])
    width = first.scorer.weights.shape[1]
    calibration = Calibration(method, first.bayes, width, _joined(curves))
    try:
        calibration.check(len(members))
    except DataError as error:
        fields.refuse(f"has a calibration that cannot be read: {error}")
    scorer = CalibratedScorer(np.ascontiguousarray(stacked), offsets, calibration)
    return Classifier(labels, scorer, above=first.above)


def _curves(member: Fields, method: str) -> dict[str, list[Floats]]:
    """Return the numbers of a member's curves, a list of arrays for each kind of number."""
    name = "calibrators" if member.has("calibrators") else "calibrators_"
    curves = [fields_of(one, member.file, "a calibrator") for one in member.listed(name)]
    if method == "temperature":
        return {"beta": [one.numbers("beta_").reshape(-1) for one in curves]}
    if method == "sigmoid":
        return {
            "slope": [one.numbers("a_").reshape(-1) for one in curves],
            "shift": [one.numbers("b_").reshape(-1) for one in curves],
        }
    return {
        "knots": [one.numbers("X_thresholds_").reshape(-1) for one in curves],
        "heights": [one.numbers("y_thresholds_").reshape(-1) for one in curves],
    }


def _joined(curves: list[dict[str, list[Floats]]]) -> dict[str, NDArray[Any]]:
    """Return all members' numbers one after the other."""
    arrays: dict[str, NDArray[Any]] = {}
    for name in curves[0]:
        listed = [array for one in curves for array in one[name]]
        arrays[name] = np.concatenate(listed)
        if name == "knots":
            sizes = [len(array) for array in listed]
            arrays["first_knot"] = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return arrays
