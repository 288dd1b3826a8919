"""Model files of other programs, read as ordinary models of linnet.

A format is known by how its files begin, which is listed here, so that only what reads a file is
imported. Each has a file of its own: it checks every count and offset before anything is made of
it, and returns a :class:`linnet.Model`, so that every verb, explanation and thread serves it. What
a file says is never run. ``docs/foreign.md`` has the table of formats; :func:`linnet.load` is the
way in, ``linnet convert`` the way out.
"""

from __future__ import annotations

import os
import re
from importlib import import_module
from typing import Any

from linnet.errors import ParameterError

__all__ = ["WRITTEN", "format_of", "read", "write"]

#: The modules of the formats, each with ``read(path)``, and how their files begin; pickles, which
#: may be compressed, come last and have a function for it.
_BEGINNINGS = {
    "fasttext": rb"\xba\x16\x4f\x2f",
    "crfsuite": rb"lCRF",
    "liblinear": rb"\s*(?:solver_type|nr_class|nr_feature|bias|rho)\s",
    "svmlight": rb"SVM-light Version",
    "wapiti": rb"#mdl#",
    "perceptron": rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:weights|tagdict|classes)"\s*:',
}
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
    name = format_of(head)
    return None if name is None else _module(name).read(os.fspath(path))


def format_of(head: bytes) -> str | None:
    """Return the module of the format whose files begin so, or None.

    Examples
    --------
    >>> format_of(b"#mdl#2#462\\n"), format_of(b"a text")
    ('wapiti', None)
    """
    for name, beginning in _BEGINNINGS.items():
        if re.match(beginning, head):
            return name
    return "pickled" if _module("pickled").recognises(head) else None


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
