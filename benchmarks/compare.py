"""All learners of linnet compared, against the time scikit-learn takes for one of its own.

    python benchmarks/compare.py               # newsgroups20
    python benchmarks/compare.py --data imdb

`linnet compare` reads, extracts features, chooses C and calibrates, trains six linear learners,
predicts, and tests every pair; scikit-learn reads, makes TF-IDF of 1–2-grams that occur in two
texts or more, as linnet does, and trains and predicts with LogisticRegression as it comes. Each
runs in a process of its own; importing is not counted, everything after it is. Printed are wall and
processor seconds, their ratios, and the accuracies reached.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from real_data import data_root


class Clock:
    """Wall and processor seconds since it was made."""

    def __init__(self) -> None:
        self._wall, self._processor = perf_counter(), process_time()

    def seconds(self) -> dict[str, float]:
        return {
            "wall": perf_counter() - self._wall,
            "processor": process_time() - self._processor,
        }


LINEAR = "nb,bernoulli,perceptron,mira,maxent,svm"


def with_linnet(train: Path, test: Path) -> dict[str, Any]:
    import linnet.comparison
    import linnet.learn.kernel  # what the comparison would import while the clock runs
    import linnet.learn.memory

    clock = Clock()
    found = linnet.compare(train, LINEAR, test=test)
    seconds = clock.seconds()
    scores = {row.name: row.score for row in found.rows}
    return {**seconds, "accuracy": scores, "said": str(found)}


def with_sklearn(train: Path, test: Path) -> dict[str, Any]:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    clock = Clock()
    y, texts = read_tsv(train)
    vectorizer = TfidfVectorizer(ngram_range=(1, 2), min_df=2)
    X = vectorizer.fit_transform(texts)
    learner = LogisticRegression().fit(X, y)
    gold, texts = read_tsv(test)
    guess = learner.predict(vectorizer.transform(texts)).tolist()
    seconds = clock.seconds()
    right = sum(a == b for a, b in zip(gold, guess, strict=True)) / len(gold)
    return {**seconds, "accuracy": {"LogisticRegression": right}}


def read_tsv(path: Path) -> tuple[list[str], list[str]]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="\n") as lines:
        rows = [line.rstrip("\n").partition("\t") for line in lines]
    return [label for label, _, _ in rows], [text for _, _, text in rows]


def measured(name: str, data: str) -> dict[str, Any]:
    """Run one side in a new process."""
    command = [sys.executable, __file__, "--side", name, "--data", data]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default="newsgroups20")
    parser.add_argument("--side", choices=("linnet", "sklearn"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        folder = data_root() / options.data
        train, test = folder / "train.tsv.gz", folder / "test.tsv.gz"
        side = with_linnet if options.side == "linnet" else with_sklearn
        print(json.dumps(side(train, test)))
        return
    ours, theirs = measured("linnet", options.data), measured("sklearn", options.data)
    print(ours["said"], end="\n\n")
    print(f"{options.data}: wall and processor seconds from file to result, and accuracy")
    six = ", ".join(f"{name} {100 * share:.2f}" for name, share in ours["accuracy"].items())
    print(
        f"  linnet, six learners compared      {ours['wall']:7.2f} {ours['processor']:7.2f}  {six}"
    )
    [(name, share)] = theirs["accuracy"].items()
    theirs_said = f"{theirs['wall']:7.2f} {theirs['processor']:7.2f}  {100 * share:.2f}"
    print(f"  scikit-learn, {name:<20} {theirs_said}")
    wall, processor = (theirs[kind] / ours[kind] for kind in ("wall", "processor"))
    print(f"  ratio                              {wall:7.2f} {processor:7.2f}")


if __name__ == "__main__":
    main()
