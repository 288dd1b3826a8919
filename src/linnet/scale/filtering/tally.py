"""What a filter kept and what it removed, in all and by groups of rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["LENGTH", "Tally", "length_bins"]

LENGTH = "length"  # the audit that needs no column
_EDGES = np.array([100, 1_000, 10_000, 100_000])
_BINS = ("under 100 B", "100 B to 1 kB", "1 to 10 kB", "10 to 100 kB", "100 kB and more")


@dataclass
class Tally:
    """What was kept and what was dropped: rows, bytes of text, and the most probable labels.

    Index 0 of every pair is what was dropped, index 1 what was kept.

    Attributes
    ----------
    groups : dict
        Of each column that is audited, the two numbers of rows of each of its values.
    """

    classes: list[str]
    rows: list[int] = field(default_factory=lambda: [0, 0])
    text_bytes: list[int] = field(default_factory=lambda: [0, 0])
    groups: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    labels: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.labels = np.zeros((2, len(self.classes)), dtype=np.int64)

    def add(
        self,
        keep: NDArray[np.bool_],
        best: NDArray[np.int64],
        lengths: NDArray[np.int64],
        groups: dict[str, list[str]] | None = None,
    ) -> None:
        """Count one block; `groups` has the value of each row in every column that is audited."""
        for side, rows in enumerate((~keep, keep)):
            self.rows[side] += int(rows.sum())
            self.text_bytes[side] += int(lengths[rows].sum())
            self.labels[side] += np.bincount(best[rows], minlength=len(self.classes))
        for name, values in (groups or {}).items():
            counts = self.groups.setdefault(name, {})
            for value, side in zip(values, keep.tolist(), strict=True):
                counts.setdefault(value, [0, 0])[side] += 1

    def merge(self, other: Tally) -> None:
        """Add what another file gave."""
        for side in (0, 1):
            self.rows[side] += other.rows[side]
            self.text_bytes[side] += other.text_bytes[side]
        self.labels += other.labels
        for name, theirs in other.groups.items():
            counts = self.groups.setdefault(name, {})
            for value, pair in theirs.items():
                both = counts.setdefault(value, [0, 0])
                both[0] += pair[0]
                both[1] += pair[1]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        answer: dict[str, Any] = {"total": sum(self.rows), "kept": self.rows[1]}
        for side, name in enumerate(("removed", "remaining")):
            mean = self.text_bytes[side] / self.rows[side] if self.rows[side] else 0.0
            counted = zip(self.classes, self.labels[side].tolist(), strict=True)
            answer[name] = {
                "rows": self.rows[side],
                "text_bytes": self.text_bytes[side],
                "mean_text_bytes": round(mean, 1),
                "labels": {label: n for label, n in counted if n},
            }
        if self.groups:
            answer["audit"] = self.audit()
        return answer

    def audit(self) -> dict[str, list[dict[str, Any]]]:
        """Return of each audited column its groups, the largest first, and what is kept of them.

        ``ratio`` is the share that is kept of a group over the share that is kept of all rows:
        1 where the filter treats the group like the others.

        Examples
        --------
        >>> tally = Tally(["hq", "lq"])
        >>> keep, best = np.array([True, True, False, False]), np.array([0, 0, 1, 1])
        >>> groups = {"source": ["web", "book", "web", "web"]}
        >>> tally.add(keep, best, np.full(4, 9), groups)
        >>> [(row["group"], row["kept"], row["rows"], row["ratio"])
        ...     for row in tally.audit()["source"]]
        [('web', 1, 3, 0.667), ('book', 1, 1, 2.0)]
        """
        overall = self.rows[1] / max(sum(self.rows), 1)
        return {
            name: [
                {
                    "group": value,
                    "rows": dropped + kept,
                    "kept": kept,
                    "removed": dropped,
                    "share_kept": round(kept / (dropped + kept), 6),
                    "ratio": round(kept / (dropped + kept) / overall, 3) if overall else None,
                }
                for value, (dropped, kept) in sorted(
                    counts.items(), key=lambda item: (-sum(item[1]), item[0])
                )
            ]
            for name, counts in self.groups.items()
        }


def length_bins(lengths: NDArray[np.int64]) -> list[str]:
    """Return for each length of a text in bytes the name of its bin.

    Examples
    --------
    >>> length_bins(np.array([99, 100, 2_000_000]))
    ['under 100 B', '100 B to 1 kB', '100 kB and more']
    """
    return [_BINS[k] for k in np.searchsorted(_EDGES, lengths, side="right").tolist()]
