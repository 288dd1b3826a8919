"""A CRFsuite model that stays in its file: a first answer reads what it needs, and no more.

A small file is read, a large one mapped. Attributes are looked up in its own tables of hashes, and
the weights of those that sentences have are taken from where they lie. When as many were asked for
as there are, all are taken at once. Whatever is read is checked before it is followed; a place that
cannot be is an error when it is met, not before.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet import _core
from linnet.errors import ModelFileError
from linnet.learn.chain import Chain, LinearChain
from linnet.text.names import Names
from linnet.text.token_extractor import TokenRows

__all__ = ["CrfsuiteFile", "FileChain", "FileNames"]

Ints = NDArray[np.int64]
Weights = tuple[Ints, NDArray[np.int32], NDArray[np.float64]]


class CrfsuiteFile:
    """The bytes of a file, whose header and whose parts' heads are sound.

    Parameters
    ----------
    data : bytes-like
    file : str
        Its name, for messages.
    """

    def __init__(self, data: Any, file: str) -> None:
        self.file = file
        self.core = self.ask(_core.CrfsuiteFile, np.frombuffer(data, np.uint8))
        self.looked_up = 0  # attributes whose weights were read one by one

    def ask(self, question: Callable[..., Any], *given: Any) -> Any:
        """Return an answer from the file; where it is damaged, say so."""
        try:
            return question(*given)
        except _core.DamagedFile as error:
            raise ModelFileError(f"this CRFsuite model {error}", file=self.file) from None

    def weights(self, attributes: NDArray[np.int32]) -> Weights:
        """Return where the labels of each attribute begin, the labels, ascending, and weights."""
        found = self.ask(self.core.weights, attributes)
        start = np.empty(len(attributes) + 1, np.int64)
        label, weight = np.empty(found.stored, np.int32), np.empty(found.stored)
        found.copy(start, label, weight)
        return start, label, weight

    def transitions(self) -> NDArray[np.float64]:
        """Return the weights of transitions, shape (L, L), the earlier label first."""
        out = np.empty((self.core.n_labels, self.core.n_labels))
        self.ask(self.core.transitions, out)
        return out


class FileNames(Names):
    """The attributes of a file by their numbers, read when somebody wants to see them."""

    def __init__(self, source: CrfsuiteFile) -> None:
        self._source = source

    def __len__(self) -> int:
        return int(self._source.core.n_attributes)

    def __getattr__(self, name: str) -> Any:
        if name not in ("data", "offset"):
            raise AttributeError(name)
        found = self._source.ask(self._source.core.names)
        data, offset = np.empty(found.size, np.uint8), np.empty(len(self) + 1, np.int64)
        found.copy(data, offset)
        self.data, self.offset = data, offset
        return getattr(self, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return Names, (self.data, self.offset)


class FileChain(LinearChain):
    """The weights of a file. The pairs of attributes and labels are read when they are needed."""

    def __init__(self, source: CrfsuiteFile) -> None:
        edge = np.zeros(source.core.n_labels)
        parts = {"transition": source.transitions(), "start": edge, "stop": edge, "triple": None}
        for name, part in {"_source": source, **parts}.items():
            object.__setattr__(self, name, part)  # it is frozen

    @cached_property
    def _whole(self) -> LinearChain:
        every = np.arange(self.n_features, dtype=np.int32)
        return self._with(self._source.weights(every))

    def _with(self, pairs: Weights) -> LinearChain:
        return LinearChain(*pairs, self.transition, self.start, self.stop)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("pair_"):
            raise AttributeError(name)
        return getattr(self._whole, name)

    def __reduce__(self) -> tuple[Any, ...]:
        whole = self._whole
        parts = (whole.pair_start, whole.pair_label, whole.pair_weight)
        return LinearChain, (*parts, whole.transition, whole.start, whole.stop)

    @property
    def n_features(self) -> int:
        """The number of attributes."""
        return int(self._source.core.n_attributes)

    def take(self, features: Ints) -> LinearChain:
        """Return the chain of some attributes, ascending, numbered anew."""
        return self._whole.take(features)

    def over(self, rows: TokenRows, offset: Ints, threads: int) -> Chain:
        """Return the chain over the tokens of `rows`; `offset` says where sentences begin."""
        n = len(rows.index)
        self._source.looked_up += n
        if self._source.looked_up > self.n_features:
            return self._whole.over(rows, offset, threads)
        part = self._with(self._source.weights(rows.index))  # numbered as they are met
        numbered = rows._replace(index=np.arange(n, dtype=np.int32), n_features=n)
        return part.over(numbered, offset, threads)
