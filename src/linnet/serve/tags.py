"""A tag for each token, of sentences or of raw text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linnet.data.tags import are_chunk_tags, spans
from linnet.errors import DataError
from linnet.serve.forms import Form
from linnet.serve.kinds import Asked, Kind

__all__ = ["Tags"]


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
    from linnet.model.readers.tokens import tokens_of_text

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
