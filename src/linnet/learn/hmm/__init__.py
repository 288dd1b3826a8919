"""The hidden Markov model."""

from __future__ import annotations

from linnet.learn.hmm.hmm import HMM

__all__ = ["HMM"]
