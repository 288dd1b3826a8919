"""Every learner on the same data, side by side: which is best, how sure is that, at what cost.

:func:`linnet.compare` trains them as :class:`linnet.TextClassifier` and
:class:`linnet.SequenceTagger` would, on features that are extracted once, and answers with a
:class:`Comparison`.
"""

from __future__ import annotations

from linnet.comparison.result import Comparison, LearnerScore, PairTest
from linnet.comparison.run import compare

__all__ = ["Comparison", "LearnerScore", "PairTest", "compare"]
