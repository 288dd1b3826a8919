"""The core reads the JSON of a tagger as Python does, or leaves it to Python."""

from __future__ import annotations

import json
import random
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.errors import ModelFileError
from linnet.foreign import perceptron
from linnet.model.model import Model

from .test_mutated import mutated

SMALL = {
    "weights": {"bias": {"N": 1.5, "V": -0.25}, "i word \u00e9\U0001f600": {"V": 1e-5}, "": {}},
    "tagdict": {'on\n"\\/': "V"},
    "classes": ["V", "N"],
}
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
TAGS = st.lists(TEXTS.filter(lambda tag: tag.split() == [tag]), min_size=1, max_size=5, unique=True)
NUMBERS = st.floats(-1e99, 1e99) | st.floats(-9, 9).map(lambda value: round(value, 3))


@st.composite
def taggers(draw: st.DrawFn) -> dict[str, Any]:
    """Return a tagger, its parts in any order."""
    tags = draw(TAGS)
    one = st.sampled_from(tags)
    weights = st.dictionaries(TEXTS, st.dictionaries(one, NUMBERS), min_size=1, max_size=6)
    parts = {
        "weights": draw(weights),
        "tagdict": draw(st.dictionaries(TEXTS, one, max_size=4)),
        "classes": tags,
    }
    return {name: parts[name] for name in draw(st.permutations(list(parts)))}


def arrays_of(model: Model) -> dict[str, Any]:
    (_, reader), (_, scorer) = model.reader.to_file(), model.scorer.to_file("float64")
    return {**reader, **scorer, "tags": model.decision.classes}


def read_by_both(raw: bytes) -> bool:
    """Tell whether the core reads this, in which case it must say what Python says."""
    try:
        ours = perceptron._from_core(raw, "m.json")
    except ModelFileError as error:
        with pytest.raises(ModelFileError) as theirs:
            perceptron._from_python(raw, "m.json")
        assert str(error) == str(theirs.value)
        return True
    if ours is None:
        return False
    theirs = perceptron._from_python(raw, "m.json")
    assert ours.card() == theirs.card()
    expected = arrays_of(theirs)
    for name, array in arrays_of(ours).items():
        assert array.dtype == expected[name].dtype
        assert array.tobytes() == expected[name].tobytes(), name  # 0.0 is not -0.0
    return True


@given(taggers(), st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_every_tagger_is_read_as_python_reads_it(
    parts: dict[str, Any], ascii_only: bool, indent: int | str | None
) -> None:
    written = json.dumps(parts, ensure_ascii=ascii_only, indent=indent)
    for encoding in ("utf-8", "utf-8-sig"):
        assert read_by_both(written.encode(encoding))


@given(taggers(), st.integers(0, 2**32))
def test_a_mutated_tagger_is_left_to_python_or_read_as_python_reads_it(
    parts: dict[str, Any], seed: int
) -> None:
    rng = random.Random(seed)
    raw = json.dumps(parts, ensure_ascii=rng.random() < 0.5).encode()
    for _ in range(10):
        read_by_both(mutated(raw, rng))


def with_weight(number: str) -> bytes:
    return json.dumps(SMALL).replace("1.5", number).encode()


@pytest.mark.parametrize(
    "number",
    ["0.0", "-0.0", "0.1", "1e5", "2.5e-3", "0.30000000000000004", "9007199254740993.0",
     "123456789012345678901234567890.5", "2.2250738585072011e-308", "1e99"],
)  # fmt: skip
def test_numbers_are_those_of_python(number: str) -> None:
    assert read_by_both(with_weight(number))


@pytest.mark.parametrize(
    "number",
    ["1", "-0", "01.5", "1.", ".5", "+1.5", "1.5e", "1.5e+", "0x1.8", "NaN", "-Infinity", "1e100",
     "1e400", "--1.5", "- 1.5", "1_0.5", "true", "null", '"1.5"', "[1.5]", "{}", ""],
)  # fmt: skip
def test_other_numbers_are_left_to_python(number: str) -> None:
    assert not read_by_both(with_weight(number))


@pytest.mark.parametrize(
    ("there", "instead"),
    [
        ('"bias"', '""'),  # a feature, tag, word, class or part that is there twice
        ('"N": 1.5', '"V": 1.5'),
        ('"tagdict": {', '"tagdict": {"on\\n\\"\\\\/": "N", '),
        ('["V", "N"]', '["V", "N", "N"]'),
        ('"classes": ', '"classes": ["X"], "classes": '),
        ('"classes": ', '"more": 1, "classes": '),
        ('"classes": ', '"classed": '),
        ('["V", "N"]', '["V"]'),
        ('["V", "N"]', '["V", "N", 1]'),
        ('["V", "N"]', '["V", "N",]'),
        ('["V", "N"]', '{"V": "N"}'),
        ('"V"}, "classes"', '""}, "classes"'),
        ('"V"}, "classes"', '"V"}, , "classes"'),
        ('"V"}, "classes"', '{"V": 1.5}}, "classes"'),
        ('"bias"', '"\\ud800"'),
        ('"bias"', '"\\udc00\\ud800"'),
        ('"bias"', '"\\ud800\\u0041"'),
        ('"bias"', '"\\ud800'),
        ('"bias"', '"\\u12'),
        ('"bias"', '"\\u00g0"'),
        ('"bias"', '"\\x"'),
        ('"bias"', '"\n"'),
        ('"bias"', '"\0"'),
        ('"bias"', "bias"),
        ('{"weights"', '\ufeff{"weights"'),
        ('["V", "N"]}', '["V", "N"]} x'),
        ('["V", "N"]}', '["V", "N"]}\0'),
        ('["V", "N"]}', '["V", "N"]'),
        ('{"weights"', '[{"weights"'),
        ('{"bias"', '{}, "w": {"bias"'),
    ],
)
def test_what_is_unusual_is_left_to_python(there: str, instead: str) -> None:
    written = json.dumps(SMALL)
    assert there in written and read_by_both(written.encode())
    raw = written.replace(there, instead, 1).encode("utf-8-sig")
    assert not read_by_both(raw)


def test_every_beginning_and_every_broken_character_is_left_to_python() -> None:
    raw = json.dumps(SMALL, ensure_ascii=False).encode()
    assert read_by_both(raw) and read_by_both(b" \r\n\t" + raw + b"\n")
    assert not any(read_by_both(raw[:end]) for end in range(len(raw)))
    for forged in (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe0\xb8"):
        assert not read_by_both(raw.replace(b"bias", forged))


def test_classes_with_white_space_are_refused_with_the_words_of_python() -> None:
    assert read_by_both(json.dumps(SMALL).replace('"N"', '"N\u2003"').encode())


def test_three_files_are_read_by_the_core_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / name for name in SMALL]
    for file, part in zip(files, SMALL.values(), strict=True):
        file.write_text(json.dumps(part) + "\n", "utf-8")
    expected = arrays_of(perceptron._from_python(json.dumps(SMALL).encode(), "m.json"))
    monkeypatch.setattr(perceptron, "_json", None)
    made = arrays_of(perceptron.joined(*files))
    assert all(made[name].tobytes() == array.tobytes() for name, array in expected.items())


@pytest.mark.parametrize(
    "name", ["pos_orchid_perceptron", "pos_tud_perceptron", "pos_ud_perceptron-v0.2"]
)
def test_thai_taggers_are_read_by_the_core(name: str) -> None:
    spec = find_spec("pythainlp")
    if spec is None or spec.origin is None:
        pytest.skip("pythainlp, which ships these taggers, is not installed")
    assert read_by_both((Path(spec.origin).parent / "corpus" / f"{name}.json").read_bytes())
