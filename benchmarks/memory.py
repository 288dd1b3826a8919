"""How fast is memory-based learning? linnet, TiMBL and scikit-learn side by side, in one run.

Attribute rows (ppattach): wall time of testing against the seconds that TiMBL reports for its test
phase, which reads a file of rows and writes one of answers; loading the training data is not in
it. Once from rows of Python strings to classes ("linnet s"), once from file to file as TiMBL does
("files s"); one thread each, and how many of the examples get the same class.
Sparse text (imdb, TF-IDF of words and pairs, cosine, k = 20): seconds to find the neighbours and to
classify against scikit-learn's brute force, one thread each, on rows from all over the test set.

    python benchmarks/memory.py                        # everything (some minutes)
    python benchmarks/memory.py --part rows --repeat 1
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from linnet import MemoryBased
from linnet.data import read_attributes, write_attributes
from matrices import load
from real_data import data_root

WEIGHTS = {
    "none": "nw", "gain_ratio": "gr", "information_gain": "ig", "chi2": "x2",
    "shared_variance": "sv",
}  # fmt: skip
TARGETS = {"exact": 10.0, "igtree": 3.0, "text": 5.0}


def ask_timbl(train: Path, test: Path, answers: Path, options: list[str]) -> tuple[float, Any]:
    """Return the test seconds that TiMBL reports, and its classes."""
    command = ["timbl", "-f", train, "-t", test, "-o", answers, "-F", "Columns", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = (done.stdout + done.stderr).splitlines()
    seconds = next(line.split()[2] for line in lines if line.startswith("Seconds taken"))
    return float(seconds), np.array([row.split()[-1] for row in answers.read_text().splitlines()])


def rows(repeat: int) -> None:
    """Compare with TiMBL on ppattach."""
    folder = data_root() / "ppattach"
    parts = [read_attributes(folder / p, skip=1, missing=None) for p in ("training", "test")]
    train, test = parts
    grid: list[tuple[str, str, int, str]] = [
        (metric, weights, k, "exact")
        for metric, weights, k in product(("overlap", "mvdm"), WEIGHTS, (1, 11))
    ]
    grid += [("overlap", "gain_ratio", 1, "igtree"), ("overlap", "gain_ratio", 1, "tribl2")]
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name) / part for part in ("train", "test", "answers")]
        for file, part in zip(files, parts, strict=False):
            write_attributes(file, part.rows, part.labels, separator="columns")
        print(
            f"{'ppattach':38} {'linnet s':>9} {'files s':>9} {'TiMBL s':>9} {'ratio':>7} "
            f"{'files':>7}  same class  accuracy"
        )
        for metric, weights, k, search in grid:
            model = MemoryBased(k, metric, weights, search=search, n_threads=1)  # type: ignore[arg-type]
            model.fit(train.rows, train.labels)
            ours, seconds, whole = None, np.inf, np.inf
            quick = 5 if search == "igtree" else 1  # so short that chance needs more tries
            for _ in range(quick * max(repeat, 3)):
                began = time.perf_counter()
                read = read_attributes(files[1], separator="columns", missing=None)
                has_rows = time.perf_counter()
                ours = model.predict(read.rows)
                has_classes = time.perf_counter()
                files[2].write_text("\n".join(ours))
                seconds = min(seconds, has_classes - has_rows)
                whole = min(whole, time.perf_counter() - began)
            line = f"{metric} {weights} k={k} {search}"
            accuracy = float((ours == np.array(test.labels)).mean())
            if shutil.which("timbl") is None:
                print(f"{line:38} {seconds:9.4f} {whole:9.4f}  no TiMBL here  {accuracy:.4f}")
                continue
            options = [
                "-a", {"exact": "0", "igtree": "1", "tribl2": "4"}[search], "-k", str(k),
                "-m", {"overlap": "O", "mvdm": "M"}[metric], "-w", WEIGHTS[weights],
            ]  # fmt: skip
            runs = [ask_timbl(*files, options) for _ in range(quick * repeat)]
            theirs, classes = min(run[0] for run in runs), runs[0][1]
            same = f"{int((classes == ours).sum())}/{len(classes)}"
            goal = TARGETS.get(search)
            met = "" if goal is None else f"  (goal {goal:g})"
            print(
                f"{line:38} {seconds:9.4f} {whole:9.4f} {theirs:9.4f} {theirs / seconds:7.1f} "
                f"{theirs / whole:7.1f}  {same:>10}  {accuracy:.4f}{met}",
                flush=True,
            )


def text(repeat: int, queries: int) -> None:
    """Compare with scikit-learn on imdb."""
    from sklearn.neighbors import KNeighborsClassifier

    data = load("imdb")
    some = np.linspace(0, len(data.y_test), queries, endpoint=False).astype(int)  # sorted by class
    X, y, T, gold = data.X, data.y, data.X_test[some], data.y_test[some]
    contenders: dict[str, Any] = {
        "linnet": MemoryBased(20, "cosine", neighbors="examples", n_threads=1),
        "scikit-learn": KNeighborsClassifier(20, metric="cosine", algorithm="brute"),
    }
    seconds, answers = {}, {}
    for name, model in contenders.items():
        model.fit(X, y)
        seconds[name] = np.inf
        for _ in range(repeat):
            began = time.perf_counter()
            answers[name] = model.kneighbors(T, 20)
            model.predict(T)
            seconds[name] = min(seconds[name], (time.perf_counter() - began) / 2)
    same = float((answers["linnet"][1] == answers["scikit-learn"][1]).mean())
    print(f"\nimdb: {X.shape[0]} stored, {T.shape[0]} asked, {X.shape[1]} columns, {X.nnz} values")
    for name, model in contenders.items():
        accuracy = float((model.predict(T) == gold).mean())
        print(f"{name:14} {seconds[name]:9.3f} s   accuracy {accuracy:.4f}")
    ratio = seconds["scikit-learn"] / seconds["linnet"]
    print(f"ratio {ratio:.1f} (goal {TARGETS['text']:g}); the same neighbours: {same:.4%}")


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--part", choices=("rows", "text", "all"), default="all")
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--queries", type=int, default=1000)
    arguments = parser.parse_args()
    if arguments.part in ("rows", "all"):
        rows(arguments.repeat)
    if arguments.part in ("text", "all"):
        text(arguments.repeat, arguments.queries)


if __name__ == "__main__":
    main()
