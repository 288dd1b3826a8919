"""Naive Bayes: words that count, words that occur, and normal distributions a feature."""

from __future__ import annotations

from linnet.learn.naive_bayes.gaussian import GaussianNB
from linnet.learn.naive_bayes.naive_bayes import BernoulliNB, MultinomialNB

__all__ = ["BernoulliNB", "GaussianNB", "MultinomialNB"]
