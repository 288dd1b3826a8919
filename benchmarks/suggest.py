"""How many labels does ``linnet.suggest`` save? On banking77, against labels picked at random.

    python benchmarks/suggest.py               # three seeds (a few minutes)
    python benchmarks/suggest.py --seeds 1

Everybody starts with the same 300 labelled texts. Then 300 more are labelled at a time: at random,
or those that the model of the labels so far suggests, by margin, with and without diversity. Each
model is trained on all labels so far and measured on the test part, which nobody chooses by.
"""

from __future__ import annotations

import argparse

import numpy as np

from real_data import data_root

START, STEP, LAST = 300, 300, 3000
WAYS = {"at random": None, "suggested": True, "suggested, copies too": False}


def path(way: bool | None, train: tuple[list[str], list[str]], test: tuple[list[str], list[str]],
         seed: int) -> list[float]:  # fmt: skip
    """Return the accuracy after each number of labels."""
    import linnet

    rng = np.random.default_rng(seed)
    order = rng.permutation(len(train[0]))
    labelled, pool = order[:START].tolist(), order[START:].tolist()
    found = []
    while True:
        clf = linnet.TextClassifier(random_state=0)
        clf.fit([train[0][i] for i in labelled], [train[1][i] for i in labelled])
        found.append(clf.score(*test))
        if len(labelled) >= LAST:
            return found
        if way is None:
            chosen = list(range(STEP))
        else:
            texts = [train[0][i] for i in pool]
            chosen = [one.row for one in linnet.suggest(clf, texts, STEP, diverse=way)]
        labelled += [pool[place] for place in chosen]
        taken = set(chosen)
        pool = [i for place, i in enumerate(pool) if place not in taken]


def main() -> None:
    from linnet.data import read_examples

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    seeds = parser.parse_args().seeds
    train, test = (
        (list(part.X), list(part.y or []))
        for part in (
            read_examples(data_root() / "banking77" / f"{n}.csv") for n in ("train", "test")
        )
    )
    sizes = list(range(START, LAST + 1, STEP))
    print(
        "| labels | " + " | ".join(f"{n:,}" for n in sizes) + " |\n|---" + "|---" * len(sizes) + "|"
    )
    for name, way in WAYS.items():
        runs = np.array([path(way, train, test, seed) for seed in range(seeds)]).mean(axis=0)
        print(
            f"| {name} | " + " | ".join(f"{100 * score:.1f}" for score in runs) + " |", flush=True
        )


if __name__ == "__main__":
    main()
