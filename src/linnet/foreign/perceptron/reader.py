"""Sentences of words for taggers whose features depend on the tags before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError
from linnet.model.readers.tokens import Tokens, read_tokens, tokens_of_text
from linnet.text.names import Names
from linnet.text.stored import checked_array

__all__ = ["WordReader"]

Arrays = dict[str, NDArray[Any]]
Ints = NDArray[np.int32]


@dataclass
class WordReader:
    """Sentences of words; features depend on tags, so the chain makes them.

    Attributes
    ----------
    names : Names
        The features that have weights.
    known : Names
        The words of the dictionary.
    """

    names: Names
    known: Names
    column_models: tuple[Any, ...] = ()
    kind = "sequence"
    keys = ("reader",)
    n_columns = 1
    known_words: frozenset[str] = frozenset()

    @property
    def extractor(self) -> WordReader:
        """What makes features: this itself."""
        return self

    @property
    def n_features(self) -> int:
        """The number of features."""
        return len(self.names)

    @cached_property
    def _rows(self) -> _core.Attributes:
        return _core.Attributes(self.names.data, self.names.offset)

    @cached_property
    def _places(self) -> _core.Attributes:
        return _core.Attributes(self.known.data, self.known.offset)

    def rows_of(self, names: list[str]) -> Ints:
        """Return the number of each feature, -1 for one without weights."""
        return _found(self._rows, names)

    def places_of(self, words: list[str]) -> Ints:
        """Return the place of each word in the dictionary, -1 for one that has none."""
        return _found(self._places, words)

    def check(self) -> None:
        """Refuse names that are there twice."""
        try:
            self._rows, self._places  # noqa: B018
        except ValueError:
            raise DataError("a feature or a word of the dictionary is there twice") from None

    def __getstate__(self) -> dict[str, Any]:
        made = ("_rows", "_places")
        return {name: value for name, value in vars(self).items() if name not in made}

    def complete(self, sentences: Any) -> Tokens:
        """Return the tokens of sentences."""
        return read_tokens(sentences)

    def rows(self, tokens: Tokens, threads: int | None) -> list[list[str]]:
        """Return the words of each sentence."""
        return tokens.words()

    def one(self, example: Any) -> Tokens:
        """Return one sentence, a list of words or raw text, as tokens."""
        if isinstance(example, str):
            return tokens_of_text(example)[0]
        return self.complete(example if isinstance(example, Tokens) else [example])

    def feature_name(self, column: int) -> str:
        """Return the name of a feature."""
        return self.names[column]

    def card(self) -> list[tuple[str, str]]:
        """Return what is looked at, for people."""
        return [
            ("reads", f"words; {len(self.known):,} of them have their tag from a dictionary"),
            ("features", "the word, two on either side, the two tags before"),
        ]

    def to_file(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the reader."""
        return {"reader": "words"}, {
            "names": self.names.data, "names_offset": self.names.offset,
            "known": self.known.data, "known_offset": self.known.offset,
        }  # fmt: skip

    @classmethod
    def from_file(cls, config: Mapping[str, Any], arrays: Arrays) -> WordReader:
        """Return the reader of a file, after checking it."""
        names, known = (
            Names(
                checked_array(arrays, name, np.uint8),
                checked_array(arrays, f"{name}_offset", np.int64),
            )
            for name in ("names", "known")
        )
        reader = cls(names, known)
        reader.check()
        return reader


def _found(table: _core.Attributes, names: list[str]) -> Ints:
    out = np.empty(len(names), np.int32)
    table.find(names, out)
    return out
