"""One split after the other: read, choose settings, train and ask every learner."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone

from linnet.comparison.choosing import choose
from linnet.comparison.given import Labelled, Split
from linnet.comparison.outcome import Arena, Outcome, measured, quiet
from linnet.comparison.rows import RowArena
from linnet.comparison.search import search
from linnet.comparison.sentences import TagArena
from linnet.comparison.texts import TextArena
from linnet.data.splits import split
from linnet.errors import DataError, LinnetError
from linnet.learn.shared.known import Kind

__all__ = ["Board", "Plan", "play", "play_all"]

_DEVELOPMENT = (0.8, 0.2)


@dataclass(frozen=True)
class Plan:
    """What to do on every split; see :func:`linnet.compare`.

    `fixed` are parameters not to choose. With `explain`, learners say why they answered so. With
    `forgiving`, a learner that cannot learn from the data is left out with a reason.
    """

    learners: dict[str, Any]
    fixed: dict[str, dict[str, Any]]
    seed: int
    n_threads: int | None
    budget: float | None
    shares: tuple[float, ...]
    forgiving: bool
    say: Callable[[str, float], None]
    explain: bool = False


#: Of one split: how many training units, and the answers of a learner that has seen them.
Curve: TypeAlias = list[tuple[int, list[Any]]]


@dataclass
class Board:
    """What happened: the truth of each split, its groups if any, and each learner's outcome."""

    outcomes: dict[str, list[Outcome]]
    curves: dict[str, list[Curve]]
    gold: list[list[Any]] = field(default_factory=list)
    groups: list[list[Any]] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    metric: str = ""  # that of the first split is that of all
    n_features: int = 0
    feature_seconds: float = 0.0

    @classmethod
    def of(cls, names: Iterable[str]) -> Board:
        """Return an empty board."""
        listed = list(names)
        return cls({name: [] for name in listed}, {name: [] for name in listed})

    def skip(self, name: str, why: str) -> None:
        """Leave a learner out, on earlier splits too."""
        self.skipped[name] = why
        del self.outcomes[name], self.curves[name]

    def add(self, split: Sequence[Board]) -> None:
        """Add the boards of one split, each with some of the learners."""
        self.gold += split[0].gold
        self.groups += split[0].groups
        self.metric, self.n_features = split[0].metric, split[0].n_features
        self.feature_seconds += split[0].feature_seconds
        for board in split:
            for name, why in board.skipped.items():
                if name not in self.skipped:
                    self.skip(name, why)
            for name in board.outcomes.keys() & self.outcomes.keys():
                self.outcomes[name] += board.outcomes[name]
                self.curves[name] += board.curves[name]


def play_all(splits: Sequence[Split], plan: Plan) -> Board:
    """Run all learners on all splits, one after the other."""
    board = Board.of(plan.learners)
    for number, one in enumerate(splits):
        play(one, plan, board, number / len(splits), 1 / len(splits))
    return board


def play(one: Split, plan: Plan, board: Board, before: float, share: float) -> None:
    """Run all learners on one split, which is that share of all work."""
    plan.say("features", before)
    arena = _arena(one, plan)
    if board.metric:
        arena.metric = board.metric  # a fold without chunks is still measured by them
    board.metric = arena.metric
    board.gold.append(arena.gold)
    if one.groups is not None and isinstance(one.train, Labelled):
        board.groups.append(one.groups)
    found = _settings(one, plan, before)
    left = [name for name in plan.learners if name not in board.skipped]
    smaller = _smaller(one, plan)
    for number, name in enumerate(left):
        plan.say(name, before + share * number / len(left))
        learner = plan.learners[name]
        try:
            outcome = _run(learner, arena, plan.fixed.get(name), found.get(name), plan.explain)
        except LinnetError as error:
            if not plan.forgiving:
                raise
            board.skip(name, str(error))
            continue
        board.outcomes[name].append(outcome)
        board.curves[name].append(_curve(learner, arena, outcome, smaller, plan))
    board.n_features = arena.n_features
    board.feature_seconds += arena.reading.seconds


def _arena(one: Split, plan: Plan) -> Arena:
    arenas: dict[Kind, Any] = {"texts": TextArena, "rows": RowArena, "sequences": TagArena}
    arena: Arena = arenas[one.train.kind](one, plan.seed, plan.n_threads)
    return arena


def _run(
    learner: Any,
    arena: Arena,
    fixed: dict[str, Any] | None,
    found: dict[str, Any] | None,
    explain: bool,
) -> Outcome:
    """Train with settings found within the budget, or fixed, or chosen because that is cheap."""
    with measured() as choosing, quiet():
        chosen = found or ({} if fixed else choose(learner, arena))
    outcome = arena.run(learner, chosen or fixed or {}, explain=explain)
    outcome.training.seconds += choosing.seconds
    return replace(outcome, tuned=(*chosen, *outcome.tuned))


def _settings(one: Split, plan: Plan, before: float) -> dict[str, dict[str, Any]]:
    """Return the settings of each learner that the budget allows to find."""
    if plan.budget is None:
        return {}
    labels = one.train.codes() if isinstance(one.train, Labelled) else None
    rest, held = split(len(one.train), _DEVELOPMENT, plan.seed, labels, one.train.copies)
    if not len(rest) or not len(held):
        raise DataError(f"{len(one.train)} training examples are too few to choose settings on.")
    development = _arena(Split(one.train.take(rest), one.train.take(held)), plan)
    return search(plan.learners, development, plan.budget, lambda what: plan.say(what, before))


def _smaller(one: Split, plan: Plan) -> list[Arena]:
    """Return arenas with nested random parts of the training data; those of one label are out."""
    n = len(one.train)
    order = np.random.default_rng(plan.seed).permutation(n)
    found: list[Arena] = []
    for size in sorted({max(1, round(share * n)) for share in plan.shares if share < 1}):
        part = Split(one.train.take(np.sort(order[:size])), one.test)
        with suppress(DataError):
            found.append(_arena(part, plan))
    return found


def _curve(learner: Any, arena: Arena, outcome: Outcome, smaller: list[Arena], plan: Plan) -> Curve:
    """Return the answers after each size of training data, with the settings of the whole."""
    points = []
    for part in smaller:
        own = clone(learner).set_params(**outcome.parameters)
        with suppress(LinnetError):  # a learner may need more examples than these
            points.append((part.n_train, part.guess(own)))
    if 1 in plan.shares:
        points.append((arena.n_train, outcome.guess))
    return points
