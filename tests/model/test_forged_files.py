"""Text model files not to be trusted: refused or harmless, behind a checksum that matches."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import linnet
from linnet import TextClassifier
from linnet.errors import DataError, LinnetError, ModelFileError
from linnet.model.file import read_model, write_model

from .made import bags_of, texts_of

TEXTS, LABELS = texts_of(90)
NEW = [*texts_of(30, seed=2)[0], "", "unseen words only", "ÄPFEL crème brûlée"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.linnet"


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
    "sharpness too large": _set(sharpness=1e300),
    "endless pattern": lambda config, arrays: config["settings"].update(
        tokenizer="regex", pattern="(a+)+b"
    ),
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


@pytest.mark.parametrize(
    "record",
    [
        {"examples": "many"},
        {"n_features": [1]},
        {"learner": 3},
        {"feature_weights": {"gain_ratio": ["x"], "information_gain": [], "chi2": []}},
        {"label_column": [1, 2]},
    ],
)
def test_a_forged_record_is_refused(record: Any, saved: Path, path: Path) -> None:
    file = read_model(saved)
    write_model(path, file.name, file.config, file.arrays, file.record | record)
    with pytest.raises(ModelFileError, match="m.linnet"):
        linnet.load(path)


@pytest.mark.parametrize("number", [2**31, -(2**31), 2**70])
def test_a_template_with_numbers_that_the_core_cannot_count_is_refused(
    number: int, path: Path
) -> None:
    linnet.SequenceTagger(features=["w[0]"]).fit([["a", "b"]], [["A", "B"]]).save(path)
    file = read_model(path)
    piece = file.config["features"]["templates"][0]["pieces"][1]
    piece[4] = number
    write_model(path, file.name, file.config, file.arrays, file.record)
    with pytest.raises(ModelFileError, match="m.linnet"):
        linnet.load(path)


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
