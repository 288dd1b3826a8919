"""Evaluation: how often a learner is right, how sure that is, and which learner does better.

Importing it needs nothing but NumPy.
"""

from __future__ import annotations

from linnet.evaluate.calibration import Calibration, calibrate
from linnet.evaluate.compare import Row, compare
from linnet.evaluate.metrics import accuracy, wilson_interval
from linnet.evaluate.report import ClassScore, Report, evaluate

__all__ = [
    "Calibration",
    "ClassScore",
    "Report",
    "Row",
    "accuracy",
    "calibrate",
    "compare",
    "evaluate",
    "wilson_interval",
]
