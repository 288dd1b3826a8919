"""Data of mixed order: how HMM, MEMM and CRF fare when the truth is none of them.

The set-up is that of Lafferty et al. (2001), section 5.2: five labels, 26 symbols, both drawn from
a mixture of a first-order and a second-order hidden Markov model,

    P(y | y', y'') = a P2(y | y', y'') + (1 - a) P1(y | y'),
    P(x | y, x')   = a P2(x | y, x') + (1 - a) P1(x | y),

where a label has at most two successors and at most three symbols. Each random model gives a
thousand sequences of 25 to train and as many to test; all learners have the weights of a
first-order HMM.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet

LABELS, SYMBOLS, LENGTH = 5, 26, 25
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # a: how much of the second order there is
MODELS = ("HMM", "MEMM", "CRF")

Sentences = list[list[str]]
Chances = NDArray[np.float64]


def sparse_table(rng: np.random.Generator, rows: int, histories: int, size: int, most: int) -> Any:
    """Draw P1[row] and P2[row, history] over `most` outcomes of each row."""
    first, second = np.zeros((rows, size)), np.zeros((rows, histories, size))
    for row in range(rows):
        support = rng.choice(size, most, replace=False)
        first[row, support] = rng.dirichlet(np.ones(most))
        second[row][:, support] = rng.dirichlet(np.ones(most), histories)
    return first, second


def mixed_data(share: float, n: int, seed: int) -> tuple[Sentences, Sentences]:
    """Draw n sequences of one random model: symbols and labels."""
    rng = np.random.default_rng(seed)
    steps = sparse_table(rng, LABELS, LABELS, LABELS, 2)
    symbols = sparse_table(rng, LABELS, SYMBOLS, SYMBOLS, 3)
    cut = [
        np.cumsum(share * second + (1 - share) * first[:, None, :], axis=2)
        for first, second in (steps, symbols)
    ]
    labels = rng.integers(0, LABELS, (n, 2))
    seen = rng.integers(0, SYMBOLS, n)
    before, last = labels[:, 0], labels[:, 1]
    y, X = np.empty((n, LENGTH), int), np.empty((n, LENGTH), int)
    for t in range(LENGTH):
        chance = rng.random((n, 2))
        before, last = last, (cut[0][last, before] < chance[:, :1]).sum(axis=1)
        seen = (cut[1][last, seen] < chance[:, 1:]).sum(axis=1)
        y[:, t], X[:, t] = np.minimum(last, LABELS - 1), np.minimum(seen, SYMBOLS - 1)
        last, seen = y[:, t], X[:, t]
    return [[chr(65 + x) for x in row] for row in X], [[chr(97 + k) for k in row] for row in y]


def mixed_errors(share: float, seed: int, n: int = 1000) -> dict[str, float]:
    """Return the share of wrong labels of each learner on one random model."""
    words, y = mixed_data(share, 2 * n, seed)
    tokens = [[[word] for word in sentence] for sentence in words]
    settings: dict[str, Any] = {"C": 100.0, "tol": 1e-3, "n_threads": 1}
    fitted = {
        "HMM": (linnet.HMM(), words),
        "MEMM": (linnet.MEMM(**settings), tokens),
        "CRF": (linnet.CRF(**settings), tokens),
    }
    return {
        name: 1.0 - float(model.fit(X[:n], y[:n]).score(X[n:], y[n:]))
        for name, (model, X) in fitted.items()
    }


def render_mixed(runs: dict[float, list[dict[str, float]]]) -> str:
    """Return the errors as a Markdown table, a row for each share of the second order."""
    lines = [
        "| second order | HMM % | MEMM % | CRF % | CRF below MEMM | CRF below HMM |",
        "|---|---|---|---|---|---|",
    ]
    for share, errors in runs.items():
        means = [f"{100 * np.mean([run[name] for run in errors]):.1f}" for name in MODELS]
        wins = [
            f"{sum(run['CRF'] < run[other] for run in errors)} of {len(errors)}"
            for other in ("MEMM", "HMM")
        ]
        lines.append("| " + " | ".join([f"{share:g}", *means, *wins]) + " |")
    return "\n".join(lines)
