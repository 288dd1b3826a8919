"""The support vector machine (S0 Exercise 1.7)."""

from linnet.lecture import SVM

__all__ = ["SVM"]
