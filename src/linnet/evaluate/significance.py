"""Is one model better than another, or was it luck? Three tests.

Models a and b answered the same n units (rows or sentences). With d = score(a) − score(b), the null
hypothesis says that a and b are equally good.

*McNemar.* Only rows on which one is right and the other wrong tell them apart: `a_only` and
`b_only` in number. Under the null hypothesis a_only ~ Binomial(a_only + b_only, ½), and the exact
p-value is min(1, 2 · P(Binomial ≤ min(a_only, b_only))). For accuracy only.

*Approximate randomisation.* If a and b are alike, their answers to a unit may be exchanged. Each
round exchanges each unit's answers with probability ½ and gives a difference d*;

    p = (1 + #{|d*| ≥ |d|}) / (1 + rounds).

*Paired bootstrap.* Each round draws n units with replacement and gives a difference d*, whose
spread about d is that of d about the truth: p = (1 + #{|d* − d| ≥ |d|}) / (1 + rounds). The
quantiles of d* bound the difference. A few units all of one opinion have no spread, whatever the
truth; so p is at least 2^(1 − m), the least an exchange of the m units that tell a and b apart
can give.

Exchanging and drawing act on numbers of units of equal counts (:mod:`linnet.evaluate.unit_counts`):
for accuracy 10,000 rounds take milliseconds, for the F1 of thousands of sentences a second or two.
The same seed gives the same answer. Any score will do; one that is no function of sums is called
once a round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError, ParameterError
from linnet.evaluate.intervals import check_share, generator, quantiles
from linnet.evaluate.metrics import wilson_interval
from linnet.evaluate.rounds import scores_by_chance
from linnet.evaluate.unit_counts import Metric, UnitCounts, metric_name, unit_counts

__all__ = [
    "PairedTest",
    "approximate_randomisation",
    "corrected",
    "mcnemar",
    "paired_bootstrap",
]

Floats = NDArray[np.float64]
_SAME = 1e-12  # differences closer than this are equal


@dataclass(frozen=True)
class PairedTest:
    """How two models differ on the same units.

    Attributes
    ----------
    test : {"mcnemar", "approximate_randomisation", "paired_bootstrap"}
    scores : (float, float)
        Of a and of b.
    difference : float
        The score of a less that of b.
    p : float
        Probability of a difference at least as large, in either direction, between equals.
    interval : (float, float) or None
        Of the difference, at `level`.
    level : float
    n : int
        Number of units.
    rounds : int or None
        None for a test without chance.
    """

    test: str
    scores: tuple[float, float]
    difference: float
    p: float
    n: int
    interval: tuple[float, float] | None = None
    level: float = 0.95
    rounds: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values for JSON."""
        bounds = None if self.interval is None else list(self.interval)
        return asdict(self) | {"scores": list(self.scores), "interval": bounds}


def mcnemar(
    gold: Sequence[Any],
    a: Sequence[Any],
    b: Sequence[Any],
    *,
    exact: bool = True,
    level: float = 0.95,
) -> PairedTest:
    """Test whether two classifiers have the same accuracy.

    Parameters
    ----------
    gold, a, b : sequences of n labels
        The truth and what the classifiers said; None is no answer.
    exact : bool
        Use the binomial distribution. False takes χ² with continuity correction instead,
        (|a_only − b_only| − 1)² / (a_only + b_only), as textbooks print it.
    level : float
        Of the interval of the difference, which is Bonett and Price's: Wald's after one more
        disagreement each way.

    Examples
    --------
    >>> gold = ["x"] * 10
    >>> test = mcnemar(gold, ["x"] * 9 + ["y"], ["x"] * 3 + ["y"] * 7)
    >>> round(test.difference, 2), test.p
    (0.6, 0.03125)
    """
    check_share(level)
    if len(gold) and isinstance(gold[0], (list, tuple)):
        raise DataError(
            "McNemar's test is for single labels; test sentences with approximate_randomisation"
        )
    right_a, right_b = map(_right, unit_counts(gold, [a, b], "accuracy"))
    n = len(right_a)
    a_only, b_only = int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum())
    scores = float(right_a.mean()), float(right_b.mean())
    return PairedTest(
        "mcnemar",
        scores,
        (a_only - b_only) / n,
        discordance_p(a_only, b_only, exact),
        n,
        _bonett_price(a_only, b_only, n, level),
        level,
    )


def approximate_randomisation(
    gold: Sequence[Any],
    a: Sequence[Any],
    b: Sequence[Any],
    metric: Metric = "accuracy",
    rounds: int = 10_000,
    seed: int = 0,
) -> PairedTest:
    """Test whether two models have the same score, by exchanging their answers at random.

    Parameters
    ----------
    gold, a, b : sequences of n units
        The truth and the models' answers: a label a row; a list of tags a sentence (the unit is
        then the sentence); or a set of labels a row.
    metric : {"accuracy", "macro_f1", "micro_f1", "chunk_f1"} or function
        A function takes the truth and the answers and returns a number. The accuracy of
        sentences is that of their tokens; that of sets counts sets that are exactly right.
    rounds : int
        The least p-value is 1 / (1 + rounds).
    seed : int
        The same seed gives the same p-value.

    Examples
    --------
    >>> gold = [["B-NP", "I-NP"], ["B-NP", "O"], ["O", "B-NP"]] * 10
    >>> bad = [["B-NP", "I-NP"], ["O", "O"], ["O", "B-NP"]] * 10
    >>> test = approximate_randomisation(gold, gold, bad, "chunk_f1", rounds=999)
    >>> round(test.difference, 2), test.p < 0.01
    (0.2, True)
    """
    pair, rng = scores_by_chance(gold, metric, a, b), generator(rounds, seed)
    score_a, score_b = pair.observed()
    difference = score_a - score_b
    p = _share_beyond(pair.exchanged(rng, rounds), difference)
    name = "approximate_randomisation"
    return PairedTest(name, (score_a, score_b), difference, p, len(gold), rounds=rounds)


def paired_bootstrap(
    gold: Sequence[Any],
    a: Sequence[Any],
    b: Sequence[Any],
    metric: Metric = "accuracy",
    rounds: int = 10_000,
    seed: int = 0,
    *,
    level: float = 0.95,
) -> PairedTest:
    """Test whether two models have the same score, and bound the difference, by the bootstrap.

    Takes what :func:`approximate_randomisation` takes, and the `level` of the interval. Where all
    resamples give the same difference, the interval leaves open what the share of units that
    Wilson's interval for n of n leaves open could change.

    Examples
    --------
    >>> gold = list("xxxxxxxxxx") * 20
    >>> test = paired_bootstrap(gold, gold, list("xxxxxxxxxy") * 20)
    >>> round(test.difference, 2), test.p < 0.001, test.interval[0] > 0.05
    (0.1, True, True)
    """
    check_share(level)
    pair, rng = scores_by_chance(gold, metric, a, b), generator(rounds, seed)
    drawn = pair.resampled(rng, rounds)
    score_a, score_b = pair.observed()
    difference = score_a - score_b
    least = 2.0 ** (1 - max(pair.apart, 1))
    p = max(least, _share_beyond(drawn - difference, difference))
    bounds = quantiles(drawn, level)
    if bounds[0] == bounds[1] and metric_name(metric) is not None:
        bounds = _unseen_spread(difference, len(gold), level)
    scores = score_a, score_b
    return PairedTest("paired_bootstrap", scores, difference, p, len(gold), bounds, level, rounds)


def corrected(p_values: ArrayLike, method: str = "holm") -> Floats:
    """Correct p-values for having made several comparisons.

    Parameters
    ----------
    p_values : array of shape (m,)
    method : {"holm", "bonferroni", "benjamini_hochberg"}
        Rejecting where the result is at most α keeps the probability of any false rejection
        below α (the first two; Holm rejects whatever Bonferroni does), or the expected share of
        false rejections among all (Benjamini and Hochberg).

    Examples
    --------
    >>> corrected([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise DataError("p-values must be a list of numbers between 0 and 1")
    m = len(p)
    if method == "bonferroni":
        return np.minimum(p * m, 1.0)
    order = np.argsort(p, kind="stable")
    if method == "holm":
        ranked = np.maximum.accumulate(p[order] * np.arange(m, 0, -1))
    elif method == "benjamini_hochberg":
        steps = p[order] * m / np.arange(1, m + 1)
        ranked = np.minimum.accumulate(steps[::-1])[::-1]
    else:
        known = "holm, bonferroni or benjamini_hochberg"
        raise ParameterError(f"method must be {known}, got {method!r}")
    answer = np.empty(m)
    answer[order] = np.minimum(ranked, 1.0)
    return answer


def _right(counts: UnitCounts) -> NDArray[np.bool_]:
    """Tell which units are right: those of the kind that has hits, if there is one."""
    right = np.flatnonzero(counts.rows.toarray()[:, 0])
    return np.isin(counts.kind, right[:1])


def discordance_p(a_only: int, b_only: int, exact: bool = True) -> float:
    """Return McNemar's p where each of two classifiers alone is right so many times.

    Examples
    --------
    >>> discordance_p(6, 0)
    0.03125
    """
    from scipy.special import bdtr, chdtrc

    total = a_only + b_only
    if not total:
        return 1.0
    if exact:
        return min(1.0, 2.0 * float(bdtr(min(a_only, b_only), total, 0.5)))
    return float(chdtrc(1, max(abs(a_only - b_only) - 1, 0) ** 2 / total))


def _bonett_price(a_only: int, b_only: int, n: int, level: float) -> tuple[float, float]:
    z = NormalDist().inv_cdf((1 + level) / 2)
    share_a, share_b = (a_only + 1) / (n + 2), (b_only + 1) / (n + 2)
    middle = share_a - share_b
    half = z * sqrt((share_a + share_b - middle**2) / (n + 2))
    return max(-1.0, middle - half), min(1.0, middle + half)


def _unseen_spread(difference: float, n: int, level: float) -> tuple[float, float]:
    rest = 1.0 - wilson_interval(n, n, level)[0]
    return (1 - rest) * difference - rest, (1 - rest) * difference + rest


def _share_beyond(drawn: Floats, difference: float) -> float:
    beyond = int((np.abs(drawn) >= abs(difference) - _SAME).sum())
    return (1 + beyond) / (1 + len(drawn))
