"""CRFsuite as a peer: the same objective, the same optimum, the same labels (c2 = 1 / (2 C))."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite
import pytest

import linnet
from linnet import _core
from linnet.learn.chain.sentences import checked, number_labels, read_sentences
from linnet.learn.chain.weights import observed_pairs

from .chains import sentences


def crfsuite(X: Any, y: Any, c2: float, path: Path) -> tuple[float, Any]:
    """Return the loss that CRFsuite reaches, and its tagger."""
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params(
        {"c1": 0.0, "c2": c2, "max_iterations": 2000, "epsilon": 1e-9, "delta": 1e-12}
    )
    for tokens, tags in zip(X, y, strict=True):
        if tokens:
            trainer.append(tokens, tags)
    trainer.train(str(path))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    return float(trainer.logparser.last_iteration["loss"]), tagger


def minimum_with_their_weights(X: Any, y: Any, C: float) -> float:
    """Return the minimum over what CRFsuite has weights for: no starts, no stops, seen steps."""
    features = checked(read_sentences(X, None)[0])
    classes, gold = number_labels(y, features.sentence)
    L = len(classes)
    start, label = observed_pairs(features, gold, L, every=False)
    chain = _core.Chain(features.matrix, features.sentence, start, label, L)
    free = np.zeros((L, L), np.uint8)
    inside = np.setdiff1d(np.arange(1, len(gold)), features.sentence)
    free[gold[inside - 1], gold[inside]] = 1
    frozen = np.concatenate([np.zeros(len(label)), 1 - free.ravel(), np.ones(2 * L)])
    w, gradient = np.zeros(chain.weights), np.empty(chain.weights)
    cost = np.full(features.n_sentences, C)
    _core.crf_minimize("lbfgs", chain, gold, cost, frozen.astype(np.uint8), 1.0, 0.0, w, 1e-9,
                       5000, 10, None, 2)  # fmt: skip
    return float(_core.crf_evaluate(chain, gold, cost, 1.0, w, gradient, 2)) / C


@pytest.mark.spec("M-118")
@pytest.mark.parametrize("C", [0.5, 5.0])
def test_the_optimum_is_that_of_crfsuite_and_starts_and_stops_only_lower_it(
    C: float, tmp_path: Path
) -> None:
    X, y = sentences(0, 200, features=20)
    theirs, tagger = crfsuite(X, y, 1 / (2 * C), tmp_path / "m")
    assert minimum_with_their_weights(X, y, C) == pytest.approx(theirs, rel=1e-6)
    crf = linnet.CRF(C=C, tol=1e-8, max_iter=5000).fit(X, y)
    assert crf.history_["objective"][-1] / C <= theirs * (1 + 1e-6)
    pairs = [
        (ours, other)
        for tokens, labels in zip(X, crf.predict(X), strict=True)
        for ours, other in zip(labels, tagger.tag(tokens) if tokens else [], strict=True)
    ]
    assert np.mean([ours == other for ours, other in pairs]) > 0.9  # starts and stops say more


def test_chunks_of_conll2000_are_those_of_crfsuite(
    data_dir: Callable[[str], Path], tmp_path: Path
) -> None:
    X, y = list[Any](), list[Any]()
    with gzip.open(data_dir("conll2000") / "train.txt.gz", "rt", encoding="utf-8") as file:
        for block in file.read().split("\n\n")[:400]:
            rows = [line.split() for line in block.splitlines() if line.strip()]
            tags = [["BOS", *(row[1] for row in rows), "EOS"][t : t + 3] for t in range(len(rows))]
            X.append([
                [f"w={row[0]}", f"p={before}|{here}", f"n={here}|{after}", f"t={here}"]
                for row, (before, here, after) in zip(rows, tags, strict=True)
            ])  # fmt: skip
            y.append([row[2] for row in rows])
    theirs, tagger = crfsuite(X[:250], y[:250], 0.5, tmp_path / "m")
    crf = linnet.CRF(C=1.0, tol=1e-5).fit(X[:250], y[:250])
    assert crf.history_["objective"][-1] <= theirs * (1 + 1e-4)
    ours = [label for labels in crf.predict(X[250:]) for label in labels]
    others = [label for tokens in X[250:] for label in tagger.tag(tokens)]
    assert np.mean([a == b for a, b in zip(ours, others, strict=True)]) > 0.99
