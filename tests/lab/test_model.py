"""The view of models: what the model says, of every kind, and nothing that was not asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import linnet
from linnet.errors import DataError, ParameterError
from linnet.lab.model import answer
from linnet.lab.views import ask

SENTENCES = [["the", "dog", "runs"], ["a", "cat", "sat"], ["dogs", "run"]] * 4
TAGS = [["D", "N", "V"], ["D", "N", "V"], ["N", "V"]] * 4
TEXTS = ["good book", "fine film", "poor book", "dull film", "so so film"] * 4
LABELS = ["pos", "pos", "neg", "neg", "mid"] * 4
TAGGED = "the D\ndog V\nsat V\n\na D\ncat N\n"


def spelled(state: dict[str, Any]) -> dict[str, Any]:
    """Return the answer as a page gets it."""
    plain: dict[str, Any] = json.loads(json.dumps(state, allow_nan=False))
    return plain


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "texts.linnet"
    linnet.TextClassifier(linnet.MaxEnt(), ngrams=1).fit(TEXTS, LABELS).save(path)
    return path


def tagger(folder: Path, learner: Any) -> Path:
    path = folder / "tagger.linnet"
    linnet.SequenceTagger(learner).fit(SENTENCES, TAGS).save(path)
    return path


def test_without_a_file_it_shows_a_model_of_the_five_reviews() -> None:
    state = spelled(answer({"example": "predictable with no originality"}))
    assert state["file"] is None and "five film reviews" in state["note"]
    # unseen words are dropped: SPEC W-05
    assert dict(state["explained"]["probabilities"])["-"] == pytest.approx(2523 / 3101, abs=1e-6)


def test_a_texts_explanation_sums_to_the_score_of_every_class(texts: Path) -> None:
    state = spelled(answer({"model": str(texts), "example": "a good fine film"}))
    model = linnet.load(texts)
    scores = dict(
        zip(model.classes_, model.decision_function(["a good fine film"])[0], strict=True)
    )
    found = state["explained"]
    assert {one["label"] for one in found["classes"]} == set(scores)
    for one in found["classes"]:
        total = one["intercept"] + sum(part[3] for part in one["parts"])
        assert total == pytest.approx(scores[one["label"]], abs=1e-6)
        words = one["intercept"] + sum(word[2] for word in one["words"])
        assert words == pytest.approx(one["score"], abs=1e-6)
    assert found["label"] == model.predict(["a good fine film"])[0]


def test_the_removals_that_are_shown_change_the_answer(texts: Path) -> None:
    found = answer({"model": str(texts), "example": "good film film"})["explained"]
    model, flip = linnet.load(texts), found["flip"]
    assert flip["label"] != found["label"]
    assert model.predict([flip["text"]])[0] == flip["label"]


def test_card_and_strongest_features_are_those_of_the_model(texts: Path) -> None:
    state = answer({"model": str(texts), "top": 2})
    model = linnet.load(texts)
    assert state["card"][0][1] == model.card().splitlines()[0]
    assert ["learner", "MaxEnt"] in state["card"]
    assert ["decision", "the label of largest score"] in state["card"]
    expected = {
        label: [list(pair) for pair in rows] for label, rows in model.top_features(2).items()
    }
    assert state["strongest"] == expected
    assert state["file"] == "texts.linnet"


def test_mistakes_on_a_labelled_file_are_counted_and_explained(texts: Path) -> None:
    state = spelled(answer({"model": str(texts), "labelled": "pos\tgood film\nneg\tgood book\n"}))
    found = state["mistakes"]
    assert (found["accuracy"], found["count"]) == (0.5, 2)
    (mistake,) = found["list"]
    assert (mistake["row"], mistake["truth"], mistake["guess"]) == (1, "neg", "pos")
    assert mistake["features"][0][0] == "good"


@pytest.mark.parametrize(
    "learner", [linnet.CRF(), linnet.HMM(), linnet.StructuredPerceptron(random_state=0)]
)
def test_a_sentence_is_explained_token_by_token(tmp_path: Path, learner: Any) -> None:
    path = tagger(tmp_path, learner)
    asked = {"model": str(path), "example": "the dog sat", "labelled": TAGGED}
    state = spelled(answer(asked))
    tokens = state["explained"]["tokens"]
    assert [token["word"] for token in tokens] == ["the", "dog", "sat"]
    assert [token["tag"] for token in tokens] == linnet.load(path).predict([["the", "dog", "sat"]])[
        0
    ]
    assert state["mistakes"]["accuracy"] == pytest.approx(0.8)
    assert [(m["row"], m["token"], m["guess"]) for m in state["mistakes"]["list"]] == [(0, 1, "N")]
    assert (
        bool(state["transitions"]) == bool(state["strongest"]) == (type(learner).__name__ != "HMM")
    )


def test_a_row_is_explained_by_the_reasons_of_its_learner(tmp_path: Path) -> None:
    path = tmp_path / "rows.linnet"
    rows, labels = [["a", 1.0], ["b", 2.0]] * 5, ["x", "y"] * 5
    linnet.RowClassifier(linnet.DecisionTree()).fit(rows, labels).save(path)
    asked = {"model": str(path), "example": "b, 2", "labelled": "a,1,x\nb,2,x\n"}
    state = spelled(answer(asked))
    assert state["explained"]["label"] == "y" and state["explained"]["form"] == "reasons"
    assert state["mistakes"]["accuracy"] == 0.5
    with pytest.raises(DataError, match="a row has 2 values"):
        answer({"model": str(path), "example": "b"})
    with pytest.raises(DataError, match="'q' is no number"):
        answer({"model": str(path), "example": "b, q"})


def test_a_model_of_another_program_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "liblinear.model"
    path.write_text(
        "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias -1\nw\n1.5 \n-0.5 \n"
    )
    state = spelled(answer({"model": str(path), "example": "[1, 2]"}))
    assert state["kind"] == "vector"
    assert state["explained"]["classes"][0]["score"] == pytest.approx(0.5)


def test_the_page_cannot_name_another_file(texts: Path) -> None:
    state = ask("model", {"model": "/etc/hostname"}, texts)
    assert state["file"] == "texts.linnet"
    assert ask("model", {"model": "/etc/hostname"})["file"] is None


def test_what_cannot_be_read_is_said(tmp_path: Path, texts: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        answer({"model": str(tmp_path / "none.linnet")})
    with pytest.raises(DataError, match="no labels"):
        answer({"model": str(texts), "labelled": "just one line of words\n"})
    with pytest.raises(ParameterError, match="example must be text"):
        answer({"example": 3})
