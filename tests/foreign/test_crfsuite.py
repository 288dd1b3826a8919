"""CRFsuite's models answer here as they do there; ours are written so that it reads them."""

from __future__ import annotations

import pickle
import random
import struct
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import foreign
from linnet.errors import DataError, ModelFileError, ParameterError
from linnet.foreign import crfsuite

from .running import run

pycrfsuite = pytest.importorskip("pycrfsuite")

WORDS = ["the", "a", "cat", "dog", "fish", "eats", "sees", "old", "tree", "été", "日本", "x:y"]
TAGS = ["N", "V", "D", "A"]
SHIPPED = {
    "usaddr": ("usaddress", "usaddr.crfsuite"),
    "generic": ("probablepeople", "generic_learned_settings.crfsuite"),
    "person": ("probablepeople", "person_learned_settings.crfsuite"),
    "company": ("probablepeople", "company_learned_settings.crfsuite"),
    "burmese tokens": ("pyidaungsu", "model/tokenizer.crfsuite"),
    "thai syllables": ("pythainlp", "corpus/han_solo.crfsuite"),
    "thai chunks": ("pythainlp", "corpus/crfchunk_orchidpp.model"),
    "thai sentences": ("pythainlp", "corpus/sentenceseg_crfcut.model"),
    "thai names": ("pythainlp", "corpus/thainer_crf_1_5_1.model"),
    "vietnamese words": (
        "underthesea",
        "pipeline/word_tokenize/models/ws_crf_vlsp2013_20230727/models.bin",
    ),
    "vietnamese parts of speech": (
        "underthesea",
        "pipeline/pos_tag/models/pos_crf_vlsp2013_20230303/models.bin",
    ),
    "vietnamese chunks": ("underthesea", "pipeline/chunking/chunk_crf_2017_10_12.bin"),
}


def item(rng: random.Random, words: list[str], t: int) -> dict[str, Any]:
    """Return an item with every kind of value."""
    word = words[t]
    made: dict[str, Any] = {"w": word, "len": len(word), "first": t == 0, "half": 0.5}
    made["ctx"] = {"prev": words[t - 1] if t else "<s>", "deep": {"suf": word[-2:], "n": 2}}
    made["bag"] = [word[:1], word[-1:]]
    made["set"] = {f"c{rng.randint(0, 3)}"}
    made[b"raw".decode()] = b"bytes\xff" if t % 2 else word.encode()
    return made


def sentences(n: int, seed: int) -> Iterator[tuple[list[Any], list[str]]]:
    rng = random.Random(seed)
    for _ in range(n):
        words = rng.choices([*WORDS, f"new{rng.randint(0, 99)}"], k=rng.randint(1, 9))
        tags = [TAGS[sum(map(ord, word)) % 4] if rng.random() < 0.9 else "N" for word in words]
        items: list[Any] = [item(rng, words, t) for t in range(len(words))]
        if rng.random() < 0.1:
            items[0] = [f"w:{words[0]}", "first"]
        yield items, tags


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crfsuite") / "m.crfsuite"
    trainer = pycrfsuite.Trainer(verbose=False, params={"max_iterations": 30})
    for items, tags in sentences(300, 0):
        trainer.append(items, tags)
    trainer.train(str(path))
    return path


def opened(path: Path | str) -> Any:
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    return tagger


def assert_same_answers(path: Path | str, asked: list[Any], some: int) -> None:
    theirs, model = opened(path), linnet.load(path)
    assert model.classes_.tolist() == theirs.labels()
    assert model.predict(asked) == [theirs.tag(sentence) for sentence in asked]
    marginals = model.predict_marginals(asked[:some])
    nbest = model.predict_nbest(asked[:some], 2)
    for sentence, table, ranked in zip(asked[:some], marginals, nbest, strict=True):
        theirs.set(sentence)
        for t, k in np.ndindex(table.shape):
            assert table[t, k] == pytest.approx(theirs.marginal(model.classes_[k], t), abs=1e-12)
        if len(ranked) == 2:  # scores up to a constant: the difference is one of log probabilities
            apart = [np.log(theirs.probability(tags)) for _, tags in ranked]
            assert ranked[0][0] - ranked[1][0] == pytest.approx(apart[0] - apart[1], abs=1e-6)


def test_tags_and_marginals_are_crfsuites(trained: Path) -> None:
    asked = [items for items, _ in sentences(2000, 1)]
    assert_same_answers(trained, [*asked, []], 200)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_models_in_circulation_give_crfsuites_answers(name: str) -> None:
    package, inside = SHIPPED[name]
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"{package}, which ships {inside}, is not installed")
    path = Path(spec.origin).parent / inside
    names = linnet.load(path).reader.names.tolist()
    rng = random.Random(name)
    asked = [
        [
            dict.fromkeys(rng.choices(names, k=rng.randint(0, 9)), 1.0)
            for _ in range(rng.randint(1, 9))
        ]
        for _ in range(10_000)
    ]
    assert_same_answers(path, asked, 100)


def test_converted_models_keep_every_bit(trained: Path, tmp_path: Path) -> None:
    asked = [items for items, _ in sentences(100, 2)]
    model = linnet.load(trained)
    model.save(tmp_path / "m.linnet")
    again = linnet.load(tmp_path / "m.linnet")
    assert again.predict(asked) == model.predict(asked)
    pairs = zip(again.predict_marginals(asked), model.predict_marginals(asked), strict=True)
    assert all(np.array_equal(a, b) for a, b in pairs)


def test_reading_and_writing_gives_the_same_bytes(trained: Path, tmp_path: Path) -> None:
    foreign.write(linnet.load(trained), tmp_path / "again.crfsuite")
    assert (tmp_path / "again.crfsuite").read_bytes() == trained.read_bytes()


def test_what_we_train_crfsuite_tags_with_the_same_answers(tmp_path: Path) -> None:
    rng = random.Random(3)
    words = [rng.choices(WORDS, k=rng.randint(1, 7)) for _ in range(80)]
    tags = [[TAGS[sum(map(ord, word)) % 4] for word in row] for row in words]
    model = linnet.SequenceTagger().fit(words, tags).model_
    foreign.write(model, tmp_path / "m.crfsuite")
    theirs = opened(tmp_path / "m.crfsuite")
    given = [theirs.tag(row) for row in crfsuite.items(model, words)]
    assert given == model.predict(words, constraints=None)
    again = linnet.load(tmp_path / "m.crfsuite")
    for row, table in zip(
        words[:20], model.predict_marginals(words[:20], constraints=None), strict=True
    ):
        other = again.predict_marginals(crfsuite.items(model, [row]))[0]
        order = [again.classes_.tolist().index(tag) for tag in model.classes_.tolist()]
        np.testing.assert_allclose(other[:, order], table, atol=1e-9)


def test_explanations_sum_to_the_margin(trained: Path) -> None:
    model = linnet.load(trained)
    items = next(sentences(1, 5))[0]
    why = model.explain(items)
    assert [token.tag for token in why.tokens] == model.predict([items])[0]
    for token in why.tokens:
        total = sum(part.contribution for part in (*token.features, *token.neighbours))
        assert token.margin == pytest.approx(total)


def test_a_column_of_a_file_is_an_attribute(trained: Path, tmp_path: Path) -> None:
    rows = [("w:cat", "len:3"), ("w:x\\:y", "first"), ("half:0.5", "w:dog")]
    items = [
        [{"w:cat": 1.0, "len": 3.0}, {"w:x:y": 1.0, "first": 1.0}, {"half": 0.5, "w:dog": 1.0}]
    ]
    data = tmp_path / "rows.conll"
    data.write_text("".join("\t".join([*row, "N"]) + "\n" for row in rows) + "\n")
    tagged = run("predict", trained, data)
    assert [line.split()[-1] for line in tagged.split("\n") if line.strip()] == (
        linnet.load(trained).predict(items)[0]
    )
    assert "CRFsuite" in run("inspect", trained)


def test_what_is_no_item_is_refused_in_words(trained: Path) -> None:
    model = linnet.load(trained)
    for wrong in ([[{"w": None}]], [[{3: "x"}]], [[[4]]], [[{"w": float("nan")}]], [7], "text", 7):
        with pytest.raises(DataError, match="list of"):
            model.predict(wrong)
    nested: dict[str, Any] = {}
    nested["deeper"] = nested
    with pytest.raises(DataError, match="too deep"):
        model.predict([[nested]])


@pytest.mark.parametrize("weight", [1e300, -1e101, float("inf"), float("nan")])
def test_a_weight_whose_sums_overflow_is_refused(
    weight: float, trained: Path, tmp_path: Path
) -> None:
    raw = bytearray(trained.read_bytes())
    raw[72:80] = struct.pack("<d", weight)  # the weight of the first feature
    path = tmp_path / "huge.crfsuite"
    path.write_bytes(raw)
    attribute = linnet.load(trained).reader.names[0]
    message = "a weight cannot be NaN, infinite or beyond 1e100"
    with pytest.raises(ModelFileError, match=message):
        linnet.load(path).predict([[[attribute]]])
    with pytest.raises(ModelFileError, match=message):
        linnet.load(path).top_features()


def test_learners_without_linear_scores_are_not_written(tmp_path: Path) -> None:
    model = linnet.SequenceTagger(linnet.HMM()).fit([["a", "b"]] * 4, [["X", "Y"]] * 4).model_
    with pytest.raises(ParameterError, match="chains of linear scores"):
        foreign.write(model, tmp_path / "m.crfsuite")


def test_a_cut_file_is_refused_with_the_place(trained: Path, tmp_path: Path) -> None:
    raw = trained.read_bytes()
    path = tmp_path / "cut.crfsuite"
    for end in [4, 20, 47, 48, *range(100, len(raw), 499), len(raw) - 1]:
        path.write_bytes(raw[:end])
        with pytest.raises(ModelFileError, match=r"cut\.crfsuite: this CRFsuite model"):
            linnet.load(path)
        if end >= 48:  # the size in the header cut down as well
            path.write_bytes(raw[:4] + end.to_bytes(4, "little") + raw[8:end])
            with pytest.raises(ModelFileError, match=r"cut\.crfsuite: this CRFsuite model"):
                linnet.load(path)


@pytest.mark.parametrize("at", [4, 12, 20, 24, 28, 32, 36, 40, 44, 52, 56])
@pytest.mark.parametrize("value", [0, 1, 0x7FFFFFFF, 0xFFFFFFFF])
def test_a_forged_number_is_refused(at: int, value: int, trained: Path, tmp_path: Path) -> None:
    raw = bytearray(trained.read_bytes())
    raw[at : at + 4] = value.to_bytes(4, "little")
    path = tmp_path / "forged.crfsuite"
    path.write_bytes(raw)
    with pytest.raises(ModelFileError, match="this CRFsuite model"):
        linnet.load(path)


def test_a_first_answer_has_the_bits_of_later_ones(trained: Path) -> None:
    model = linnet.load(trained)
    assert model.chain.pair_weight.size  # all weights are read
    for items, _ in sentences(30, 6):
        first = linnet.load(trained).predict_marginals([items])[0]
        assert np.array_equal(first, model.predict_marginals([items])[0])
    asked = [items for items, _ in sentences(200, 7)]
    again = linnet.load(trained)  # some from their places in the file, then from all
    assert [again.predict([items])[0] for items in asked] == model.predict(asked)


def test_a_model_that_was_only_opened_can_be_copied_and_changed(trained: Path) -> None:
    asked = [items for items, _ in sentences(20, 8)]
    tags = linnet.load(trained).predict(asked)
    assert pickle.loads(pickle.dumps(linnet.load(trained))).predict(asked) == tags
    chain = linnet.load(trained).chain
    assert chain.take(np.array([0, 3])).n_features == 2
    assert chain.weighty().tolist() == list(range(chain.n_features))


def test_a_file_may_vanish_once_it_is_open(trained: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.crfsuite"
    path.write_bytes(trained.read_bytes())
    model, asked = linnet.load(path), [items for items, _ in sentences(20, 9)]
    path.write_bytes(b"another")
    path.unlink()
    assert model.predict(asked) == linnet.load(trained).predict(asked)


def test_attributes_are_found_as_crfsuite_finds_them(trained: Path, tmp_path: Path) -> None:
    raw = bytearray(trained.read_bytes())
    attributes = int.from_bytes(raw[36:40], "little")
    half = slice(attributes + 24, attributes + 24 + 1024)
    raw[half] = bytes(1024)  # 128 of 256 tables are empty
    path = tmp_path / "half.crfsuite"
    path.write_bytes(raw)
    theirs, asked = opened(path), [items for items, _ in sentences(50, 10)]
    assert linnet.load(path).predict(asked) == [theirs.tag(items) for items in asked]
    with pytest.raises(ModelFileError, match=r"attribute \d+ is not found in its table"):
        linnet.load(path).save(tmp_path / "m.linnet")
