"""Texts: a tiny corpus learned word by word, and one text decided by the sum of its words."""

from __future__ import annotations

from linnet.lab.text.view import answer

__all__ = ["answer"]
