"""Texts read in several blocks of features; a block is read as a whole model reads texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.model.readers.features import Arrays, Floats, Spans, TextReader
from linnet.model.scorers.flat import under
from linnet.text.blocks import MOST_BLOCKS, BlockExtractor
from linnet.text.extractor import Extractor

__all__ = ["BlockReader", "text_reader"]


def text_reader(extractor: Extractor | BlockExtractor) -> TextReader:
    """Return who reads texts with an extractor, of one block or of several."""
    blocks = isinstance(extractor, BlockExtractor)
    return BlockReader(extractor) if blocks else TextReader(extractor)  # type: ignore[arg-type]


@dataclass
class BlockReader(TextReader):
    """Texts: several blocks of n-grams side by side."""

    extractor: BlockExtractor  # type: ignore[assignment]

    def terms(self, batch: Any) -> tuple[NDArray[np.int32], Floats, Spans]:
        """Return the columns of one text, block by block, their exact values, and places."""
        columns, values, spans = [], [], Spans()
        for part, first in zip(self.extractor.parts, self.extractor.first, strict=False):
            column, value, places = TextReader(part).terms(batch)
            columns.append(column + np.int32(first))
            values.append(value)
            spans |= {first + j: where for j, where in places.items()}
        return np.concatenate(columns), np.concatenate(values), spans

    def card(self) -> list[tuple[str, str]]:
        """Return what is looked at, for people: a line a block."""
        return [line for part in self.extractor.parts for line in TextReader(part).card()]

    @classmethod
    def from_file(cls, config: Mapping[str, Any], arrays: Arrays) -> BlockReader:
        """Return the reader of a file, after checking it."""
        blocks = config["blocks"]
        if not isinstance(blocks, list) or not 2 <= len(blocks) <= MOST_BLOCKS:
            raise DataError(f"the blocks of features are no list of 2 to {MOST_BLOCKS}")
        parts = []
        for number, block in enumerate(blocks):
            reader = TextReader.from_file(block, under(arrays, f"block{number}."))
            if block.keys() - reader.to_file()[0].keys():
                raise DataError(f"block {number} holds what it does not store")
            if reader.extractor.settings.tokenizer == "regex":
                raise DataError("a block of features cannot have a pattern")
            parts.append(reader.extractor)
        if sum(part.n_features for part in parts) >= 1 << 31:
            raise DataError("the blocks have too many columns")
        return cls(BlockExtractor(tuple(parts)))
