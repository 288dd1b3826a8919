"""Maximum entropy by SGD (S0 Exercise 1.6)."""

from linnet.lecture import MaxEnt_online, MaxEntOnline

__all__ = ["MaxEntOnline", "MaxEnt_online"]
