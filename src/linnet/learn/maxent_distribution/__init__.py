"""The distribution of maximum entropy under constraints on expectations."""

from __future__ import annotations

from linnet.learn.maxent_distribution.distribution import MaxEntDistribution, entropy

__all__ = ["MaxEntDistribution", "entropy"]
