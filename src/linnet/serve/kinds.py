"""What a model reads and what it answers, as JSON and as Arrow columns.

There are two kinds of questions, as there are two structures: a label for each example (texts,
bags, vectors, rows) and a tag for each token. All that serves a model is written against `Kind`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from linnet.data.tags import are_chunk_tags, spans
from linnet.errors import DataError
from linnet.serve.forms import FORMS, Form, Options

__all__ = ["Asked", "Kind", "encoded", "kind_of"]


@dataclass(frozen=True)
class Asked:
    """What is wanted beside the answer itself; see the options of a kind."""

    top: int | None = None
    probabilities: bool = False
    abstain: float | None = None
    nbest: int | None = None
    constraints: str | None = "model"


_PLAIN = Asked()
encoded = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Kind:
    """What the service asks of a model.

    Attributes
    ----------
    model : Model
    labels : list of labels or tags, as plain values
    forms : tuple of Form
        In which examples may be given.
    verb : str
        Where it answers: predict or tag.
    options : Options
        What may be wanted there, as JSON Schema.
    """

    verb: ClassVar[str]
    options: ClassVar[Options]

    def __init__(self, model: Any) -> None:
        self.model = model
        self.labels: list[Any] = model.classes_.tolist()
        self.forms: tuple[Form, ...] = FORMS[model.kind]

    def lane(self, form: Form, asked: Asked) -> Any:
        """Return what two requests must agree on to be answered together."""
        raise NotImplementedError

    def ask(self, form: Form, examples: Any, asked: Asked) -> Any:
        """Ask the model about examples; what is returned is cut up by :meth:`answers`."""
        raise NotImplementedError

    def answers(self, result: Any, first: int, last: int, asked: Asked) -> list[dict[str, Any]]:
        """Return the answers to some of the examples as plain values."""
        raise NotImplementedError

    def spelled(self, result: Any, first: int, last: int, asked: Asked) -> list[str]:
        """Return the answers as JSON."""
        return list(map(encoded, self.answers(result, first, last, asked)))

    def counts(self, result: Any) -> dict[str, int]:
        """Return how often each label or tag was predicted."""
        raise NotImplementedError

    def columns(self, result: Any, asked: Asked) -> dict[str, Any]:
        """Return the answers as columns that Arrow takes."""
        raise NotImplementedError

    def explain(self, example: Any, label: Any, top: int | None) -> dict[str, Any]:
        """Return why an example is answered as it is, as plain values."""
        known = {} if label is None else {"label": self.model.decision.number_of(label)}
        known = {name: self.labels[k] for name, k in known.items()}
        plain: dict[str, Any] = self.model.explain(example, **known).to_dict(top)
        return plain


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


@dataclass
class _Tagged:
    """Tags of sentences or texts, the tokens of each line, and where raw text was cut."""

    tags: list[list[str]]
    lines: list[list[int]]
    ranked: list[list[tuple[float, list[str]]]] | None
    shares: list[Any] | None
    places: list[list[tuple[int, int]]] | None
    texts: Sequence[str] | None


class Tags(Kind):
    """A tag for each token, and spans where the tags are those of chunks."""

    verb = "tag"
    options: ClassVar = {
        "probabilities": {"type": "boolean"},
        "nbest": {"type": "integer", "minimum": 1, "maximum": 100},
        "constraints": {"enum": ["model", "iob1", "iob2", "bioes", "bilou", None]},
    }

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self._chunks = are_chunk_tags(self.labels)
        self._number = {tag: k for k, tag in enumerate(self.labels)}

    def lane(self, form: Form, asked: Asked) -> Any:
        """Return what the model is asked for."""
        return form.one, asked

    def ask(self, form: Form, examples: Any, asked: Asked) -> _Tagged:
        """Tag sentences, or raw texts, each of whose lines is a sentence."""
        model, rule = self.model, asked.constraints
        sentences, places, texts = examples, None, None
        if form.raw:
            texts = list(examples)
            sentences, places, owner = _cut_texts(texts)
        ranked = shares = None
        if asked.nbest is not None:
            ranked = model.predict_nbest(sentences, asked.nbest, constraints=rule)
        tags = model.predict(sentences, constraints=rule)
        if asked.probabilities:
            shares = model.predict_marginals(sentences, constraints=rule)
        lines = [[len(row)] for row in tags]
        if texts is not None:
            lines = [[] for _ in texts]
            for number, row in zip(owner, tags, strict=True):
                lines[number].append(len(row))
            tags, shares, ranked = _of_texts(tags, shares, ranked, lines)
        return _Tagged(tags, lines, ranked, shares, places, texts)

    def answers(self, result: _Tagged, first: int, last: int, asked: Asked) -> list[dict[str, Any]]:
        """Return tags; of raw text also the tokens, with places in characters."""
        return [self._answer(result, row) for row in range(first, last)]

    def _answer(self, result: _Tagged, row: int) -> dict[str, Any]:
        tags = result.tags[row]
        answer: dict[str, Any] = {"tags": tags}
        places = text = None
        if result.places is not None and result.texts is not None:
            places, text = result.places[row], result.texts[row]
            answer["tokens"] = [
                {"text": text[start:end], "start": start, "end": end} for start, end in places
            ]
        if self._chunks:
            answer["spans"] = _spans(tags, result.lines[row], places, text)
        if result.shares is not None:
            table, number = result.shares[row], self._number
            answer["probability"] = [float(table[t, number[tag]]) for t, tag in enumerate(tags)]
        if result.ranked is not None:
            best = result.ranked[row]
            answer["nbest"] = [{"score": score, "tags": tags} for score, tags in best]
        return answer

    def counts(self, result: _Tagged) -> dict[str, int]:
        """Return how often each tag was predicted."""
        times: dict[str, int] = {}
        for row in result.tags:
            for tag in row:
                times[tag] = times.get(tag, 0) + 1
        return times

    def columns(self, result: _Tagged, asked: Asked) -> dict[str, Any]:
        """Return a column of lists of tags, and those that are asked for."""
        answers = self.answers(result, 0, len(result.tags), asked)
        names = answers[0] if answers else {"tags": None}
        return {name: [answer[name] for answer in answers] for name in names}

    def explain(self, example: Any, label: Any, top: int | None) -> dict[str, Any]:
        """Return why each token has its tag, and not the next best one."""
        if label is not None:
            raise DataError("a tagger explains the tags it gives; leave the label out")
        return super().explain(example, label, top)


def _cut_texts(texts: Sequence[str]) -> tuple[Any, list[list[tuple[int, int]]], list[int]]:
    """Return the sentences of texts, where the tokens of each text are, and whose each is."""
    from linnet.model.tokens import tokens_of_text

    sentences: list[list[str]] = []
    places, owner = [], []
    for number, text in enumerate(texts):
        tokens, cuts = tokens_of_text(text)
        lines = tokens.words()
        sentences += lines
        owner += [number] * len(lines)
        places.append(cuts)
    return sentences, places, owner


def _of_texts(tags: Any, shares: Any, ranked: Any, lines: list[list[int]]) -> tuple[Any, ...]:
    """Join what was found of the lines of each text."""
    if ranked is not None and len(tags) != len(lines):
        raise DataError("nbest is for one sentence a text; send its lines one by one")
    joined, tables, at = [], [], 0
    for lengths in lines:
        part = slice(at, at + len(lengths))
        joined.append([tag for row in tags[part] for tag in row])
        tables.append(None if shares is None else np.concatenate(shares[part]))
        at = part.stop
    return joined, shares and tables, ranked


def _spans(
    tags: list[str], lines: list[int], places: Any, text: str | None
) -> list[dict[str, Any]]:
    """Return the chunks, none of which crosses lines: in characters of a text, else in tokens."""
    chunks, at = [], 0
    for length in lines:
        for low, high, label in spans(tags[at : at + length]):
            first, last = at + low, at + high
            if places is None or text is None:
                chunks.append({"start": first, "end": last, "label": label})
            else:
                start, end = places[first][0], places[last - 1][1]
                shown = {"start": start, "end": end, "label": label, "text": text[start:end]}
                chunks.append(shown)
        at += length
    return chunks


def kind_of(model: Any) -> Kind:
    """Return the kind of questions a model answers."""
    return (Tags if model.kind == "sequence" else Labels)(model)
