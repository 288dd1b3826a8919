"""Several blocks of features side by side: each with its own n-grams, weights and norm.

Words say what a text is about, characters see through endings and misspellings; together they often
know more. Each block is divided by its own norm, so that the thousand character n-grams of a text
do not drown its fifty words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import DataError, ParameterError
from linnet.text.extractor import Extractor, Faceted, Occurrence, Rows, empty_rows
from linnet.text.settings import TOKENIZERS
from linnet.text.texts import as_texts

__all__ = ["Block", "BlockExtractor", "BlockNames", "joined", "parse_blocks"]

MOST_BLOCKS = 16
_SPEC = re.compile(r"(\w+)(?::(\d{1,4})(?:-(\d{1,4}))?)?")
_ALIASES = {"words": "token", "chars": "char_wb"}


class Block(NamedTuple):
    """What one block looks at."""

    tokenizer: str
    ngrams: tuple[int, int]

    @property
    def characters(self) -> bool:
        """Whether it looks at characters, and so not at words."""
        return self.tokenizer.startswith("char")

    def __str__(self) -> str:
        name = "words" if self.tokenizer == "token" else self.tokenizer
        low, high = self.ngrams
        return f"{name}:{low}" if low == high else f"{name}:{low}-{high}"


def parse_blocks(features: str | Iterable[str]) -> tuple[Block, ...]:
    """Return the blocks that a user names.

    A block is a tokenizer and the lengths of its n-grams: "words:1-2", "char_wb:2-5", "unicode:1".
    "words" is the tokenizer "token"; a text may name several blocks with commas between them.

    Examples
    --------
    >>> [str(block) for block in parse_blocks("words:1-2,char_wb:2-5")]
    ['words:1-2', 'char_wb:2-5']
    >>> parse_blocks(["words"])
    (Block(tokenizer='token', ngrams=(1, 2)),)
    """
    if isinstance(features, str):
        features = features.split(",")
    if not isinstance(features, Iterable):
        raise ParameterError(f"features must name blocks such as 'words:1-2', got {features!r}.")
    blocks = tuple(map(_block, features))
    if not 1 <= len(blocks) <= MOST_BLOCKS:
        raise ParameterError(
            f"features must name 1 to {MOST_BLOCKS} blocks such as 'words:1-2', not {len(blocks)}."
        )
    if len(set(blocks)) < len(blocks):
        twice = next(block for block in blocks if blocks.count(block) > 1)
        raise ParameterError(f"features names the block {str(twice)!r} twice; name it once.")
    return blocks


def _block(spec: Any) -> Block:
    match = _SPEC.fullmatch(spec.strip()) if isinstance(spec, str) else None
    name = _ALIASES.get(match[1], match[1]) if match else ""
    if match is None or name not in TOKENIZERS:
        known = ", ".join(("words", *TOKENIZERS))
        raise ParameterError(
            f"a block of features looks like 'words:1-2' or 'char_wb:2-5', its name one of "
            f"{known}; got {spec!r}."
        )
    if match[2] is None:
        return Block(name, (2, 5) if name.startswith("char") else (1, 2))
    low, high = int(match[2]), int(match[3] or match[2])
    if not 1 <= low <= high <= 1000:
        raise ParameterError(
            f"the n-grams of {spec!r} must be growing numbers from 1 to 1000, such as 1-2."
        )
    return Block(name, (low, high))


class BlockNames(Sequence[str]):
    """The names of all blocks' features; each begins with what its block looks at."""

    def __init__(self, prefixes: Sequence[str], parts: Sequence[Any], first: Sequence[int]) -> None:
        self.prefixes, self.parts, self.first = prefixes, parts, first

    def __len__(self) -> int:
        return self.first[-1]

    def __getitem__(self, number: Any) -> Any:
        number = range(len(self))[number]
        block = bisect_right(self.first, number) - 1
        return f"{self.prefixes[block]}:{self.parts[block][number - self.first[block]]}"

    def tolist(self) -> list[str]:
        """Return all names."""
        pairs = zip(self.prefixes, self.parts, strict=True)
        return [f"{prefix}:{name}" for prefix, names in pairs for name in names.tolist()]


@dataclass(frozen=True)
class BlockExtractor(Faceted):
    """Extractors side by side; the columns of each are behind those of the one before."""

    parts: tuple[Extractor, ...]

    @cached_property
    def first(self) -> list[int]:
        """The first column of each block, and the number of all."""
        return [0, *np.cumsum([part.n_features for part in self.parts]).tolist()]

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return self.first[-1]

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """What each block looks at."""
        return tuple(Block(part.settings.tokenizer, part.settings.ngrams) for part in self.parts)

    @cached_property
    def prefixes(self) -> list[str]:
        """What names of features begin with: the block's name, in full where that is not enough."""
        short = [str(block).partition(":")[0] for block in self.blocks]
        return short if len(set(short)) == len(short) else [str(block) for block in self.blocks]

    @cached_property
    def names(self) -> BlockNames | None:
        """The names of the columns; None where they are buckets."""
        names = [part.names for part in self.parts]
        if any(part is None for part in names):
            return None
        return BlockNames(self.prefixes, names, self.first)

    @property
    def scale(self) -> NDArray[np.float32]:
        """The scale of each column."""
        scales = [
            np.ones(part.n_features, np.float32) if part.scale is None else part.scale
            for part in self.parts
        ]
        return np.concatenate(scales)

    def read(self, texts: Any) -> _core.Texts:
        """Return texts for the core."""
        return texts if isinstance(texts, _core.Texts) else as_texts(texts)

    def weigh(self, rows: Rows, threads: int) -> Rows:
        """Turn counts into values, in place, each block divided by its own norm."""
        _core.weigh_rows(*rows, self._facets(), threads)
        return rows

    def trace(self, text: str) -> list[Occurrence]:
        """Return every occurrence of a feature in a text, block by block."""
        return [
            occurrence._replace(column=occurrence.column + first)
            for part, first in zip(self.parts, self.first, strict=False)
            for occurrence in part.trace(text)
        ]

    def taken(self, kept: NDArray[np.intp]) -> BlockExtractor:
        """Return the same with some of the features only; a block may be left without any."""
        parts = []
        for number, part in enumerate(self.parts):
            first, behind = self.first[number], self.first[number + 1]
            parts.append(part.taken(kept[(kept >= first) & (kept < behind)] - first))
        return BlockExtractor(tuple(parts))

    def _facets(self) -> _core.Facets:
        facets = _core.Facets()
        for part in self.parts:
            part.look(facets)
        return facets

    def to_file(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return plain values and arrays for a model file."""
        configs, arrays = [], dict[str, NDArray[Any]]()
        for number, part in enumerate(self.parts):
            config, more = part.to_file()
            configs.append(config)
            arrays |= {f"block{number}.{name}": array for name, array in more.items()}
        return {"reader": "blocks", "blocks": configs}, arrays


def joined(parts: Sequence[Rows], widths: Sequence[int], threads: int) -> Rows:
    """Return rows side by side, the columns of each part behind those of the one before.

    Examples
    --------
    >>> one = Rows(np.array([0, 1, 2]), np.array([0, 1], np.int32), np.ones(2, np.float32))
    >>> joined([one, one], [2, 2], 1).index.tolist()
    [0, 2, 1, 3]
    """
    if sum(widths) >= 1 << 31:
        raise DataError("The blocks have too many features for one model; raise min_df.")
    rows = empty_rows(len(parts[0].start) - 1, sum(len(part.index) for part in parts))
    described = [(*part, width) for part, width in zip(parts, widths, strict=True)]
    _core.join_rows(described, *rows, threads)
    return rows
