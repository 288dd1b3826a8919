"""The classes that a model file may name, and under which names.

A file names linnet's own classes as they are exported. A learner of another package it names
``package.module:Class``; such a class is used only if its module is imported already, by the
program that loads the file or with ``--learner`` on the command line: a file never decides which
code runs. A linear learner of another package needs no class at all, since its weights are all
there is to it: it is stored, and comes back, as a plain ``LinearClassifier``.
"""

from __future__ import annotations

import sys
from typing import Any

from linnet.errors import ModelFileError
from linnet.public import public_class

__all__ = ["learner_class", "public_model", "required_class", "stored_name"]

WEIGHTS = "LinearClassifier"  # weights, whoever learnt them


def public_model(name: str) -> type[Any] | None:
    """Return the class of a name that a file may begin with: a model of linnet, or a learner."""
    cls = public_class(name) if ":" not in name else None
    return cls if hasattr(cls, "_from_file") else learner_class(name)


def learner_class(name: str) -> type[Any] | None:
    """Return the learner of a name; None if there is none, or if it is not imported.

    Examples
    --------
    >>> learner_class("CRF"), learner_class("os:system"), learner_class("antigravity:fly")
    (<class 'linnet.learn.crf.CRF'>, None, None)
    """
    if name == WEIGHTS:
        from linnet.learn.flat.base import LinearClassifier

        return LinearClassifier
    module, colon, own = name.partition(":")
    if colon:
        cls = getattr(sys.modules.get(module), own, None)
        return cls if isinstance(cls, type) and _follows_the_contract(cls) else None
    cls = public_class(name, within="linnet.learn")
    return cls if hasattr(cls, "fit") else None


def required_class(name: str) -> type[Any]:
    """Return the learner of a name; the error says how a class of another package is allowed."""
    cls = learner_class(name)
    if cls is None and ":" in name:
        module = name.partition(":")[0]
        raise ModelFileError(
            f"it holds a learner of another package, {name[:100]!r}, and a model file imports "
            f"nothing by itself; import {module[:100]} before loading it, or name the class with "
            "--learner on the command line, if you trust it"
        )
    if cls is None:
        raise ModelFileError(
            f"it holds a {name[:60]!r}, which this linnet does not have; upgrade linnet, or give a "
            "file written by linnet's save"
        )
    return cls


def stored_name(cls: type[Any]) -> str | None:
    """Return the name of a learner's class in a file; None if it cannot be stored.

    Examples
    --------
    >>> import linnet
    >>> stored_name(linnet.CRF), stored_name(dict)
    ('CRF', None)
    """
    if learner_class(cls.__name__) is cls:
        return cls.__name__
    place = f"{cls.__module__}:{cls.__qualname__}"
    return place if learner_class(place) is cls else None


def _follows_the_contract(cls: type[Any]) -> bool:
    return all(hasattr(cls, part) for part in ("declaration", "stored", "fit", "predict"))
