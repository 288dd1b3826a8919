"""File formats, one module each, named as the command line names them.

A format of lines has ``read(blocks, plan)``, which yields the examples or sentences of each block,
and ``write(block, row, plan)``, which yields the lines of a block after `row` others. Where lines
alone tell the format it has ``recognise``, which says why they are its own.
Parquet and Arrow files have no lines: see :mod:`linnet.data.formats.arrow`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import PurePath
from typing import Any

from linnet.errors import ParameterError

__all__ = [
    "FORMATS",
    "SEQUENCE_FORMATS",
    "TABLE_FORMATS",
    "bare_suffix",
    "check_format",
    "check_sequence_format",
    "format_module",
    "format_of_suffix",
    "sequence_format_of_suffix",
]

_EXAMPLES = {
    "amazon": "bags",
    "arrow": "arrow",
    "csv": "delimited",
    "events": "events",
    "fasttext": "fasttext",
    "jsonl": "jsonl",
    "labelled": "lines",
    "parquet": "arrow",
    "svmlight": "svmlight",
    "text": "lines",
    "tsv": "delimited",
    "vw": "vw",
}
_SENTENCES = {
    "conll": "conll",
    "conllu": "conllu",
    "crfsuite": "crfsuite",
    "spans": "spans",
    "text": "running_text",
    "word_tag": "word_tag",
}
FORMATS = tuple(_EXAMPLES)
SEQUENCE_FORMATS = tuple(_SENTENCES)
TABLE_FORMATS = ("arrow", "parquet")

_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "labelled",
    ".tab": "tsv",
    ".txt": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ft": "fasttext",
    ".fasttext": "fasttext",
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".vw": "vw",
    ".review": "amazon",
    ".events": "events",
}
_SENTENCE_SUFFIXES = {
    ".bio": "conll",
    ".conll": "conll",
    ".conllu": "conllu",
    ".crfsuite": "crfsuite",
    ".iob": "conll",
    ".iob2": "conll",
    ".iobes": "conll",
}


def bare_suffix(name: str) -> str:
    """Return a file name's last suffix in lower case, not counting that of a compression.

    Examples
    --------
    >>> bare_suffix("reviews.CSV.gz")
    '.csv'
    """
    path = PurePath(name)
    return PurePath(path.stem if path.suffix in (".gz", ".zst") else path.name).suffix.lower()


def format_of_suffix(name: str) -> str | None:
    """Return the format a file of this name is written in; None when the suffix says nothing."""
    return _SUFFIXES.get(bare_suffix(name))


def sequence_format_of_suffix(name: str) -> str | None:
    """Return the format of sentences that a file name tells; None when it tells none."""
    return _SENTENCE_SUFFIXES.get(bare_suffix(name))


def check_format(name: str) -> str:
    """Return the name of a format if there is one of that name."""
    if name not in FORMATS:
        raise ParameterError(f"there is no format {name!r}; choose one of {', '.join(FORMATS)}")
    return name


def check_sequence_format(name: str) -> str:
    """Return the name of a sequence format if there is one of that name."""
    if name not in SEQUENCE_FORMATS:
        formats = ", ".join(SEQUENCE_FORMATS)
        raise ParameterError(f"there is no sequence format {name!r}; choose one of {formats}")
    return name


def format_module(name: str, *, sentences: bool = False) -> Any:
    """Return the module that reads and writes a format, of examples or of sentences."""
    return import_module(f"{__name__}.{(_SENTENCES if sentences else _EXAMPLES)[name]}")
