"""Pickles are read by the core and by steps in Python: what both make of a file is the same."""

from __future__ import annotations

import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from linnet import _core
from linnet.errors import ModelFileError
from linnet.foreign.pickled.arrays import DType, Held
from linnet.foreign.pickled.machine import Machine, Record
from linnet.foreign.scikit_learn import vectorisers
from linnet.foreign.scikit_learn.fields import fields_of

from .test_mutated import mutated, perceptron_files, pickled_files
from .texts import texts

PLAIN: dict[str, Any] = {
    "vocabulary": {f"word{k}": k for k in range(3000)},
    "numbers": [0, 255, 256, 65535, 65536, -1, 2**31 - 1, -(2**31), 1.5, None, True, False],
    "texts": ["", "é", "日本" * 200, b"raw"],
    "again": ["same", ["same"]],
    3: {None: (), b"key": [{}, [], ("a", 1)]},
}


class OneByOne(Machine):
    """The machine without the help of the core."""

    def plain_steps(self) -> None:
        pass


def described(value: Any, depth: int = 8) -> Any:
    """Return what can be compared, down to some depth: a mutated pickle may hold itself."""
    if depth == 0:
        return "..."
    if isinstance(value, _core.Vocabulary):
        value = value.dict()
    if isinstance(value, Record):
        return value.name, described(value.state, depth - 1)
    if isinstance(value, Held):
        return described(value.array, depth - 1)
    if isinstance(value, DType):
        return "dtype", value.code
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.tobytes() if value.dtype != object else value.tolist()
    if isinstance(value, dict):
        return [(key, described(item, depth - 1)) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [described(item, depth - 1) for item in value]
    return type(value).__name__, repr(value)


def outcome(machine: type[Machine], raw: bytes) -> Any:
    try:
        reader = machine(raw, "m.pkl")
        return described(reader.run()), reader.at
    except ModelFileError as error:
        return str(error)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_the_core_makes_of_plain_values_what_was_stored(protocol: int) -> None:
    raw = pickle.dumps(PLAIN, protocol)
    made = Machine(raw, "m.pkl").run()
    if protocol > 0:  # which writes numbers as text
        assert isinstance(made["vocabulary"], _core.Vocabulary)
        made["vocabulary"] = made["vocabulary"].dict()
    assert made == PLAIN == OneByOne(raw, "m.pkl").run()


@pytest.mark.parametrize("protocol", [1, 2, 4, 5])
@pytest.mark.parametrize("size", [999, 1000, 1001, 1002, 2000, 2001, 70_000])
def test_a_vocabulary_stays_in_its_pickle(size: int, protocol: int) -> None:
    words = [f"wörd{k}" for k in range(size)]
    vocabulary = dict(zip(words, reversed(range(size)), strict=True))
    raw = pickle.dumps([vocabulary, words[:3], vocabulary, {"next": 1}], protocol)
    first, texts, again, last = Machine(raw, "m.pkl").run()
    assert first is again and texts == words[:3] and last == {"next": 1}
    assert isinstance(first, _core.Vocabulary) == (size >= 1000) and len(first) == size
    assert (first if size < 1000 else first.dict()) == vocabulary
    record = Record("sklearn.feature_extraction.text.CountVectorizer")
    record.state["vocabulary_"] = first
    names = vectorisers._names(fields_of(record, "m.pkl", "this"))
    assert names.tolist() == words[::-1]


def test_a_vocabulary_that_is_filled_further_is_a_dictionary() -> None:
    raw = pickle.dumps({f"w{k}": k for k in range(1500)}, 4)
    raw = raw[:-1] + b"(\x8c\x01a\x94Nuh\x02."  # one more item, and the second text again
    made = outcome(Machine, raw)
    assert made == outcome(OneByOne, raw) and made[0] == ("str", "'w1'")


def test_mutated_pickles_have_one_outcome_with_the_core_and_without(tmp_path: Path) -> None:
    files = [
        path.read_bytes() for path in (*pickled_files(tmp_path), perceptron_files(tmp_path)[1])
    ]
    files += [pickle.dumps(PLAIN["numbers"] + PLAIN["texts"], protocol) for protocol in (2, 4)]
    many = {f"w{k}": k for k in range(1010)}
    files += [pickle.dumps([many, list(many)[::99], many], protocol) for protocol in (2, 4)]
    for number, raw in enumerate(files):
        for case in range(250):
            forged = mutated(raw, random.Random(f"{number} {case}"))
            assert outcome(Machine, forged) == outcome(OneByOne, forged), (number, case)


@pytest.mark.parametrize(
    "raw", [b"\x80\x04K\x07r\xff\xff\xff\xffj\xff\xff\xff\xff.", b"\x80\x02K\x07q\x05\x94h\x01."]
)
def test_places_of_the_memory_far_apart_are_kept(raw: bytes) -> None:
    assert outcome(Machine, raw) == outcome(OneByOne, raw) == (("int", "7"), len(raw))


def test_a_vocabulary_that_was_cut_numbers_its_columns_with_numpys_integers() -> None:
    vectoriser = CountVectorizer(max_features=40).fit(texts(60))
    kinds = {type(column) for column in vectoriser.vocabulary_.values()}
    raw = pickle.dumps(vectoriser)
    record = Machine(raw, "m.pkl").run()
    assert kinds == {np.int64} and outcome(Machine, raw) == outcome(OneByOne, raw)
    assert record.state["vocabulary_"] == {k: int(v) for k, v in vectoriser.vocabulary_.items()}


def test_names_by_column_are_those_of_one_at_a_time() -> None:
    record = Record("sklearn.feature_extraction.text.CountVectorizer")
    words = list(dict.fromkeys(["é", "", "a" * 300, *texts(30)]))
    for columns in (range(len(words)), reversed(range(len(words)))):
        vocabulary = dict(zip(words, columns, strict=True))
        record.state["vocabulary_"] = vocabulary
        fields = fields_of(record, "m.pkl", "this")
        slow = vectorisers._names_one_by_one(fields, vocabulary)
        assert vectorisers._names(fields).tolist() == slow.tolist()


@pytest.mark.parametrize(
    "vocabulary",
    [{"a": 0, "b": 0}, {"a": 1}, {"a": -1}, {"a": 2**70}, {"a": 0.0}, {3: 0}, {"\ud800": 0}],
)
def test_a_vocabulary_that_numbers_nothing_is_refused(vocabulary: dict[Any, Any]) -> None:
    record = Record("sklearn.feature_extraction.text.CountVectorizer")
    record.state["vocabulary_"] = vocabulary
    with pytest.raises(ModelFileError, match="vocabulary_"):
        vectorisers._names(fields_of(record, "m.pkl", "this"))
