"""How fast is the training? linnet and its peers side by side, in one run.

For each data set and objective: wall seconds until the objective, recomputed in NumPy from the
weights, is within 1e-3 and 1e-5 (relative) of the best value anyone found. Then one epoch of the
online learners against SGDClassifier, and the speed of counting for naive Bayes against a copy.

    python benchmarks/solvers.py                       # everything (several minutes)
    python benchmarks/solvers.py --data imdb --objective L2-loss
    python benchmarks/solvers.py --large-c
    python benchmarks/solvers.py --json results.json
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from functools import partial
from typing import Any

import numpy as np

from contenders import (
    Contender,
    as_floats,
    liblinear_contenders,
    linnet_contenders,
    sklearn_contenders,
)
from matrices import Split, load
from objectives import objective as recompute
from timing import best_of

LEVELS = (1e-3, 1e-5)
LARGE_C = {  # where a search over C ends up
    "banking77": ("logistic", "L2-loss", "hinge"),
    "newsgroups20": ("logistic", "L2-loss", "hinge"),
    "imdb": ("logistic", "L2-loss", "hinge"),
}
OBJECTIVES = {
    "imdb": ("logistic", "L2-loss", "hinge", "L1 logistic", "L1 L2-loss"),
    "newsgroups20": (
        "logistic",
        "L2-loss",
        "multinomial",
        "Crammer–Singer",
        "L1 logistic",
        "L1 L2-loss",
    ),
    "amazon_books": ("logistic", "L2-loss", "hinge"),
}
# (data set, objective, peer) -> the ratio to reach; Crammer–Singer only for the first level
TARGETS = {
    ("imdb", "logistic", "LIBLINEAR"): 2,
    ("imdb", "L2-loss", "LIBLINEAR"): 2.5,
    ("imdb", "logistic", "scikit-learn"): 5,
    ("imdb", "L2-loss", "scikit-learn"): 4,
    **{
        (name, f"L1 {loss}", "LIBLINEAR"): 1.5
        for name in ("imdb", "newsgroups20")
        for loss in ("logistic", "L2-loss")
    },
    ("newsgroups20", "logistic", "LIBLINEAR"): 4,
    ("newsgroups20", "L2-loss", "LIBLINEAR"): 4,
    ("newsgroups20", "multinomial", "scikit-learn"): 15,
    ("newsgroups20", "Crammer–Singer", "LIBLINEAR"): 4,
    **{
        (f"{name}, C = 10000", objective, "LIBLINEAR"): 1
        for name, objectives in LARGE_C.items()
        for objective in objectives
    },
}


def climb(contender: Contender, data: Split, objective: str, best: float, repeat: int,
          limit: float) -> dict[float, float]:  # fmt: skip
    """Return the seconds to each level: the best time of the loosest tolerance that reaches it."""
    reached: dict[float, float] = {}
    for tol in contender.ladder:
        seconds, weights = best_of(repeat, partial(contender.fit, data, tol))
        gap = recompute(objective, data, weights) / best - 1.0
        for level in LEVELS:
            if gap <= level:
                reached[level] = min(seconds, reached.get(level, np.inf))
        say(
            f"      {contender.name:24s} tol {tol:7.0e}  {seconds:8.3f} s  suboptimality {gap:8.1e}"
        )
        if gap <= LEVELS[-1] or seconds > limit:
            break
    return reached


def compare(data: Split, objective: str, repeat: int, limit: float) -> list[dict[str, Any]]:
    """Measure every contender on one objective and print the table."""
    ours = linnet_contenders(objective)
    exact = 1e-5 if objective in ("hinge", "Crammer–Singer") else 1e-8 if data.C == 1 else 1e-6
    best = min(recompute(objective, data, c.fit(data, exact)) for c in ours)
    say(f"\n{data.name}, {objective}: {data.X.shape[0]:,} rows, {data.X.shape[1]:,} features, "
        f"{data.X.nnz:,} values, {data.n_classes} classes; optimum {best:.6f}")  # fmt: skip
    peers = liblinear_contenders(objective) + sklearn_contenders(objective, data.n_classes)
    times = {c.name: climb(c, data, objective, best, repeat, limit) for c in [*ours, *peers]}
    rows = []
    print(f"\n{data.name:26s}{objective:16s}" + "".join(f"{f'to {lv:.0e}':>12s}{'ratio':>8s}"
                                                     for lv in LEVELS))  # fmt: skip
    own = times[ours[0].name]
    for contender in [*ours, *peers]:
        cells = ""
        for level in LEVELS:
            seconds = times[contender.name].get(level)
            ratio = None if seconds is None or level not in own else seconds / own[level]
            cells += f"{'–' if seconds is None else f'{seconds:.3f} s':>12s}"
            cells += f"{'' if ratio is None or contender.tool == 'linnet' else f'{ratio:.1f}x':>8s}"
            rows.append({"data": data.name, "objective": objective, "tool": contender.tool,
                         "name": contender.name, "level": level, "seconds": seconds,
                         "ratio": ratio})  # fmt: skip
        print(f"  {contender.name:28s}{cells}", flush=True)
    for tool in ("LIBLINEAR", "scikit-learn"):
        report_best(rows, data.name, objective, tool)
    return rows


def report_best(rows: list[dict[str, Any]], data: str, objective: str, tool: str) -> None:
    """Print the ratio to the best solver of one tool beside the ratio wanted."""
    target = TARGETS.get((data, objective, tool))
    if target is None:
        return
    for level in LEVELS[:1] if objective == "Crammer–Singer" else LEVELS:
        ratios = [r["ratio"] for r in rows if r["tool"] == tool and r["level"] == level]
        known = [ratio for ratio in ratios if ratio is not None]
        if known:
            verdict = "reached" if min(known) >= target else "missed"
            print(f"  -> {min(known):.1f}x the best {tool} solver to {level:.0e}"
                  f" (wanted {target}x: {verdict})")  # fmt: skip


def online_epochs(data: Split, repeat: int) -> list[dict[str, Any]]:
    """One epoch of each online learner against one epoch of SGDClassifier.

    An epoch is a fifth of what six epochs take longer than one. MaxEnt and SVM have a peer that
    minimises the same objective, C = 1 / (alpha M): alpha decides how many rows are updated.
    """
    from sklearn.linear_model import SGDClassifier

    import linnet

    common = {"fit_intercept": False, "random_state": 0}
    online = {"fit_intercept": False, "random_state": 0, "stop_when_clean": False,
              "record_objective": False}  # fmt: skip
    steps = linnet.SGD(record_objective=False)  # SGDClassifier computes none either
    learners = {
        "Perceptron": linnet.Perceptron(average=False, **online),
        "Perceptron averaged": linnet.Perceptron(average=True, **online),
        "MIRA": linnet.MIRA(average=False, **online),
        "MaxEnt by SGD": linnet.MaxEnt(solver=steps, tol=0.0, **common),
        "SVM by SGD": linnet.SVM(solver=steps, tol=0.0, **common),
        "SVM by SGD, objective each": linnet.SVM(solver="sgd", tol=0.0, **common),
    }
    usual, same = {"n_jobs": 2, "tol": None, **common}, {"alpha": 1.0 / len(data.y)}
    peers = {
        "SGDClassifier hinge": SGDClassifier(loss="hinge", **usual),
        "SGDClassifier hinge, same C": SGDClassifier(loss="hinge", **usual, **same),
        "SGDClassifier log_loss, same C": SGDClassifier(loss="log_loss", **usual, **same),
    }
    times = {}
    for name, learner in {**learners, **peers}.items():
        X = as_floats(data) if name in learners else data.X
        seconds = {}
        for epochs in (1, 6):
            learner.set_params(max_iter=epochs)
            seconds[epochs], _ = best_of(repeat, partial(learner.fit, X, data.y))
        times[name] = (seconds[6] - seconds[1]) / 5
    print(
        f"\n{data.name}: one epoch, accuracy after six, ratio to SGDClassifier with the same loss"
    )
    rows, wanted = [], 2 if data.X.nnz >= 1 << 20 else 1
    for name, seconds in times.items():
        loss = "log_loss" if "MaxEnt" in name else "hinge"
        peer = f"SGDClassifier {loss}{', same C' if 'SGD' in name else ''}"
        ratio = times[peer] / seconds
        test = ({**learners, **peers})[name].score(data.X_test, data.y_test)
        shown = "" if name in peers else f"{ratio:8.1f}x (wanted {wanted}x)"
        print(f"  {name:30s}{seconds:9.4f} s  test accuracy {test:.4f}{shown}", flush=True)
        rows.append({"data": data.name, "epoch": name, "seconds": seconds, "ratio": ratio})
    return rows


def naive_bayes_bandwidth(data: Split, repeat: int) -> dict[str, Any]:
    """Bytes a second that MultinomialNB.fit touches, against a plain copy of as many."""
    from sklearn.naive_bayes import MultinomialNB

    import linnet

    X = as_floats(data)
    touched = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    touched += 2 * 8 * X.shape[1] * data.n_classes  # counts written, weights written
    fit, _ = best_of(repeat, lambda: linnet.MultinomialNB().fit(X, data.y))
    peer, _ = best_of(repeat, lambda: MultinomialNB().fit(X, data.y))
    source = np.ones(touched // 2, np.uint8)
    copy, _ = best_of(repeat, source.copy)  # reads and writes: `touched` bytes in all
    print(f"\n{data.name}: MultinomialNB fit {fit:.4f} s, {touched / fit / 1e9:.2f} GB/s touched; "
          f"plain copy {touched / copy / 1e9:.2f} GB/s ({copy / fit:.2f} of it, wanted 0.5); "
          f"scikit-learn {peer:.4f} s ({peer / fit:.1f}x)", flush=True)  # fmt: skip
    return {"data": data.name, "naive_bayes": fit, "copy": copy, "ratio": peer / fit}


def _memory(field: str) -> float:
    """Return a figure of this process in MB: VmRSS is memory in use, VmHWM its peak."""
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def _peak_memory(tool: str, data: Split, answer: Any) -> None:
    ours = linnet_contenders("multinomial") if tool == "linnet" else []
    contender = [*ours, *sklearn_contenders("multinomial", 20)][0]
    as_floats(data)
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")  # the peak starts anew
    before = _memory("VmRSS")
    contender.fit(data, 1e-4 if ours else 1e-3)
    answer.put(_memory("VmHWM") - before)


def multinomial_memory(data: Split) -> dict[str, float]:
    """Peak memory that a multinomial fit adds, each tool in a process of its own."""
    added = {}
    for tool in ("linnet", "scikit-learn"):
        context = multiprocessing.get_context("spawn")
        answer = context.Queue()
        process = context.Process(target=_peak_memory, args=(tool, data, answer))
        process.start()
        added[tool] = answer.get()
        process.join()
    share = added["linnet"] / added["scikit-learn"]
    print(f"\n{data.name}: multinomial fit adds {added['linnet']:.0f} MB (linnet), "
          f"{added['scikit-learn']:.0f} MB (scikit-learn lbfgs): {share:.2f} of it "
          f"(wanted under 0.33)", flush=True)  # fmt: skip
    return added


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", nargs="*", help="only these data sets")
    parser.add_argument("--large-c", action="store_true", help="at C = 10000 instead of 1")
    parser.add_argument("--objective", nargs="*", help="only these objectives")
    parser.add_argument("--repeat", type=int, default=3, help="best of about so many runs")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds after which to give up")
    parser.add_argument("--skip-extras", action="store_true", help="objectives only")
    parser.add_argument("--json", help="write all measurements here")
    options = parser.parse_args()
    results: list[Any] = []
    table = LARGE_C if options.large_c else OBJECTIVES
    for name in options.data or table:
        say(f"loading {name} …")
        data = load(name)
        if options.large_c:
            data = data._replace(name=f"{name}, C = 10000", C=1e4)
        for objective in table[name]:
            if not options.objective or objective in options.objective:
                results += compare(data, objective, options.repeat, options.limit)
        if not (options.skip_extras or options.large_c):
            results += online_epochs(data, options.repeat)
            results.append(naive_bayes_bandwidth(data, options.repeat))
            if name == "newsgroups20":
                results.append(multinomial_memory(data))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
