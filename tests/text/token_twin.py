"""Token features in plain Python, a string each: what the native ones must equal."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

Columns = list[list[str]]


def kind(char: str) -> str:
    if char.lower() != char:
        return "X"
    if (char + "Σ").lower().endswith("ς"):  # cased: Python shows it by its rule for the sigma
        return "x"
    return "0" if char.isdecimal() else ""


def shape(word: str) -> str:
    return "".join(kind(char) or char for char in word)


def flags(word: str) -> set[str]:
    kinds = [kind(char) for char in word]
    marks = [unicodedata.category(char)[0] in "PS" for char in word]
    number = all(k == "0" or char in ".,:/-+" for k, char in zip(kinds, word, strict=True))
    holds = {
        "is_upper": "X" in kinds and "x" not in kinds,
        "is_lower": "x" in kinds and "X" not in kinds,
        "is_title": kinds[:1] == ["X"] and "X" not in kinds[1:],
        "has_inner_upper": "x" in kinds and "X" in kinds[1:],
        "has_digit": "0" in kinds,
        "is_digit": set(kinds) == {"0"},
        "is_number": "0" in kinds and number,
        "has_hyphen": "-" in word,
        "has_period": "." in word,
        "is_punctuation": bool(word) and all(marks),
    }
    return {name for name, true in holds.items() if true}


@cache
def values(word: str, how: str, low: int, high: int) -> list[str]:
    if how == "lower":
        return [word.lower()]
    if how == "shape":
        return [shape(word)]
    if how == "short_shape":
        return [re.sub(r"(.)\1+", r"\1", shape(word), flags=re.DOTALL)]
    if how == "prefix":
        return [word[:low]] * (len(word) >= low)
    if how == "suffix":
        return [word[-low:]] * (len(word) >= low)
    if how == "ngrams":
        sizes = range(low, high + 1)
        return [word[k : k + n] for n in sizes for k in range(len(word) - n + 1)]
    if how:
        return ["1"] * (how in flags(word))
    return [word]


def listed(words: list[str], place: int, gazetteers: dict[str, list[str]]) -> list[str]:
    found = []
    for name, phrases in gazetteers.items():
        spans = [
            (first, first + len(phrase.split()))
            for phrase in phrases
            for first in range(max(0, place - 4), place + 1)
            if words[first : first + len(phrase.split())] == phrase.split()
        ]
        found += [name] * any(first <= place < last for first, last in spans)
    return found


def part_values(part: str, columns: Columns, place: int, **options: Any) -> list[str]:
    """Return the values of a part at a token of a sentence."""
    match = re.fullmatch(r"(\w+?)(?:\.([a-z_]+?)(\d+)?(?:-(\d+))?)?\[([+-]?\d+)\]", part)
    assert match is not None
    name, how, low, high, offset = match.groups()
    column = columns[{"w": 0, "pos": 1}.get(name, int(name[1:]) if name[1:].isdigit() else 0)]
    at = place + int(offset)
    if not 0 <= at < len(column):
        marker = f"_B{at}" if at < 0 else f"_B+{at - len(column) + 1}"
        return [marker] * (options["outside"] == "marker")
    if how == "gazetteer":
        return listed(column, at, options["gazetteers"])
    return values(column[at], how or "", int(low or 0), int(high or low or 0))


def token_features(templates: list[str], columns: Columns, place: int, **options: Any) -> set[str]:
    """Return the names of the features of one token of a sentence."""
    found = set()
    for template in templates:
        if template in ("__BOS__", "__EOS__"):
            end = 0 if template == "__BOS__" else len(columns[0]) - 1
            found |= {template} if place == end else set()
            continue
        joined = [""]
        for number, part in enumerate(template.split("|")):
            own = part_values(part, columns, place, **options)
            joined = [a + "|" * (number > 0) + b for a in joined for b in own]
        found |= {f"{template}={value}" for value in joined}
    return found


def all_features(
    templates: list[str],
    columns: Columns,
    sentence: list[int],
    outside: str = "omit",
    gazetteers: dict[str, list[str]] | None = None,
) -> list[set[str]]:
    """Return the features of every token."""
    rows = []
    for first, last in pairwise(sentence):
        own = [column[first:last] for column in columns]
        rows += [
            token_features(templates, own, k, outside=outside, gazetteers=gazetteers or {})
            for k in range(last - first)
        ]
    return rows


def vocabulary(rows: list[set[str]], min_count: int = 1) -> list[str]:
    counter = Counter(name for row in rows for name in row)
    return sorted(name for name, count in counter.items() if count >= min_count)


def large_tokens(seed: int = 0) -> tuple[list[list[str]], np.ndarray]:
    """Return enough tokens for several blocks, a sentence across some of them among others."""
    rng = np.random.default_rng(seed)
    ids = rng.zipf(1.4, size=7_000) % 3000
    words = [f"some-word-{k}" + "Ü" * int(k % 3 == 0) for k in ids]
    tags = [f"T{k % 17}" for k in ids]
    cuts = np.unique(rng.integers(4_500, len(words), size=200))
    assert sum(map(len, words + tags)) > 2**17 - 8 * len(words), "below that there is one thread"
    return [words, tags], np.concatenate([[0], cuts, [len(words)]])
