"""Texts made by hypothesis, and the settings of scikit-learn beside ours."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np
from hypothesis import strategies as st

from linnet import _core

SAME_VERSION = _core.unicode_version == unicodedata.unidata_version


def known(char: str) -> bool:
    """Whether the core's tables and the running Python must agree on a character."""
    if SAME_VERSION:
        return True
    category = unicodedata.category(char)
    return category == unicodedata.ucd_3_2_0.category(char) != "Cn"


# Few letters, so that tokens repeat; and characters that case, accents and white space turn on.
COMMON = "aabbcd AB  .,_'-019\n\t"
PECULIAR = "ΣσςİßéÉ\u0301\u00ad\u200dﬁ½²٣日本ก😀\u3000\u2028\x1c\x85\xa0\0ǅʰ<>&;#"
characters = (
    st.sampled_from(COMMON)
    | st.sampled_from(PECULIAR)
    | st.characters(exclude_categories=["Cs"]).filter(known)
)
texts = st.text(st.sampled_from(COMMON) | characters, max_size=30)
corpora = st.lists(texts, min_size=1, max_size=8)

WORDS = ["good", "bad", "film", "book", "the", "a", "of", "plot", "dull", "Kyoto", "2001", "it's",
         "re-made", "café"]  # fmt: skip


def corpus(rows: int, seed: int = 0, length: int = 12) -> list[str]:
    """Return random texts of a few words, some longer than others."""
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, size=rng.integers(0, length))) for _ in range(rows)]


def large_corpus(seed: int = 0) -> list[str]:
    """Return enough text that several threads are really used."""
    rng = np.random.default_rng(seed)
    ids = rng.zipf(1.3, size=120_000) % 5000
    words = [f"w{number}" + "ü" * int(number % 3 == 0) for number in ids]
    texts = [" ".join(words[k : k + 30]) for k in range(0, len(words), 30)]
    assert sum(map(len, texts)) > 3 * 2**17, "below that the core takes one thread"
    return texts


def dense(matrix: Any) -> np.ndarray:
    return np.asarray(matrix.toarray(), dtype=np.float64)


def same_bits(a: Any, b: Any) -> bool:
    return (
        a.shape == b.shape
        and a.data.tobytes() == b.data.tobytes()
        and np.array_equal(a.indices, b.indices)
        and np.array_equal(a.indptr, b.indptr)
    )
