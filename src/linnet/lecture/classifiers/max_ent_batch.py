"""Maximum entropy by L-BFGS (S0 Exercise 1.6)."""

from linnet.lecture import MaxEnt_batch, MaxEntBatch

__all__ = ["MaxEntBatch", "MaxEnt_batch"]
