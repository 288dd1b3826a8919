"""Columns, one token a line, a blank line after each sentence: CoNLL files of every year.

Columns stand between tabs, or between runs of white space. Lines that start with ``-DOCSTART-`` and
comments before a sentence are no tokens; they are kept and written back. CoNLL-U files, which are
read in the same way, have more such lines: see :mod:`linnet.data.formats.conllu`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn
from linnet.data.formats.common import Blocks, Plan
from linnet.data.formats.sequence_common import (
    Notes,
    Sequences,
    lines_of,
    spaced_cells,
    tabbed_cells,
    without_spaces_at_end,
)
from linnet.errors import DataError, FormatError

__all__ = ["DOCSTART", "plan_columns", "read", "recognise", "write"]

DOCSTART = b"-DOCSTART-"

_COMMENT = "# "
_TAG = re.compile(r"O|[BIESLU]-\S+")

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


def recognise(filled: list[str], groups: list[int]) -> str | None:
    """Say why lines are one token each, by blank lines between sentences or by IOB tags.

    Parameters
    ----------
    filled : list of str
        Lines that are not blank.
    groups : list of int
        How many of them stand between blank lines.
    """
    rows: list[list[str]] = []
    for line in filled:  # the first that is none of these lines settles it
        rows.append(line.split("\t") if "\t" in line else line.split())
        if len(rows[-1]) != len(rows[0]) or not all(rows[-1]):
            return None
        if any(" " in cell for cell in rows[-1]):
            return None
    width = len(rows[0])
    sentences = len(groups) > 1 and sum(groups) >= 2 * len(groups)
    if width == 1:
        long_enough = len(filled) >= 20 and sum(groups) >= 3 * len(groups)
        return "one word a line, blank lines between" if sentences and long_enough else None
    if sentences:
        return f"columns of {width} with a blank line after each sentence"
    tags = [row[-1] for row in rows]
    if len(tags) > 2 and all(map(_TAG.fullmatch, tags)) and any("-" in tag for tag in tags):
        return "the last column holds tags such as B-X, I-X and O"
    return None


def plan_columns(lines: list[str], plan: Plan) -> Plan:
    """Return the plan with separator, columns and comments; what it has already stays."""
    rows = [line for line in lines if line.strip() and not line.startswith("-DOCSTART-")]
    plain = [row for row in rows if not row.startswith(plan.comments or _COMMENT)] or rows
    if not plain:
        raise FormatError("there is no token among the first lines", file=plan.file)
    mark = plan.delimiter or ("\t" if "\t" in plain[0] else " ")
    width, comments, decisions = _width(plain[0], mark), plan.comments, [*plan.decisions]
    if comments is None:
        heads = [row for place, row in enumerate(lines) if _heads_sentence(lines, place)]
        if any(_width(row, mark) != width for row in heads if row.startswith(_COMMENT)):
            comments = _COMMENT
            decisions.append("lines before a sentence that start with '# ' are comments")
    between = "tabs" if mark == "\t" else "white space"
    decisions.append(f"{width} column{'s' * (width != 1)} between {between}")
    columns = tuple(map(str, range(width)))
    return replace(
        plan, delimiter=mark, columns=columns, comments=comments, decisions=tuple(decisions)
    )


def _heads_sentence(lines: list[str], place: int) -> bool:
    before = lines[place - 1] if place else ""
    return not before.strip() or before.startswith(_COMMENT)


def _width(line: str, mark: str) -> int:
    return len(line.rstrip(" ").split("\t")) if mark == "\t" else len(line.split())


def read(
    blocks: Blocks, plan: Plan, no_tokens: Callable[..., Flags] | None = None
) -> Iterator[Sequences]:
    """Yield the sentences of each block.

    Parameters
    ----------
    blocks : iterable of (number of the first line, whole lines)
    plan : Plan
    no_tokens : callable, optional
        Which lines, of those that are left, are no tokens in a format that has such lines.
    """
    for first, block in blocks:
        sentences = _parse(block, first, plan, no_tokens)
        if len(sentences) or sentences.notes is not None:
            yield sentences


def _parse(
    block: bytes, first: int, plan: Plan, no_tokens: Callable[..., Flags] | None
) -> Sequences:
    data = np.frombuffer(block, np.uint8)
    start, end = lines_of(data)
    blank = end == start
    documents = _documents(block, data, start, end)
    notes = _comments(block, data, start, end, blank | documents, plan)
    if no_tokens is not None:
        notes |= no_tokens(block, data, start, end, ~blank & ~notes)
    notes |= documents
    tokens = ~blank & ~notes
    rows = np.flatnonzero(tokens)
    if plan.delimiter == "\t":
        trimmed = without_spaces_at_end(data, start, end)
        cells = tabbed_cells(data, start, trimmed, tokens)
    else:
        cells = spaced_cells(data, start, end, tokens)
    columns = _columns(block, cells, rows + first, plan)
    group = np.cumsum(blank | documents)  # lines of one sentence have the same number
    heads = np.flatnonzero(np.diff(group[rows], prepend=-1))
    return Sequences(
        plan.format,
        columns,
        np.append(heads, len(rows)).astype(np.int64),
        rows[heads] + first,
        plan.text,
        plan.label if plan.labels else None,
        plan.decisions,
        plan.delimiter or "\t",
        _kept(TextColumn(block, start[notes], end[notes]), np.flatnonzero(notes), rows, group),
    )


def _columns(
    block: bytes, cells: tuple[Ints, Ints, Ints], lines: Ints, plan: Plan
) -> dict[str, TextColumn]:
    """Return the columns by name, of cells that must be as many in every line, and none empty."""
    low, high, counts = cells
    width = plan.width
    ragged = np.flatnonzero(counts != width)
    if len(ragged):
        row = int(ragged[0])
        raise _ragged(int(counts[row]), int(lines[row]), plan)
    low, high = low.reshape(-1, width), high.reshape(-1, width)
    columns = {
        name: TextColumn(block, low[:, place], high[:, place])
        for place, name in enumerate(plan.columns)
        if plan.labels or name != plan.label
    }
    _refuse_empty(columns, lines, plan)
    return columns


def _documents(block: bytes, data: NDArray[np.uint8], start: Ints, end: Ints) -> Flags:
    """Return which lines mark the start of a document."""
    starts = np.zeros(len(start), bool)
    at = block.find(DOCSTART)
    while at >= 0:
        line = int(np.searchsorted(start, at, side="right")) - 1
        after = block[at + len(DOCSTART) : at + len(DOCSTART) + 1]
        starts[line] |= int(start[line]) == at and (not after or after.isspace())
        at = block.find(DOCSTART, at + 1)
    return starts


def _comments(
    block: bytes,
    data: NDArray[np.uint8],
    start: Ints,
    end: Ints,
    breaks: Flags,
    plan: Plan,
) -> Flags:
    """Return which lines are comments before a sentence."""
    comment = np.zeros(len(start), bool)
    if plan.comments is None:
        return comment
    filled, prefix = end > start, plan.comments.encode()
    first = np.zeros(len(start), np.uint8)
    first[filled] = data[start[filled]]
    for line in np.flatnonzero(filled & (first == prefix[0])).tolist():
        head = line == 0 or breaks[line - 1] or comment[line - 1]
        comment[line] = head and block.startswith(prefix, int(start[line]))
    return comment


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


def _refuse_empty(columns: dict[str, TextColumn], lines: Ints, plan: Plan) -> None:
    for name in (plan.text, plan.label):
        if name is None or name not in columns:
            continue
        empty = np.flatnonzero(columns[name].start == columns[name].end)
        if len(empty):
            what = "the word" if name == plan.text else "the tag"
            message = f"{what} (column {plan.columns.index(name) + 1}) is empty"
            raise FormatError(message, file=plan.file, line=int(lines[empty[0]]))


def _ragged(count: int, line: int, plan: Plan) -> FormatError:
    width = len(plan.columns)
    between = "tabs" if plan.delimiter == "\t" else "white space"
    columns = "1 column" if count == 1 else f"{count} columns"
    remedy = "pass comments='#' if it is a comment" if plan.comments is None else "correct the line"
    return FormatError(
        f"the line has {columns} between {between}, but the file has {width}; {remedy}",
        file=plan.file,
        line=line,
    )


def write(sequences: Sequences, row: int, plan: Plan) -> Iterator[str]:
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


def _by_place(notes: Notes | None) -> dict[tuple[int, int], list[str]]:
    lines: dict[tuple[int, int], list[str]] = {}
    if notes is not None:
        places = zip(notes.sentence.tolist(), notes.token.tolist(), strict=True)
        for place, text in zip(places, notes.texts, strict=True):
            ending = "\n\n" if text.encode().startswith(DOCSTART) else "\n"
            lines.setdefault(place, []).append(text + ending)
    return lines


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
