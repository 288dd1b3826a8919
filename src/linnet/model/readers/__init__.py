"""Readers: from what users hold to ids, one file for each way of holding it."""
