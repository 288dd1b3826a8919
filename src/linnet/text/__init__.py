"""Text: from characters to features, natively and on all cores.

Names are imported when first used; what a saved model needs does not import scikit-learn.
"""

from linnet.public import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
