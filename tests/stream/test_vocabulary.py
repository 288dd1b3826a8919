"""The vocabulary of a stream is that of all texts at once."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linnet
from linnet.errors import DataError, ParameterError
from linnet.stream.vocabulary import count_vocabulary
from linnet.text.extractor import Extractor
from linnet.text.settings import Settings
from linnet.text.vocabulary import learn_vocabulary

SETTINGS = [
    Settings("token", ngrams=(1, 2)),
    Settings("char_wb", ngrams=(2, 4)),
    Settings("char", ngrams=(1, 3)),
    Settings("whitespace", ngrams=(2, 3), skip=1, lowercase=False),
    Settings("word", count="binary"),
    Settings("unicode", stop_words=("the", "of")),
]


def assert_same(texts, blocks, settings, **limits):
    whole = learn_vocabulary(Extractor(settings), texts, 1, **limits)
    spill = {"spill": 1 << 12}
    streamed = count_vocabulary(Extractor(settings), blocks, 1, **limits, **spill)
    assert streamed.n_texts == len(texts)
    assert streamed.extractor.names.tolist() == whole.extractor.names.tolist()
    assert np.array_equal(streamed.documents, whole.documents)
    for name in ("slots", "prints"):
        assert np.array_equal(getattr(streamed.extractor, name), getattr(whole.extractor, name))


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: f"{s.tokenizer}{s.ngrams}")
@pytest.mark.parametrize(
    "limits", [{}, {"min_df": 2, "max_df": 0.2}, {"max_features": 300}], ids=str
)
def test_ids_and_document_frequencies_are_those_of_all_texts_at_once(settings, limits):
    texts = list(linnet.data.load_pydoc().train_texts)[:300]
    blocks = [texts[first : first + 29] for first in range(0, 300, 29)]
    assert_same(texts, blocks, settings, **limits)


@given(
    st.lists(st.text("ab \x00\x01\x1f!é", max_size=12), min_size=1, max_size=12),
    st.sampled_from([1, 2, 5]),
    st.sampled_from(["token", "whitespace", "char"]),
)
def test_characters_below_the_space_sort_as_in_memory(texts, size, tokenizer):
    settings = Settings(tokenizer, ngrams=(1, 3))
    blocks = [texts[first : first + size] for first in range(0, len(texts), size)]
    try:
        learn_vocabulary(Extractor(settings), texts, 1)
    except DataError:  # no token at all
        with pytest.raises(DataError, match="Empty vocabulary"):
            count_vocabulary(Extractor(settings), blocks, 1)
    else:
        assert_same(texts, blocks, settings)


def test_tokens_with_spaces_of_a_pattern_sort_as_in_memory():
    texts = ["a b;a;a!b;b", "a b;a\x01;c"] * 3
    assert_same(texts, [[text] for text in texts], Settings("regex", pattern="[^;]+"))


def test_spilled_runs_leave_no_file(tmp_path):
    texts = list(linnet.data.load_pydoc().train_texts)[:200]
    blocks = [texts[first : first + 20] for first in range(0, 200, 20)]
    count_vocabulary(Extractor(Settings("token")), blocks, 1, spill=1, folder=tmp_path)
    assert os.listdir(tmp_path) == []


def test_the_limits_may_follow_from_the_number_of_texts():
    learned = count_vocabulary(Extractor(Settings()), [["aa bb"], ["aa"]], 1, min_df=lambda n: n)
    assert learned.extractor.names.tolist() == ["aa"]


def test_no_text_and_no_feature_are_errors():
    with pytest.raises(DataError, match="no texts"):
        count_vocabulary(Extractor(Settings()), [], 1)
    with pytest.raises(DataError, match="no features remain"):
        count_vocabulary(Extractor(Settings()), [["aa bb"], ["cc"]], 1, min_df=2)
    with pytest.raises(ParameterError, match="unk"):
        count_vocabulary(Extractor(Settings(unknown=True)), [["aa"]], 1)
