"""Which learners there are: linnet's, by the stub of public names, and anybody's by their place.

A name is a class's own in any case, its short one, or for a class of another package
``package.module:Class``. Classes are imported when they are asked for, so that to name a tagger
does not load what only classifiers need.
"""

from __future__ import annotations

import os
import sys
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Literal

from linnet.errors import ParameterError
from linnet.learn.shared.declaration import declaration_of, settings_of
from linnet.public import learner_homes, public_class

__all__ = ["Kind", "imported_class", "learner_named", "learners", "suited_learner"]

Kind = Literal["texts", "rows", "sequences"]
_NEAR = 0.6  # how alike names must be for one to be meant by the other, from 0 to 1


def learners(kind: Kind) -> dict[str, type[Any]]:
    """Return the classes of linnet that label such data by name, in the order of the lectures.

    Examples
    --------
    >>> list(learners("sequences"))[:3]
    ['HMM', 'LocalTagger', 'MEMM']
    """
    classes = [cls for name in learner_homes() if (cls := _suited(name, kind)) is not None]
    classes.sort(key=lambda cls: (declaration_of(cls).place, cls.__name__))
    return {cls.__name__: cls for cls in classes}


def learner_named(name: str, kind: Kind) -> type[Any]:
    """Return the class of a learner by its name.

    Examples
    --------
    >>> learner_named("nb", "texts"), learner_named("SVM", "sequences")
    (<class 'linnet.learn.naive_bayes.naive_bayes.MultinomialNB'>,
     <class 'linnet.learn.structured.structured.StructuredSVM'>)
    """
    name = name.strip()
    if ":" in name:
        return _checked(imported_class(name), kind)
    for own in _likely_first(name.lower(), kind):
        cls = _suited(own, kind)
        if cls is not None and name.lower() in (own.lower(), declaration_of(cls).short):
            return cls
    raise ParameterError(_no_such_learner(name, kind))


def suited_learner(name: str, kind: Kind) -> Any:
    """Return a new learner by its name, with the settings that suit such data.

    Examples
    --------
    >>> suited_learner("svm", "texts")
    SVM(loss='squared_hinge', multi_class='ovr', tol=0.001)
    >>> suited_learner("crf", "sequences")
    CRF()
    """
    cls = learner_named(name, kind)
    declared = declaration_of(cls)
    suited = {"texts": declared.texts, "rows": declared.rows, "sequences": {}}[kind]
    return cls(**settings_of(suited))


def _no_such_learner(name: str, kind: Kind) -> str:
    """Say what is wrong with the name: it is of another kind, misspelt, or of nothing."""
    other: Kind = "texts" if kind == "sequences" else "sequences"
    elsewhere = [cls for cls in learners(other).values() if name.lower() in _spellings(cls)]
    data = "texts and rows" if other == "texts" else other
    begin = ""
    if elsewhere:
        begin = f"{elsewhere[0].__name__} is a learner for {data}, and these are {kind}; "
    known = {spelling: cls for cls in learners(kind).values() for spelling in _spellings(cls)}
    near = [known[spelling] for spelling in get_close_matches(name.lower(), known, 3, _NEAR)]
    if near and not elsewhere:
        listed = " or ".join(dict.fromkeys(map(_spelled, near)))
        return f"there is no learner {name!r} for {kind}; did you mean {listed}?"
    listed = ", ".join(map(_spelled, learners(kind).values()))
    return (
        f"{begin}there is no learner {name!r} for {kind}; there are {listed}; a class of your own "
        "is package.module:Class"
    )


def _spellings(cls: type[Any]) -> list[str]:
    return [spelling for spelling in (cls.__name__.lower(), declaration_of(cls).short) if spelling]


def imported_class(place: str) -> type[Any]:
    """Import the class ``package.module:Class``; modules of the current folder are found too.

    Examples
    --------
    >>> imported_class("linnet.learn.crf:CRF")
    <class 'linnet.learn.crf.CRF'>
    """
    module, _, name = place.partition(":")
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)
    try:
        value: Any = import_module(module)
    except Exception as error:  # whatever goes wrong in somebody else's module
        raise ParameterError(
            f"the learner {place!r} cannot be imported ({type(error).__name__}: {error}); name it "
            "package.module:Class, of an installed package or of the current folder"
        ) from error
    value = getattr(value, name, None)
    if not isinstance(value, type):
        raise ParameterError(f"the module {module} has no class {name!r}")
    return value


def _spelled(cls: type[Any]) -> str:
    short = declaration_of(cls).short
    return f"{cls.__name__} ({short})" if short else cls.__name__


def _checked(cls: type[Any], kind: Kind) -> type[Any]:
    """Return a class that was named by its place, if it can learn what it is asked to."""
    if not hasattr(cls, "fit") or not hasattr(cls, "get_params"):
        raise ParameterError(
            f"{cls.__name__} is no estimator: it has no fit, or no get_params; see "
            "docs/add_a_learner.md"
        )
    if not _labels(cls, kind):
        raise ParameterError(f"{cls.__name__} is no learner for {kind}")
    return cls


def _suited(name: str, kind: Kind) -> type[Any] | None:
    """Return the class of a public name, if it is a learner that labels such data."""
    cls = public_class(name)
    return cls if cls is not None and hasattr(cls, "declaration") and _labels(cls, kind) else None


def _labels(cls: type[Any], kind: Kind) -> bool:
    declared = declaration_of(cls)
    return declared.classifies and declared.sequences == (kind == "sequences")


def _likely_first(wish: str, kind: Kind) -> list[str]:
    """Return public names, those like the wish first, so that few modules are loaded in vain.

    A structured learner is named after its flat twin, and longer.
    """
    longer = -1 if kind == "sequences" else 1
    return sorted(
        learner_homes(), key=lambda own: (wish not in own.lower(), longer * len(own), own)
    )
