"""Text: from characters to features, natively and on all cores.

Names are imported when first used; what a saved model needs does not import scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linnet.text.extractor import Extractor
    from linnet.text.features import TextFeatures
    from linnet.text.stop_words import ENGLISH_STOP_WORDS

__all__ = ["ENGLISH_STOP_WORDS", "Extractor", "TextFeatures"]

_HOME = {
    "ENGLISH_STOP_WORDS": "stop_words",
    "Extractor": "extractor",
    "TextFeatures": "features",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"linnet.text.{_HOME[name]}"), name)
    raise AttributeError(f"module 'linnet.text' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
