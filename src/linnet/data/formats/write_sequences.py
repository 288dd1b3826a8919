"""Writing sentences, all at once or block by block."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from linnet.data.files import write_atomically
from linnet.data.formats import bare_suffix
from linnet.data.formats.sequence_common import Sequences
from linnet.errors import ParameterError

__all__ = ["sequence_writer", "write_sequences"]

_WRITERS = {
    "conll": ("conll", "write"),
    "conllu": ("conll", "write_conllu"),
    "crfsuite": ("crfsuite", "write"),
    "spans": ("spans", "write"),
    "text": ("running_text", "write"),
    "word_tag": ("word_tag", "write"),
}
_SUFFIXES = {
    ".bio": "conll",
    ".conll": "conll",
    ".conllu": "conllu",
    ".crfsuite": "crfsuite",
    ".iob": "conll",
    ".iob2": "conll",
    ".json": "spans",
    ".jsonl": "spans",
}


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
    >>> from linnet.data.sequences import read_sequences
    >>> found = read_sequences(io.BytesIO(b"Rome is old\\n"), format="text")
    >>> write_sequences("-", found, "word_tag", tags=[["NNP", "VBZ", "JJ"]])
    Rome/NNP is/VBZ old/JJ
    >>> write_sequences("-", found, "spans", tags=[["B-CITY", "O", "O"]])
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
    >>> from linnet.data.sequences import stream_sequences
    >>> with sequence_writer("-", "word_tag") as write:
    ...     for block in stream_sequences(io.BytesIO(b"He\\tPRP\\nran\\tVBD\\n")):
    ...         write(block)
    He/PRP ran/VBD
    """
    if format is not None and format not in _WRITERS:
        formats = ", ".join(sorted(_WRITERS))
        raise ParameterError(f"there is no sequence format {format!r}; choose one of {formats}")
    chosen = format or _SUFFIXES.get(bare_suffix(os.fspath(path)))
    row = 0
    with write_atomically(path) as out:

        def write(sequences: Sequences, tags: Sequence[Sequence[str]] | None = None) -> None:
            nonlocal row
            tagged = sequences if tags is None else sequences.with_tags(tags)
            out.writelines(_writer(chosen or sequences.format)(tagged, row))
            row += len(sequences)

        yield write


def _writer(format: str) -> Any:
    module, name = _WRITERS[format]
    return getattr(import_module(f"linnet.data.formats.{module}"), name)
