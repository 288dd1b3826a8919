"""The features of tokens that come block by block, added up in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linnet import _core
from linnet.errors import DataError
from linnet.text.names import Names
from linnet.text.token_extractor import TokenExtractor
from linnet.text.token_features import TokenFeatures

__all__ = ["TokenVocabulary"]


class TokenVocabulary:
    """The features of tokens, added up block by block.

    Parameters
    ----------
    features : what :class:`~linnet.text.token_features.TokenFeatures` takes
    """

    def __init__(self, **features: Any) -> None:
        self._settings = features
        self._found: dict[str, list[int]] = {}  # from a name to how many tokens have it, and print
        self._like: TokenExtractor | None = None
        self.transitions = True

    def add(self, columns: Sequence[Any], sentence: Any) -> None:
        """Count the features of a block; see :meth:`TokenFeatures.fit`."""
        counted = TokenFeatures(**self._settings).fit(columns, sentence)
        extractor = counted.extractor_
        self._require_like(extractor)
        self._like, self.transitions = extractor, counted.transitions_
        names = extractor.names.tolist()
        prints = extractor.prints.tolist() or [0] * len(names)  # a function has none
        for name, n, print_ in zip(names, counted.count_.tolist(), prints, strict=True):
            entry = self._found.setdefault(name, [0, print_])
            entry[0] += n

    def merge(self, other: TokenVocabulary) -> None:
        """Add what another one has counted, of blocks of its own."""
        self._require_like(other._like)
        self._like, self.transitions = other._like, other.transitions
        for name, (n, print_) in other._found.items():
            entry = self._found.setdefault(name, [0, print_])
            entry[0] += n

    def _require_like(self, extractor: TokenExtractor | None) -> None:
        """Refuse blocks that have other columns."""
        if self._like is None or extractor is None:
            return
        if extractor.seed != self._like.seed or extractor.n_columns != self._like.n_columns:
            raise DataError("the blocks of the stream have different columns of tokens")

    def __len__(self) -> int:
        return len(self._found)

    def extractor(self, min_count: int) -> TokenExtractor:
        """Return the extractor of all features that enough tokens have."""
        kept = sorted(name for name, (n, _) in self._found.items() if n >= min_count)
        if self._like is None or not kept:
            raise DataError(f"No feature occurs at {min_count} tokens; try a lower min_count.")
        like, names = self._like, Names.of(kept)
        if like.function is not None:
            none = np.empty(0, np.uint64)
            return TokenExtractor((), like.n_columns, names, none, none, function=like.function)
        prints = np.array([self._found[name][1] for name in kept], np.uint64)
        slots = np.empty(_core.table_capacity(len(kept)), np.uint64)
        if _core.fill_table(prints, slots) >= 0:
            raise DataError("two features of the stream cannot be told apart; change a template")
        return TokenExtractor(
            like.templates, like.n_columns, names, slots, prints, like.seed, like.gazetteers
        )
