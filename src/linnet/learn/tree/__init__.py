"""Decision trees."""

from __future__ import annotations

from linnet.learn.tree.tree import DecisionTree

__all__ = ["DecisionTree"]
