"""Recognising files of sequences, one token a line or ``word/tag``, which are no flat examples."""

from __future__ import annotations

import json
import re
from itertools import groupby

__all__ = ["sequence_file", "sequence_format"]

_SUFFIXES = {
    ".bio": "conll",
    ".conll": "conll",
    ".conllu": "conllu",
    ".crfsuite": "crfsuite",
    ".iob": "conll",
    ".iob2": "conll",
    ".iobes": "conll",
}
_FEW = 20
_TAG = re.compile(r"O|[BIESLU]-\S+")
_SLASHED = re.compile(r"\S+/[^\s/]+")
_NODE = re.compile(r"[0-9]+(?:[-.][0-9]+)?")
_ATTRIBUTE = re.compile(r"[^=:]+[=:].*")


def sequence_file(lines: list[str], suffix: str) -> str | None:
    """Say why lines are those of a sequence file; None when they are not.

    Examples
    --------
    >>> sequence_file(["We PRP B-NP", "won VBD B-VP", "", "They PRP B-NP", "lost VBD B-VP"], "")
    'columns of 3 with a blank line after each sentence'
    """
    found = sequence_format(lines, suffix)
    return None if found is None else found[1]


def sequence_format(lines: list[str], suffix: str) -> tuple[str, str] | None:
    """Return the sequence format of lines and the reason for it; None when there is none.

    Examples
    --------
    >>> sequence_format(["The/at jury/nn said/vbd", "It/pps is/bez late/rb", "No/rb ./."], ".txt")
    ('word_tag', 'every token is word/tag')
    """
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix], f"the name ends in {suffix}"
    body = [line for line in lines if not line.startswith(("# ", "-DOCSTART-"))]
    filled = [line for line in body if line.strip()]
    if not filled:
        return None
    if all(line.lstrip().startswith("{") for line in filled):
        return _objects(filled[0])
    if len(body) > len(filled) and all(map(_is_node, filled)):
        return "conllu", "ten CoNLL-U columns"
    groups = [
        len(list(run)) for kind, run in groupby(body, lambda line: bool(line.strip())) if kind
    ]
    for format, why in (
        ("crfsuite", _attributes(filled, groups)),
        ("conll", _columns(filled, groups)),
        ("word_tag", _slashes(filled)),
    ):
        if why is not None:
            return format, why
    return None


def _objects(line: str) -> tuple[str, str] | None:
    """Recognise JSON lines with spans."""
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if isinstance(first, dict) and isinstance(first.get("spans"), list) and "text" in first:
        return "spans", "the first object has a text and spans"
    return None


def _is_node(line: str) -> bool:
    """Say whether a line has the ten columns of CoNLL-U, a number first."""
    cells = line.split("\t")
    return len(cells) == 10 and _NODE.fullmatch(cells[0]) is not None


def _attributes(filled: list[str], groups: list[int]) -> str | None:
    """Recognise CRFsuite's lines: a label, then attributes, most of them ``name=value``."""
    rows = [line.split("\t") for line in filled]
    cells = [cell for row in rows for cell in row[1:]]
    named = sum(_ATTRIBUTE.fullmatch(cell) is not None for cell in cells)
    sentences = len(groups) > 1 and sum(groups) >= 2 * len(groups)
    if sentences and min(map(len, rows)) >= 2 and named >= 0.9 * len(cells):
        return "a label and attributes such as w=a, a blank line after each sentence"
    return None


def _columns(filled: list[str], groups: list[int]) -> str | None:
    """Recognise one token a line, by blank lines between sentences or by IOB tags."""
    rows = [line.split("\t") if "\t" in line else line.split() for line in filled]
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
