"""Training on a cluster gives the model of one machine."""

import json

import dask
import dask.bag
import numpy as np
import pytest

import linnet
from linnet.errors import ClusterError, DataError, ParameterError
from linnet.scale import fit

TEXTS = 320


@pytest.fixture(scope="module")
def corpus():
    corpus = linnet.data.load_pydoc()
    return list(corpus.train_texts)[:TEXTS], list(corpus.train_labels)[:TEXTS]


@pytest.fixture(scope="module")
def bag(corpus):
    return dask.bag.from_sequence(zip(*corpus, strict=True), npartitions=3)


@pytest.fixture(scope="module")
def sentences():
    chunks = [
        ([("He", "PRP"), ("reckons", "VBZ"), ("the", "DT"), ("deficit", "NN")],
         ["B-NP", "B-VP", "B-NP", "I-NP"]),
        ([("Rates", "NNS"), ("fell", "VBD"), ("in", "IN"), ("the", "DT"), ("fall", "NN")],
         ["B-NP", "B-VP", "B-PP", "B-NP", "I-NP"]),
        ([("The", "DT"), ("dog", "NN"), ("ran", "VBD"), (".", ".")],
         ["B-NP", "I-NP", "B-VP", "O"]),
        ([("It", "PRP"), ("fell", "VBD"), (".", ".")], ["B-NP", "B-VP", "O"]),
        ([("Profits", "NNS"), ("rose", "VBD"), ("sharply", "RB")], ["B-NP", "B-VP", "B-ADVP"]),
    ]  # fmt: skip
    return [chunks[(7 * k + k // 3) % 5] for k in range(60)]


def saved(estimator, path):
    estimator.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("learner", ["nb", "bernoulli"])
def test_naive_bayes_of_a_bag_is_the_file_of_one_machine(cluster, bag, corpus, learner, tmp_path):
    there = fit(linnet.TextClassifier(learner), bag, client=cluster)
    here = linnet.TextClassifier(learner).fit(*corpus)
    assert saved(there, tmp_path / "there") == saved(here, tmp_path / "here")


def test_files_are_read_by_the_workers_and_cut_by_their_size_alone(cluster, corpus, tmp_path):
    path = tmp_path / "corpus.jsonl"
    records = [{"text": text, "label": label} for text, label in zip(*corpus, strict=True)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    settings = {"hashing": 16, "ngrams": 1}
    there = fit(
        linnet.TextClassifier("nb", **settings), tmp_path / "*.jsonl", client=cluster,
        part_bytes=path.stat().st_size // 3,
    )  # fmt: skip
    here = linnet.TextClassifier("nb", **settings).fit(*corpus)
    assert saved(there, tmp_path / "there") == saved(here, tmp_path / "here")


@pytest.mark.parametrize("order", [1, 2])
def test_an_hmm_is_the_file_of_one_machine(cluster, sentences, order, tmp_path):
    bag = dask.bag.from_sequence(sentences, npartitions=4)
    there = fit(linnet.SequenceTagger(linnet.HMM(order=order)), bag, client=cluster)
    words, tags = zip(*sentences, strict=True)
    here = linnet.SequenceTagger(linnet.HMM(order=order)).fit(list(words), list(tags))
    assert saved(there, tmp_path / "there") == saved(here, tmp_path / "here")


def test_delayed_parts_and_frames_are_sources(cluster, corpus):
    pandas = pytest.importorskip("pandas")
    texts, labels = corpus
    half = TEXTS // 2
    pair = dask.delayed(lambda: (texts[:half], labels[:half]))()
    frame = dask.delayed(pandas.DataFrame)({"body": texts[half:], "kind": labels[half:]})
    there = fit(
        linnet.TextClassifier("nb", ngrams=1), [pair, frame], client=cluster, text="body",
        label="kind",
    )  # fmt: skip
    here = linnet.TextClassifier("nb", ngrams=1).fit(texts, labels)
    assert np.array_equal(there.model_.weights_, here.model_.weights_)


def test_a_part_that_cannot_be_read_is_named_with_its_worker(cluster, tmp_path):
    whole = '{"text": "a fine film", "label": "pos"}\n'
    (tmp_path / "a.jsonl").write_text(whole)
    (tmp_path / "b.jsonl").write_text(whole + '{"text": "a dull bo')
    with pytest.raises(DataError, match=r"b\.jsonl, on worker \w+://.*b\.jsonl:2:10: "):
        fit(linnet.TextClassifier("nb"), tmp_path / "*.jsonl", client=cluster)


def test_a_file_that_no_worker_sees_is_an_error(cluster, tmp_path):
    with pytest.raises(DataError, match=r"on worker \w+://.*every worker must see the files"):
        fit(linnet.TextClassifier("nb"), tmp_path / "missing.tsv", client=cluster)


def test_a_learner_that_needs_all_rows_says_so(cluster, bag):
    with pytest.raises(ParameterError, match="loss='hinge' has no gradient"):
        fit(linnet.TextClassifier(linnet.SVM(C=2.0)), bag, client=cluster)


def test_a_scheduler_that_is_not_there_is_an_error():
    with pytest.raises(ClusterError, match="no scheduler answers at tcp://127.0.0.1:9"):
        fit(linnet.TextClassifier("nb"), "x.tsv", client="tcp://127.0.0.1:9")


@pytest.mark.parametrize("source", [7, [1, 2], {"text": "a"}])
def test_a_source_of_another_kind_is_refused(cluster, source):
    with pytest.raises(ParameterError, match="source must be a bag"):
        fit(linnet.TextClassifier("nb"), source, client=cluster)


def test_an_estimator_of_another_kind_is_refused(cluster):
    with pytest.raises(ParameterError, match="a cluster trains"):
        fit(object(), "x.tsv", client=cluster)


def test_rows_become_the_vectors_of_one_machine(cluster):
    days = [("sunny", 30.0, "stay"), ("rain", 20.0, "go"), ("fog", 12.0, "go")] * 3
    rows = [({"outlook": outlook, "degrees": degrees}, y) for outlook, degrees, y in days]
    bag = dask.bag.from_sequence(rows, npartitions=4)
    learner = linnet.MaxEnt(C=3.0, tol=1e-8)
    there = fit(linnet.RowClassifier(learner), bag, client=cluster)
    X, y = map(list, zip(*rows, strict=True))
    here = linnet.RowClassifier(learner).fit(X, y)
    assert there.model_.reader.vectors.names() == here.model_.reader.vectors.names()
    np.testing.assert_allclose(there.learner_.coef_, here.learner_.coef_, atol=1e-4)
    with pytest.raises(ParameterError, match="MemoryBased compares rows with each other"):
        fit(linnet.RowClassifier(), bag, client=cluster)


def test_a_comparison_on_a_cluster_has_the_scores_and_tests_of_one_machine(cluster, corpus):
    data = (corpus[0][:120], corpus[1][:120])
    there = linnet.scale.compare(data, "nb, perceptron", client=cluster, folds=2)
    here = linnet.compare(data, "nb, perceptron", folds=2)
    assert [(row.name, row.score) for row in there.rows] == [
        (row.name, row.score) for row in here.rows
    ]
    assert there.pairs == here.pairs


def test_cross_validation_and_a_path_of_costs_are_those_of_one_machine(cluster):
    from linnet.evaluate import cross_validate

    corpus = linnet.data.load_pydoc()
    X, y = list(corpus.train_texts)[:90], list(corpus.train_labels)[:90]
    path = [linnet.TextClassifier(linnet.MaxEnt(C=C), ngrams=1) for C in (0.1, 10.0)]
    settings = {"folds": 3, "repeats": 2, "seed": 4}
    there = linnet.scale.cross_validate(path, X, y, client=cluster, **settings)
    for found, learner in zip(there, path, strict=True):
        here = cross_validate(learner, X, y, **settings)
        assert found.scores.tolist() == here.scores.tolist()
        assert found.predictions == here.predictions and found.interval == here.interval
    alone = linnet.scale.cross_validate(path[0], X, y, client=cluster, **settings)
    assert alone.predictions == there[0].predictions
    with pytest.raises(ParameterError, match="at least one"):
        linnet.scale.cross_validate([], X, y, client=cluster)
