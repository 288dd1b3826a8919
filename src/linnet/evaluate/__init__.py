"""Evaluation: how often a learner is right, how sure that is, and which learner does better.

Importing it needs nothing but NumPy.
"""

from __future__ import annotations

from linnet.evaluate.calibration import Calibration, calibrate
from linnet.evaluate.chunks import (
    ChunkScore,
    SequenceReport,
    Vocabulary,
    evaluate_sequences,
    known_word_error,
)
from linnet.evaluate.compare import Row, compare
from linnet.evaluate.metrics import accuracy, wilson_interval
from linnet.evaluate.report import ClassScore, Report, evaluate

__all__ = [
    "Calibration",
    "ChunkScore",
    "ClassScore",
    "Report",
    "Row",
    "SequenceReport",
    "Vocabulary",
    "accuracy",
    "calibrate",
    "compare",
    "evaluate",
    "evaluate_sequences",
    "known_word_error",
    "wilson_interval",
]
