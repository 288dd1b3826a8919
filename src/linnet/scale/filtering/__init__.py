"""Filtering: which rows of many files are kept, how they are copied, and what that came to."""
