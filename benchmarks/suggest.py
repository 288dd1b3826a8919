"""How many labels does ``linnet.suggest`` save? On banking77, against labels picked at random.

    python benchmarks/suggest.py               # three seeds (a few minutes)
    python benchmarks/suggest.py --seeds 1
    python benchmarks/suggest.py --choose      # which penalty of likeness, on training parts alone

Everybody starts with the same labelled texts, and then as many more are labelled at a time: at
random, or those that the model of the labels so far suggests, by margin, with and without
diversity. Each model is trained on all labels so far and measured on the test part, which nobody
chooses by: the penalty of likeness is that of `--choose`, which never opens a test part. It cuts
the training parts of banking77 and snips in two, one to suggest from and one to measure on, and
compares the mean accuracy along the way.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from real_data import data_root

Part = tuple[list[str], list[str]]
START, STEP, LAST = 300, 300, 3000
WAYS = {"at random": None, "suggested": True, "suggested, copies too": False}
#: Of each corpus to choose by: its training part, and how many labels at first, more, and at last.
CHOSEN_BY = {"banking77": ("train.csv", 300, 300, 2100), "snips": ("train.tsv", 40, 40, 320)}
POWERS = (1, 2, 4, 8, 16)


def path(way: bool | None, train: Part, test: Part, seed: int, sizes: tuple[int, int, int],
         **settings: Any) -> list[float]:  # fmt: skip
    """Return the accuracy after each number of labels."""
    import linnet

    start, step, last = sizes
    order = np.random.default_rng(seed).permutation(len(train[0]))
    labelled, pool = order[:start].tolist(), order[start:].tolist()
    found = []
    while True:
        clf = linnet.TextClassifier(random_state=0, **settings)
        clf.fit([train[0][i] for i in labelled], [train[1][i] for i in labelled])
        found.append(clf.score(*test))
        if len(labelled) >= last:
            return found
        if way is None:
            chosen = list(range(step))
        else:
            texts = [train[0][i] for i in pool]
            chosen = [one.row for one in linnet.suggest(clf, texts, step, diverse=way)]
        labelled += [pool[place] for place in chosen]
        taken = set(chosen)
        pool = [i for place, i in enumerate(pool) if place not in taken]


def read(name: str, file: str) -> Part:
    """Return texts and labels."""
    from linnet.data import read_examples

    part = read_examples(data_root() / name / file)
    return list(part.X), list(part.y or [])


def choose(seeds: int) -> None:
    """Print the mean accuracy along the way for each penalty, on training parts."""
    from linnet.model import suggesting

    ways: dict[str, tuple[bool | None, int]] = {"at random": (None, 1), "copies too": (False, 1)}
    ways |= {f"1 - c^{power}": (True, power) for power in POWERS}
    print("| penalty | " + " | ".join(CHOSEN_BY) + " |\n|---" + "|---" * len(CHOSEN_BY) + "|")
    for name, (way, power) in ways.items():
        suggesting.POWER = power
        cells = []
        for corpus, (file, *sizes) in CHOSEN_BY.items():
            X, y = read(corpus, file)
            runs = []
            for seed in range(seeds):
                order = np.random.default_rng(100 + seed).permutation(len(y))
                cut = 2 * len(y) // 3
                pool, judge = (
                    ([X[i] for i in rows], [y[i] for i in rows])
                    for rows in (order[:cut], order[cut:])
                )
                runs.append(path(way, pool, judge, seed, tuple(sizes), features="words"))
            cells.append(f"{100 * np.mean(runs):.2f}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--choose", action="store_true")
    options = parser.parse_args()
    if options.choose:
        choose(options.seeds)
        return
    train, test = read("banking77", "train.csv"), read("banking77", "test.csv")
    sizes = list(range(START, LAST + 1, STEP))
    print(
        "| labels | " + " | ".join(f"{n:,}" for n in sizes) + " |\n|---" + "|---" * len(sizes) + "|"
    )
    for name, way in WAYS.items():
        runs = [path(way, train, test, seed, (START, STEP, LAST)) for seed in range(options.seeds)]
        means = np.mean(runs, axis=0)
        print(
            f"| {name} | " + " | ".join(f"{100 * score:.1f}" for score in means) + " |", flush=True
        )


if __name__ == "__main__":
    main()
