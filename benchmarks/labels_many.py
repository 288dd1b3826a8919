"""What do very many labels cost? One-vs-rest, pruned, and a label tree, beside napkinXC.

    python benchmarks/labels_many.py                      # 380, 3,000 and 25,000 labels
    python benchmarks/labels_many.py 25000 --side tree    # one of them, one side

The texts are made: each label has a Zipfian distribution over 12 words of its own, which it shares
with a few near labels, beside a background that all share; 12 texts of 20 words a label to learn
from and 3 to answer, seeded. Every row runs in a process of its own, whose CPU seconds and peak
memory it reports; the size is that of the file, or of napkinXC's folder, and stands beside that of
the weights of one-vs-rest: 4 bytes for each feature and label. From 10,000 labels on, one-vs-rest
takes part when it is named: its time grows with the square of the labels. napkinXC (a probabilistic
label tree of logistic regressions by its defaults) is given linnet's features, so that learners
are compared and not tokenizers; it needs ``pip install napkinxc``.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

SIDES = ("ovr", "pruned", "tree", "napkinxc")
COLUMNS = (
    "labels", "side", "train s", "CPU s", "answers/s", "peak MB", "file MB", "of one-vs-rest",
    "accuracy",
)  # fmt: skip
MOST = 10_000  # labels of one-vs-rest
OWN, FAMILY, LENGTH = 12, 8, 20
BACKGROUND = 20_000


def made(n_labels: int, each: int, seed: int) -> tuple[list[str], list[str]]:
    """Return texts and labels."""
    rng = np.random.default_rng(seed)
    rank = 1.0 / np.arange(1, BACKGROUND + 1)
    common = np.cumsum(rank / rank.sum())
    own = np.cumsum(rank[:OWN] / rank[:OWN].sum())
    y = np.repeat(np.arange(n_labels), each)
    shape = (len(y), LENGTH)
    kind = rng.random(shape)
    background = np.searchsorted(common, rng.random(shape)).clip(max=BACKGROUND - 1)
    words = np.searchsorted(own, rng.random(shape)).clip(max=OWN - 1)
    texts = []
    for i, label in enumerate(y.tolist()):
        family = label // FAMILY
        texts.append(
            " ".join(
                f"b{background[i, j]}"
                if kind[i, j] < 0.6
                else (f"f{family}x{words[i, j]}" if kind[i, j] < 0.8 else f"l{label}x{words[i, j]}")
                for j in range(LENGTH)
            )
        )
    return texts, [f"label{label}" for label in y.tolist()]


def linnet_side(side: str, train: Any, test: Any, folder: Path) -> dict[str, Any]:
    import linnet

    learner = linnet.LabelTree(random_state=0) if side == "tree" else None
    prune = "auto" if side == "pruned" else None
    clf = linnet.TextClassifier(learner, ngrams=1, prune=prune)
    began, worked = perf_counter(), process_time()
    clf.fit(*train)
    seconds, worked = perf_counter() - began, process_time() - worked
    clf.save(folder / "model.linnet")
    began = perf_counter()
    guess = clf.predict(test[0])
    asked = perf_counter() - began
    whole = 4 * clf.model_.n_features * len(clf.classes_)
    return row(seconds, worked, asked, guess == np.asarray(test[1]), folder, whole)


def napkin_side(train: Any, test: Any, folder: Path) -> dict[str, Any]:
    from napkinxc.models import PLT

    from linnet.text import TextFeatures

    features = TextFeatures(ngrams=1, min_df=2, sublinear_tf=True)
    classes, gold = np.unique(train[1], return_inverse=True)
    plt = PLT(str(folder), threads=len(os.sched_getaffinity(0)), verbose=False)
    began, worked = perf_counter(), process_time()
    plt.fit(features.fit_transform(train[0]), gold.tolist())
    seconds, worked = perf_counter() - began, process_time() - worked
    began = perf_counter()
    answers = plt.predict(features.transform(test[0]), top_k=1)
    asked = perf_counter() - began
    guess = np.array([classes[top[0]] if len(top) else "" for top in answers])
    whole = 4 * len(features.get_feature_names_out()) * len(classes)
    return row(seconds, worked, asked, guess == np.asarray(test[1]), folder, whole)


def row(
    seconds: float, worked: float, asked: float, right: Any, folder: Path, whole: int
) -> dict[str, Any]:
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    values = (
        seconds, worked, len(right) / asked, peak, size / 1e6, size / whole, float(np.mean(right)),
    )  # fmt: skip
    return dict(zip(COLUMNS[2:], values, strict=True))


def measure(n_labels: int, side: str) -> dict[str, Any]:
    train, test = made(n_labels, 12, 0), made(n_labels, 3, 1)
    with tempfile.TemporaryDirectory() as folder:
        if side == "napkinxc":
            return napkin_side(train, test, Path(folder))
        return linnet_side(side, train, test, Path(folder))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labels", nargs="*", type=int, default=[380, 3000, 25_000])
    parser.add_argument("--side", choices=SIDES, action="append")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(measure(options.labels[0], options.side[0])))
        return
    print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|")
    for n_labels in options.labels:
        sides = SIDES if n_labels < MOST else SIDES[2:]
        for side in options.side or sides:
            command = [sys.executable, __file__, str(n_labels), "--side", side, "--inside"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"| {n_labels:,} | {side} | {done.stderr.strip().splitlines()[-1:]} |")
                continue
            found = json.loads(done.stdout.splitlines()[-1])
            cells = [f"{found[name]:,.1f}" for name in COLUMNS[2:-2]]
            cells += [f"{100 * found['of one-vs-rest']:.1f} %", f"{found['accuracy']:.4f}"]
            print(f"| {n_labels:,} | {side} | {' | '.join(cells)} |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
