"""Explanations: why a text got its label, boundaries as data, and plots of data and training.

Every plot has a twin that returns what it draws as arrays (SPEC P-23); only the plots need
matplotlib, which is imported when the first one is drawn. All names of :mod:`linnet.explain.plots`
are names of this package too, loaded when one of them is first used.
"""

from linnet.public import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
