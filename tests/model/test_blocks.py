"""Models with several blocks of features: predict, explain, save, load, prune, refuse."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linnet
from linnet import TextClassifier
from linnet.errors import LinnetError, ParameterError
from linnet.model.fitting.tuning import held_out_parts

from .made import same_bits, texts_of

TEXTS, LABELS = texts_of(240)
BLOCKS = ["words:1-2", "char_wb:2-4"]


@pytest.fixture(scope="module")
def classifier() -> TextClassifier:
    return TextClassifier(features=BLOCKS).fit(TEXTS, LABELS)


def test_one_block_named_is_the_default_to_the_bit(tmp_path: Path) -> None:
    for number, features in enumerate(("words", ["words:1-2"])):
        TextClassifier(features=features).fit(TEXTS, LABELS).save(tmp_path / f"{number}.linnet")
    assert (tmp_path / "0.linnet").read_bytes() == (tmp_path / "1.linnet").read_bytes()


def test_scores_without_a_matrix_are_those_of_the_matrix(classifier: TextClassifier) -> None:
    model = classifier.model_
    X = classifier.features_.transform(TEXTS)
    expected = X @ model.scorer.weights.astype(np.float64) + model.scorer.intercept
    np.testing.assert_allclose(model.decision_function(TEXTS), expected, atol=1e-5)


def test_bulk_and_single_answers_are_the_same_bits_at_any_threads(
    classifier: TextClassifier,
) -> None:
    model = classifier.model_
    many = model.decision_function(TEXTS * 30)
    assert many[: len(TEXTS)].tobytes() == model.decision_function(TEXTS).tobytes()
    alone = np.vstack([model.decision_function([text]) for text in TEXTS[:20]])
    assert alone.tobytes() == many[:20].tobytes()
    for threads in (1, 3):
        model.n_threads = threads
        assert model.decision_function(TEXTS * 30).tobytes() == many.tobytes()


def test_a_saved_model_with_blocks_answers_and_explains_to_the_bit(
    classifier: TextClassifier, tmp_path: Path
) -> None:
    model, path = classifier.model_, tmp_path / "m.linnet"
    model.save(path)
    again = linnet.load(path)
    same_bits(model, again, [*TEXTS, "", "Äpfel and GOAL"])
    found, twin = model.explain("a goal and soup"), again.explain("a goal and soup")
    assert found.contributions == twin.contributions
    names = {part.feature.partition(":")[0] for part in found.contributions}
    assert names == {"words", "char_wb"}
    total = found.intercept + sum(part.contribution for part in found.contributions)
    assert total == pytest.approx(found.score, abs=1e-12)
    column = model.classes_.tolist().index(found.label)
    assert found.score == pytest.approx(model.decision_function(["a goal and soup"])[0, column])
    again.save(tmp_path / "twice.linnet")
    assert (tmp_path / "twice.linnet").read_bytes() == path.read_bytes()


def test_a_pruned_model_with_blocks_keeps_the_strongest_of_each(
    classifier: TextClassifier, tmp_path: Path
) -> None:
    for n in (60, 1):
        classifier.model_.save(tmp_path / "small.linnet", max_features=n)
        small = linnet.load(tmp_path / "small.linnet")
        assert small.n_features == n
        assert set(small.predict(TEXTS)) <= set(LABELS)


def test_a_forged_file_of_blocks_is_refused(classifier: TextClassifier) -> None:
    from linnet.model.storing import from_file, to_file

    config, arrays, record = to_file(classifier.model_, "float32", None)
    for change in (
        {"blocks": config["blocks"][:1]},
        {"blocks": config["blocks"] * 9},
        {"blocks": [{**config["blocks"][0], "more": 1}, config["blocks"][1]]},
        {"blocks": {"0": config["blocks"][0]}},
        {"settings": {}},
    ):
        with pytest.raises(LinnetError):
            from_file({**config, **change}, arrays, record)
    with pytest.raises(LinnetError):
        from_file(config, {**arrays, "block1.slots": arrays["block1.slots"][:-1]}, record)


def test_partial_fit_goes_on_with_the_blocks_of_the_first_call() -> None:
    clf = TextClassifier(features=BLOCKS)
    for _ in range(3):
        clf.partial_fit(TEXTS, LABELS)
    assert clf.score(TEXTS, LABELS) > 0.8
    assert clf.model_.feature_name(clf.model_.n_features - 1).startswith("char_wb:")


def test_blocks_and_a_tokenizer_contradict() -> None:
    with pytest.raises(ParameterError, match="say it there"):
        TextClassifier(features=BLOCKS, tokenizer="char").fit(TEXTS, LABELS)
    with pytest.raises(ParameterError, match="all texts at once"):
        TextClassifier(features=BLOCKS, hashing=8).partial_fit(TEXTS, LABELS)


def test_held_out_values_are_made_without_held_out_labels() -> None:
    """Random labels cannot be foreseen, also with ratios that depend on labels."""
    draw = np.random.default_rng(0)
    texts = [" ".join(f"w{k}" for k in draw.integers(0, 3000, 40)) for _ in range(600)]
    labels = draw.integers(0, 2, 600)
    clf = TextClassifier(weighting="log_count_ratio", ngrams=1, min_df=1).fit(texts, labels)
    assert clf.tuning_.n_held_out == sum(map(len, held_out_parts(labels.astype(np.int32), 0)))
    assert clf.tuning_.accuracy is not None and clf.tuning_.accuracy < 0.56
