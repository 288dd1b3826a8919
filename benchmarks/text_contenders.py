"""From a TSV file to test predictions: linnet and its peers, each doing all the work itself.

A contender is a function (train file, test file, folder) -> (predicted labels, seconds by stage).
Each runs in a process of its own; importing is not counted, everything after it is. What a peer
needs in Python (tokens for fastText, its own format for Vowpal Wabbit) is counted as its users
must do it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

Answer = tuple[list[str], dict[str, float]]
WORDS = re.compile(r"\w\w+")


class Clock:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, stage: str) -> None:
        now = perf_counter()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._last
        self._last = now


def read_tsv(path: Path) -> tuple[list[str], list[str]]:
    labels, texts = [], []
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            label, _, text = line.rstrip("\n").partition("\t")
            labels.append(label)
            texts.append(text)
    return labels, texts


def with_linnet(train: Path, test: Path, folder: Path, **parameters: object) -> Answer:
    import linnet.model.text_classifier
    from linnet.data.examples import read_examples
    from linnet.learn.svm import SVM

    clock = Clock()
    data = read_examples(train)
    clock.lap("read")
    model = linnet.TextClassifier(
        SVM(loss="squared_hinge", multi_class="ovr", tol=1e-3),
        **{"features": "words", **parameters},
    ).fit(data.X, data.y)
    clock.lap("features and training")
    new = read_examples(test)
    clock.lap("read")
    predicted = model.predict(new.X).tolist()
    clock.lap("predict")
    return predicted, clock.seconds


def with_sklearn(name: str, train: Path, test: Path, folder: Path) -> Answer:
    from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    hashing = name.startswith("hashing")
    learner = LogisticRegression(max_iter=200) if "Logistic" in name else LinearSVC()
    vectorizer = (HashingVectorizer if hashing else TfidfVectorizer)(ngram_range=(1, 2))
    clock = Clock()
    y, texts = read_tsv(train)
    clock.lap("read")
    X = vectorizer.fit_transform(texts)
    clock.lap("features")
    learner.fit(X, y)
    clock.lap("training")
    _, texts = read_tsv(test)
    clock.lap("read")
    X = vectorizer.transform(texts)
    clock.lap("features")
    predicted = learner.predict(X).tolist()
    clock.lap("predict")
    return predicted, clock.seconds


def with_fasttext(threads: int, train: Path, test: Path, folder: Path) -> Answer:
    import fasttext

    clock = Clock()
    y, texts = read_tsv(train)
    file = folder / "fasttext.txt"
    with file.open("w", encoding="utf-8") as out:
        for label, text in zip(y, texts, strict=True):
            out.write(f"__label__{label} {' '.join(WORDS.findall(text.lower()))}\n")
    clock.lap("tokens")
    model = fasttext.train_supervised(
        str(file), epoch=5, lr=0.5, wordNgrams=2, thread=threads, verbose=0, seed=1
    )
    clock.lap("training")
    _, texts = read_tsv(test)
    lines = [" ".join(WORDS.findall(text.lower())) for text in texts]
    clock.lap("tokens")
    labels, _ = model.predict(lines)
    predicted = [found[0].removeprefix("__label__") for found in labels]
    clock.lap("predict")
    return predicted, clock.seconds


def with_vw(passes: int, train: Path, test: Path, folder: Path) -> Answer:
    from vowpalwabbit import Workspace

    clock = Clock()
    classes = _to_vw(train, folder / "train.vw", None)
    clock.lap("conversion")
    model = folder / "model.vw"
    kind = "--loss_function logistic" if len(classes) == 2 else f"--oaa {len(classes)}"
    again = f"--passes {passes} --cache_file {folder / 'cache'} -k" if passes > 1 else ""
    common = "--ngram 2 -b 22 --quiet"
    Workspace(f"-d {folder / 'train.vw'} {kind} {common} {again} -f {model}").finish()
    clock.lap("training")
    _to_vw(test, folder / "test.vw", classes)
    clock.lap("conversion")
    answers = folder / "answers.txt"
    Workspace(f"-t -d {folder / 'test.vw'} -i {model} --quiet -p {answers}").finish()
    found = [float(line.split()[0]) for line in answers.read_text().splitlines()]
    if len(classes) == 2:
        predicted = [classes[score > 0] for score in found]
    else:
        predicted = [classes[int(number) - 1] for number in found]
    clock.lap("predict")
    return predicted, clock.seconds


def _to_vw(source: Path, target: Path, classes: list[str] | None) -> list[str]:
    """Write Vowpal Wabbit's own format, in a random order: it learns as it reads."""
    import random

    y, texts = read_tsv(source)
    known = classes or sorted(set(y))
    number = {label: str(k + 1) for k, label in enumerate(known)}
    if len(known) == 2:
        number = {known[0]: "-1", known[1]: "1"}
    order = list(range(len(y)))
    if classes is None:
        random.Random(0).shuffle(order)
    with target.open("w", encoding="utf-8") as out:
        for row in order:
            out.write(f"{number[y[row]]} | {' '.join(WORDS.findall(texts[row].lower()))}\n")
    return known


CONTENDERS: dict[str, Callable[[Path, Path, Path], Answer]] = {
    "linnet": with_linnet,
    "linnet, C=1": lambda *files: with_linnet(*files, C=1.0),
    "linnet, hashing": lambda *files: with_linnet(*files, hashing=22),
    "scikit-learn TF-IDF + LinearSVC": lambda *files: with_sklearn("LinearSVC", *files),
    "scikit-learn hashing + LinearSVC": lambda *files: with_sklearn("hashing", *files),
    "fastText, 5 epochs, 2 threads": lambda *files: with_fasttext(2, *files),
    "Vowpal Wabbit, 1 pass": lambda *files: with_vw(1, *files),
    "Vowpal Wabbit, 5 passes": lambda *files: with_vw(5, *files),
}
