"""The fitted extractor of token features: its way through a file, and what is refused."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from linnet.errors import DataError, NotFittedError, ParameterError
from linnet.text.feature_sets import feature_set
from linnet.text.token_extractor import TokenExtractor
from linnet.text.token_features import TokenFeatures, columns_of
from linnet.text.token_templates import Template, parse_template

from .token_twin import large_tokens

SMALL = (
    TokenFeatures("ner", gazetteers={"x": ["a b"], "y": ["b"]})
    .fit([["a", "b"], ["A", "B"]], [0, 2])
    .extractor_
)


def fitted() -> TokenExtractor:
    columns, sentence = large_tokens()
    lists = {"x": ["some-word-1 some-word-2", "some-word-3Ü"], "y": ["some-word-1"]}
    return TokenFeatures("ner", gazetteers=lists).fit(columns, sentence).extractor_


def test_an_extractor_comes_back_from_its_file_as_it_was() -> None:
    before = fitted()
    after = TokenExtractor.from_file(*before.to_file())
    columns, sentence = large_tokens(2)
    old, new = before.rows(columns, sentence, 1), after.rows(columns, sentence, 2)
    assert np.array_equal(old.start, new.start) and np.array_equal(old.index, new.index)
    copied = pickle.loads(pickle.dumps(before)).rows(columns, sentence, 1)
    assert np.array_equal(old.index, copied.index)


@pytest.mark.parametrize("form", ["packed", "plain"])
def test_broken_arrays_are_refused(form: str) -> None:
    extractor = fitted()
    config, arrays = extractor.to_file()
    if form == "plain":
        del arrays["names_packed"]
        arrays |= {"names": extractor.names.data, "names_offset": extractor.names.offset}
        arrays |= {"slots": extractor.slots, "prints": extractor.prints}
    for name in arrays:
        rest = {key: array for key, array in arrays.items() if key != name}
        with pytest.raises(DataError, match=name):  # also of "names_packed" where "names" is gone
            TokenExtractor.from_file(config, rest)
        for wrong in (
            arrays[name].astype(np.float64), arrays[name][:-1], arrays[name][None, :]
        ):  # fmt: skip
            with pytest.raises(DataError):
                TokenExtractor.from_file(config, {**rest, name: wrong})
    for name in {"slots", "gazetteer_slots"} & arrays.keys():
        with pytest.raises(DataError, match="broken"):
            TokenExtractor.from_file(config, {**arrays, name: arrays[name] + np.uint64(10**6)})
    masks = np.full_like(arrays["gazetteer_masks"], 4)
    with pytest.raises(DataError, match="without a name"):
        TokenExtractor.from_file(config, {**arrays, "gazetteer_masks": masks})


@pytest.mark.parametrize(
    "change",
    [
        {"seed": -1},
        {"seed": "0"},
        {"n_columns": 1},
        {"n_columns": None},
        {"gazetteers": None},
        {"gazetteers": {"names": ["x", "y"], "longest": 6}},
        {"gazetteers": {"names": ["x", "y"], "longest": "2"}},
        {"gazetteers": {"names": ["x", "\ud800"], "longest": 2}},
        {"gazetteers": {"names": ["x"], "longest": 2}},
        {"gazetteers": {"names": ["n"] * 65, "longest": 2}},
        {"gazetteers": []},
        {"templates": None},
        {"templates": [3]},
        *(
            {"templates": [{"name": "t", "pieces": [piece], "markers": False, "where": "first"}]}
            for piece in (
                3, "\ud800", [0, 0, "identity", 0], [0, 0, "other", 0, 0], [0, 0, "flag", 99, 0],
                [0, 65, "lower", 0, 0], [2, 0, "lower", 0, 0], [-1, 0, "lower", 0, 0],
                [0, 0, "prefix", 0, 0], [0, 0, "prefix", 2**40, 0], [0, 0, "ngrams", 3, 2],
                [0, 0, "ngrams", 1, 10**6], [0, 0.5, "lower", 0, 0], [0, True, "lower", 0, 0],
            )
        ),
        {"templates": [{"name": "t", "pieces": [], "markers": 1, "where": "first"}]},
        {"templates": [{"name": "t", "pieces": [], "markers": True, "where": "second"}]},
        {"templates": [{"name": 3, "pieces": [], "markers": True, "where": "first"}]},
    ],
)  # fmt: skip
def test_values_that_no_fit_makes_are_refused(change: dict[str, Any]) -> None:
    config, arrays = SMALL.to_file()
    with pytest.raises(DataError):
        TokenExtractor.from_file({**config, **change}, arrays)
    for name in config:
        with pytest.raises(DataError):
            TokenExtractor.from_file({k: v for k, v in config.items() if k != name}, arrays)


def test_a_template_comes_back_from_its_values() -> None:
    for text in (*feature_set("ner", 2, gazetteers=True), "w.ngrams2-4[-1]"):
        template = parse_template(text, markers=True)
        assert Template.from_config(template.to_config()) == template


def test_the_fitted_extractor_needs_numpy_and_the_core_only() -> None:
    code = (
        "import sys, linnet.text.token_extractor; "
        "print([m for m in ('scipy', 'sklearn', 'pandas', 'pyarrow') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.strip() == "[]"


# ---- refusals ----


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (["w[0]", "pos[0]"], r"'pos\[0\]' asks for column 1, but the tokens have 1 column"),
        (["w[0]|c3.lower[1]"], r"'w\[0\]\|c3.lower\[1\]' asks for column 3"),
        (["w[65]"], "65 tokens away"),
        (["w.prefix0[0]"], "prefix of 0 characters"),
        (["w.ngrams3-2[0]"], "n-grams of 3 to 2"),
        (["w.ngrams1-65[0]"], "at most 64"),
        (["w.ngrams2[0]|w[0]"], "several values"),
        (["w.prefix[0]"], "prefix3"),
        (["w.lower2[0]"], "prefix3"),
        (["w.suffix2-3[0]"], "prefix3"),
        (["w.is_blue[0]"], "is_title"),
        (["w.is_title1[0]"], "is_title"),
        (["w"], "cannot be read"),
        (["v[0]"], "cannot be read"),
        ([""], "cannot be read"),
        (["w[0]|"], "cannot be read"),
        ([], "no templates"),
        (["B"], "no templates"),
        ([3], "no template"),
        (3, "features must be"),
        ("w[0]", "neither a feature set nor a file"),
        ("chunking", "second one"),
        (["w.gazetteer[0]"], "needs gazetteers"),
    ],
)
def test_templates_that_cannot_work_are_refused_by_name(features: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        TokenFeatures(features).fit([["He", "ran"]], [0, 2])


@pytest.mark.parametrize(
    ("gazetteers", "message"),
    [
        ({"x": ["a b c d e f"]}, "6 tokens"),
        ({"x": [" "]}, "0 tokens"),
        ({"x": "a b"}, "list of phrases"),
        ({"x": 3}, "list of phrases"),
        ({"x": [3]}, "neither a text"),
        ({"x": [["a", 3]]}, "neither a text"),
        ({3: ["a"]}, "dict"),
        (["a"], "dict"),
        ({str(k): ["a"] for k in range(65)}, "64"),
    ],
)
def test_gazetteers_that_cannot_work_are_refused(gazetteers: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        TokenFeatures("ner", gazetteers=gazetteers).fit([["He", "ran"]], [0, 2])


def test_gazetteers_that_no_template_looks_at_are_refused() -> None:
    with pytest.raises(ParameterError, match="ner"):
        TokenFeatures("pos", gazetteers={"x": ["a"]}).fit([["He", "ran"]], [0, 2])


@pytest.mark.parametrize(
    ("columns", "sentence", "message"),
    [
        ([], [0], "list of columns"),
        ("ab", [0, 2], "list of columns"),
        (["ab"], [0, 2], "Column 0"),
        ([["a", 3]], [0, 2], "Column 0: Text 1"),
        ([["a", "b"], ["a"]], [0, 2], "Column 1 has 1 tokens, but column 0 has 2"),
        ([["a", "b"]], [0, 1], "number of tokens, which is 2"),
        ([["a", "b"]], [1, 2], "ascend"),
        ([["a", "b"]], [0, 2, 1, 2], "ascend"),
        ([["a", "b"]], [], "whole numbers"),
        ([["a", "b"]], [[0, 2]], "whole numbers"),
        ([["a", "b"]], [0.0, 2.0], "whole numbers"),
        ([["a", "b"]], "02", "whole numbers"),
        ([["a", "b"]], None, "whole numbers"),
        ([[]], [0], "no tokens"),
    ],
)
def test_tokens_that_do_not_fit_are_refused(columns: Any, sentence: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        TokenFeatures(["w[0]"]).fit(columns, sentence)


def test_other_refusals_say_what_would_work() -> None:
    with pytest.raises(NotFittedError, match="fit"):
        TokenFeatures().transform([["a"]], [0, 1])
    for least in (0, -1, 1.5, True, "2", 2**70):
        with pytest.raises(ParameterError, match="min_count"):
            TokenFeatures(min_count=least).fit([["a"]], [0, 1])
    with pytest.raises(ParameterError, match="outside"):
        TokenFeatures(outside="keep").fit([["a"]], [0, 1])
    with pytest.raises(DataError, match="of 1 columns, but these have 2"):
        TokenFeatures().fit([["a"]], [0, 1]).transform([["a"], ["b"]], [0, 1])
    with pytest.raises(DataError, match="Token 1"):
        columns_of([[("He", "P")], [("ran",)]])
