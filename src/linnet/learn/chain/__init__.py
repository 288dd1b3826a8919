r"""A chain of labels over the tokens of a sentence, and what can be asked of it.

.. math:: s(y) = \text{start}_{y_1} + \sum_t s_{t y_t}
          + \sum_{t > 1} \text{transition}_{y_{t-1} y_t} + \text{stop}_{y_n}

:class:`Chain` finds the best labelling, the n best and the marginals, wherever the state scores
:math:`s_t` come from: weights of features (CRF, structured learners), or a table (HMM, MEMM). The
taggers that a model file holds are a :class:`LinearChain` or a :class:`LearnerChain`. NumPy and the
core are all that is imported here, so a saved tagger starts fast.
"""

from __future__ import annotations

from linnet.learn.chain.learned import LearnerChain, LinearChain, named_labels, reads_words
from linnet.learn.chain.scores import Chain, Constraints, Edges

__all__ = [
    "Chain",
    "Constraints",
    "Edges",
    "LearnerChain",
    "LinearChain",
    "named_labels",
    "reads_words",
]
