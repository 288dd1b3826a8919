"""A run put aside in one file, so that it can go on after it was killed.

The file is written beside and renamed (:mod:`linnet.data.replacing`), so there is always a whole
one: the last, or the one before it. It is a NumPy archive, whose parts have checksums, and holds no
code.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.replacing import replacing
from linnet.errors import DataError, ParameterError

__all__ = ["read_checkpoint", "remove_checkpoint", "write_checkpoint"]

Arrays = dict[str, NDArray[Any]]
_VALUES = "values.json"
_VERSION = 1


def write_checkpoint(
    path: str, settings: dict[str, Any], values: dict[str, Any], arrays: Arrays
) -> None:
    """Write a run: the settings it was started with, and what it has come to."""
    text = json.dumps({"version": _VERSION, "settings": settings, "values": values})
    parts: dict[str, Any] = {_VALUES: np.frombuffer(text.encode(), np.uint8), **arrays}
    with replacing(path) as file:
        np.savez(file, **parts)


def read_checkpoint(path: str, settings: dict[str, Any]) -> tuple[dict[str, Any], Arrays] | None:
    """Return values and arrays of a run with these settings; None where there is no file.

    Raises
    ------
    DataError
        When the file is damaged or is no checkpoint.
    ParameterError
        When it is of a run with other settings; the error names the first that differs.
    """
    if not os.path.exists(path):
        return None
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        held = json.loads(arrays.pop(_VALUES).tobytes())
        version, before, values = held["version"], held["settings"], held["values"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise DataError(
            f"{path} is damaged or no checkpoint ({error}); delete it and start again"
        ) from None
    if version != _VERSION:
        raise DataError(f"{path} is of another version; delete it and start again")
    plain = json.loads(json.dumps(settings))
    for name in sorted({*plain, *before}):
        if plain.get(name) != before.get(name):
            raise ParameterError(
                f"the run in {path} had another {name}: {before.get(name)!r}, now it is "
                f"{plain.get(name)!r}; resume with the same, or start again"
            )
    return values, arrays


def remove_checkpoint(path: str) -> None:
    """Remove the file of a run that has come to its end, if there is one."""
    if os.path.exists(path):
        os.unlink(path)
