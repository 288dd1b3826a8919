"""The command ``linnet``: one file for each verb."""

from __future__ import annotations

from linnet.cli.start import main

__all__ = ["main"]
