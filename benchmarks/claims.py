"""What the lectures say one learner does better than another, measured.

    python benchmarks/claims.py

Claims (SPEC R-07), each with the two numbers behind it and McNemar's p-value where two classifiers
answer the same questions: averaging helps the perceptron; the perceptron comes close to MaxEnt and
SVM; with overlapping features discriminative learners beat generative ones; pairs and patterns of
words beat single words (titles of Wikipedia, person or not); coordinate descent is ahead early and
Newton late. C is chosen on held-out training examples. That a CRF errs less than a MEMM, and that
spelling helps unknown words most, is measured by `make tables`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

import linnet
from linnet.data import count_words, read_person_titles
from linnet.evaluate import mcnemar
from real_data import data_root

Features = Callable[[str], dict[str, float]]
GRID = (0.01, 0.1, 1.0)


@dataclass(frozen=True)
class Claim:
    """A sentence, the two numbers it is about, and whether they bear it out."""

    text: str
    left: float
    right: float
    holds: bool
    p_value: float | None = None

    def __str__(self) -> str:
        p = "" if self.p_value is None else f"  p = {self.p_value:.2g}"
        mark = "yes" if self.holds else "NO "
        return f"{mark}  {self.text:62} {self.left:8.4f} {self.right:8.4f}{p}"


@dataclass(frozen=True)
class Titles:
    """Labelled sentences, to learn from and to answer."""

    train: list[str]
    train_y: list[int]
    test: list[str]
    test_y: list[int]


def read(folder: Path) -> Titles:
    parts: list[Any] = []
    for part in ("train", "test"):
        labels, texts = read_person_titles(sorted(folder.glob(f"*{part}*"))[0])
        parts += [texts, labels]
    return Titles(*parts)


def words_and_pairs(text: str) -> dict[str, float]:
    tokens = text.split()
    bag = count_words(text)
    for one, two in pairwise(tokens):
        bag[f"{one} {two}"] = bag.get(f"{one} {two}", 0.0) + 1.0
    return bag


def with_patterns(text: str) -> dict[str, float]:
    """Words, pairs, and whether numbers, brackets and years occur."""
    bag = words_and_pairs(text)
    for name, pattern in (("<year>", r"\b1\d{3}\b|\b20\d{2}\b"), ("<range>", r"\d+ ?- ?\d+")):
        if re.search(pattern, text):
            bag[name] = 1.0
    return bag


def overlapping(text: str) -> dict[str, float]:
    """Words together with their prefixes and suffixes, which say the same again."""
    bag = count_words(text)
    for word, count in list(bag.items()):
        for part in (
            f"{word[:3]}-",
            f"{word[:4]}-",
            f"-{word[-3:]}",
            f"-{word[-2:]}",
            word.lower(),
        ):
            bag[f"~{part}"] = bag.get(f"~{part}", 0.0) + count
    return bag


def answers(learner: Any, titles: Titles, features: Features = count_words) -> Any:
    """Return which questions a learner answers rightly; C is chosen on a fifth of train."""
    bags, y = [features(text) for text in titles.train], titles.train_y
    if hasattr(learner, "C"):
        cut = len(bags) * 4 // 5

        def held_out(C: float) -> float:
            model = clone(learner).set_params(C=C).fit(bags[:cut], y[:cut])
            return float(model.score(bags[cut:], y[cut:]))

        learner = clone(learner).set_params(C=max(GRID, key=held_out))
    model = learner.fit(bags, y)
    return model.predict([features(text) for text in titles.test]) == np.array(titles.test_y)


def better(text: str, left: Any, right: Any) -> Claim:
    """Return the claim that the answers on the left are right more often."""
    ones = np.ones(len(left), dtype=int)
    p = mcnemar(ones, left.astype(int), right.astype(int)).p
    return Claim(text, left.mean(), right.mean(), bool(left.mean() > right.mean()), p)


def near(text: str, left: Any, right: Any, within: float = 0.02) -> Claim:
    distance = abs(left.mean() - right.mean())
    return Claim(text, left.mean(), right.mean(), bool(distance <= within))


def about_learners(titles: Titles) -> list[Claim]:
    right = {
        "averaged": answers(linnet.Perceptron(random_state=0), titles),
        "plain": answers(linnet.Perceptron(average=False, random_state=0), titles),
        "maxent": answers(linnet.MaxEnt(), titles),
        "svm": answers(linnet.SVM(random_state=0), titles),
    }
    return [
        better("averaged perceptron > plain", right["averaged"], right["plain"]),
        near("averaged perceptron near MaxEnt", right["averaged"], right["maxent"]),
        near("averaged perceptron near SVM", right["averaged"], right["svm"]),
    ]


def about_features(titles: Titles) -> list[Claim]:
    overlap = answers(linnet.MultinomialNB(), titles, overlapping)
    single = answers(linnet.MaxEnt(), titles)
    return [
        better(
            "MaxEnt > naive Bayes where features overlap",
            answers(linnet.MaxEnt(), titles, overlapping),
            overlap,
        ),
        better(
            "SVM > naive Bayes where features overlap",
            answers(linnet.SVM(random_state=0), titles, overlapping),
            overlap,
        ),
        better("pairs > words", answers(linnet.MaxEnt(), titles, words_and_pairs), single),
        better("patterns > words", answers(linnet.MaxEnt(), titles, with_patterns), single),
    ]


def about_optimisers(titles: Titles) -> list[Claim]:
    """Compare how far from the optimum two solvers are, early and late."""
    bags, C = [count_words(text) for text in titles.train], 10.0
    best = (
        linnet.MaxEnt(C=C, solver="newton", tol=1e-13)
        .fit(bags, titles.train_y)
        .history_["objective"][-1]
    )
    runs = {}
    for solver in ("dual_cd", "newton"):
        model = linnet.MaxEnt(C=C, solver=solver, tol=1e-9, max_iter=100_000, n_threads=1)
        model.set_params(random_state=0)
        history = model.fit(bags, titles.train_y).history_
        runs[solver] = (history["seconds"], history["objective"] / best - 1)
    early = 0.5 * min(seconds[-1] for seconds, _ in runs.values())
    gaps = {name: _at(early, *run) for name, run in runs.items()}
    late = {name: _digits(gap) for name, (_, gap) in runs.items()}
    arrived = {name: float(seconds[gap <= 1e-8][0]) for name, (seconds, gap) in runs.items()}
    return [
        Claim(
            "coordinate descent nearer the optimum than Newton, early",
            gaps["dual_cd"],
            gaps["newton"],
            gaps["dual_cd"] < gaps["newton"],
        ),
        Claim(
            "Newton gains more digits an iteration, late",
            late["newton"],
            late["dual_cd"],
            late["newton"] > late["dual_cd"],
        ),
        Claim(
            "Newton sooner within 1e-8 of the optimum (seconds)",
            arrived["newton"],
            arrived["dual_cd"],
            arrived["newton"] < arrived["dual_cd"],
        ),
    ]


def _at(moment: float, seconds: Any, gap: Any) -> float:
    """Return the gap that a run had reached at a moment."""
    done = np.flatnonzero(seconds <= moment)
    return float(gap[done[-1]]) if len(done) else float("inf")


def _digits(gap: Any) -> float:
    """Return the decimal digits gained by the first iteration that ends within 1e-6."""
    last = int(np.flatnonzero(gap <= 1e-6)[0])
    return float(np.log10(gap[last - 1] / gap[last]))


def main() -> None:
    titles = read(data_root() / "wikipedia_titles")
    print(f"     {'claim':62} {'left':>8} {'right':>8}")
    for part in (about_learners, about_features, about_optimisers):
        for claim in part(titles):
            print(claim)


if __name__ == "__main__":
    main()
