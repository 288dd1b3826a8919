"""What all classifiers share (S0 Section 1.3)."""

from linnet.lecture import LinearClassifier

__all__ = ["LinearClassifier"]
