"""Raw text, cut into tokens that know their place."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ..reading import read_sentences


def test_raw_text_knows_the_characters_of_its_tokens() -> None:
    text = "Größe  ist 🙂 gut!\n\nja\n"
    for tokens in ("whitespace", "unicode"):
        found = read_sentences(text, format="text", tokens=tokens)
        assert len(found) == 3
        assert found.offset[1] == found.offset[2]
        assert found.texts is not None
        assert found.characters is not None
        places = found.characters.tolist()
        words = found.words.to_list()
        sentence = np.repeat(np.arange(3), np.diff(found.offset)).tolist()
        for (start, end), word, at in zip(places, words, sentence, strict=True):
            assert found.texts[at][start:end] == word
    assert found.sentences()[0] == ["Größe", "ist", "🙂", "gut", "!"]


@settings(max_examples=60)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\0")), min_size=1
    )
)
def test_character_places_are_exact_for_any_text(lines: list[str]) -> None:
    for tokens in ("whitespace", "unicode"):
        found = read_sentences("\n".join(["x", *lines]), format="text", tokens=tokens)
        assert found.texts is not None
        assert found.characters is not None
        sentence = np.repeat(np.arange(len(found)), np.diff(found.offset)).tolist()
        rows = zip(found.characters.tolist(), found.words, sentence, strict=True)
        assert all(found.texts[at][start:end] == word for (start, end), word, at in rows)
