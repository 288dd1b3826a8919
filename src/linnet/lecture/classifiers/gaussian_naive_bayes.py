"""Gaussian naive Bayes (S0 Exercise 1.1)."""

from linnet.lecture import GaussianNaiveBayes

__all__ = ["GaussianNaiveBayes"]
