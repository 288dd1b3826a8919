"""Two Gaussian classes (S0 Exercise 1.1): :class:`linnet.data.SimpleDataSet`."""

from linnet.data.gaussian import SimpleDataSet

__all__ = ["SimpleDataSet"]
