"""The command ``linnet``: one file for each verb, and a room for the kinds of data."""

from __future__ import annotations

from linnet.cli.start import main

__all__ = ["main"]
