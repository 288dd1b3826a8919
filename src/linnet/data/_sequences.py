"""Recognising files of sequences, one token a line or ``word/tag``, which are no flat examples."""

from __future__ import annotations

import re
from itertools import groupby

__all__ = ["sequence_file"]

_SUFFIXES = (".bio", ".conll", ".conllu", ".iob", ".iob2", ".iobes")
_FEW = 20
_TAG = re.compile(r"O|[BIESLU]-\S+")
_SLASHED = re.compile(r"\S+/[^\s/]+")


def sequence_file(lines: list[str], suffix: str) -> str | None:
    """Say why lines are those of a sequence file; None when they are not.

    Examples
    --------
    >>> sequence_file(["We PRP B-NP", "won VBD B-VP", "", "They PRP B-NP", "lost VBD B-VP"], "")
    'columns of 3 with a blank line after each sentence'
    """
    if suffix in _SUFFIXES:
        return f"the name ends in {suffix}"
    body = [line for line in lines if not line.startswith("# ")]
    filled = [line for line in body if line.strip()]
    if not filled:
        return None
    if all(len(line.split("\t")) == 10 for line in filled) and len(body) > len(filled):
        return "ten CoNLL-U columns"
    groups = [
        len(list(run)) for kind, run in groupby(body, lambda line: bool(line.strip())) if kind
    ]
    return _columns(filled, groups) or _slashes(filled)


def _columns(filled: list[str], groups: list[int]) -> str | None:
    """Recognise one token a line, by blank lines between sentences or by IOB tags."""
    rows = [line.split("\t") if "\t" in line else line.rstrip(" ").split(" ") for line in filled]
    width = len(rows[0])
    if any(len(row) != width or not all(row) for row in rows):
        return None
    if any(" " in cell for row in rows for cell in row):
        return None
    sentences = len(groups) > 1 and sum(groups) >= 2 * len(groups)
    if width == 1:
        long_enough = len(filled) >= 20 and sum(groups) >= 3 * len(groups)
        return "one word a line, blank lines between" if sentences and long_enough else None
    if sentences:
        return f"columns of {width} with a blank line after each sentence"
    tags = [row[-1] for row in rows]
    if len(tags) > 2 and all(map(_TAG.fullmatch, tags)) and any("-" in tag for tag in tags):
        return "the last column holds tags such as B-X, I-X and O"
    return None


def _slashes(filled: list[str]) -> str | None:
    """Recognise ``word/tag word/tag`` lines."""
    tokens = [token for line in filled[:_FEW] for token in line.split()]
    if (
        len(filled) > 2
        and len(tokens) > 2 * min(len(filled), _FEW)
        and all(map(_SLASHED.fullmatch, tokens))
    ):
        return "every token is word/tag"
    return None
