"""JSON lines with marked spans: ``{"text": ..., "spans": [{"start", "end", "label"}, ...]}``.

Start and end count characters (Unicode code points) of the text, the end is not included. Reading
cuts the text into tokens and gives them IOB2 tags; a token that a span cuts is split there, so that
what is written back has the same spans. Writing turns tags of any scheme into spans.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from linnet.data.columns import TextColumn, offsets
from linnet.data.formats.common import Blocks, Mistake, Plan, parsed_lines
from linnet.data.formats.jsonl import parse_object
from linnet.data.formats.running_text import token_spans
from linnet.data.formats.sequence_common import Sequences
from linnet.data.tags import Chunk, encode
from linnet.data.tags import spans as spans_of_tags

__all__ = ["entities", "read", "recognise", "tag_tokens", "write"]

Span = tuple[int, int]


def tag_tokens(
    tokens: list[Span], marked: list[Chunk], *, split: bool = True
) -> tuple[list[Span], list[str]]:
    """Return tokens and their IOB2 tags for the marked spans of a text.

    Parameters
    ----------
    tokens : list of (start, end)
        In characters, in order.
    marked : list of (start, end, label)
        In characters, in order, not overlapping.
    split : bool
        Whether a token that a span cuts is split; otherwise it is an error.

    Raises
    ------
    ValueError
        When a span cuts a token that must not be split, or covers no token.

    Examples
    --------
    >>> tag_tokens([(0, 3), (4, 12)], [(4, 8, "CITY")])
    ([(0, 3), (4, 8), (8, 12)], ['O', 'B-CITY', 'O'])
    """
    edges = sorted({edge for start, end, _ in marked for edge in (start, end)})
    pieces: list[Span] = []
    at = 0
    for start, end in tokens:
        while at < len(edges) and edges[at] <= start:
            at += 1
        low = start
        while at < len(edges) and edges[at] < end:
            if not split:
                raise ValueError(f"a span ends or starts within the token at {start} to {end}")
            pieces.append((low, edges[at]))
            low = edges[at]
            at += 1
        pieces.append((low, end))
    chunks: list[Chunk] = []
    place = 0
    for start, end, label in marked:
        while place < len(pieces) and pieces[place][0] < start:
            place += 1
        first = place
        while place < len(pieces) and pieces[place][1] <= end:
            place += 1
        if place == first:
            raise ValueError(f"the span from {start} to {end} covers no token")
        chunks.append((first, place, label))
    return pieces, encode(chunks, len(pieces), "IOB2")


def entities(tags: list[str], tokens: list[Span]) -> list[Chunk]:
    """Return the spans of a text that tags mark: (start, end, label), in characters.

    Examples
    --------
    >>> entities(["O", "B-CITY", "I-CITY"], [(0, 2), (3, 6), (7, 11)])
    [(3, 11, 'CITY')]
    """
    return [
        (tokens[first][0], tokens[last - 1][1], label) for first, last, label in spans_of_tags(tags)
    ]


def recognise(line: str) -> str | None:
    """Say why an object, the first of a file, is one of this format."""
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if isinstance(first, dict) and isinstance(first.get("spans"), list) and "text" in first:
        return "the first object has a text and spans"
    return None


def read(blocks: Blocks, plan: Plan) -> Iterator[Sequences]:
    """Yield the sentences of each block, an object each."""
    tagged = plan.label is not None and plan.labels
    for records, lines in parsed_lines(blocks, plan, partial(_sentence, plan=plan)):
        texts, tokens, tags, ids = map(list, zip(*records, strict=True))
        words = [text[a:b] for text, spans in zip(texts, tokens, strict=True) for a, b in spans]
        columns = {"word": TextColumn.from_strings(words)}
        if tagged:
            columns["tag"] = TextColumn.from_strings([tag for row in tags for tag in row])
        places = np.array([span for spans in tokens for span in spans], np.int64).reshape(-1, 2)
        yield Sequences(
            plan.format,
            columns,
            offsets(np.array([len(spans) for spans in tokens])),
            lines,
            "word",
            "tag" if tagged else None,
            plan.decisions,
            texts=TextColumn.from_strings(texts),
            characters=places,
            ids=None if None in ids else ids,
        )


def _sentence(line: bytes, plan: Plan) -> tuple[str, list[Span], list[str], str | None]:
    """Return text, tokens, tags and id of an object."""
    row = parse_object(line)
    text, tags = row.get("text"), list[str]()
    if not isinstance(text, str):
        raise Mistake("the object needs a text (key 'text')")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        message = f"the text holds a lone surrogate at character {error.start}"
        raise Mistake(message) from None
    tokens = token_spans(text, plan.tokens)
    if plan.label is not None and plan.labels:
        try:
            marked = _marked(row, len(text))
            tokens, tags = tag_tokens(tokens, marked, split=plan.cut == "split")
        except ValueError as error:
            message = f"{error}; correct the span, or pass cut='split' to split tokens"
            message = message if "within the token" in str(error) else str(error)
            raise Mistake(message) from None
    return text, tokens, tags, str(row["id"]) if "id" in row else None


def _marked(row: dict[str, Any], length: int) -> list[Chunk]:
    """Return the spans of an object, sorted; ValueError says what is wrong with one."""
    spans = row.get("spans")
    if not isinstance(spans, list):
        raise ValueError('the object needs a list of spans (key "spans"), empty if there are none')
    chunks: list[Chunk] = []
    for span in spans:
        parts = span if isinstance(span, dict) else {}
        start: Any = parts.get("start")
        end: Any = parts.get("end")
        label = parts.get("label")
        whole = type(start) is int and type(end) is int
        if not whole or not isinstance(label, str) or not label.encode():
            raise ValueError(
                'a span must be {"start": ..., "end": ..., "label": ...} with two whole numbers '
                f"and a text, not {json.dumps(span)[:80]}"
            )
        if not 0 <= start < end <= length:
            raise ValueError(
                f"the span from {start} to {end} is empty or lies outside the text of {length} "
                "characters"
            )
        chunks.append((start, end, label))
    chunks.sort()
    for before, after in pairwise(chunks):
        if after[0] < before[1]:
            raise ValueError(
                f"the spans from {before[0]} to {before[1]} and from {after[0]} to {after[1]} "
                "overlap; tags can hold only one of them"
            )
    return chunks


def write(sequences: Sequences, row: int, plan: Plan) -> Iterator[str]:
    """Yield one object a line; words without a text are joined with spaces."""
    words, tags = sequences.sentences(), sequences.tags
    texts = None if sequences.texts is None else sequences.texts.to_list()
    places = None if sequences.characters is None else sequences.characters.tolist()
    bounds = sequences.offset.tolist()
    for number, sentence in enumerate(words):
        if texts is None or places is None:
            text, tokens = _joined(sentence)
        else:
            text = texts[number]
            tokens = [(low, high) for low, high in places[bounds[number] : bounds[number + 1]]]
        record: dict[str, Any] = {} if sequences.ids is None else {"id": sequences.ids[number]}
        record["text"] = text
        if tags is not None:
            record["spans"] = [
                {"start": start, "end": end, "label": label}
                for start, end, label in entities(tags[number], tokens)
            ]
        yield json.dumps(record, ensure_ascii=False) + "\n"


def _joined(words: list[str]) -> tuple[str, list[Span]]:
    tokens, at = [], 0
    for word in words:
        tokens.append((at, at + len(word)))
        at += len(word) + 1
    return " ".join(words), tokens
