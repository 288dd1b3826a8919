"""Data: readers and writers, generated and built-in data sets, splits.

Names are imported from their modules when first used, so ``import linnet.data`` costs nothing.
"""

from linnet.public import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
