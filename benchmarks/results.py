"""Run the benchmarks and write down what they print: RESULTS.md, and from it README's figures.

    python benchmarks/results.py                   # everything (an hour or more)
    python benchmarks/results.py text kernels      # these anew, the others stay as they were
    python benchmarks/results.py --runs 3 text     # three times: marks show lowest–highest
    python benchmarks/results.py --readme          # run nothing, renew README's figures, the marks
    python benchmarks/results.py --list

A measured part of RESULTS.md stands between two comments with its name and says on which machine,
when and at which commit it was measured. All else in RESULTS.md is written by hand and stays.
README's figures come from ``readme_figures.md`` and the table of marks in RESULTS.md from
``marks.md``, whose names in braces are looked up in the measured parts: a figure that is shown is
one that a benchmark has printed. Of several runs README shows the first, the marks what all of them
printed, as "lowest–highest".
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
RESULTS, README = HERE / "RESULTS.md", HERE.parent / "README.md"
TEMPLATES = {README: HERE / "readme_figures.md", RESULTS: HERE / "marks.md"}
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"

PARTS = {
    "solvers_imdb": ("solvers.py", "--data", "imdb"),
    "solvers_newsgroups20": (
        "solvers.py", "--data", "newsgroups20",
        "--objective", "logistic", "L2-loss", "multinomial", "L1 logistic", "L1 L2-loss",
    ),
    "solvers_crammer_singer": (  # the longest by far
        "solvers.py", "--data", "newsgroups20", "--objective", "Crammer–Singer", "--skip-extras",
    ),
    "solvers_amazon_books": ("solvers.py", "--data", "amazon_books"),
    "text": ("text.py",),
    "auto": ("auto.py",),
    "sequences": ("sequences.py",),
    "labels": ("labels.py",),
    "labels_many": ("labels_many.py",),
    "memory": ("memory.py",),
    "kernels": ("kernels.py",),
    "compare": ("compare.py",),
    "claims": ("claims.py",),
    "foreign": ("foreign.py",),
    "serve": ("serve.py",),
    "lab": ("lab.py",),
    "scale_training": ("scale_training.py", "speed"),
    "growth": ("growth.py", "--write"),
}  # fmt: skip


class Figure(NamedTuple):
    """Where a figure of the README is printed: the part, and a pattern with one group."""

    part: str
    pattern: str


def _solver(data: str, objective: str, tool: str, level: str) -> Figure:
    """Return where the ratio to the best solver of a tool is printed."""
    return Figure(
        f"solvers_{data}",
        rf"(?ms)^{re.escape(data)} +{re.escape(objective)} (?:(?!^\S).)*?-> ([\d.]+)x the best "
        rf"{re.escape(tool)} solver to {level}",
    )


def _ours(data: str, objective: str, column: int) -> Figure:
    """Return where the seconds of linnet's first solver are printed."""
    skipped = r"[\d.]+ s\s+" * column
    return Figure(
        f"solvers_{data}",
        rf"(?m)^{re.escape(data)} +{re.escape(objective)} .*\n  linnet.*?  +{skipped}([\d.]+) s",
    )


def _text(name: str, what: str) -> Figure:
    number = {"seconds": r"([\d.]+) s", "ratio": r"[\d.]+ s +([\d.]+)x",
              "accuracy": r"[\d.]+ s.*?([\d.]+) %,"}[what]  # fmt: skip
    return Figure("text", rf"(?ms)^end to end.*?^  {re.escape(name)}  +{number}")


def _epoch(data: str, learner: str) -> Figure:
    """Return where the ratio of an epoch to SGDClassifier's is printed."""
    pattern = rf"(?ms)^{re.escape(data)}: one epoch.*?^  {re.escape(learner)}  +.*? ([\d.]+)x"
    return Figure(f"solvers_{data}", pattern)


def _first_ratio(data: str, objective: str, peer: str, level: int) -> Figure:
    """Return where the ratio to one solver is printed, in the first or the second column."""
    skipped = r"[\d.]+ s +[\d.]+x +" * (level == 5)
    return Figure(
        f"solvers_{data}",
        rf"(?ms)^{re.escape(data)} +{re.escape(objective)} +to (?:(?!^\S).)*?^  {re.escape(peer)} "
        rf"+{skipped}[\d.]+ s +([\d.]+)x",
    )


def _labels(tags: str, column: int) -> Figure:
    """Return where a cell of the table of labels.py is printed."""
    return Figure("labels", rf"(?m)^\| {tags} \|(?: [^|]* \|){{{column - 2}}} ([^|]*?) \|")


FIGURES = {
    "words_seconds": _text("linnet", "seconds"),
    "words_accuracy": _text("linnet", "accuracy"),
    **{
        f"{short}_{what}": _text(name, what)
        for short, name in {
            "sklearn": "scikit-learn TF-IDF + LinearSVC",
            "fasttext": "fastText, 5 epochs, 2 threads",
            "vw": "Vowpal Wabbit, 1 pass",
        }.items()
        for what in ("seconds", "ratio", "accuracy")
    },
    "tfidf_ratio": Figure("text", r"(?s)TfidfVectorizer.*?linnet +[\d.]+ s +([\d.]+)x"),
    "hashing_ratio": Figure("text", r"(?s)HashingVectorizer.*?linnet +[\d.]+ s +([\d.]+)x"),
    "bulk_rate": Figure("text", r"linnet, against scikit-learn .*?([\d,]+) texts/s"),
    "bulk_fasttext": Figure("text", r"linnet, against fastText +[\d.]+ s +([\d.]+)x"),
    "bulk_sklearn": Figure("text", r"linnet, against scikit-learn +[\d.]+ s +([\d.]+)x"),
    "start_share": Figure("text", r"([\d.]+) of it \(wanted < 3"),
    "crf_ratio_two": Figure("sequences", r"linnet, 2 thread\(s\) +[\d.]+ s +([\d.]+)x"),
    "crf_ratio_one": Figure("sequences", r"linnet, 1 thread\(s\) +[\d.]+ s +([\d.]+)x"),
    "tagging_ratio": Figure("sequences", r"(?s)^tagging:.*?linnet +[\d.]+ s +([\d.]+)x"),
    "raw_ratio": Figure("sequences", r"(?ms)^raw:.*?linnet +[\d.]+ s +([\d.]+)x"),
    "chain_memory": Figure("sequences", r"share of the first ([\d.]+)"),
    "perceptron_ratio": Figure("sequences", r"(?ms)^perceptron:.*?linnet +[\d.]+ s +([\d.]+)x"),
    "chunker_megabytes": Figure("sequences", r"(?ms)^file:.*?linnet ([\d.]+) MB"),
    "chunker_f1": Figure("sequences", r"(?ms)^file:.*?chunk F1 ([\d.]+)"),
    "hashing_seconds": _text("linnet, hashing", "seconds"),
    **{
        f"{data}_{short}_epoch": _epoch(data, learner)
        for data in ("imdb", "amazon_books")
        for short, learner in {"perceptron": "Perceptron", "mira": "MIRA",
                               "maxent": "MaxEnt by SGD", "svm": "SVM by SGD"}.items()
    },
    **{
        f"small_{short}_{level}": _first_ratio("amazon_books", objective, peer, level)
        for short, objective, peer in (
            ("logistic", "logistic", "LIBLINEAR -s 7"), ("hinge", "L2-loss", "LIBLINEAR -s 1"),
        )
        for level in (3, 5)
    },
    "nb_share": Figure("solvers_imdb", r"MultinomialNB fit .*?\(([\d.]+) of it"),
    **{
        f"{short}_l1_{loss}_{level}": _solver(data, f"L1 {objective}", "LIBLINEAR", f"1e-0{level}")
        for short, data in {"imdb": "imdb", "news": "newsgroups20"}.items()
        for loss, objective in {"logistic": "logistic", "hinge": "L2-loss"}.items()
        for level in (3, 5)
    },
    **{
        f"{tags}_{what}": _labels(tags, column)
        for tags in ("brown", "brown104")
        for what, column in {"passes": 6, "seconds": 7, "accuracy": 12}.items()
    },
    "neighbours_ratio": Figure("memory", r"ratio ([\d.]+) \(goal"),
    **{
        f"{short}_{column}": _ours(data, objective, column)
        for short, (data, objective) in {
            "imdb_logistic": ("imdb", "logistic"), "imdb_hinge": ("imdb", "L2-loss"),
            "news_logistic": ("newsgroups20", "logistic"),
            "news_hinge": ("newsgroups20", "L2-loss"),
            "news_multinomial": ("newsgroups20", "multinomial"),
        }.items()
        for column in (0, 1)
    },
    **{
        f"{short}_{level}": _solver(data, objective, tool, f"1e-0{level}")
        for short, (data, objective, tool) in {
            "imdb_logistic_liblinear": ("imdb", "logistic", "LIBLINEAR"),
            "imdb_hinge_liblinear": ("imdb", "L2-loss", "LIBLINEAR"),
            "imdb_hinge_sklearn": ("imdb", "L2-loss", "scikit-learn"),
            "news_logistic_liblinear": ("newsgroups20", "logistic", "LIBLINEAR"),
            "news_hinge_liblinear": ("newsgroups20", "L2-loss", "LIBLINEAR"),
            "news_multinomial_sklearn": ("newsgroups20", "multinomial", "scikit-learn"),
        }.items()
        for level in (3, 5)
    },
}  # fmt: skip


def machine() -> str:
    """Return processor, cores and memory in a line."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        processor = next(line.split(":")[1].strip() for line in lines if "model name" in line)
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
        return f"{processor}, {os.cpu_count()} cores, {size:.0f} GB"
    except (OSError, StopIteration, ValueError):
        return f"{platform.processor()}, {os.cpu_count()} cores"


def commit() -> str:
    """Return the commit at which the sources are, with a plus sign where they were changed."""
    ask = ["git", "-C", str(HERE), "describe", "--always", "--dirty=+", "--exclude=*"]
    return subprocess.run(ask, capture_output=True, text=True, check=False).stdout.strip()


def printed(command: str, script: str, *arguments: str) -> str:
    """Run a benchmark, show what it prints as it comes, and return that."""
    lines = []
    print(f"== {command}", flush=True)
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", script, *arguments],
        cwd=HERE,
        stdout=subprocess.PIPE,
        text=True,
    ) as run:
        for line in run.stdout or ():
            print(line, end="", flush=True)
            lines.append(line.rstrip())
    if run.returncode:
        raise SystemExit(
            f"{command} failed with {run.returncode}; {RESULTS.name} keeps what it had"
        )
    return "\n".join(lines).strip("\n")


def measured(name: str, runs: int = 1) -> str:
    """Return what the runs of a benchmark printed as a part of the page, all but one folded."""
    script, *arguments = PARTS[name]
    command = shlex.join(["python", f"benchmarks/{script}", *arguments])
    began = perf_counter()
    texts = [f"```text\n{printed(command, script, *arguments)}\n```" for _ in range(runs)]
    seconds = (perf_counter() - began) / runs
    today = datetime.now(UTC).date().isoformat()
    about = f"`{command}` · {machine()} · {today} · {commit()} · {seconds:.0f} s"
    folded = [
        f"<details><summary>run {k} of {runs}</summary>\n\n{text}\n\n</details>"
        for k, text in enumerate(texts[1:], 2)
    ]
    return "\n\n".join([about, texts[0], *folded])


def marks(name: str) -> tuple[str, str]:
    return f"<!-- measured: {name} -->", f"<!-- end: {name} -->"


def put(page: str, name: str, part: str) -> str:
    """Return the page with a measured part in the place of the one before, or at the end."""
    begin, end = marks(name)
    block = f"{begin}\n{part}\n{end}"
    if begin not in page:
        return f"{page.rstrip()}\n\n## {name}\n\n{block}\n"
    head, rest = page.split(begin, 1)
    return head + block + rest.split(end, 1)[1]


def parts_of(page: str) -> dict[str, str]:
    """Return what was measured, by name."""
    pattern = r"(?s)<!-- measured: (\w+) -->\n(.*?)\n<!-- end: \1 -->"
    return {match[1]: match[2] for match in re.finditer(pattern, page)}


def runs_of(part: str) -> list[str]:
    """Return what each run of a part printed."""
    return re.findall(r"(?s)```text\n(.*?)\n```", part)


def rendered(template: str, page: str, *, spread: bool = False) -> str:
    """Return the template with the figures of the page of results in it.

    With `spread` a figure of which several runs printed different values is "lowest–highest".
    """
    parts = parts_of(page)

    def figure(match: re.Match[str]) -> str:
        name = match[1]
        if name not in FIGURES:
            raise SystemExit(f"a template asks for {name}, which {Path(__file__).name} lacks")
        part, pattern = FIGURES[name]
        found = [re.search(pattern, run, re.MULTILINE) for run in runs_of(parts.get(part, ""))]
        values = [match[1] for match in found if match is not None]
        if not values or len(values) < len(found):
            raise SystemExit(
                f"{RESULTS.name} does not say {name}: run {Path(__file__).name} {part}"
            )
        if not spread or len(set(values)) == 1:
            return values[0]
        ranked = sorted(values, key=lambda value: float(value.replace(",", "")))
        return f"{ranked[0]}–{ranked[-1]}"

    return re.sub(r"\{(\w+)\}", figure, template)


def renewed(target: Path, page: str) -> str:
    """Return a page that shows figures, with those of the page of results."""
    head, rest = target.read_text(encoding="utf-8").split(BEGIN, 1)
    _, tail = rest.split(END, 1)
    template = TEMPLATES[target].read_text(encoding="utf-8")
    figures = rendered(template, page, spread=target == RESULTS).strip()
    return f"{head}{BEGIN}\n{figures}\n{END}{tail}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("parts", nargs="*", help="by default all")
    parser.add_argument("--runs", type=int, default=1, help="so many of each part")
    parser.add_argument("--readme", action="store_true", help="run nothing, renew README's figures")
    parser.add_argument("--list", action="store_true", help="print the names of the parts")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    if options.list:
        print("\n".join(PARTS))
        return
    for name in [] if options.readme else options.parts or PARTS:
        part = measured(name, options.runs)  # the page may be edited meanwhile
        page = put(RESULTS.read_text(encoding="utf-8"), name, part)
        RESULTS.write_text(page, encoding="utf-8")
    page = RESULTS.read_text(encoding="utf-8")
    for target in TEMPLATES:
        target.write_text(renewed(target, page), encoding="utf-8")


if __name__ == "__main__":
    main()
