"""Raw text or rows in, labels out: features, a learner and a decision rule as one object.

:class:`TextClassifier`, :class:`RowClassifier` and :class:`SequenceTagger` learn;
:class:`TextModel`, :class:`RowModel` and :class:`TagModel` are what they have learned, all that
predicting needs. Names are imported when
first used, so that a saved model predicts without scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linnet.pipeline.classifier import TextClassifier
    from linnet.pipeline.model import TextModel
    from linnet.pipeline.row_classifier import RowClassifier
    from linnet.pipeline.row_model import RowModel
    from linnet.pipeline.tag_model import TagModel
    from linnet.pipeline.tagger import SequenceTagger

__all__ = [
    "RowClassifier",
    "RowModel",
    "SequenceTagger",
    "TagModel",
    "TextClassifier",
    "TextModel",
]

_HOME = {
    "RowClassifier": "row_classifier",
    "RowModel": "row_model",
    "SequenceTagger": "tagger",
    "TagModel": "tag_model",
    "TextClassifier": "classifier",
    "TextModel": "model",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"linnet.pipeline.{_HOME[name]}"), name)
    raise AttributeError(f"module 'linnet.pipeline' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
