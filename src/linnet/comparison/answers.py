"""What a comparison keeps for its report: every answer, how sure it was, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.comparison.given import Split, Tagged
from linnet.comparison.outcome import Outcome
from linnet.comparison.reasons import MISTAKES, Why, spelled
from linnet.data.rows import RowTable
from linnet.model.fitting.reading import rows_of
from linnet.model.readers.tokens import read_tokens

__all__ = ["Answers", "LearnerAnswers", "kept"]


@dataclass(frozen=True)
class LearnerAnswers:
    """The answers of one learner to all test units of all splits.

    `sure` and `hit` have one entry an example or a token: the probability of the most probable
    label and whether that was right; None where there are no probabilities. `why` is None unless
    explanations were asked for.
    """

    guess: list[Any]
    sure: NDArray[np.float64] | None
    hit: NDArray[np.bool_] | None
    why: Why | None


@dataclass(frozen=True)
class Answers:
    """The truth and each learner's answers; `parts` are the test examples of the splits."""

    gold: list[Any]
    parts: list[Any]
    learners: dict[str, LearnerAnswers]

    @property
    def tagged(self) -> bool:
        """Whether the units are sentences with tags."""
        return isinstance(self.gold[0], list)

    def examples(self, rows: list[int]) -> list[str]:
        """Return some test examples of single labels as lines that people can read."""
        found = []
        starts = np.cumsum([0, *(_length(part) for part in self.parts)])
        for row in rows:
            at = int(np.searchsorted(starts, row, side="right")) - 1
            [one] = _listed(rows_of(self.parts[at], np.array([row - starts[at]])))
            found.append(spelled(one))
        return found

    def words(self) -> list[list[str]]:
        """Return the words of all sentences."""
        return [words for part in self.parts for words in read_tokens(part).words()]


def kept(splits: list[Split], gold: list[list[Any]], outcomes: dict[str, list[Outcome]]) -> Answers:
    """Return the answers on all splits, one below the other."""
    tagged = isinstance(splits[0].test, Tagged)
    parts = [one.test.sentences if tagged else one.test.X for one in splits]
    starts = np.cumsum([0, *map(len, gold)]).tolist()
    return Answers(
        gold=[unit for part in gold for unit in part],
        parts=parts,
        learners={name: _pooled(found, starts) for name, found in outcomes.items()},
    )


def _pooled(found: list[Outcome], starts: list[int]) -> LearnerAnswers:
    sure = [one.sure for one in found if one.sure is not None]
    hit = [one.hit for one in found if one.hit is not None]
    whole = len(sure) == len(hit) == len(found)
    return LearnerAnswers(
        guess=[unit for one in found for unit in one.guess],
        sure=np.concatenate(sure) if whole else None,
        hit=np.concatenate(hit) if whole else None,
        why=_merged([one.why for one in found], starts),
    )


def _merged(parts: list[Why | None], starts: list[int]) -> Why | None:
    """Return the features of the last split and the surest mistakes of all."""
    there = [(part, start) for part, start in zip(parts, starts, strict=False) if part is not None]
    if not there:
        return None
    mistakes = [replace(m, row=m.row + start) for part, start in there for m in part.mistakes]
    mistakes.sort(key=lambda m: -m.probability if m.probability is not None else 0.0)
    return Why(there[-1][0].features, tuple(mistakes[:MISTAKES]))


def _length(part: Any) -> int:
    return int(part.shape[0]) if hasattr(part, "shape") else len(part)


def _listed(found: Any) -> list[Any]:
    """Return a selection of one example as a list."""
    if hasattr(found, "toarray"):
        return [found]
    if isinstance(found, RowTable):
        return list(found.rows())
    return list(found.to_numpy() if hasattr(found, "to_numpy") else found)
