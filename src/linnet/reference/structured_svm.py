r"""The structured SVM by dual coordinate ascent on stretches of wrong labels (M-123).

Problem
    minimise  F(w) = 1/2 ||w||^2 + C sum_i max_y [w.Phi(x_i, y) + wrong(y)] - w.Phi(x_i, y_i)
Given
    sentences X_i (n_i, J), labels y_i, a `GlobalMap`, C, passes and the order of the sentences.
Returned
    the w (D,) of least F, with F and the gap of each pass.

A labelling is gold with some stretches k of neighbouring wrong tokens, a right token between any
two. Both Phi(x, gold) - Phi(x, y) = sum_k Delta_k and wrong(y) = sum_k wrong_k are sums over them,
so the dual needs a share a_k for each instead of a probability for each labelling:

    D = C sum a_k wrong_k - 1/2 ||w||^2,    w = C sum a_k Delta_k
    a_k >= 0,    sum of a_k over the stretches that cover a token <= 1

A stretch covers its tokens and the one behind. Overlaps of intervals on a line are all there is to
it, so these shares are exactly those of distributions over labellings.

    step        a_k += v_k / (C ||Delta_k||^2), cut to the bounds;    v_k = wrong_k - w.Delta_k
    exchange    where a token is full: take from the worst stretches that fill it
    turn        where a token is full: all shares towards the best labelling the stretches make

A pass decodes every sentence once. The first takes one sentence after the other; a later one
starts from the decodings that have measured F at the end of the pass before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from linnet.reference.common import FloatArray, IntArray, Orders, example_sequence
from linnet.reference.global_features import GlobalMap
from linnet.reference.viterbi import best_labels

__all__ = ["DualResult", "dual_ascent", "stretches"]

NOTHING = 1e-12
TIE = 1e-9
"""Values nearer than this are equal, and the earlier stretch wins: steps make ties."""
MOST_SWEEPS = 50


@dataclass
class Stretch:
    """Wrong labels from token `first` on, and their share of the dual."""

    first: int
    labels: tuple[int, ...]
    delta: FloatArray
    share: float = 0.0
    asleep: bool = False

    @property
    def end(self) -> int:
        return self.first + len(self.labels)

    @property
    def covers(self) -> slice:
        return slice(self.first, self.end + 1)

    def value(self, w: FloatArray) -> float:
        return len(self.labels) - float(w @ self.delta)


@dataclass(frozen=True)
class DualResult:
    """Weights of least objective, and each pass's objective and gap."""

    weights: FloatArray
    objective: list[float] = field(default_factory=list)
    gap: list[float] = field(default_factory=list)


def stretches(guess: IntArray, gold: IntArray) -> list[tuple[int, tuple[int, ...]]]:
    """Return the stretches of wrong labels: first token and labels.

    Examples
    --------
    >>> stretches(np.array([1, 0, 2, 2, 0]), np.array([0, 0, 0, 0, 0]))
    [(0, (1,)), (2, (2, 2))]
    """
    runs: list[tuple[int, tuple[int, ...]]] = []
    for t in np.flatnonzero(guess != gold).tolist():
        if runs and runs[-1][0] + len(runs[-1][1]) == t:
            runs[-1] = (runs[-1][0], (*runs[-1][1], int(guess[t])))
        else:
            runs.append((t, (int(guess[t]),)))
    return runs


class _Sentence:
    """The stretches of one sentence, and the steps of their shares."""

    def __init__(self, layout: GlobalMap, X: FloatArray, gold: IntArray, C: float) -> None:
        self.layout, self.X, self.gold, self.C = layout, X, gold, C
        self.kept: list[Stretch] = []

    def decode(self, w: FloatArray) -> tuple[float, IntArray]:
        chain = self.layout.chain(self.X, w).augmented(self.gold)
        guess = best_labels(chain)
        return max(0.0, chain.score(guess) - chain.score(self.gold)), guess

    def admit(self, guess: IntArray) -> None:
        met = {(one.first, one.labels) for one in self.kept}
        for one in self.kept:
            one.asleep = False
        for first, labels in stretches(guess, self.gold):
            if (first, labels) in met:
                continue
            other = self.gold.copy()
            other[first : first + len(labels)] = labels
            delta = self.layout.phi(self.X, self.gold) - self.layout.phi(self.X, other)
            self.kept.append(Stretch(first, labels, delta))
        self.kept.sort(key=lambda one: (one.first, one.labels))

    def visit(self, w: FloatArray) -> None:
        """Take a step for every stretch that is awake; changes w."""
        if all(one.asleep for one in self.kept):
            return
        self.load = np.zeros(len(self.gold) + 1)
        for one in self.kept:
            self.load[one.covers] += one.share
        for one in self.kept:
            if not one.asleep:
                self.step(one, w)
        if self.load.max() > 1 - NOTHING:
            self.turn(w)

    def step(self, one: Stretch, w: FloatArray) -> None:
        value, curve = one.value(w), self.C * float(one.delta @ one.delta)
        one.asleep = value <= 0 and one.share == 0
        if one.asleep or abs(value) < NOTHING:
            return
        amount = max(value / curve, -one.share) if curve > 0 else 1.0
        room = 1 - self.load[one.covers].max()
        if amount > 0 and room < NOTHING:
            self.exchange(one, value, w)
            return
        self.move([one], [min(amount, room) if amount > 0 else amount], w)

    def exchange(self, up: Stretch, value: float, w: FloatArray) -> None:
        donors: list[Stretch] = []
        freed = up.first
        for t in range(up.first, up.end + 1):
            if t < freed or 1 - self.load[t] >= NOTHING:
                continue
            worst, least = up, np.inf
            for one in self.kept:
                covers = one.share > 0 and one.first <= t <= one.end
                if covers and one.value(w) < least - TIE:
                    worst, least = one, one.value(w)
            if worst is up:
                return
            donors.append(worst)
            freed = worst.end + 1
        gain = value - sum(one.value(w) for one in donors)
        if gain <= NOTHING:
            return
        load = self.load.copy()
        for one in donors:
            load[one.covers] -= 1
        most = min([1 - load[up.covers].max(), *(one.share for one in donors)])
        direction = up.delta - sum(one.delta for one in donors)
        curve = self.C * float(direction @ direction)
        amount = gain / curve if gain < curve * most else most
        self.move([up, *donors], [amount] + [-amount] * len(donors), w)

    def turn(self, w: FloatArray) -> None:
        chosen = self.best_set([one.value(w) for one in self.kept])
        changes = [float(k in chosen) - one.share for k, one in enumerate(self.kept)]
        gain = sum(c * one.value(w) for c, one in zip(changes, self.kept, strict=True))
        if gain <= 0:
            return
        direction = sum(c * one.delta for c, one in zip(changes, self.kept, strict=True))
        curve = self.C * float(np.sum(np.square(direction)))
        amount = gain / curve if gain < curve else 1.0
        self.move(self.kept, [amount * c for c in changes], w)

    def best_set(self, value: list[float]) -> set[int]:
        """Return the places of the stretches whose labelling has the largest value."""
        n = len(self.gold)
        best: list[tuple[float, set[int]]] = [(0.0, set())] * (n + 2)
        for t in range(n - 1, -1, -1):
            best[t] = best[t + 1]
            for k, one in enumerate(self.kept):
                if one.first == t and value[k] + best[one.end + 1][0] > best[t][0] + TIE:
                    best[t] = value[k] + best[one.end + 1][0], best[one.end + 1][1] | {k}
        return best[0][1]

    def move(self, kept: list[Stretch], amounts: list[float], w: FloatArray) -> None:
        for one, amount in zip(kept, amounts, strict=True):
            one.share = max(0.0, one.share + amount)
            self.load[one.covers] += amount
            w += self.C * amount * one.delta


def dual_ascent(
    layout: GlobalMap,
    sentences: Sequence[FloatArray],
    tags: Sequence[IntArray],
    *,
    C: float = 1.0,
    n_passes: int = 10,
    orders: Orders = None,
) -> DualResult:
    """Train the structured SVM.

    Examples
    --------
    >>> layout = GlobalMap(1, 2, start=False, stop=False)
    >>> result = dual_ascent(layout, [np.array([[1.0], [0.0]])], [np.array([0, 1])], n_passes=2)
    >>> result.weights
    array([ 0.25, -0.25, -0.5 ,  0.5 ,  0.  ,  0.  ])
    >>> result.gap[-1]
    0.0
    """
    layout.check(sentences, tags)
    work = [_Sentence(layout, X, y, C) for X, y in zip(sentences, tags, strict=True)]
    w = np.zeros(layout.size)
    order = example_sequence(len(work), n_passes, orders).reshape(n_passes, len(work))
    guesses: list[IntArray] = []
    least, best = np.inf, w.copy()
    result = DualResult(best)
    for number, places in enumerate(order.tolist()):
        for i in places:
            work[i].admit(guesses[i] if number else work[i].decode(w)[1])
            work[i].visit(w)
        for _ in range(min(2 * (number + 1), MOST_SWEEPS)):
            for i in places:
                work[i].visit(w)
        losses, guesses = map(list, zip(*(one.decode(w) for one in work), strict=True))
        objective = 0.5 * float(w @ w) + C * float(sum(losses))
        if objective < least:
            least, best[:] = objective, w
        wrong = sum(one.share * len(one.labels) for s in work for one in s.kept)
        result.objective.append(objective)
        result.gap.append(max(0.0, least - (C * wrong - 0.5 * float(w @ w))))
    return result
