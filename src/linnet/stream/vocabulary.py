"""An exact vocabulary in bounded memory: counted block by block, spilled in runs, merged.

Given texts in blocks. Returned is the vocabulary that
:func:`~linnet.text.vocabulary.learn_vocabulary` learns from all of them at once: the same n-grams
under the same numbers, and in how many texts each of them occurs.

Each block is counted natively and gives a run, its n-grams in order with their counts. Runs are
merged when they fill the memory they may have, and the result is spilled into a file without a
name, which is gone when the process is, however it ends. At the end everything is merged, one
stretch of the alphabet after the other.

The order is that of the tokens. A space ends a token and so comes before every other character;
:data:`_ORDER` renumbers the bytes accordingly, and a plain comparison of bytes does the rest.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import offsets
from linnet.errors import DataError, ParameterError
from linnet.text.extractor import Extractor
from linnet.text.names import Names
from linnet.text.parameters import document_limits
from linnet.text.vocabulary import Counted, count_ngrams

__all__ = [
    "Run",
    "Vocabulary",
    "count_vocabulary",
    "counted_run",
    "joined",
    "kept_names",
    "merged",
]

_SPILL = 1 << 24  # bytes of runs that are held in memory
_STRETCH = 1 << 22  # bytes that are merged together
_SAMPLES = 64  # names of each run that say where to cut the alphabet

# Below the space are the 32 control characters: the space goes before them, they move up by one.
_ORDER = np.arange(256, dtype=np.uint8)
_ORDER[:33] = [*range(1, 33), 0]
_BACK = np.argsort(_ORDER).astype(np.uint8)


class Vocabulary(NamedTuple):
    """An extractor with the vocabulary, the texts of each feature, and how many texts there are."""

    extractor: Extractor
    documents: NDArray[np.int64]
    n_texts: int


class Run(NamedTuple):
    """Names in ascending order: key j is ``keys[offset[j]:offset[j + 1]]``.

    ``counts`` has shape (names, 2): texts that have a name, and how often it occurs in all.
    """

    keys: NDArray[np.uint8]
    offset: NDArray[np.int64]
    counts: NDArray[np.int64]

    @property
    def nbytes(self) -> int:
        """The size of the arrays."""
        return int(self.keys.nbytes + self.offset.nbytes + self.counts.nbytes)

    def __len__(self) -> int:
        return len(self.offset) - 1

    def key(self, number: int) -> bytes:
        """Return one key."""
        return self.keys[self.offset[number] : self.offset[number + 1]].tobytes()

    def part(self, first: int, last: int) -> Run:
        """Return the names from `first` to before `last`."""
        low, high = self.offset[first], self.offset[last]
        return Run(
            self.keys[low:high], self.offset[first : last + 1] - low, self.counts[first:last]
        )

    def below(self, key: bytes) -> int:
        """Return how many names come before a key."""
        return bisect_left(range(len(self)), key, key=self.key)


def count_vocabulary(
    reader: Extractor,
    blocks: Iterable[Any],
    threads: int,
    *,
    min_df: Any = 1,
    max_df: Any = 1.0,
    max_features: int | None = None,
    spill: int = _SPILL,
    folder: str | os.PathLike[str] | None = None,
) -> Vocabulary:
    """Count the n-grams of texts block by block and keep those that the limits allow.

    Parameters
    ----------
    reader : Extractor
        Says how texts are read; its vocabulary, if any, plays no part.
    blocks : iterable of columns of texts
    threads : int
    min_df, max_df, max_features
        As for :func:`~linnet.text.vocabulary.learn_vocabulary`; `min_df` may be a function of the
        number of texts, which is known only at the end.
    spill : int
        Bytes of runs that are held in memory before they are spilled.
    folder : path, optional
        Where to spill.

    Examples
    --------
    >>> from linnet.text.settings import Settings
    >>> learned = count_vocabulary(Extractor(Settings()), [["good book"], ["good film"]], 1)
    >>> learned.extractor.names.tolist(), learned.documents.tolist()
    (['book', 'film', 'good'], [1, 1, 2])
    """
    held: list[Run] = []
    spilled: list[Run] = []
    n_texts = 0
    for texts in blocks:
        n, run = counted_run(reader, texts, threads, max_features)
        n_texts += n
        held.append(run)
        if sum(run.nbytes for run in held) > spill:
            spilled.append(_spilled(merged(held), folder))
            held = []
    names, documents = kept_names(
        reader, [*spilled, *held], n_texts, min_df=min_df, max_df=max_df, max_features=max_features
    )
    extractor = Extractor.with_names(reader.settings, names, reader.tokenize)
    return Vocabulary(extractor, documents, n_texts)


def counted_run(
    reader: Extractor, texts: Any, threads: int, max_features: int | None
) -> tuple[int, Run]:
    """Return how many texts there are in a block, and its n-grams."""
    if reader.settings.unknown:
        raise ParameterError("oov='unk' needs all texts at once; use oov='drop' for a stream.")
    occurrences = _by_occurrences(reader, max_features)
    counted = count_ngrams(reader, texts, threads, times=occurrences)
    return counted.n_texts, _run(counted, _ORDER if _is_inside(reader) else None)


def kept_names(
    reader: Extractor,
    runs: Sequence[Run],
    n_texts: int,
    *,
    min_df: Any = 1,
    max_df: Any = 1.0,
    max_features: int | None = None,
) -> tuple[Names, NDArray[np.int64]]:
    """Return the n-grams of all runs that the limits allow, and the texts of each.

    Parameters are those of :func:`count_vocabulary`.
    """
    if not n_texts:
        raise DataError("There are no texts; at least one is needed.")
    least = min_df(n_texts) if callable(min_df) else min_df
    low, high = document_limits(least, max_df, n_texts)
    kept = [_within(run, low, high) for run in merged(runs)]
    keys = np.concatenate([run.keys for run in kept] or [np.zeros(0, np.uint8)])
    sizes = np.concatenate([np.diff(run.offset) for run in kept] or [np.zeros(0, np.int64)])
    table = np.concatenate([run.counts for run in kept] or [np.zeros((0, 2), np.int64)])
    names = Names(_BACK[keys] if _is_inside(reader) else keys, offsets(sizes))
    if not len(names):
        raise DataError(
            "After pruning, no features remain. Try a lower min_df or a higher max_df."
            if low > 1 or high < n_texts
            else "Empty vocabulary: the texts hold no tokens, or only stop words. "
            "Try another tokenizer, such as 'token' or 'char_wb'."
        )
    documents = np.ascontiguousarray(table[:, 0])
    if max_features is not None and max_features < len(names):
        frequency = table[:, 1 if _by_occurrences(reader, max_features) else 0]
        chosen = np.sort(np.argsort(-frequency, kind="stable")[:max_features])
        names, documents = names.take(chosen), documents[chosen]
    return names, documents


def _is_inside(reader: Extractor) -> bool:
    """Tell whether names hold spaces that end a token."""
    settings = reader.settings
    return settings.ngrams[1] > 1 and settings.tokenizer not in ("char", "char_wb")


def _by_occurrences(reader: Extractor, max_features: int | None) -> bool:
    return max_features is not None and reader.settings.count != "binary"


def joined(runs: Sequence[Run]) -> Run:
    """Return the names of all runs in one, in memory."""
    pieces = list(merged(runs))
    if len(pieces) == 1:
        return pieces[0]
    sizes = [np.diff(piece.offset) for piece in pieces]
    return Run(
        np.concatenate([piece.keys for piece in pieces] or [np.zeros(0, np.uint8)]),
        offsets(np.concatenate(sizes or [np.zeros(0, np.int64)])),
        np.concatenate([piece.counts for piece in pieces] or [np.zeros((0, 2), np.int64)]),
    )


def merged(runs: Sequence[Run], stretch: int = _STRETCH) -> Iterator[Run]:
    """Yield the names of all runs in order, with the sums of their counts, piece by piece.

    Parameters
    ----------
    runs : sequence of Run
    stretch : int
        About how many bytes are merged together.
    """
    runs = [run for run in runs if len(run)]
    at = [0] * len(runs)
    for cut in [*_cuts(runs, stretch), None]:
        ends = [len(run) if cut is None else run.below(cut) for run in runs]
        parts = [run.part(a, b) for run, a, b in zip(runs, at, ends, strict=True) if a < b]
        at = ends
        if parts:
            yield parts[0] if len(parts) == 1 else _added_up(parts)


def _cuts(runs: Sequence[Run], stretch: int) -> list[bytes]:
    """Return keys that cut all runs into pieces of about the wanted size together."""
    total = sum(run.nbytes for run in runs)
    pieces = total // stretch
    if pieces < 1:
        return []
    samples = sorted(
        (run.key(len(run) * k // _SAMPLES), run.nbytes)
        for run in runs
        for k in range(min(_SAMPLES, len(run)))
    )
    weight = np.cumsum([size for _, size in samples])
    places = np.searchsorted(weight, weight[-1] * np.arange(1, pieces + 1) / (pieces + 1))
    return sorted({samples[place][0] for place in places.tolist()})


def _added_up(parts: Sequence[Run]) -> Run:
    """Merge runs: equal names become one, and their counts are added."""
    import pyarrow as pa
    import pyarrow.compute as pc

    names = pa.chunked_array([_arrow(part) for part in parts])
    columns = np.concatenate([part.counts for part in parts])
    table = pa.table({"name": names, "texts": columns[:, 0].copy(), "times": columns[:, 1].copy()})
    sums = table.group_by("name").aggregate([("texts", "sum"), ("times", "sum")])
    sums = sums.take(pc.sort_indices(sums["name"])).combine_chunks()
    name = sums["name"].combine_chunks()
    if isinstance(name, pa.ChunkedArray):
        name = name.chunk(0)
    _, offset_buffer, bytes_buffer = name.buffers()
    offset = np.frombuffer(offset_buffer, np.int64)[name.offset : name.offset + len(name) + 1]
    keys = np.frombuffer(bytes_buffer, np.uint8)[offset[0] : offset[-1]]
    counts = np.column_stack([sums[f"{column}_sum"].to_numpy() for column in ("texts", "times")])
    run = Run(keys.copy(), offset - offset[0], np.ascontiguousarray(counts, dtype=np.int64))
    pa.default_memory_pool().release_unused()  # which Arrow would keep for later
    return run


def _arrow(part: Run) -> Any:
    import pyarrow as pa

    offset = np.ascontiguousarray(part.offset)
    buffers = [None, pa.py_buffer(offset), pa.py_buffer(np.ascontiguousarray(part.keys))]
    return pa.Array.from_buffers(pa.large_binary(), len(part), buffers)


def _run(counted: Counted, order: NDArray[np.uint8] | None) -> Run:
    """Return the n-grams of one block."""
    keys, offset = counted.names.data, counted.names.offset
    table = np.zeros((len(counted.names), 2), np.int64)
    table[:, 0] = counted.documents
    if counted.times is not None:
        table[:, 1] = counted.times
    return Run(keys if order is None else order[keys], offset, table)


def _within(run: Run, low: int, high: int) -> Run:
    """Return the names that at least `low` and at most `high` texts have."""
    kept = np.flatnonzero((run.counts[:, 0] >= low) & (run.counts[:, 0] <= high))
    if len(kept) == len(run):
        return run
    names = Names(run.keys, run.offset).take(kept)
    return Run(names.data, names.offset, run.counts[kept])


def _spilled(pieces: Iterable[Run], folder: str | os.PathLike[str] | None) -> Run:
    """Write a run to files without names and return it mapped."""
    reached, total = 0, 0
    with ExitStack() as stack:  # the maps keep what they need of the files
        keys, offset, counts = (stack.enter_context(TemporaryFile(dir=folder)) for _ in Run._fields)
        offset.write(bytes(8))
        for piece in pieces:
            keys.write(np.ascontiguousarray(piece.keys).data)
            offset.write((piece.offset[1:] + reached).data)
            counts.write(np.ascontiguousarray(piece.counts).data)
            reached += int(piece.offset[-1])
            total += len(piece)
        return Run(
            _mapped(keys, np.uint8, (reached,)),
            _mapped(offset, np.int64, (total + 1,)),
            _mapped(counts, np.int64, (total, 2)),
        )


def _mapped(file: Any, kind: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    file.flush()
    return np.asarray(np.memmap(file, kind, "r", shape=shape))
