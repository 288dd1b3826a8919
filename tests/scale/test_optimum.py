"""Regularised learners on a cluster: the optimum of one machine, the same bits for any workers."""

import dask.bag
import numpy as np
import pytest

import linnet
from linnet.scale import fit

LEARNERS = {
    "svm": linnet.SVM(C=0.5, loss="squared_hinge", multi_class="ovr", tol=1e-8),
    "maxent": linnet.MaxEnt(C=20.0, tol=1e-8),
    "maxent, l1": linnet.MaxEnt(C=20.0, penalty="l1", tol=1e-4),
    "maxent, free intercept": linnet.MaxEnt(C=20.0, penalize_intercept=False, tol=1e-8),
}


@pytest.fixture(scope="module")
def corpus():
    corpus = linnet.data.load_pydoc()
    kept = [k for k, label in enumerate(corpus.train_labels) if label in ("mail", "gui", "time")]
    texts, labels = corpus.train_texts, corpus.train_labels
    few = kept[:19]  # of which none is held out
    return [str(texts[k]) for k in few], [str(labels[k]) for k in few]


def objective(clf):
    return clf.learner_.history_["objective"][-1]


@pytest.mark.parametrize("name", LEARNERS)
def test_the_optimum_is_that_of_one_machine_with_its_certificate(cluster, corpus, name):
    learner = LEARNERS[name]
    bag = dask.bag.from_sequence(zip(*corpus, strict=True), npartitions=3)
    settings = {"ngrams": 1}
    there = fit(linnet.TextClassifier(learner, **settings), bag, client=cluster)
    here = linnet.TextClassifier(learner, **settings).fit(*corpus)
    assert there.learner_.optimality_ <= learner.tol
    assert objective(there) == pytest.approx(objective(here), rel=2 * learner.tol)
    if learner.penalty != "l1":  # of words that always come together L1 takes any
        np.testing.assert_allclose(there.model_.weights_, here.model_.weights_, atol=2e-2)
    assert there.predict(corpus[0]).tolist() == here.predict(corpus[0]).tolist()


SENTENCES = [
    ([("He", "PRP"), ("reckons", "VBZ"), ("the", "DT"), ("deficit", "NN")],
     ["B-NP", "B-VP", "B-NP", "I-NP"]),
    ([("Rates", "NNS"), ("fell", "VBD"), ("in", "IN"), ("the", "DT"), ("fall", "NN")],
     ["B-NP", "B-VP", "B-PP", "B-NP", "I-NP"]),
    ([("The", "DT"), ("dog", "NN"), ("ran", "VBD"), (".", ".")], ["B-NP", "I-NP", "B-VP", "O"]),
    ([("It", "PRP"), ("fell", "VBD"), (".", ".")], ["B-NP", "B-VP", "O"]),
    ([("Profits", "NNS"), ("rose", "VBD"), ("sharply", "RB")], ["B-NP", "B-VP", "B-ADVP"]),
]  # fmt: skip


@pytest.mark.parametrize("order", [1, 2])
def test_a_crf_is_at_the_optimum_of_one_machine(cluster, order):
    learner = linnet.CRF(C=2.0, tol=1e-5, order=order)
    bag = dask.bag.from_sequence(SENTENCES, npartitions=3)
    there = fit(linnet.SequenceTagger(learner), bag, client=cluster)
    words, tags = map(list, zip(*SENTENCES, strict=True))
    here = linnet.SequenceTagger(learner, supply_columns=False).fit(words, tags)
    assert there.learner_.optimality_ <= learner.tol
    assert objective(there) == pytest.approx(objective(here), rel=2 * learner.tol)
    assert np.array_equal(there.learner_.pair_start_, here.learner_.pair_start_)
    assert np.array_equal(there.learner_.pair_label_, here.learner_.pair_label_)
    assert there.predict(words) == here.predict(words)
    assert there.record_.keys() == here.record_.keys()


def test_sentences_are_cut_anew_without_losing_one(cluster):
    from linnet.scale.training.distributed_sentences import DistributedSentences, sizes_of
    from linnet.scale.workers import Cluster

    lengths = [
        [3, 1],
        [],
        [2, 9, 1],
        [4],
    ]  # tokens of the sentences of four parts, with one value each
    parts, n = [], 0
    for tokens in lengths:
        count = sum(tokens)
        parts.append([
            np.arange(count + 1), np.arange(n, n + count, dtype=np.int32), None, 20,
            np.cumsum([0, *tokens]),
        ])  # fmt: skip
        n += count
    every = np.cumsum([0, *(length for tokens in lengths for length in tokens)])
    own = Cluster(cluster)
    own.settle([f"part {k}" for k in range(4)])
    sizes = np.array([sizes_of(part) for part in parts])
    whole = DistributedSentences(own, own.each(list, parts), sizes, 20, every)
    for wanted in (1, 2, 4):
        cut = whole.recut(wanted)
        rows = cut.cluster.fetch(cut.rows)
        assert 1 <= len(rows) <= wanted
        assert np.concatenate([part[1] for part in rows]).tolist() == list(range(20))
        assert [m for part in rows for m in np.diff(part[4])] == np.diff(every).tolist()
        assert [int(part[0][-1]) for part in rows] == cut.sizes[:, 1].tolist()


@pytest.mark.parametrize(
    "learner",
    [linnet.CRF(max_iter=5), linnet.StructuredPerceptron(max_iter=5, random_state=0)],
    ids=lambda learner: type(learner).__name__,
)
def test_the_number_of_workers_does_not_change_a_bit_of_a_tagger(cluster, learner):
    import distributed

    bag = dask.bag.from_sequence(SENTENCES * 5, npartitions=7)
    tagger = linnet.SequenceTagger(learner)
    local = {"processes": False, "dashboard_address": None, "set_as_default": False}
    three = fit(tagger, bag, client=cluster).learner_.pair_weight_
    for workers, threads in ((1, 1), (2, 2)):
        with distributed.Client(n_workers=workers, threads_per_worker=threads, **local) as other:
            again = fit(tagger, bag, client=other).learner_.pair_weight_
        assert np.array_equal(again, three)


def test_the_number_of_workers_does_not_change_a_bit(cluster, corpus):
    import distributed

    bag = dask.bag.from_sequence(zip(*corpus, strict=True), npartitions=5)
    clf = linnet.TextClassifier(linnet.MaxEnt(C=20.0), ngrams=1)
    two = fit(clf, bag, client=cluster).model_.weights_
    local = {"processes": False, "dashboard_address": None, "set_as_default": False}
    with distributed.Client(n_workers=3, threads_per_worker=2, **local) as other:
        assert np.array_equal(fit(clf, bag, client=other).model_.weights_, two)
