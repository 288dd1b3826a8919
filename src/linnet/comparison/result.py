"""What a comparison found: a row for each learner, a test for each pair, and whether one wins.

A learner wins only if it is significantly better than every other one: for each pair the p-value,
corrected by Holm for the number of pairs, is below 0.05. Then the probability of naming a winner
among equals is below 0.05 too.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linnet.comparison.answers import Answers

__all__ = ["LEVEL", "Comparison", "LearnerScore", "PairTest"]

LEVEL = 0.05


@dataclass(frozen=True)
class LearnerScore:
    """What one learner did.

    Attributes
    ----------
    name : str
    score, interval
        The comparison's metric on all test units, and its bootstrap interval at 95 %.
    accuracy, macro_f1 : float or None
        Of texts; of sequences ``accuracy`` is that of tokens and ``macro_f1`` is None.
    calibration_error : float or None
        Expected calibration error of the probabilities, where there are any.
    train_seconds, predict_seconds : float
        Summed over the splits. Features are shared and not counted in training; predicting starts
        from the raw examples.
    peak_bytes : int or None
        By how much the process grew while training; None where the system does not say. Memory
        freed earlier is used again without being seen, so it is a lower bound.
    model_bytes : int
        Size of the model's arrays in a file, the largest of all splits.
    parameters : dict
        What was chosen for this data, such as C; the last split's.
    tuned : tuple of str
        The parameters that were chosen on held-out examples of the training part.
    features : str
        What the learner was given, such as "TF-IDF" or "counts".
    optimality : float or None
        How far training stopped from its optimum; the worst of all splits.
    splits : tuple of float
        The score on each split.
    curve : tuple of (int, float)
        Number of training units and score, where asked for; means over the splits.
    curve_intervals : tuple of (float, float)
        The bootstrap interval at 95 % of each point of the curve.
    properties : mapping
        The learner's row of the lectures' tables (SPEC T-01, T-03).
    """

    name: str
    score: float
    interval: tuple[float, float]
    accuracy: float
    macro_f1: float | None
    calibration_error: float | None
    train_seconds: float
    predict_seconds: float
    peak_bytes: int | None
    model_bytes: int
    parameters: dict[str, Any]
    optimality: float | None
    splits: tuple[float, ...]
    curve: tuple[tuple[int, float], ...] = ()
    curve_intervals: tuple[tuple[float, float], ...] = ()
    properties: Mapping[str, str | int] = field(default_factory=dict)
    tuned: tuple[str, ...] = ()
    features: str = ""


@dataclass(frozen=True)
class PairTest:
    """Two learners, the first with the higher score: the difference and how sure it is.

    ``p`` is the p-value by itself, ``p_corrected`` after Holm's correction for all pairs.
    """

    better: str
    worse: str
    difference: float
    p: float
    p_corrected: float

    @property
    def significant(self) -> bool:
        """Whether the difference is more than luck."""
        return self.p_corrected < LEVEL


@dataclass(frozen=True)
class Comparison:
    """What :func:`linnet.compare` found.

    Attributes
    ----------
    metric : {"accuracy", "chunk_f1"}
    test : {"mcnemar", "approximate_randomisation"}
        The test of pairs.
    rows : tuple of LearnerScore
        Best first; equals stay in the order in which they were asked for.
    pairs : tuple of PairTest
        All pairs, in the order of the rows.
    card : dict
        The data in numbers: kind, examples, labels, splits, baseline.
    skipped : dict
        Learners that take no part or could not be trained on this data, and why.
    seconds : float
        Of the whole comparison.
    answers : Answers or None
        Every learner's answers, for the report; not in :meth:`to_dict`.
    """

    metric: str
    test: str
    rows: tuple[LearnerScore, ...]
    pairs: tuple[PairTest, ...]
    card: dict[str, Any]
    skipped: dict[str, str]
    seconds: float
    answers: Answers | None = field(default=None, repr=False, compare=False)

    @property
    def winner(self) -> str | None:
        """The learner that is significantly better than every other; None if there is none."""
        own = [pair for pair in self.pairs if pair.better == self.rows[0].name]
        won = len(own) == len(self.rows) - 1 and all(pair.significant for pair in own)
        return self.rows[0].name if own and won else None

    @property
    def not_worse(self) -> tuple[str, ...]:
        """The learners that the first one is not significantly better than."""
        first = self.rows[0].name
        return tuple(
            pair.worse for pair in self.pairs if pair.better == first and not pair.significant
        )

    def pair(self, a: str, b: str) -> PairTest:
        """Return the test of two learners, in whatever order they are named."""
        for found in self.pairs:
            if {found.better, found.worse} == {a, b}:
                return found
        raise KeyError(f"no pair of {a!r} and {b!r}")

    def verdict(self) -> str:
        """Return the conclusion as a sentence."""
        from linnet.comparison.table import verdict

        return verdict(self)

    def to_html(self, *, title: str | None = None, command: str | None = None) -> str:
        """Return the comparison as one HTML page that loads nothing else.

        Parameters
        ----------
        title : str, optional
            What was compared, such as the name of the data.
        command : str, optional
            What repeats the comparison; by default the call of :func:`linnet.compare`.

        Examples
        --------
        >>> import linnet
        >>> data = (["good film", "bad film"] * 30, ["pos", "neg"] * 30)
        >>> linnet.compare(data, "nb, svm", explain=True).to_html().startswith("<!doctype html>")
        True
        """
        from linnet.comparison.report.page import page

        return page(self, title, command)

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        title: str | None = None,
        command: str | None = None,
    ) -> None:
        """Write :meth:`to_html` to a file, whole or not at all.

        Strongest features and reasons for mistakes are in it after ``compare(..., explain=True)``.
        """
        from linnet.data import write_atomically

        text = self.to_html(title=title, command=command)
        with write_atomically(path) as out:
            out.write(text)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        rows = []
        for row in self.rows:
            plain = dict(vars(row))
            plain["interval"], plain["splits"] = list(row.interval), list(row.splits)
            for name in ("curve", "curve_intervals"):
                plain[name] = [list(point) for point in plain[name]]
            plain["tuned"] = list(row.tuned)
            rows.append(plain)
        return {
            "metric": self.metric,
            "test": self.test,
            "level": LEVEL,
            "winner": self.winner,
            "not_worse": list(self.not_worse),
            "verdict": self.verdict(),
            "rows": rows,
            "pairs": [{**asdict(pair), "significant": pair.significant} for pair in self.pairs],
            "data": self.card,
            "skipped": self.skipped,
            "seconds": self.seconds,
        }

    def _repr_html_(self) -> str:
        from linnet.comparison.table import as_html

        return as_html(self)

    def __repr__(self) -> str:
        return f"<Comparison on {self.card['n']:,} {self.card['kind']}. {self.verdict()}>"

    def __str__(self) -> str:
        from linnet.comparison.table import readable

        return readable(self)
