"""Multinomial naive Bayes (S0 Exercise 1.2)."""

from linnet.lecture import MultinomialNaiveBayes

__all__ = ["MultinomialNaiveBayes"]
