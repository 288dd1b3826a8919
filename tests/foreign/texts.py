"""Texts in several scripts, made up, and what a reader can stumble over."""

from __future__ import annotations

import random

__all__ = ["EDGES", "labelled", "texts"]

LETTERS = {
    "latin": "aeioubcdfglmnprst",
    "accents": "éèàüößñaert",
    "greek": "αβγδεζηθικλμν",
    "cyrillic": "абвгдежзиклмн",
    "kana": "あいうえおかきくけこ",
    "devanagari": "अआइईउकखगघ",
}
#: No words, labels in the text, the end of the line written out, all kinds of white space.
EDGES = [
    "", " ", "</s>", "ab </s> cd", "__label__latin ab", "__label__none ab", "__label__", "<", ">",
    "a\tb\vc\fd\re\0f", "\u00a0 \u3000", "<ab>", "\U0001f600 smile", "é", "日本", "x" * 300,
]  # fmt: skip


def labelled(n: int, seed: int = 0, scripts: int = 3) -> list[tuple[str, str]]:
    """Return pairs of label and text: each script has a vocabulary of its own."""
    rng = random.Random(seed)
    names = list(LETTERS)[:scripts]
    words = {name: ["".join(rng.choices(LETTERS[name], k=rng.randint(1, 8))) for _ in range(150)]
             for name in names}  # fmt: skip
    common = ["ok", "2024", "!", "--", "x"]
    rows = []
    for _ in range(n):
        name = rng.choice(names)
        chosen = rng.choices(words[name], k=rng.randint(1, 9)) + rng.choices(common, k=2)
        rng.shuffle(chosen)
        rows.append((name, " ".join(chosen)))
    return rows


def texts(n: int, seed: int = 1) -> list[str]:
    """Return texts with known and unknown words of all scripts, the edges first."""
    rng = random.Random(seed)
    known = [text for _, text in labelled(n // 2, 0, len(LETTERS))]
    made = []
    for _ in range(n - n // 2 - len(EDGES)):
        letters = rng.choice(list(LETTERS.values()))
        sizes = range(rng.randint(1, 12))
        made.append(" ".join("".join(rng.choices(letters, k=rng.randint(1, 9))) for _ in sizes))
    return [*EDGES, *known, *made]
