"""Evaluation: how often a learner is right, how sure that is, and which learner does better."""

from __future__ import annotations

from linnet.evaluate.compare import Row, compare
from linnet.evaluate.metrics import accuracy, wilson_interval

__all__ = ["Row", "accuracy", "compare", "wilson_interval"]
