"""How fast are sequences? linnet and CRFsuite side by side, in one run.

    python benchmarks/sequences.py                 # everything (several minutes)
    python benchmarks/sequences.py crf perceptron  # some questions only

conll2000 with CRFsuite's usual chunking features, c2 = 1 (C = 1/2). The questions: crf (seconds
until the objective is CRFsuite's final one, within 1e-4), perceptron (ten epochs, averaged), svm
(passes and seconds until the duality gap is 10, 1 and 0.1 % of the objective, and what is right on
the way), tagging (tokens a second on one core, features ready), raw (the same from words and parts
of speech, features included), memory (peak of a process that reads the file and trains), file (size
of a saved chunker with default features and its F1 as loaded). CRF++ and Wapiti are asked for their
seconds an iteration where `crf_learn` and `wapiti` are installed.
"""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from real_data import data_root
from timing import best_of

QUESTIONS = ("crf", "perceptron", "svm", "tagging", "raw", "memory", "file", "others")
Sentences = list[list[list[str]]]


def read_columns(path: Path) -> Sentences:
    sentences: Sentences = [[]]
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                sentences[-1].append(line.split())
            elif sentences[-1]:
                sentences.append([])
    return [sentence for sentence in sentences if sentence]


def token_features(sentence: list[list[str]], i: int) -> list[str]:
    """CRFsuite's usual chunking features of one token."""
    n = len(sentence)
    found = []
    for d in range(-2, 3):
        if 0 <= i + d < n:
            found += [f"w[{d}]={sentence[i + d][0]}", f"pos[{d}]={sentence[i + d][1]}"]
    for d in (-1, 0):
        if 0 <= i + d and i + d + 1 < n:
            found.append(f"w[{d}]|w[{d + 1}]={sentence[i + d][0]}|{sentence[i + d + 1][0]}")
    for size, first in ((2, range(-2, 2)), (3, range(-2, 1))):
        for d in first:
            if 0 <= i + d and i + d + size <= n:
                tags = "|".join(sentence[i + d + k][1] for k in range(size))
                found.append(f"pos{size}[{d}]={tags}")
    return found + ["__BOS__"] * (i == 0) + ["__EOS__"] * (i == n - 1)


def load() -> dict[str, Any]:
    data: dict[str, Any] = {}
    for part in ("train", "test"):
        sentences = read_columns(data_root() / "conll2000" / f"{part}.txt.gz")
        data[f"X_{part}"] = [[token_features(s, i) for i in range(len(s))] for s in sentences]
        data[f"y_{part}"] = [[token[2] for token in s] for s in sentences]
    return data


def ragged(X: Any, learner: Any | None) -> Any:
    """Give the core's arrays, so that nobody is timed on Python lists."""
    from linnet.learn.chain.sentences import read_sentences

    return read_sentences(X, learner)


def crfsuite(data: dict[str, Any], algorithm: str, **parameters: Any) -> tuple[float, float, Any]:
    """Train CRFsuite; return seconds of training, its final objective and a tagger."""
    import pycrfsuite

    class Log(pycrfsuite.Trainer):  # type: ignore[misc]
        loss = float("nan")

        def message(self, text: str) -> None:
            if text.startswith("Loss:"):
                Log.loss = float(text.split(":")[1])

    trainer = Log(algorithm, parameters)
    for x, y in zip(data["X_train"], data["y_train"], strict=True):
        trainer.append(x, y)
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "model")
        began = perf_counter()
        trainer.train(model)
        seconds = perf_counter() - began
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        return seconds, Log.loss, tagger


def accuracy(guess: list[list[str]], gold: list[list[str]]) -> float:
    pairs = [(a, b) for x, y in zip(guess, gold, strict=True) for a, b in zip(x, y, strict=True)]
    return 100 * sum(a == b for a, b in pairs) / len(pairs)


def line(name: str, seconds: float, more: str = "", ratio: float = 0, target: float = 0) -> None:
    shown = f"{ratio:6.1f}x" if ratio else ""
    if target:
        shown += f" (wanted {target:g}, {'reached' if ratio >= target else 'MISSED'})"
    print(f"  {name:<34} {seconds:9.3f} s  {shown}  {more}", flush=True)


def crf(data: dict[str, Any], X: Any, X_test: Any) -> None:
    import linnet

    print("crf: L-BFGS until CRFsuite's final objective, within 1e-4")
    peer, loss, tagger = crfsuite(data, "lbfgs", c2=1.0)
    theirs = accuracy([tagger.tag(x) for x in data["X_test"]], data["y_test"])
    line("CRFsuite", peer, f"objective {loss:.1f}, {theirs:.2f} % of tokens")
    for threads, target in ((1, 4), (2, 8)):
        model = linnet.CRF(C=0.5, n_threads=threads).fit(X, data["y_train"])
        objective = 2 * model.history_["objective"]
        reached = np.flatnonzero(objective <= loss * (1 + 1e-4))
        seconds = model.history_["seconds"][reached[0]] if len(reached) else float("inf")
        right = accuracy(model.predict(X_test), data["y_test"])
        more = (
            f"then to {objective[-1]:.1f} in {model.history_['seconds'][-1]:.1f} s, {right:.2f} %"
        )
        line(f"linnet, {threads} thread(s)", seconds, more, peer / seconds, target)


def perceptron(data: dict[str, Any], X: Any, X_test: Any) -> None:
    import linnet

    print("perceptron: ten epochs, averaged, the better of two runs each")
    first, _, tagger = crfsuite(data, "averaged-perceptron", max_iterations=10, epsilon=0.0)
    second, _, tagger = crfsuite(data, "averaged-perceptron", max_iterations=10, epsilon=0.0)
    peer = min(first, second)
    theirs = accuracy([tagger.tag(x) for x in data["X_test"]], data["y_test"])
    line("CRFsuite", peer, f"{theirs:.2f} % of tokens")
    model = linnet.StructuredPerceptron(max_iter=10, random_state=0)
    seconds, _ = best_of(2, lambda: model.fit(X, data["y_train"]))
    right = accuracy(model.predict(X_test), data["y_test"])
    line("linnet", seconds, f"{right:.2f} %", peer / seconds, 5)


def svm(data: dict[str, Any], X: Any, X_test: Any) -> None:
    import linnet

    print("svm: dual coordinate ascent, C = 1, until the gap is a share of the objective")
    for tol, target in ((0.1, 0), (0.01, 20), (0.001, 0)):
        model = linnet.StructuredSVM(tol=tol, random_state=0).fit(X, data["y_train"])
        right = accuracy(model.predict(X_test), data["y_test"])
        wanted = f" (wanted {target} at most)" if target else ""
        more = f"{model.n_iter_} passes{wanted}, gap {100 * model.optimality_:.3f} %, objective "
        more += f"{model.history_['objective'].min():.1f}, {right:.2f} %"
        line(f"linnet, tol={tol}", model.history_["seconds"][-1], more)


def tagging(data: dict[str, Any], X: Any, X_test: Any) -> None:
    import linnet

    print("tagging: tokens a second on one core, features ready")
    _, _, tagger = crfsuite(data, "averaged-perceptron", max_iterations=3)
    import pycrfsuite

    n = sum(len(sentence) for sentence in data["X_test"])
    items = [pycrfsuite.ItemSequence(x) for x in data["X_test"]]
    peer, _ = best_of(5, lambda: [tagger.tag(x) for x in items])
    model = linnet.CRF(C=0.5, n_threads=1).fit(X, data["y_train"])
    seconds, _ = best_of(5, lambda: model.predict(X_test))
    line("CRFsuite", peer, f"{n / peer:,.0f} tokens/s")
    line("linnet", seconds, f"{n / seconds:,.0f} tokens/s", peer / seconds, 10)


def raw(data: dict[str, Any], X: Any, X_test: Any) -> None:
    import linnet

    print("raw: tokens a second on one core, from words and parts of speech to chunk tags")
    _, _, tagger = crfsuite(data, "averaged-perceptron", max_iterations=3)
    sentences = read_columns(data_root() / "conll2000" / "test.txt.gz")
    rows = [[(word, pos) for word, pos, _ in sentence] for sentence in sentences]
    n = sum(map(len, rows))
    peer, _ = best_of(
        5,
        lambda: [tagger.tag([token_features(s, i) for i in range(len(s))]) for s in sentences],
    )
    columns = read_columns(data_root() / "conll2000" / "train.txt.gz")
    model = linnet.SequenceTagger(
        linnet.StructuredPerceptron(max_iter=3), features="crfsuite_chunking",
        supply_columns=False, n_threads=1,
    )  # fmt: skip
    model.fit([[(w, p) for w, p, _ in s] for s in columns], [[c for _, _, c in s] for s in columns])
    seconds, _ = best_of(5, lambda: model.predict(rows))
    line("CRFsuite, features in Python", peer, f"{n / peer:,.0f} tokens/s")
    line("linnet", seconds, f"{n / seconds:,.0f} tokens/s", peer / seconds, 20)


def memory(data: dict[str, Any], X: Any, X_test: Any) -> None:
    print("memory: peak of a process that reads the file, makes features and trains a CRF")
    peaks = {}
    for name in ("crfsuite", "crfsuite-streamed", "linnet"):
        done = subprocess.run(
            [sys.executable, __file__, "--peak", name], capture_output=True, text=True, check=True
        )
        peaks[name] = float(done.stdout.split()[-1])
    share = peaks["linnet"] / peaks["crfsuite"]
    verdict = "reached" if share <= 0.5 else "MISSED"
    print(f"  CRFsuite, features of all sentences in lists {peaks['crfsuite']:6.0f} MB")
    print(f"  CRFsuite, one sentence at a time             {peaks['crfsuite-streamed']:6.0f} MB")
    print(f"  linnet                                       {peaks['linnet']:6.0f} MB")
    print(f"  share of the first {share:.2f} (wanted 0.5 at most, {verdict})")


def train_alone(name: str) -> None:
    """Train and print the peak memory of the process in MB."""
    path = data_root() / "conll2000" / "train.txt.gz"
    if name == "linnet":
        import linnet

        tagger = linnet.SequenceTagger(
            linnet.CRF(C=0.5), features="crfsuite_chunking", supply_columns=False
        )
        tagger.fit(linnet.data.read_sequences(path))
    else:
        import pycrfsuite

        trainer = pycrfsuite.Trainer("lbfgs", {"c2": 1.0, "max_iterations": 3}, verbose=False)
        sentences = read_columns(path)
        made = ([token_features(s, i) for i in range(len(s))] for s in sentences)
        for s, features in zip(
            sentences, made if name == "crfsuite-streamed" else list(made), strict=True
        ):
            trainer.append(features, [token[2] for token in s])
        with tempfile.TemporaryDirectory() as folder:
            trainer.train(str(Path(folder) / "model"))
    for entry in Path("/proc/self/status").read_text().splitlines():
        if entry.startswith("VmHWM"):  # the peak since this program began, not its parent's
            print(int(entry.split()[1]) / 1024)


def file(data: dict[str, Any], X: Any, X_test: Any) -> None:
    import linnet
    from linnet.evaluate import span_scores

    print("file: a chunker with default features, saved and loaded")
    paths = [data_root() / "conll2000" / f"{part}.txt.gz" for part in ("train", "test")]
    train, test = (linnet.data.read_sequences(path) for path in paths)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chunker.linnet"
        began = perf_counter()
        linnet.SequenceTagger(linnet.CRF()).fit(train).save(path)
        seconds, size = perf_counter() - began, path.stat().st_size / 1e6
        types = span_scores(test.tags or [], linnet.load(path).predict(test)).types.values()
    f1 = 2 * sum(t.correct for t in types) / sum(t.gold + t.guessed for t in types)
    verdict = "reached" if size <= 10 else "MISSED"
    print(f"  linnet {size:.1f} MB (wanted 10 at most, {verdict}), chunk F1 {100 * f1:.2f}, "
          f"trained and saved in {seconds:.1f} s")  # fmt: skip


TEMPLATE = "\n".join(
    [f"U{k}:%x[{d},{c}]" for k, (d, c) in enumerate((d, c) for c in (0, 1) for d in range(-2, 3))]
    + ["B", ""]
)


def others(data: dict[str, Any], X: Any, X_test: Any) -> None:
    """CRF++ and Wapiti make every (feature, label) pair, and are slow: a few iterations of each."""
    commands = {
        "CRF++": ["crf_learn", "-m", "5", "-p", "2", "template", "train", "model"],
        "Wapiti": ["wapiti", "train", "-i", "5", "-t", "2", "-p", "template", "train", "model"],
    }
    print("others: seconds for five iterations on two threads, simple templates")
    with tempfile.TemporaryDirectory() as folder:
        packed = (data_root() / "conll2000" / "train.txt.gz").read_bytes()
        (Path(folder) / "train").write_bytes(gzip.decompress(packed))
        (Path(folder) / "template").write_text(TEMPLATE, encoding="utf-8")
        for name, command in commands.items():
            if shutil.which(command[0]) is None:
                print(f"  {name} is not installed")
                continue
            began = perf_counter()
            subprocess.run(command, cwd=folder, capture_output=True, check=False)
            line(name, perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("questions", nargs="*", help=f"of {', '.join(QUESTIONS)}")
    parser.add_argument("--peak", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peak:
        train_alone(arguments.peak)
        return
    wanted = arguments.questions or QUESTIONS
    data = load()
    X, vocabulary = ragged(data["X_train"], None)
    X_test, _ = ragged(data["X_test"], vocabulary)
    print(
        f"conll2000, {X.sentence[-1]:,} tokens, {X.n_features:,} features, {os.cpu_count()} cores"
    )
    for question in (crf, perceptron, svm, tagging, raw, memory, file, others):
        if question.__name__ in wanted:
            question(data, X, X_test)


if __name__ == "__main__":
    main()
