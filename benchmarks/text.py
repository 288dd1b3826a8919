"""How fast is text? linnet and its peers side by side, in one run, accuracy beside each time.

    python benchmarks/text.py                        # everything (several minutes)
    python benchmarks/text.py features predict       # some questions only
    python benchmarks/text.py --data newsgroups20 end_to_end

The questions: features (matrices equal?), end_to_end (TSV to test predictions), predict (documents
a second on one core), filter (memory whatever the input's size), start (one line, from process
start to answer).
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from real_data import data_root
from text_contenders import CONTENDERS, WORDS, read_tsv
from timing import at_hand, best_of

STARTER = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""
ROUNDS = 5  # runs of every contender from a file to predictions
QUESTIONS = ("features", "end_to_end", "predict", "filter", "start")


def plain_files(data: str, folder: Path) -> tuple[Path, Path]:
    """Unpack a data set once, so that nobody is timed on gzip."""
    files = []
    for part in ("train", "test"):
        path = folder / f"{part}.tsv"
        path.write_bytes(gzip.decompress((data_root() / data / f"{part}.tsv.gz").read_bytes()))
        files.append(path)
    return files[0], files[1]


def line(name: str, seconds: float, ratio: float | None, more: str = "", target: float = 0) -> None:
    shown = "" if ratio is None else f"{ratio:8.1f}x"
    if target:
        shown += f" (wanted {target:g}{', reached' if ratio and ratio >= target else ', MISSED'})"
    print(f"  {name:<36} {seconds:8.3f} s {shown}  {more}", flush=True)


def features(train: Path) -> None:
    from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer

    from linnet.text import TextFeatures

    print("features: the training part, 1-2-grams")
    _, texts = read_tsv(train)
    pairs = (
        (TextFeatures(weighting="tfidf", ngrams=(1, 2)), TfidfVectorizer(ngram_range=(1, 2)), 25),
        (TextFeatures(hashing=20, ngrams=(1, 2)), HashingVectorizer(ngram_range=(1, 2)), 10),
    )
    for ours, theirs, target in pairs:
        seconds, X = best_of(5, lambda ours=ours: ours.fit_transform(texts))
        peer, Y = best_of(5, lambda theirs=theirs: theirs.fit_transform(texts))
        apart = abs(X - Y).max() if X.shape == Y.shape else float("inf")
        line(type(theirs).__name__, peer, None)
        line("linnet", seconds, peer / seconds, f"largest difference {apart:.1e}", target)


def end_to_end(train: Path, test: Path, only: str | None = None) -> None:
    print(f"end to end: from the TSV file to predictions of the test file, best of {ROUNDS} each")
    gold, _ = read_tsv(test)
    targets = {"scikit-learn TF-IDF": 15, "fastText": 4, "Vowpal Wabbit, 1": 2.5}
    names = [name for name in CONTENDERS if not only or only in name]
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for _ in range(ROUNDS):  # by turns, so that a slow minute is everybody's
        for name in names:
            at_hand(1024)
            runs[name].append(_alone(name, train, test))
    ours = 0.0
    for name in names:
        run = min(runs[name], key=lambda found: found["total"])
        right = 100 * sum(a == b for a, b in zip(gold, run["predicted"], strict=True)) / len(gold)
        stages = ", ".join(f"{stage} {value:.2f}" for stage, value in run["seconds"].items())
        ours = ours or run["total"]
        target = next((t for start, t in targets.items() if name.startswith(start)), 0)
        ratio = None if name.startswith("linnet") else run["total"] / ours
        line(name, run["total"], ratio, f"{right:.2f} %, {run['peak']:.0f} MB ({stages})", target)


def _alone(name: str, train: Path, test: Path) -> dict[str, Any]:
    """Run one contender in a process of its own."""
    command = [sys.executable, __file__, "--contender", name, str(train), str(test)]
    # An installed package has its bytecode; one that is read from its sources shall write it once.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    run = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    output = run.stdout
    return json.loads(output.splitlines()[-1])


def run_contender(name: str, train: Path, test: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        predicted, seconds = CONTENDERS[name](train, test, Path(folder))
    peak = _own_peak()
    total = sum(seconds.values())
    print(json.dumps({"predicted": predicted, "seconds": seconds, "total": total, "peak": peak}))


def _own_peak() -> float:
    """Return the peak memory of this process in MB; getrusage would count its parent's as well."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def predict(train: Path, test: Path, folder: Path) -> None:
    import fasttext
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    import linnet

    print("predict: the test part as a list of texts, one thread")
    y, texts = read_tsv(train)
    _, new = read_tsv(test)
    linnet.TextClassifier(C=1.0, features="words").fit(texts, y).save(folder / "bulk.linnet")
    model = linnet.load(folder / "bulk.linnet")
    model.n_threads = 1
    seconds, _ = best_of(5, lambda: model.predict(new))
    pipeline = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LinearSVC()).fit(texts, y)
    sklearn_seconds, _ = best_of(5, lambda: pipeline.predict(new))
    file = folder / "bulk.txt"
    tokens = [" ".join(WORDS.findall(text.lower())) for text in texts]
    file.write_text("".join(f"__label__{a} {b}\n" for a, b in zip(y, tokens, strict=True)))
    fast = fasttext.train_supervised(str(file), epoch=1, wordNgrams=2, thread=2, verbose=0)
    ready = [" ".join(WORDS.findall(text.lower())) for text in new]
    fast_seconds, _ = best_of(5, lambda: fast.predict(ready))
    n = len(new)
    line("scikit-learn pipeline", sklearn_seconds, None, f"{n / sklearn_seconds:,.0f} texts/s")
    line("fastText predict (tokens ready)", fast_seconds, None, f"{n / fast_seconds:,.0f} texts/s")
    line("linnet, against scikit-learn", seconds, sklearn_seconds / seconds,
         f"{n / seconds:,.0f} texts/s", 20)  # fmt: skip
    line("linnet, against fastText", seconds, fast_seconds / seconds, "", 5)


def filtering(train: Path, folder: Path) -> None:
    """Print the peak memory of `linnet filter` on inputs of growing size."""
    import linnet

    print("filter: peak memory, whatever the size of the input")
    y, texts = read_tsv(train)
    model = folder / "filter.linnet"
    linnet.TextClassifier(C=1.0, features="words").fit(texts[::5], y[::5]).save(model)
    label = sorted(set(y))[0]
    for copies in (1, 4, 16):
        crawl, kept = folder / "crawl.jsonl", folder / f"kept{copies}"
        with crawl.open("w", encoding="utf-8") as out:
            for _ in range(copies):
                out.writelines(json.dumps({"text": text}) + "\n" for text in texts)
        command = ["filter", str(model), str(crawl), "-o", str(kept), "--keep", f"{label}>=0.9"]
        began = perf_counter()
        peak = _peak_of([*linnet_command(), *command])
        seconds, size = perf_counter() - began, crawl.stat().st_size / 1e6
        line(
            f"{size:.0f} MB of JSONL",
            seconds,
            None,
            f"{size / seconds:.0f} MB/s, peak {peak:.0f} MB",
        )


def _peak_of(command: list[str]) -> float:
    """Run a command and return its peak memory in MB.

    A small process starts it: the peak of one that starts another counts for that one, too.
    """
    started = [sys.executable, "-c", STARTER, *command]
    done = subprocess.run(started, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr or "failed")
    return float(done.stdout)


def linnet_command() -> list[str]:
    script = Path(sys.executable).with_name("linnet")
    if script.exists():
        return [str(script)]
    return [sys.executable, "-c", "from linnet.cli import main; main()"]


def start(train: Path, folder: Path) -> None:
    import linnet

    print("start: one line through `linnet predict`, from process start to answer")
    y, texts = read_tsv(train)
    model = folder / "start.linnet"
    linnet.TextClassifier(C=1.0, features="words").fit(texts, y).save(model)
    numpy = [sys.executable, "-c", "import numpy"]
    predict_one = [*linnet_command(), "predict", str(model)]
    # An installed package has its bytecode; one that is read from its sources may not write it.
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    quiet: dict[str, Any] = {
        "check": True, "capture_output": True, "input": b"a fine film\n", "env": environment,
    }  # fmt: skip
    base, _ = best_of(15, lambda: subprocess.run(numpy, **quiet))
    ours, _ = best_of(15, lambda: subprocess.run(predict_one, **quiet))
    line('python -c "import numpy"', base, None)
    verdict = "reached" if ours < 3 * base else "MISSED"
    size = model.stat().st_size / 1e6
    line(
        "linnet predict",
        ours,
        None,
        f"{ours / base:.2f} of it (wanted < 3, {verdict}), {size:.0f} MB model",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("questions", nargs="*", help=f"of {', '.join(QUESTIONS)}")
    parser.add_argument("--data", default="imdb")
    parser.add_argument("--only", help="contenders whose name holds this")
    parser.add_argument("--contender", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contender:
        run_contender(options.contender, *map(Path, options.questions))
        return
    wanted = options.questions or QUESTIONS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        train, test = plain_files(options.data, folder)
        print(f"{options.data}, {os.cpu_count()} cores")
        if "features" in wanted:
            features(train)
        if "end_to_end" in wanted:
            end_to_end(train, test, options.only)
        if "predict" in wanted:
            predict(train, test, folder)
        if "filter" in wanted:
            filtering(train, folder)
        if "start" in wanted:
            start(train, folder)


if __name__ == "__main__":
    main()
