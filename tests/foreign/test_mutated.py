"""Files of other programs with flipped bits, cuts and forged counts: refused, or answered."""

from __future__ import annotations

import json
import pickle
import random
import struct
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.svm import LinearSVC

import linnet
from linnet.errors import LinnetError

from .test_crfsuite import sentences
from .test_svmlight import points, svmlight_text
from .texts import labelled, texts

COUNT = 400
FORGED = (0, 1, -1, 2**31 - 1, -(2**31), 255, 65536, 10**6)


def fasttext_files(folder: Path, quantised: bool = False) -> list[Path]:
    fasttext = pytest.importorskip("fasttext")
    if not hasattr(fasttext, "train_supervised"):
        pytest.skip("this fasttext cannot train")
    data = folder / "train.txt"
    rows = labelled(600, 0, 3)
    data.write_text("".join(f"__label__{label} {text}\n" for label, text in rows), "utf-8")
    made = []
    for name, loss in (("a", "softmax"), ("b", "hs"), ("c", "ova")):
        model = fasttext.train_supervised(
            str(data), loss=loss, dim=6, minn=2, maxn=3, wordNgrams=2, bucket=500, epoch=2,
            thread=1, verbose=0,
        )  # fmt: skip
        if quantised:
            model.quantize(str(data), cutoff=300, retrain=False, qnorm=name != "a")
        made.append(folder / f"{name}{'.ftz' if quantised else '.bin'}")
        model.save_model(str(made[-1]))
    return made


def crfsuite_files(folder: Path) -> list[Path]:
    pycrfsuite = pytest.importorskip("pycrfsuite")
    trainer = pycrfsuite.Trainer(verbose=False, params={"max_iterations": 5})
    for items, tags in sentences(40, 0):
        trainer.append(items, tags)
    trainer.train(str(folder / "m.crfsuite"))
    return [folder / "m.crfsuite"]


def liblinear_files(folder: Path) -> list[Path]:
    path = folder / "m.model"
    weights = np.random.default_rng(0).normal(size=(7, 3)).round(4)
    rows = "\n".join(" ".join(map(str, row)) for row in weights.tolist())
    head = "solver_type L2R_LR\nnr_class 3\nlabel 4 -1 7\nnr_feature 6\nbias 1\nw\n"
    path.write_text(head + rows + "\n")
    return [path]


def svmlight_files(folder: Path) -> list[Path]:
    made = []
    for number, kernel in enumerate(("linear", "polynomial", "gaussian")):
        machine = linnet.KernelSVM(0.5, kernel=kernel, gamma=1.0).fit(*points(30))
        made.append(folder / f"{kernel}.model")
        made[-1].write_text(svmlight_text(machine, number))
    return made


def pickled_files(folder: Path, by_joblib: bool = False) -> list[Path]:
    joblib = pytest.importorskip("joblib")
    rows = labelled(60, 0, 3)
    X, y = [text for _, text in rows], [label for label, _ in rows]
    words = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(X, y)
    calibrated = CalibratedClassifierCV(LinearSVC(), cv=2, method="isotonic")
    letters = FeatureUnion([("w", CountVectorizer()), ("h", HashingVectorizer(n_features=64))])
    joined = make_pipeline(letters, calibrated).fit(X, y)
    if by_joblib:
        made = [folder / name for name in ("m.joblib", "union.joblib", "m.joblib.gz")]
        for model, path in zip((words, joined, words), made, strict=True):
            joblib.dump(model, path)
        return made
    (folder / "m.pkl").write_bytes(pickle.dumps(words))
    (folder / "old.pkl").write_bytes(pickle.dumps(joined, 2))
    return [folder / name for name in ("m.pkl", "old.pkl")]


def wapiti_files(folder: Path) -> list[Path]:
    return [Path(__file__).parent / "wapiti" / f"{name}.wapiti" for name in ("crf", "memm")]


def perceptron_files(folder: Path, pickled: bool = False) -> list[Path]:
    words = ["cat", "sat", "the", "1991"]
    weights = {f"i word {w}": {"N": 1.5 * k, "V": 2.0 - k} for k, w in enumerate(words)}
    value = {"weights": weights, "tagdict": {"the": "D"}, "classes": ["D", "N", "V"]}
    if pickled:
        triple = (weights, value["tagdict"], set(value["classes"]))
        (folder / "m.pickle").write_bytes(pickle.dumps(triple, 2))
        return [folder / "m.pickle"]
    (folder / "m.json").write_text(json.dumps(value))
    more = {f"i-1 word {w} of {k}": {"N": k / 7} for k in range(40) for w in words}
    (folder / "long.json").write_text(json.dumps({**value, "weights": weights | more}, indent=1))
    return [folder / "m.json", folder / "long.json"]


FORMATS = {
    "fastText .bin": (fasttext_files, texts(60)),
    "fastText .ftz": (partial(fasttext_files, quantised=True), texts(60)),
    "CRFsuite": (crfsuite_files, [items for items, _ in sentences(20, 1)]),
    "LIBLINEAR": (liblinear_files, np.eye(6)),
    "SVMlight": (svmlight_files, points(5)[0]),
    "Wapiti": (wapiti_files, [[("The", "cap"), ("cat", "low"), ("12x", "low")]] * 3),
    "perceptron JSON": (perceptron_files, [["the", "cat", "sat", "1991"]] * 3),
    "perceptron pickle": (partial(perceptron_files, pickled=True), [["the", "cat", "1991"]] * 3),
    "scikit-learn pickle": (pickled_files, texts(60)),
    "scikit-learn joblib": (partial(pickled_files, by_joblib=True), texts(60)),
}


def mutated(raw: bytes, rng: random.Random) -> bytes:
    """Return the bytes of a file with something wrong in it."""
    kind = rng.choice(("flip", "flips", "cut", "forge", "forge head", "swap", "repeat"))
    data = bytearray(raw)
    at = rng.randrange(len(data))
    if kind in ("flip", "flips"):
        for _ in range(1 if kind == "flip" else 30):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif kind == "cut":
        del data[at:]
    elif kind.startswith("forge"):
        at = 4 * rng.randrange(min(24, len(data) // 4)) if kind == "forge head" else at
        data[at : at + 4] = struct.pack("<i", rng.choice(FORGED))
    else:
        other = rng.randrange(len(data))
        data[at : at + 64] = raw[other : other + 64]
    return bytes(data)


def asked(model: Any, X: Any, stored: Path | None = None) -> None:
    """Ask a model everything; answers must be numbers, and those of the stored model the same."""
    first = list(model.predict(X[:1]))  # for which not all of a file need be read
    answers = model.predict(X)
    assert len(answers) == len(X) and list(answers[:1]) == first
    if stored is not None:
        linnet.save(model, stored)
        assert list(linnet.load(stored).predict(X)) == list(answers)
    if not hasattr(model, "kind"):
        return
    if model.kind == "sequence" and model.probabilistic:
        tables = model.predict_marginals(X)
        assert all(np.isfinite(table).all() for table in tables)
    elif model.kind != "sequence":
        assert np.isfinite(model.predict_proba(X)).all()
    model.explain(X[0])
    model.card()


@pytest.mark.parametrize("name", FORMATS)
def test_a_mutated_file_is_refused_or_answers_with_numbers(name: str, tmp_path: Path) -> None:
    make, X = FORMATS[name]
    refused = answered = 0
    for number, path in enumerate(make(tmp_path)):
        raw = path.read_bytes()
        forged = tmp_path / f"forged{path.suffix}"
        for case in range(COUNT):
            forged.write_bytes(mutated(raw, random.Random(f"{number} {case}")))
            try:
                asked(linnet.load(forged), X, tmp_path / "own.linnet" if case % 10 == 0 else None)
                answered += 1
            except LinnetError:
                refused += 1
    assert refused > 50 and answered > 10  # it tries both


@pytest.mark.parametrize("name", FORMATS)
def test_a_model_of_another_program_is_stored_and_forged_like_ours(
    name: str, tmp_path: Path
) -> None:
    make, X = FORMATS[name]
    for path in make(tmp_path):
        linnet.save(linnet.load(path), tmp_path / "own.linnet")
        raw = (tmp_path / "own.linnet").read_bytes()
        forged = tmp_path / "forged.linnet"
        for case in range(60):
            forged.write_bytes(mutated(raw, random.Random(f"{path.name} {case}")))
            try:
                asked(linnet.load(forged), X)
            except LinnetError:
                continue
