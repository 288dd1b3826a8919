"""``fasttext`` for models that are there already: :func:`load_model`, and what they answer.

Training is not part of it: use :class:`linnet.TextClassifier`.
"""

from __future__ import annotations

from linnet.compat.fasttext.FastText import load_model, tokenize

__all__ = ["load_model", "tokenize"]
