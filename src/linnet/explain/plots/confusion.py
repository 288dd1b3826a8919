"""Which label is taken for which: the confusion matrix as a table one can read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError
from linnet.explain.style import INK, QUIET, new_figure, write_near, write_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["confusion_shares", "plot_confusion"]


def confusion_shares(counts: ArrayLike) -> NDArray[np.float64]:
    """Return each row of a confusion matrix as shares; rows without examples stay 0.

    Parameters
    ----------
    counts : array of shape (K, K)
        ``counts[gold, guess]``.

    Examples
    --------
    >>> confusion_shares([[8, 2], [0, 0]]).tolist()
    [[0.8, 0.2], [0.0, 0.0]]
    """
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not table.size:
        raise DataError(f"A confusion matrix is square, got shape {table.shape}.")
    if not (np.isfinite(table).all() and (table >= 0).all()):
        raise DataError("Counts must be finite and not negative.")
    total = table.sum(axis=1, keepdims=True)
    shares: NDArray[np.float64] = table / np.where(total > 0, total, 1.0)
    return shares


def plot_confusion(counts: ArrayLike, labels: Sequence[str]) -> tuple[Figure, Axes]:
    """Plot a confusion matrix: the darker a cell, the larger its share of the gold label.

    Parameters
    ----------
    counts : array of shape (K, K)
        ``counts[gold, guess]``; written into the cells of up to 25 labels.
    labels : K names

    Examples
    --------
    >>> fig, axis = plot_confusion([[8, 2], [1, 9]], ["ham", "spam"])
    >>> [text.get_text() for text in axis.texts]
    ['8', '2', '1', '9']
    """
    shares, table = confusion_shares(counts), np.asarray(counts)
    if len(labels) != len(shares):
        raise DataError(f"{len(shares)} rows need as many labels, got {len(labels)}.")
    side = float(np.clip(2.0 + 0.46 * len(shares), 3.4, 12.0))
    fig, axis = new_figure(side + 0.9, side)
    image = axis.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="equal")
    if len(shares) <= 25:
        size = 9 if len(shares) <= 12 else 7
        for (gold, guess), share in np.ndenumerate(shares):
            colour = "white" if share > 0.55 else INK if share else QUIET
            write_near(
                axis, f"{table[gold, guess]:g}", (guess, gold), (0, 0), colour, fontsize=size
            )
    long = max(len(str(label)) for label in labels) > 4 and len(labels) > 3
    axis.set_xticks(range(len(labels)), labels, rotation=45 if long else 0)
    if long:
        for label in axis.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor")
    axis.set_yticks(range(len(labels)), labels)
    axis.set(xlabel="guess", ylabel="gold")
    write_title(axis, "Gold labels and guesses")
    axis.spines[:].set_visible(False)
    axis.tick_params(length=0)
    bar = fig.colorbar(image, ax=axis, shrink=0.7)
    bar.set_label("share of the gold label", fontsize=9)
    bar.ax.tick_params(labelsize=8, length=2)
    bar.outline.set_visible(False)
    return fig, axis
