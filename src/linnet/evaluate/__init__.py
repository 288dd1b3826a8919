"""Evaluation: how often a learner is right, how sure that is, and which learner does better.

Importing it needs nothing but NumPy.
"""

from __future__ import annotations

from linnet.evaluate.audit import Association, Audit, GroupScore, audit, length_groups
from linnet.evaluate.calibration import Calibration, calibrate
from linnet.evaluate.cells import Cell, confusion_cells
from linnet.evaluate.chunks import (
    ChunkScore,
    SequenceReport,
    Vocabulary,
    evaluate_sequences,
    known_word_error,
)
from linnet.evaluate.curves import (
    AbstentionCurve,
    ThresholdCurve,
    abstention_curve,
    threshold_curve,
)
from linnet.evaluate.intervals import ScoreInterval, bootstrap_interval
from linnet.evaluate.learning import LearningCurve, learning_curve
from linnet.evaluate.metrics import accuracy, wilson_interval
from linnet.evaluate.mistakes import Mistake, confident_mistakes
from linnet.evaluate.path import ParameterPath, parameter_path
from linnet.evaluate.report import ClassScore, Report, evaluate
from linnet.evaluate.resampling import CrossValidation, cross_probabilities, cross_validate
from linnet.evaluate.significance import (
    PairedTest,
    approximate_randomisation,
    corrected,
    mcnemar,
    paired_bootstrap,
)
from linnet.evaluate.spans import SpanScores, span_scores
from linnet.evaluate.suspects import Suspect, label_suspects, suspects

__all__ = [
    "AbstentionCurve",
    "Association",
    "Audit",
    "Calibration",
    "Cell",
    "ChunkScore",
    "ClassScore",
    "CrossValidation",
    "GroupScore",
    "LearningCurve",
    "Mistake",
    "PairedTest",
    "ParameterPath",
    "Report",
    "ScoreInterval",
    "SequenceReport",
    "SpanScores",
    "Suspect",
    "ThresholdCurve",
    "Vocabulary",
    "abstention_curve",
    "accuracy",
    "approximate_randomisation",
    "audit",
    "bootstrap_interval",
    "calibrate",
    "confident_mistakes",
    "confusion_cells",
    "corrected",
    "cross_probabilities",
    "cross_validate",
    "evaluate",
    "evaluate_sequences",
    "known_word_error",
    "label_suspects",
    "learning_curve",
    "length_groups",
    "mcnemar",
    "paired_bootstrap",
    "parameter_path",
    "span_scores",
    "suspects",
    "threshold_curve",
    "wilson_interval",
]
