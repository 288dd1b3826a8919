"""File formats of flat classification, one module a family, named as the command line names them.

A line format has a reader ``read(blocks, plan) -> Iterator[Examples]`` and a writer
``write(examples, row) -> Iterator[str]``; :data:`LINE_FORMATS` says where they are. Parquet and
Arrow files are read and written by :mod:`linnet.data.formats.arrow`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import PurePath
from typing import Any

from linnet.errors import ParameterError

__all__ = [
    "FORMATS",
    "LINE_FORMATS",
    "TABLE_FORMATS",
    "bare_suffix",
    "check_format",
    "format_of_suffix",
    "line_reader",
    "line_writer",
]

#: Name, and module with the names of reader and writer.
LINE_FORMATS = {
    "amazon": ("sparse", "read_amazon", "write_amazon"),
    "csv": ("delimited", "read", "write"),
    "fasttext": ("fasttext", "read", "write"),
    "jsonl": ("jsonl", "read", "write"),
    "labelled": ("lines", "read_labelled", "write_labelled"),
    "svmlight": ("sparse", "read_vectors", "write_vectors"),
    "text": ("lines", "read_text", "write_text"),
    "tsv": ("delimited", "read", "write"),
    "vw": ("vw", "read", "write"),
}
TABLE_FORMATS = ("arrow", "parquet")
FORMATS = tuple(sorted([*LINE_FORMATS, *TABLE_FORMATS]))

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


def check_format(name: str) -> str:
    """Return the name of a format if there is one of that name."""
    if name not in FORMATS:
        raise ParameterError(f"there is no format {name!r}; choose one of {', '.join(FORMATS)}")
    return name


def line_reader(name: str) -> Any:
    """Return the reader of a line format."""
    module, reader, _ = LINE_FORMATS[name]
    return getattr(import_module(f"{__name__}.{module}"), reader)


def line_writer(name: str) -> Any:
    """Return the writer of a line format."""
    module, _, writer = LINE_FORMATS[name]
    return getattr(import_module(f"{__name__}.{module}"), writer)
