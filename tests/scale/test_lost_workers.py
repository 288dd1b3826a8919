"""Workers that die: the model is what it would have been, or the error says what killed them."""

import os
import signal
from time import sleep

import dask.bag
import numpy as np
import pytest

import linnet
from linnet.errors import ClusterError
from linnet.scale import cluster_client, fit
from linnet.scale.training.losses import FetchedLosses
from linnet.scale.workers import Cluster

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


def test_the_only_worker_is_killed_and_its_successor_goes_on(monkeypatch):
    monkeypatch.setattr("linnet.scale.workers._PATIENCE", 0.3)
    evaluate, killed = FetchedLosses.evaluate, []
    bag = dask.bag.from_sequence(PAIRS, npartitions=3)
    clf = linnet.TextClassifier(linnet.MaxEnt(C=50.0, solver="lbfgs"), ngrams=1)
    with cluster_client("local:1") as client:

        def killing(self, *arguments):
            if not killed:
                killed.extend(client.run(os.getpid).values())
                os.kill(killed[0], signal.SIGKILL)
            evaluate(self, *arguments)

        monkeypatch.setattr(FetchedLosses, "evaluate", killing)
        fitted = fit(clf, bag, client=client)
    assert killed and fitted.predict(["a fine film"]).tolist() == ["pos"]


@pytest.mark.parametrize(
    "states, says",
    [([], "partition 1.*no worker of the cluster is left"),
     (["paused"], "partition 1.*every worker is paused, tcp://w0 .*memory is full")],
)  # fmt: skip
def test_workers_that_never_work_again_are_told(cluster, monkeypatch, states, says):
    monkeypatch.setattr("linnet.scale.workers._PATIENCE", 0.05)
    own = Cluster(cluster)
    own.settle(["partition 1 of 1"])
    task = own.one(sleep, 0, 3)
    workers = {f"tcp://w{k}": {"status": state} for k, state in enumerate(states)}
    monkeypatch.setattr(cluster, "scheduler_info", lambda n_workers: {"workers": workers})
    with pytest.raises(ClusterError, match=says):
        own.fetch([task])


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
