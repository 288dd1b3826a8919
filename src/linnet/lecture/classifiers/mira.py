"""MIRA (S0 Exercise 1.5)."""

from linnet.lecture import Mira

__all__ = ["Mira"]
