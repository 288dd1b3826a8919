"""Averaged-perceptron taggers answer here as the plain loop over their dictionaries does."""

from __future__ import annotations

import json
import pickle
import random
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.errors import ModelFileError, ParameterError
from linnet.foreign import perceptron
from linnet.foreign.perceptron.asked import TagRows
from linnet.foreign.perceptron.reader import WordReader
from linnet.text.names import Names

from .running import run

TAGS = ["N", "V", "D", "NN"]
WORDS = [
    "the",
    "The",
    "cat",
    "sat",
    "on",
    "well-known",
    "-",
    "1991",
    "12th",
    "3",
    "été",
    "日本",
    "x",
]


def features_of(t: int, word: str, context: list[str], p: str, p2: str) -> list[str]:
    """Return the fourteen features, written out."""
    c = context[t : t + 5]
    return [
        "bias", "i suffix " + word[-3:], "i pref1 " + word[0], "i-1 tag " + p, "i-2 tag " + p2,
        f"i tag+i-2 tag {p} {p2}", "i word " + c[2], f"i-1 tag+i word {p} {c[2]}",
        "i-1 word " + c[1], "i-1 suffix " + c[1][-3:], "i-2 word " + c[0], "i+1 word " + c[3],
        "i+1 suffix " + c[3][-3:], "i+2 word " + c[4],
    ]  # fmt: skip


def normal(word: str) -> str:
    if "-" in word and word[0] != "-":
        return "!HYPHEN"
    if word.isdigit() and len(word) == 4:
        return "!YEAR"
    return "!DIGITS" if word[0].isdigit() else word.lower()


def walked(parts: dict[str, Any], words: list[str]) -> tuple[list[str], list[str]]:
    """Return the tags of a sentence and all features that were asked for, one by one."""
    context = ["-START-", "-START2-", *map(normal, words), "-END-", "-END2-"]
    p, p2, tags, asked = "-START-", "-START2-", list[str](), list[str]()
    for t, word in enumerate(words):
        tag = parts["tagdict"].get(word)
        if not tag:
            scores: dict[str, float] = defaultdict(float)
            for feature in features_of(t, word, context, p, p2):
                asked.append(feature)
                for label, weight in parts["weights"].get(feature, {}).items():
                    scores[label] += weight
            tag = max(parts["classes"], key=lambda label: (scores[label], label))
        tags.append(tag)
        p, p2 = tag, p
    return tags, asked


def sentences(n: int, seed: int) -> list[list[str]]:
    rng = random.Random(seed)
    return [rng.choices(WORDS, k=rng.randint(1, 9)) for _ in range(n)]


@pytest.fixture(scope="module")
def parts() -> dict[str, Any]:
    """Return a tagger of random weights; many are equal, so that there are ties."""
    rng = random.Random(0)
    parts: dict[str, Any] = {"weights": {}, "tagdict": {"on": "V", "x": ""}, "classes": TAGS}
    for words in sentences(60, 1):
        for feature in walked(parts, words)[1]:
            chosen = rng.sample(TAGS, rng.randint(0, 3))
            parts["weights"][feature] = {tag: rng.choice([-1.0, 0.5, 1, 2.25]) for tag in chosen}
    return parts


@pytest.fixture
def path(parts: dict[str, Any], tmp_path: Path) -> Path:
    path = tmp_path / "tagger.json"
    path.write_text(json.dumps(parts), "utf-8")
    return path


def test_tags_are_those_of_the_plain_loop(parts: dict[str, Any], path: Path) -> None:
    model, asked = linnet.load(path), sentences(500, 2)
    assert model.top_features(1)["D"][0][1] == 2.25
    assert model.predict([*asked, []]) == [*(walked(parts, words)[0] for words in asked), []]


def test_three_files_a_byte_order_mark_and_pickles_are_read(
    parts: dict[str, Any], path: Path, tmp_path: Path
) -> None:
    expected = linnet.load(path).predict(sentences(50, 3))
    (tmp_path / "bom.json").write_text(json.dumps(parts), "utf-8-sig")
    files = [tmp_path / f"{name}.json" for name in parts]
    for file, value in zip(files, parts.values(), strict=True):
        file.write_text(json.dumps(value), "utf-8")
    triple = (parts["weights"], parts["tagdict"], set(parts["classes"]))
    models = [linnet.load(tmp_path / "bom.json"), perceptron.joined(*files)]
    for protocol in (2, 3, 4, 5):
        (tmp_path / "m.pickle").write_bytes(pickle.dumps(triple, protocol))
        models.append(linnet.load(tmp_path / "m.pickle"))
    assert all(model.predict(sentences(50, 3)) == expected for model in models)


def test_converted_models_keep_their_answers(path: Path, tmp_path: Path) -> None:
    model = linnet.load(path)
    run("convert", path, tmp_path / "m.linnet")
    again = linnet.load(tmp_path / "m.linnet")
    assert again.predict(sentences(100, 4)) == model.predict(sentences(100, 4))
    assert again.card() == model.card()
    data = tmp_path / "words.conll"
    data.write_text("".join(f"{word}\tN\n" for word in WORDS) + "\n", "utf-8")
    said = run("predict", path, data)
    tags = [line.split()[-1] for line in said.split("\n") if line.strip()]
    assert tags == model.predict([WORDS])[0]


def test_explanations_sum_to_the_margin(path: Path) -> None:
    model = linnet.load(path)
    why = model.explain(WORDS)
    assert [token.tag for token in why.tokens] == model.predict([WORDS])[0]
    for token in why.tokens:
        total = sum(part.contribution for part in (*token.features, *token.neighbours))
        assert token.margin == pytest.approx(total)
    assert "dictionary on" in {part.feature for part in why.tokens[4].features}


def test_what_such_a_tagger_cannot_do_is_refused(tmp_path: Path) -> None:
    value = {"weights": {"bias": {"O": 1.0}}, "tagdict": {}, "classes": ["B-X", "O"]}
    (tmp_path / "m.json").write_text(json.dumps(value))
    model = linnet.load(tmp_path / "m.json")
    with pytest.raises(ParameterError, match="no probabilities"):
        model.predict_marginals([["a"]])
    with pytest.raises(ParameterError, match="from left to right"):
        model.predict([["a"]], constraints="iob2")


@pytest.mark.parametrize(
    "change",
    [
        {"classes": []},
        {"classes": ["N"]},
        {"classes": [*TAGS, 3]},
        {"classes": [*TAGS, "a b"]},
        {"classes": [*TAGS, "\ud800"]},
        {"tagdict": {"a": "none"}},
        {"tagdict": [1]},
        {"weights": {}},
        {"weights": {"bias": 3}},
        {"weights": {"bias": {"none": 1.0}}},
        {"weights": {"bias": {"N": "1"}}},
        {"weights": {"bias": {"N": 1e200}}},
        {"weights": {"bias": {"N": float("nan")}}},
        {"weights": {"\ud800": {"N": 1.0}}},
    ],
)
def test_damaged_parts_are_refused(
    change: dict[str, Any], parts: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "m.json").write_text(json.dumps({**parts, **change}), "utf-8")
    with pytest.raises(ModelFileError, match="this averaged-perceptron tagger"):
        linnet.load(tmp_path / "m.json")


def test_cut_and_deeply_nested_files_are_refused(path: Path, tmp_path: Path) -> None:
    raw = path.read_bytes()
    for hostile in (raw[:200], raw[:-1], b'{"weights": ' + b"[" * 100_000):
        (tmp_path / "m.json").write_bytes(hostile)
        with pytest.raises(ModelFileError, match="this averaged-perceptron tagger is no JSON"):
            linnet.load(tmp_path / "m.json")


THAI = ("pos_orchid_perceptron", "pos_tud_perceptron", "pos_ud_perceptron-v0.2", "tdtb-pt_tagger")


@pytest.mark.slow
@pytest.mark.parametrize("name", THAI)
def test_thai_taggers_give_the_answers_of_pythainlp(name: str) -> None:
    spec = find_spec("pythainlp")
    if spec is None or spec.origin is None:
        pytest.skip("pythainlp, which ships these taggers, is not installed")
    from pythainlp.tag import PerceptronTagger

    path = Path(spec.origin).parent / "corpus" / f"{name}.json"
    theirs, model = PerceptronTagger(str(path)), linnet.load(path)
    names = model.reader.names.tolist()
    words = [word for feature in names if (word := feature.removeprefix("i word ")) != feature]
    words = [word for word in (*words, *WORDS) if word.split() == [word]]
    rng = random.Random(name)
    asked = [rng.choices(words, k=rng.randint(1, 12)) for _ in range(10_000)]
    assert model.predict(asked) == [[tag for _, tag in theirs.tag(words)] for words in asked]


def test_weights_are_read_by_the_core_as_one_by_one() -> None:
    rng = random.Random(0)
    number = {tag: k for k, tag in enumerate(sorted(TAGS))}
    weights: dict[str, Any] = {
        f"i word {word}{k}": {tag: rng.uniform(-2, 2) for tag in rng.sample(TAGS, k)}
        for word in WORDS
        for k in range(len(TAGS) + 1)
    }
    for value in (weights, {**weights, "bias": {"N": 3}}):  # a whole number is left to Python
        names, fast = perceptron._weights(value, number, "m.json")
        same, slow = perceptron._weights_one_by_one(value, number, "m.json")
        assert names.tolist() == same.tolist() == list(value)
        for a, b in zip(fast, slow, strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)


def test_rows_of_tags_are_the_same_asked_one_by_one_and_sorted() -> None:
    tags = ("-START-", "a b", *TAGS)  # one as what stands before, one with a space
    pairs = [f"{prefix}{a} {b}" for prefix in ("i tag+i-2 tag ", "i-1 tag+i word ")
             for a in (*tags, "-START2-") for b in (*tags, *WORDS)]  # fmt: skip
    rows = TagRows.of(tags, WordReader(Names.of(dict.fromkeys(pairs[::2])), Names.of([])))
    for prefix in ("i tag+i-2 tag ", "i-1 tag+i word "):
        by_text = rows._sorted(prefix)
        others = (*tags, *WORDS, "none")
        sorted_rows = [(tag, k, row) for k, other in enumerate(others)
                       for tag, row in by_text.get(other, ())]  # fmt: skip
        assert sorted(rows._asked(prefix, others)) == sorted(sorted_rows) != []
