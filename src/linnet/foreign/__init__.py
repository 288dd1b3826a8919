"""Model files of other programs, read as ordinary models of linnet.

Each format has a file of its own here: it knows the format by the content of a file, checks every
count and offset before anything is made of it, and returns a :class:`linnet.Model`, so that every
verb, explanation and thread serves it. What a file says is never run. ``docs/foreign.md`` has the
table of formats; :func:`linnet.load` is the way in, ``linnet convert`` the way out.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from linnet.errors import ParameterError

__all__ = ["WRITTEN", "read", "recognised", "write"]

_HEAD = 512
#: The modules of the formats; each has ``recognises(head)`` and ``read(path)``.
_FORMATS = (
    "fasttext", "crfsuite", "liblinear", "svmlight", "wapiti", "perceptron", "pickled",
)  # fmt: skip
#: The formats that are written, by the suffix of the file.
WRITTEN = {".crfsuite": "crfsuite", ".model": "liblinear"}


def read(path: str | os.PathLike[str]) -> Any:
    """Return the model of another program's file, or None if it is of no known format.

    Raises
    ------
    ModelFileError
        When the file is of a known format, but damaged or of a kind that is not run.
    """
    file = os.fspath(path)
    if not os.path.isfile(file):
        return None
    with open(file, "rb") as raw:
        module = recognised(raw.read(_HEAD))
    return None if module is None else module.read(file)


def recognised(head: bytes) -> Any:
    """Return the module of the format whose files begin so, or None."""
    modules = (import_module(f"linnet.foreign.{name}") for name in _FORMATS)
    return next((module for module in modules if module.recognises(head)), None)


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
    import_module(f"linnet.foreign.{WRITTEN[suffix]}").write(model, path)
