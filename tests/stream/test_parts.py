"""Runs over many files that are killed go on, and end as if nobody had killed them."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import linnet
from linnet.errors import DataError
from linnet.stream.parts import JOURNAL, Parts

GOOD = ("a wonderful film", "great acting, a joy", "lovely and moving")
BAD = ("a dull film", "boring acting, a mess", "awful and slow")


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """A model and files of texts."""
    folder = tmp_path_factory.mktemp("texts")
    pairs = [("pos", text) for text in GOOD] + [("neg", text) for text in BAD]
    labels, lines = zip(*pairs * 5, strict=True)
    linnet.TextClassifier(C=1.0).fit(list(lines), list(labels)).save(folder / "model")
    rng = np.random.default_rng(0)
    for number in range(6):
        rows = [pairs[k] for k in rng.integers(0, 6, 3000)]
        lines = [f"{label}\t{text} number {n}\n" for n, (label, text) in enumerate(rows)]
        (folder / f"part-{number}.tsv").write_text("".join(lines))
    return str(folder / "model"), sorted(map(str, folder.glob("part-*")))


@pytest.fixture(scope="module")
def sentences(tmp_path_factory):
    """A tagger and files of sentences."""
    folder = tmp_path_factory.mktemp("sentences")
    tagged = [[("the", "D"), ("old", "A"), ("man", "N")], [("the", "D"), ("dog", "N")]] * 10
    words = [[word for word, _ in sentence] for sentence in tagged]
    tags = [[tag for _, tag in sentence] for sentence in tagged]
    linnet.SequenceTagger().fit(words, tags).save(folder / "model")
    for number in range(4):
        lines = ["".join(f"{word}\t{tag}\n" for word, tag in one) + "\n" for one in tagged * 60]
        (folder / f"part-{number}.conll").write_text("".join(lines))
    return str(folder / "model"), sorted(map(str, folder.glob("part-*")))


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """A model of rows of values, and files of them."""
    folder = tmp_path_factory.mktemp("rows")
    rng = np.random.default_rng(1)

    def line():
        values = rng.choice(["sun", "rain"]), rng.choice(["hot", "cold"])
        return f"{values[0]},{values[1]},{'yes' if values[0] == 'sun' else 'no'}\n"

    (folder / "train.csv").write_text("sky,air,play\n" + "".join(line() for _ in range(60)))
    for number in range(4):
        text = "sky,air,play\n" + "".join(line() for _ in range(1500))
        (folder / f"part-{number}.csv").write_text(text)
    run(
        "train",
        folder / "train.csv",
        "--learner",
        "tree",
        "--label",
        "play",
        "-o",
        folder / "model",
    )
    return str(folder / "model"), sorted(map(str, folder.glob("part-*")))


def command(*arguments):
    return [sys.executable, "-m", "linnet", *map(str, arguments)]


def run(*arguments):
    done = subprocess.run(command(*arguments), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def assert_survives_kills(arguments, place, kills, tmp_path, seed=0):
    """Kill a run again and again, resume it, and compare with a run that was left alone."""
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    began = time.perf_counter()
    run(*arguments, *place(whole))
    seconds = time.perf_counter() - began
    for share in np.random.default_rng(seed).uniform(0.3, 1.0, kills):
        process = subprocess.Popen(
            command(*arguments, *place(killed), "--resume"), stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(share * seconds)
        process.kill()
        process.wait()
    run(*arguments, *place(killed), "--resume")
    assert contents(killed) == contents(whole)  # with no other file


def kept_and_dropped(folder):
    return ["-o", folder / "kept", "--dropped", folder / "dropped"]


def into(folder):
    return ["-o", f"{folder}/"]


@pytest.mark.slow
def test_filtering_survives_kills(texts, tmp_path):
    model, files = texts
    arguments = ["filter", model, *files, "--keep", "pos>=0.5"]
    assert_survives_kills(arguments, kept_and_dropped, 3, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["texts", "rows", "sentences"])
def test_predicting_survives_kills(kind, request, tmp_path):
    model, files = request.getfixturevalue(kind)
    assert_survives_kills(["predict", model, *files, "-q"], into, 3, tmp_path)


@pytest.mark.slow
def test_converting_survives_kills(texts, tmp_path):
    arguments = ["convert", *texts[1], "--to", "jsonl"]
    assert_survives_kills(arguments, lambda folder: [f"{folder}/"], 3, tmp_path)


@pytest.mark.parametrize("kind", ["texts", "rows", "sentences"])
def test_each_row_has_one_answer_and_it_is_that_of_a_single_output(kind, request, tmp_path):
    model, files = request.getfixturevalue(kind)
    run("predict", model, *files, "-o", f"{tmp_path}/parts/", "-q")
    run("predict", model, *files, "-o", tmp_path / "one.txt", "-q")
    parts = contents(tmp_path / "parts")
    assert len(parts) == len(files)
    assert b"".join(parts.values()) == (tmp_path / "one.txt").read_bytes()


def test_a_run_is_resumed_only_with_the_same_wishes(texts, tmp_path):
    model, files = texts
    broken = tmp_path / "z.tsv"
    broken.write_bytes(b"pos\tgood\n\xff\xfe\n")
    arguments = [model, *files[:1], broken, "-o", tmp_path / "kept", "--format", "labelled"]
    failed = subprocess.run(
        command("filter", *arguments, "--keep", "pos"), capture_output=True, text=True, check=False
    )
    assert failed.returncode == 1 and "z.tsv:2" in failed.stderr
    assert set(contents(tmp_path / "kept")) == {"part-0.tsv", JOURNAL}
    broken.write_bytes(b"pos\tgood\n")
    other = subprocess.run(
        command("filter", *arguments, "--keep", "neg", "--resume"), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert other.returncode == 1 and "asked for something else" in other.stderr
    done = run("filter", *arguments, "--keep", "pos", "--resume", "--json")
    assert json.loads(done.stdout)["passed_over"] == 1
    assert set(contents(tmp_path / "kept")) == {"part-0.tsv", "z.tsv"}


def sources(tmp_path, n=2):
    names = [tmp_path / f"{number}.txt" for number in range(n)]
    for name in names:
        name.write_text(name.name)
    (tmp_path / "out").mkdir()
    return names, Parts(names, [tmp_path / "out"], {"wish": 1})


def test_a_part_of_a_source_that_has_changed_is_written_again(tmp_path):
    names, parts = sources(tmp_path, 3)
    with pytest.raises(KeyboardInterrupt), parts.run() as waiting:
        for number, part in enumerate(waiting):
            if number == 2:
                raise KeyboardInterrupt
            part.targets[0].write_text("done")
    assert [Path(part.source) for part in parts.check(resume=True)] == names[2:]
    names[0].write_text("another text")
    assert [Path(part.source) for part in parts.check(resume=True)] == [names[0], names[2]]
    (tmp_path / "out" / "1.txt").unlink()
    assert len(parts.check(resume=True)) == 3


def test_a_source_that_changes_while_it_is_read_is_an_error(tmp_path):
    names, parts = sources(tmp_path)
    with pytest.raises(DataError, match="changed while it was read"), parts.run() as waiting:
        for part in waiting:
            part.targets[0].write_text("done")
            names[0].write_text("grown meanwhile")
    assert os.listdir(tmp_path / "out") == ["0.txt"]


def test_a_journal_that_was_cut_counts_its_whole_lines(tmp_path):
    names, parts = sources(tmp_path, 3)
    with pytest.raises(KeyboardInterrupt), parts.run() as waiting:
        for number, part in enumerate(waiting):
            if number == 2:
                raise KeyboardInterrupt
            part.targets[0].write_text("done")
    journal = tmp_path / "out" / JOURNAL
    journal.write_bytes(journal.read_bytes()[:-7])
    assert [Path(part.source) for part in parts.check(resume=True)] == names[1:]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["predict", "MODEL", "FILE", "-o", "out.tsv", "--resume"], "outputs in a folder"),
        (["convert", "FILE", "out.jsonl", "--skip-bad", "1"], "outputs in a folder"),
        (["convert", "FILE", "FILE2", "out.jsonl"], "several inputs go into a folder"),
        (["convert", "FILE", "FILE2", "out/"], "need a format"),
        (["convert", "FILE", "-", "out/", "--to", "jsonl"], "name files"),
        (["predict", "MODEL", "--string", "good", "-o", "out/"], "name files"),
        (["predict", "MODEL", "FILE", "FILE", "-o", "out/"], "would both become"),
        (["predict", "MODEL", "none.tsv", "-o", "out/"], "is not a file"),
    ],
)
def test_what_cannot_be_resumed_is_refused(arguments, message, texts, tmp_path):
    places = {"MODEL": texts[0], "FILE": texts[1][0], "FILE2": texts[1][1]}
    words = [places.get(word, word) for word in arguments]
    done = subprocess.run(
        command(*words), capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 1 and message in done.stderr
    assert os.listdir(tmp_path) == []


def test_outputs_that_are_there_are_refused_replaced_or_kept(texts, tmp_path):
    model, files = texts
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "part-0.tsv").write_text("from before\n")
    arguments = ["predict", model, *files[:2], "-o", f"{tmp_path}/out/", "-q"]
    refused = subprocess.run(command(*arguments), capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and "already there" in refused.stderr
    run(*arguments, "--resume")
    assert (tmp_path / "out" / "part-0.tsv").read_text() == "from before\n"
    run(*arguments, "--overwrite")
    assert len((tmp_path / "out" / "part-0.tsv").read_text().splitlines()) == 3000


BAD_FILES = {
    "a.tsv": (b"pos\ta lovely film\nno tab here\nneg\ta dull film\nneg\tawful\n", [2]),
    "b.tsv": (b"pos\tgreat\nneg\tawful \xff\nneg\ta dull film\n\tno label\npos\tjoy\n", [2, 4]),
    "c.tsv": (b"bad from the start\npos\tgreat\nneg\tslow\nbad at the end\n", [1, 4]),
}


@pytest.fixture
def bad_files(tmp_path):
    for name, (content, _) in BAD_FILES.items():
        (tmp_path / name).write_bytes(content)
    return [tmp_path / name for name in BAD_FILES]


def good_lines(name, *, bad):
    lines = BAD_FILES[name][0].splitlines(keepends=True)
    return [line for number, line in enumerate(lines, 1) if number not in bad]


READ = ("--format", "labelled")


def test_bad_rows_are_left_out_by_filter_and_counted(texts, bad_files, tmp_path):
    folders = ("-o", tmp_path / "kept", "--dropped", tmp_path / "rest")
    arguments = ["filter", texts[0], *bad_files, *folders, "--keep", "pos", *READ]
    # labels are not looked at here, so a line without one is no bad row
    bad = {"a.tsv": [2], "b.tsv": [2], "c.tsv": [1, 4]}
    done = run(*arguments, "--skip-bad", "4")
    assert "4 bad rows were left out, the first" in done.stderr and "a.tsv:2" in done.stderr
    for name, lines in bad.items():
        kept, rest = ((tmp_path / side / name).read_bytes() for side in ("kept", "rest"))
        written = sorted((kept + rest).splitlines(keepends=True))
        assert written == sorted(good_lines(name, bad=lines))
        assert kept.count(b"pos") == kept.count(b"\n") - kept.count(b"no label") > 0


def test_bad_rows_are_left_out_by_predict_and_convert(texts, bad_files, tmp_path):
    done = run(
        "predict", texts[0], *bad_files, "-o", f"{tmp_path}/out/", "--from", "labelled",
        "--skip-bad", "4",
    )  # fmt: skip
    assert "4 bad rows were left out" in done.stderr
    answers = [(tmp_path / "out" / name).read_text().splitlines() for name in BAD_FILES]
    assert [len(lines) for lines in answers] == [3, 4, 2]
    run("convert", *bad_files, f"{tmp_path}/json/", "--to", "jsonl", "--from", "labelled",
        "--skip-bad", "5")  # fmt: skip
    for name, (_, bad) in BAD_FILES.items():
        written = (tmp_path / "json" / name.replace(".tsv", ".jsonl")).read_text().splitlines()
        labels = [json.loads(line)["label"] for line in written]
        assert labels == [line.split(b"\t")[0].decode() for line in good_lines(name, bad=bad)]


def test_one_bad_row_more_than_allowed_is_an_error_with_file_and_line(texts, bad_files, tmp_path):
    arguments = ["convert", *bad_files, f"{tmp_path}/json/", "--to", "jsonl", "--from", "labelled"]
    for allowed, place in ((0, "a.tsv:2"), (1, "b.tsv:2"), (2, "b.tsv:4"), (4, "c.tsv:4")):
        done = subprocess.run(
            command(*arguments, "--skip-bad", allowed, "--overwrite"), capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 1 and place in done.stderr.splitlines()[-1]


def test_an_undecodable_line_of_plain_text_is_left_out_and_not_an_empty_text(texts, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"a joy\n\xff\xfe\xff\n\na dull film\n")
    run("predict", texts[0], tmp_path / "a.txt", "-o", f"{tmp_path}/out/", "--from", "text",
        "--skip-bad", "1")  # fmt: skip
    assert len((tmp_path / "out" / "a.tsv").read_text().splitlines()) == 3


def test_an_error_that_is_no_row_stays_an_error(texts, tmp_path):
    whole = gzip.compress(b"pos\ta joy\n" * 1000)
    (tmp_path / "a.tsv.gz").write_bytes(whole[: len(whole) // 2])
    words = ("convert", tmp_path / "a.tsv.gz", f"{tmp_path}/o/", "--to", "jsonl", "--skip-bad", 9)
    done = subprocess.run(command(*words), capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "cut short" in done.stderr
