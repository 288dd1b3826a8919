"""Where examples come from: bags, data frames and delayed parts of Dask, or files."""

from __future__ import annotations

import glob
import os
from typing import Any, NamedTuple

from linnet.errors import DataError, ParameterError
from linnet.scale.training.pieces import Form, Piece, Stretch
from linnet.scale.workers import Cluster
from linnet.stream.sources import files_of

__all__ = ["Parts", "parts_of"]

_PARTS = 16  # into which files are cut, while these are neither small nor large
_COMPRESSION = 3
_LEAST, _MOST = 1 << 16, 1 << 25  # bytes


class Parts(NamedTuple):
    """The futures of pieces, in the order of the examples, and a name for each."""

    names: list[str]
    pieces: list[Any]


def parts_of(cluster: Cluster, source: Any, form: Form, part_bytes: int | None) -> Parts:
    """Return the parts of a source; from here on they stay on the workers.

    Their number and order depend on the source alone, never on the workers.
    """
    if part_bytes is not None and (isinstance(part_bytes, bool) or int(part_bytes) < 1):
        raise ParameterError(f"part_bytes must be a number of bytes, got {part_bytes!r}")
    values = _partitions(cluster, source)
    if values is None:
        return _of_files(cluster, source, form, part_bytes)
    if not values:
        raise DataError("the source has no partitions")
    names = [f"partition {k + 1} of {len(values)}" for k in range(len(values))]
    cluster.settle(names)
    cluster.name(values)
    return Parts(names, cluster.each(_piece, form, values))


def _partitions(cluster: Cluster, source: Any) -> list[Any] | None:
    """Return the futures of the partitions of a collection; None when the source names files."""
    from dask.delayed import Delayed
    from distributed import Future

    if isinstance(source, tuple) and len(source) == 2 and all(map(_is_array, source)):
        return list(cluster.client.compute(_zipped(*source)))
    if hasattr(source, "to_delayed"):
        source = source.to_delayed()
    if isinstance(source, Delayed):
        source = [source]
    if isinstance(source, (list, tuple)) and source:
        if all(isinstance(part, Delayed) for part in source):
            return list(cluster.client.compute(list(source)))
        if all(isinstance(part, Future) for part in source):
            return list(source)
    if isinstance(source, (str, os.PathLike)) or (
        isinstance(source, (list, tuple))
        and all(isinstance(name, (str, os.PathLike)) for name in source)
    ):
        return None
    raise ParameterError(
        "source must be a bag, a data frame or a pair of arrays of Dask, a list of delayed parts, "
        f"or names of files, not {type(source).__name__}"
    )


def _is_array(part: Any) -> bool:
    return hasattr(part, "to_delayed") and hasattr(part, "chunks") and hasattr(part, "numblocks")


def _zipped(X: Any, y: Any) -> list[Any]:
    """Return delayed pairs of the chunks of two arrays."""
    from dask.delayed import delayed

    if X.ndim != 2 or y.ndim != 1 or X.numblocks[1] != 1 or X.numblocks[0] != y.numblocks[0]:
        raise ParameterError(
            "X and y must be arrays of Dask with the same chunks of rows, and X must not be cut "
            "into columns; X.rechunk({1: -1}) and y.rechunk((X.chunks[0],)) make them so"
        )
    pairs = zip(X.to_delayed()[:, 0], y.to_delayed(), strict=True)
    return [delayed(tuple)([rows, labels]) for rows, labels in pairs]


def _of_files(cluster: Cluster, source: Any, form: Form, part_bytes: int | None) -> Parts:
    names = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    patterns = [_absolute(os.fspath(name)) for name in names]
    cluster.settle(["the list of files"])
    files = cluster.fetch(cluster.one(_listed, 0, patterns))
    total = sum(size for _, size in files)
    wanted = part_bytes or min(max(total // _PARTS, _LEAST), _MOST)
    cluster.settle([file for file, _ in files])
    cuts = [
        cluster.one(_cut, k, form, file, wanted) if size > wanted else [whole(file, wanted)]
        for k, (file, size) in enumerate(files)
    ]
    stretches = [stretch for cut in cluster.fetch(cuts) for stretch in cut]
    shown = [
        stretch.file if stretch.end is None and not stretch.start.rows
        else f"{stretch.file} from example {stretch.start.rows + 1} on"
        for stretch in stretches
    ]  # fmt: skip
    cluster.settle(shown)
    return Parts(shown, cluster.each(_read, form, stretches))


def whole(file: str, block_bytes: int) -> Stretch:
    """Return the stretch that is a whole file."""
    from linnet.stream.sources import Place

    return Stretch(file, Place(), None, min(block_bytes, 1 << 20))


def _absolute(name: str) -> str:
    """Return a name that means the same in the folder of a worker."""
    if name == "-":
        raise ParameterError("workers cannot read standard input; name files")
    return name if "://" in name else os.path.abspath(name)


def _listed(patterns: list[str]) -> list[tuple[str, int]]:
    """Return the files that patterns stand for where a worker is, and their sizes."""
    files = files_of(patterns)
    for file in files:
        if not os.path.isfile(file) and not glob.has_magic(file):
            raise DataError(f"{file} is no file here; every worker must see the files")
    return [(file, os.path.getsize(file) * _packed(file)) for file in files]


def _packed(file: str) -> int:
    """Return about how many bytes of text a byte of a file is."""
    return _COMPRESSION if os.path.splitext(file)[1] in (".gz", ".zst") else 1


def _cut(form: Form, file: str, part_bytes: int) -> list[Stretch]:
    return form.cuts(file, part_bytes)


def _read(form: Form, stretch: Stretch) -> Piece:
    return form.read(stretch)


def _piece(form: Form, value: Any) -> Piece:
    return form.piece(value)
