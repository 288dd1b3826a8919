"""The verbs on sequences: train, evaluate, predict, explain and inspect a tagger."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.data.sequences import read_sequences

Run = Callable[..., Any]
COMMAND = "import sys; sys.argv[0] = 'linnet'; from linnet.cli import main; main()"
PHRASES = {
    "NP": ["the dog", "a cat", "every old house", "dogs", "the small cat"],
    "VP": ["sees", "has seen", "likes", "runs"],
    "O": ["and", "but", "."],
}
PATTERNS = [("NP", "VP", "NP", "O"), ("NP", "VP", "O"), ("NP", "O", "NP", "VP", "O")]


def rows(n: int, seed: int) -> list[list[tuple[str, str]]]:
    """Return sentences of (word, chunk tag)."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        sentence: list[tuple[str, str]] = []
        for kind in PATTERNS[random.integers(len(PATTERNS))]:
            for place, word in enumerate(str(random.choice(PHRASES[kind])).split()):
                tag = "O" if kind == "O" else f"{'I' if place else 'B'}-{kind}"
                sentence.append((word, tag))
        found.append(sentence)
    return found


def columns(sentences: list[list[tuple[str, str]]]) -> str:
    return "".join("".join(f"{w}\t{t}\n" for w, t in row) + "\n" for row in sentences)


@pytest.fixture(scope="session")
def train_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tags") / "train.conll"
    path.write_text(columns(rows(80, 0)), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def test_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tags") / "test.conll"
    path.write_text(columns(rows(30, 1)), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def tagger(train_file: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the path of a trained tagger."""
    path = tmp_path_factory.mktemp("tagger") / "chunks.linnet"
    linnet.SequenceTagger().fit(read_sequences(train_file)).save(path)
    return str(path)


def test_train_finds_sequences_by_themselves(
    linnet_command: Run, train_file: Path, tmp_path: Path
) -> None:
    found = linnet_command("train", train_file, "-o", tmp_path / "m.linnet", "--holdout", 0.2)
    assert found.exit_code == 0, found.output
    assert "in IOB2" in found.output and "held out: chunk F1" in found.output
    assert "2 columns between tabs" in found.output
    assert type(linnet.load(tmp_path / "m.linnet")) is linnet.Model


def test_train_reads_standard_input_and_reports_json(
    linnet_command: Run, train_file: Path, test_file: Path, tmp_path: Path
) -> None:
    path = tmp_path / "m.linnet"
    found = linnet_command(
        "train", "-", "-o", path, "--json", "--valid", test_file, "-C", 0.5, "--features", "ner",
        "--constraints", "none", stdin=train_file.read_bytes(),
    )  # fmt: skip
    assert found.exit_code == 0, found.output
    summary = json.loads(found.stdout)
    assert summary["record"]["C"] == 0.5 and summary["record"]["features"] == "ner"
    assert summary["scheme"] is None and summary["held_out"]["chunk_f1"] > 0.9
    assert summary["sentences"] == 80


def test_train_takes_a_template_file(linnet_command: Run, train_file: Path, tmp_path: Path) -> None:
    (tmp_path / "template").write_text("U00:%x[-1,0]\nU01:%x[0,0]\nU02:%x[1,0]\nB\n")
    path = tmp_path / "m.linnet"
    arguments = ("--features", tmp_path / "template", "--min-df", 2)
    assert linnet_command("train", train_file, "-o", path, *arguments).exit_code == 0
    assert "U01:the" in linnet.load(path).extractor.names.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--learner", "nb"], "there is no learner 'nb' for sequences"),
        (["-C", "auto"], "-C must be a number for sequences"),
        (["--ngrams", "1,2"], "--ngrams means nothing for sequences"),
        (["--class-weight", "balanced"], "--class-weight means nothing"),
        (["--features", "nope"], "neither a feature set nor a file"),
        (["--constraints", "iob7"], "constraints must be"),
        (["--holdout", "0.001"], "too few to hold"),
        (["--label", "word"], "there is no column 'word'"),
        (["--label", "0"], "columns are numbered from 1"),
        (["--label", "7"], "has no column 7; its columns are 1 to 2"),
    ],
)
def test_train_refuses_in_one_line(
    options: list[str], message: str, linnet_command: Run, train_file: Path, tmp_path: Path
) -> None:
    found = linnet_command("train", train_file, "-o", tmp_path / "m.linnet", *options)
    assert found.exit_code == 1 and message in found.output, found.output
    assert not (tmp_path / "m.linnet").exists()


def test_options_of_sequences_mean_nothing_for_texts(
    linnet_command: Run, reviews_file: Path, model: str, tmp_path: Path
) -> None:
    found = linnet_command("train", reviews_file, "-o", tmp_path / "m", "--features", "ner")
    assert found.exit_code == 1 and "'words:1-2'" in found.output and "got 'ner'" in found.output
    found = linnet_command("predict", model, "--nbest", 3, stdin="a film\n")
    assert found.exit_code == 1 and "--nbest means nothing for a classifier" in found.output


def test_ragged_columns_are_an_error_with_their_line(
    linnet_command: Run, train_file: Path, tmp_path: Path
) -> None:
    path = tmp_path / "bad.conll"
    path.write_text(train_file.read_text() + "a\tb\tc\td\n")
    found = linnet_command("train", path, "-o", tmp_path / "m.linnet")
    line = train_file.read_text().count("\n") + 1
    assert found.exit_code == 1 and f"bad.conll:{line}" in found.output


@pytest.mark.spec("M-122")
def test_evaluate_reports_chunks_tokens_and_unknown_words(
    linnet_command: Run, tagger: str, test_file: Path
) -> None:
    found = linnet_command("evaluate", tagger, test_file)
    assert found.exit_code == 0, found.output
    assert "chunk F1" in found.output and "words not seen in training" in found.output
    report = json.loads(linnet_command("evaluate", tagger, test_file, "--json").stdout)
    assert report["accuracy"] > 0.95 and report["chunk_f1"] > 0.95
    assert report["n_sentences"] == 30 and set(report["chunk_types"]) == {"NP", "VP"}
    assert report["vocabulary"]["oov_rate"] == 0


def test_evaluate_needs_tags(linnet_command: Run, tagger: str, tmp_path: Path) -> None:
    (tmp_path / "raw.txt").write_text("the dog runs\n")
    found = linnet_command("evaluate", tagger, tmp_path / "raw.txt")
    assert found.exit_code == 1 and "has no tags" in found.output
    assert linnet_command("evaluate", tagger, "-", stdin="").exit_code == 1


def test_raw_text_becomes_columns(linnet_command: Run, tagger: str) -> None:
    found = linnet_command("predict", tagger, stdin="the dog runs.\n\nthe cat sees dogs\n")
    assert found.exit_code == 0, found.output
    tags = [line.split("\t") for line in found.stdout.splitlines() if line]
    assert tags[:4] == [["the", "B-NP"], ["dog", "I-NP"], ["runs", "B-VP"], [".", "O"]]
    assert len(tags) == 8


def test_json_has_tags_and_entities_with_offsets(linnet_command: Run, tagger: str) -> None:
    found = linnet_command("predict", tagger, "--json", stdin="  the dog runs.\n")
    answer = json.loads(found.stdout)
    assert answer["words"] == ["the", "dog", "runs", "."]
    assert answer["entities"][0] == {"start": 2, "end": 9, "label": "NP", "text": "the dog"}
    found = linnet_command(
        "predict", tagger, "--json", "--tokens", "whitespace", "--string", "the dog, runs."
    )
    assert json.loads(found.stdout)["words"] == ["the", "dog,", "runs."]


def test_columns_get_one_more_and_other_formats_keep_theirs(
    linnet_command: Run, tagger: str, test_file: Path, tmp_path: Path
) -> None:
    found = linnet_command("predict", tagger, test_file, "-q")
    truth = test_file.read_text().splitlines()
    lines = found.stdout.splitlines()
    assert [line.rpartition("\t")[0] for line in lines] == truth
    output = tmp_path / "out.conll"
    assert linnet_command("predict", tagger, test_file, "-o", output).exit_code == 0
    assert output.read_text() == found.stdout
    spans = linnet_command("predict", tagger, "--format", "spans", stdin="the dog runs\n")
    assert json.loads(spans.stdout)["spans"][0] == {"start": 0, "end": 7, "label": "NP"}
    again = linnet_command("predict", tagger, "--from", "spans", "-q", stdin=spans.stdout)
    assert again.stdout == spans.stdout
    slashes = linnet_command("predict", tagger, "--format", "word_tag", stdin="the dog runs\n")
    assert slashes.stdout == "the/B-NP dog/I-NP runs/B-VP\n"


def test_n_best_and_marginals(linnet_command: Run, tagger: str) -> None:
    found = linnet_command("predict", tagger, "--nbest", 3, stdin="the dog runs\n")
    heads = [line for line in found.stdout.splitlines() if line.startswith("# ")]
    scores = [float(line.split()[2]) for line in heads]
    assert len(scores) == 3 and scores == sorted(scores, reverse=True)
    answer = json.loads(
        linnet_command("predict", tagger, "--nbest", 2, "--json", stdin="the dog\n").stdout
    )
    assert len(answer["nbest"]) == 2 and answer["nbest"][0]["tags"] == answer["tags"]
    found = linnet_command("predict", tagger, "--marginals", stdin="the dog runs\n")
    shares = [float(line.split("\t")[2]) for line in found.stdout.splitlines() if line]
    assert len(shares) == 3 and all(0 < share <= 1 for share in shares)
    answer = json.loads(
        linnet_command("predict", tagger, "--marginals", "--json", stdin="dogs\n").stdout
    )
    assert sum(answer["marginals"][0].values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--top", 2], "--top means nothing for a tagger"),
        (["--proba"], "--proba means nothing for a tagger"),
        (["--nbest", 2, "--marginals"], "give --nbest or --marginals"),
        (["--nbest", 2, "--format", "spans"], "cannot hold"),
        (["--format", "parquet"], "--format must be one of"),
        (["--json", "--format", "conll"], "contradict"),
        (["--constraints", "iob7"], "constraints must be"),
        (["--tokens", "bytes"], "--tokens must be one of"),
        (["--text", "9", "--from", "conll"], "no column 8 for the word"),
    ],
)
def test_predict_refuses_in_one_line(
    options: list[Any], message: str, linnet_command: Run, tagger: str
) -> None:
    found = linnet_command("predict", tagger, *options, stdin="the dog runs\n")
    assert found.exit_code == 1 and message in found.output, found.output


def test_nothing_in_gives_nothing_out(linnet_command: Run, tagger: str) -> None:
    found = linnet_command("predict", tagger, stdin="")
    assert found.exit_code == 0 and found.stdout == ""


def test_explain_says_why_and_why_not(linnet_command: Run, tagger: str) -> None:
    found = linnet_command("explain", tagger, "the dog runs")
    assert found.exit_code == 0 and "I-NP" in found.output and "margin" in found.output
    answer = json.loads(linnet_command("explain", tagger, "the dog runs", "--json").stdout)
    assert [token["tag"] for token in answer["tokens"]] == ["B-NP", "I-NP", "B-VP"]
    assert linnet_command("explain", tagger, "-", stdin="dogs\n").exit_code == 0
    assert linnet_command("explain", tagger, "dogs", "--label", "I-NP").exit_code == 1


@pytest.mark.parametrize("learner", [linnet.HMM(), linnet.MEMM()], ids=["hmm", "memm"])
def test_explain_works_for_models_of_probabilities(
    learner: Any, linnet_command: Run, train_file: Path, tmp_path: Path
) -> None:
    path = tmp_path / "m.linnet"
    linnet.SequenceTagger(learner).fit(read_sequences(train_file)).save(path)
    found = linnet_command("explain", path, "the dog runs", "--json", "--top", 1000)
    assert found.exit_code == 0, found.output
    for token in json.loads(found.stdout)["tokens"]:
        parts = (part["contribution"] for part in token["features"] + token["neighbours"])
        assert token["features"] and token["neighbours"]
        assert sum(parts) == pytest.approx(token["margin"], abs=1e-6)
    assert linnet_command("explain", path, "the dog runs").exit_code == 0


def test_inspect_shows_tags_transitions_and_features(linnet_command: Run, tagger: str) -> None:
    found = linnet_command("inspect", tagger, "--top", 3)
    assert found.exit_code == 0 and "the strongest transitions" in found.output
    answer = json.loads(linnet_command("inspect", tagger, "--top", 3, "--json").stdout)
    assert answer["classes"] == ["B-NP", "B-VP", "I-NP", "I-VP", "O"] and answer["scheme"] == "IOB2"
    assert len(answer["top_transitions"]) == 6 and len(answer["top_features"]["O"]) == 3
    assert "w[0]=dog" in linnet_command("inspect", tagger, "--features", "w?0?=dog").output
    assert "no feature" in linnet_command("inspect", tagger, "--features", "zzz").output


def test_filter_refuses_a_tagger(linnet_command: Run, tagger: str, test_file: Path) -> None:
    found = linnet_command("filter", tagger, test_file, "--keep", "NP", "-o", "out")
    assert found.exit_code == 1 and "holds a tagger of sentences" in found.output


def test_universal_dependencies_are_tagged_in_their_place(
    linnet_command: Run, tmp_path: Path
) -> None:
    def line(number: int, word: str, tag: str) -> str:
        return f"{number}\t{word}\t_\t{tag}\tX{tag}\t_\t_\t_\t_\t_\n"

    sentence = "# text = a dog\n" + line(1, "a", "DET") + line(2, "dog", "NOUN") + "\n"
    path = tmp_path / "train.conllu"
    path.write_text(sentence * 5)
    for label, column in (("upos", 3), ("xpos", 4)):
        model = tmp_path / f"{label}.linnet"
        assert linnet_command("train", path, "-o", model, "--label", label).exit_code == 0
        found = linnet_command("evaluate", model, path, "--json")
        assert json.loads(found.stdout)["accuracy"] == 1.0
        blank = sentence.replace("\tXNOUN", "\t_").replace("\tNOUN", "\t_")
        tagged = linnet_command("predict", model, "--from", "conllu", stdin=blank).stdout
        assert tagged.splitlines()[2].split("\t")[column].endswith("NOUN")


def test_a_tagger_in_a_pipe_answers_each_sentence_at_once_and_loads_nothing_heavy(
    start_process: Run, tagger: str
) -> None:
    watch = (
        "import sys, atexit\natexit.register(lambda: print('loaded', "
        "{'sklearn', 'scipy', 'pyarrow', 'pandas', 'rich', 'typer'} & set(sys.modules)))"
    )
    process = start_process(
        [sys.executable, "-c", f"{watch}\n{COMMAND}", "predict", tagger],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    for _ in range(2):
        process.stdin.write(b"the dog runs\n")
        process.stdin.flush()
        answer = [process.stdout.readline() for _ in range(4)]
        assert answer == [b"the\tB-NP\n", b"dog\tI-NP\n", b"runs\tB-VP\n", b"\n"]
    process.stdin.close()
    assert process.stdout.read().strip() == b"loaded set()"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("kind", ["sequences", "texts"])
def test_a_named_pipe_is_read_once(
    kind: str, linnet_command: Run, train_file: Path, reviews_file: Path, tmp_path: Path
) -> None:
    pipe, model = tmp_path / "pipe", tmp_path / "m.linnet"
    os.mkfifo(pipe)
    raw = (train_file if kind == "sequences" else reviews_file).read_bytes()
    writer = Thread(target=pipe.write_bytes, args=[raw], daemon=True)
    writer.start()
    found = linnet_command("train", pipe, "-o", model)
    writer.join(5)
    assert found.exit_code == 0, found.output
    assert linnet.load(model).kind == ("sequence" if kind == "sequences" else "text")


@pytest.mark.parametrize("learner", ["perceptron", "mira", "svm", "local", "memm", "hmm"])
def test_every_sequence_learner_can_be_trained_and_used(
    learner: str, linnet_command: Run, train_file: Path, test_file: Path, tmp_path: Path
) -> None:

    path = tmp_path / "m.linnet"
    found = linnet_command("train", train_file, "-o", path, "--learner", learner)
    assert found.exit_code == 0, found.output
    report = json.loads(linnet_command("evaluate", path, test_file, "--json").stdout)
    assert report["accuracy"] > 0.9
    assert linnet_command("predict", path, stdin="the dog runs\n").exit_code == 0
    assert linnet_command("inspect", path).exit_code == 0


@pytest.mark.spec("M-119")
@pytest.mark.parametrize("learner", ["crf", "perceptron", "mira", "svm", "memm", "hmm"])
def test_order_2_goes_through_every_verb(
    learner: str, linnet_command: Run, train_file: Path, test_file: Path, tmp_path: Path
) -> None:
    def ok(*arguments: Any, **how: Any) -> Any:
        done = linnet_command(*arguments, **how)
        assert done.exit_code == 0, done.output
        return done

    path = tmp_path / "m.linnet"
    ok("train", train_file, "-o", path, "--learner", learner, "--set", "order=2")
    chain = linnet.load(path).chain
    table = chain.triple if hasattr(chain, "triple") else chain.learner._edges().second
    assert table.shape == (5, 5, 5)
    report = json.loads(ok("evaluate", path, test_file, "--json").stdout)
    assert report["accuracy"] > 0.9
    ranked = ok("predict", path, "--nbest", 2, "--json", stdin="the dog sees a cat .\n").stdout
    assert "B-NP" in ranked
    explained = json.loads(ok("explain", path, "the dog sees a cat .", "--json").stdout)
    assert "I-NP → B-VP → B-NP" in str(explained)
    ok("inspect", path)
