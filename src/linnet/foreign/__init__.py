"""Model files of other programs, read as ordinary models of linnet.

Each format has a file of its own here: it knows the format by the content of a file, checks every
count and offset before anything is made of it, and returns a :class:`linnet.Model`, so that every
verb, explanation and thread serves it. What a file says is never run. ``docs/foreign.md`` has the
table of formats; :func:`linnet.load` is the way in, ``linnet convert`` the way out.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import Any

from linnet.errors import ParameterError

__all__ = ["WRITTEN", "read", "recognised", "write"]

#: The modules of the formats; each has ``recognises(head)`` and ``read(path)``.
_FORMATS = (
    "fasttext", "crfsuite", "liblinear", "svmlight", "wapiti", "perceptron", "pickled",
)  # fmt: skip
#: The formats that are written, by the suffix of the file.
WRITTEN = {".crfsuite": "crfsuite", ".model": "liblinear"}


def read(path: str | os.PathLike[str], head: bytes) -> Any:
    """Return the model of another program's file, or None if it is of no known format.

    Parameters
    ----------
    path : str or path-like
    head : bytes
        How the file begins.

    Raises
    ------
    ModelFileError
        When the file is of a known format, but damaged or of a kind that is not run.
    """
    module = recognised(head)
    return None if module is None else module.read(os.fspath(path))


def recognised(head: bytes) -> Any:
    """Return the module of the format whose files begin so, or None."""
    return next((module for module in map(_module, _FORMATS) if module.recognises(head)), None)


@cache
def _module(name: str) -> Any:
    return import_module(f"linnet.foreign.{name}")


def write(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model in the format of another program, which the suffix of the file names.

    Raises
    ------
    ParameterError
        When the suffix is none of :data:`WRITTEN`, or the format cannot say what the model does.
    """
    suffix = os.path.splitext(os.fspath(path))[1]
    if suffix not in WRITTEN:
        listed = ", ".join(WRITTEN)
        raise ParameterError(f"models are written as .linnet, {listed}; not as {suffix!r}.")
    _module(WRITTEN[suffix]).write(model, path)
