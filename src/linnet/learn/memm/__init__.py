"""The maximum entropy Markov model."""

from __future__ import annotations

from linnet.learn.memm.memm import MEMM, log_sums

__all__ = ["MEMM", "log_sums"]
