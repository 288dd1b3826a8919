"""The kernel learners: a perceptron and a support vector machine that see dot products only."""

from __future__ import annotations

from linnet.learn.kernel.perceptron import KernelPerceptron
from linnet.learn.kernel.svm import KernelSVM

__all__ = ["KernelPerceptron", "KernelSVM"]
