"""Taggers in files: the same bits elsewhere with NumPy alone, and no trust in what a file says."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import linnet
from linnet.errors import LinnetError, ModelFileError, ParameterError
from linnet.model.file import read_model, write_model
from linnet.text.packed_names import unpack_table

from .test_tagger import NEW, SENTENCES, TAGS, chunked

Change = Callable[[dict[str, Any], dict[str, Any]], None]


@pytest.fixture(scope="module")
def tagger() -> linnet.SequenceTagger:
    return linnet.SequenceTagger().fit(SENTENCES, chunked(TAGS))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.linnet"


@pytest.mark.spec("C-28")
def test_a_loaded_tagger_gives_the_same_bits(tagger: linnet.SequenceTagger, path: Path) -> None:
    tagger.save(path)
    loaded = linnet.load(path)
    assert type(loaded) is linnet.Model
    assert loaded.predict(NEW) == tagger.predict(NEW)
    assert loaded.predict_nbest(NEW, 3) == tagger.predict_nbest(NEW, 3)
    for ours, theirs in zip(
        loaded.predict_marginals(NEW), tagger.predict_marginals(NEW), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
    assert loaded.explain(NEW[0]) == tagger.explain(NEW[0])
    assert loaded.record_ == tagger.record_ and loaded.card() == tagger.card()
    assert loaded.top_features(3) == tagger.top_features(3)
    assert loaded.known_words == {word for sentence in SENTENCES for word in sentence}
    again = path.with_name("again.linnet")
    loaded.save(again)
    assert again.read_bytes() == path.read_bytes()
    linnet.save(tagger, again)
    assert again.read_bytes() == path.read_bytes()


def test_taggers_of_columns_are_in_the_file_too(path: Path) -> None:
    pairs = [list(zip(s, t, strict=True)) for s, t in zip(SENTENCES, TAGS, strict=True)]
    tagger = linnet.SequenceTagger().fit(pairs, chunked(TAGS))
    tagger.save(path)
    loaded = linnet.load(path)
    assert loaded.predict(pairs) == tagger.predict(pairs)
    assert loaded.predict(NEW) == tagger.predict(NEW)
    assert len(loaded.column_models) == 1


def test_float16_halves_the_weights(tagger: linnet.SequenceTagger, path: Path) -> None:
    tagger.save(path, dtype="float16")
    loaded = linnet.load(path)
    np.testing.assert_allclose(
        loaded.chain.pair_weight, tagger.model_.chain.pair_weight, rtol=1e-3, atol=1e-6
    )
    with pytest.raises(ParameterError, match="dtype"):
        tagger.save(path, dtype="int8")


def test_predicting_from_a_file_imports_only_numpy_and_the_core(
    tagger: linnet.SequenceTagger, path: Path
) -> None:
    tagger.save(path)
    code = (
        "import json, sys, linnet; path, new = json.load(sys.stdin); model = linnet.load(path); "
        "tags = model.predict(new); model.predict_marginals(new); model.entities('the dog'); "
        "heavy = {'sklearn', 'scipy', 'pyarrow', 'pandas', 'rich', 'typer'} & set(sys.modules); "
        "print(json.dumps([tags, sorted(heavy)]))"
    )
    sent = json.dumps([str(path), NEW])
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=sent,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert json.loads(done.stdout) == [tagger.predict(NEW), []]


def _set(**values: Any) -> Change:
    return lambda config, arrays: config.update(values)


def _array(name: str, change: Callable[[Any], Any]) -> Change:
    return lambda config, arrays: arrays.update({name: change(arrays[name].copy())})


def _with(value: Any, place: int = 0) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array.reshape(-1)[place] = value
        return array

    return change


def plain(arrays: dict[str, Any]) -> dict[str, Any]:
    """Return the arrays of a tagger's file as format 2 had them: nothing packed or narrow."""
    made = {name: array for name, array in arrays.items() if not name.endswith("_packed")}
    for name in ("words", "features.names"):
        names, slots, prints = unpack_table(arrays, name, 0)
        made |= {name: names.data, f"{name}_offset": names.offset}
        if name == "features.names":
            made |= {"features.slots": slots, "features.prints": prints}
    made["pair_start"] = np.append(0, np.cumsum(made.pop("pair_count"))).astype(np.int64)
    made["pair_label"] = arrays["pair_label"].astype(np.int32)
    return made


def _packed(name: str, code: bytes) -> Change:
    stream = np.frombuffer(zlib.compress(code), np.uint8)
    return lambda config, arrays: arrays.update({f"{name}_packed": stream})


PACKED_FORGERIES: dict[str, Change] = {
    "names of no stream": _array("features.names_packed", lambda a: a[::-1].copy()),
    "names cut short": _array("features.names_packed", lambda a: a[:-1]),
    "names and something behind": _array("features.names_packed", lambda a: np.append(a, a[:1])),
    "names of wide numbers": _array("features.names_packed", lambda a: a.astype(np.int64)),
    "a name that shares what is not there": _packed("features.names", b"\1\1a"),
    "a name shorter than it says": _packed("features.names", b"\0\5a"),
    "a name longer than any": _packed("features.names", b"\0" + b"\xff" * 12),
    "a name twice": _packed("features.names", b"\0\1a\1\0"),
    "names of another number": _packed("features.names", b"\0\1a"),
    "names that take much memory": _packed("words", b"\0\xff\1" + b"a" * 255 + b"\xff\0" * 10**5),
    "words broken": _packed("words", b"\1\0"),
    "labels out of range": _array("pair_label", _with(99)),
    "labels that do not ascend": _array("pair_label", lambda a: a[::-1].copy()),
    "counts that do not add up": _array("pair_count", _with(0)),
    "counts above the tags": _array("pair_count", _with(99)),
    "a count less": _array("pair_count", lambda a: a[:-1]),
    "signed counts": _array("pair_count", lambda a: a.astype(np.int8)),
    "no counts": lambda config, arrays: arrays.pop("pair_count"),
    "counts and places": lambda config, arrays: arrays.update(
        pair_start=plain(arrays)["pair_start"]
    ),
}
FORGERIES: dict[str, Change] = {
    "no tags": _set(classes=[]),
    "a tag twice": _set(classes=["B-NP", "B-NP", "B-VP", "I-NP"]),
    "a tag less": _set(classes=["B-NP", "B-VP", "I-NP"]),
    "tags not sorted": _set(classes=["O", "I-NP", "B-VP", "B-NP"]),
    "a number as tag": _set(classes=["B-NP", "B-VP", "I-NP", 3]),
    "tags that do not fit the scheme": _set(classes=["A", "B", "C", "D"]),
    "unknown scheme": _set(scheme="IOB9"),
    "scheme of the wrong kind": _set(scheme=[]),
    "probabilistic is no truth value": _set(probabilistic=1),
    "no features": _set(features={}),
    "features of the wrong kind": _set(features=3),
    "features missing": lambda config, arrays: config.pop("features"),
    "columns of the wrong kind": _set(columns=3),
    "columns of nothing": _set(columns=[{}]),
    "a learner that is none": _set(learner={"class": "os.system", "width": 1}),
    "a learner of another kind": _set(learner={"class": "Model", "width": 1}),
    "labels out of range": _array("pair_label", _with(99)),
    "negative label": _array("pair_label", _with(-1)),
    "labels that do not ascend": _array("pair_label", lambda a: a[::-1].copy()),
    "places that descend": _array("pair_start", _with(10**9, 1)),
    "places that end early": _array("pair_start", lambda a: a[:-1]),
    "places of another kind": _array("pair_start", lambda a: a.astype(np.int32)),
    "too few weights": _array("pair_weight", lambda a: a[:-1]),
    "double weights": _array("pair_weight", lambda a: a.astype(np.float64)),
    "NaN weight": _array("pair_weight", _with(np.nan)),
    "infinite transition": _array("transition", _with(-np.inf)),
    "a transition less": _array("transition", lambda a: a[:-1].copy()),
    "start of another shape": _array("start", lambda a: a.reshape(2, -1)),
    "stop missing": lambda config, arrays: arrays.pop("stop"),
    "words broken": _array("words_offset", _with(-5, 1)),
    "table broken": _array("features.slots", _with(2**31)),
    "prints short": _array("features.prints", lambda a: a[:-1]),
    "a template of no column": lambda config, arrays: config["features"].update(n_columns=0),
}


@pytest.mark.spec("C-28")
def test_a_tagger_of_the_older_plain_format_gives_the_same_bits(
    tagger: linnet.SequenceTagger, path: Path
) -> None:
    tagger.save(path)
    file = read_model(path)
    older = path.with_name("older.linnet")
    write_model(older, "Model", file.config, plain(file.arrays), file.record)
    assert (read_model(older).format, file.format) == (2, 3)
    loaded, again = linnet.load(older), path.with_name("again.linnet")
    for ours, theirs in zip(
        loaded.predict_marginals(NEW), tagger.predict_marginals(NEW), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
    assert loaded.explain(NEW[0]) == tagger.explain(NEW[0])
    loaded.save(again)
    assert again.read_bytes() == path.read_bytes()


CASES = [*((name, "packed") for name in PACKED_FORGERIES), *((name, "plain") for name in FORGERIES)]


@pytest.mark.parametrize(("name", "form"), CASES)
def test_forged_files_are_refused(
    name: str, form: str, tagger: linnet.SequenceTagger, path: Path
) -> None:
    tagger.save(path)
    file = read_model(path)
    config, arrays = json.loads(json.dumps(file.config)), dict(file.arrays)
    if form == "packed":
        PACKED_FORGERIES[name](config, arrays)
    else:
        arrays = plain(arrays)
        FORGERIES[name](config, arrays)
    forged = path.with_name("forged.linnet")
    write_model(forged, "Model", config, arrays, file.record)
    with pytest.raises(ModelFileError, match=r"forged\.linnet"):
        linnet.load(forged)


@given(place=st.integers(0, 10**6), value=st.integers(0, 255), cut=st.booleans())
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_damaged_files_are_refused_or_harmless(
    tagger: linnet.SequenceTagger, path: Path, place: int, value: int, cut: bool
) -> None:
    if not path.exists():
        tagger.save(path)
    raw = bytearray(path.read_bytes())
    place %= len(raw)
    if cut:
        del raw[place:]
    else:
        raw[place] = value
    damaged = path.with_name("damaged.linnet")
    damaged.write_bytes(raw)
    try:
        model = linnet.load(damaged, verify=False)
        assert len(model.predict(NEW)) == len(NEW)
    except LinnetError:
        pass
