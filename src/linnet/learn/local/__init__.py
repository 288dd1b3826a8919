"""Local classifiers: a flat learner decides token by token."""

from __future__ import annotations

from linnet.learn.local.local import LocalTagger

__all__ = ["LocalTagger"]
