"""Files of learners whose attributes were changed, which save would refuse to write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linnet.model.file import write_model
from linnet.model.file.learners import encode_learner
from linnet.model.file.plain import Encoder


def forge(model: Any, path: Path) -> None:
    """Write what a learner holds, whatever it is."""
    encoder = Encoder()
    config = encode_learner(model, encoder)
    write_model(path, type(model).__name__, config, encoder.arrays, {})
