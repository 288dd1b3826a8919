"""What a filter did with many files, and what it would do, by the sketches of their scores."""

from __future__ import annotations

from dataclasses import dataclass, replace

from linnet.scale.filtering.score_sketch import ScoreSketch
from linnet.scale.filtering.scores import Top
from linnet.scale.filtering.tally import Tally
from linnet.scale.filtering.work import FilteredPart

__all__ = ["Filtered", "estimated"]


@dataclass(frozen=True)
class Filtered:
    """What :func:`filter_parts` did.

    Attributes
    ----------
    parts : list of FilteredPart
        In the order of the files, without those that were there already.
    passed_over : int
        How many those are.
    rules : list of str
    classes : list of str
    score : str or None
        The label whose probability is the score.
    threshold : float or None
        With ``keep_top``, the lowest score that is kept, over all rows of all files.
    wanted : int or None
        With ``keep_top`` and ``dry_run``, how many rows were asked for: the threshold is then an
        estimate, and the rows that reach it, which are counted, are a few more.
    """

    parts: list[FilteredPart]
    passed_over: int
    rules: list[str]
    classes: list[str]
    score: str | None = None
    threshold: float | None = None
    wanted: int | None = None

    @property
    def total(self) -> Tally:
        """All files together."""
        total = Tally(self.classes)
        for part in self.parts:
            total.merge(part.tally)
        return total

    @property
    def n_bad(self) -> int:
        """How many rows were left out."""
        return sum(part.n_bad for part in self.parts)

    @property
    def bad(self) -> list[str]:
        """What was wrong with the first of them."""
        return [text for part in self.parts for text in part.bad]


def estimated(filtered: Filtered, top: Top) -> Filtered:
    """Return what would be kept of each file, by the sketches of their scores."""
    whole = ScoreSketch()
    sketches = [part.sketch or ScoreSketch() for part in filtered.parts]
    for sketch in sketches:
        whole.merge(sketch)
    if not len(whole):
        return filtered
    wanted = top.of(len(whole))
    threshold = whole.reach(wanted).score
    parts = []
    for part, sketch in zip(filtered.parts, sketches, strict=True):
        kept = sketch.reaching(threshold)
        tally = Tally(filtered.classes, [len(sketch) - kept, kept])
        parts.append(replace(part, tally=tally, sketch=None))
    return replace(filtered, parts=parts, threshold=threshold, wanted=wanted)
