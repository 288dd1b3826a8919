"""A label for each example: texts, bags, vectors and rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from linnet.errors import DataError
from linnet.serve.forms import Form
from linnet.serve.kinds import Asked, Kind, encoded

__all__ = ["Labels"]

_PLAIN = Asked()


@dataclass
class _Judged:
    """What the model says about a block: the verdict, and its columns as lists."""

    verdict: Any
    best: list[int]
    sure: list[float]


class Labels(Kind):
    """A label for each example; or several, where the model gives several."""

    verb = "predict"
    options: ClassVar = {
        "top": {"type": "integer", "minimum": 1, "maximum": 1000},
        "probabilities": {"type": "boolean"},
        "abstain": {"type": "number", "minimum": 0, "maximum": 1},
    }

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self._plain = not model.multilabel and model.abstain is None
        self._spelled = list(map(encoded, self.labels))

    def lane(self, form: Form, asked: Asked) -> Any:
        """Return nothing: all options are seen to after the model was asked."""
        return None

    def ask(self, form: Form, examples: Any, asked: Asked) -> _Judged:
        """Judge the examples."""
        verdict = self.model.judge(examples)
        return _Judged(verdict, verdict.best.tolist(), verdict.sure.tolist())

    def answers(self, result: _Judged, first: int, last: int, asked: Asked) -> list[dict[str, Any]]:
        """Return labels and probabilities; the label is null where the model abstains."""
        if asked.abstain is not None or not self._plain:
            answers = self._seldom(result, first, last, asked)
        else:
            names = self.labels
            answers = [
                {"label": names[k], "probability": p}
                for k, p in zip(result.best[first:last], result.sure[first:last], strict=True)
            ]
        if asked.top is not None:
            best, shares = (part.tolist() for part in _cut(result, first, last).top(asked.top))
            for answer, labels, row in zip(answers, best, shares, strict=True):
                answer["top"] = [
                    {"label": label, "probability": p} for label, p in zip(labels, row, strict=True)
                ]
        if asked.probabilities:
            table = result.verdict.probability[first:last].tolist()
            names = list(map(str, self.labels))
            for answer, row in zip(answers, table, strict=True):
                answer["probabilities"] = dict(zip(names, row, strict=True))
        return answers

    def spelled(self, result: _Judged, first: int, last: int, asked: Asked) -> list[str]:
        """Return the answers as JSON; labels alone are spelled here, as an encoder takes longer."""
        if asked != _PLAIN or not self._plain:
            return super().spelled(result, first, last, asked)
        names = self._spelled
        rows = zip(result.best[first:last], result.sure[first:last], strict=True)
        return [f'{{"label":{names[k]},"probability":{p!r}}}' for k, p in rows]

    def _seldom(self, result: _Judged, first: int, last: int, asked: Asked) -> list[dict[str, Any]]:
        """Return the answers where there may be none, or several."""
        verdict = _cut(result, first, last)
        if self.model.multilabel:
            if asked.abstain is not None:
                raise DataError("the model gives any number of labels, so it never abstains")
            number = {label: k for k, label in enumerate(self.labels)}
            table = verdict.probability.tolist()
            return [
                {"labels": labels, "probability": [row[number[label]] for label in labels]}
                for labels, row in zip(verdict.labels.tolist(), table, strict=True)
            ]
        if asked.abstain is not None:
            verdict = replace(verdict, decision=replace(verdict.decision, abstain=asked.abstain))
        silent = verdict.abstained.tolist()
        rows = zip(verdict.best.tolist(), verdict.sure.tolist(), silent, strict=True)
        return [{"label": None if no else self.labels[k], "probability": p} for k, p, no in rows]

    def counts(self, result: _Judged) -> dict[str, int]:
        """Return how often each label was the answer, before any abstaining."""
        if self.model.multilabel:
            times = (result.verdict.scores >= 0).sum(axis=0)
        else:
            times = np.bincount(result.verdict.best, minlength=len(self.labels))
        return {str(self.labels[k]): int(times[k]) for k in np.flatnonzero(times).tolist()}

    def columns(self, result: _Judged, asked: Asked) -> dict[str, Any]:
        """Return a column of labels and one of probabilities, and those that are asked for."""
        answers = self.answers(result, 0, len(result.best), asked)
        name = "labels" if self.model.multilabel else "label"
        columns = {part: [answer[part] for answer in answers] for part in (name, "probability")}
        if asked.top is not None:
            columns["top"] = [answer["top"] for answer in answers]
        if asked.probabilities:
            shares = result.verdict.probability
            columns |= {f"p:{label}": shares[:, k] for k, label in enumerate(self.labels)}
        return columns


def _cut(result: _Judged, first: int, last: int) -> Any:
    """Return the verdict on some of the examples."""
    whole = result.verdict
    if first == 0 and last == len(result.best):
        return whole
    parts = (whole.scores, whole.probability, whole.best)
    return type(whole)(whole.decision, *(part[first:last] for part in parts))
