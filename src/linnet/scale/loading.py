"""Models of files, loaded once by each process and shared with others on the machine."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

from linnet.errors import ModelFileError
from linnet.model.file import load

__all__ = ["loaded_model"]


def loaded_model(file: str, n_threads: int | None) -> Any:
    """Return the model of a file, mapped into memory when this process first asks for it."""
    try:
        about = os.stat(file)
    except OSError as error:
        raise ModelFileError(f"the model {file} cannot be opened: {error.strerror}") from None
    return _loaded(file, (about.st_mtime_ns, about.st_size), n_threads)


@lru_cache(maxsize=8)
def _loaded(file: str, state: tuple[int, int], n_threads: int | None) -> Any:
    """Return the model of a file, which is loaded again when it has changed."""
    model = load(file)
    if hasattr(model, "n_threads"):
        model.n_threads = n_threads
    return model
