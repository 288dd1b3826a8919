"""Training over a cache of features on disk is training in memory."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections import namedtuple

import numpy as np
import pytest
from sklearn.base import clone

import linnet
from linnet.data import read_examples
from linnet.data.zipf import write_corpus
from linnet.errors import DataError, ParameterError
from linnet.learn.shared.inputs import checked_features
from linnet.stream import cache as cache_module
from linnet.stream import exact
from linnet.stream.cache_rows import MappedRows
from linnet.stream.exact import fit_cached

SMALL = 1 << 16


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "corpus.tsv"
    write_corpus(path, 3200, n_classes=3, vocabulary=2000, mean_length=20, seed=3)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines, *lines[:40]]))  # with copies
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def saved(classifier, path):
    classifier.save(path)
    return path.read_bytes()


@pytest.mark.parametrize(
    "classifier",
    [
        linnet.TextClassifier(features="words"),
        linnet.TextClassifier(linnet.MaxEnt(solver="lbfgs")),
        linnet.TextClassifier(linnet.MaxEnt(solver="newton"), C=2.0, class_weight="balanced"),
        linnet.TextClassifier(linnet.MaxEnt(solver="dual_cd"), C=2.0),
        linnet.TextClassifier(linnet.SVM(solver="newton", loss="squared_hinge", multi_class="ovr")),
        linnet.TextClassifier(linnet.SVM(multi_class="crammer_singer"), hashing=12),
        linnet.TextClassifier(linnet.MultinomialNB(), weighting="count", norm=None),
        linnet.TextClassifier(linnet.BernoulliNB()),
        linnet.TextClassifier(linnet.Perceptron(), ngrams=1, max_features=500),
        linnet.TextClassifier(tokenizer="char_wb", ngrams=(2, 3), min_df=3, C=1.0),
    ],
    ids=lambda clf: f"{clf.learner}"[:40],
)
def test_the_model_file_is_that_of_training_in_memory(classifier, corpus, folder, tmp_path):
    examples = read_examples(corpus)
    inside = clone(classifier).fit(examples.X, examples.y)
    outside = fit_cached(clone(classifier), corpus, folder, block_bytes=SMALL)
    assert outside.record_ == inside.record_  # with the certificate of optimality
    assert saved(outside, tmp_path / "a.linnet") == saved(inside, tmp_path / "b.linnet")
    assert outside.features_.get_params() == inside.features_.get_params()
    if hasattr(inside.features_, "idf_"):
        assert np.array_equal(outside.features_.idf_, inside.features_.idf_)


def test_a_cache_is_used_again_and_the_sources_are_not_read(corpus, folder, monkeypatch):
    first = fit_cached(linnet.TextClassifier(C=1.0), corpus, folder)

    def refuse(*_, **__):
        raise AssertionError("the sources are read again")

    monkeypatch.setattr(exact, "stream_examples", refuse)
    told = []
    again = fit_cached(linnet.TextClassifier(C=1.0), corpus, folder, tell=told.append)
    assert np.array_equal(again.learner_.coef_, first.learner_.coef_)
    assert len(told) == 1 and "is there" in told[0]
    with pytest.raises(AssertionError, match="read again"):
        fit_cached(linnet.TextClassifier(C=1.0, ngrams=1), corpus, folder)  # other features


def test_its_size_is_announced_before_it_is_written(corpus, tmp_path):
    told = []
    fit_cached(linnet.TextClassifier(C=1.0), corpus, tmp_path / "new", tell=told.append)
    (file,) = (tmp_path / "new").iterdir()
    announced = next(line for line in told if "takes" in line)
    assert f"takes {file.stat().st_size / 1e6:,.1f} MB in {file}" in announced


def test_a_cache_of_changed_sources_is_written_anew(corpus, tmp_path):
    source = tmp_path / "grows.tsv"
    lines = corpus.read_text().splitlines(keepends=True)
    source.write_text("".join(lines[:2000]))
    fit_cached(linnet.TextClassifier(C=1.0), source, tmp_path / "cache")
    source.write_text("".join(lines[:2100]))
    told = []
    grown = fit_cached(linnet.TextClassifier(C=1.0), source, tmp_path / "cache", tell=told.append)
    assert grown.record_["examples"] == 2100
    assert any("earlier sources; it is written anew" in line for line in told)
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_sources_that_change_while_they_are_read_are_an_error(corpus, tmp_path, monkeypatch):
    source = tmp_path / "moving.tsv"
    shutil.copy(corpus, source)
    real = exact._Corpus.texts_again

    def touched(self):
        os.utime(source, ns=(1, 1))
        return real(self)

    monkeypatch.setattr(exact._Corpus, "texts_again", touched)
    with pytest.raises(DataError, match="changed while it was read"):
        fit_cached(linnet.TextClassifier(C=1.0), source, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_more_rows_than_were_counted_are_an_error(corpus, tmp_path, monkeypatch):
    real = exact._Corpus.texts_again

    def fewer(self):
        return list(real(self))[:-1]

    monkeypatch.setattr(exact._Corpus, "texts_again", fewer)
    with pytest.raises(DataError, match="not complete"):
        fit_cached(linnet.TextClassifier(C=1.0), corpus, tmp_path, block_bytes=SMALL)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999, -4, -12, "cut", "empty"])
def test_a_damaged_cache_is_found_and_written_anew(place, corpus, tmp_path):
    first = fit_cached(linnet.TextClassifier(C=1.0), corpus, tmp_path)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    if place == "cut":
        file.write_bytes(whole[: len(whole) // 2])
    elif place == "empty":
        file.write_bytes(b"")
    else:
        at = int(place * len(whole)) if isinstance(place, float) else len(whole) + place
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    told = []
    again = fit_cached(linnet.TextClassifier(C=1.0), corpus, tmp_path, tell=told.append)
    assert any("it is written anew" in line for line in told)
    assert np.array_equal(again.learner_.coef_, first.learner_.coef_)
    assert file.read_bytes() == whole


def test_no_room_is_told_before_anything_is_written(corpus, tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(cache_module.shutil, "disk_usage", lambda _: usage(100, 90, 10))
    with pytest.raises(DataError, match="the cache needs .* MB and .* has 0.0 MB left"):
        fit_cached(linnet.TextClassifier(C=1.0), corpus, tmp_path)
    assert list(tmp_path.iterdir()) == []


LIMITED = """
import resource, sys
from linnet.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
sys.argv = ["linnet", "train", sys.argv[1], "-C", "1", "--cache", sys.argv[2], "-o", sys.argv[3]]
main()
"""


def test_a_disk_that_fills_up_under_the_cache_is_one_line_and_leaves_nothing(corpus, tmp_path):
    places = [str(corpus), str(tmp_path / "cache"), str(tmp_path / "model.linnet")]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *places], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith("File too large")
    assert list((tmp_path / "cache").iterdir()) == []
    assert not (tmp_path / "model.linnet").exists()


def train(corpus, cache, output):
    command = [sys.executable, "-m", "linnet", "train", str(corpus), "-C", "1", "-q"]
    return subprocess.Popen([*command, "--cache", str(cache), "-o", str(output)])


def test_two_processes_may_make_one_cache_at_once(corpus, tmp_path):
    pair = [train(corpus, tmp_path / "cache", tmp_path / f"{n}.linnet") for n in (1, 2)]
    assert [process.wait() for process in pair] == [0, 0]
    assert (tmp_path / "1.linnet").read_bytes() == (tmp_path / "2.linnet").read_bytes()
    assert [file.suffix for file in (tmp_path / "cache").iterdir()] == [".features"]


@pytest.mark.slow
def test_killed_at_any_moment_the_next_run_is_right_and_nothing_is_left(corpus, tmp_path):
    began = time.perf_counter()
    assert train(corpus, tmp_path / "whole", tmp_path / "whole.linnet").wait() == 0
    seconds = time.perf_counter() - began
    rng = np.random.default_rng(0)
    for share in rng.uniform(0.3, 1.0, 4):
        process = train(corpus, tmp_path / "cache", tmp_path / "model.linnet")
        time.sleep(share * seconds)
        process.kill()
        process.wait()
    assert train(corpus, tmp_path / "cache", tmp_path / "model.linnet").wait() == 0
    assert (tmp_path / "model.linnet").read_bytes() == (tmp_path / "whole.linnet").read_bytes()
    assert [file.suffix for file in (tmp_path / "cache").iterdir()] == [".features"]
    assert {file.name for file in tmp_path.iterdir()} == {
        "cache", "whole", "model.linnet", "whole.linnet",
    }  # fmt: skip


def mapped(array):
    while array is not None and not isinstance(array, np.memmap):
        array = getattr(array, "base", None)
    return array is not None


def test_learners_see_the_mapped_arrays_and_chosen_rows_stay_on_disk(corpus, folder):
    clf = linnet.TextClassifier(C=1.0)
    features = exact.features_for(clf, exact.learner_of(clf), 10_000)
    cached = exact._cached(clf, features, exact._Corpus([corpus], {}, SMALL, print), folder)
    data, _, _ = exact._as_read(clf, features, cached, folder)
    checked = checked_features(data.matrix)
    assert checked.csr is data.matrix
    part = data.matrix[np.arange(0, 3000, 7)]
    assert isinstance(part, MappedRows)
    for matrix in (data.matrix, part):
        assert mapped(matrix.indices) and mapped(matrix.data)
    plain = data.matrix[: data.matrix.shape[0]]
    assert (part[:] != plain[np.arange(0, 3000, 7)]).nnz == 0
    weights = np.random.default_rng(0).normal(size=(plain.shape[1], 2))
    assert np.array_equal(part @ weights, plain[np.arange(0, 3000, 7)] @ weights)
    flags = np.arange(plain.shape[0]) % 2 == 0
    assert (data.matrix[flags][:] != plain[flags]).nnz == 0


@pytest.mark.parametrize(
    ("classifier", "message"),
    [
        (linnet.TextClassifier(linnet.MemoryBased(metric="cosine")), "keeps its examples"),
        (linnet.TextClassifier(weighting="log_count_ratio"), "log_count_ratio"),
        (linnet.TextClassifier(tokenizer=str.split), "no name for a cache"),
    ],
)
def test_what_needs_all_texts_at_once_is_refused(classifier, message, corpus, tmp_path):
    with pytest.raises(ParameterError, match=message):
        fit_cached(classifier, corpus, tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", "one text\nanother\n", "no labels"),
        ("a.svm", "1 1:2 3:4\n-1 2:1\n", "no texts"),
        ("a.txt", "__label__a __label__b x y\n__label__a z\n", "several labels"),
        ("a.tsv", "pos\tone\npos\ttwo\n", "1 class"),
    ],
)
def test_files_that_are_no_labelled_texts_are_refused(name, content, message, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=message):
        fit_cached(linnet.TextClassifier(), tmp_path / name, tmp_path / "cache")
    with pytest.raises(DataError, match="is no file"):
        fit_cached(linnet.TextClassifier(), tmp_path / "none.tsv", tmp_path / "cache")


def test_the_command_writes_the_same_model_file_with_and_without_a_cache(corpus, tmp_path):
    command = [sys.executable, "-m", "linnet", "train", str(corpus), "--learner", "maxent"]
    for name, more in (("a", []), ("b", ["--cache", str(tmp_path / "cache")])):
        subprocess.run([*command, "-q", "-o", str(tmp_path / name), *more], check=True)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    ("more", "message"),
    [(["--holdout", "0.1"], "measure on another file with --valid"), (["-"], "not -")],
)
def test_options_that_contradict_a_cache_are_refused(more, message, corpus, tmp_path):
    data = [] if more == ["-"] else [str(corpus)]
    command = [sys.executable, "-m", "linnet", "train", *data, *more, "-o", "m.linnet"]
    done = subprocess.run(
        [*command, "--cache", str(tmp_path)], capture_output=True, text=True, check=False,
        input="pos\tone\nneg\ttwo\n", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 1 and message in done.stderr
