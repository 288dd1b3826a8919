"""CoNLL-U: ten columns between tabs, the token's number first; comments start with ``#``.

The lines of multiword tokens (``3-4``) and of empty nodes (``8.1``) are no tokens; they are kept
and written back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn
from linnet.data.formats import conll
from linnet.data.formats.common import Blocks, Plan, places_of
from linnet.data.formats.sequence_common import Sequences
from linnet.errors import FormatError

__all__ = ["CONLLU", "read", "recognise", "write"]

CONLLU = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")

_ID_BYTES = 24
_NODE = re.compile(r"[0-9]+(?:[-.][0-9]+)?")
_NO_WORD = re.compile(rb"[0-9]{1,10}[-.][0-9]{1,10}\t")


def recognise(filled: list[str]) -> str | None:
    """Say why lines that are not blank are those of CoNLL-U."""
    rows = (line.split("\t") for line in filled)
    nodes = all(len(row) == 10 and _NODE.fullmatch(row[0]) is not None for row in rows)
    return "ten CoNLL-U columns" if nodes else None


def read(blocks: Blocks, plan: Plan) -> Iterator[Sequences]:
    """Yield the sentences of each block; tags that are all ``_`` are none."""
    for first, block in blocks:
        for sentences in conll.read([(first, block)], plan, _no_words):
            _check_ids(sentences, block, first, plan)
            unknown = sentences.tag is not None and _unknown(sentences.columns[sentences.tag])
            yield sentences.with_tag_column(None) if unknown else sentences


def _no_words(
    block: bytes,
    data: NDArray[np.uint8],
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    left: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Return which of the lines that are left are ranges and empty nodes."""
    marks = np.sort(np.concatenate([places_of(data, 45), places_of(data, 46)]))
    marked = np.searchsorted(marks, np.minimum(start + _ID_BYTES, end))
    answer = np.zeros(len(start), bool)
    for line in np.flatnonzero(left & (marked > np.searchsorted(marks, start))).tolist():
        answer[line] = _NO_WORD.match(block, int(start[line])) is not None
    return answer


def _check_ids(sentences: Sequences, block: bytes, first: int, plan: Plan) -> None:
    ids = sentences.columns["id"]
    head = ids.data[np.minimum(ids.start, len(ids.data) - 1)]
    wrong = np.flatnonzero((head < 48) | (head > 57) | (ids.start == ids.end))
    if len(wrong):
        message = f"a line of CoNLL-U starts with the token's number, not with {ids[wrong[0]]!r}"
        line = first + block.count(b"\n", 0, int(ids.start[wrong[0]]))
        raise FormatError(message, file=plan.file, line=line, column=1)


def _unknown(tags: TextColumn) -> bool:
    """Say whether all tags are the underscore that stands for nothing."""
    return bool((tags.end - tags.start == 1).all() and (tags.data[tags.start] == ord("_")).all())


def write(sequences: Sequences, row: int, plan: Plan) -> Iterator[str]:
    """Yield lines of ten columns; words and tags of another format become FORM and UPOS."""
    if tuple(sequences.columns) == CONLLU:
        yield from conll.write(sequences, row, plan)
        return
    empty = TextColumn(b"_", np.zeros(sequences.n_tokens, np.int64), np.ones(sequences.n_tokens))
    columns = dict.fromkeys(CONLLU, empty)
    place = np.arange(sequences.n_tokens) - np.repeat(
        sequences.offset[:-1], np.diff(sequences.offset)
    )
    columns["id"] = TextColumn.from_strings([str(number + 1) for number in place.tolist()])
    columns["form"] = sequences.words
    if sequences.tag is not None:
        columns["upos"] = sequences.columns[sequences.tag]
    whole = replace(
        sequences, format="conllu", columns=columns, word="form", tag="upos", notes=None
    )
    yield from conll.write(whole, row, plan)
