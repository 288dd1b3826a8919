"""Reading labelled examples in any of the flat formats.

:func:`read_examples` reads a whole file, :func:`stream_examples` the same file block by block in
bounded memory. What a file holds is found out from its start (:mod:`linnet.data.recognise`); any of
that can be overruled by an option.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, Literal

import numpy as np

from linnet.data.columns import TextColumn
from linnet.data.files import Source, open_bytes, source_name
from linnet.data.formats import TABLE_FORMATS, format_module
from linnet.data.formats.blocks import Prefixed, text_blocks
from linnet.data.formats.common import Examples, at_least_one, takes_what
from linnet.data.hidden import leaving_out
from linnet.data.inputs import joined_tables, refuse_columns
from linnet.data.recognise import Wishes, sniff
from linnet.data.roles import with_roles
from linnet.errors import FormatError, ParameterError

__all__ = ["Examples", "read_examples", "stream_examples"]

_BLOCK = 1 << 24
_SMALL_BLOCK = 1 << 20
_TABLE_MAGIC = (b"PAR1", b"ARROW1")


def stream_examples(
    source: Source,
    *,
    format: str | None = None,
    text: str | int | None = None,
    columns: Mapping[str, str] | None = None,
    label: str | int | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    quoting: bool | None = None,
    encoding: str = "utf-8",
    errors: Literal["strict", "replace"] = "strict",
    nulls: Literal["error", "empty"] = "error",
    labels: bool = True,
    label_separator: str | None = None,
    n_features: int | None = None,
    limit: int | None = None,
    block_bytes: int | None = _BLOCK,
) -> Iterator[Examples]:
    """Read a file block by block, in memory that does not grow with the file.

    Takes what :func:`read_examples` takes. The first block decides what the file holds. From a
    pipe, whole lines are yielded as soon as they have arrived.

    Parameters
    ----------
    block_bytes : int, optional
        About how many bytes make a block; None makes one block of the whole file.

    Examples
    --------
    >>> import io
    >>> lines = io.BytesIO(b"a fine film\\na bore\\n" * 1000)
    >>> sum(len(block) for block in stream_examples(lines, block_bytes=4096))
    2000
    """
    for name, value in (("block_bytes", block_bytes), ("limit", limit)):
        if value is not None and value < 1:
            raise ParameterError(f"{name} must be at least 1, got {value}")
    if nulls not in ("error", "empty"):
        raise ParameterError(f"nulls must be 'error' or 'empty', not {nulls!r}")
    if label_separator == "":
        raise ParameterError("label_separator must not be empty")
    if columns is not None and text is not None:
        raise ParameterError("text names the only column that is read; name it in columns instead")
    wishes = Wishes(format, text, label, header, delimiter, quoting, labels, columns)
    options = {
        "labels": labels,
        "label_separator": label_separator,
        "nulls": nulls,
        "errors": errors,
        "n_features": n_features,
    }
    table, source = _table_or_lines(source)
    if table is not None:
        blocks = _table_blocks(table, source_name(source), wishes, options, block_bytes)
    else:
        lines = text_blocks(source, block_bytes, encoding, errors, eager=True)
        blocks = _line_blocks(lines, source_name(source), wishes, options)
    try:
        yield from blocks if limit is None else _first(blocks, limit)
    finally:
        if isinstance(source, Prefixed):
            source.close()


@takes_what(stream_examples)
def read_examples(source: Source, *, limit: int | None = None, **options: Any) -> Examples:
    """Read the examples of a file.

    Parameters
    ----------
    source : path or file
        Plain, ``.gz`` or ``.zst``; ``-`` is standard input; or an open file.
    format : str, optional
        One of ``linnet.data.formats.FORMATS``; found out by default.
    text, label : str or int, optional
        The column (or JSON key) of the text and of the label, by name or by number from 1.
    columns : dict, optional
        In place of one text, several columns of a table: from name (or number) to what the column
        holds, "text", "category" or "number". `X` is then a table of these.
    header : bool, optional
        Whether the first row of a table names its columns.
    delimiter : str, optional
        What separates the columns of a table.
    quoting : bool, optional
        Whether a cell that starts with a quote ends at the closing quote. By default always in
        CSV files, and in tab-separated files only if the quotes are evidently meant so.
    encoding : str
    errors : {"strict", "replace"}
        Whether bytes that do not decode are an error or become U+FFFD.
    nulls : {"error", "empty"}
        Whether a null text (JSONL, Parquet) is an error or an empty text.
    labels : bool
        False leaves labels unread; `y` is None.
    label_separator : str, optional
        What separates several labels in one cell; `y` is then a list of lists.
    n_features : int, optional
        Width of the matrix of an SVMlight file.
    limit : int, optional
        Read no more than so many examples.

    Returns
    -------
    :class:`Examples`
        The examples and what was found out about the file.

    Raises
    ------
    FormatError
        With file, line and column, for whatever does not follow the format.

    Examples
    --------
    >>> import io
    >>> examples = read_examples(io.BytesIO(b"pos\\ta fine film\\nneg\\ta bore\\n"))
    >>> examples.format, examples.y, examples.X.to_list()
    ('labelled', ['pos', 'neg'], ['a fine film', 'a bore'])
    """
    size = None if limit is None else _SMALL_BLOCK
    blocks = stream_examples(source, limit=limit, block_bytes=size, **options)
    examples = _joined(list(blocks))
    if examples.format == "text" and not examples.X.nbytes and limit is None:
        raise FormatError("the file holds only blank lines", file=source_name(source))
    return examples


def _first(blocks: Iterator[Examples], limit: int) -> Iterator[Examples]:
    """Yield the first examples of a stream."""
    for block in blocks:
        if len(block) >= limit:
            yield block.take(slice(limit))
            return
        yield block
        limit -= len(block)


def _line_blocks(
    lines: Iterator[tuple[int, bytes]], name: str, wishes: Wishes, options: dict[str, Any]
) -> Iterator[Examples]:
    first = next(lines, None)
    plan = replace(sniff(b"" if first is None else first[1], name, wishes), **options)
    refuse_columns(plan, wishes)
    if plan.format in TABLE_FORMATS:
        raise FormatError(f"a {plan.format} file cannot be compressed as a whole", file=name)
    assert first is not None  # sniff refuses an empty file
    blocks = leaving_out(format_module(plan.format), chain([first], lines), plan)
    what = "a header but no rows" if plan.header else "no example, only blank lines"
    yield from at_least_one(blocks, name, what)


def _table_blocks(
    table: Any, name: str, wishes: Wishes, options: dict[str, Any], block_bytes: int | None
) -> Iterator[Examples]:
    plan = sniff(table[:8] if isinstance(table, bytes) else _head(table), name)
    if wishes.format not in (None, plan.format):
        raise FormatError(f"this is a {plan.format} file, not {wishes.format}", file=name)
    file = io.BytesIO(table) if isinstance(table, bytes) else table
    module = format_module(plan.format)
    columns, rows = module.sample(file, name, plan.format)
    why = (f"{plan.format}: by the first bytes of the file",)
    plan = replace(plan, header=True, columns=columns, decisions=why, **options)
    plan = with_roles(plan, rows, wishes)
    if not rows:
        raise FormatError("the file holds no row", file=name)
    yield from module.read(file, plan, block_bytes)


def _table_or_lines(source: Source) -> tuple[Any, Source]:
    """Return a Parquet or Arrow file as a path or bytes, or None; and the source to go on with."""
    if isinstance(source, (str, os.PathLike)) and source != "-" and os.path.isfile(source):
        return (os.fspath(source) if _head(source).startswith(_TABLE_MAGIC) else None), source
    # a stream, or a pipe that has a name: what is read of it must not be lost
    file: Any = open_bytes(source) if isinstance(source, (str, os.PathLike)) else source
    head = (getattr(file, "read1", None) or file.read)(1 << 16)
    prefixed = Prefixed(head, file, source_name(source), owned=file is not source)
    if isinstance(head, bytes) and head.startswith(_TABLE_MAGIC):
        whole = head + file.read()
        prefixed.close()
        return whole, source
    return None, prefixed  # type: ignore[return-value]


def _head(path: str | os.PathLike[str]) -> bytes:
    """Return the first bytes of a file as they are."""
    with open(path, "rb") as file:
        return file.read(8)


def _joined(blocks: list[Examples]) -> Examples:
    """Return the blocks of a file as one."""
    if len(blocks) == 1:
        return blocks[0]
    first = blocks[0]
    y: list[Any] | None = None
    if any(block.y is not None for block in blocks):
        y = [label for block in blocks for label in (block.y or [])]
        if any(block.multilabel for block in blocks):
            y = [label if isinstance(label, list) else [label] for label in y]
    ids = None
    if all(block.ids is not None for block in blocks):
        ids = [name for block in blocks for name in (block.ids or [])]
    lines = np.concatenate([block.lines for block in blocks])
    X = _joined_features([block.X for block in blocks], first.kind)
    return Examples(first.kind, X, y, first.format, lines, first.decisions, ids)


def _joined_features(parts: list[Any], kind: str) -> Any:
    if kind == "text":
        return TextColumn.concatenate(parts)
    if kind == "bag":
        return [bag for part in parts for bag in part]
    if kind == "columns":
        return joined_tables(parts)
    from scipy.sparse import csr_matrix, vstack

    width = max(part.shape[1] for part in parts)
    for part in parts:
        part.resize(part.shape[0], width)
    return csr_matrix(vstack(parts))
