"""``sklearn.naive_bayes``: ``alpha``, ``fit_prior`` and ``class_prior`` are the same here."""

from __future__ import annotations

from linnet.learn.naive_bayes import BernoulliNB, MultinomialNB

__all__ = ["BernoulliNB", "MultinomialNB"]
