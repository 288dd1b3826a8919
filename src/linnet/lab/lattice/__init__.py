"""The lattice: one sentence's trellis for HMM, MEMM and CRF side by side."""

from __future__ import annotations

from linnet.lab.lattice.view import answer

__all__ = ["answer"]
