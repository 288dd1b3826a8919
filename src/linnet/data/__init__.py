"""Data: readers and writers, generated and built-in data sets, splits.

Names are imported from their modules when first used, so ``import linnet.data`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linnet.data import tiny
    from linnet.data.bags import (
        count_words,
        read_bags,
        read_labelled_text,
        write_bags,
        write_labelled_text,
    )
    from linnet.data.builtin import (
        badge_features,
        load_badges,
        load_iris,
        load_vague_adjectives,
    )
    from linnet.data.columns import TextColumn
    from linnet.data.corpora import SentimentCorpus, read_person_titles
    from linnet.data.docstrings import load_pydoc
    from linnet.data.examples import (
        Examples,
        example_writer,
        read_examples,
        stream_examples,
        write_examples,
    )
    from linnet.data.files import open_text, write_atomically
    from linnet.data.gaussian import SimpleDataSet, make_gaussians
    from linnet.data.splits import folds, split
    from linnet.data.svmlight import read_svmlight, write_svmlight
    from linnet.data.zipf import make_corpus, write_corpus

__all__ = [
    "Examples",
    "SentimentCorpus",
    "SimpleDataSet",
    "TextColumn",
    "badge_features",
    "count_words",
    "example_writer",
    "folds",
    "load_badges",
    "load_iris",
    "load_pydoc",
    "load_vague_adjectives",
    "make_corpus",
    "make_gaussians",
    "open_text",
    "read_bags",
    "read_examples",
    "read_labelled_text",
    "read_person_titles",
    "read_svmlight",
    "split",
    "stream_examples",
    "tiny",
    "write_atomically",
    "write_bags",
    "write_corpus",
    "write_examples",
    "write_labelled_text",
    "write_svmlight",
]

_HOME = {
    "Examples": "examples",
    "SentimentCorpus": "corpora",
    "SimpleDataSet": "gaussian",
    "TextColumn": "columns",
    "badge_features": "builtin",
    "count_words": "bags",
    "example_writer": "examples",
    "folds": "splits",
    "load_badges": "builtin",
    "load_iris": "builtin",
    "load_pydoc": "docstrings",
    "load_vague_adjectives": "builtin",
    "make_corpus": "zipf",
    "make_gaussians": "gaussian",
    "open_text": "files",
    "read_bags": "bags",
    "read_examples": "examples",
    "read_labelled_text": "bags",
    "read_person_titles": "corpora",
    "read_svmlight": "svmlight",
    "split": "splits",
    "stream_examples": "examples",
    "write_atomically": "files",
    "write_bags": "bags",
    "write_corpus": "zipf",
    "write_examples": "examples",
    "write_labelled_text": "bags",
    "write_svmlight": "svmlight",
}


def __getattr__(name: str) -> object:
    if name in _HOME:
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    elif name == "tiny":
        value = import_module(f"{__name__}.tiny")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
