"""Comparing on a cluster: every learner on every split, or fold, is a task of its own."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import linnet.comparison as comparison
from linnet.comparison.given import Split
from linnet.comparison.result import Comparison
from linnet.comparison.rounds import Board, Plan, play
from linnet.errors import ParameterError
from linnet.evaluate import resampling
from linnet.evaluate.resampling import CrossValidation
from linnet.evaluate.rows import labels_of
from linnet.scale.workers import Cluster, open_cluster

__all__ = ["compare", "cross_validate"]


def compare(data: Any, learners: Any = "all", *, client: Any = None, **options: Any) -> Comparison:
    """Compare learners as :func:`linnet.compare` does, on the workers of a Dask cluster.

    Scores, tests and answers are those of one machine. Times are those of the workers, each of
    which trains with one thread and makes its features itself.

    Parameters
    ----------
    data, learners, options
        What :func:`linnet.compare` takes; the data must fit on each worker.
    client : distributed.Client or str, optional
        As for :func:`linnet.scale.fit`.

    Examples
    --------
    >>> import distributed, linnet
    >>> corpus = linnet.data.load_pydoc()
    >>> data = (list(corpus.train_texts)[:300], list(corpus.train_labels)[:300])
    >>> with distributed.Client(processes=False, dashboard_address=None) as client:
    ...     found = linnet.scale.compare(data, "nb, perceptron", client=client)
    >>> here = linnet.compare(data, "nb, perceptron")
    >>> [row.score for row in found.rows] == [row.score for row in here.rows]
    True
    """
    with open_cluster(client) as cluster:
        return comparison.compare(data, learners, rounds=partial(_rounds, cluster), **options)


def cross_validate(
    learners: Any, X: Any, y: Any = None, *, client: Any = None, **options: Any
) -> Any:
    """Cross-validate as :func:`linnet.evaluate.cross_validate` does, on the workers of a cluster.

    Every fold is a task of its own, and every learner: for a path of C give a learner for each.
    Scores and answers are those of one machine.

    Parameters
    ----------
    learners : estimator, or list of estimators
    X, y, options
        What :func:`linnet.evaluate.cross_validate` takes; the data must fit on each worker.
    client : distributed.Client or str, optional
        As for :func:`linnet.scale.fit`.

    Returns
    -------
    CrossValidation, or a list of them in the order of the learners

    Examples
    --------
    >>> import distributed, linnet
    >>> iris = linnet.data.load_iris()
    >>> path = [linnet.MaxEnt(C=C) for C in (0.01, 1.0, 100.0)]
    >>> with distributed.Client(processes=False, dashboard_address=None) as client:
    ...     found = linnet.scale.cross_validate(path, iris.X, iris.y, client=client)
    >>> here = [linnet.evaluate.cross_validate(learner, iris.X, iris.y) for learner in path]
    >>> [one.mean for one in found] == [one.mean for one in here]
    True
    """
    several = isinstance(learners, (list, tuple))
    every = list(learners) if several else [learners]
    if not every:
        raise ParameterError("name at least one learner")
    with open_cluster(client) as cluster:
        cluster.settle(["the examples"])
        one = partial(_cross_validated, cluster, cluster.held((X, y)), X, y, options)
        with ThreadPoolExecutor(len(every)) as waiting:  # the folds of all are begun at once
            found = list(waiting.map(one, every))
    return found if several else found[0]


def _cross_validated(
    cluster: Cluster, held: Any, X: Any, y: Any, options: dict[str, Any], learner: Any
) -> CrossValidation:
    def answering(learner: Any, X: Any, gold: list[Any], pairs: list[Any]) -> list[Any]:
        own = Cluster(cluster.client)
        own.settle([f"fold {k + 1} of {learner}" for k in range(len(pairs))])
        answers: list[Any] = own.fetch(own.each(_answered, learner, held, pairs))
        return answers

    return resampling.cross_validate(learner, X, y, answering=answering, **options)


def _answered(learner: Any, examples: tuple[Any, Any], pair: Any) -> list[Any]:
    X, y = examples
    return resampling.answers_of(learner, X, labels_of(X, y), pair)


def _rounds(cluster: Cluster, splits: Sequence[Split], plan: Plan) -> Board:
    """Run all learners on all splits; the first split says what is measured in the others."""
    board = Board.of(plan.learners)
    for some in (splits[:1], splits[1:]):
        tasks = [(number, name) for number in range(len(some)) for name in plan.learners]
        if not tasks:
            continue
        cluster.settle([f"{name} on a split" for _, name in tasks])
        held = [cluster.held(one) for one in some]
        boards = cluster.fetch([
            cluster.one(_played, k, held[number], _alone(plan, name), board.metric)
            for k, (number, name) in enumerate(tasks)
        ])  # fmt: skip
        each = len(plan.learners)
        for first in range(0, len(tasks), each):
            board.add(boards[first : first + each])
    return board


def _alone(plan: Plan, name: str) -> Plan:
    """Return the plan of one learner, as a worker gets it."""
    return replace(plan, learners={name: plan.learners[name]}, n_threads=1, say=_silent)


def _silent(what: str, share: float) -> None:
    """Say nothing: progress is told by the cluster."""


def _played(one: Split, plan: Plan, metric: str) -> Board:
    board = Board.of(plan.learners)
    board.metric = metric
    play(one, plan, board, 0.0, 1.0)
    return board
