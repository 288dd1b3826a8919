"""Sentences of items, as CRFsuite and python-crfsuite have them: the user makes the attributes.

An item is a list of attributes, or a dictionary: a number is the value of its key, a text makes the
attribute ``key:text`` of value 1, and a list, set or dictionary within has its attributes behind
``key:``. A token that is a text is its only attribute. Of a file each column of a token is an
attribute, with a value behind a colon if it has one, as in CRFsuite's own data files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.data.formats.sequence_common import Sequences
from linnet.errors import DataError, ModelFileError
from linnet.foreign.crfsuite_file import CrfsuiteFile
from linnet.model.readers.tokens import Tokens, read_tokens, tokens_of_text
from linnet.text.names import Names
from linnet.text.stored import checked_array
from linnet.text.token_extractor import TokenRows

__all__ = ["ItemReader", "ItemTokens"]

Arrays = dict[str, NDArray[Any]]
_COLON = re.compile(r"(?<!\\)((?:\\\\)*):([^:]*)$")
_ESCAPED = re.compile(r"\\([:\\])")


@dataclass(frozen=True)
class ItemTokens(Tokens):
    """Tokens that bring their attributes along, and are shown by the first of these."""

    rows: TokenRows
    sentences: Sequence[Any] = ()

    def strings(self, column: int) -> list[str]:
        """Return what is shown of each token."""
        if self.columns:
            return super().strings(column)
        return [_spelled(item) for sentence in self.sentences for item in sentence]


@dataclass
class ItemReader:
    """Sentences whose tokens are items.

    Attributes
    ----------
    names : Names
        The attributes that have weights, by their numbers.
    file : CrfsuiteFile, optional
        A file that holds these attributes, and in whose tables they are looked up.
    """

    names: Names
    column_models: tuple[Any, ...] = ()
    file: CrfsuiteFile | None = None
    kind = "sequence"
    keys = ("reader",)
    n_columns = 1
    known_words: frozenset[str] = frozenset()
    takes_attributes = True

    @property
    def extractor(self) -> ItemReader:
        """What makes features: this itself."""
        return self

    @property
    def n_features(self) -> int:
        """The number of attributes."""
        return len(self.names)

    @cached_property
    def _table(self) -> _core.Attributes:
        return _core.Attributes(self.names.data, self.names.offset)

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in vars(self).items() if name != "_table"}
        return {**kept, "file": None}

    def check(self) -> None:
        """Refuse names that are there twice."""
        try:
            self._table  # noqa: B018
        except ValueError as error:
            raise DataError(str(error)) from None

    def complete(self, sentences: Any) -> ItemTokens:
        """Return the tokens of sentences with their attributes."""
        if isinstance(sentences, ItemTokens):
            return sentences
        if isinstance(sentences, Sequences) and sentences.attributes is not None:
            columns = () if sentences.word is None else (sentences.words,)
            return self._read(sentences.features(), columns)
        if isinstance(sentences, (Tokens, Sequences)):
            tokens = read_tokens(sentences)
            return self._read(_cells(tokens), tokens.columns)
        if isinstance(sentences, (str, bytes, Mapping)) or not isinstance(sentences, Iterable):
            kind = type(sentences).__name__
            raise DataError(f"Expected a list of sentences, each a list of items; got {kind}.")
        return self._read(sentences if isinstance(sentences, list) else list(sentences))

    def _read(self, sentences: list[Any], columns: tuple[Any, ...] = ()) -> ItemTokens:
        try:
            if self.file is None:
                found = _core.read_items(self._table, sentences)
            else:
                found = self.file.ask(_core.read_items, self.file.core, sentences)
        except ModelFileError:
            raise
        except (TypeError, ValueError) as error:
            raise DataError(
                f"A sentence is a list of items, an item a list of str or a dictionary: {error}."
            ) from None
        offset, start = (
            np.empty(found.sentences + 1, np.int64),
            np.empty(found.tokens + 1, np.int64),
        )
        index, value = np.empty(found.stored, np.int32), np.empty(found.stored)
        found.copy(offset, start, index, value)
        rows = TokenRows(start, index, self.n_features, value)
        return ItemTokens(columns, offset, rows, sentences)

    def rows(self, tokens: ItemTokens, threads: int | None) -> TokenRows:
        """Return the attributes of tokens."""
        return tokens.rows

    def one(self, example: Any) -> ItemTokens:
        """Return one sentence, a list of items or raw text, as tokens."""
        if isinstance(example, str):
            return self.complete(tokens_of_text(example)[0])
        return self.complete(example if isinstance(example, Tokens) else [example])

    def feature_name(self, column: int) -> str:
        """Return the name of an attribute."""
        return self.names[column]

    def card(self) -> list[tuple[str, str]]:
        """Return what is looked at, for people."""
        return [("reads", "items: lists or dictionaries of attributes")]

    def to_file(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the reader."""
        return {"reader": "items"}, {"names": self.names.data, "names_offset": self.names.offset}

    @classmethod
    def from_file(cls, config: Mapping[str, Any], arrays: Arrays) -> ItemReader:
        """Return the reader of a file, after checking it."""
        raw = checked_array(arrays, "names", np.uint8)
        reader = cls(Names(raw, checked_array(arrays, "names_offset", np.int64)))
        reader.check()
        return reader


def _spelled(item: Any) -> str:
    """Return an item for people: its word if it has one, else its first attribute.

    Examples
    --------
    >>> _spelled({"lower": "rome", "word": "Rome"}), _spelled(["w=Rome", "cap"]), _spelled("Rome")
    ('Rome', 'w=Rome', 'Rome')
    """
    if isinstance(item, str):
        return item
    if isinstance(item, Mapping):
        key = next((key for key in ("word", "w", "token", *item) if key in item), "")
        return item[key] if isinstance(item.get(key), str) else str(key)
    if isinstance(item, Sequence) and item:
        return str(item[0])
    return "_"


def _cells(tokens: Tokens) -> list[list[dict[str, float]]]:
    """Return the attributes in the columns of each token, with their values.

    Examples
    --------
    >>> _cells(read_tokens([[("w=a\\\\:b", "len:2.5")]]))
    [[{'w=a:b': 1.0, 'len': 2.5}]]
    """
    columns = [tokens.strings(column) for column in range(len(tokens.columns))]
    items = []
    for cells in zip(*columns, strict=True):
        item: dict[str, float] = {}
        for name, value in map(_name_and_value, cells):
            item[name] = item.get(name, 0.0) + value
        items.append(item)
    return tokens.cut(items)


def _name_and_value(cell: str) -> tuple[str, float]:
    match = _COLON.search(cell)
    if match is not None:
        try:
            return _ESCAPED.sub(r"\1", cell[: match.end(1)]), float(match[2])
        except ValueError:
            pass  # a colon that is part of the name
    return _ESCAPED.sub(r"\1", cell), 1.0
