"""Training on a stream: the same model whatever the blocks, threads and interruptions."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from tests.stream.conftest import LABELS, Killed, killed_after, reviews, write_tsv

import linnet
from linnet.data.files import write_bytes_atomically
from linnet.errors import DataError, FormatError, ParameterError
from linnet.model.fitting.increment import fixed_features
from linnet.stream import limits
from linnet.stream import run as stream_run
from linnet.stream.ahead import ahead

LEARNERS = [
    linnet.MaxEnt(),
    linnet.SVM(loss="squared_hinge", multi_class="ovr"),
    linnet.SVM(),
    linnet.MaxEnt(solver=linnet.SGD(average=True)),
    linnet.Perceptron(),
    linnet.MIRA(C=0.1),
    linnet.MultinomialNB(),
    linnet.BernoulliNB(),
]


def same(one: Any, other: Any) -> bool:
    return (
        np.array_equal(one.model_.weights_, other.model_.weights_)
        and np.array_equal(one.model_.intercept_, other.model_.intercept_)
        and one.model_.sharpness_ == other.model_.sharpness_
        and one.classes_.tolist() == other.classes_.tolist()
    )


def fitted(learner: Any, source: Any, bits: int = 12, threads: int = 1, **options: Any) -> Any:
    clf = linnet.TextClassifier(learner, hashing=bits, n_threads=threads)
    return linnet.fit_stream(clf, source, **options)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BLOCK", 4000)


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_blocks_and_threads_change_no_bit(
    learner: Any, stream: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = fitted(learner, stream)
    assert once.score(*_texts(stream)) > 0.7
    monkeypatch.setattr(limits, "BLOCK", 3001)
    again = fitted(learner, stream, threads=3)
    counts = (linnet.MultinomialNB, linnet.BernoulliNB)
    if not isinstance(learner, counts):  # which answer a block at a time
        assert same(once, again)
    assert np.array_equal(once.model_.weights_, again.model_.weights_)


def _texts(path: Path) -> tuple[list[str], list[str]]:
    labels, texts = zip(*(line.split("\t") for line in path.read_text().splitlines()), strict=True)
    return list(texts), list(labels)


@pytest.mark.parametrize(
    ("suffix", "learner"),
    [
        *((".tsv", learner) for learner in LEARNERS),
        *((suffix, LEARNERS[0]) for suffix in (".tsv.gz", ".csv", ".parquet")),
    ],
    ids=str,
)
def test_an_interrupted_run_resumes_to_the_same_bits(
    learner: Any, suffix: str, stream: Path, tmp_path: Path, small_blocks: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    source = _as(suffix, stream, tmp_path)
    whole = fitted(learner, source, passes=2)
    monkeypatch.setattr(stream_run, "_SECONDS", 0.0)
    monkeypatch.setattr(stream_run, "_SHARE", 1e9)
    aside = tmp_path / "run.checkpoint"
    for blocks in (3, 5, 8):
        with pytest.raises(Killed):
            fitted(
                learner, source, passes=2, checkpoint=aside, resume=True,
                progress=killed_after(blocks),
            )  # fmt: skip
    resumed = fitted(learner, source, passes=2, checkpoint=aside, resume=True)
    assert same(whole, resumed)
    assert whole.record_ == resumed.record_
    assert not aside.exists()


def _as(suffix: str, stream: Path, folder: Path) -> Path:
    target = folder / f"other{suffix}"
    if suffix == ".tsv":
        return stream
    if suffix == ".tsv.gz":
        target.write_bytes(gzip.compress(stream.read_bytes()))
    elif suffix == ".csv":  # quoted cells with line breaks
        rows = [line.split("\t") for line in stream.read_text().splitlines()]
        cells = "".join(f'{label},"{text}\nand more"\n' for label, text in rows)
        target.write_text("label,text\n" + cells)
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        texts, labels = _texts(stream)
        pq.write_table(pa.table({"text": texts, "label": labels}), target, row_group_size=200)
    return target


@pytest.mark.parametrize("learner", [linnet.MultinomialNB(0.5), linnet.BernoulliNB(0.5)], ids=str)
@pytest.mark.parametrize("labels", [LABELS, LABELS[:2]], ids=len)
def test_naive_bayes_is_that_of_memory_to_the_bit(
    learner: Any, labels: list[str], tmp_path: Path, small_blocks: None
) -> None:
    stream = write_tsv(tmp_path / "few.tsv", reviews(300, labels))
    streamed = fitted(learner, stream, passes=1)
    X, y = _matrix(streamed, stream)
    whole = clone(learner).fit(X, y)
    assert np.array_equal(streamed.model_.weights_, whole.coef_.T.astype(np.float32))
    assert np.array_equal(streamed.model_.intercept_, whole.intercept_)


@pytest.mark.parametrize("learner", [linnet.MaxEnt(), linnet.MultinomialNB()], ids=str)
def test_with_a_vocabulary_the_features_are_those_of_memory(
    learner: Any, stream: Path, small_blocks: None
) -> None:
    texts, y = _texts(stream)
    whole = linnet.TextClassifier(clone(learner), min_df=3).fit(texts, y)
    clf = linnet.TextClassifier(clone(learner), min_df=3)
    streamed = linnet.fit_stream(clf, stream, vocabulary=True, passes=2)
    extractor, expected = streamed.model_.extractor, whole.model_.extractor
    assert extractor.names.tolist() == expected.names.tolist()
    assert np.array_equal(extractor.scale, expected.scale)
    X, _ = _matrix(whole, stream)
    np.testing.assert_allclose(_matrix(streamed, stream)[0].data, X.data, rtol=1e-6)
    shown = [name for name, _ in streamed.model_.top_features(5)["pos"]]
    assert any(name.startswith("pos") for name in shown)
    assert streamed.score(texts, y) > 0.8


def test_a_run_with_a_vocabulary_resumes_to_the_same_bits(
    stream: Path, tmp_path: Path, small_blocks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_run, "_SECONDS", 0.0)
    monkeypatch.setattr(stream_run, "_SHARE", 1e9)
    options: dict[str, Any] = {"vocabulary": True, "checkpoint": tmp_path / "aside"}
    whole = linnet.fit_stream(linnet.TextClassifier(), stream, vocabulary=True)
    with pytest.raises(Killed):
        linnet.fit_stream(linnet.TextClassifier(), stream, progress=killed_after(4), **options)
    resumed = linnet.fit_stream(linnet.TextClassifier(), stream, resume=True, **options)
    assert same(whole, resumed)


def test_a_vocabulary_needs_files_and_no_hashing(stream: Path) -> None:
    with pytest.raises(ParameterError, match="choose one of the two"):
        fitted(linnet.MaxEnt(), stream, vocabulary=True)
    with pytest.raises(ParameterError, match="a pass before the others; name a file"):
        linnet.fit_stream(linnet.TextClassifier(), "-", vocabulary=True)
    model = fitted(linnet.MaxEnt(), stream).model_
    with pytest.raises(ParameterError, match="has its features"):
        linnet.fit_stream(linnet.TextClassifier(), stream, start=model, vocabulary=True)


def _matrix(clf: Any, path: Path) -> tuple[sp.csr_matrix, list[str]]:
    """Return the features that a fitted classifier makes of a file, and the labels."""
    texts, y = _texts(path)
    return clf.model_.reader.inputs(texts, 1), y


@pytest.mark.parametrize("learner", [linnet.Perceptron(shuffle=False), linnet.MIRA(shuffle=False)])
def test_online_learners_take_the_steps_of_memory(learner: Any, tmp_path: Path) -> None:
    path = write_tsv(tmp_path / "few.tsv", reviews(400, LABELS))
    streamed = fitted(learner, path, labels=sorted(LABELS), passes=3)
    X, y = _matrix(streamed, path)
    learner = linnet.Perceptron() if isinstance(learner, linnet.Perceptron) else linnet.MIRA()
    whole = learner.set_params(shuffle=False, max_iter=3, stop_when_clean=False).fit(X, y)
    np.testing.assert_allclose(streamed.model_.weights_, whole.coef_.T, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_a_label_counts_from_its_first_example_on(
    learner: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = reviews(300) + reviews(900, LABELS, seed=1)
    path = write_tsv(tmp_path / "late.tsv", rows)
    once = fitted(learner, path)
    assert once.classes_.tolist() == sorted(LABELS)
    assert once.score(*_texts(path)) > 0.6
    monkeypatch.setattr(limits, "BLOCK", 2500)
    assert np.array_equal(once.model_.weights_, fitted(learner, path).model_.weights_)


@pytest.mark.parametrize("learner", LEARNERS[:-2], ids=str)
def test_a_new_label_changes_no_decision_before_it_is_learned(learner: Any, stream: Path) -> None:
    texts, y = _texts(stream)
    clf = linnet.TextClassifier(learner, hashing=12)
    rows = fixed_features(clf, learner).counts(texts, 1)
    core = learner.incremental(1 << 12)
    core.meet(rows, (np.array(y) == "pos").astype(np.int32))
    X = sp.csr_matrix((rows.value, rows.index, rows.start), shape=(1500, 1 << 12))
    W, b = core.weights()
    before = (X @ W + b)[:, 0]
    core.widen(3)
    W, b = core.weights()
    after = X @ W + b
    assert np.array_equal(after.argmax(axis=1), before > 0)


def test_each_example_is_answered_before_it_is_learned(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [(str(rng.integers(2)), f"unique{k}") for k in range(2000)]
    clf = fitted(linnet.MaxEnt(), write_tsv(tmp_path / "noise.tsv", rows), bits=18)
    assert clf.score([text for _, text in rows], [label for label, _ in rows]) > 0.9
    foreseen = clf.record_["progressive"]
    assert foreseen["examples"] == 2000
    assert 0.45 < foreseen["accuracy"] < 0.55


def test_the_record_of_foresight_is_in_the_file(stream: Path, tmp_path: Path) -> None:
    clf = fitted(linnet.MaxEnt(), stream)
    clf.save(tmp_path / "m.linnet")
    record = linnet.load(tmp_path / "m.linnet").record_
    assert record["progressive"] == clf.record_["progressive"]
    assert record["passes"] == 1


def test_a_file_that_grows_is_an_error(stream: Path, small_blocks: None) -> None:
    def grow(progress: Any) -> None:
        with stream.open("a") as file:
            file.write("pos\tmore\n")

    with pytest.raises(DataError, match="grew while it was read"):
        fitted(linnet.MaxEnt(), stream, progress=grow)


def test_a_file_that_vanishes_is_an_error(stream: Path, small_blocks: None) -> None:
    with pytest.raises(DataError, match="is gone"):
        fitted(linnet.MaxEnt(), stream, progress=lambda now: stream.unlink(missing_ok=True))


def test_an_archive_that_is_cut_short_is_an_error(stream: Path, tmp_path: Path) -> None:
    packed = tmp_path / "cut.tsv.gz"
    packed.write_bytes(gzip.compress(stream.read_bytes())[:-2000])
    with pytest.raises(FormatError, match="damaged or cut short"):
        fitted(linnet.MaxEnt(), packed)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_of_an_archive_it_is_told_how_far_the_run_is(
    suffix: str, stream: Path, tmp_path: Path, small_blocks: None
) -> None:
    packed = tmp_path / f"reviews.tsv{suffix}"
    with write_bytes_atomically(packed) as out:
        out.write(stream.read_bytes())
    seen: list[Any] = []
    fitted(linnet.MaxEnt(), packed, passes=2, progress=seen.append)
    done = [now.done for now in seen]
    assert done == sorted(done) and 0 < done[0] <= done[-1] <= 2 * packed.stat().st_size
    assert all(now.total == 2 * packed.stat().st_size and now.left is not None for now in seen)


def test_a_bad_row_is_an_error_with_its_line_or_left_out_and_counted(tmp_path: Path) -> None:
    lines = [f'{{"text": "{text}", "label": "{label}"}}' for label, text in reviews(300)]
    lines[70] = '{"text": "no end'
    lines[200] = '{"text": "no label"}'
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(FormatError, match=r"bad\.jsonl:71"):
        fitted(linnet.MaxEnt(), path)
    with pytest.raises(FormatError, match=r"bad\.jsonl:201.*1 bad rows were left out before"):
        fitted(linnet.MaxEnt(), path, skip_bad=1)
    clf = fitted(linnet.MaxEnt(), path, skip_bad=5)
    assert clf.record_["skipped"] == 2
    assert clf.record_["examples"] == 298
    again = fitted(linnet.MaxEnt(), path, skip_bad=2, passes=3)  # a bad row counts once
    assert again.record_["skipped"] == 2
    del lines[200], lines[70]
    path.write_text("\n".join(lines) + "\n")
    assert np.array_equal(clf.model_.weights_, fitted(linnet.MaxEnt(), path).model_.weights_)


def test_bad_rows_of_a_quoted_table_are_left_out(tmp_path: Path, small_blocks: None) -> None:
    rows = [f'{label},"{text}\nand ""more"""\n' for label, text in reviews(300)]
    whole, broken = tmp_path / "whole.csv", tmp_path / "broken.csv"
    whole.write_text("label,text\n" + "".join(rows))
    rows.insert(250, "pos,one,cell too many\n")
    rows.insert(70, ",no label\n")
    broken.write_text("label,text\n" + "".join(rows))
    with pytest.raises(FormatError, match=r"broken\.csv:142"):
        fitted(linnet.MaxEnt(), broken)
    clf = fitted(linnet.MaxEnt(), broken, skip_bad=2)
    assert clf.record_["skipped"] == 2
    assert np.array_equal(clf.model_.weights_, fitted(linnet.MaxEnt(), whole).model_.weights_)


def test_several_files_by_a_pattern_are_one_stream(tmp_path: Path) -> None:
    rows = reviews(600)
    whole = write_tsv(tmp_path / "whole.tsv", rows)
    for k in range(3):
        write_tsv(tmp_path / f"part-{k}.tsv", rows[200 * k : 200 * k + 200])
    parts = fitted(linnet.MaxEnt(), str(tmp_path / "part-*.tsv"))
    assert same(parts, fitted(linnet.MaxEnt(), whole))
    with pytest.raises(DataError, match="no file has a name like"):
        fitted(linnet.MaxEnt(), str(tmp_path / "none-*.tsv"))


def test_a_checkpoint_of_other_settings_is_refused(stream: Path, tmp_path: Path) -> None:
    aside = tmp_path / "run.checkpoint"
    fitted(linnet.MaxEnt(), stream, checkpoint=aside, keep_checkpoint=True)
    assert not aside.exists()  # a run this short had nothing to put aside


def test_resuming_with_other_settings_names_the_difference(
    stream: Path, tmp_path: Path, small_blocks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_run, "_SECONDS", 0.0)
    aside = tmp_path / "run.checkpoint"
    with pytest.raises(Killed):
        fitted(linnet.MaxEnt(), stream, checkpoint=aside, progress=killed_after(3))
    with pytest.raises(ParameterError, match="had another passes: 1, now it is 2"):
        fitted(linnet.MaxEnt(), stream, checkpoint=aside, resume=True, passes=2)
    aside.write_bytes(aside.read_bytes()[:-100])
    with pytest.raises(DataError, match="damaged or no checkpoint"):
        fitted(linnet.MaxEnt(), stream, checkpoint=aside, resume=True)


def test_memory_that_the_weights_alone_exceed_is_refused(stream: Path) -> None:
    with pytest.raises(ParameterError, match="fewer bits of hashing"):
        fitted(linnet.MaxEnt(), stream, bits=28, memory="1GB")
    assert fitted(linnet.MaxEnt(), stream, memory="200MB").record_["examples"] == 1500


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (linnet.MaxEnt(solver="newton"), "needs all rows at once"),
        (linnet.MaxEnt(penalty="l1"), "needs all rows"),
        (linnet.DecisionTree(), "needs all examples at once"),
        (linnet.SVM(multi_class="ovo"), "needs? all rows"),
        (linnet.MultinomialNB(alpha=0), "alpha=0"),
        (linnet.BernoulliNB(binarize=1.0), "binarize must be below 1"),
    ],
)
def test_what_needs_all_examples_is_refused(learner: Any, message: str, stream: Path) -> None:
    with pytest.raises(ParameterError, match=message):
        fitted(learner, stream)


def test_partial_fit_goes_on_where_it_stopped(stream: Path) -> None:
    texts, y = _texts(stream)
    pieces = linnet.TextClassifier(linnet.MaxEnt(), hashing=12)
    for first in range(0, 1500, 300):
        pieces.partial_fit(texts[first : first + 300], y[first : first + 300])
        if first == 600:
            pieces = pickle.loads(pickle.dumps(pieces))
    assert same(pieces, fitted(linnet.MaxEnt(), stream))


def test_partial_fit_refuses_labels_that_were_not_announced() -> None:
    clf = linnet.TextClassifier(linnet.Perceptron())
    clf.partial_fit(["a fine film", "a dull film"], ["pos", "neg"], classes=["neg", "pos"])
    with pytest.raises(DataError, match="'so-so' is not among those of the model"):
        clf.partial_fit(["a film"], ["so-so"])
    assert clf.predict(["a fine film"]).tolist() == ["pos"]
    with pytest.raises(DataError, match="two labels"):
        linnet.TextClassifier().partial_fit(["a film"], ["pos"])


def test_what_a_thread_ahead_raises_comes_after_what_it_made() -> None:
    def items() -> Any:
        yield 1
        yield 2
        raise DataError("third")

    seen = []
    with pytest.raises(DataError, match="third"):
        for item in ahead(items()):
            seen.append(item)
    assert seen == [1, 2]


def test_a_thread_ahead_ends_when_nobody_waits_for_it() -> None:
    closed = []

    def items() -> Any:
        try:
            yield from range(1000)
        finally:
            closed.append(True)

    for item in ahead(items()):
        if item == 3:
            break
    assert closed == [True]
