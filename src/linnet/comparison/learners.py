"""Which learners are compared, by which names, and with which settings.

Settings are those of ``linnet train``, but that solvers stop a little earlier: what they would
still gain lies far below what a test set can tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from linnet.errors import ParameterError
from linnet.model.fitting import default_learner

__all__ = ["chosen", "flat_learners", "given_strengths", "sequence_learners"]

_SMALL = 2_000  # examples up to which learners that look at all pairs of them take part
_ALIASES = {
    "nb": "multinomialnb",
    "bernoulli": "bernoullinb",
    "memory": "memorybased",
    "kernel": "kernelsvm",
}
_SEQUENCE_ALIASES = {
    "local": "localtagger",
    "mira": "structuredmira",
    "perceptron": "structuredperceptron",
    "svm": "structuredsvm",
}


def flat_learners() -> dict[str, Any]:
    """Return the learners of texts; those that compare all examples come last."""
    import linnet

    return {
        "MultinomialNB": linnet.MultinomialNB(),
        "BernoulliNB": linnet.BernoulliNB(),
        "Perceptron": linnet.Perceptron(),
        "MIRA": linnet.MIRA(),
        "MaxEnt": linnet.MaxEnt(tol=1e-2),
        "SVM": default_learner(),
        "MemoryBased": linnet.MemoryBased(
            k=5, metric="cosine", neighbors="examples", vote="inverse_distance"
        ),
        "KernelSVM": linnet.KernelSVM(kernel="gaussian"),
    }


def sequence_learners() -> dict[str, Any]:
    """Return the learners of sequences."""
    import linnet

    return {
        "HMM": linnet.HMM(),
        "LocalTagger": linnet.LocalTagger(linnet.MaxEnt(tol=1e-2)),
        "MEMM": linnet.MEMM(tol=1e-2),
        "StructuredPerceptron": linnet.StructuredPerceptron(),
        "StructuredMIRA": linnet.StructuredMIRA(),
        "StructuredSVM": linnet.StructuredSVM(max_iter=5),
        "CRF": linnet.CRF(tol=1e-2),
    }


def chosen(wanted: Any, *, sequences: bool, n: int) -> dict[str, Any]:
    """Return the learners to compare by name.

    Parameters
    ----------
    wanted : "all", names, estimators, or a mapping from names to estimators
        Names are those of the classes in any case, or the short ones of ``linnet train``; several
        may stand in one text, with commas between them.
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
    known = sequence_learners() if sequences else flat_learners()
    if isinstance(wanted, str) and wanted.strip().lower() == "all":
        slow = () if n <= _SMALL else ("MemoryBased", "KernelSVM")
        return {name: learner for name, learner in known.items() if name not in slow}
    if isinstance(wanted, Mapping):
        found = {str(name): _own(learner) for name, learner in wanted.items()}
    else:
        found = _listed(wanted.split(",") if isinstance(wanted, str) else wanted, known, sequences)
    if not found:
        raise ParameterError("There are no learners to compare; name at least one.")
    return found


def given_strengths(wanted: Any, learners: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the C of every estimator that was passed as such: it is taken as it is.

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
        if id(learner) in own and "C" in learner.get_params(deep=False)
    }


def _listed(wanted: Any, known: dict[str, Any], sequences: bool) -> dict[str, Any]:
    if not isinstance(wanted, Iterable):
        wanted = [wanted]
    found: dict[str, Any] = {}
    for one in wanted:
        name, learner = _named(one, known, sequences) if isinstance(one, str) else (None, _own(one))
        name = name or type(learner).__name__
        if name in found:
            raise ParameterError(f"{name} is there twice; name its versions: {{'one': {name}()}}.")
        found[name] = learner
    return found


def _named(name: str, known: dict[str, Any], sequences: bool) -> tuple[str, Any]:
    wish = name.strip().lower()
    wish = (_SEQUENCE_ALIASES if sequences else _ALIASES).get(wish, wish)
    for own, learner in known.items():
        if own.lower() == wish:
            return own, learner
    kind = "sequences" if sequences else "texts"
    raise ParameterError(
        f"There is no learner {name.strip()!r} for {kind}; there are {', '.join(known)}."
    )


def _own(learner: Any) -> Any:
    if isinstance(learner, type) or not hasattr(learner, "get_params"):
        raise ParameterError(f"A learner must be an estimator such as SVM(), got {learner!r}.")
    return learner
