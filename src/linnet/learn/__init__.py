"""The learners, one file for each lecture name; see :mod:`linnet` for the public list."""
