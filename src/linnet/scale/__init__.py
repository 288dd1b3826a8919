"""Beyond one machine: models as functions on record batches, inside the engines people run.

Names are imported from their modules when first used; docs/scale.md describes them.
"""

from linnet.public import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
