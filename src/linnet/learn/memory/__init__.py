"""Memory-based learning: the examples are the model."""

from __future__ import annotations

from linnet.learn.memory.memory import MemoryBased

__all__ = ["MemoryBased"]
