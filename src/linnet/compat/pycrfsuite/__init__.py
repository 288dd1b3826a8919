"""``pycrfsuite``: taggers that CRFsuite has trained, and a trainer that writes such files."""

from __future__ import annotations

from linnet.compat.pycrfsuite.sequences import CRFSuiteError, ItemSequence
from linnet.compat.pycrfsuite.tagger import ParsedDump, Tagger
from linnet.compat.pycrfsuite.trainer import BaseTrainer, Trainer

__all__ = [
    "CRFSUITE_VERSION",
    "BaseTrainer",
    "CRFSuiteError",
    "ItemSequence",
    "ParsedDump",
    "Tagger",
    "Trainer",
]

#: The version of CRFsuite whose files and answers these are.
CRFSUITE_VERSION = "0.12.2"
