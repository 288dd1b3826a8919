"""``linnet suggest``: the same picks as from Python, for texts, rows and sentences."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import linnet


def test_texts_rows_and_sentences_are_suggested(
    linnet_command: Callable[..., Any], tmp_path: Path
) -> None:
    texts, labels = ["good film", "bad film", "good book", "bad book"] * 10, ["+", "-"] * 20
    model = tmp_path / "m.linnet"
    linnet.TextClassifier().fit(texts, labels).save(model)
    pool = tmp_path / "pool.txt"
    pool.write_text("good film\na film\na film\nbad\n")
    found = linnet_command("suggest", model, pool, "-n", 2)
    assert found.exit_code == 0, found.output
    lines = [line.split("\t") for line in found.stdout.splitlines()]
    assert lines[0][0] == "2"
    assert lines[0][3] == "a film"
    assert [line[0] for line in lines] != ["2", "3"]
    told = linnet_command("suggest", model, pool, "-n", 2, "--json", "--alike")
    rows = [json.loads(line) for line in told.stdout.splitlines()]
    assert [row["line"] for row in rows] == [2, 3]
    assert rows[0]["uncertainty"] >= rows[1]["uncertainty"]
    refused = linnet_command("suggest", model, pool, "--by", "luck")
    assert refused.exit_code != 0

    tagger = tmp_path / "t.linnet"
    linnet.SequenceTagger("crf").fit([["the", "dog"]] * 20, [["D", "N"]] * 20).save(tagger)
    sentences = tmp_path / "pool.conll"
    sentences.write_text("the\ndog\n\nrun\nthe\n\n")
    first = linnet_command("suggest", tagger, sentences, "-n", 1, "--json")
    assert first.exit_code == 0, first.output
    assert json.loads(first.stdout)["example"] == "run the"

    table = tmp_path / "train.csv"
    table.write_text("a,b,class\n" + "x,1,p\ny,2,q\n" * 20)
    trained = linnet_command("train", table, "-o", tmp_path / "r.linnet", "--learner", "memory")
    assert trained.exit_code == 0, trained.output
    other = tmp_path / "pool.csv"
    other.write_text("a,b,class\nx,1,p\nx,2,p\n")
    picked = linnet_command("suggest", tmp_path / "r.linnet", other, "-n", 1)
    assert picked.exit_code == 0, picked.output
    assert "\t" in picked.stdout
