"""What a model asks of the learner that it keeps whole, and what most learners answer."""

from __future__ import annotations

from typing import Any

from linnet.learn.shared.declaration import declaration_of
from linnet.learn.shared.reasons import Named, Reasons

__all__ = ["Kept"]


class Kept:
    """Answers of a learner with nothing to tell; those with more override them."""

    def _takes_wide(self) -> bool:
        """Tell whether vectors of many features, most of them 0, suit it as they are."""
        return declaration_of(self).reads not in ("numbers", "rows")

    def _why_not_texts(self) -> str:
        """Return what to change so that texts suit it, if a setting stands in their way."""
        return ""

    def _recorded(self, table: Any, gold: Any, kinds: list[Any]) -> dict[str, Any]:
        """Return what the training record holds about the columns of rows, ready for JSON."""
        return {}

    def _card(self, n_examples: int) -> list[tuple[str, str]]:
        """Return what it looks like inside, as names and values for people."""
        return []

    def _reasons(self, inputs: Any, k: int, other: int, named: Named) -> Reasons | None:
        """Return what speaks for class k of one example, and against another; None: its weights.

        Parameters
        ----------
        inputs : one example as the learner takes it
        k, other : int
            The number of the class to explain, and of the next best one.
        named : Named
            Knows the names of features and columns.
        """
        return None
