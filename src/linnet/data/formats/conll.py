"""Columns, one token a line, a blank line after each sentence: CoNLL files of every year.

Columns stand between tabs, or between runs of white space. Lines that start with ``-DOCSTART-`` and
comments before a sentence are no tokens; they are kept and written back. In CoNLL-U files so are
the lines of multiword tokens (``3-4``) and of empty nodes (``8.1``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn
from linnet.data.formats._cell_spans import (
    lines_of,
    spaced_cells,
    tabbed_cells,
    without_spaces_at_end,
)
from linnet.data.formats.common import Blocks, places_of
from linnet.data.formats.sequence_common import Notes, SequencePlan, Sequences
from linnet.errors import DataError, FormatError

__all__ = ["CONLLU", "DOCSTART", "read", "write", "write_conllu"]

CONLLU = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
DOCSTART = b"-DOCSTART-"

_ID_BYTES = 24
_NO_WORD = re.compile(rb"[0-9]{1,10}[-.][0-9]{1,10}\t")

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


def read(blocks: Blocks, plan: SequencePlan) -> Iterator[Sequences]:
    """Yield the sentences of each block."""
    for first, block in blocks:
        found = _parse(block, first, plan)
        if found.tag is not None and plan.format == "conllu" and _unknown(found):
            found = found.with_tag_column(None)
        if len(found) or found.notes is not None:
            yield found


def _unknown(found: Sequences) -> bool:
    """Say whether all tags are the underscore that stands for nothing."""
    tags = found.columns[str(found.tag)]
    return bool((tags.end - tags.start == 1).all() and (tags.data[tags.start] == ord("_")).all())


def _parse(block: bytes, first: int, plan: SequencePlan) -> Sequences:
    data = np.frombuffer(block, np.uint8)
    start, end = lines_of(data)
    blank = end == start
    documents = _documents(block, data, start, end)
    notes = _notes(block, data, start, end, blank | documents, plan) | documents
    tokens = ~blank & ~notes
    if plan.delimiter == "\t":
        trimmed = without_spaces_at_end(data, start, end)
        low, high, counts = tabbed_cells(data, start, trimmed, tokens)
    else:
        low, high, counts = spaced_cells(data, start, end, tokens)
    rows = np.flatnonzero(tokens)
    width = len(plan.names)
    ragged = np.flatnonzero(counts != width)
    if len(ragged):
        row = int(ragged[0])
        raise _ragged(int(counts[row]), int(rows[row]) + first, plan)
    low, high = low.reshape(-1, width), high.reshape(-1, width)
    columns = {
        name: TextColumn(block, low[:, place], high[:, place])
        for place, name in enumerate(plan.names)
        if plan.labels or name != plan.tag
    }
    _refuse_empty(columns, rows + first, plan)
    if plan.format == "conllu":
        _check_ids(data, columns["id"], rows + first, plan)
    group = np.cumsum(blank | documents)  # lines of one sentence have the same number
    heads = np.flatnonzero(np.diff(group[rows], prepend=-1))
    return Sequences(
        plan.format,
        columns,
        np.append(heads, len(rows)).astype(np.int64),
        rows[heads] + first,
        plan.word,
        plan.tag if plan.labels else None,
        plan.decisions,
        plan.delimiter,
        _kept(TextColumn(block, start[notes], end[notes]), np.flatnonzero(notes), rows, group),
    )


def _documents(block: bytes, data: NDArray[np.uint8], start: Ints, end: Ints) -> Flags:
    """Return which lines mark the start of a document."""
    found = np.zeros(len(start), bool)
    at = block.find(DOCSTART)
    while at >= 0:
        line = int(np.searchsorted(start, at, side="right")) - 1
        after = block[at + len(DOCSTART) : at + len(DOCSTART) + 1]
        found[line] |= int(start[line]) == at and (not after or after.isspace())
        at = block.find(DOCSTART, at + 1)
    return found


def _notes(
    block: bytes,
    data: NDArray[np.uint8],
    start: Ints,
    end: Ints,
    breaks: Flags,
    plan: SequencePlan,
) -> Flags:
    """Return which lines are comments or, in CoNLL-U, ranges and empty nodes."""
    found = np.zeros(len(start), bool)
    filled = end > start
    if plan.comments is not None:
        prefix = plan.comments.encode()
        first = np.zeros(len(start), np.uint8)
        first[filled] = data[start[filled]]
        for line in np.flatnonzero(filled & (first == prefix[0])).tolist():
            head = line == 0 or breaks[line - 1] or found[line - 1]
            found[line] = head and block.startswith(prefix, int(start[line]))
    if plan.format == "conllu":
        marks = np.sort(np.concatenate([places_of(data, 45), places_of(data, 46)]))
        marked = np.searchsorted(marks, np.minimum(start + _ID_BYTES, end))
        unsure = filled & ~found & (marked > np.searchsorted(marks, start))
        for line in np.flatnonzero(unsure).tolist():
            found[line] = _NO_WORD.match(block, int(start[line])) is not None
    return found


def _kept(texts: TextColumn, at: Ints, rows: Ints, group: Ints) -> Notes | None:
    """Return the notes with their places; one after a sentence's last token stays with it."""
    if not len(at):
        return None
    token = np.searchsorted(rows, at)
    number = np.cumsum(np.diff(group[rows], prepend=-1) != 0) - 1  # of the sentence of each row
    total = int(number[-1]) + 1 if len(rows) else 0
    sentence = np.append(number, total)[token]
    trailing = (token > 0) & (group[at] == np.append(group[rows], -1)[token - 1])
    sentence[trailing] = number[token[trailing] - 1]
    return Notes(sentence.astype(np.int64), token.astype(np.int64), texts)


def _refuse_empty(columns: dict[str, TextColumn], lines: Ints, plan: SequencePlan) -> None:
    for name in (plan.word, plan.tag):
        if name is None or name not in columns:
            continue
        empty = np.flatnonzero(columns[name].start == columns[name].end)
        if len(empty):
            what = "the word" if name == plan.word else "the tag"
            message = f"{what} (column {plan.names.index(name) + 1}) is empty"
            raise FormatError(message, file=plan.file, line=int(lines[empty[0]]))


def _check_ids(data: NDArray[np.uint8], ids: TextColumn, lines: Ints, plan: SequencePlan) -> None:
    first = data[np.minimum(ids.start, len(data) - 1)] if len(data) else data
    wrong = np.flatnonzero((first < 48) | (first > 57) | (ids.start == ids.end))
    if len(wrong):
        message = f"a line of CoNLL-U starts with the token's number, not with {ids[wrong[0]]!r}"
        raise FormatError(message, file=plan.file, line=int(lines[wrong[0]]), column=1)


def _ragged(count: int, line: int, plan: SequencePlan) -> FormatError:
    width = len(plan.names)
    between = "tabs" if plan.delimiter == "\t" else "white space"
    columns = "1 column" if count == 1 else f"{count} columns"
    remedy = "pass comments='#' if it is a comment" if plan.comments is None else "correct the line"
    return FormatError(
        f"the line has {columns} between {between}, but the file has {width}; {remedy}",
        file=plan.file,
        line=line,
    )


def write(sequences: Sequences, row: int) -> Iterator[str]:
    """Yield a line a token and a blank line a sentence; `row` counts the sentences before."""
    mark = sequences.delimiter if sequences.format == "conll" else "\t"
    columns = [column.to_list() for column in sequences.columns.values()]
    _refuse_breaks(sequences, columns, mark, row)
    lines = [mark.join(cells) + "\n" for cells in zip(*columns, strict=True)]
    notes = _by_place(sequences.notes)
    bounds = sequences.offset.tolist()
    for sentence in range(len(sequences)):
        for token in range(bounds[sentence], bounds[sentence + 1]):
            yield from notes.pop((sentence, token), ())
            yield lines[token]
        yield from notes.pop((sentence, bounds[sentence + 1]), ())
        yield "\n"
    for rest in notes.values():
        yield from rest


def write_conllu(sequences: Sequences, row: int) -> Iterator[str]:
    """Yield lines of ten columns; words and tags of another format become FORM and UPOS."""
    if tuple(sequences.columns) == CONLLU:
        yield from write(sequences, row)
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
    yield from write(whole, row)


def _by_place(notes: Notes | None) -> dict[tuple[int, int], list[str]]:
    found: dict[tuple[int, int], list[str]] = {}
    if notes is not None:
        places = zip(notes.sentence.tolist(), notes.token.tolist(), strict=True)
        for place, text in zip(places, notes.texts, strict=True):
            ending = "\n\n" if text.encode().startswith(DOCSTART) else "\n"
            found.setdefault(place, []).append(text + ending)
    return found


def _refuse_breaks(sequences: Sequences, columns: list[list[str]], mark: str, row: int) -> None:
    """Raise the error for a cell that would be read back as two, or as none."""
    white = "\t\n\r" if mark == "\t" else " \t\n\v\f\r"
    for name, cells in zip(sequences.columns, columns, strict=True):
        may_be_empty = mark == "\t" and name not in (sequences.word, sequences.tag)
        joined = "".join(cells)
        last = name == list(sequences.columns)[-1]
        if (
            (may_be_empty or all(cells))
            and not any(mark in joined for mark in white)
            and not (last and " " in joined)
        ):
            continue
        for token, cell in enumerate(cells):
            broken = any(mark in cell for mark in white) or (last and cell.endswith(" "))
            if broken or not (cell or may_be_empty):
                sentence = int(np.searchsorted(sequences.offset, token, side="right")) + row
                what = "holds what separates columns or lines" if broken else "is empty"
                raise DataError(
                    f"sentence {sentence}: the {name} {cell!r} {what}; write JSONL instead"
                )
