"""LIBLINEAR's ``.model``: a text of keys and, last, the weights, feature by feature.

    solver_type L2R_LR      one of twelve
    nr_class 3              with as many labels, in the order of their first appearance
    label 2 -1 7
    nr_feature 20           features 1 .. 20, our columns 0 .. 19
    bias 1                  at least 0: one more feature of that value in every row
    w                       nr_feature (+ 1) lines of one number, or of one for each label

Two labels share a column of weights, which speaks for the first one; a score of 0 goes to the
second. Among more labels the first of the largest scores wins. linnet's columns speak for the
second of two labels, so the labels stay in their order and the column changes its sign. One-vs-rest
logistic regression has probabilities (:mod:`linnet.foreign.linear`); the scores of the other
solvers go through a sigmoid or softmax that nobody calibrated. A regression becomes a
:class:`linnet.LinearRegression`.
"""

from __future__ import annotations

import os
import re
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import ModelFileError, ParameterError
from linnet.foreign.linear import OneVsRestScorer
from linnet.model.decision import Decision
from linnet.model.model import Model
from linnet.model.readers.features import VectorReader
from linnet.model.scorers.flat import LinearScorer

__all__ = ["read", "write"]

Floats = NDArray[np.float64]
_WEIGHTS = re.compile(rb"\sw\s")
_LOGISTIC = ("L2R_LR", "L1R_LR", "L2R_LR_DUAL")
_REGRESSION = ("L2R_L2LOSS_SVR", "L2R_L2LOSS_SVR_DUAL", "L2R_L1LOSS_SVR_DUAL")
_MARGIN = (
    "L2R_L2LOSS_SVC_DUAL", "L2R_L2LOSS_SVC", "L2R_L1LOSS_SVC_DUAL", "MCSVM_CS", "L1R_L2LOSS_SVC",
    "ONECLASS_SVM",
)  # fmt: skip
_SOLVERS = (*_LOGISTIC, *_REGRESSION, *_MARGIN)
_LARGEST = 1 << 31


def read(file: str) -> Any:
    """Return the model of a file, after checking it."""
    with open(file, "rb") as raw:
        words = _Words(raw.read(), file)
    keys = _keys(words)
    solver, n, k = keys["solver_type"], keys["nr_feature"], keys["nr_class"]
    columns = 1 if k == 2 and solver != "MCSVM_CS" else k
    bias = keys.get("bias", -1.0)
    rows = n + (bias >= 0)
    weights = words.weights(rows, columns)
    intercept = weights[n] * bias if bias >= 0 else np.zeros(columns)
    record = {"format": "LIBLINEAR model", "solver": solver, "n_features": n}
    if solver in _REGRESSION:
        return _regression(weights[:n, 0], float(intercept[0]))
    return _classifier(words, keys, weights[:n], intercept, record)


def _classifier(
    words: _Words, keys: dict[str, Any], weights: Floats, intercept: Floats, record: dict[str, Any]
) -> Model:
    solver = keys["solver_type"]
    if solver == "ONECLASS_SVM":  # the value above rho is the label 1, else -1
        labels, intercept = [1, -1], intercept - keys.get("rho", 0.0)
    elif "label" not in keys:
        words.refuse("has no label")
    else:
        labels = keys["label"]
    scorer: type[LinearScorer] = LinearScorer
    if len(labels) == 2:  # Crammer and Singer's second column is never looked at
        weights, intercept = -weights[:, :1], -intercept[:1]
    elif solver in _LOGISTIC:
        scorer = OneVsRestScorer
    if solver not in _LOGISTIC:
        record["probabilities"] = "of scores that were never calibrated"
    return Model(
        VectorReader(len(weights)),
        scorer(np.ascontiguousarray(weights), np.ascontiguousarray(intercept)),
        Decision(np.array(labels), sharpness=1.0),
        record,
    )


def _regression(weights: Floats, intercept: float) -> Any:
    from linnet.learn.regression import LinearRegression

    learner = LinearRegression()
    learner.coef_, learner.intercept_ = weights.copy(), intercept
    learner.n_features_in_ = len(weights)
    return learner


class _Words:
    """The words of a text, one after the other."""

    def __init__(self, text: bytes, file: str) -> None:
        self.text, self.at, self.file = text, 0, file
        last = _WEIGHTS.search(text)  # the rest is read at once
        self.behind = len(text) if last is None else last.end()
        self.words = text[: self.behind].split()

    def next(self, name: str) -> str:
        if self.at == len(self.words):
            self.refuse(f"ends where {name} belongs")
        self.at += 1
        return self.words[self.at - 1].decode("latin-1")

    def left(self) -> list[bytes]:
        return self.words[self.at :]

    def integer(self, name: str, low: int, high: int) -> int:
        word = self.next(name)
        if not re.fullmatch(r"[+-]?\d{1,18}", word, re.ASCII) or not low <= int(word) <= high:
            self.refuse(f"is damaged at word {self.at}: {name} cannot be {word[:40]!r}")
        return int(word)

    def number(self, name: str) -> float:
        self.at += 1
        return float(self.numbers(self.words[self.at - 1 : self.at] or [b"nothing"], name)[0])

    def numbers(self, words: list[bytes], name: str) -> Floats:
        try:
            values = np.fromiter(map(float, words), np.float64, len(words))
        except ValueError as error:
            self.refuse(f"is damaged: {name} is no number ({str(error)[:80]})")
        if not np.isfinite(values).all():
            self.refuse(f"is damaged: {name} holds NaN or infinity")
        return values

    def weights(self, rows: int, columns: int) -> Floats:
        """Return the numbers behind all keys as a matrix."""
        if rows * columns <= len(self.text):  # no more than there are bytes
            values = np.empty(rows * columns)
            if not self.left() and _core.read_numbers(self.text, self.behind, values):
                return values.reshape(rows, columns)
        words = [*self.left(), *self.text[self.behind :].split()]
        if rows * columns != len(words):
            self.refuse(f"has {len(words)} weights, where {rows} x {columns} belong")
        return self.numbers(words, "w").reshape(rows, columns)

    def refuse(self, why: str) -> NoReturn:
        raise ModelFileError(f"this LIBLINEAR model {why}; copy it again", file=self.file)


def _keys(words: _Words) -> dict[str, Any]:
    """Return what stands before the weights."""
    keys: dict[str, Any] = {}
    while (key := words.next("w")) != "w":
        if key in keys:
            words.refuse(f"has {key[:40]!r} twice")
        if key == "solver_type":
            keys[key] = words.next(key)
        elif key in ("nr_class", "nr_feature"):
            keys[key] = words.integer(key, 1, _LARGEST)
        elif key == "label" and "nr_class" in keys:
            if keys["nr_class"] > len(words.left()):
                words.refuse("ends within its labels")
            edge = 1 << 31
            keys[key] = [words.integer(key, -edge, edge) for _ in range(keys["nr_class"])]
        elif key in ("bias", "rho"):
            keys[key] = words.number(key)
        else:
            words.refuse(f"has {key[:40]!r} at word {words.at}, which is no key of the format")
    for key in ("solver_type", "nr_class", "nr_feature"):
        if key not in keys:
            words.refuse(f"has no {key}")
    if keys["solver_type"] not in _SOLVERS:
        words.refuse(f"has the solver {keys['solver_type'][:40]!r}, which is none of LIBLINEAR's")
    if keys["nr_class"] == 1:
        words.refuse("has a single label, so there is nothing to decide")
    if len(set(keys.get("label", ()))) != len(keys.get("label", ())):
        words.refuse("has a label twice")
    return keys


def write(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model of vectors as LIBLINEAR reads it.

    Labels must be whole numbers, as that format has no others. Of two labels the probabilities go
    along, as logistic regression; of more labels the answers do, under the name of Crammer and
    Singer's solver, as the format has no softmax. One-vs-rest stays what it is.
    """
    from linnet.data.files import write_atomically

    if getattr(model, "kind", None) != "vector" or not isinstance(model.scorer, LinearScorer):
        raise ParameterError(
            "LIBLINEAR's format holds a weight for each numbered feature; this model is none of "
            "vectors with such weights. Train on svmlight data, or write .linnet."
        )
    labels = model.classes_.tolist()
    if model.multilabel or not all(type(label) is int and abs(label) < 1 << 31 for label in labels):
        raise ParameterError("LIBLINEAR's labels are whole numbers, one a row; number them first.")
    weights, intercept = model.weights_.astype(np.float64), model.intercept_
    solver = "L2R_LR" if isinstance(model.scorer, OneVsRestScorer) else "MCSVM_CS"
    if len(labels) == 2:  # the sharpness goes into the weights, so that probabilities agree
        solver, weights = "L2R_LR", -model.sharpness_ * weights
        intercept = -model.sharpness_ * intercept
    rows, bias = weights.tolist(), -1
    if intercept.any():
        rows, bias = [*rows, intercept.tolist()], 1
    with write_atomically(path) as out:
        out.write(f"solver_type {solver}\nnr_class {len(labels)}\n")
        out.write(
            f"label {' '.join(map(str, labels))}\nnr_feature {len(weights)}\nbias {bias}\nw\n"
        )
        for row in rows:
            out.write(" ".join(f"{value:.17g}" for value in row) + " \n")
