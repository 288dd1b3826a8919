"""The fitted extractor: scores without a matrix, its way through a file, and refusals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from linnet.errors import DataError, ParameterError
from linnet.text import Extractor, TextFeatures
from linnet.text.names import Names
from linnet.text.settings import Settings

from .made import corpus, dense, large_corpus

FITTED: list[dict[str, Any]] = [
    {"ngrams": (1, 2), "weighting": "tfidf"},
    {"tokenizer": "char_wb", "ngrams": (2, 3), "weighting": "binary", "norm": "l1"},
    {"tokenizer": r"\w+", "oov": "unk", "min_df": 2, "sublinear_tf": True},
    {"hashing": 10, "ngrams": (1, 2), "skip": 1, "accents": "ascii", "html": True},
]


def fitted(given: dict[str, Any]) -> Extractor:
    return TextFeatures(**given).fit(corpus(60)).extractor_


@pytest.mark.parametrize("given", FITTED)
@pytest.mark.parametrize("classes", [1, 5])
def test_scores_without_a_matrix_are_those_of_the_matrix(
    given: dict[str, Any], classes: int
) -> None:
    texts = [*corpus(40, 1), "", *large_corpus()[:500]]
    features = TextFeatures(**given).fit(texts)
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(features.extractor_.n_features, classes)).astype(np.float32)
    intercept = rng.normal(size=classes)
    found = features.extractor_.scores(texts, weights, intercept, 2)
    expected = dense(features.transform(texts)) @ weights.astype(np.float64) + intercept
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    alone = features.extractor_.scores(texts[7:8], weights, intercept, 1)
    assert alone.tobytes() == found[7:8].tobytes()


PACKED = 16  # bytes of text for each feature, from which on weights are packed beside the names


def broken(extractor: Extractor) -> Extractor:
    """Return the same with two fingerprints that are not those of their slots."""
    prints = extractor.prints.copy()  # type: ignore[union-attr]
    prints[:2] = 0
    return replace(extractor, prints=prints)


@pytest.mark.parametrize("change", [lambda extractor: extractor, broken])
@pytest.mark.parametrize("given", [*FITTED[:3], {"weighting": "count", "norm": None}])
def test_many_texts_together_score_as_each_does_alone_to_the_bit(
    given: dict[str, Any], change: Any
) -> None:
    texts = [*corpus(60), "", "nothing of it known: qqq zzz"]
    extractor = change(fitted(given))
    many, most = texts * 50, PACKED * extractor.n_features
    assert max(map(len, texts)) < most < sum(map(len, many))
    weights = np.random.default_rng(0).normal(size=(extractor.n_features, 1)).astype(np.float32)
    intercept = np.array([0.25])
    alone = [extractor.scores([text], weights, intercept, 1) for text in texts]
    for threads in (1, 2):
        together = extractor.scores(many, weights, intercept, threads)
        assert together.tobytes() == np.tile(np.concatenate(alone), (50, 1)).tobytes()


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("given", FITTED)
def test_values_are_the_bits_of_counts_that_are_weighed_later(
    given: dict[str, Any], ordered: bool
) -> None:
    texts, extractor = [*corpus(40, 1), "", "word " * 200], fitted(given)
    at_once = extractor.values(texts, 2, ordered=ordered)
    later = extractor.weigh(extractor.counts(texts, 1, ordered=ordered), 1)
    assert all(one.tobytes() == other.tobytes() for one, other in zip(at_once, later, strict=True))


@pytest.mark.parametrize("given", FITTED)
def test_an_extractor_comes_back_from_its_file_as_it_was(given: dict[str, Any]) -> None:
    before = fitted(given)
    config, arrays = before.to_file()
    after = Extractor.from_file(config, arrays)
    assert after.settings == before.settings
    for old, new in zip(before.counts(corpus(9), 1), after.counts(corpus(9), 1), strict=True):
        assert np.array_equal(old, new)


def test_a_function_cannot_be_stored() -> None:
    with pytest.raises(ParameterError, match="regular expression"):
        fitted({"tokenizer": str.split}).to_file()


@pytest.mark.parametrize(
    "change",
    [
        {"tokenizer": "custom"},
        {"tokenizer": "split"},
        {"tokenizer": 3},
        {"pattern": "("},
        {"pattern": None},
        {"ngrams": [1]},
        {"ngrams": [2, 1]},
        {"ngrams": [1, 10**9]},
        {"ngrams": None},
        {"skip": -1},
        {"skip": "a"},
        {"accents": "other"},
        {"count": "cubic"},
        {"norm": "l3"},
        {"norm": ["l2"]},
        {"buckets": -1},
        {"buckets": 2**31},
        {"buckets": "9"},
        {"stop_words": 3},
        {"unheard_of": 1},
    ],
)
def test_settings_that_no_fit_makes_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="settings cannot be used"):
        Settings.from_config({**Settings().to_config(), **change})


def test_settings_with_a_part_missing_are_refused() -> None:
    config = Settings().to_config()
    del config["ngrams"]
    with pytest.raises(DataError, match="settings cannot be used"):
        Settings.from_config(config)


def test_broken_arrays_are_refused() -> None:
    config, arrays = fitted(FITTED[0]).to_file()
    for name in arrays:
        rest = {key: array for key, array in arrays.items() if key != name}
        if name != "scale":  # without one, counts are what they are
            with pytest.raises(DataError, match=name):
                Extractor.from_file(config, rest)
        with pytest.raises(DataError):
            Extractor.from_file(config, {**rest, name: arrays[name].astype(np.float64)})
        with pytest.raises(DataError):
            Extractor.from_file(config, {**rest, name: arrays[name][:-1]})
    far = arrays["slots"] + np.uint64(10**6)
    with pytest.raises(DataError, match="broken"):
        Extractor.from_file(config, {**arrays, "slots": far})
    endless = np.full_like(arrays["scale"], np.inf)
    with pytest.raises(DataError, match="finite"):
        Extractor.from_file(config, {**arrays, "scale": endless})


def test_names_are_found_from_both_ends_and_taken_in_any_order() -> None:
    names = Names.of(["a", "", "über", "😀"])
    assert [names[k] for k in (0, 1, -1, -2)] == ["a", "", "😀", "über"]
    assert names.take(np.array([3, 0, 1])).tolist() == ["😀", "a", ""]
    assert names.take(np.array([], np.int64)).tolist() == []
    with pytest.raises(IndexError):
        names[4]


@pytest.mark.parametrize("offset", [[], [1, 2], [0, 2, 1, 4], [0, 3], [0, 9]])
def test_names_whose_ends_do_not_fit_are_refused(offset: list[int]) -> None:
    with pytest.raises(DataError, match="broken"):
        Names(np.zeros(4, np.uint8), np.array(offset, np.int64))
