"""Raw text, one sentence a line, cut into tokens that know where in the text they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn, offsets
from linnet.data.formats.common import Blocks, Plan, line_spans
from linnet.data.formats.sequence_common import Sequences, spaced_cells
from linnet.errors import DataError

__all__ = ["TOKENS", "read", "token_spans", "write"]

#: Ways to cut a text: at ASCII white space, or at the word boundaries of Unicode's UAX #29.
TOKENS = ("whitespace", "unicode")

_DARK = re.compile(r"[^ \t\n\v\f\r]+")

Ints = NDArray[np.int64]


def token_spans(text: str, tokens: str) -> list[tuple[int, int]]:
    """Return where the tokens of a text start and end, in characters.

    Parameters
    ----------
    text : str
    tokens : {"whitespace", "unicode"}
        In "unicode" every segment between word boundaries is a token, also punctuation, except
        white space.

    Examples
    --------
    >>> token_spans("Don't, Ma!", "whitespace"), token_spans("Don't, Ma!", "unicode")
    ([(0, 6), (7, 10)], [(0, 5), (5, 6), (7, 9), (9, 10)])
    """
    if tokens == "whitespace":
        return [match.span() for match in _DARK.finditer(text)]
    from linnet._core import word_breaks

    try:
        raw = text.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"The text holds half of a surrogate pair at character {error.start}, which UTF-8 "
            "cannot express; clean it with text.encode('utf-8', 'replace').decode()."
        ) from None
    spans, at, low = [], 0, 0
    for end in word_breaks(text):
        piece = raw[low:end].decode()
        dark = piece.lstrip()  # a mark that stands on a space lies in one piece with it
        if dark:
            spans.append((at + len(piece) - len(dark), at + len(piece)))
        at, low = at + len(piece), end
    return spans


def read(blocks: Blocks, plan: Plan) -> Iterator[Sequences]:
    """Yield the sentences of each block, one a line; an empty line is a sentence of no tokens."""
    for first, block in blocks:
        start, end = line_spans(np.frombuffer(block, np.uint8))
        texts = TextColumn(block, start, end)
        cut = _at_white_space if plan.tokens == "whitespace" else _at_boundaries
        words, offset, characters = cut(texts)
        yield Sequences(
            plan.format,
            {"word": words},
            offset,
            np.arange(first, first + len(start), dtype=np.int64),
            "word",
            None,
            plan.decisions,
            " ",
            texts=texts,
            characters=characters,
        )


def _at_white_space(texts: TextColumn) -> tuple[TextColumn, Ints, Ints]:
    data = texts.data
    low, high, counts = spaced_cells(data, texts.start, texts.end, np.ones(len(texts), bool))
    origin = np.repeat(texts.start, counts)
    characters = np.stack([low, high], axis=1) - origin[:, None]
    if (data >= 128).any():
        before = np.zeros(len(data) + 1, np.int64)  # characters that start before each byte
        np.cumsum((data & 0xC0) != 0x80, out=before[1:])
        characters = np.stack([before[low], before[high]], axis=1) - before[origin][:, None]
    return TextColumn(texts.buffer, low, high), offsets(counts), characters


def _at_boundaries(texts: TextColumn) -> tuple[TextColumn, Ints, Ints]:
    words: list[str] = []
    characters: list[tuple[int, int]] = []
    counts = []
    for text in texts:
        places = token_spans(text, "unicode")
        words += [text[start:end] for start, end in places]
        characters += places
        counts.append(len(places))
    spans = np.array(characters, np.int64).reshape(-1, 2)
    return TextColumn.from_strings(words), offsets(np.array(counts, np.int64)), spans


def write(sequences: Sequences, row: int, plan: Plan) -> Iterator[str]:
    """Yield a line a sentence; `row` counts the sentences before."""
    if sequences.tag is not None:
        raise DataError("plain text cannot hold tags; write word/tag lines, CoNLL or JSONL")
    if sequences.texts is not None:
        lines: Iterator[str] = iter(sequences.texts)
    else:
        lines = (" ".join(words) for words in sequences.sentences())
    for number, line in enumerate(lines, row + 1):
        if "\n" in line or line.endswith("\r"):
            raise DataError(f"sentence {number}: the text holds a line break; write JSONL instead")
        yield f"{line}\n"
