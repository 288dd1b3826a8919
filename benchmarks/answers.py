"""Does a change to the code change an answer? The answers of every learner as checksums.

Every learner is trained on real data and predicts the test part; labels and probabilities are
hashed bit for bit. Run it before and after a change that should change nothing:

    python benchmarks/answers.py --write before.json
    python benchmarks/answers.py --compare before.json
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import linnet
from real_data import data_root

N_TEXTS, N_NEIGHBOURS = 3000, 600  # training examples: of linear learners, and of the others
N_ROWS, N_SENTENCES = 4000, 400

TEXT_LEARNERS: dict[str, Callable[[], Any]] = {
    "MultinomialNB": linnet.MultinomialNB,
    "BernoulliNB": linnet.BernoulliNB,
    "Perceptron": lambda: linnet.Perceptron(random_state=0),
    "MIRA": lambda: linnet.MIRA(random_state=0),
    "MaxEnt": lambda: linnet.MaxEnt(random_state=0),
    "SVM": lambda: linnet.SVM(random_state=0),
    "SVM squared hinge": lambda: linnet.SVM(loss="squared_hinge", multi_class="ovr"),
}
WHOLE_LEARNERS: dict[str, Callable[[], Any]] = {
    "MemoryBased": lambda: linnet.MemoryBased(metric="cosine", k=3),
    "KernelPerceptron": lambda: linnet.KernelPerceptron(random_state=0),
    "KernelSVM": linnet.KernelSVM,
}
ROW_LEARNERS = {
    "MemoryBased": linnet.MemoryBased,
    "DecisionTree": linnet.DecisionTree,
    **TEXT_LEARNERS,
}
TAG_LEARNERS: dict[str, Callable[[], Any]] = {
    "CRF": lambda: linnet.CRF(max_iter=30),
    "MEMM": lambda: linnet.MEMM(max_iter=30),
    "HMM": linnet.HMM,
    "LocalTagger": lambda: linnet.LocalTagger(linnet.MaxEnt(random_state=0)),
    "StructuredPerceptron": lambda: linnet.StructuredPerceptron(max_iter=3, random_state=0),
    "StructuredMIRA": lambda: linnet.StructuredMIRA(max_iter=3, random_state=0),
    "StructuredSVM": lambda: linnet.StructuredSVM(max_iter=3, random_state=0),
}


def digest(*arrays: Any) -> str:
    """Return a checksum of arrays and of lists, bit for bit."""
    total = hashlib.sha256()
    for array in arrays:
        if isinstance(array, np.ndarray) and array.dtype != object:
            total.update(f"{array.dtype.kind} {array.shape}".encode() + array.tobytes())
        else:
            total.update(json.dumps(array.tolist() if hasattr(array, "tolist") else array).encode())
    return total.hexdigest()[:16]


def texts(name: str, part: str) -> tuple[list[str], list[str]]:
    with gzip.open(data_root() / name / f"{part}.tsv.gz", "rt", encoding="utf-8") as lines:
        pairs = [line.rstrip("\n").split("\t", 1) for line in lines]
    order = np.random.default_rng(0).permutation(len(pairs))
    return [pairs[i][1] for i in order], [pairs[i][0] for i in order]


def of_texts(name: str) -> Iterator[tuple[str, str]]:
    X, y = texts(name, "train")
    X_test = texts(name, "test")[0][:1000]
    for learners, count in ((TEXT_LEARNERS, N_TEXTS), (WHOLE_LEARNERS, N_NEIGHBOURS)):
        for learner, make in learners.items():
            clf = linnet.TextClassifier(make()).fit(X[:count], y[:count])
            labels, probability = clf.predict(X_test), clf.predict_proba(X_test)
            again = reloaded(clf).predict(X_test)
            yield (
                f"{name} {learner}",
                digest(labels, probability, again, clf.predict_top(X_test)[0]),
            )


def of_rows() -> Iterator[tuple[str, str]]:
    def read(part: str) -> tuple[list[list[str]], list[str]]:
        with open(data_root() / "ppattach" / part, encoding="utf-8") as lines:
            rows = [line.split() for line in lines]
        return [row[1:5] for row in rows], [row[5] for row in rows]

    X, y = read("training")
    X_test = read("test")[0]
    for learner, make in ROW_LEARNERS.items():
        clf = linnet.RowClassifier(make()).fit(X[:N_ROWS], y[:N_ROWS])
        labels, probability = clf.predict(X_test), clf.predict_proba(X_test)
        yield f"ppattach {learner}", digest(labels, probability, reloaded(clf).predict(X_test))


def of_sentences() -> Iterator[tuple[str, str]]:
    folder = data_root() / "conll2000"
    train = linnet.data.read_sequences(next(folder.glob("train*")))
    test = linnet.data.read_sequences(next(folder.glob("test*")))
    X, y, X_test = pairs(train)[:N_SENTENCES], train.tags[:N_SENTENCES], pairs(test)[:500]
    for learner, make in TAG_LEARNERS.items():
        tagger = linnet.SequenceTagger(make()).fit(X, y)
        answers: list[Any] = [tagger.predict(X_test), reloaded(tagger).predict(X_test)]
        if hasattr(make(), "predict_marginals"):
            answers += tagger.predict_marginals(X_test[:50])
        if learner != "LocalTagger":
            ranked = tagger.predict_nbest(X_test[:20], 3)
            answers.append([[labels for _, labels in best] for best in ranked])
        yield f"conll2000 {learner}", digest(*answers)


def pairs(data: Any) -> list[list[tuple[str, ...]]]:
    columns = [column.to_list() for column in data.inputs.values()]
    tokens = list(zip(*columns, strict=True))
    return [tokens[a:b] for a, b in zip(data.offset[:-1], data.offset[1:], strict=True)]


def reloaded(model: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.linnet"
        model.save(path)
        return linnet.load(path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", help="write the checksums here")
    parser.add_argument("--compare", help="compare with these")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sums: dict[str, str] = {}
    before = json.loads(Path(options.compare).read_text()) if options.compare else {}
    sources = (of_rows(), of_sentences(), of_texts("newsgroups20"), of_texts("imdb"))
    for source in sources:
        for name, value in source:
            sums[name] = value
            same = "" if not before else "same" if before.get(name) == value else "DIFFERENT"
            print(f"{name:40s}{value}  {same}", flush=True)
    if options.write:
        Path(options.write).write_text(json.dumps(sums, indent=1))
    different = sum(before.get(name) != value for name, value in sums.items())
    if before:
        print(f"{len(sums)} learners on data: {different} give other answers")
    return int(bool(before) and different > 0)


if __name__ == "__main__":
    sys.exit(main())
