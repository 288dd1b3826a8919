"""Writing examples and sentences, all at once or block by block."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from linnet.data.files import write_atomically, write_bytes_atomically
from linnet.data.formats import (
    FORMATS,
    TABLE_FORMATS,
    bare_suffix,
    check_format,
    check_sequence_format,
    format_module,
    format_of_suffix,
    sequence_format_of_suffix,
)
from linnet.data.formats.common import Examples, Plan
from linnet.data.formats.sequence_common import Sequences
from linnet.errors import DataError, ParameterError

__all__ = [
    "example_writer",
    "format_to_write",
    "sequence_writer",
    "write_examples",
    "write_sequences",
]

_BOTH = ("jsonl", "vw")
_FEATURES = ("amazon", "events", "svmlight")


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
    >>> from linnet.data import read_examples
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
    >>> from linnet.data import stream_examples
    >>> path = getfixture("tmp_path") / "two.jsonl"
    >>> with example_writer(path) as write:
    ...     for block in stream_examples(io.BytesIO(b"pos\\tfine\\nneg\\tdull\\n")):
    ...         write(block)
    >>> print(path.read_text(), end="")
    {"label": "pos", "text": "fine"}
    {"label": "neg", "text": "dull"}
    """
    chosen, name = format_to_write(path, format), os.fspath(path)
    if safe_csv and chosen != "csv":
        raise ParameterError(f"only CSV has a safe form, and {name} becomes {chosen}")
    plan = Plan(name, chosen, label_separator=label_separator, safe_csv=safe_csv)
    opened = _table_writer if chosen in TABLE_FORMATS else _line_writer
    with opened(path, format_module(chosen)) as append:

        def write(examples: Examples) -> None:
            _refuse(examples, chosen)
            append(examples, plan)

        yield write


@contextmanager
def _line_writer(
    path: str | os.PathLike[str], module: Any = None
) -> Iterator[Callable[[Any, Plan], None]]:
    """Yield a function that appends blocks to a file of lines, counting what is written.

    Without a module the plan of each block names a format of sentences.
    """
    row = 0
    with write_atomically(path) as out:

        def append(block: Any, plan: Plan) -> None:
            nonlocal row
            lines = (module or format_module(plan.format, sentences=True)).write
            out.writelines(lines(block, row, plan))
            row += len(block)

        yield append


@contextmanager
def _table_writer(
    path: str | os.PathLike[str], module: Any
) -> Iterator[Callable[[Any, Plan], None]]:
    with write_bytes_atomically(path) as out:
        writer = module.TableWriter(out)
        try:
            yield writer.write
        finally:
            writer.close()


def _refuse(examples: Examples, format: str) -> None:
    """Raise the error for what a format can never hold."""
    features = examples.kind != "text"
    if format not in _BOTH and features != (format in _FEATURES):
        can = (*_BOTH, *_FEATURES) if features else (*_BOTH, "csv", "labelled", "parquet")
        held = "bags or vectors of features" if features else "texts"
        raise DataError(f"the format {format} cannot hold {held}; these can: {', '.join(can)}")
    if format in ("labelled", *_FEATURES) and examples.multilabel:
        raise DataError(
            f"the format {format} holds one label a line; write jsonl, fasttext or parquet"
        )


def write_sequences(
    path: str | os.PathLike[str],
    sequences: Sequences,
    format: str | None = None,
    *,
    tags: Sequence[Sequence[str]] | None = None,
) -> None:
    """Write sentences to a file that appears whole or not at all.

    Parameters
    ----------
    path : str or path-like
        The file, compressed when it ends in ``.gz`` or ``.zst``; ``-`` is standard output.
    sequences : Sequences
    format : str, optional
        By default what the suffix says, else the format the sentences were read from.
    tags : list of lists of str, optional
        Written in the place of the sentences' own tags.

    Raises
    ------
    DataError
        When the format cannot express the sentences.

    Examples
    --------
    >>> import io
    >>> from linnet.data import read_sequences
    >>> sentences = read_sequences(io.BytesIO(b"Rome is old\\n"), format="text")
    >>> write_sequences("-", sentences, "word_tag", tags=[["NNP", "VBZ", "JJ"]])
    Rome/NNP is/VBZ old/JJ
    >>> write_sequences("-", sentences, "spans", tags=[["B-CITY", "O", "O"]])
    {"text": "Rome is old", "spans": [{"start": 0, "end": 4, "label": "CITY"}]}
    """
    with sequence_writer(path, format) as write:
        write(sequences, tags)


@contextmanager
def sequence_writer(
    path: str | os.PathLike[str], format: str | None = None
) -> Iterator[Callable[..., None]]:
    """Yield a function that appends sentences to a file; see :func:`write_sequences`.

    The function takes sentences and, optionally, the tags to write in the place of their own.

    Examples
    --------
    >>> import io
    >>> from linnet.data import stream_sequences
    >>> with sequence_writer("-", "word_tag") as write:
    ...     for block in stream_sequences(io.BytesIO(b"He\\tPRP\\nran\\tVBD\\n")):
    ...         write(block)
    He/PRP ran/VBD
    """
    if format is not None:
        check_sequence_format(format)
    name = os.fspath(path)
    objects = bare_suffix(name) in (".json", ".jsonl")
    chosen = format or ("spans" if objects else sequence_format_of_suffix(name))
    with _line_writer(path) as append:

        def write(sequences: Sequences, tags: Sequence[Sequence[str]] | None = None) -> None:
            tagged = sequences if tags is None else sequences.with_tags(tags)
            append(tagged, Plan(name, chosen or sequences.format))

        yield write
