"""The cells of lines of columns, found for a whole block at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.data.formats.common import line_spans, places_of

__all__ = [
    "ink_spans",
    "lines_of",
    "runs",
    "spaced_cells",
    "tabbed_cells",
    "without_spaces_at_end",
]

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

_WHITE = np.zeros(256, bool)
_WHITE[[9, 10, 11, 12, 13, 32]] = True


def runs(start: Ints, length: Ints) -> Ints:
    """Return start[i], start[i] + 1, ... (length[i] numbers) for every i, one after the other.

    Examples
    --------
    >>> runs(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(length) - length
    answer: Ints = np.arange(int(length.sum())) + np.repeat(start - before, length)
    return answer


def ink_spans(data: Bytes) -> tuple[Ints, Ints]:
    """Return where the runs of bytes between ASCII white space start and end."""
    ink = np.zeros(len(data) + 2, bool)
    np.logical_not(_WHITE[data], out=ink[1:-1])
    edges = np.flatnonzero(ink[1:] != ink[:-1])
    return edges[::2], edges[1::2]


def lines_of(data: Bytes) -> tuple[Ints, Ints]:
    """Return where each line starts and ends; a line of white space alone is an empty one."""
    start, end = line_spans(data)
    first = data[np.minimum(start, max(len(data) - 1, 0))] if len(data) else data
    for line in np.flatnonzero((end > start) & _WHITE[first]).tolist():
        if data[start[line] : end[line]].tobytes().isspace():
            end[line] = start[line]
    return start, end


def without_spaces_at_end(data: Bytes, start: Ints, end: Ints) -> Ints:
    """Return where each line ends when the spaces there are left out."""
    end = end.copy()
    while len(data) and (spaced := (end > start) & (data[np.maximum(end - 1, 0)] == 32)).any():
        end -= spaced
    return end


def spaced_cells(
    data: Bytes, start: Ints, end: Ints, chosen: NDArray[np.bool_]
) -> tuple[Ints, Ints, Ints]:
    """Return the cells of the chosen lines between white space, and their number in each.

    Parameters
    ----------
    data : uint8 array
    start, end : int64 arrays of shape (lines,)
        Of all lines of the block.
    chosen : bool array of shape (lines,)

    Returns
    -------
    low, high : int64 arrays of shape (cells,)
    counts : int64 array of shape (chosen lines,)
    """
    low, high = ink_spans(data)
    counts = np.diff(np.searchsorted(low, np.append(start, len(data))))
    if not chosen.all():
        keep = np.repeat(chosen, counts)
        low, high, counts = low[keep], high[keep], counts[chosen]
    return low, high, counts


def tabbed_cells(
    data: Bytes, start: Ints, end: Ints, chosen: NDArray[np.bool_]
) -> tuple[Ints, Ints, Ints]:
    """Return the cells of the chosen lines between tabs; see :func:`spaced_cells`."""
    start, end = start[chosen], end[chosen]
    tabs = places_of(data, 9)
    first, last = np.searchsorted(tabs, start), np.searchsorted(tabs, end)
    counts = last - first + 1
    heads = np.cumsum(counts) - counts  # the first cell of each line
    low, high = (np.empty(counts.sum(), np.int64) for _ in range(2))
    inner = np.ones(len(low), bool)
    inner[heads] = False
    used = tabs[runs(first, counts - 1)]
    low[heads], low[inner] = start, used + 1
    inner[:] = True
    inner[heads + counts - 1] = False
    high[heads + counts - 1], high[inner] = end, used
    return low, high, counts
