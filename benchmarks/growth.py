"""How does the cost grow? Seconds and memory against rows, features, labels and tokens.

    python benchmarks/growth.py                        # everything (some minutes)
    python benchmarks/growth.py rows --learner SVM     # one question, one learner
    python benchmarks/growth.py --write                # also for docs/growth.md

Each size is fitted in a process of its own on made data: Zipfian features, labels that depend on a
few of them with noise. Printed are CPU seconds and the memory that the fit added to its data, and
the exponents of both: the slope of a line through the logarithms of the larger half of the sizes.
An exponent of 1 is linear growth. Learners run with their defaults, to their certified tolerance.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import warnings
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import scipy.sparse as sp

from timing import at_hand

FLAT = ("MultinomialNB", "Perceptron", "MaxEnt", "SVM")
CHAIN = ("HMM", "StructuredPerceptron", "CRF")
ROWS = {"rows": 10_000, "features": 20_000, "labels": 2, "each": 40}
SENTENCES = {"tokens": 20_000, "labels": 10, "length": 20, "words": 5_000}
SIZES = {
    "rows": (1_000, 3_000, 10_000, 30_000, 100_000),
    "features": (1_000, 3_000, 10_000, 30_000, 100_000),
    "labels": (2, 6, 20, 60, 200),
    "tokens": (10_000, 30_000, 100_000, 300_000, 1_000_000),
    "tags": (4, 12, 40, 120, 400),
}
DOCS = Path(__file__).resolve().parents[1] / "docs"
FIGURES, PAGE = DOCS / "growth.json", DOCS / "growth.md"
BEGIN, END = "<!-- exponents -->", "<!-- end of exponents -->"


def zipf(rng: Any, size: tuple[int, ...], kinds: int) -> Any:
    """Return numbers below `kinds`, small ones often."""
    share = 1.0 / np.arange(1, kinds + 1)
    ends = np.cumsum(share / share.sum())
    return np.searchsorted(ends, rng.random(size)).clip(max=kinds - 1)


def made_rows(rows: int, features: int, labels: int, each: int) -> tuple[Any, Any]:
    """Return a sparse matrix of counts and labels that its features tell, but for noise."""
    rng = np.random.default_rng(0)
    columns = zipf(rng, (rows, each), features)
    start = np.arange(rows + 1) * each
    X = sp.csr_matrix((np.ones(rows * each), columns.ravel(), start), (rows, features))
    X.sum_duplicates()
    own = rng.normal(size=(features, labels)) if labels < 100 else rng.normal(size=(features, 100))
    scores = X @ own
    if labels >= 100:
        scores = scores @ rng.normal(size=(100, labels)) / 10
    return X, (scores + rng.gumbel(size=(rows, labels)) * 2).argmax(axis=1)


def made_sentences(tokens: int, labels: int, length: int, words: int) -> tuple[Any, Any]:
    """Return sentences of features and their tags: a tag follows its word and the tag before."""
    rng = np.random.default_rng(0)
    word = zipf(rng, (tokens,), words)
    usual = rng.integers(labels, size=words)[word]
    other = (usual + 1 + zipf(rng, (tokens,), max(1, labels - 1))) % labels
    tag = np.where(rng.random(tokens) < 0.8, usual, other)
    before = np.where(np.arange(tokens) % length, np.roll(word, 1), -1)
    X = [
        [[f"w={word[i]}", f"p={before[i]}", f"s={word[i] % 97}"] for i in range(k, k + length)]
        for k in range(0, tokens - length + 1, length)
    ]
    y = [
        [f"t{tag[i]}" for i in range(k, k + length)] for k in range(0, tokens - length + 1, length)
    ]
    return X, y


def peak(*, forget: bool = False) -> float:
    """Return the most memory that this process has held since it was told to forget, in MB."""
    if forget:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def measured(question: str, learner: str, size: int) -> dict[str, float]:
    """Fit one learner at one size, in this process."""
    import linnet

    model: Any = getattr(linnet, learner)()
    if question in ("rows", "features", "labels"):
        X, y = made_rows(**ROWS | {question: size})
    else:
        place = {"tags": "labels"}.get(question, question)
        X, y = made_sentences(**SENTENCES | {place: size})
        if learner == "HMM":
            X = [[features[0] for features in sentence] for sentence in X]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        type(model)().fit(X[:50], y[:50])  # what is imported and started once
        held, began = peak(forget=True), process_time()
        model.fit(X, y)
    return {"seconds": process_time() - began, "megabytes": peak() - held}


def exponent(sizes: list[int], costs: list[float], least: float) -> float:
    """Return the slope of the logarithms over the larger half of the sizes.

    What is below `least` cannot be told from nothing.
    """
    half = len(sizes) // 2
    logs = np.log(np.maximum(np.asarray(costs[half:]), least))
    return float(np.polyfit(np.log(sizes[half:]), logs, 1)[0])


def asked(question: str, learner: str, size: int, limit: float) -> dict[str, float] | None:
    """Measure in a process of its own; None if it does not end in time."""
    command = [sys.executable, __file__, question, "--learner", learner, "--one", str(size)]
    at_hand(1024)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    result: dict[str, float] = json.loads(done.stdout)
    return result


def row(question: str, learner: str, limit: float) -> dict[str, Any]:
    """Measure a learner at all sizes and print the line."""
    results = {}
    for size in SIZES[question]:
        cost = asked(question, learner, size, limit)
        if cost is None:
            break
        results[size] = cost
    sizes = list(results)
    seconds = [results[size]["seconds"] for size in sizes]
    megabytes = [results[size]["megabytes"] for size in sizes]
    of_time, of_memory = exponent(sizes, seconds, 1e-3), exponent(sizes, megabytes, 1.0)
    cells = "".join(f"{s:9.3f}" for s in seconds) + " " * 9 * (len(SIZES[question]) - len(sizes))
    held = "".join(f"{m:8.0f}" for m in megabytes) + " " * 8 * (len(SIZES[question]) - len(sizes))
    print(f"  {learner:22}{cells}  {of_time:5.2f} |{held}  {of_memory:5.2f}", flush=True)
    return {
        "question": question, "learner": learner, "sizes": sizes, "seconds": seconds,
        "megabytes": megabytes, "exponent_seconds": of_time, "exponent_megabytes": of_memory,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("questions", nargs="*", help=f"of {', '.join(SIZES)}")
    parser.add_argument("--learner", help="only this one")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one fit")
    parser.add_argument("--write", action="store_true", help=f"write {FIGURES.name} for the docs")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured(options.questions[0], options.learner, options.one)))
        return
    rows = []
    for question in options.questions or SIZES:
        sizes = SIZES[question]
        print(
            f"{question}: CPU seconds at {', '.join(f'{s:,}' for s in sizes)}, exponent | "
            "added MB, exponent"
        )
        learners = FLAT if question in ("rows", "features", "labels") else CHAIN
        rows += [
            row(question, learner, options.limit)
            for learner in learners
            if options.learner in (None, learner)
        ]
    if options.write:
        FIGURES.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        head, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
        PAGE.write_text(
            f"{head}{BEGIN}\n{table(rows)}\n{END}{rest.split(END)[1]}", encoding="utf-8"
        )


def table(rows: list[dict[str, Any]]) -> str:
    """Return the exponents as a table of Markdown."""
    lines = [
        "| against | learner | sizes | CPU seconds | exponent | added MB | exponent |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        sizes, seconds, megabytes = row["sizes"], row["seconds"], row["megabytes"]
        lines.append(
            f"| {row['question']} | {row['learner']} | {sizes[0]:,} to {sizes[-1]:,} "
            f"| {seconds[0]:.3f} to {seconds[-1]:.3g} | {row['exponent_seconds']:.2f} "
            f"| {megabytes[0]:.0f} to {megabytes[-1]:.0f} | {row['exponent_megabytes']:.2f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
