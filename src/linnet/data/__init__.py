"""Data: readers and writers, generated and built-in data sets, splits.

Names are imported from their modules when first used, so ``import linnet.data`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linnet.data import tags, tiny
    from linnet.data.attributes import AttributeRows, read_attributes, write_attributes
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
    from linnet.data.crfpp import Template, parse_template, read_template
    from linnet.data.docstrings import load_pydoc
    from linnet.data.events import read_events, write_events
    from linnet.data.examples import (
        Examples,
        example_writer,
        read_examples,
        stream_examples,
        write_examples,
    )
    from linnet.data.files import open_text, write_atomically
    from linnet.data.gaussian import SimpleDataSet, make_gaussians
    from linnet.data.label_bias import make_rib_rob, rib_rob_error, rib_rob_transitions
    from linnet.data.limits import line_limit
    from linnet.data.row_files import read_rows
    from linnet.data.rows import RowFile, RowTable
    from linnet.data.sequences import (
        Sequences,
        read_sequences,
        sequence_writer,
        stream_sequences,
        write_sequences,
    )
    from linnet.data.sniff_sequences import sniff_sequences
    from linnet.data.splits import folds, split
    from linnet.data.svmlight import read_svmlight, write_svmlight
    from linnet.data.zipf import make_corpus, write_corpus

__all__ = [
    "AttributeRows",
    "Examples",
    "RowFile",
    "RowTable",
    "SentimentCorpus",
    "Sequences",
    "SimpleDataSet",
    "Template",
    "TextColumn",
    "badge_features",
    "count_words",
    "example_writer",
    "folds",
    "line_limit",
    "load_badges",
    "load_iris",
    "load_pydoc",
    "load_vague_adjectives",
    "make_corpus",
    "make_gaussians",
    "make_rib_rob",
    "open_text",
    "parse_template",
    "read_attributes",
    "read_bags",
    "read_events",
    "read_examples",
    "read_labelled_text",
    "read_person_titles",
    "read_rows",
    "read_sequences",
    "read_svmlight",
    "read_template",
    "rib_rob_error",
    "rib_rob_transitions",
    "sequence_writer",
    "sniff_sequences",
    "split",
    "stream_examples",
    "stream_sequences",
    "tags",
    "tiny",
    "write_atomically",
    "write_attributes",
    "write_bags",
    "write_corpus",
    "write_events",
    "write_examples",
    "write_labelled_text",
    "write_sequences",
    "write_svmlight",
]

_HOME = {
    "AttributeRows": "attributes",
    "Examples": "examples",
    "RowFile": "rows",
    "RowTable": "rows",
    "SentimentCorpus": "corpora",
    "Sequences": "sequences",
    "SimpleDataSet": "gaussian",
    "Template": "crfpp",
    "TextColumn": "columns",
    "badge_features": "builtin",
    "count_words": "bags",
    "example_writer": "examples",
    "folds": "splits",
    "line_limit": "limits",
    "load_badges": "builtin",
    "load_iris": "builtin",
    "load_pydoc": "docstrings",
    "load_vague_adjectives": "builtin",
    "make_corpus": "zipf",
    "make_gaussians": "gaussian",
    "make_rib_rob": "label_bias",
    "open_text": "files",
    "parse_template": "crfpp",
    "read_attributes": "attributes",
    "read_bags": "bags",
    "read_events": "events",
    "read_examples": "examples",
    "read_labelled_text": "bags",
    "read_person_titles": "corpora",
    "read_rows": "row_files",
    "read_sequences": "sequences",
    "read_svmlight": "svmlight",
    "read_template": "crfpp",
    "rib_rob_error": "label_bias",
    "rib_rob_transitions": "label_bias",
    "sequence_writer": "sequences",
    "sniff_sequences": "sniff_sequences",
    "split": "splits",
    "stream_examples": "examples",
    "stream_sequences": "sequences",
    "write_atomically": "files",
    "write_attributes": "attributes",
    "write_bags": "bags",
    "write_corpus": "zipf",
    "write_events": "events",
    "write_examples": "examples",
    "write_labelled_text": "bags",
    "write_sequences": "sequences",
    "write_svmlight": "svmlight",
}


def __getattr__(name: str) -> object:
    if name in _HOME:
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    elif name in ("tags", "tiny"):
        value = import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
