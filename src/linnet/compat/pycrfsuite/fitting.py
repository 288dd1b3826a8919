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
from linnet.data.columns import runs
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
    N, rounds = problem.n_sentences, int(values["max_iterations"])
    epsilon, arow = float(values["epsilon"]), algorithm == "arow"
    w, state = np.zeros(problem.layout.size), np.zeros(2)
    sums = np.full(w.shape, float(values["variance"])) if arow else np.zeros(w.shape)
    trace = np.zeros(len(problem.gold), np.int32), np.zeros(N), np.zeros(N)
    rule: dict[str, Any] = {
        "rule": _RULES[algorithm], "averaging": "none" if arow else "after",
        "variant": _STEPS[int(values.get("type", 1)) % 3], "counted": _counted(algorithm, values),
        "cap": float(values.get("gamma" if arow else "c", 1.0)), "augmented": False, "beam": 0,
        "frozen": problem.frozen(),
    }  # fmt: skip
    met: list[tuple[float, int, int]] = []

    def record(*seen: Any) -> bool:
        met.append(seen)
        return True

    for number in range(rounds):
        turn = order(number, N)
        _core.structured_rounds(
            chain=problem.chain, gold=problem.gold, cost=np.ones(N), orders=turn[None, :],
            weights=w, sums=sums, state=state, trace=trace,
            record=record, **rule,
        )  # fmt: skip
        loss, updates, _ = met[-1]
        loss = _wrong_shares(problem, turn, trace[0]) if algorithm == "ap" else loss
        say(number + 1, loss, {"feature_norm": float(np.sqrt(w @ w))})
        if loss / N < epsilon or (arow and loss / N <= epsilon):
            break
        if not updates:
            state[0] = N * rounds
            break
    mean = values.get("averaging", algorithm == "ap")
    return (state[0] * w - sums) / (state[0] + 1.0) if mean else w


def _counted(algorithm: str, values: dict[str, Any]) -> str:
    if algorithm != "pa":
        return "wrong"
    return "root" if values["error_sensitive"] else "one"


def _wrong_shares(problem: Problem, order: Any, guess: Any) -> float:
    """Return the sum of the shares of wrong labels; `guess` follows the order of the round."""
    lengths = np.diff(problem.sentence)[order]
    tokens = runs(problem.sentence[:-1][order], lengths)
    wrong = guess != problem.gold[tokens]
    return float((wrong / np.repeat(lengths, lengths)).sum())
