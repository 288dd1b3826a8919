"""Score files: one row for each row of a file, in its order; and the score that a share reaches.

A score file is Parquet with the columns ``id`` (if ids were asked for), ``row`` (its number, or
its line), ``label`` (the most probable one), ``score`` and ``keep``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow.parquet import ParquetFile, ParquetWriter

from linnet.data.replacing import replacing
from linnet.errors import DataError, ParameterError
from linnet.scale.filtering.copying import Groups, judged
from linnet.scale.filtering.tally import Tally

__all__ = ["StoredJudge", "Top", "parse_top", "score_at", "score_name", "write_scores"]

_DIGIT = 16  # bits looked at in one pass over the scores


def score_name(source: str) -> str:
    """Return the name of the score file of a source.

    Examples
    --------
    >>> score_name("crawl/part-1.jsonl.gz")
    'part-1.jsonl.gz.scores.parquet'
    """
    return f"{Path(source).name}.scores.parquet"


def write_scores(
    source: Path,
    blocks: Iterator[Any],
    judge: Any,
    target: Path,
    watch: Callable[[int], None],
    *,
    ids: Callable[[Any], Any] | None = None,
    audited: Callable[[Any], Groups] | None = None,
) -> Tally:
    """Write the score file of one file; it appears when it is whole.

    Parameters
    ----------
    source, blocks, judge, watch, audited
        As :func:`linnet.scale.filtering.copying.filter_file` takes them.
    target : Path
    ids : function of the first block, optional
        Returns the column of ids.
    """
    first = next(blocks, None)
    if first is None:
        raise DataError(f"{source} holds no examples")
    tally, labels = Tally(judge.classes), pa.array(judge.classes)
    names = None if ids is None else ids(first)
    groups = None if audited is None else audited(first)
    best: list[NDArray[Any]] = []
    noted = _Noting(judge, best)
    kinds = {"row": pa.int64(), "label": pa.string(), "score": pa.float64(), "keep": pa.bool_()}
    schema = pa.schema(({} if names is None else {"id": pa.string()}) | kinds)
    with replacing(target) as out, ParquetWriter(out, schema, compression="zstd") as writer:
        for lines, keep, scores in judged(chain([first], blocks), noted, tally, watch, groups):
            spelled = labels.take(pa.array(best.pop()))
            columns = [pa.array(lines), spelled, pa.array(scores), pa.array(keep)]
            if names is not None:
                columns.insert(0, pa.array(names.take(len(lines))))
            writer.write_batch(pa.record_batch(columns, schema=schema))
    return tally


class _Noting:
    """A judge whose most probable labels are kept for the one who writes them."""

    def __init__(self, judge: Any, best: list[NDArray[Any]]) -> None:
        self.judge, self.best, self.classes = judge, best, judge.classes

    def scored(self, X: Any) -> Any:
        answer = self.judge.scored(X)
        self.best.append(answer[1])
        return answer


class StoredJudge:
    """Keeps the rows whose score, in a score file, reaches a threshold."""

    def __init__(self, file: Path, threshold: float, classes: list[str]) -> None:
        with ParquetFile(file) as table:
            stored = table.read(["label", "score"])
        self.classes, self.threshold = classes, threshold
        self._scores = stored["score"].to_numpy()
        best = pc.index_in(stored["label"], value_set=pa.array(classes))
        self._best, self._at = best.to_numpy().astype(np.int64), 0

    def scored(self, X: Any) -> tuple[Any, Any, Any]:
        """Return which of the next rows are kept, their best labels and their scores."""
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        rows = slice(self._at, self._at + n)
        self._at += n
        scores = self._scores[rows]
        return scores >= self.threshold, self._best[rows], scores


@dataclass(frozen=True)
class Top:
    """How much is kept: a share of the rows, or a number of them."""

    share: Fraction | None = None
    rows: int | None = None

    def of(self, n: int) -> int:
        """Return how many of `n` rows that is, at least one."""
        wanted = ceil(self.share * n) if self.share is not None else int(self.rows or 0)
        return min(max(wanted, 1), n)


def parse_top(text: str) -> Top:
    """Read how much is kept: ``10%`` of the rows, or ``5000`` rows.

    Examples
    --------
    >>> parse_top("10%").of(105), parse_top("50").of(105)
    (11, 50)
    """
    number = text.strip().removesuffix("%").strip()
    try:
        value = Fraction(number)
    except (ValueError, ZeroDivisionError):
        value = Fraction(0)
    if text.strip().endswith("%") and 0 < value <= 100:
        return Top(share=value / 100)
    if number.isdecimal() and value > 0 and not text.strip().endswith("%"):
        return Top(rows=int(value))
    raise ParameterError(
        f"--keep-top {text!r} must be a share of the rows such as 10%, or a number of rows"
    )


def score_at(files: Iterable[Path], rank: int) -> float:
    """Return the score of that rank, from 1, the highest first: exact, in memory of fixed size.

    Scores are not negative, so their bits are ordered as they are. Each pass over the files
    settles sixteen bits of the one that is sought.
    """
    files, prefix = list(files), 0
    for shift in range(64 - _DIGIT, -1, -_DIGIT):
        counts = np.zeros(1 << _DIGIT, np.int64)
        for bits in _bits(files):
            if shift < 64 - _DIGIT:
                bits = bits[bits >> np.uint64(shift + _DIGIT) == prefix]
            digits = (bits >> np.uint64(shift)) & np.uint64((1 << _DIGIT) - 1)
            counts += np.bincount(digits.astype(np.int64), minlength=1 << _DIGIT)
        above = np.cumsum(counts[::-1])
        place = int(np.searchsorted(above, rank))
        rank -= int(above[place - 1]) if place else 0
        prefix = (prefix << _DIGIT) | ((1 << _DIGIT) - 1 - place)
    return float(np.uint64(prefix).view(np.float64))


def _bits(files: Iterable[Path]) -> Iterator[NDArray[np.uint64]]:
    for file in files:
        with ParquetFile(file, pre_buffer=False) as table:
            for batch in table.iter_batches(columns=["score"]):
                scores = batch.column(0).to_numpy(zero_copy_only=False) + 0.0  # no minus zero
                yield scores.view(np.uint64)
