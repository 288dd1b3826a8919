"""Amazon reviews (S0 Exercise 1.2)."""

from linnet.lecture import SentimentCorpus

__all__ = ["SentimentCorpus"]
