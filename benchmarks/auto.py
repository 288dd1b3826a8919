"""What features="auto" chooses and why, and what that is worth on test data it has not seen.

    python benchmarks/auto.py                  # all corpora (some minutes)
    python benchmarks/auto.py imdb banking77   # some of them

For each corpus: accuracy on the test part with words and with "auto", CPU seconds of both fits and
their ratio, the decision with its evidence, and what was tried. The wanted accuracies are those of
the defaults; imdb may cost at most 2.5 times what words cost.
"""

from __future__ import annotations

import sys
from time import process_time
from typing import Any

import numpy as np

import linnet
from linnet.data.examples import read_examples
from linnet.model.card import tried
from real_data import data_root

#: Training and test part, and the accuracy wanted of "auto".
CORPORA: dict[str, tuple[str, str, float]] = {
    "imdb": ("imdb/train.tsv.gz", "imdb/test.tsv.gz", 0.918),
    "newsgroups20": ("newsgroups20/train.tsv.gz", "newsgroups20/test.tsv.gz", 0.869),
    "banking77": ("banking77/train.csv", "banking77/test.csv", 0.910),
    "snips": ("snips/train.tsv", "snips/test.tsv", 0.982),
    "wikipedia_titles": (
        "wikipedia_titles/titles-en-train.labeled", "wikipedia_titles/titles-en-test.labeled",
        0.950,
    ),
}  # fmt: skip
BOOKS = "amazon_books"  # bags of two files; every fifth review is test
BOOKS_WANTED = 0.86
PRICE = 2.5


def parts_of(name: str) -> tuple[Any, Any, Any, Any, float]:
    """Return texts and labels to train and to test on, and the accuracy wanted."""
    root = data_root()
    if name != BOOKS:
        train, test, wanted = CORPORA[name]
        one, two = read_examples(str(root / train)), read_examples(str(root / test))
        return one.X, one.y, two.X, two.y, wanted
    files = [read_examples(str(root / BOOKS / f"{y}.review.gz")) for y in ("positive", "negative")]
    X = [bag for file in files for bag in file.X]
    y = [label for file in files for label in file.y or []]
    test = np.arange(len(y)) % 5 == 0
    rows = [np.flatnonzero(~test), np.flatnonzero(test)]
    (a, b), (c, d) = (([X[i] for i in part], [y[i] for i in part]) for part in rows)
    return a, b, c, d, BOOKS_WANTED


def measured(name: str) -> None:
    """Print the lines of one corpus."""
    X, y, new, truth, wanted = parts_of(name)
    found = {}
    for features in ("words", "auto"):
        began = process_time()
        clf = linnet.TextClassifier(features=features).fit(X, y)
        found[features] = (clf.score(new, truth), process_time() - began, clf.record_)
    (words, cheap, _), (auto, dear, record) = found["words"], found["auto"]
    reached = "reached" if auto >= wanted else "MISSED"
    print(f"{name}: words {100 * words:.2f} %, auto {100 * auto:.2f} %", end=" ")
    print(f"(wanted {100 * wanted:.1f}, {reached})", end="; ")
    print(f"CPU {cheap:.1f} s and {dear:.1f} s, {dear / cheap:.2f} times", end="")
    limit = "" if dear <= PRICE * cheap else " MISSED"
    print(f" (wanted at most {PRICE}{limit})" if name == "imdb" else "")
    print(f"  {record.get('choice', 'nothing to choose: words')}")
    for line in tried(record.get("tried")):
        print(f"    {line}")
    sys.stdout.flush()


if __name__ == "__main__":
    for corpus in sys.argv[1:] or [*CORPORA, BOOKS]:
        measured(corpus)
