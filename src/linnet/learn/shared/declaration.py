"""What a learner says of itself, so that nobody else keeps a table of learners.

Each learner's class carries one :class:`Declaration`. The command line, the comparison, the
persistence, the demo and the documentation ask it: a learner that is added, here or in somebody
else's package, is known to all of them at once.

Examples
--------
>>> import linnet
>>> declaration_of(linnet.HMM()).reads, declaration_of(linnet.KernelSVM).scales
('words', False)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

__all__ = ["Declaration", "Settings", "declaration_of", "ignores_c", "settings_of", "tried"]

#: Parameters by name; a function where they hold what is slow to import.
Settings: TypeAlias = Mapping[str, Any] | Callable[[], Mapping[str, Any]]
Reads = Literal["features", "counts", "presence", "numbers", "rows", "tokens", "words"]
Training = Literal["counts", "rounds", "solver", "pairs"]


@dataclass(frozen=True)
class Declaration:
    """What others must know of a learner.

    Attributes
    ----------
    short : str
        Its short name, beside that of the class; none if empty.
    place : int
        Where it stands in the order of the lectures; learners are listed by it.
    reads : str
        What it learns from. Flat learners: "features" (vectors), "counts" (not below 0; it models
        how often each feature occurs, so a comparison gives it counts), "presence" (0 or 1),
        "numbers" (their densities, so that an indicator makes no sense), or "rows" (attribute
        values, symbols too). Sequence learners: "tokens" (the features of each), or "words".
    linear : bool
        Whether its decision is the largest of linear scores, so that its weights are the model.
    classifies : bool
        Whether it gives labels.
    training : str
        How it learns: it "counts", makes as many "rounds" as ``max_iter`` says, asks a "solver"
        that stops by itself, or looks at all "pairs" of examples.
    convex : bool
        Whether its objective has one minimum, which it finds from the weights for another C as
        well (``warm_start``).
    strengths : tuple of float
        The values of C, ascending, among which held-out examples choose; it needs ``C``, ``tol``
        and ``warm_start``.
    texts, rows : settings
        What suits texts and rows, where the class has another default.
    compared : settings or None
        Those in a comparison of all learners; with None it takes no part in it.
    grid : tuple of settings
        What a comparison tries within a budget of time, the most likely ones first.
    tries_all : bool
        Whether a comparison tries the whole grid on held-out examples even without a budget,
        because a setting costs little: counts are smoothed again, or neighbours vote again.
    measured : settings
        Those of the table of all learners in the documentation.
    shown : mapping from names to settings
        The rows of the demo's tables.
    """

    short: str = ""
    place: int = 1000
    reads: Reads = "features"
    linear: bool = True
    classifies: bool = True
    training: Training = "solver"
    convex: bool = False
    strengths: tuple[float, ...] = ()
    texts: Settings = field(default_factory=dict)
    rows: Settings = field(default_factory=dict)
    compared: Settings | None = field(default_factory=dict)
    grid: tuple[Mapping[str, Any], ...] = ()
    tries_all: bool = False
    measured: Settings = field(default_factory=dict)
    shown: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def sequences(self) -> bool:
        """Whether it tags sequences."""
        return self.reads in ("tokens", "words")

    @property
    def scales(self) -> bool:
        """Whether many examples take about as long, each, as few."""
        return self.training != "pairs"


#: Of an estimator that says nothing: it may be anything.
_UNKNOWN = Declaration(linear=False, training="pairs", compared=None)


def declaration_of(learner: Any) -> Declaration:
    """Return what a learner or its class declares; of one that declares nothing the least.

    Examples
    --------
    >>> declaration_of(object()).linear
    False
    """
    cls = learner if isinstance(learner, type) else type(learner)
    declared: Declaration = getattr(cls, "declaration", _UNKNOWN)
    return declared


def ignores_c(learner: Any) -> bool:
    """Tell whether a learner was given a ``regularizer`` in place of its C.

    Examples
    --------
    >>> import linnet
    >>> ignores_c(linnet.SVM(regularizer=0.1)), ignores_c(linnet.SVM()), ignores_c(linnet.HMM())
    (True, False, False)
    """
    return getattr(learner, "regularizer", None) is not None


def settings_of(settings: Settings) -> dict[str, Any]:
    """Return parameters by name, in a dictionary of their own.

    Examples
    --------
    >>> settings_of(lambda: {"k": 5})
    {'k': 5}
    """
    return dict(settings() if callable(settings) else settings)


def tried(name: str, *values: Any) -> tuple[Mapping[str, Any], ...]:
    """Return a grid of one parameter.

    Examples
    --------
    >>> tried("C", 1.0, 0.3)
    ({'C': 1.0}, {'C': 0.3})
    """
    return tuple({name: value} for value in values)
