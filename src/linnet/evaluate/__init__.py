"""Evaluation: how often a learner is right, how sure that is, and which learner does better.

Names are imported from their modules when first used.
"""

from linnet.evaluate.auditing import audit as audit  # at once, or its module would hide it later
from linnet.public import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
