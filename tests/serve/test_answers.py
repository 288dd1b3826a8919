"""The service answers as the library does, bit for bit, whatever the form of the request."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import linnet

TEXTS = ["a wonderful mess", "", "number 3, dull", "öde – \U0001f600 film", "great acting", "slow"]
DAYS = [{"outlook": "sunny", "degrees": 20.5}, {"outlook": "rain", "degrees": None}]
EXAMPLES: dict[str, tuple[str, str, list[Any]]] = {
    "reviews": ("text", "texts", TEXTS),
    "near": ("text", "texts", TEXTS),
    "numbers": ("text", "texts", TEXTS),
    "bags": ("bag", "bags", [{"wonderful": 1, "film": 2.5}, {}, {"dull": 1, "unseen": 3}]),
    "vectors": ("vector", "vectors", [[1, 0, 2], [0.25, -3, 1e-9]]),
    "weather": ("row", "rows", DAYS),
    "linear_weather": ("row", "rows", [["sunny", 20.5], ["fog", 1]]),
    "column_weather": (
        "row",
        "rows",
        [{"outlook": "sunny", "degrees": 20.5}, {"outlook": None, "degrees": None}],
    ),
}
SENTENCES = [["Anna", "saw", "New", "York"], [], ["He", "ran", "."]]
each_model = pytest.mark.parametrize("name", EXAMPLES)


@each_model
def test_one_example_is_answered_as_by_the_library(
    everything: Any, models: dict[str, str], name: str
) -> None:
    one, _, examples = EXAMPLES[name]
    model = linnet.load(models[name])
    for example in examples:
        answer = everything.post("/predict", {"model": name, one: example}).json
        verdict = model.judge([example])
        assert answer == {
            "model": name,
            "label": verdict.labels.tolist()[0],
            "probability": verdict.sure.tolist()[0],
        }


@each_model
def test_a_list_is_answered_as_by_the_library(
    everything: Any, models: dict[str, str], name: str
) -> None:
    _, many, examples = EXAMPLES[name]
    model = linnet.load(models[name])
    request = {"model": name, many: examples, "top": 2, "probabilities": True}
    answers = everything.post("/predict", request).json["answers"]
    verdict = model.judge(examples)
    labels, shares = verdict.top(2)
    assert [a["label"] for a in answers] == model.predict(examples).tolist()
    assert [[p["label"] for p in a["top"]] for a in answers] == labels.tolist()
    assert [[p["probability"] for p in a["top"]] for a in answers] == shares.tolist()
    table = [list(a["probabilities"].values()) for a in answers]
    assert table == model.predict_proba(examples).tolist()
    assert list(answers[0]["probabilities"]) == list(map(str, model.classes_.tolist()))


def test_many_who_ask_at_once_each_get_their_own_answer(
    everything: Any, models: dict[str, str]
) -> None:
    model = linnet.load(models["reviews"])
    texts = [f"{a} {b} {n}" for n in range(25) for a in ("great", "dull") for b in ("joy", "mess")]
    right = dict(zip(texts, model.judge(texts).sure.tolist(), strict=True))

    def ask(text: str) -> float:
        reply = everything.post("/predict", {"model": "reviews", "text": text})
        return float(reply.json["probability"])

    with ThreadPoolExecutor(16) as pool:
        assert dict(zip(texts, pool.map(ask, texts), strict=True)) == right


def test_a_long_request_is_answered_as_a_short_one(everything: Any, models: dict[str, str]) -> None:
    texts = [f"{'wonderful ' * 20}{n}" for n in range(900)]
    reply = everything.post("/predict", {"model": "reviews", "texts": texts})
    assert len(reply.body) > 0 and sum(map(len, texts)) > 1 << 16
    shares = [answer["probability"] for answer in reply.json["answers"]]
    assert shares == linnet.load(models["reviews"]).judge(texts).sure.tolist()


def test_a_model_abstains_as_it_was_trained_to_or_as_asked(
    everything: Any, models: dict[str, str]
) -> None:
    model = linnet.load(models["careful"])
    answers = everything.post("/predict", {"model": "careful", "texts": TEXTS}).json["answers"]
    assert [a["label"] for a in answers] == model.predict(TEXTS).tolist()
    assert None in [a["label"] for a in answers]
    asked = {"model": "careful", "texts": TEXTS, "abstain": 0.0}
    answers = everything.post("/predict", asked).json["answers"]
    assert None not in [a["label"] for a in answers]
    asked = {"model": "reviews", "text": "film", "abstain": 1.0}
    assert everything.post("/predict", asked).json["label"] is None


def test_several_labels_a_row_are_answered_by_lists(
    everything: Any, models: dict[str, str]
) -> None:
    model = linnet.load(models["topics"])
    answers = everything.post("/predict", {"model": "topics", "texts": TEXTS}).json["answers"]
    assert [a["labels"] for a in answers] == model.predict(TEXTS).tolist()
    p, classes = model.predict_proba(TEXTS), model.classes_.tolist()
    for row, answer in enumerate(answers):
        columns = [classes.index(label) for label in answer["labels"]]
        assert answer["probability"] == p[row, columns].tolist()


def test_an_empty_list_has_no_answers(everything: Any) -> None:
    reply = everything.post("/predict", {"model": "vectors", "vectors": []})
    assert (reply.status, reply.json["answers"]) == (200, [])


def test_rows_by_name_and_by_place_may_stand_together(everything: Any) -> None:
    rows = [
        {"outlook": "sunny", "degrees": 20.5},
        ["sunny", 20.5],
        {"degrees": 3, "outlook": "fog"},
    ]
    answers = everything.post("/predict", {"model": "weather", "rows": rows}).json["answers"]
    assert answers[0] == answers[1]
    alone = everything.post("/predict", {"model": "weather", "row": ["fog", 3]}).json
    assert answers[2] == {"label": alone["label"], "probability": alone["probability"]}


def test_sentences_are_tagged_as_by_the_library(everything: Any, models: dict[str, str]) -> None:
    model = linnet.load(models["names"])
    asked = {"model": "names", "sentences": SENTENCES, "probabilities": True, "nbest": 2}
    answers = everything.post("/tag", asked).json["answers"]
    assert [a["tags"] for a in answers] == model.predict(SENTENCES)
    tables = model.predict_marginals(SENTENCES)
    number = {tag: k for k, tag in enumerate(model.classes_.tolist())}
    for answer, table in zip(answers, tables, strict=True):
        shares = [table[t, number[tag]] for t, tag in enumerate(answer["tags"])]
        assert answer["probability"] == [float(share) for share in shares]
    ranked = [[(b["score"], b["tags"]) for b in a["nbest"]] for a in answers]
    assert ranked == model.predict_nbest(SENTENCES, 2)
    assert answers[0]["spans"] == [
        {"start": 0, "end": 1, "label": "PER"},
        {"start": 2, "end": 4, "label": "LOC"},
    ]


def test_raw_text_is_tagged_with_places_in_characters(
    everything: Any, models: dict[str, str]
) -> None:
    text = "\U0001f600 Anna saw New\nYork, Bob ran"
    answer = everything.post("/tag", {"model": "names", "text": text}).json
    for token in answer["tokens"]:
        assert text[token["start"] : token["end"]] == token["text"]
    assert len(answer["tokens"]) == len(answer["tags"])
    found = [(s["start"], s["end"], s["label"], s["text"]) for s in answer["spans"]]
    assert found == linnet.load(models["names"]).entities(text)


def test_constraints_are_those_asked_for(everything: Any, models: dict[str, str]) -> None:
    asked = {"model": "names", "sentences": SENTENCES, "constraints": None}
    tags = [a["tags"] for a in everything.post("/tag", asked).json["answers"]]
    assert tags == linnet.load(models["names"]).predict(SENTENCES, constraints=None)


@pytest.mark.parametrize(
    "request_",
    [
        {"model": "reviews", "text": "a wonderful mess"},
        {"model": "reviews", "text": "a wonderful mess", "label": "neg"},
        {"model": "numbers", "text": "a wonderful mess", "label": 2},
        {"model": "near", "text": "a wonderful mess"},
        {"model": "bags", "bag": {"film": 1}},
        {"model": "weather", "row": {"outlook": "sunny", "degrees": 20.5}},
        {"model": "linear_weather", "row": ["rain", 3]},
        {"model": "names", "tokens": ["Anna", "ran"]},
        {"model": "names", "text": "Anna ran"},
    ],
)
def test_a_decision_is_explained_as_by_the_library(
    everything: Any, models: dict[str, str], request_: dict[str, Any]
) -> None:
    asked = dict(request_)
    model = linnet.load(models[asked.pop("model")])
    label = asked.pop("label", None)
    explained = model.explain(*asked.values(), label).to_dict(3)
    reply = everything.post("/explain", {**request_, "top": 3})
    assert reply.status == 200
    assert reply.json["explanation"] == explained


def test_probabilities_lose_no_digit(everything: Any, models: dict[str, str]) -> None:
    texts = [f"film {n} wonderful dull {n * n}" for n in range(300)]
    answers = everything.post("/predict", {"model": "reviews", "texts": texts}).json["answers"]
    sent = np.array([answer["probability"] for answer in answers])
    assert sent.tobytes() == linnet.load(models["reviews"]).judge(texts).sure.tobytes()
