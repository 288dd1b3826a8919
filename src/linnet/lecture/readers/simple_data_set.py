"""Two Gaussian classes (S0 Exercise 1.1)."""

from linnet.lecture import SimpleDataSet

__all__ = ["SimpleDataSet"]
