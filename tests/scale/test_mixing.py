"""Learners that go from example to example, on a cluster: by parameter mixing."""

import dask.bag
import numpy as np
import pytest

import linnet
from linnet.errors import ParameterError
from linnet.scale import fit

from .test_optimum import SENTENCES, corpus

__all__ = ["corpus"]  # a fixture of both

SGD = {
    "maxent": linnet.MaxEnt(C=20.0, solver="sgd", random_state=3, max_iter=4),
    "maxent, average": linnet.MaxEnt(C=20.0, solver=linnet.SGD(average=True), max_iter=4),
    "hinge": linnet.SVM(C=1.0, solver="sgd", random_state=3, max_iter=4),
    "pegasos": linnet.SVM(C=1.0, solver="pegasos", multi_class="ovr", random_state=3, max_iter=4),
}


@pytest.mark.parametrize("name", ["Perceptron", "MIRA"])
def test_one_part_of_parameter_mixing_is_the_run_of_one_machine(cluster, corpus, name):
    learner = getattr(linnet, name)(max_iter=1, random_state=3)
    one = dask.bag.from_sequence(zip(*corpus, strict=True), npartitions=1)
    there = fit(linnet.TextClassifier(learner, ngrams=1), one, client=cluster)
    here = linnet.TextClassifier(learner, ngrams=1).fit(*corpus)
    np.testing.assert_allclose(there.model_.weights_, here.model_.weights_, atol=1e-6)
    assert there.learner_.history_["mistakes"].tolist() == [here.learner_.history_["mistakes"][0]]


@pytest.mark.parametrize("name", ["StructuredPerceptron", "StructuredMIRA"])
def test_mixing_separates_what_can_be_separated(cluster, name):
    learner = getattr(linnet, name)(max_iter=30, random_state=0)
    bag = dask.bag.from_sequence(SENTENCES, npartitions=2)
    tagger = fit(linnet.SequenceTagger(learner), bag, client=cluster)
    words, tags = map(list, zip(*SENTENCES, strict=True))
    assert tagger.predict(words) == tags
    rounds = tagger.learner_.history_["wrong_tokens"]
    assert rounds[-1] < rounds[0]


@pytest.mark.parametrize("name", SGD)
def test_one_part_of_sgd_is_the_run_of_one_machine(cluster, corpus, name):
    clf = linnet.TextClassifier(SGD[name].set_params(random_state=3), ngrams=1)
    one = dask.bag.from_sequence(zip(*corpus, strict=True), npartitions=1)
    there = fit(linnet.TextClassifier(**clf.get_params(deep=False)), one, client=cluster)
    here = clf.fit(*corpus)
    np.testing.assert_allclose(there.model_.weights_, here.model_.weights_, atol=1e-6)
    for figure in ("objective", "mistakes", "step"):
        ours, theirs = there.learner_.history_[figure], here.learner_.history_[figure]
        np.testing.assert_allclose(ours, theirs, rtol=1e-9)


def test_sgd_with_all_rows_in_a_batch_is_the_same_over_any_parts(cluster, corpus):
    steps = linnet.SGD(schedule=0.5, batch_size=None, shuffle=False)
    clf = linnet.TextClassifier(linnet.MaxEnt(C=1.0, solver=steps, tol=0.0, max_iter=5), ngrams=1)
    bag = dask.bag.from_sequence(zip(*corpus, strict=True), npartitions=3)
    there = fit(linnet.TextClassifier(**clf.get_params(deep=False)), bag, client=cluster)
    here = clf.fit(*corpus)
    np.testing.assert_allclose(there.model_.weights_, here.model_.weights_, atol=1e-6)


def test_sgd_over_parts_falls_to_the_optimum_and_its_bits_do_not_depend_on_workers(cluster, corpus):
    import distributed

    settings = {"C": 20.0, "tol": 0.0, "random_state": 0, "max_iter": 100}
    clf = linnet.TextClassifier(linnet.MaxEnt(solver="sgd", **settings), ngrams=1)
    bag = dask.bag.from_sequence(zip(*corpus, strict=True), npartitions=3)
    there = fit(clf, bag, client=cluster)
    best = linnet.TextClassifier(linnet.MaxEnt(C=20.0, tol=1e-8), ngrams=1).fit(*corpus)
    objective = there.learner_.history_["objective"]
    least = best.learner_.history_["objective"][-1]
    assert least <= objective[-1] < 1.1 * least < objective[0]
    assert there.learner_.optimality_ == np.inf  # as it is not certified
    weights = there.model_.weights_
    local = {"processes": False, "dashboard_address": None, "set_as_default": False}
    with distributed.Client(n_workers=1, threads_per_worker=2, **local) as other:
        assert np.array_equal(fit(clf, bag, client=other).model_.weights_, weights)


def test_rates_that_are_tried_on_rows_kept_aside_are_refused(cluster, corpus):
    solver = linnet.SGD(schedule=linnet.schedules.HeldOut())
    bag = dask.bag.from_sequence(zip(*corpus, strict=True), npartitions=3)
    with pytest.raises(ParameterError, match="HeldOut need all rows in one place"):
        fit(linnet.TextClassifier(linnet.MaxEnt(solver=solver), ngrams=1), bag, client=cluster)


@pytest.mark.parametrize("average", [False, True])
def test_a_crf_by_sgd_over_one_part_is_that_of_one_machine_and_over_two_separates(cluster, average):
    solver = linnet.SGD(average=average)
    crf = linnet.CRF(C=2.0, solver=solver, max_iter=30, tol=1e-9, random_state=1)
    words, tags = map(list, zip(*SENTENCES, strict=True))
    here = linnet.SequenceTagger(crf, supply_columns=False).fit(words, tags)
    one, two = (
        fit(linnet.SequenceTagger(crf), dask.bag.from_sequence(SENTENCES, npartitions=parts),
            client=cluster)
        for parts in (1, 2)
    )  # fmt: skip
    for figure in ("objective", "step"):
        ours, theirs = one.learner_.history_[figure], here.learner_.history_[figure]
        np.testing.assert_allclose(ours, theirs, rtol=1e-9)
    assert two.predict(words) == tags
