"""Copying the kept rows of a file: same format, same columns, bounded memory.

A file is read twice side by side. One reader takes the texts out of it, block by block, for the
model to judge; the other copies rows as they stand: whole lines, byte for byte, or Parquet rows
with all their columns. So nothing is lost that the first reader does not understand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn
from linnet.data.files import write_atomically
from linnet.data.hidden import hidden_lines
from linnet.errors import DataError
from linnet.scale.filtering.copied_lines import BLOCK_BYTES, Verdict, copy_lines
from linnet.scale.filtering.copied_parquet import copy_parquet
from linnet.scale.filtering.tally import Tally

__all__ = ["BLOCK_BYTES", "Groups", "filter_file", "judged"]

Groups = Callable[[NDArray[np.int64]], dict[str, list[str]]]
_NOWHERE = -1  # beside dropped, 0, and kept, 1


def filter_file(
    source: Path,
    blocks: Iterator[Any],
    judge: Any,
    outputs: tuple[Path | None, Path | None],
    watch: Callable[[int], None],
    *,
    audited: Callable[[Any], Groups] | None = None,
    add_score: str | None = None,
) -> Tally:
    """Copy the rows of one file to (dropped, kept); a None is not written.

    Parameters
    ----------
    source : Path
    blocks : iterator
        Its examples, in blocks of about BLOCK_BYTES.
    judge : Judge or StoredJudge
    outputs : (Path or None, Path or None)
        Each file appears whole when everything is done, or not at all.
    watch : function of a number
        Called with the number of rows judged so far.
    audited : function of the first block, optional
        Returns what gives the groups of the rows of each block.
    add_score : str, optional
        Name of a column with the scores, beside those of the file: of Parquet and JSON lines.
    """
    tally = Tally(judge.classes)
    first = next(blocks, None)
    if first is None:
        raise DataError(f"{source} holds no examples")
    groups = None if audited is None else audited(first)
    rows = judged(chain([first], blocks), judge, tally, watch, groups)
    verdicts = _with_hidden(rows, str(source))
    if outputs == (None, None):
        for _ in verdicts:
            pass
        return tally
    if first.format == "arrow":
        raise DataError(
            f"{source}: Arrow files are not filtered; write Parquet first, "
            f"for example with linnet convert {source} {source.stem}.parquet"
        )
    if add_score is not None and first.format not in ("parquet", "jsonl"):
        raise DataError(
            f"{source}: scores are added to Parquet and JSON lines, and this is {first.format}; "
            "write them into files of their own, or convert it first"
        )
    copy = copy_parquet if first.format == "parquet" else copy_lines
    with ExitStack() as stack:
        outs = [
            None if path is None else stack.enter_context(write_atomically(path)).buffer
            for path in outputs
        ]
        copy(source, verdicts, (outs[0], outs[1]), add_score)
    return tally


def judged(
    blocks: Iterator[Any],
    judge: Any,
    tally: Tally,
    watch: Callable[[int], None],
    groups: Groups | None = None,
) -> Iterator[Verdict]:
    """Yield the first line of each row, whether it is kept and its score, block by block."""
    for block in blocks:
        keep, best, scores = judge.scored(block.X)
        lengths = _lengths(block)
        tally.add(keep, best, lengths, groups(lengths) if groups is not None else None)
        watch(sum(tally.rows))
        yield block.lines, keep, scores


def _with_hidden(verdicts: Iterator[Verdict], source: str) -> Iterator[Verdict]:
    """Add the lines that are left out: rows that go nowhere."""
    told = 0
    for lines, keep, scores in verdicts:
        left_out = hidden_lines(source)[told:]
        here = left_out[left_out <= lines[-1]] if len(lines) else left_out[:0]
        told += len(here)
        if not len(here):
            yield lines, keep, scores
            continue
        order = np.argsort(np.concatenate([lines, here]), kind="stable")
        sides = np.concatenate([keep.astype(np.int8), np.full(len(here), _NOWHERE, np.int8)])
        if scores is not None:
            scores = np.concatenate([scores, np.full(len(here), np.nan)])[order]
        yield np.concatenate([lines, here])[order], sides[order], scores
    left_out = hidden_lines(source)[told:]
    if len(left_out):
        yield left_out, np.full(len(left_out), _NOWHERE, np.int8), None


def _lengths(block: Any) -> NDArray[np.int64]:
    if block.kind == "text":
        return np.asarray(block.X.end - block.X.start, dtype=np.int64)
    lengths = np.zeros(len(block.lines), dtype=np.int64)
    for column in block.X.values if block.kind == "columns" else ():
        if isinstance(column, TextColumn):
            lengths += column.end - column.start
    return lengths
