r"""Taggers that may be of second order: a label depends on the two before it (SPEC M-112, M-119).

.. math:: s(y) = \text{start}_{y_1} + \text{transition}_{y_1 y_2}
          + \sum_{t > 2} \text{second}_{y_{t-2} y_{t-1} y_t} + \sum_t s_{t y_t} + \text{stop}_{y_n}

The best labelling and the marginals take n L³ steps, over pairs of neighbouring labels.
"""

from __future__ import annotations

import numpy as np

from linnet import _core
from linnet.errors import DataError
from linnet.learn.chain import Constraints
from linnet.learn.tables import FLOOR, Floats, Scores, TableTagger

__all__ = ["SecondOrderTagger", "require_few"]

MOST_LABELS = 100


def require_few(n_labels: int) -> None:
    """Refuse more labels than a model of second order has room for."""
    if n_labels > MOST_LABELS:
        raise DataError(
            f"order=2 has a number for each triple of labels: {n_labels} labels are too many, "
            f"{MOST_LABELS} may be. Use order=1."
        )


class SecondOrderTagger(TableTagger):
    """Predict from triples of labels if there are scores ``second_`` of them."""

    second_: Floats

    def _scores(self, constraints: Constraints | None = None) -> Scores:
        if hasattr(self, "second_"):
            return self._triples(constraints, -np.inf)
        return super()._scores(constraints)

    def _floored(self, constraints: Constraints | None) -> Scores:
        if hasattr(self, "second_"):
            return self._triples(constraints, FLOOR)
        return super()._floored(constraints)

    def _triples(self, constraints: Constraints | None, floor: float) -> _core.SecondOrder:
        """Return the scores, none below ``floor`` except where the constraints forbid."""
        parts = (self.start_, self.transition_, self.second_, self.stop_)
        start, transition, second, stop = (np.maximum(part, floor) for part in parts)
        if constraints is not None:
            start = np.where(constraints.start, start, -np.inf)
            transition = np.where(constraints.transition, transition, -np.inf)
            second = np.where(constraints.transition, second, -np.inf)
            stop = np.where(constraints.stop, stop, -np.inf)
        return _core.SecondOrder(*map(np.ascontiguousarray, (start, transition, second, stop)))
