"""Generated corpora."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from linnet.data import read_examples, zipf
from linnet.data.zipf import make_corpus, write_corpus
from linnet.errors import ParameterError


def test_the_same_seed_gives_the_same_bytes_however_it_is_asked_for(tmp_path: Path) -> None:
    corpus = make_corpus(2500, n_classes=3, mean_length=10, seed=5)
    write_corpus(tmp_path / "a.tsv", 2500, n_classes=3, mean_length=10, seed=5)
    write_corpus(tmp_path / "b.tsv", size=50_000, n_classes=3, mean_length=10, seed=5)
    whole, part = (tmp_path / "a.tsv").read_bytes(), (tmp_path / "b.tsv").read_bytes()
    assert corpus.X.buffer == whole
    assert whole.startswith(part)
    assert 50_000 <= len(part) < 50_500
    assert make_corpus(1, n_classes=3, mean_length=10, seed=5).X[0] == corpus.X[0]
    assert make_corpus(1, n_classes=3, mean_length=10, seed=6).X[0] != corpus.X[0]


def test_what_is_written_is_read_back_and_counted(tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    documents, size = write_corpus(
        tmp_path / "a.tsv.gz", 3000, mean_length=5, progress=lambda *step: steps.append(step)
    )
    found = read_examples(tmp_path / "a.tsv.gz")
    corpus = make_corpus(3000, mean_length=5)
    assert (documents, len(found), found.format) == (3000, 3000, "labelled")
    assert (found.y, found.X.to_list()) == (corpus.y, corpus.X.to_list())
    assert steps[-1] == (documents, size)
    assert len(steps) == 3


def test_words_follow_zipfs_law_and_lengths_their_mean() -> None:
    corpus = make_corpus(3000, vocabulary=1000, mean_length=50, exponent=1.0, signal=0)
    words = [text.split(" ") for text in corpus.X]
    assert abs(np.mean([len(text) for text in words]) - 50) < 1
    counts = np.array(sorted(Counter(w for text in words for w in text).values(), reverse=True))
    ranks = np.arange(1, 101)
    slope = np.polyfit(np.log(ranks), np.log(counts[:100]), 1)[0]
    assert abs(slope + 1) < 0.05
    assert len(counts) <= 1000


def test_the_signal_tells_the_classes_apart_and_no_signal_does_not() -> None:
    def share(signal: float) -> float:
        corpus = make_corpus(2000, n_classes=4, mean_length=50, signal=signal)
        y = np.array(corpus.y)
        vocabulary: dict[str, int] = {}
        rows = [[vocabulary.setdefault(w, len(vocabulary)) for w in t.split()] for t in corpus.X]
        counts = np.ones((4, len(vocabulary)))
        for row, label in zip(rows[:1000], y, strict=False):
            np.add.at(counts[int(label[1])], row, 1)
        weights = np.log(counts / counts.sum(axis=1, keepdims=True))
        guesses = [f"c{weights[:, row].sum(axis=1).argmax()}" for row in rows[1000:]]
        return float(np.mean(np.array(guesses) == y[1000:]))

    assert share(0.3) > 0.9
    assert share(0.0) < 0.35


@pytest.mark.parametrize(
    "settings",
    [
        {"n_documents": 0},
        {"n_classes": 0},
        {"vocabulary": 0},
        {"mean_length": 0.5},
        {"exponent": -1},
        {"signal": 1.5},
        {"seed": -1},
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        make_corpus(**{"n_documents": 1, **settings})


def test_one_of_documents_and_size_must_be_given(tmp_path: Path) -> None:
    for settings in ({}, {"n_documents": 1, "size": 1}, {"size": 0}):
        with pytest.raises(ParameterError):
            write_corpus(tmp_path / "a.tsv", **settings)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv.gz", "a.parquet", "a.ft", "a.vw"])
def test_a_corpus_is_written_in_the_format_of_its_name(name: str, tmp_path: Path) -> None:
    documents, size = write_corpus(tmp_path / name, size=60_000, n_classes=3, seed=5)
    plain = write_corpus(tmp_path / "a.tsv", size=60_000, n_classes=3, seed=5)
    assert (documents, size) == plain == (documents, (tmp_path / "a.tsv").stat().st_size)
    lines, made = read_examples(tmp_path / "a.tsv"), read_examples(tmp_path / name)
    assert list(made.y or []) == list(lines.y or [])
    if made.kind == "text":
        assert made.X.to_list() == lines.X.to_list()


def test_lines_are_those_that_the_law_spells_word_by_word() -> None:
    law = zipf._Law(n_classes=3, vocabulary=90, mean_length=6, exponent=1.1, signal=0.4, seed=5)
    rng = np.random.Generator(np.random.Philox(key=5, counter=[0, 0, 0, 3]))
    classes = rng.integers(0, 3, law.unit_documents)
    lengths = 1 + rng.poisson(5, law.unit_documents)
    chances, about = rng.random(lengths.sum()).tolist(), rng.random(lengths.sum()).tolist()
    shares = np.arange(1, 91) ** -1.1
    cumulative = np.cumsum(shares) / np.sum(shares)
    lines = []
    for label, length in zip(classes.tolist(), lengths.tolist(), strict=True):
        words = []
        for _ in range(length):
            rank = int(np.searchsorted(cumulative, chances.pop(0), side="right"))
            told = about.pop(0) < 0.4
            words.append(zipf._word((rank + int(law.steps[label])) % 90 if told else rank))
        lines.append(f"c{label}\t{' '.join(words)}\n")
    assert law.unit(2, law.unit_documents).decode() == "".join(lines)
    assert law.unit(2, 7).decode() == "".join(lines[:7])


def test_a_seed_means_the_same_lines_as_ever() -> None:
    corpus = make_corpus(3000, n_classes=3, mean_length=8, signal=0.3, seed=11)
    joined = "\n".join(f"{label}\t{text}" for label, text in zip(corpus.y, corpus.X, strict=True))
    digest = "a1952622fc28e031"
    assert sha256(joined.encode()).hexdigest()[:16] == digest
