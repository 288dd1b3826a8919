"""Plots of data, boundaries, training and evaluation, one idea a module (SPEC P-01 to P-21).

They are drawn with pyplot, so they appear in a notebook or by ``plt.show()``, and need no display
to be saved. What a function draws, another one returns as data (P-23). matplotlib is imported when
the first plot is drawn. :mod:`linnet.explain.style` holds what they have in common.
"""

from linnet.public import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
