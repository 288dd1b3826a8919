"""Sentences as Wapiti reads them: tokens of columns, and patterns over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError
from linnet.foreign.items import ItemReader, ItemTokens
from linnet.foreign.wapiti.patterns import Pattern, for_core, parsed, told_by_the_core
from linnet.model.readers.tokens import Tokens, read_tokens, tokens_of_text
from linnet.text.names import Names
from linnet.text.stored import checked_array
from linnet.text.texts import as_texts
from linnet.text.token_extractor import TokenRows
from linnet.threads import thread_count

__all__ = ["WapitiReader"]

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class _CellTokens(Tokens):
    """Tokens of plain lists, whose cells the core has read."""

    cells: _core.WapitiCells
    sentences: list[Any]

    def strings(self, column: int) -> list[str]:
        """Return a column as a list of str."""
        return [
            token if isinstance(token, str) else token[column]
            for sentence in self.sentences
            for token in sentence
        ]


@dataclass
class WapitiReader(ItemReader):
    """Sentences whose tokens are words, or tuples of columns.

    Attributes
    ----------
    names : Names
        The observations that have weights.
    sources : tuple of bytes
        The patterns; without any the columns are observations themselves.
    bare : bool
        Whether these lack the letter u in front.
    """

    sources: tuple[bytes, ...] = ()
    bare: bool = False
    keys = ("reader", "patterns", "bare")  # type: ignore[assignment]
    takes_attributes = False

    @cached_property
    def patterns(self) -> list[Pattern]:
        """The patterns, taken apart."""
        return [parsed(source) for source in self.sources]

    @cached_property
    def _compiled(self) -> _core.WapitiPatterns:
        return for_core(self.patterns)

    def __getstate__(self) -> dict[str, Any]:
        made = ("patterns", "n_columns", "_compiled")
        return {name: value for name, value in super().__getstate__().items() if name not in made}

    @cached_property
    def n_columns(self) -> int:  # type: ignore[override]
        """The number of columns of a token that patterns look at."""
        return max([1, *(pattern.columns for pattern in self.patterns)])

    def complete(self, sentences: Any) -> Tokens:  # type: ignore[override]
        """Return the tokens of sentences, after checking that they have all columns."""
        if isinstance(sentences, (ItemTokens, _CellTokens)):
            return sentences
        cells = None
        if self.patterns:
            cells = _core.wapiti_cells_of_lists(sentences, self.n_columns)
        if cells is not None:
            offset = np.empty(cells.sentences + 1, np.int64)
            cells.copy(offset)
            return _CellTokens((), offset, cells, sentences)
        tokens = read_tokens(sentences)
        if len(tokens.columns) < self.n_columns:
            raise DataError(
                f"The patterns of this model look at {self.n_columns} columns of a token, and "
                f"these have {len(tokens.columns)}; give each token as a tuple of its columns, or "
                "as a line of a .conll file."
            )
        return tokens if self.patterns else self._read(self._cells(tokens), tokens.columns)

    def rows(self, tokens: Tokens, threads: int | None) -> TokenRows:
        """Return the observations of tokens, in the order of the patterns."""
        if isinstance(tokens, ItemTokens):
            return tokens.rows
        if isinstance(tokens, _CellTokens):
            cells = tokens.cells
        else:
            views = [as_texts(column) for column in tokens.columns[: self.n_columns]]
            cells = _core.wapiti_cells(views, np.ascontiguousarray(tokens.offset, np.int64))
        with told_by_the_core():
            made = _core.wapiti_observations(
                self._compiled, self._table, cells, thread_count(threads)
            )
        start, index = np.empty(tokens.n_tokens + 1, np.int64), np.empty(made.stored, np.int32)
        made.copy(start, index)
        return TokenRows(start, index, self.n_features)

    def _cells(self, tokens: Tokens) -> list[list[list[bytes]]]:
        """Return the cells of each token, which are observations themselves."""
        head = b"u" if self.bare else b""
        columns = [tokens.strings(number) for number in range(len(tokens.columns))]
        rows = [[head + cell.encode() for cell in cells] for cells in zip(*columns, strict=True)]
        return tokens.cut(rows)

    def one(self, example: Any) -> Tokens:  # type: ignore[override]
        """Return one sentence, a list of tokens or raw text, as tokens."""
        if isinstance(example, str):
            return self.complete(tokens_of_text(example)[0])
        return self.complete(example if isinstance(example, Tokens) else [example])

    def card(self) -> list[tuple[str, str]]:
        """Return what is looked at, for people."""
        count, columns = len(self.sources), self.n_columns
        if not count:
            return [("reads", "tokens whose columns are observations")]
        return [("reads", f"tokens of {columns} columns through {count} patterns")]

    def to_file(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the reader."""
        sources = [source.decode("latin-1") for source in self.sources]
        arrays: Arrays = {"names": self.names.data, "names_offset": self.names.offset}
        return {"reader": "wapiti", "patterns": sources, "bare": self.bare}, arrays

    @classmethod
    def from_file(cls, config: Mapping[str, Any], arrays: Arrays) -> WapitiReader:
        """Return the reader of a file, after checking it."""
        listed = config["patterns"]
        if not isinstance(listed, list) or not all(isinstance(source, str) for source in listed):
            raise DataError("the patterns are no list of texts")
        if type(config["bare"]) is not bool:
            raise DataError("bare is neither true nor false")
        raw = checked_array(arrays, "names", np.uint8)
        names = Names(raw, checked_array(arrays, "names_offset", np.int64))
        sources = tuple(source.encode("latin-1") for source in listed)
        reader = cls(names, sources=sources, bare=config["bare"])
        reader.check()
        return reader

    def check(self) -> None:
        """Refuse names that are there twice, and what is no pattern."""
        super().check()
        self.patterns  # noqa: B018
