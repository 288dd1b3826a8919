"""Wapiti's models tag here as they do there: patterns, all three types, what is counted oddly."""

from __future__ import annotations

import json
import random
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import _core
from linnet.errors import DataError, ModelFileError
from linnet.foreign import wapiti as reading
from linnet.foreign.bytes import Cursor
from linnet.foreign.wapiti.patterns import parsed

from .running import run

HERE = Path(__file__).parent / "wapiti"
ANSWERS = json.loads((HERE / "answers.json").read_text("utf-8"))
KINDS = ("crf", "memm", "maxent")
each = pytest.mark.parametrize("kind", KINDS)

PATTERNS = r"""
*
u:w=%x[0,0]
u:W=%X[-1,0]/%x[+1,0]
u:far=%x[-5,0]%x[4,0]%x[9,0]
u:suf=%m[0,0,".?.?.?$"]
u:pre=%m[0,0,"^.?.?"]
u:num=%t[0,0,"^\d\d*$"]%t[1,0,"\p"]
u:lazy=%m[0,0,"\d*"]|%m[0,0,"a*b"]|%m[-1,0,"\W*x?"]
u:odd=%m[0,0,"\l?ax"]|%x[0,1]
u:caps=%T[0,0,"^\u"]%M[0,0,"\u\l*"]
u:edge=%x[@1,1]%x[@-1,0]%x[@3,0]
u:esc=%t[0,0,"\."]%t[0,0,"a.c$"]
b:pos=%x[0,1]
"""


def sentence_of(case: dict[str, Any]) -> list[tuple[str, ...]]:
    return [tuple(token.split()) for token in case["input"].split("|")]


@each
def test_labels_and_scores_are_wapitis(kind: str) -> None:
    model = linnet.load(HERE / f"{kind}.wapiti")
    for case in ANSWERS[kind]:
        sentence = sentence_of(case)
        if case["posterior"]:
            table = model.predict_marginals([sentence])[0]
            places = [model.classes_.tolist().index(tag) for tag in case["labels"]]
            p = table[np.arange(len(places)), places]
            np.testing.assert_allclose(p, case["token_scores"], rtol=0, atol=1e-8)
            continue
        assert model.predict([sentence]) == [case["labels"]]
        score, tags = model.predict_nbest([sentence], 1)[0][0]
        assert tags == case["labels"]
        score = np.exp(score) if kind == "memm" else score
        assert score == pytest.approx(case["score"], abs=1e-8)


@pytest.mark.parametrize(
    ("pattern", "word", "observation"),
    [
        (r'u:%m[0,0,"\d*"]', "12", "u:"),  # a star takes as little as it can
        (r'u:%m[0,0,"a*b"]', "aab", "u:aab"),
        (r'u:%m[0,0,"\l?ax"]', "axyz", "u:axy"),  # what was tried in vain stays counted
        (r'u:q=%m[0,0,"\l?ax"]|%x[0,0]', "ax", "u:q=ax"),  # and may end the observation
        (r'u:%t[0,0,"^\u\l*$"]', "Rome", "u:true"),
        (r'u:%t[0,0,"^\u\l*$"]', "RoMe", "u:false"),
        (r"u:%X[0,0]", "ÉTÉ", "u:ÉtÉ"),  # only A to Z are lowered
        (r"u:%x[-1,0]%x[-9,0]%x[1,0]", "a", "u:_x-1_x-#_x+1"),
        (r'u:%m[0,0,"\$\"?"]', '$"', 'u:$"'),
    ],
)
def test_patterns_make_wapitis_observations(pattern: str, word: str, observation: str) -> None:
    expected = observation if word != "ÉTÉ" else "u:É" + "t" + "É"
    assert parsed(pattern.encode()).at([(word.encode(),)], 0) == expected.encode()


def made(n: int, seed: int) -> list[list[tuple[str, str, str]]]:
    rng = random.Random(seed)
    words = [
        "The",
        "cat",
        "lax",
        "ax",
        "axe",
        "12",
        "3x",
        "été",
        "Rome",
        "U.S.",
        "aab",
        "日本",
        "a.c",
    ]
    sentences = []
    for _ in range(n):
        chosen = rng.choices([*words, f"n{rng.randint(0, 30)}"], k=rng.randint(1, 8))
        tags = ["NVD"[(sum(map(ord, w)) + i) % 3] for i, w in enumerate(chosen)]
        low = ["cap" if word[0].isupper() else "low" for word in chosen]
        sentences.append(list(zip(chosen, low, tags, strict=True)))
    return sentences


def columns(sentences: list[list[Any]], width: int) -> str:
    return "".join(
        "".join(" ".join(token[:width]) + "\n" for token in sentence) + "\n"
        for sentence in sentences
    )


@pytest.mark.skipif(shutil.which("wapiti") is None, reason="the program wapiti is not installed")
@pytest.mark.parametrize("kind", ["crf", "memm", "maxent", "crf without pairs"])
def test_what_wapiti_trains_is_tagged_alike(kind: str, tmp_path: Path) -> None:
    constant = kind == "crf without pairs"
    lines = [line for line in PATTERNS.strip().split("\n") if not constant or line[:2] != "b:"]
    (tmp_path / "patterns").write_text("\n".join(lines) + "\n", "utf-8")
    (tmp_path / "train").write_text(columns(made(150, 0), 3), "utf-8")
    asked = made(1000, 1)
    (tmp_path / "asked").write_text(columns(asked, 2), "utf-8")
    path = tmp_path / "m.wapiti"
    train = ["train", "-T", kind.split()[0], "-p", tmp_path / "patterns", "-i", "20"]
    wapiti(*train, tmp_path / "train", path)
    wapiti("label", "-m", path, "-s", tmp_path / "asked", tmp_path / "said")
    blocks = (tmp_path / "said").read_text("utf-8").strip("\n").split("\n\n")
    model = linnet.load(path)
    assert (model.scorer.name == "chain") == (constant or kind == "maxent")
    sentences = [[token[:2] for token in sentence] for sentence in asked]
    answers = model.predict(sentences)
    best = model.predict_nbest(sentences, 1)
    for block, tags, ranked in zip(blocks, answers, best, strict=True):
        head, *rows = block.split("\n")
        assert [row.split("\t")[-1].split("/")[0].split()[-1] for row in rows] == tags
        score = np.exp(ranked[0][0]) if kind == "memm" else ranked[0][0]
        assert score == pytest.approx(float(head.split()[-1]), abs=1e-5)


def wapiti(*words: Any) -> None:
    subprocess.run(["wapiti", *map(str, words)], check=True, capture_output=True)


@each
def test_converted_models_keep_every_bit(kind: str, tmp_path: Path) -> None:
    model = linnet.load(HERE / f"{kind}.wapiti")
    sentences = [[token[:2] for token in sentence] for sentence in made(50, 2)]
    model.save(tmp_path / "m.linnet")
    again = linnet.load(tmp_path / "m.linnet")
    assert again.predict(sentences) == model.predict(sentences)
    pairs = zip(again.predict_marginals(sentences), model.predict_marginals(sentences), strict=True)
    assert all(np.array_equal(a, b) for a, b in pairs)
    assert again.card() == model.card()


@each
def test_explanations_sum_to_the_margin(kind: str) -> None:
    model = linnet.load(HERE / f"{kind}.wapiti")
    sentence = [token[:2] for token in made(1, 3)[0]]
    why = model.explain(sentence)
    assert [token.tag for token in why.tokens] == model.predict([sentence])[0]
    for token in why.tokens:
        total = sum(part.contribution for part in (*token.features, *token.neighbours))
        assert token.margin == pytest.approx(total)


def test_marginals_and_the_best_labellings_agree_with_all_labellings() -> None:
    from itertools import product

    model = linnet.load(HERE / "crf.wapiti")
    sentence = [token[:2] for token in made(1, 5)[0]][:4]
    every = model.predict_nbest([sentence], 3 ** len(sentence))[0]
    assert sorted(tuple(tags) for _, tags in every) == sorted(
        product(model.classes_.tolist(), repeat=len(sentence))
    )
    weights = np.exp([score for score, _ in every])
    table = model.predict_marginals([sentence])[0]
    for t in range(len(sentence)):
        for k, tag in enumerate(model.classes_.tolist()):
            share = sum(w for w, (_, tags) in zip(weights, every, strict=True) if tags[t] == tag)
            assert table[t, k] == pytest.approx(share / weights.sum(), abs=1e-12)


def test_the_command_line_tags_a_file(tmp_path: Path) -> None:
    data = tmp_path / "data.conll"
    data.write_text("The\tcap\tD\ncat\tlow\tN\neats\tlow\tV\n\n")
    said = run("predict", HERE / "crf.wapiti", data)
    assert [line.split()[-1] for line in said.split("\n") if line.strip()] == ["D", "N", "V"]
    assert "Wapiti" in run("inspect", HERE / "crf.wapiti")
    listed = linnet.load(HERE / "crf.wapiti").top_features(3)
    assert "u:w=a" in {name for name, _ in listed["D"]}


@each
def test_threads_columns_and_lists_give_the_same_answers(kind: str) -> None:
    from linnet.model.readers.tokens import read_tokens

    model = linnet.load(HERE / f"{kind}.wapiti")
    sentences = [[token[:2] for token in sentence] for sentence in made(300, 6)]
    model.n_threads = 1
    tags, tables = model.predict(sentences), model.predict_marginals(sentences)
    model.n_threads = 3
    for asked in (sentences, read_tokens(sentences), tuple(sentences)):
        assert model.predict(asked) == tags
        again = model.predict_marginals(asked)
        assert all(np.array_equal(a, b) for a, b in zip(again, tables, strict=True))


@each
def test_many_sentences_at_once_are_tagged_as_one_by_one(kind: str) -> None:
    model = linnet.load(HERE / f"{kind}.wapiti")
    sentences = [[token[:2] for token in sentence] for sentence in made(100, 7)]
    assert model.predict([*sentences, []]) == [*(model.predict([s])[0] for s in sentences), []]


@pytest.mark.parametrize("word", ["", "a b", "a\u00a0b", "a\u2003", "\u3000", "a\x1cb"])
def test_words_that_no_file_could_hold_are_refused(word: str) -> None:
    model = linnet.load(HERE / "crf.wapiti")
    with pytest.raises(DataError, match="Word 1 of sentence 0"):
        model.predict([[("The", "cap"), (word, "low")]])


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(DataError, match="surrogate"):
        linnet.load(HERE / "crf.wapiti").predict([[("The", "cap"), ("c\ud800t", "low")]])


def test_missing_columns_are_named() -> None:
    model = linnet.load(HERE / "crf.wapiti")
    with pytest.raises(DataError, match="look at 2 columns of a token, and these have 1"):
        model.predict([["The", "cat"]])


def test_an_expression_that_would_search_for_ever_is_stopped() -> None:
    pattern = parsed(b'u:%t[0,0,"' + b"a?" * 40 + b"b" * 5 + b'"]')
    with pytest.raises(DataError, match="takes too long"):
        pattern.at([(b"a" * 60,)], 0)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"#mdl#2#", b"#mdl#7#"),
        (b"#mdl#2#130", b"#mdl#2#131"),
        (b"#rdr#10/1/0", b"#rdr#9999999/1/0"),
        (b"#rdr#10/1/0", b"#rdr#10/0/0"),
        (b"#qrk#3\n", b"#qrk#999999999\n"),
        (b"#qrk#3\n1:D,\n1:N,", b"#qrk#3\n1:N,\n1:N,"),
        (b"7:u:w=The,", b"70000:u:w=The,"),
        (b"7:u:w=The,", b"7:u:w=The;"),
        (b"7:u:w=The,", b"7:x:w=The,"),
        (b"7:u:w=dog,", b"7:u:w=The,"),
        (b"\n0=-0x", b"\n0=-0y"),
        (b"\n0=", b"\n1="),
        (b"\n0=-0x1.a15bb311e8268p-4", b"\n0=nan"),
        (b"\n0=-0x1.a15bb311e8268p-4", b"\n0=1e999"),
        (b'"\\d*x"]', b'"**dx"]'),
        (b"%x[0,0]", b"%y[0,0]"),
    ],
)
def test_a_damaged_file_is_refused(old: bytes, new: bytes, tmp_path: Path) -> None:
    raw = (HERE / "crf.wapiti").read_bytes()
    assert old in raw
    path = tmp_path / "m.wapiti"
    path.write_bytes(raw.replace(old, new, 1))
    with pytest.raises(ModelFileError, match="this Wapiti model"):
        linnet.load(path)


def test_a_cut_file_is_refused_with_the_place(tmp_path: Path) -> None:
    raw = (HERE / "crf.wapiti").read_bytes()
    path = tmp_path / "m.wapiti"
    for end in range(6, len(raw) - 1, 97):
        path.write_bytes(raw[:end])
        with pytest.raises(ModelFileError, match="this Wapiti model"):
            linnet.load(path)


def _cursor(raw: bytes) -> Cursor:
    return Cursor(raw, "m.wapiti", "Wapiti")


def test_texts_and_weights_are_read_by_the_core_as_one_by_one() -> None:
    texts = [b"u:a", b"", "b:é".encode(), b"*" * 300, b"u,\n"]
    raw = b"".join(b"%d:%s,\n" % (len(text), text) for text in texts) + b"rest"
    fast, slow = _cursor(raw), _cursor(raw)
    names = reading._netstrings(fast, len(texts), "one")
    assert names.tolist() == reading._netstrings_one_by_one(slow, len(texts), "one").tolist()
    assert fast.at == slow.at == len(raw) - len(b"rest")
    assert names.tolist() == [text.decode() for text in texts]


def _written(number: float, rng: random.Random) -> str:
    """Return a number as Wapiti, its Ruby port or another program writes it."""
    ways = (float.hex, "{:.6e}".format, "{:.17e}".format, repr, "{:+}".format, "{:E}".format)
    return rng.choice(ways)(number).replace("0x1.0000000000000p", rng.choice(("0x1p", "0x1.0p")))


def test_numbers_are_read_to_the_last_bit_however_they_are_written() -> None:
    rng = random.Random(0)
    numbers = [
        rng.choice((-1, 1)) * rng.random() * 10.0 ** rng.randint(-30, 30) for _ in range(4000)
    ]
    numbers += [0.0, -0.0, 5e-324, 2.0**-1074 * 3, 1e22, 9007199254740993.0, 2.0**53, 0.5, 1e99]
    counts = {True: 0, False: 0}
    for number in numbers:
        text = _written(number, rng)
        expected = float.fromhex(text) if "x" in text else float(text)
        place, value = np.empty(1, np.int64), np.empty(1)
        line = np.frombuffer(f"7={text}\n".encode(), np.uint8)
        known = _core.wapiti_weights(line, place, value)
        counts[known] += 1
        if known:
            assert place[0] == 7 and struct.pack("d", value[0]) == struct.pack("d", expected), text
        read = reading._weights(_cursor(f"7={text}\n".encode()), 1)
        assert read.value.tobytes() == struct.pack("d", expected), text
    assert counts[True] > 1000 and counts[False] > 500  # what is left to Python is tried as well


@pytest.mark.parametrize(
    "raw",
    [b"", b"1=", b"1=1", b"=1\n", b"1=1\n\n", b"1=0x\n", b"1=0xp3\n", b"1=.\n", b"1=1e\n",
     b"1=1e5x\n", b"1=0x1p+\n", b"x=1\n", b"-1=1\n", b"1=nan\n", b"1=1e999\n", b"1=0x1p99999\n"],
)  # fmt: skip
def test_what_is_no_weight_is_refused(raw: bytes) -> None:
    with pytest.raises(ModelFileError, match="weight"):
        reading._weights(_cursor(raw), 1)


def test_a_model_that_does_not_say_what_it_saw_gets_no_figures_of_unseen_words(
    tmp_path: Path,
) -> None:
    data = tmp_path / "a.conll"
    data.write_text("The\tcap\tN\ncat\tlow\tN\n\n", "utf-8")
    said = run("evaluate", HERE / "crf.wapiti", data)
    assert "token accuracy" in said and "not seen in training" not in said
