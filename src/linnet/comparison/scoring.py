"""From the answers on all splits to one row a learner and one test a pair."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from linnet.comparison.outcome import Outcome, score_of
from linnet.comparison.repeats import mean_interval, of_repeats, united_test
from linnet.comparison.result import LearnerScore, PairTest
from linnet.comparison.rounds import Board, Curve
from linnet.evaluate.calibration import calibrate
from linnet.evaluate.intervals import ScoreInterval, bootstrap_interval
from linnet.evaluate.significance import approximate_randomisation, corrected, mcnemar

__all__ = ["paired", "scored"]


def scored(
    name: str,
    learner: Any,
    metric: str,
    gold: list[list[Any]],
    found: list[Outcome],
    curves: list[Curve],
    seed: int,
    repeats: int = 1,
    groups: list[list[Any]] | None = None,
) -> LearnerScore:
    """Return the row of a learner from its outcome on each split."""
    truth, answers = _pooled(gold), _pooled([one.guess for one in found])

    def interval_of(guess: list[list[Any]]) -> ScoreInterval:
        units = (of_repeats(part, repeats, groups or ()) for part in (gold, guess))
        pairs = zip(*units, strict=True)
        return mean_interval([bootstrap_interval(a, b, metric, seed=seed) for a, b in pairs])

    def scores_of(guess: list[list[Any]]) -> list[float]:
        return [score_of(part, own, metric) for part, own in zip(gold, guess, strict=True)]

    interval = interval_of([one.guess for one in found])
    sizes, points = _points(curves)
    flat = not isinstance(truth[0], list)
    peaks = [one.training.peak_bytes for one in found]
    optima = [one.optimality for one in found if one.optimality is not None]
    return LearnerScore(
        name=name,
        score=interval.score,
        interval=(interval.low, interval.high),
        accuracy=score_of(truth, answers, "accuracy"),
        macro_f1=score_of(truth, answers, "macro_f1") if flat else None,
        calibration_error=_calibration_error(found),
        train_seconds=sum(one.training.seconds for one in found),
        predict_seconds=sum(one.predicting.seconds for one in found),
        peak_bytes=None if None in peaks else max(peak or 0 for peak in peaks),
        model_bytes=max(one.model_bytes for one in found),
        parameters=found[-1].parameters,
        optimality=max(optima, default=None),
        splits=tuple(scores_of([one.guess for one in found])),
        curve=tuple(
            (n, float(np.mean(scores_of(guess)))) for n, guess in zip(sizes, points, strict=True)
        ),
        curve_intervals=tuple((own.low, own.high) for own in map(interval_of, points)),
        properties=dict(getattr(learner, "properties", {})),
        tuned=tuple(dict.fromkeys(name for one in found for name in one.tuned)),
        features=found[-1].features,
    )


def _pooled(parts: Sequence[Sequence[Any]]) -> list[Any]:
    return [unit for part in parts for unit in part]


def _calibration_error(found: list[Outcome]) -> float | None:
    """Return the expected calibration error of all answers; None if some have no probability."""
    sure = [one.sure for one in found if one.sure is not None]
    hit = [one.hit for one in found if one.hit is not None]
    if len(sure) < len(found) or len(hit) < len(found):
        return None
    column = np.where(np.concatenate(hit), 0, -1)  # one column: the most probable label's
    return calibrate(np.concatenate(sure)[:, None], column).error


def _points(curves: list[Curve]) -> tuple[list[int], list[list[list[Any]]]]:
    """Return the mean sizes of the points that all splits have, and the answers of the splits."""
    columns = list(zip(*curves, strict=False))  # up to the shortest
    sizes = [round(float(np.mean([n for n, _ in column]))) for column in columns]
    return sizes, [[guess for _, guess in column] for column in columns]


def paired(
    ranking: list[str], board: Board, seed: int, repeats: int = 1
) -> tuple[str, tuple[PairTest, ...]]:
    """Return the name of the test, and all pairs with p-values corrected by Holm's method.

    Answers to single labels are compared by McNemar's test; to sentences and to groups of examples
    by approximate randomisation, as tokens of a sentence are not independent.
    """
    truth = of_repeats(board.gold, repeats, board.groups)
    answers = {
        name: of_repeats([one.guess for one in board.outcomes[name]], repeats, board.groups)
        for name in ranking
    }
    flat = not isinstance(truth[0][0], list)
    found = []
    for better, worse in combinations(ranking, 2):
        parts = zip(truth, answers[better], answers[worse], strict=True)
        if flat:
            found.append(united_test([mcnemar(*part) for part in parts]))
        else:
            tests = [approximate_randomisation(*part, board.metric, seed=seed) for part in parts]
            found.append(united_test(tests))
    values = corrected([p for _, p in found]).tolist() if found else []
    names = combinations(ranking, 2)
    pairs = tuple(
        PairTest(better, worse, difference, p, value)
        for (better, worse), (difference, p), value in zip(names, found, values, strict=True)
    )
    return "mcnemar" if flat else "approximate_randomisation", pairs
