"""Workers that die: the model is what it would have been, or the error says what killed them."""

import os
import signal

import dask.bag
import numpy as np
import pytest

import linnet
from linnet.errors import ClusterError
from linnet.scale import fit
from linnet.scale.losses import FetchedLosses

PAIRS = [("a fine film", "pos"), ("a dull book", "neg"), ("a fine book", "pos")] * 5


def test_a_worker_killed_in_the_middle_of_training_changes_nothing(cluster, monkeypatch):
    bag = dask.bag.from_sequence(PAIRS, npartitions=6)
    clf = linnet.TextClassifier(linnet.MaxEnt(C=50.0, tol=1e-9, solver="lbfgs"), ngrams=1)
    undisturbed = fit(clf, bag, client=cluster).model_.weights_
    evaluate, killed = FetchedLosses.evaluate, []

    def killing(self, *arguments):
        evaluate(self, *arguments)
        if not killed:
            killed.append(next(iter(cluster.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    monkeypatch.setattr(FetchedLosses, "evaluate", killing)
    again = fit(clf, bag, client=cluster)
    assert killed and killed[0] not in cluster.run(os.getpid).values()
    assert np.array_equal(again.model_.weights_, undisturbed)


def test_a_part_that_kills_its_workers_is_named(cluster):
    def die(pair):
        os.kill(os.getpid(), signal.SIGKILL)

    def allow(failures, dask_scheduler=None):
        before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, failures
        return before

    bag = dask.bag.from_sequence(PAIRS, npartitions=1).map(die)
    before = cluster.run_on_scheduler(allow, 0)
    try:
        with pytest.raises(ClusterError, match=r"partition 1 of 1: 1 workers died .* tcp://"):
            fit(linnet.TextClassifier("nb"), bag, client=cluster)
    finally:
        cluster.run_on_scheduler(allow, before)
