"""features="auto": richer features are taken when held-out examples prefer them, else words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import TextClassifier
from linnet.errors import DataError
from linnet.model.fitting.auto import choose_features

from .made import texts_of

SYLLABLES = ["ka", "lo", "mi", "ru", "te", "sa", "no", "vi", "de", "pu"]


def names_of(n: int, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return made-up first names, each once, and a gender that mostly shows at their end."""
    draw = np.random.default_rng(seed)
    names: dict[str, str] = {}
    while len(names) < n:
        stem = "".join(draw.choice(SYLLABLES, int(draw.integers(2, 5))))
        gender = "f" if draw.random() < 0.63 else "m"
        end = draw.choice({"f": ["na", "lia", "ra"], "m": ["ton", "rik", "os"]}[gender])
        names.setdefault(f"{stem}{end}".capitalize(), gender if draw.random() < 0.95 else "f")
    return list(names), list(names.values())


def sentences_of(n: int, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return texts whose words alone decide, and of which characters say no more."""
    draw = np.random.default_rng(seed)
    labels = draw.choice(["yes", "no"], n)
    words = {"yes": ["qua", "zeb", "mox"], "no": ["blu", "dri", "vok"]}
    texts = []
    for row, label in enumerate(labels):
        shown = label if draw.random() < 0.9 else {"yes": "no", "no": "yes"}[label]
        texts.append(f"{draw.choice(words[shown])} {row % 97} {row // 97}")
    return texts, labels.tolist()


@pytest.fixture(scope="module")
def of_names() -> TextClassifier:
    return TextClassifier().fit(*names_of(1600))


def test_names_are_told_by_their_characters(of_names: TextClassifier) -> None:
    names, genders = names_of(2400)
    assert of_names.score(names[1600:], genders[1600:]) > 0.88
    record = of_names.record_
    assert "char_wb:2-5" in record["choice"] and "p = " in record["choice"]
    first, *others = record["tried"]
    assert first["features"] == "words:1-2" and "p" not in first
    assert min(trial["p"] for trial in others) < 0.05
    assert {"accuracy", "n_features", "values_per_text"} <= first.keys()
    assert 0.5 < record["majority"] < 0.75


def test_characters_serve_where_no_word_occurs_twice() -> None:
    """Words of single texts are pruned from 1,000 texts on, and then there is none."""
    names, genders = names_of(2400)
    with pytest.raises(DataError, match="no features remain"):
        TextClassifier(features="words").fit(names, genders)
    record = TextClassifier().fit(names, genders).record_
    assert record["tried"][0]["accuracy"] == pytest.approx(record["majority"], abs=0.01)


def test_the_decision_stands_in_the_file_and_is_shown(
    of_names: TextClassifier, tmp_path: Path
) -> None:
    of_names.save(tmp_path / "names.linnet")
    again = linnet.load(tmp_path / "names.linnet")
    assert again.record_ == of_names.record_
    card = again.card()
    assert of_names.record_["choice"] in card
    assert card.count("tried ") == len(of_names.record_["tried"])


def test_the_same_choice_and_bits_at_any_threads(tmp_path: Path) -> None:
    files = []
    for threads in (1, 3):
        path = tmp_path / f"{threads}.linnet"
        TextClassifier(n_threads=threads).fit(*names_of(700)).save(path)
        files.append(path.read_bytes())
    assert files[0] == files[1]


def test_words_stay_where_nothing_is_significantly_better() -> None:
    texts, labels = sentences_of(900)
    chosen = TextClassifier().fit(texts, labels)
    words = TextClassifier(features="words").fit(texts, labels)
    assert chosen.record_["choice"].startswith("words:1-2: ")
    assert "nothing tried was significantly better" in chosen.record_["choice"]
    scores = (clf.decision_function(texts).tobytes() for clf in (chosen, words))
    assert next(scores) == next(scores)


def test_it_is_said_when_nothing_beats_the_most_frequent_label() -> None:
    draw = np.random.default_rng(1)
    texts = [" ".join(f"w{k}" for k in draw.integers(0, 500, 6)) for _ in range(700)]
    labels = np.where(draw.random(700) < 0.7, "often", "rare").tolist()
    choice = TextClassifier().fit(texts, labels).record_["choice"]
    assert "nothing tried beats the most frequent label" in choice


def test_too_few_examples_are_words_to_the_bit(tmp_path: Path) -> None:
    texts, labels = texts_of(300)
    for name in ("auto", "words"):
        TextClassifier(features=name).fit(texts, labels).save(tmp_path / name)
    assert (tmp_path / "auto").read_bytes() == (tmp_path / "words").read_bytes()


@pytest.mark.parametrize(
    "chosen",
    [
        {"features": "words"}, {"learner": linnet.SVM()}, {"tokenizer": "word"}, {"ngrams": 1},
        {"hashing": 10}, {"C": 1.0}, {"weighting": "binary"}, {"class_weight": "balanced"},
        {"norm": None},
    ],
)  # fmt: skip
def test_nothing_is_tried_where_the_user_has_chosen(chosen: dict[str, Any]) -> None:
    names, genders = names_of(600)
    gold = (np.array(genders) == "m").astype(np.int32)
    assert choose_features(TextClassifier(**chosen), names, gold, None) is None


def test_nothing_is_tried_for_several_or_hundreds_of_labels_bags_or_weights() -> None:
    names, genders = names_of(600)
    gold = (np.array(genders) == "m").astype(np.int32)
    clf = TextClassifier()
    assert choose_features(clf, names, np.stack([gold, gold], axis=1), None) is None
    assert choose_features(clf, [{"a": 1.0}] * 600, gold, None) is None
    assert choose_features(clf, np.ones((600, 2)), gold, None) is None
    assert choose_features(clf, names, gold, np.ones(600)) is None
    assert choose_features(clf, names, np.arange(600, dtype=np.int32) // 2, None) is None


def test_held_out_answers_do_not_know_their_labels() -> None:
    """Labels at random are answered no better than at random by any candidate."""
    draw = np.random.default_rng(2)
    texts = [" ".join(f"w{k}" for k in draw.integers(0, 2000, 30)) for _ in range(1000)]
    record = TextClassifier().fit(texts, draw.integers(0, 2, 1000)).record_
    assert all(trial["accuracy"] < 0.57 for trial in record["tried"])
