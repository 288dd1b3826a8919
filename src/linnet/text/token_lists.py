"""Lists of sentences as columns of tokens, natively where they are plain."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linnet import _core

__all__ = ["TokenLists", "plain_columns"]


class TokenLists(NamedTuple):
    """Columns of strings, where sentences begin, and whether all words are visible ASCII."""

    columns: list[list[str]]
    offset: NDArray[np.int64]
    visible: bool


def plain_columns(sentences: Any) -> TokenLists | None:
    """Return the columns of lists of words or tuples of str; None for what needs a closer look.

    Examples
    --------
    >>> plain_columns([[("He", "PRP"), ("ran", "VBD")], []])
    TokenLists(columns=[['He', 'ran'], ['PRP', 'VBD']], offset=array([0, 2, 2]), visible=True)
    >>> plain_columns([["He", 3]]) is None
    True
    """
    read = _core.token_columns(sentences)
    if read is None:
        return None
    offset = np.empty(read.sentences + 1, np.int64)
    read.copy(offset)
    return TokenLists(read.columns, offset, read.plain)
