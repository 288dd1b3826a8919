"""The recipes of docs/engines, run as their users run them, for the engines that are at hand."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import linnet

ENGINES = Path(__file__).parents[2] / "docs" / "engines"
TEXTS = ["open a socket", None, "parse the markup", "", "sleep until the hour"] * 20


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_an_engine_gives_the_labels_of_the_model_and_keeps_every_row(
    engine: str, tmp_path: Path
) -> None:
    corpus = linnet.data.load_pydoc()
    model, source, target = (tmp_path / name for name in ("m.linnet", "in.parquet", "out.parquet"))
    linnet.TextClassifier(ngrams=1).fit(corpus.train_texts, corpus.train_labels).save(model)
    pq.write_table(pa.table({"id": range(len(TEXTS)), "text": TEXTS}), source)
    subprocess.run([sys.executable, ENGINES / f"on_{engine}.py", model, source, target], check=True)
    known = linnet.load(model).predict([text for text in TEXTS if text is not None]).tolist()
    answers = iter(known)
    out = pq.read_table(target).sort_by("id")
    assert out["id"].to_pylist() == list(range(len(TEXTS)))
    assert out["label"].to_pylist() == [None if t is None else next(answers) for t in TEXTS]
