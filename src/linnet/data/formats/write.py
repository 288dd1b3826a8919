"""Writing examples, all at once or block by block."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from linnet.data.files import write_atomically, write_bytes_atomically
from linnet.data.formats import (
    FORMATS,
    TABLE_FORMATS,
    check_format,
    format_of_suffix,
    line_writer,
)
from linnet.data.formats.common import Examples
from linnet.errors import DataError, ParameterError

__all__ = ["example_writer", "format_to_write", "write_examples"]

_BOTH = ("jsonl", "vw")
_FEATURES = ("amazon", "svmlight")


def write_examples(
    path: str | os.PathLike[str],
    examples: Examples,
    format: str | None = None,
    *,
    label_separator: str | None = None,
    safe_csv: bool = False,
) -> None:
    """Write examples to a file that appears whole or not at all.

    Parameters
    ----------
    path : str or path-like
        The file, compressed when it ends in ``.gz`` or ``.zst``; ``-`` is standard output.
    examples : Examples
    format : str, optional
        By default what the suffix says: ``.tsv`` is ``label<TAB>text``, ``.txt`` plain texts.
    label_separator : str, optional
        Put between several labels in one cell of a table.
    safe_csv : bool
        In CSV, put an apostrophe before cells that a spreadsheet would take for formulas. The
        file then holds these apostrophes: it is for people, not for reading back.

    Raises
    ------
    DataError
        When the format cannot express the examples.

    Examples
    --------
    >>> import io
    >>> from linnet.data.examples import read_examples
    >>> bags = read_examples(io.BytesIO(b"good:2 #label#:pos\\n"))
    >>> write_examples("-", bags, "jsonl")
    {"label": "pos", "features": {"good": 2.0}}
    """
    with example_writer(path, format, label_separator=label_separator, safe_csv=safe_csv) as write:
        write(examples)


def format_to_write(path: str | os.PathLike[str], format: str | None = None) -> str:
    """Return the format that a file is written in: the one asked for, else what its suffix says."""
    name = os.fspath(path)
    chosen = check_format(format) if format is not None else format_of_suffix(name)
    if chosen is None:
        formats = ", ".join(FORMATS)
        raise ParameterError(f"{name}: the suffix names no format; pass one of {formats}")
    if chosen in TABLE_FORMATS and name.endswith((".gz", ".zst")):
        raise ParameterError(f"{chosen} files have their own compression; drop the last suffix")
    return chosen


@contextmanager
def example_writer(
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    label_separator: str | None = None,
    safe_csv: bool = False,
) -> Iterator[Callable[[Examples], None]]:
    """Yield a function that appends examples to a file; see :func:`write_examples`.

    Examples
    --------
    >>> import io
    >>> from linnet.data.examples import stream_examples
    >>> path = getfixture("tmp_path") / "two.jsonl"
    >>> with example_writer(path) as write:
    ...     for block in stream_examples(io.BytesIO(b"pos\\tfine\\nneg\\tdull\\n")):
    ...         write(block)
    >>> print(path.read_text(), end="")
    {"label": "pos", "text": "fine"}
    {"label": "neg", "text": "dull"}
    """
    chosen = format_to_write(path, format)
    if chosen in TABLE_FORMATS:
        with _table_writer(path, chosen) as write_table:
            yield write_table
        return
    lines = line_writer(chosen)
    if safe_csv and chosen != "csv":
        raise ParameterError(f"only CSV has a safe form, and {os.fspath(path)} becomes {chosen}")
    if chosen in ("csv", "tsv"):
        mark = "\t" if chosen == "tsv" else ","
        lines = partial(lines, delimiter=mark, label_separator=label_separator, safe=safe_csv)
    row = 0
    with write_atomically(path) as out:

        def write(examples: Examples) -> None:
            nonlocal row
            _refuse(examples, chosen)
            out.writelines(lines(examples, row))
            row += len(examples)

        yield write


@contextmanager
def _table_writer(
    path: str | os.PathLike[str], format: str
) -> Iterator[Callable[[Examples], None]]:
    from linnet.data.formats.arrow import TableWriter

    with write_bytes_atomically(path) as out:
        writer = TableWriter(out, format)

        def write(examples: Examples) -> None:
            _refuse(examples, format)
            writer.write(examples)

        try:
            yield write
        finally:
            writer.close()


def _refuse(examples: Examples, format: str) -> None:
    """Raise the error for what a format can never hold."""
    features = examples.kind != "text"
    if format not in _BOTH and features != (format in _FEATURES):
        can = (*_BOTH, *_FEATURES) if features else (*_BOTH, "csv", "labelled", "parquet")
        held = "bags or vectors of features" if features else "texts"
        raise DataError(f"the format {format} cannot hold {held}; these can: {', '.join(can)}")
    if format == "text" and examples.y is not None:
        raise DataError("plain text lines cannot hold labels; read without labels to drop them")
    if format == "labelled" and examples.y is None:
        raise DataError("label<TAB>text lines need labels, and the examples have none; write .txt")
    if format in ("labelled", "svmlight", "amazon") and examples.multilabel:
        raise DataError(
            f"the format {format} holds one label a line; write jsonl, fasttext or parquet"
        )
