"""The names of features as one block of UTF-8 bytes: a million of them cost no Python objects."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import offsets, runs
from linnet.errors import DataError

__all__ = ["Names"]


class Names:
    """A list of names, stored as bytes.

    Parameters
    ----------
    data : uint8 array
        All names, one after the other.
    offset : int64 array of shape (names + 1,)
        Name j is ``data[offset[j]:offset[j + 1]]``.

    Examples
    --------
    >>> names = Names.of(["good", "poor"])
    >>> names[1], len(names), names.tolist()
    ('poor', 2, ['good', 'poor'])
    """

    def __init__(self, data: NDArray[np.uint8], offset: NDArray[np.int64]) -> None:
        if (
            offset.ndim != 1
            or len(offset) < 1
            or offset[0] != 0
            or offset[-1] != len(data)
            or bool((np.diff(offset) < 0).any())
        ):
            raise DataError("The list of feature names is broken.")
        self.data = data
        self.offset = offset

    @classmethod
    def of(cls, names: Iterable[str]) -> Names:
        """Store a list of str."""
        encoded = [name.encode() for name in names]
        return cls(np.frombuffer(b"".join(encoded), np.uint8), offsets(list(map(len, encoded))))

    def __len__(self) -> int:
        return len(self.offset) - 1

    def __getitem__(self, number: int) -> str:
        number = range(len(self))[number]
        first, last = self.offset[number], self.offset[number + 1]
        return self.data[first:last].tobytes().decode("utf-8", "replace")

    def tolist(self) -> list[str]:
        """Return all names as str."""
        text, offset = self.data.tobytes(), self.offset.tolist()
        return [text[first:last].decode("utf-8", "replace") for first, last in pairwise(offset)]

    def take(self, kept: NDArray[np.int64]) -> Names:
        """Return the names with these numbers, in this order."""
        sizes = np.diff(self.offset)[kept]
        return Names(self.data[runs(self.offset[kept], sizes)], offsets(sizes))
