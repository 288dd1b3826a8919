"""Which learners are compared, by which names, and with which settings.

Settings are those of ``linnet train``, but that solvers stop a little earlier: what they would
still gain lies far below what a test set can tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from linnet.errors import ParameterError
from linnet.learn.shared.declaration import declaration_of, ignores_c, settings_of
from linnet.learn.shared.known import Kind, learner_named, learners

__all__ = ["chosen", "compared_learners", "given_settings", "left_out", "takes_all"]

_SMALL = 2_000  # examples up to which learners that look at all pairs of them take part


def compared_learners(kind: Kind) -> dict[str, Any]:
    """Return the learners that take part when all are compared, in the order of the lectures."""
    return {
        name: _set_up(cls, kind) for name, cls in learners(kind).items() if _takes_part(cls, kind)
    }


def _takes_part(cls: type[Any], kind: Kind) -> bool:
    """Tell whether a learner is compared; trees and densities are for rows alone."""
    declared = declaration_of(cls)
    return declared.compared is not None or (kind == "rows" and declared.reads != "features")


def _set_up(cls: type[Any], kind: Kind) -> Any:
    """Return a learner with its settings in a comparison."""
    declared = declaration_of(cls)
    of_rows = settings_of(declared.rows) if kind == "rows" else {}
    return cls(**(of_rows or settings_of(declared.compared or {})))


def _quick_enough(learner: Any, kind: Kind, n: int) -> bool:
    """Tell whether a learner takes part by itself; memory finds equal values by their tables."""
    declared = declaration_of(learner)
    return n <= _SMALL or declared.scales or (kind == "rows" and declared.reads == "rows")


def chosen(wanted: Any, *, kind: Kind, n: int) -> dict[str, Any]:
    """Return the learners to compare by name.

    Parameters
    ----------
    wanted : "all", names, estimators, or a mapping from names to estimators
        Names are those of the classes in any case, the short ones of ``linnet train``, or
        ``package.module:Class``; several may stand in one text, with commas between them.
    kind : {"texts", "rows", "sequences"}
        What they label.
    n : int
        Number of training units; "all" leaves out slow learners where there are many.

    Examples
    --------
    >>> list(chosen("nb, svm", kind="texts", n=100))
    ['MultinomialNB', 'SVM']
    >>> list(chosen("all", kind="texts", n=100_000))
    ['MultinomialNB', 'BernoulliNB', 'Perceptron', 'MIRA', 'MaxEnt', 'SVM']
    """
    if takes_all(wanted):
        every = compared_learners(kind)
        return {name: own for name, own in every.items() if _quick_enough(own, kind, n)}
    if isinstance(wanted, Mapping):
        found = {str(name): _own(learner) for name, learner in wanted.items()}
    else:
        found = _listed(wanted.split(",") if isinstance(wanted, str) else wanted, kind)
    if not found:
        raise ParameterError("There are no learners to compare; name at least one.")
    return found


def takes_all(wanted: Any) -> bool:
    """Tell whether all learners of the kind were asked for.

    Examples
    --------
    >>> takes_all(" All"), takes_all("svm")
    (True, False)
    """
    return isinstance(wanted, str) and wanted.strip().lower() == "all"


def left_out(kind: Kind, n: int) -> dict[str, str]:
    """Return the learners of the kind that "all" does not mean, and why.

    Examples
    --------
    >>> left_out("texts", 100_000)["KernelSVM"]
    'it looks at all pairs of 100,000 examples; name it to compare it'
    """
    why = {}
    for name, cls in learners(kind).items():
        if not _takes_part(cls, kind):
            of_rows = declaration_of(cls).reads in ("numbers", "rows") and kind == "texts"
            where = "it reads rows of values; on vectors name it" if of_rows else "name it"
            why[name] = f"{where} to compare it"
        elif not _quick_enough(cls, kind, n):
            why[name] = f"it looks at all pairs of {n:,} examples; name it to compare it"
    return why


def given_settings(wanted: Any, learners: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what is not chosen: the C, smoothing or k of every estimator passed as such.

    An estimator with ``regularizer`` in place of C has nothing to fix.

    Examples
    --------
    >>> import linnet
    >>> wanted = ["bernoulli", linnet.SVM(C=2.0), linnet.MultinomialNB()]
    >>> given_settings(wanted, chosen(wanted, kind="texts", n=100))
    {'SVM': {'C': 2.0}, 'MultinomialNB': {'alpha': 1.0}}
    """
    if isinstance(wanted, str):
        return {}
    passed = wanted.values() if isinstance(wanted, Mapping) else wanted
    own = {id(one) for one in (passed if isinstance(passed, Iterable) else [passed])}
    fixed = {name: _fixed(learner) for name, learner in learners.items() if id(learner) in own}
    return {name: setting for name, setting in fixed.items() if setting}


def _fixed(learner: Any) -> dict[str, Any]:
    declared, known = declaration_of(learner), learner.get_params(deep=False)
    names = {"C": None} if not ignores_c(learner) else {}
    if declared.tries_all:
        names |= {name: None for setting in declared.grid for name in setting}
    return {name: known[name] for name in names if name in known}


def _listed(wanted: Any, kind: Kind) -> dict[str, Any]:
    if not isinstance(wanted, Iterable):
        wanted = [wanted]
    found: dict[str, Any] = {}
    for one in wanted:
        learner = _set_up(learner_named(one, kind), kind) if isinstance(one, str) else _own(one)
        name = type(learner).__name__
        if name in found:
            raise ParameterError(f"{name} is there twice; name its versions: {{'one': {name}()}}.")
        found[name] = learner
    return found


def _own(learner: Any) -> Any:
    if isinstance(learner, type) or not hasattr(learner, "get_params"):
        raise ParameterError(f"A learner must be an estimator such as SVM(), got {learner!r}.")
    return learner
