"""Text models in files: the same bits elsewhere, smaller files, and files not to be trusted."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import linnet
from linnet import TextClassifier
from linnet.errors import DataError, LinnetError, ModelFileError, ParameterError
from linnet.persist import read_model, write_model

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
    assert type(loaded) is linnet.TextModel
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
        [sys.executable, "-c", code], input=sent, capture_output=True, text=True, check=True
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
    return TextClassifier().fit(pydoc.train_texts, pydoc.train_labels)


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


# Files not to be trusted


def _set(**values: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    return lambda config, arrays: config.update(values)


def _setting(name: str, value: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    return lambda config, arrays: config["settings"].update({name: value})


def _array(name: str, change: Callable[[Any], Any]) -> Callable[[Any, Any], None]:
    return lambda config, arrays: arrays.update({name: change(arrays[name].copy())})


def _filled(value: Any) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array.reshape(-1)[len(array) // 2] = value
        return array

    return change


FORGERIES: dict[str, Callable[[dict[str, Any], dict[str, Any]], None]] = {
    "too few weights": _array("weights", lambda a: a[:-1]),
    "too many weights": _array("weights", lambda a: np.vstack([a, a[:1]])),
    "a column too few": _array("weights", lambda a: np.ascontiguousarray(a[:, 1:])),
    "flat weights": _array("weights", np.ravel),
    "double weights": _array("weights", lambda a: a.astype(np.float64)),
    "whole weights": _array("weights", lambda a: a.astype(np.int32)),
    "NaN weight": _array("weights", _filled(np.nan)),
    "infinite weight": _array("weights", _filled(np.inf)),
    "NaN intercept": _array("intercept", _filled(np.nan)),
    "short intercept": _array("intercept", lambda a: a[:-1]),
    "no weights": lambda config, arrays: arrays.pop("weights"),
    "no intercept": lambda config, arrays: arrays.pop("intercept"),
    "no table": lambda config, arrays: arrays.pop("slots"),
    "no names": lambda config, arrays: arrays.pop("names"),
    "no fingerprints": lambda config, arrays: arrays.pop("prints"),
    "table points outside": _array("slots", _filled(10**6)),
    "table points far outside": _array("slots", _filled(2**32 - 2)),
    "empty table": _array("slots", lambda a: a[:0]),
    "too few fingerprints": _array("prints", lambda a: a[:-1]),
    "table of another type": _array("slots", lambda a: a.astype(np.int64)),
    "two-dimensional table": _array("slots", lambda a: a.reshape(1, -1)),
    "negative offset": _array("names_offset", _filled(-5)),
    "offset outside": _array("names_offset", _filled(10**9)),
    "no offsets": _array("names_offset", lambda a: a[:0]),
    "offsets of another type": _array("names_offset", lambda a: a.astype(np.int32)),
    "NaN scale": _array("scale", _filled(np.nan)),
    "short scale": _array("scale", lambda a: a[:-1]),
    "no configuration": lambda config, arrays: config.clear(),
    "unknown kind": _set(kind="image"),
    "kind vector with names": _set(kind="vector"),
    "kind of another type": _set(kind=["text"]),
    "no classes": _set(classes=[]),
    "one class": _set(classes=["a"]),
    "too few classes": _set(classes=["a", "b"]),
    "classes twice": _set(classes=["a", "b", "a"]),
    "classes equal in NumPy": _set(classes=["a", "a\0", "b"]),
    "mixed classes": _set(classes=["a", 1, 2.0]),
    "nested classes": _set(classes=[["a"], ["b"], ["c"]]),
    "classes no list": _set(classes="abc"),
    "classes too large": _set(classes=[1, 2, 10**30]),
    "multilabel of another type": _set(multilabel="no"),
    "zero sharpness": _set(sharpness=0),
    "sharpness no number": _set(sharpness="1"),
    "sharpness a truth value": _set(sharpness=True),
    "threshold above 1": _set(abstain=2),
    "threshold no number": _set(abstain="0.5"),
    "label of abstaining a list": _set(abstain=0.9, abstain_label=[1, 2]),
    "seed negative": _set(seed=-1),
    "seed no number": _set(seed="0"),
    "seed too large": _set(seed=2**70),
    "settings no dictionary": _set(settings=[]),
    "unknown setting": _setting("surprise", 1),
    "unknown tokenizer": _setting("tokenizer", "magic"),
    "tokenizer of code": _setting("tokenizer", "custom"),
    "broken pattern": _setting("pattern", "("),
    "pattern no text": _setting("pattern", 5),
    "n-grams reversed": _setting("ngrams", [3, 1]),
    "n-grams endless": _setting("ngrams", [1, 10**9]),
    "n-grams no numbers": _setting("ngrams", ["a", "b"]),
    "n-grams too many": _setting("ngrams", [1, 2, 3]),
    "skip negative": _setting("skip", -1),
    "skip endless": _setting("skip", 10**12),
    "lowercase no truth value": _setting("lowercase", "yes"),
    "signs no truth value": _setting("signs", "yes"),
    "unknown accents": _setting("accents", "grave"),
    "unknown count": _setting("count", "some"),
    "unknown norm": _setting("norm", "l3"),
    "stop words no list": _setting("stop_words", 7),
    "buckets negative": _setting("buckets", -1),
    "buckets broken": _setting("buckets", 2.5),
    "buckets a truth value": _setting("buckets", True),
    "buckets beside names": _setting("buckets", 1024),
    "buckets endless": _setting("buckets", 2**40),
}


def _forge(source: Path, target: Path, change: Callable[[Any, Any], None]) -> None:
    """Write a model file with other contents and a checksum that matches."""
    file = read_model(source)
    config, arrays = json.loads(json.dumps(file.config)), dict(file.arrays)
    change(config, arrays)
    write_model(target, file.name, config, arrays, file.record)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "m.linnet"
    TextClassifier(ngrams=1).fit(TEXTS, LABELS).save(path)
    return path


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_file_is_refused(name: str, saved: Path, path: Path) -> None:
    _forge(saved, path, FORGERIES[name])
    with pytest.raises(ModelFileError, match="m.linnet"):
        linnet.load(path)


@pytest.mark.parametrize(
    "change", [_setting("buckets", 64), _set(kind="text"), _set(kind="vector")]
)
def test_a_forged_file_of_bags_is_refused(change: Any, path: Path) -> None:
    clf = TextClassifier().fit(bags_of(TEXTS), LABELS)
    source = path.with_name("bags.linnet")
    clf.save(source)
    _forge(source, path, change)
    try:
        model = linnet.load(path)
    except ModelFileError:
        return
    assert model.predict(NEW).shape == (len(NEW),)  # its names are words: it reads texts


def _predict_all(path: Path) -> None:
    """Load and use a model in every way; only errors on purpose may come of it."""
    try:
        model = linnet.load(path)
    except ModelFileError:
        return
    try:
        scores = model.decision_function(NEW)
        assert np.isfinite(scores).all()
        chances = model.predict_proba(NEW)
        assert ((chances >= 0) & (chances <= 1)).all()
        model.explain(NEW[0])
        model.top_features(3)
        model.card()
    except LinnetError:
        return


@given(
    name=st.sampled_from(["slots", "prints", "names", "names_offset", "scale"]),
    seed=st.integers(0, 2**32 - 1),
    share=st.sampled_from([0.001, 0.05, 1.0]),
)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_random_bytes_behind_a_matching_checksum_do_no_harm(
    saved: Path, path: Path, name: str, seed: int, share: float
) -> None:
    draw = np.random.default_rng(seed)

    def scrambled(array: Any) -> Any:
        raw = array.view(np.uint8)
        hit = draw.random(raw.shape) < max(share, 1.5 / raw.size)
        raw[hit] = draw.integers(0, 256, hit.sum(), dtype=np.uint8)
        return raw.view(array.dtype)

    _forge(saved, path, _array(name, scrambled))
    _predict_all(path)


def _columns(draw: np.random.Generator, n: int, size: int) -> Any:
    return draw.integers(0, n, size).astype(np.uint64)


@given(seed=st.integers(0, 2**32 - 1))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_table_of_any_valid_columns_predicts_without_harm(
    saved: Path, path: Path, seed: int
) -> None:
    """A full table has no empty place where a search could end."""
    draw = np.random.default_rng(seed)
    n = len(read_model(saved).arrays["scale"])
    _forge(
        saved,
        path,
        _array("slots", lambda a: a >> np.uint64(32) << np.uint64(32) | _columns(draw, n, len(a))),
    )
    model = linnet.load(path)
    assert np.isfinite(model.decision_function(NEW)).all()


def test_damage_is_refused_wherever_it_is(saved: Path, path: Path) -> None:
    raw = saved.read_bytes()
    draw = np.random.default_rng(0)
    for at in draw.integers(0, len(raw), 100).tolist():
        path.write_bytes(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])
        with pytest.raises(DataError):
            linnet.load(path)
    for length in draw.integers(0, len(raw), 30).tolist():
        path.write_bytes(raw[:length])
        with pytest.raises(DataError):
            linnet.load(path)
