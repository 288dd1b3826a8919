"""The recipes of docs/engines, run as their users run them, for the engines that are at hand."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import linnet

ENGINES = Path(__file__).parents[2] / "docs" / "engines"
TEXTS = ["open a socket", None, "parse the markup", "", "sleep until the hour"] * 20


def run(engine: str, *arguments: object, folder: Path) -> None:
    """Run the script of an engine, whose cache is of this test alone."""
    words = [sys.executable, str(ENGINES / f"on_{engine}.py"), *map(str, arguments)]
    subprocess.run(words, check=True, env=os.environ | {"HF_HOME": str(folder / "cache")})


@pytest.mark.parametrize("engine", ["datasets", "duckdb", "polars"])
def test_an_engine_gives_the_labels_of_the_model_and_keeps_every_row(
    engine: str, tmp_path: Path
) -> None:
    corpus = linnet.data.load_pydoc()
    model, source, target = (tmp_path / name for name in ("m.linnet", "in.parquet", "out.parquet"))
    linnet.TextClassifier(ngrams=1).fit(corpus.train_texts, corpus.train_labels).save(model)
    pq.write_table(pa.table({"id": range(len(TEXTS)), "text": TEXTS}), source)
    run(engine, model, source, target, folder=tmp_path)
    known = linnet.load(model).predict([text for text in TEXTS if text is not None]).tolist()
    answers = iter(known)
    out = pq.read_table(target).sort_by("id")
    assert out["id"].to_pylist() == list(range(len(TEXTS)))
    assert out["label"].to_pylist() == [None if t is None else next(answers) for t in TEXTS]


def test_a_datatrove_pipeline_keeps_what_the_model_scores_high_and_says_how_high(
    tmp_path: Path,
) -> None:
    corpus = linnet.data.load_pydoc()
    model, source, target = (tmp_path / name for name in ("m.linnet", "in", "out"))
    clf = linnet.TextClassifier(linnet.MaxEnt(C=4.0), ngrams=1)
    clf.fit(corpus.train_texts, corpus.train_labels).save(model)
    texts = [str(text) for text in list(corpus.test_texts)[:300]]
    source.mkdir()
    for part in (0, 1):  # ids tell which rows were kept, and that no score moved to another
        lines = [json.dumps({"id": str(n), "text": texts[n]}) for n in range(part, 300, 2)]
        (source / f"{part}.jsonl").write_text("\n".join(lines) + "\n")
    run("datatrove", model, source, target, "network", 0.3, folder=tmp_path)
    rows = [json.loads(line) for file in target.glob("*.jsonl") for line in file.open()]
    scores = clf.predict_proba(texts)[:, list(clf.classes_).index("network")]
    expected = {str(n): score for n, score in enumerate(scores) if score >= 0.3}
    assert 0 < len(expected) < 300
    assert {row["id"]: row["metadata"]["network"] for row in rows} == pytest.approx(expected)
