"""Small data for models that are trained in tests."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

__all__ = ["labelled", "sentences", "texts"]

LETTERS = {"latin": "aeioubcdf", "accents": "éèàüößñ", "greek": "αβγδεζη", "kana": "あいうえお"}
EDGES = ["", " ", "</s>", "a </s> b", "__label__latin a", "__label__no", "a\tb\0c", "\u00a0", "ab"]
TAGS = ["N", "V", "D", "A"]


def labelled(n: int) -> list[tuple[str, str]]:
    """Return pairs of label and text, each label with letters of its own."""
    rng = random.Random(0)
    rows = []
    for _ in range(n):
        name = rng.choice(list(LETTERS))
        rows.append((name, words(rng, LETTERS[name], 5)))
    return rows


def words(rng: random.Random, letters: str, size: int) -> str:
    return " ".join("".join(rng.choices(letters, k=rng.randint(1, 3))) for _ in range(size))


def texts(n: int) -> list[str]:
    """Return texts with known and unknown words, the edges first."""
    rng = random.Random(1)
    mixed = "".join(LETTERS.values())
    return [*EDGES, *(words(rng, mixed, rng.randint(1, 9)) for _ in range(n - len(EDGES)))]


def sentences(n: int, seed: int) -> Iterator[tuple[list[Any], list[str]]]:
    """Yield sentences of items with every kind of value, and their tags."""
    rng = random.Random(seed)
    for _ in range(n):
        row = [rng.choice(["the", "cat", "eats", "fish", "été", "x:y"]) for _ in range(6)]
        row = row[: rng.randint(1, 6)]
        items: list[Any] = []
        for t, word in enumerate(row):
            item: dict[str, Any] = {"w": word, "len": len(word), "first": t == 0, "half": 0.5}
            item["ctx"] = {"prev": row[t - 1] if t else "<s>", "deep": {"suf": word[-2:], "n": 2}}
            item |= {"bag": [word[:1], word[-1:]], "set": {f"c{rng.randint(0, 3)}"}, "raw": b"x"}
            items.append(item)
        if rng.random() < 0.1:
            items[0] = [f"w:{row[0]}", "first"]
        tags = [TAGS[sum(map(ord, word)) % 4] if rng.random() < 0.9 else "N" for word in row]
        yield items, tags
