"""Both naive Bayes models (S0 Section 1.2)."""

from linnet.lecture import GaussianNaiveBayes, MultinomialNaiveBayes

__all__ = ["GaussianNaiveBayes", "MultinomialNaiveBayes"]
