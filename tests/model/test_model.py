"""Model of texts: decisions, top labels, abstaining, looking inside."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import TextClassifier
from linnet.errors import ParameterError

from .made import bags_of, texts_of

TEXTS, LABELS = texts_of(90)
PAIR, PAIR_LABELS = texts_of(60, classes=2, seed=1)
NEW = [*texts_of(40, seed=2)[0], "", "unseen words only"]


@pytest.fixture(scope="module")
def three() -> linnet.Model:
    return TextClassifier().fit(TEXTS, LABELS).model_


@pytest.fixture(scope="module")
def two() -> linnet.Model:
    return TextClassifier().fit(PAIR, PAIR_LABELS).model_


def _abstaining(threshold: float, label: Any = None) -> linnet.Model:
    return TextClassifier(abstain=threshold, abstain_label=label).fit(TEXTS, LABELS).model_


@pytest.mark.parametrize("name", ["two", "three"])
def test_the_label_is_the_one_of_largest_score_and_probability(
    name: str, request: pytest.FixtureRequest
) -> None:
    model = request.getfixturevalue(name)
    scores, probability = model.decision_function(NEW), model.predict_proba(NEW)
    best = (scores >= 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
    assert model.predict(NEW).tolist() == model.classes_[best].tolist()
    assert (probability.argmax(axis=1) == best).all()


def test_a_score_of_exactly_0_goes_to_the_second_class_everywhere(two: linnet.Model) -> None:
    two = copy.copy(two)
    two.weights_, two.intercept_ = np.zeros_like(two.weights_), np.zeros(1)
    assert two.predict_proba(NEW[:1]).tolist() == [[0.5, 0.5]]
    assert two.predict(NEW[:1]).tolist() == [two.classes_[1]]
    assert two.predict_top(NEW[:1], 2)[0].tolist() == [two.classes_[::-1].tolist()]


def test_top_labels_come_best_first_and_k_may_exceed_their_number(three: linnet.Model) -> None:
    labels, probability = three.predict_top(NEW, 10)
    assert labels.shape == probability.shape == (len(NEW), 3)
    assert (np.diff(probability, axis=1) <= 0).all()
    assert labels[:, 0].tolist() == three.predict(NEW).tolist()
    first, _ = three.predict_top(NEW, 1)
    assert first[:, 0].tolist() == labels[:, 0].tolist()
    assert all(len(set(row)) == 3 for row in labels.tolist())


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "2"])
def test_a_number_of_top_labels_that_is_none_is_refused(three: linnet.Model, k: Any) -> None:
    with pytest.raises(ParameterError, match="k must be"):
        three.predict_top(NEW, k)


def test_abstaining_at_0_always_answers_and_at_1_answers_only_when_certain() -> None:
    assert _abstaining(0.0).predict(NEW).tolist() == _abstaining(0.0).classes_[
        _abstaining(0.0).predict_proba(NEW).argmax(axis=1)
    ].tolist()  # fmt: skip
    assert set(_abstaining(1.0).predict(NEW).tolist()) == {None}


def test_rows_below_the_threshold_get_the_label_of_abstaining() -> None:
    model = _abstaining(0.9, "don't know")
    best = model.predict_proba(NEW).max(axis=1)
    answers = model.predict(NEW)
    assert answers.dtype == object
    assert ((answers == "don't know") == (best < 0.9)).all()
    assert 0 < (best < 0.9).sum() < len(NEW)


def test_abstained_rows_are_not_right() -> None:
    clf = TextClassifier(abstain=1.0).fit(TEXTS, LABELS)
    assert clf.score(TEXTS, LABELS) == 0.0


def test_the_top_features_of_two_classes_mirror_each_other(two: linnet.Model) -> None:
    found = two.top_features(4)
    assert list(found) == two.classes_.tolist()
    weights = dict(zip(two.extractor.names.tolist(), two.weights_[:, 0].tolist(), strict=True))
    for label, sign in zip(two.classes_.tolist(), (-1, 1), strict=True):
        values = [value for _, value in found[label]]
        assert values == sorted((sign * w for w in weights.values()), reverse=True)[:4]
        assert all(weights[name] == sign * value for name, value in found[label])


@pytest.mark.parametrize("n", [-1, 2.0, True])
def test_a_number_of_features_that_is_none_is_refused(three: linnet.Model, n: Any) -> None:
    with pytest.raises(ParameterError, match="n must be"):
        three.top_features(n)


def test_there_may_be_fewer_features_than_asked_for(three: linnet.Model) -> None:
    assert len(three.top_features(10**6)["food"]) == three.n_features
    assert three.top_features(0) == {"food": [], "music": [], "sport": []}


def test_hashed_features_and_vectors_are_named_by_their_number() -> None:
    hashed = TextClassifier(hashing=8).fit(TEXTS, LABELS).model_
    assert hashed.top_features(1)["food"][0][0].startswith("bucket ")
    vectors = TextClassifier().fit(np.eye(3).repeat(9, axis=0), LABELS[:27]).model_
    assert vectors.feature_name(2) == "x2"


def test_the_record_is_plain_json_and_says_what_was_done(three: linnet.Model) -> None:
    record = json.loads(json.dumps(three.record_, allow_nan=False))
    assert record == three.record_
    assert record["learner"] == "SVM" and record["examples"] == 90
    assert record["optimality"] <= 1e-3
    assert record["held_out"] == 90 and 0.8 < record["held_out_accuracy"] <= 1.0


@pytest.mark.parametrize(
    "model, part",
    [
        (TextClassifier(html=True, digits=True, stop_words="english").fit(TEXTS, LABELS), "digits"),
        (TextClassifier(hashing=8).fit(TEXTS, LABELS), "hashed into 256 buckets"),
        (TextClassifier(tokenizer="char", ngrams=3).fit(TEXTS, LABELS), "n-grams of 3 characters"),
        (TextClassifier().fit(bags_of(TEXTS), LABELS), "bags of features"),
        (TextClassifier().fit(np.eye(3).repeat(9, axis=0), LABELS[:27]), "vectors"),
        (TextClassifier(abstain=0.4).fit(TEXTS, LABELS), "below a probability of 0.4"),
        (TextClassifier().fit(TEXTS, [[label] for label in LABELS]), "every label whose"),
    ],
)
def test_the_card_of_every_kind_of_model_can_be_read(model: TextClassifier, part: str) -> None:
    card = model.card()
    assert part in card and "SVM" in card and "3 labels" in card


def test_importing_the_model_imports_neither_scikit_learn_nor_scipy(tmp_path: Any) -> None:
    path = tmp_path / "m.linnet"
    TextClassifier().fit(TEXTS, LABELS).save(path)
    bags = tmp_path / "bags.linnet"
    TextClassifier().fit(bags_of(TEXTS), LABELS).save(bags)
    code = (
        "import sys, linnet, linnet.model.model\n"
        f"model = linnet.load({str(path)!r})\n"
        "model.predict(['goal']), model.predict_top(['goal'], 2), model.explain('goal')\n"
        f"linnet.load({str(bags)!r}).predict([{{'goal': 1}}])\n"
        "heavy = ('sklearn', 'scipy', 'pandas', 'pyarrow', 'rich', 'typer')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.stdout.strip() == "[]", done.stderr


def _tagger() -> linnet.Model:
    return (
        linnet.SequenceTagger().fit([["I", "ran"], ["I", "sat"]], [["P", "V"], ["P", "V"]]).model_
    )


@pytest.mark.parametrize("verb", ["predict_marginals", "predict_nbest", "entities"])
def test_a_classifier_refuses_the_verbs_of_taggers(verb: str, three: linnet.Model) -> None:
    with pytest.raises(ParameterError, match=f"of kind 'text' has no {verb}; .* tagger"):
        getattr(three, verb)(["a text"])
    with pytest.raises(ParameterError, match="has no constraints"):
        three.predict(NEW, constraints="iob2")


@pytest.mark.parametrize(
    "verb", ["predict_proba", "predict_top", "decision_function", "judge", "weights_of"]
)
def test_a_tagger_refuses_the_verbs_of_classifiers(verb: str) -> None:
    with pytest.raises(ParameterError, match="of kind 'sequence' has no .* classifier"):
        getattr(_tagger(), verb)([["I", "ran"]])


def test_setting_a_value_of_a_part_leaves_copies_of_the_model_alone(three: linnet.Model) -> None:
    twin = copy.copy(three)
    twin.abstain, twin.intercept_ = 1.0, np.full(3, 7.0)
    assert three.abstain is None and not (three.intercept_ == 7.0).any()
    assert set(twin.predict(NEW).tolist()) == {None}


def test_every_kind_of_model_is_stored_under_one_name_with_its_parts(tmp_path: Any) -> None:
    from linnet.model.file import read_model

    row = linnet.RowClassifier().fit([["a", 1.0], ["b", 2.0]], ["x", "y"]).model_
    models = [TextClassifier().fit(PAIR, PAIR_LABELS).model_, row, _tagger()]
    stored = []
    for model in models:
        model.save(tmp_path / "m.linnet")
        file = read_model(tmp_path / "m.linnet")
        stored.append((file.name, file.config["kind"], file.config["scorer"]))
    assert stored == [
        ("Model", "text", "linear"), ("Model", "row", "learner"), ("Model", "sequence", "chain"),
    ]  # fmt: skip


def test_a_file_with_a_key_that_no_part_asks_for_is_refused(tmp_path: Any) -> None:
    from linnet.model.file import read_model, write_model

    path = tmp_path / "m.linnet"
    _tagger().save(path)
    file = read_model(path)
    write_model(path, "Model", {**file.config, "surprise": 1}, file.arrays, file.record)
    with pytest.raises(linnet.errors.ModelFileError, match="'surprise' is nothing that it stores"):
        linnet.load(path)


def test_there_is_no_accuracy_of_nothing(three: linnet.Model) -> None:
    with pytest.raises(linnet.errors.DataError, match="no accuracy of no rows"):
        three.score([], [])
    with pytest.raises(linnet.errors.DataError, match="no accuracy of no tokens"):
        _tagger().score([], [])
