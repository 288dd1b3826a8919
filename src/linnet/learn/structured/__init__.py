"""The structured online learners and the structured support vector machine."""

from __future__ import annotations

from linnet.learn.structured.structured import (
    StructuredMIRA,
    StructuredPerceptron,
    StructuredSVM,
)

__all__ = ["StructuredMIRA", "StructuredPerceptron", "StructuredSVM"]
