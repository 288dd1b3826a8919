"""Examples that are held elsewhere, for learners that go from example to example."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linnet.learn.shared.history import History

__all__ = ["Mixing"]


class Mixing(ABC):
    """Examples in parts, each of which a learner can go over by itself."""

    @abstractmethod
    def mix(self, learner: Any, examples: Any, history: History) -> Any:
        """Return the weights after rounds in which every part begins with the mean of all."""
