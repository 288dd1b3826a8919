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

__all__ = ["chosen", "compared_learners", "given_strengths"]

_SMALL = 2_000  # examples up to which learners that look at all pairs of them take part


def compared_learners(*, sequences: bool) -> dict[str, Any]:
    """Return the learners that take part when all are compared, in the order of the lectures."""
    known = learners("sequences" if sequences else "texts")
    return {
        name: _set_up(cls)
        for name, cls in known.items()
        if declaration_of(cls).compared is not None
    }


def _set_up(cls: type[Any]) -> Any:
    """Return a learner with its settings in a comparison."""
    return cls(**settings_of(declaration_of(cls).compared or {}))


def chosen(wanted: Any, *, sequences: bool, n: int) -> dict[str, Any]:
    """Return the learners to compare by name.

    Parameters
    ----------
    wanted : "all", names, estimators, or a mapping from names to estimators
        Names are those of the classes in any case, the short ones of ``linnet train``, or
        ``package.module:Class``; several may stand in one text, with commas between them.
    sequences : bool
        Whether they tag sentences.
    n : int
        Number of training units; "all" leaves out slow learners where there are many.

    Examples
    --------
    >>> list(chosen("nb, svm", sequences=False, n=100))
    ['MultinomialNB', 'SVM']
    >>> list(chosen("all", sequences=False, n=100_000))
    ['MultinomialNB', 'BernoulliNB', 'Perceptron', 'MIRA', 'MaxEnt', 'SVM']
    """
    if isinstance(wanted, str) and wanted.strip().lower() == "all":
        every = compared_learners(sequences=sequences)
        return {
            name: learner
            for name, learner in every.items()
            if n <= _SMALL or declaration_of(learner).scales
        }
    if isinstance(wanted, Mapping):
        found = {str(name): _own(learner) for name, learner in wanted.items()}
    else:
        kind: Kind = "sequences" if sequences else "texts"
        found = _listed(wanted.split(",") if isinstance(wanted, str) else wanted, kind)
    if not found:
        raise ParameterError("There are no learners to compare; name at least one.")
    return found


def given_strengths(wanted: Any, learners: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the C of every estimator that was passed as such: it is taken as it is.

    An estimator with ``regularizer`` in place of C has nothing to fix.

    Examples
    --------
    >>> import linnet
    >>> wanted = ["nb", linnet.SVM(C=2.0)]
    >>> given_strengths(wanted, chosen(wanted, sequences=False, n=100))
    {'SVM': {'C': 2.0}}
    """
    if isinstance(wanted, str):
        return {}
    passed = wanted.values() if isinstance(wanted, Mapping) else wanted
    own = {id(one) for one in (passed if isinstance(passed, Iterable) else [passed])}
    return {
        name: {"C": learner.C}
        for name, learner in learners.items()
        if id(learner) in own and "C" in learner.get_params(deep=False) and not ignores_c(learner)
    }


def _listed(wanted: Any, kind: Kind) -> dict[str, Any]:
    if not isinstance(wanted, Iterable):
        wanted = [wanted]
    found: dict[str, Any] = {}
    for one in wanted:
        learner = _set_up(learner_named(one, kind)) if isinstance(one, str) else _own(one)
        name = type(learner).__name__
        if name in found:
            raise ParameterError(f"{name} is there twice; name its versions: {{'one': {name}()}}.")
        found[name] = learner
    return found


def _own(learner: Any) -> Any:
    if isinstance(learner, type) or not hasattr(learner, "get_params"):
        raise ParameterError(f"A learner must be an estimator such as SVM(), got {learner!r}.")
    return learner
