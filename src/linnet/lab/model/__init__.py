"""A model file looked into: its card, its strongest features, one example explained, mistakes."""

from __future__ import annotations

from linnet.lab.model.view import answer

__all__ = ["answer"]
