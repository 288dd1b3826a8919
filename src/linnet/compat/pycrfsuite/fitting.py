r"""The weights that each algorithm of CRFsuite finds.

"lbfgs" minimises :math:`\sum -\ln p(y \mid x) + c_2 \lVert w \rVert^2 + c_1 \lVert w \rVert_1`, and
"l2sgd" leads to the same minimum here. "ap", "pa" and "arow" go through the sentences round by
round, as there; only the order of the sentences in a round is linnet's own, and always the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.compat.pycrfsuite.problem import Problem
from linnet.threads import thread_count

__all__ = ["minimised", "order_of_round", "went_through"]

Floats = NDArray[np.float64]
Said = Callable[[int, float, dict[str, float]], None]
_GAP = 1e-3  # CRFsuite bounds the gradient, which falls with the root of the distance in value
_STEPS = ("pa", "pa1", "pa2")
_RULES = {"ap": "perceptron", "pa": "mira", "arow": "arow"}


def minimised(problem: Problem, values: dict[str, Any], say: Said) -> Floats:
    """Return the weights of least regularised loss."""
    w = np.zeros(problem.layout.size)

    def record(number: int, objective: float, *more: float) -> None:
        say(number, objective, {"error_norm": more[0]} if more else {})

    _core.crf_minimize(
        solver="lbfgs", chain=problem.chain, gold=problem.gold, cost=np.ones(problem.n_sentences),
        frozen=problem.frozen(), l2=2.0 * float(values["c2"]), l1=float(values.get("c1", 0.0)), w=w,
        tolerance=_GAP * float(values.get("epsilon", 1e-5)),
        max_iterations=int(values["max_iterations"]), memory=6, record=record,
        threads=thread_count(None),
    )  # fmt: skip
    return w


def order_of_round(number: int, sentences: int) -> NDArray[np.int64]:
    """Return the order of the sentences in a round."""
    order = np.empty(sentences, np.int64)
    _core.permutation(order, 0, number)
    return order


def went_through(
    algorithm: str,
    problem: Problem,
    values: dict[str, Any],
    say: Said,
    order: Callable[[int, int], NDArray[np.int64]] = order_of_round,
) -> Floats:
    """Return the weights after rounds through the sentences: of "ap" and "pa" their mean.

    A round without a mistake changes nothing, and so would all that follow: the mean, for which
    they count, is that of all rounds.
    """
    N, rounds, epsilon = problem.n_sentences, int(values["max_iterations"]), float(values["epsilon"])
    arow, mean = algorithm == "arow", bool(values.get("averaging", algorithm == "ap"))
    w, state = np.zeros(problem.layout.size), np.zeros(2)
    sums = np.full(w.shape, float(values["variance"])) if arow else np.zeros(w.shape)
    lengths = np.diff(problem.sentence)
    trace = np.zeros(len(problem.gold), np.int32), np.zeros(N), np.zeros(N)
    for number in range(rounds):
        met: list[tuple[float, int, int]] = []
        orders = order(number, N)[None, :]
        _core.structured_rounds(
            chain=problem.chain, gold=problem.gold, cost=np.ones(N), rule=_RULES[algorithm],
            averaging="none" if arow else "after", variant=_STEPS[int(values.get("type", 1)) % 3],
            cap=float(values["gamma" if arow else "c"]) if algorithm != "ap" else 1.0,
            augmented=False, beam=0, orders=orders, weights=w, sums=sums, state=state, trace=trace,
            record=lambda *seen: bool(met.append(seen)) or True,
            counted=_counted(algorithm, values), frozen=problem.frozen(),
        )  # fmt: skip
        loss, updates, _ = met[0]
        if algorithm == "ap":
            loss = _wrong_shares(problem, orders[0], lengths, trace[0])
        say(number + 1, loss, {"feature_norm": float(np.sqrt(w @ w))})
        if loss / N < epsilon or (arow and loss / N <= epsilon):
            break
        if not updates:
            state[0] = N * rounds
            break
    return (state[0] * w - sums) / (state[0] + 1.0) if mean else w


def _counted(algorithm: str, values: dict[str, Any]) -> str:
    if algorithm != "pa":
        return "wrong"
    return "root" if values["error_sensitive"] else "one"


def _wrong_shares(problem: Problem, order: Any, lengths: Any, guess: Any) -> float:
    """Return the sum of the shares of wrong labels; `guess` follows the order of the round."""
    ends = np.cumsum(lengths[order])
    tokens = np.repeat(problem.sentence[:-1][order] - ends + lengths[order], lengths[order])
    wrong = guess != problem.gold[tokens + np.arange(len(guess))]
    return float((wrong / np.repeat(lengths[order], lengths[order])).sum())
