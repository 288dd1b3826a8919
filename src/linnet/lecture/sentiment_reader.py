"""Amazon reviews (S0 Exercise 1.2): :class:`linnet.data.SentimentCorpus`."""

from linnet.data.corpora import SentimentCorpus

__all__ = ["SentimentCorpus"]
