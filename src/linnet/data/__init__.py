"""Data: readers and writers, generated and built-in data sets, splits.

Names are imported from their modules when first used, so ``import linnet.data`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module

# Each module and the public names that live in it; type checkers read the same in the stub.
_NAMES = {
    "builtin": "badge_features load_badges load_iris load_pydoc load_vague_adjectives",
    "columns": "TextColumn",
    "corpora": "SentimentCorpus read_person_titles",
    "crfpp": "Template parse_template read_template",
    "examples": "Examples read_examples stream_examples",
    "files": "open_text write_atomically",
    "formats.bags": "count_words read_bags read_events write_bags write_events",
    "formats.c45": "AttributeRows read_attributes write_attributes",
    "formats.lines": "read_labelled_text write_labelled_text",
    "formats.rows": "read_rows",
    "formats.svmlight": "read_svmlight write_svmlight",
    "gaussian": "SimpleDataSet make_gaussians",
    "label_bias": "make_rib_rob rib_rob_error rib_rob_transitions",
    "limits": "line_limit",
    "recognise": "sniff_sequences",
    "rows": "RowFile RowTable",
    "sequences": "Sequences read_sequences stream_sequences",
    "splits": "folds split",
    "writing": "example_writer sequence_writer write_examples write_sequences",
    "zipf": "make_corpus write_corpus",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = list(_HOME)
__all__ += ["tags", "tiny"]


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
