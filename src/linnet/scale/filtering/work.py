"""What a filter does with one file: it is the same on this machine and on a worker of a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from linnet.data.examples import stream_examples
from linnet.data.hidden import BadRows
from linnet.data.limits import line_limit
from linnet.errors import ParameterError
from linnet.learn.shared.known import imported_class
from linnet.model.checks import check_kind
from linnet.scale.filtering import copying
from linnet.scale.filtering.columns import Column
from linnet.scale.filtering.rules import Judge, parse_rule
from linnet.scale.filtering.score_sketch import ScoreSketch, SketchingJudge
from linnet.scale.filtering.scores import StoredJudge, score_name, write_scores
from linnet.scale.filtering.tally import LENGTH, Tally, length_bins
from linnet.scale.loading import loaded_model
from linnet.stream.parts import Part, state_of

__all__ = ["FilterWork", "FilteredPart"]


@dataclass(frozen=True)
class FilteredPart:
    """What was kept of one file."""

    source: str
    tally: Tally
    seconds: float
    n_bad: int = 0
    bad: list[str] = field(default_factory=list)
    sketch: ScoreSketch | None = None


@dataclass(frozen=True)
class FilterWork:
    """What is done with one file; it travels to the workers of a cluster."""

    model: Any
    keep: tuple[str, ...]
    drop: tuple[str, ...]
    any_rule: bool
    score: str | None
    add_score: str | None
    scores_only: bool
    ids: str | None
    audit_by: tuple[str, ...]
    reading: dict[str, Any]
    skip_bad: int
    dry_run: bool
    n_threads: int | None
    learner: str | None
    limit: int
    scored: Path | None = None  # the folder of score files, with the threshold for them
    threshold: float | None = None
    sketched: bool = False  # scores are counted and no rows are kept

    def __call__(
        self, part: Part, bad: BadRows | None = None, watch: Callable[[int], None] | None = None
    ) -> FilteredPart:
        """Filter the source of a part into its targets."""
        began, bad = perf_counter(), BadRows(self.skip_bad) if bad is None else bad
        before, told = len(bad), len(bad.errors)
        sketch = ScoreSketch() if self.sketched else None
        with line_limit(self.limit), bad.left_out():
            tally = self._filter(part, watch or (lambda n: None), sketch)
        errors = [str(error) for error in bad.errors[told:]]
        seconds, n_bad = perf_counter() - began, len(bad) - before
        return FilteredPart(part.source, tally, seconds, n_bad, errors, sketch)

    def wishes(self) -> dict[str, Any]:
        """Return what the outputs depend on beside the files, for the journal."""
        there = isinstance(self.model, str) and os.path.exists(self.model)
        return {
            "verb": "filter",
            "model": state_of(self.model) if there else str(self.model),
            "keep": [self.keep, self.drop, self.any_rule, self.skip_bad],
            "scores": [self.score, self.add_score, self.scores_only, self.ids],
            "reading": self.reading,
        }

    def judge(self) -> Judge:
        """Return who decides, with the model of this process."""
        model = self.model
        if isinstance(model, str):
            if self.learner is not None:
                imported_class(self.learner)
            model = loaded_model(os.path.abspath(model), self.n_threads)
        labels = [str(label) for label in model.classes_]
        return Judge(
            model,
            [parse_rule(rule, labels) for rule in self.keep],
            self.any_rule,
            [parse_rule(rule, labels, "--drop") for rule in self.drop],
            self.score,
        )

    def natural_score(self, keep_top: str | None) -> str | None:
        """Return the label whose probability is the score where none is named."""
        if keep_top is None and self.add_score is None and not self.scores_only:
            return None
        judge = self.judge()
        labels = {rule.label for rule in judge.rules} or set(judge.classes)
        if len(labels) != 1:
            raise ParameterError(
                "name the label whose probability is the score (--score LABEL), one of "
                f"{', '.join(judge.classes[:20])}"
            )
        return labels.pop()

    def _filter(
        self, part: Part, watch: Callable[[int], None], sketch: ScoreSketch | None
    ) -> Tally:
        judge: Any = self.judge()
        source, audited = Path(part.source), None
        if self.audit_by:
            audited = partial(self._groups, part.source)
        blocks = self._blocks(part.source, judge.model)
        if sketch is not None:
            judge = SketchingJudge(judge, sketch)
        if self.scored is not None:
            file = self.scored / score_name(part.source)
            judge = StoredJudge(file, self.threshold or 0.0, judge.classes)
        if self.scores_only and not self.dry_run:
            ids = None if self.ids is None else partial(self._column, part.source, self.ids)
            return write_scores(
                source, blocks, judge, part.targets[0], watch, ids=ids, audited=audited
            )
        kept, *rest = part.targets
        outputs = (None, None) if self.dry_run else (rest[0] if rest else None, kept)
        return copying.filter_file(
            source, blocks, judge, outputs, watch, audited=audited, add_score=self.add_score
        )

    def _blocks(self, source: str, model: Any) -> Iterator[Any]:
        """Yield the examples of a file, of the kind that the model was trained on."""
        settings: dict[str, Any] = {
            "labels": False,
            "nulls": "empty",
            "block_bytes": copying.BLOCK_BYTES,
        }
        if model.kind == "columns":
            settings["columns"] = model.reader.holds
        for block in stream_examples(source, **settings, **self.reading):
            check_kind(model, str(self.model), block, source)
            yield block

    def _column(self, source: str, name: str, first: Any) -> Column:
        return Column(source, name, first.format, self.reading)

    def _groups(self, source: str, first: Any) -> copying.Groups:
        """Return what gives the groups of the rows of each block, one after the other."""
        columns = {
            name: self._column(source, name, first) for name in self.audit_by if name != LENGTH
        }

        def groups(lengths: Any) -> dict[str, list[str]]:
            return {
                name: columns[name].take(len(lengths)) if name in columns else length_bins(lengths)
                for name in self.audit_by
            }

        return groups
