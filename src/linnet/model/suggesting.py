"""Which examples are most worth labelling next (active learning).

An example is worth a label where the model hesitates. With the probabilities of its labels sorted,
p₁ ≥ p₂ ≥ …,

    margin     1 - (p₁ - p₂)
    entropy    - Σ p ln p / ln K

both between 0 and 1. With several labels a row, each label is a question of its own and the most
doubtful one counts. A sentence has the mean of its tokens; where a tagger has no probabilities, it
is 1 / (1 + g), g being by how much its best sequence of tags outscores the next one, per token.

What the model hesitates about comes in near-copies, of which one label is enough. So one example
after the other is picked by

    uncertainty · (1 - c⁴),  c being the largest cosine with those already picked.

The power lets examples be alike, but no copies: a plain 1 - c would prefer what is unlike all else,
and such outliers teach little. It is chosen on training parts (``benchmarks/suggest.py --choose``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError
from linnet.model.fitting.reading import row_count, rows_of

__all__ = ["POWER", "Suggestion", "suggest"]

Floats = NDArray[np.float64]
_TABLE = 1 << 22  # probabilities computed together
POWER = 4
_CANDIDATES = 10  # times as many are looked at as are picked


@dataclass(frozen=True)
class Suggestion:
    """An example worth a label: its row, how unsure the model is, and what it would answer."""

    row: int
    uncertainty: float
    answer: Any


def suggest(
    model: Any, X: Any, n: int = 100, *, by: str = "margin", diverse: bool = True
) -> list[Suggestion]:
    """Return the examples of a pool that are most worth labelling, the best first.

    Parameters
    ----------
    model : Model, TextClassifier, RowClassifier or SequenceTagger
        A fitted one.
    X : texts, bags, vectors, rows or sentences
        Without labels, as the model takes them.
    n : int, default 100
        How many; all, if there are fewer.
    by : {"margin", "entropy"}
        What unsure means; see above.
    diverse : bool, default True
        Whether like examples stand back behind one another.

    Examples
    --------
    >>> import linnet
    >>> clf = linnet.TextClassifier().fit(["good film", "bad film"] * 9, ["+", "-"] * 9)
    >>> pool = ["a good film", "a film", "a film", "the book"]
    >>> sorted(found.row for found in suggest(clf, pool, 2))
    [1, 3]
    """
    if by not in ("margin", "entropy"):
        raise ParameterError(f"by must be 'margin' or 'entropy', got {by!r}.")
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise ParameterError(f"n must be a positive integer, got {n!r}.")
    model = getattr(model, "model_", model)
    if model.kind == "sequence":
        uncertainty, answers, words = _of_sentences(model, X, by)
    else:
        uncertainty, answers = _of_examples(model, X, by)
    if not len(uncertainty):
        raise DataError("The pool is empty; there is nothing to choose from.")
    order = np.argsort(-uncertainty, kind="stable")
    if diverse:
        order = order[: max(_CANDIDATES * n, 1000)]
        if model.kind == "sequence":
            vectors = _bags(words[row] for row in order.tolist())
        else:
            vectors = _vectors(model, rows_of(_indexable(X), order))
        order = order[_spread(vectors, uncertainty[order], n)]
    return [Suggestion(row, float(uncertainty[row]), answers[row]) for row in order[:n].tolist()]


def _indexable(X: Any) -> Any:
    return X if hasattr(X, "shape") or hasattr(X, "take") or isinstance(X, list) else list(X)


def _of_examples(model: Any, X: Any, by: str) -> tuple[Floats, list[Any]]:
    X = _indexable(X)
    rows, step = row_count(X), max(1, _TABLE // len(model.classes_))
    found: list[Floats] = [np.empty(0)]
    answers: list[Any] = []
    for first in range(0, rows, step):
        verdict = model.judge(rows_of(X, np.arange(first, min(first + step, rows))))
        p = np.asarray(verdict.probability)
        if model.multilabel:  # a question for each label
            yes = np.stack([1.0 - p, p], axis=-1)
            found.append(_unsure(yes.reshape(-1, 2), by).reshape(p.shape).max(axis=1))
        else:
            found.append(_unsure(p, by))
        answers += verdict.labels.tolist()
    return np.concatenate(found), answers


def _unsure(p: Floats, by: str) -> Floats:
    """Return how unsure distributions are, shape (n,), from 0 to 1."""
    if by == "entropy":
        terms = p * np.log(np.where(p > 0, p, 1.0))
        entropy: Floats = -terms.sum(axis=1) / np.log(p.shape[1])
        return entropy
    best = np.partition(p, -2, axis=1)
    margin: Floats = 1.0 - (best[:, -1] - best[:, -2])
    return margin


def _of_sentences(model: Any, X: Any, by: str) -> tuple[Floats, list[Any], list[list[str]]]:
    tokens = model.reader.complete(X)
    answers, words = model.predict(tokens), tokens.words()
    if model.probabilistic:
        tables = model.predict_marginals(tokens)
        means = [float(_unsure(p, by).mean()) if len(p) else 0.0 for p in tables]
        return np.array(means), answers, words
    if by == "entropy":
        raise ParameterError(
            "The scores of this tagger are no probabilities, so it has no entropy; use 'margin'."
        )
    gaps = []
    for best, sentence in zip(model.predict_nbest(tokens, 2), words, strict=True):
        alone = len(best) < 2 or not sentence
        gaps.append(np.inf if alone else (best[0][0] - best[1][0]) / len(sentence))
    return 1.0 / (1.0 + np.array(gaps)), answers, words


def _vectors(model: Any, X: Any) -> sp.csr_matrix:
    """Return examples as rows whose cosines say how like they are."""
    if model.kind != "row":
        return sp.csr_matrix(model.reader.inputs(X, model.n_threads))
    from linnet.model.readers.rows import as_table

    rows = as_table(X).rows()
    return _bags([f"{j}={cell}" for j, cell in enumerate(row)] for row in rows)


def _bags(bags: Iterable[Iterable[str]]) -> sp.csr_matrix:
    """Return the words of each bag as indicators."""
    number: dict[str, int] = {}
    listed = [[number.setdefault(word, len(number)) for word in set(bag)] for bag in bags]
    column = list(chain.from_iterable(listed))
    row = np.repeat(np.arange(len(listed)), [len(bag) for bag in listed])
    shape = (len(listed), max(1, len(number)))
    return sp.csr_matrix((np.ones(len(column)), (row, column)), shape=shape)


def _spread(vectors: sp.csr_matrix, uncertainty: Floats, n: int) -> NDArray[np.intp]:
    """Return the places picked one after the other, the best first."""
    length = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel())
    unit = sp.csr_matrix(sp.diags(1.0 / np.where(length > 0, length, 1.0)) @ vectors)
    nearest, free = np.zeros(len(uncertainty)), np.ones(len(uncertainty), bool)
    picked = []
    for _ in range(min(n, len(uncertainty))):
        worth = np.where(free, uncertainty * (1.0 - nearest**POWER), -1.0)
        best = int(worth.argmax())
        picked.append(best)
        free[best] = False
        alike = np.asarray((unit @ unit[best].T).todense()).ravel()
        nearest = np.clip(np.maximum(nearest, alike), 0.0, 1.0)
    return np.array(picked)
