"""Text models in files: the same bits elsewhere, and smaller files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import TextClassifier
from linnet.errors import ParameterError

from .made import bags_of, same_bits, texts_of

TEXTS, LABELS = texts_of(90)
NEW = [*texts_of(30, seed=2)[0], "", "unseen words only", "ÄPFEL crème brûlée"]
KINDS: dict[str, tuple[dict[str, Any], Any, Any]] = {
    "default": ({}, TEXTS, LABELS),
    "two classes": ({}, TEXTS[:60:3] + TEXTS[1:60:3], ["−"] * 20 + ["+"] * 20),
    "maxent": ({"learner": linnet.MaxEnt()}, TEXTS, LABELS),
    "hashing": ({"hashing": 10}, TEXTS, LABELS),
    "regex": ({"tokenizer": r"(?u)\w+"}, TEXTS, LABELS),
    "char": ({"tokenizer": "char_wb", "ngrams": (2, 4)}, TEXTS, LABELS),
    "abstain": ({"abstain": 0.8, "abstain_label": "¿?"}, TEXTS, LABELS),
    "numbers": ({"abstain": 0.8, "abstain_label": -1}, TEXTS, [len(v) for v in LABELS]),
    "truth": ({}, TEXTS, [v == "food" for v in LABELS]),
    "floats": ({}, TEXTS, [float(len(v)) for v in LABELS]),
    "multilabel": ({}, TEXTS, [[v, "all"] if i % 5 else [] for i, v in enumerate(LABELS)]),
    "cleaned": (
        {"html": True, "digits": True, "accents": "ascii", "stop_words": "english", "skip": 1},
        TEXTS,
        LABELS,
    ),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.linnet"


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.spec("C-28")
def test_a_loaded_model_gives_the_same_bits(name: str, path: Path) -> None:
    options, X, y = KINDS[name]
    clf = TextClassifier(**options).fit(X, y)
    clf.save(path)
    loaded = linnet.load(path)
    assert type(loaded) is linnet.Model
    same_bits(clf, clf.model_, NEW)
    same_bits(clf, loaded, NEW)
    assert loaded.explain(NEW[0]) == clf.explain(NEW[0])
    assert loaded.top_features(5) == clf.top_features(5)
    assert loaded.record_ == clf.record_ and loaded.card() == clf.card()
    again = path.with_name("again.linnet")
    loaded.save(again)
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("kind", ["bag", "vector"])
def test_bags_and_vectors_give_the_same_bits_too(kind: str, path: Path) -> None:
    matrix = TextClassifier().fit(TEXTS, LABELS).features_.transform(TEXTS)
    X, new = (matrix, matrix[:20]) if kind == "vector" else (bags_of(TEXTS), bags_of(NEW))
    clf = TextClassifier().fit(X, LABELS)
    clf.save(path)
    loaded = linnet.load(path)
    assert loaded.kind == kind
    same_bits(clf, loaded, new)


def test_another_process_gives_the_same_bits(path: Path) -> None:
    models = {}
    for name in ("default", "two classes", "hashing", "multilabel", "abstain"):
        options, X, y = KINDS[name]
        models[name] = TextClassifier(**options).fit(X, y)
        models[name].save(path.with_name(f"{name}.linnet"))
    code = (
        "import json, linnet, sys\n"
        "folder, names, texts = json.load(sys.stdin)\n"
        "found = {}\n"
        "for name in names:\n"
        "    model = linnet.load(f'{folder}/{name}.linnet')\n"
        "    scores, chances = model.decision_function(texts), model.predict_proba(texts)\n"
        "    found[name] = [[v.hex() for v in scores.ravel().tolist()],\n"
        "                   [v.hex() for v in chances.ravel().tolist()],\n"
        "                   model.predict(texts).tolist()]\n"
        "print(json.dumps(found))"
    )
    sent = json.dumps([str(path.parent), list(models), NEW])
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=sent,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    found = json.loads(done.stdout)
    for name, clf in models.items():
        scores, chances, labels = found[name]
        assert scores == [v.hex() for v in clf.decision_function(NEW).ravel().tolist()]
        assert chances == [v.hex() for v in clf.predict_proba(NEW).ravel().tolist()]
        assert labels == clf.predict(NEW).tolist()


# Smaller files


@pytest.fixture(scope="module")
def pydoc() -> Any:
    return linnet.data.load_pydoc()


@pytest.fixture(scope="module")
def on_pydoc(pydoc: Any) -> TextClassifier:
    return TextClassifier(features="words").fit(pydoc.train_texts, pydoc.train_labels)


def test_float16_halves_the_weights_at_hardly_any_cost(
    on_pydoc: TextClassifier, pydoc: Any, path: Path
) -> None:
    on_pydoc.save(path)
    full = path.stat().st_size
    on_pydoc.save(path, dtype="float16")
    saved = full - path.stat().st_size
    assert saved == pytest.approx(on_pydoc.model_.weights_.nbytes / 2, rel=0.01)
    loaded = linnet.load(path)
    agree = np.mean(loaded.predict(pydoc.test_texts) == on_pydoc.predict(pydoc.test_texts))
    assert agree > 0.995


@pytest.mark.parametrize("share, cost", [(2, 0.01), (10, 0.04)])
def test_pruning_keeps_the_best_features_and_says_so(
    on_pydoc: TextClassifier, pydoc: Any, path: Path, share: int, cost: float
) -> None:
    n = on_pydoc.model_.n_features
    on_pydoc.save(path, max_features=n // share)
    small = linnet.load(path)
    assert small.n_features == n // share == small.record_["n_features"]
    assert small.record_["pruned_from"] == n
    full = on_pydoc.score(pydoc.test_texts, pydoc.test_labels)
    left = np.mean(small.predict(pydoc.test_texts) == np.asarray(pydoc.test_labels))
    print(f"1/{share} of the features: {left:.4f} instead of {full:.4f}")
    assert left > full - cost
    assert "pruned_from" not in on_pydoc.record_  # the model in memory stays whole
    kept = set(small.extractor.names.tolist())
    strongest = np.abs(on_pydoc.model_.weights_).max(axis=1) * on_pydoc.model_.extractor.scale
    names = on_pydoc.model_.extractor.names
    assert all(names[int(j)] in kept for j in np.argsort(-strongest)[:50])


def test_bags_can_be_pruned_and_more_features_than_there_are_is_all(path: Path) -> None:
    clf = TextClassifier().fit(bags_of(TEXTS), LABELS)
    clf.predict(bags_of(NEW))  # before: the table of names must not stay that of the large model
    clf.save(path, max_features=4)
    assert linnet.load(path).predict(bags_of(NEW)).shape == (len(NEW),)
    clf.save(path, max_features=10**6)
    same_bits(clf, linnet.load(path), bags_of(NEW))


@pytest.mark.parametrize(
    "options, saving, message",
    [
        ({"hashing": 8}, {"max_features": 5}, "named features"),
        ({}, {"max_features": 0}, "positive integer"),
        ({}, {"max_features": True}, "positive integer"),
        ({}, {"dtype": "float8"}, "float16"),
        ({"tokenizer": str.split}, {}, "Python function cannot be stored"),
        ({"tokenizer": str.split}, {"max_features": 3}, "Python function cannot be stored"),
    ],
)
def test_what_cannot_be_stored_is_refused_and_leaves_no_file(
    options: dict[str, Any], saving: dict[str, Any], message: str, path: Path
) -> None:
    clf = TextClassifier(**options).fit(TEXTS, LABELS)
    with pytest.raises(ParameterError, match=message):
        clf.save(path, **saving)
    assert not path.exists()


def test_weights_too_large_for_float16_are_refused(path: Path) -> None:
    clf = TextClassifier().fit(TEXTS, LABELS)
    clf.model_.weights_ = clf.model_.weights_ * 1e5
    with pytest.raises(ParameterError, match="use dtype='float32'"):
        clf.save(path, dtype="float16")
