r"""What speaks for each label of one token, while the labels around it stay.

The score of a labelling, as far as it depends on label y of token t between the labels a and b:

    linear chain   Σ_j w_j(y) + transition(a, y) + transition(y, b)
    HMM            ln P(word | y) + ln P(y | a) + ln P(b | y)
    MEMM           Σ_j w_j(y) + transition(a, y) + ln P(b | next token, y)

Each tagger that is no linear chain gives these parts itself.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from linnet.text.token_extractor import TokenRows

__all__ = ["END", "ChainReasons", "Near", "Parts", "columns_of", "finite", "triple_parts"]

Floats = NDArray[np.float64]
Parts = list[tuple[str, Floats]]
Near = tuple[int, int, int, int, int]

#: In the place of a label before the first token and after the last one.
END = -1
_IMPOSSIBLE = -1e6  # ln 0, so that differences stay finite


class ChainReasons(Protocol):
    """The parts of the score of a token's label; each vector has shape (L,)."""

    def features(self, t: int, before: int) -> Parts:
        """Return what each feature of the token adds, after the label `before`."""
        ...

    def left(self, before: int) -> Floats:
        """Return what the label before adds."""
        ...

    def right(self, t: int, after: int) -> Floats:
        """Return what the label of token t + 1 adds."""
        ...

    def triples(self, t: int, near: Near) -> list[Floats]:
        """Return what three labels in a row add besides, in a chain of second order.

        `near` are the labels of the tokens t - 2 .. t + 2; the parts are those of t as the last,
        the middle and the first of three. A chain of first order has none.
        """
        ...


def triple_parts(triple: Floats | None, near: Near) -> list[Floats]:
    """Return the parts of a table of three labels in a row, (L, L, L); 0 beyond the sentence.

    Examples
    --------
    >>> table = np.arange(8.0).reshape(2, 2, 2)
    >>> [part.tolist() for part in triple_parts(table, (0, 1, 0, 1, END))]
    [[2.0, 3.0], [5.0, 7.0], [0.0, 0.0]]
    """
    if triple is None:
        return []
    two_before, before, _, after, two_after = near
    nothing = np.zeros(len(triple))
    return [
        nothing if END in (two_before, before) else triple[two_before, before],
        nothing if END in (before, after) else triple[before, :, after],
        nothing if END in (after, two_after) else triple[:, after, two_after],
    ]


def columns_of(rows: TokenRows, t: int) -> list[int]:
    """Return the features of a token."""
    columns: list[int] = rows.index[rows.start[t] : rows.start[t + 1]].tolist()
    return columns


def finite(scores: Floats) -> Floats:
    """Return scores without -inf, so that they can be compared."""
    return np.maximum(scores, _IMPOSSIBLE)
