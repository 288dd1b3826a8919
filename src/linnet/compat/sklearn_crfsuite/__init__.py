"""``sklearn_crfsuite``: the estimator :class:`CRF`, and the scores in ``metrics``."""

from __future__ import annotations

from linnet.compat.sklearn_crfsuite.estimator import CRF

__all__ = ["CRF"]
