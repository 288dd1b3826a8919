"""A comparison on a cluster: every learner on every split is a task of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import linnet.comparison as comparison
from linnet.comparison.given import Split
from linnet.comparison.result import Comparison
from linnet.comparison.rounds import Board, Plan, play
from linnet.scale.workers import Cluster, open_cluster

__all__ = ["compare"]


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
