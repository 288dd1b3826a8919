"""The last fit, begun ahead of time.

Choosing C means to try one value more than is taken: most often the best so far stays the best. A
fit of two classes keeps one core busy, so while the next C is tried on held-out examples, another
thread fits all examples at the best C so far. Whether it could is a matter of time, not of the
result: the fit is the one that would have been made afterwards, from the same start.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from linnet.learn.shared.declaration import declaration_of
from linnet.learn.shared.inputs import WORTH_THREADS
from linnet.learn.shared.watching import is_watched
from linnet.threads import thread_count

__all__ = ["Ahead"]

_MOST = 1 << 25  # stored values; with more, the end of Python after an interrupt would wait long


class Ahead:
    """Fits of all examples on a thread of their own.

    Parameters
    ----------
    learner : estimator
        Unfitted.
    fit : function of (held-out parts, learner, learner at the same C that did without them)
        Fits all examples.
    """

    def __init__(self, learner: Any, fit: Callable[[Any, Any, Any], Any]) -> None:
        self._learner = learner
        self._fit = fit
        self._C: float | None = None
        self._fitted: Any = None
        self._thread: Thread | None = None

    @classmethod
    def is_worth(cls, learner: Any, X: Any, gold: NDArray[np.int32], n_threads: int | None) -> bool:
        """Tell whether a core would have nothing else to do, and nobody looks on."""
        stored = getattr(X, "nnz", 0)
        return (
            thread_count(n_threads) > 1
            and gold.ndim == 1
            and gold.max() == 1
            and WORTH_THREADS <= stored <= _MOST
            and bool(declaration_of(learner).strengths)
            and hasattr(learner, "begin_at")
            and not learner.verbose
            and not is_watched()
        )

    def begin(self, parts: Any, C: float, before: Any) -> None:
        """Begin the fit at C, in place of one that was begun earlier."""
        self._end()
        one = clone(self._learner).set_params(C=C, n_threads=1)
        self._C = C
        self._thread = Thread(target=self._run, args=(parts, one, before))
        self._thread.start()

    def take(self, C: float | None) -> Any:
        """Return the fitted learner; None where none was fitted at this C to its tolerance."""
        self._end()
        fitted = self._fitted
        if C is None or C != self._C or fitted is None or fitted.optimality_ > fitted.tol:
            return None  # whatever there is to say about it, the fit that follows says
        return fitted.set_params(n_threads=self._learner.n_threads)

    def _run(self, parts: Any, learner: Any, before: Any) -> None:
        try:
            self._fitted = self._fit(parts, learner, before)
        except Exception:
            self._fitted = None

    def _end(self) -> None:
        if self._thread is not None:
            self._thread.join()
            self._thread = None
