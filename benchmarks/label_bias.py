"""What does normalising at every token cost? The label-bias experiment and the tagging table.

    python benchmarks/label_bias.py                    # print both (a quarter of an hour)
    python benchmarks/label_bias.py --write            # and put them into docs/label_bias.md
    python benchmarks/label_bias.py bias               # the experiment only (seconds)
    python benchmarks/label_bias.py mixed              # data of mixed order only (minutes)
    python benchmarks/label_bias.py table --share 0.3  # the table, on more of brown

The experiment is that of Lafferty et al. (2001), section 5.1, the data of mixed order those of
section 5.2; the table has the shape of the one in their section 5.3 (SPEC M-120, E-11, T-05).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import linnet
from linnet.data import make_rib_rob, rib_rob_error, rib_rob_transitions
from linnet.learn.chain.between import best_paths
from mixed_order import SHARES, mixed_errors, render_mixed
from real_data import data_root
from tagging_table import CORPORA, PAPER, Corpus, Row, read_corpus, tagging_table

PAGE = Path(__file__).resolve().parent.parent / "docs" / "label_bias.md"
TRAIN, TEST, RUNS = 2_000, 500, 10
SOLVER: dict[str, Any] = {"C": 100.0, "tol": 1e-4, "max_iter": 5_000, "n_threads": 1}
FREE, BOUND = "MEMM, any state may follow", "MEMM, the automaton's transitions"
PAPER_BIAS = {BOUND: 42.0, "CRF": 4.6}  # percent

Labels = list[list[str]]
Errors = dict[str, tuple[float, float]]


def predict_on_automaton(memm: Any, X: Any) -> Labels:
    """Decode a MEMM in which a state passes its mass on to its successors in the automaton only."""
    legal = rib_rob_transitions(memm.classes_.tolist())
    L, found = legal.shape[1], []
    for local in memm.local_distributions(X):
        with np.errstate(divide="ignore"):
            chances = np.log(np.where(legal, local, 0.0))
        # State 3 ends every word and has no successor: its row stays empty.
        total = np.logaddexp.reduce(chances, axis=2, keepdims=True)
        chances -= np.where(np.isneginf(total), 0.0, total)
        [(_, path)] = best_paths(chances[0, L], [chances[1:, :L]], np.zeros(L), 1)
        found.append(memm.classes_[path].tolist())
    return found


def label_errors(gold: Labels, guess: Labels) -> tuple[float, float]:
    """Return the share of wrong labels and of words with a wrong label."""
    wrong = np.array(guess) != np.array(gold)
    return float(wrong.mean()), float(wrong.any(axis=1).mean())


def bias_experiment(seed: int, n_train: int = TRAIN, n_test: int = TEST) -> Errors:
    """Train and test all models on one draw; return name to (label error, word error)."""
    X, y = make_rib_rob(n_train + n_test, seed=seed)
    train, test, y, gold = X[:n_train], X[n_train:], y[:n_train], y[n_train:]

    def letters(words: Any) -> Labels:
        return [[letter for [letter] in word] for word in words]

    memm = linnet.MEMM(states="per_state", **SOLVER).fit(train, y)
    guesses = {
        "HMM": linnet.HMM().fit(letters(train), y).predict(letters(test)),
        BOUND: predict_on_automaton(memm, test),
        FREE: memm.predict(test),
        "CRF": linnet.CRF(**SOLVER).fit(train, y).predict(test),
    }
    return {name: label_errors(gold, guess) for name, guess in guesses.items()}


def render_bias(runs: Sequence[Errors]) -> str:
    """Return the result of several draws as a Markdown table."""
    lines = [
        "| model | wrong labels % (lowest – highest) | wrong words % | paper % |",
        "|---|---|---|---|",
    ]
    for name in runs[0]:
        labels, words = (100 * np.array([run[name][k] for run in runs]) for k in (0, 1))
        spread = f"{labels.mean():.1f} ({labels.min():.1f} – {labels.max():.1f})"
        paper = f"{PAPER_BIAS[name]:g}" if name in PAPER_BIAS else ""
        lines.append(f"| {name} | {spread} | {words.mean():.1f} | {paper} |")
    labels, words = (100 * part for part in rib_rob_error())
    lines.append(f"| best possible | {labels:.1f} | {words:.1f} | |")
    return "\n".join(lines)


def render_table(corpus: Corpus, rows: Sequence[Row]) -> str:
    """Return the rows of one corpus as a Markdown table under a line of what it is."""
    train, test, tags = corpus.sizes
    part = f", {corpus.share:.0%} of its sentences" if corpus.share < 1 else ""
    lines = [
        f"{corpus.name}{part}: {train:,} tokens to train, {test:,} to test, {tags} tags, "
        f"{rows[0].oov_rate:.2%} of the tokens to test are words not seen in training.",
        "",
        "| model | error % | OOV error % | known words % | paper: error | paper: OOV error |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        ours = " | ".join(
            f"{100 * error:.2f}" for error in (row.error, row.oov_error, row.known_error)
        )
        paper = " | ".join(f"{error:.2f}" for error in PAPER.get(row.model, ())) or "|"
        lines.append(f"| {row.model} | {ours} | {paper} |")
    return "\n".join(lines)


def put(page: str, name: str, text: str) -> str:
    """Return a page with new text between the two markers of a name."""
    begin, end = f"<!-- {name}: generated, do not edit -->", f"<!-- end of {name} -->"
    if page.count(begin) != 1 or page.count(end) != 1:
        raise SystemExit(f"The page needs the markers {begin!r} and {end!r}, once each.")
    head, rest = page.split(begin)
    _, tail = rest.split(end)
    return f"{head}{begin}\n\n{text}\n\n{end}{tail}"


def say(text: str) -> None:
    print(text, flush=True)


def run_table(name: str, share: float, threads: int | None) -> str:
    corpus = read_corpus(data_root() / name, share)
    train, test, tags = corpus.sizes
    say(f"{name}: {train:,} + {test:,} tokens, {tags} tags")
    return render_table(corpus, tagging_table(corpus, threads=threads, say=say))


def main() -> None:
    parser = argparse.ArgumentParser(description="The label-bias experiment and the tagging table.")
    parser.add_argument("what", nargs="*", help="bias, mixed, table; all by default")
    parser.add_argument("--write", action="store_true", help="put the results into the docs")
    parser.add_argument("--share", type=float, default=0.2, help="of brown (default 0.2)")
    parser.add_argument("--threads", type=int, help="all cores by default")
    given = parser.parse_args()
    wanted = given.what or ["bias", "mixed", "table"]
    if set(wanted) - {"bias", "mixed", "table"} or not 0 < given.share <= 1:
        parser.error("the parts are bias, mixed and table; the share is above 0 and at most 1")
    began, found = perf_counter(), dict[str, str]()
    if "bias" in wanted:
        say(f"bias: {RUNS} draws of {TRAIN:,} + {TEST} words")
        found["bias"] = render_bias([bias_experiment(seed) for seed in range(RUNS)])
    if "mixed" in wanted:
        say(f"mixed: {RUNS} random models for each of {len(SHARES)} shares of the second order")
        found["mixed"] = render_mixed(
            {share: [mixed_errors(share, seed) for seed in range(RUNS)] for share in SHARES}
        )
    if "table" in wanted:
        for name in CORPORA:
            share = given.share if name == "brown" else 1.0
            found[name] = run_table(name, share, given.threads)
    for text in found.values():
        say(f"\n{text}")
    say(f"\n{perf_counter() - began:.0f} seconds in all")
    if given.write:
        page = PAGE.read_text(encoding="utf-8")
        for name, text in found.items():
            page = put(page, name, text)
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
