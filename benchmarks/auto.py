"""What features="auto" chooses and why, and what that is worth on test data it has not seen.

    python benchmarks/auto.py                  # all corpora (some minutes)
    python benchmarks/auto.py imdb banking77   # some of them

For each corpus: accuracy on the test part with words and with "auto", CPU seconds of both fits and
their ratio, the decision with its evidence, and what was tried; at the end, a table of all. The
wanted accuracies are those of the defaults; imdb may cost at most 2.5 times what words cost. One of
them is banking77 with ten training questions of each label, the mean of five draws at random.
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
FEW, EACH, FEW_WANTED, DRAWS = "banking77_few", 10, 0.72, 5  # texts a label
HEAD = ("corpus", "words", "auto", "chosen", "held out: words", "chosen", "p", "price")
PRICE = 2.5


def parts_of(name: str, draw: int = 0) -> tuple[Any, Any, Any, Any, float]:
    """Return texts and labels to train and to test on, and the accuracy wanted."""
    root = data_root()
    if name == FEW:
        return few_of_each(draw, *parts_of("banking77")[:4])
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


def few_of_each(
    draw: int, X: Any, y: Any, new: Any, truth: Any
) -> tuple[Any, Any, Any, Any, float]:
    """Return some training texts of each label, drawn at random, and the test part."""
    order = np.random.default_rng(draw).permutation(len(y))
    rows: list[int] = []
    for label in sorted(set(y)):
        rows += [i for i in order.tolist() if y[i] == label][:EACH]
    return [X[i] for i in rows], [y[i] for i in rows], new, truth, FEW_WANTED


def measured(name: str) -> list[str]:
    """Print the lines of one corpus; return its row of the table."""
    figures, record, wanted = np.zeros((2, 2)), dict[str, Any](), 0.0
    draws = DRAWS if name == FEW else 1
    for draw in range(draws):
        X, y, new, truth, wanted = parts_of(name, draw)
        for k, features in enumerate(("words", "auto")):
            began = process_time()
            clf = linnet.TextClassifier(features=features).fit(X, y)
            seconds = process_time() - began
            figures[k] += clf.score(new, truth) / draws, seconds / draws
            record = clf.record_
    (words, cheap), (auto, dear) = figures
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
    shares = [f"{100 * share:.1f} %" for share in (words, auto)]
    return [name, *shares, *evidence(record), f"{dear / cheap:.1f}"]


def evidence(record: dict[str, Any]) -> list[str]:
    """Return what was chosen, what words and it had right of held-out examples, and p."""
    trials = record.get("tried")
    if not trials:
        return ["words: nothing to choose", "", "", ""]
    chosen = next(t for t in trials if record["choice"].startswith(t["features"] + ": "))
    best = max(trials[1:], key=lambda trial: trial["accuracy"])
    shown = best if chosen is trials[0] else chosen
    name = f"words; best other {best['features']}" if chosen is trials[0] else shown["features"]
    held = [f"{100 * trial['accuracy']:.2f} %" for trial in (trials[0], shown)]
    return [name, *held, f"{shown['p']:.2g}"]


if __name__ == "__main__":
    linnet.TextClassifier().fit(["a", "b"] * 9, [0, 1] * 9)  # what is imported, is now
    rows = [measured(corpus) for corpus in sys.argv[1:] or [*CORPORA, FEW, BOOKS]]
    print()
    for row in (list(HEAD), ["---"] * len(HEAD), *rows):
        print("| " + " | ".join(row) + " |")
