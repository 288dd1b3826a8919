"""Forged model files: every kind of model, changed behind a checksum that matches, and used.

``python -m tests.fuzz --count 100000 --seed 0 --workers 2`` looks for a file that
:func:`linnet.load` accepts and that then fails, answers with NaN, hangs or crashes;
``--replay NUMBER`` shows one case.
"""
