"""Model files with any content and a checksum that matches."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import linnet
from linnet.model.file import save
from linnet.model.file.layout import PREFIXES, checksum

X = np.random.default_rng(0).integers(0, 3, size=(30, 3)).astype(float)
Y = (X[:, 0] > X[:, 1]).astype(int) + (X[:, 2] > 1)


def parts(raw: bytes) -> tuple[dict[str, Any], bytes]:
    """Return header and data of a file."""
    length = int.from_bytes(raw[:8], "little")
    return json.loads(raw[8 : 8 + length]), raw[8 + length :]


def forged(header: dict[str, Any] | bytes, data: bytes) -> bytes:
    """Return a file with this content and a checksum that matches."""
    text = (
        header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    )
    raw = len(text).to_bytes(8, "little") + text + data
    at = 8 + len(PREFIXES[0])
    if raw[8:at] not in PREFIXES:
        return raw
    return raw[:at] + checksum([raw[:at], b"00000000", raw[at + 8 :]]) + raw[at + 8 :]


def model_file(path: Path, model: Any = None) -> tuple[dict[str, Any], bytes]:
    save(linnet.GaussianNB().fit(X, Y) if model is None else model, path)
    return parts(path.read_bytes())


def edited(path: Path, change: Callable[[dict[str, Any]], None], model: Any = None) -> None:
    """Save a model, change its config, and write it back with a checksum that matches."""
    header, data = model_file(path, model)
    config = json.loads(header["__metadata__"]["config"])
    change(config)
    header["__metadata__"]["config"] = json.dumps(config)
    path.write_bytes(forged(header, data))
