"""``word/tag`` tokens, one sentence a line: the last slash of a token separates."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from linnet.data.columns import TextColumn, offsets
from linnet.data.formats.common import Blocks, Plan, places_of
from linnet.data.formats.sequence_common import Sequences, lines_of, spaced_cells
from linnet.errors import DataError

__all__ = ["read", "recognise", "write"]

_FEW = 20
_SLASHED = re.compile(r"\S+/[^\s/]+")
_WHITE = re.compile(r"[ \t\n\v\f\r]")


def recognise(filled: list[str]) -> str | None:
    """Say why lines are ``word/tag word/tag``."""
    tokens = [token for line in filled[:_FEW] for token in line.split()]
    long_enough = len(filled) > 2 and len(tokens) > 2 * min(len(filled), _FEW)
    if long_enough and all(map(_SLASHED.fullmatch, tokens)):
        return "every token is word/tag"
    return None


def read(blocks: Blocks, plan: Plan) -> Iterator[Sequences]:
    """Yield the sentences of each block; blank lines are skipped.

    A slash at the start or the end of a token separates nothing: such tokens, and those without a
    slash, are words without a tag. The column of tags is missing when no token of a block has one.
    """
    mark = plan.delimiter or "/"
    for first, block in blocks:
        data = np.frombuffer(block, np.uint8)
        start, end = lines_of(data)
        filled = end > start
        low, high, counts = spaced_cells(data, start, end, filled)
        if not len(counts):
            continue
        slashes = np.append(places_of(data, ord(mark)), len(data))
        last = slashes[np.searchsorted(slashes, high - 1) - 1]  # the last before the last byte
        tagged = (last > low) & (last < high)
        cut = np.where(tagged, last, high)
        columns = {"word": TextColumn(block, low, cut)}
        if plan.labels and tagged.any():
            columns["tag"] = TextColumn(block, cut + tagged, high)
        yield Sequences(
            plan.format,
            columns,
            offsets(counts),
            np.flatnonzero(filled) + first,
            "word",
            "tag" if "tag" in columns else None,
            plan.decisions,
            mark,
        )


def write(sequences: Sequences, row: int, plan: Plan) -> Iterator[str]:
    """Yield a line a sentence; `row` counts the sentences before."""
    mark = sequences.delimiter if sequences.format == "word_tag" else "/"
    words, tags = sequences.sentences(), sequences.tags
    for number, sentence in enumerate(words):
        labels = [""] * len(sentence) if tags is None else tags[number]
        tokens = [
            f"{word}{mark}{tag}" if tag else word
            for word, tag in zip(sentence, labels, strict=True)
        ]
        for word, tag, token in zip(sentence, labels, tokens, strict=True):
            at = token[:-1].rfind(mark)
            back = (token[:at], token[at + 1 :]) if at > 0 else (token, "")
            if not token or back != (word, tag) or _WHITE.search(token):
                raise DataError(
                    f"sentence {row + number + 1}: the word {word!r} with the tag {tag!r} cannot "
                    f"be written as word{mark}tag; write CoNLL columns instead"
                )
        if tokens:
            yield " ".join(tokens) + "\n"
