"""Chunks as tags: IOB1, IOB2, BIOES and BILOU, read, written, told apart and repaired (SPEC M-109).

A chunk (start, end, type) covers the tokens start, ..., end - 1. A tag is ``O``, or a mark and a
type: ``B-NP``; a bare mark has the empty type. With X the type of a chunk, the schemes write

    scheme   first token                    middle   last    only token
    IOB1     I-X, B-X after a chunk of X    I-X      I-X     as the first
    IOB2     B-X                            I-X      I-X     B-X
    BIOES    B-X                            I-X      E-X     S-X
    BILOU    B-X                            I-X      L-X     U-X

Every sequence of tags is read by one rule, the one of the CoNLL shared tasks' scorer, whatever the
scheme and however illegal: a token begins a chunk if it is not ``O`` and the token before is ``O``
or missing, or has another type, or ended its chunk (E, S, L, U), or if its own mark says so (B, S,
U). A chunk goes on until the next one begins or an ``O`` comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, ParameterError

__all__ = [
    "SCHEMES",
    "Chunk",
    "Scheme",
    "allowed_transitions",
    "are_chunk_tags",
    "convert",
    "detect_scheme",
    "encode",
    "illegal",
    "repair",
    "spans",
    "split_tag",
]

Scheme: TypeAlias = Literal["IOB1", "IOB2", "BIOES", "BILOU"]
Chunk: TypeAlias = tuple[int, int, str]

SCHEMES: tuple[Scheme, ...] = ("IOB1", "IOB2", "BIOES", "BILOU")
OPENING = frozenset("BSU")  # marks that always begin a chunk
CLOSING = frozenset("ESLU")  # marks that always end one
_MARKS = frozenset("BIESLU")
_LAST_AND_ONLY = {"BIOES": ("E", "S"), "BILOU": ("L", "U")}


def split_tag(tag: str, *, zero_as_outside: bool = False) -> tuple[str, str]:
    """Return the mark and the type of a tag; ``O`` has the mark "O" and no type.

    Parameters
    ----------
    tag : str
    zero_as_outside : bool
        Whether the digit 0 stands for ``O``, as some printed samples have it (SPEC A-53).

    Raises
    ------
    DataError
        When the tag is no chunk tag.

    Examples
    --------
    >>> split_tag("B-NP"), split_tag("I-non-fiction"), split_tag("O")
    (('B', 'NP'), ('I', 'non-fiction'), ('O', ''))
    """
    if tag == "O" or (zero_as_outside and tag == "0"):
        return "O", ""
    mark, hyphen, kind = tag.partition("-")
    if mark not in _MARKS or (hyphen and not kind):
        remedy = "; pass zero_as_outside=True to read 0 as O" if tag == "0" else ""
        raise DataError(f"{tag!r} is not a chunk tag such as B-X, I-X or O{remedy}")
    return mark, kind


def are_chunk_tags(tags: Iterable[str]) -> bool:
    """Say whether all tags are chunk tags and one at least has a type.

    Examples
    --------
    >>> are_chunk_tags(["O", "B-NP"]), are_chunk_tags(["NN", "O"]), are_chunk_tags(["O"])
    (True, False, False)
    """
    try:
        kinds = [split_tag(tag)[1] for tag in set(tags)]
    except DataError:
        return False
    return any(kinds)


def spans(tags: Sequence[str], *, zero_as_outside: bool = False) -> list[Chunk]:
    """Return the chunks of one sentence's tags, in order; see the rule at the top of this module.

    Parameters
    ----------
    tags : sequence of str
        Of any scheme, legal or not.
    zero_as_outside : bool
        Whether the digit 0 stands for ``O``.

    Returns
    -------
    list of (start, end, type)

    Examples
    --------
    >>> spans(["B-NP", "I-NP", "O", "I-VP", "I-NP"])
    [(0, 2, 'NP'), (3, 4, 'VP'), (4, 5, 'NP')]
    """
    chunks: list[Chunk] = []
    start, before, kind_before = 0, "O", ""
    for place, tag in enumerate(tags):
        mark, kind = split_tag(tag, zero_as_outside=zero_as_outside)
        begins = mark != "O" and (
            before == "O" or kind != kind_before or mark in OPENING or before in CLOSING
        )
        if before != "O" and (begins or mark == "O"):
            chunks.append((start, place, kind_before))
        if begins:
            start = place
        before, kind_before = mark, kind
    if before != "O":
        chunks.append((start, len(tags), kind_before))
    return chunks


def encode(chunks: Iterable[Chunk], length: int, scheme: Scheme = "IOB2") -> list[str]:
    """Return the tags of a sentence with these chunks.

    Parameters
    ----------
    chunks : iterable of (start, end, type)
        In any order, not overlapping.
    length : int
        Number of tokens.
    scheme : {"IOB1", "IOB2", "BIOES", "BILOU"}

    Examples
    --------
    >>> encode([(0, 2, "NP"), (2, 3, "NP")], 4, "IOB1")
    ['I-NP', 'I-NP', 'B-NP', 'O']
    >>> encode([(0, 2, "NP"), (2, 3, "NP")], 4, "BIOES")
    ['B-NP', 'E-NP', 'S-NP', 'O']
    """
    _check(scheme)
    tags = ["O"] * length
    end_before, kind_before = -1, ""
    for start, end, kind in sorted(chunks):
        if not 0 <= start < end <= length or start < end_before:
            raise DataError(
                f"the chunk {(start, end, kind)} is empty, overlaps the one before it, or lies "
                f"outside a sentence of {length} tokens"
            )
        touches = start == end_before and kind == kind_before
        tags[start:end] = _marked(end - start, kind, scheme, touches)
        end_before, kind_before = end, kind
    return tags


def _marked(length: int, kind: str, scheme: Scheme, touches: bool) -> list[str]:
    """Return the tags of one chunk; `touches` if one of its type ends right before."""
    marks = ["I"] * length
    if scheme != "IOB1" or touches:
        marks[0] = "B"
    if scheme in _LAST_AND_ONLY:
        last, only = _LAST_AND_ONLY[scheme]
        marks[-1] = last if length > 1 else only
    return [f"{mark}-{kind}" if kind else mark for mark in marks]


def convert(tags: Sequence[str], to: Scheme, *, zero_as_outside: bool = False) -> list[str]:
    """Return the same chunks in another scheme.

    Parameters
    ----------
    tags : sequence of str
        One sentence's tags, of any scheme.
    to : {"IOB1", "IOB2", "BIOES", "BILOU"}
    zero_as_outside : bool
        Whether the digit 0 stands for ``O``.

    Examples
    --------
    >>> convert(["I-NC", "I-NC", "B-NC", "O"], "IOB2")
    ['B-NC', 'I-NC', 'B-NC', 'O']
    """
    return encode(spans(tags, zero_as_outside=zero_as_outside), len(tags), to)


def repair(tags: Sequence[str], scheme: Scheme, *, zero_as_outside: bool = False) -> list[str]:
    """Return the legal tags of a scheme that have the chunks a scorer would read in these.

    Legal tags come back unchanged, and a scorer gives both the same marks.

    Examples
    --------
    >>> repair(["O", "I-NP", "I-VP"], "IOB2")
    ['O', 'B-NP', 'B-VP']
    """
    return convert(tags, scheme, zero_as_outside=zero_as_outside)


def illegal(tags: Sequence[str], scheme: Scheme, *, zero_as_outside: bool = False) -> list[int]:
    """Return the places whose tags differ from those the scheme writes for the same chunks.

    Examples
    --------
    >>> illegal(["O", "I-NP", "I-NP"], "IOB2")
    [1]
    """
    right = convert(tags, scheme, zero_as_outside=zero_as_outside)
    return [
        place
        for place, (tag, meant) in enumerate(zip(tags, right, strict=True))
        if tag != meant and not (zero_as_outside and tag == "0")
    ]


def detect_scheme(sentences: Iterable[Sequence[str]], *, zero_as_outside: bool = False) -> Scheme:
    """Return the scheme that sentences of tags follow (SPEC A-53).

    A mark E or S means BIOES, L or U means BILOU. Tags of B, I and O alone are of the scheme, IOB1
    or IOB2, in which fewer are illegal; if both fit, IOB2.

    Raises
    ------
    DataError
        When a tag is no chunk tag, or marks of BIOES and of BILOU occur together.

    Examples
    --------
    >>> detect_scheme([["O", "I-NC", "B-NC"]]), detect_scheme([["B-NP", "I-NP", "O"]])
    ('IOB1', 'IOB2')
    """
    wrong = {"IOB1": 0, "IOB2": 0}
    marks: set[str] = set()
    for tags in sentences:
        before, kind_before = "O", ""
        for tag in tags:
            mark, kind = split_tag(tag, zero_as_outside=zero_as_outside)
            marks.add(mark)
            inside = before != "O" and kind == kind_before
            wrong["IOB1"] += mark == "B" and not inside
            wrong["IOB2"] += mark == "I" and not inside
            before, kind_before = mark, kind
    ends, lasts = marks & set("ES"), marks & set("LU")
    if ends and lasts:
        mixed = ", ".join(sorted(ends | lasts))
        raise DataError(f"the marks {mixed} are of two schemes, BIOES and BILOU; correct the tags")
    if ends or lasts:
        return "BIOES" if ends else "BILOU"
    return "IOB1" if wrong["IOB1"] < wrong["IOB2"] else "IOB2"


def allowed_transitions(
    labels: Sequence[str], scheme: Scheme, *, zero_as_outside: bool = False
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which tags may come first, follow each other, and come last.

    A sequence is allowed if and only if :func:`illegal` finds nothing in it, so a decoder that
    gives all else the score minus infinity returns legal tags only.

    Parameters
    ----------
    labels : sequence of L tags
    scheme : {"IOB1", "IOB2", "BIOES", "BILOU"}
    zero_as_outside : bool
        Whether the digit 0 stands for ``O``.

    Returns
    -------
    start : bool array of shape (L,)
    transition : bool array of shape (L, L)
        Row = tag before, column = tag after.
    stop : bool array of shape (L,)

    Examples
    --------
    >>> start, transition, stop = allowed_transitions(["B-NP", "I-NP", "O"], "IOB2")
    >>> start.tolist(), transition[2].tolist(), stop.tolist()
    ([True, False, True], [True, False, True], [True, True, True])
    """
    _check(scheme)
    parts = [split_tag(label, zero_as_outside=zero_as_outside) for label in labels]
    mark = np.array([part[0] for part in parts], dtype="U1")
    number = {kind: place for place, kind in enumerate(dict.fromkeys(kind for _, kind in parts))}
    kind = np.array([number[part[1]] for part in parts], dtype=np.int64)
    outside = mark == "O"
    same = (kind[:, None] == kind) & ~outside[:, None] & ~outside
    known = np.isin(mark, ["B", "I", "O", *_LAST_AND_ONLY.get(scheme, ())])
    if scheme in _LAST_AND_ONLY:
        last, only = _LAST_AND_ONLY[scheme]
        begins, inside = np.isin(mark, ["B", only]), np.isin(mark, ["I", last])
        goes_on = np.isin(mark, ["B", "I"])
        start, stop = ~inside, ~goes_on
        transition = np.where(goes_on[:, None], same & inside, outside | begins)
    elif scheme == "IOB2":
        start, stop = mark != "I", np.ones(len(mark), bool)
        transition = np.where(mark == "I", same, True)
    else:
        start, stop = mark != "B", np.ones(len(mark), bool)
        transition = np.where(mark == "B", same, True)
    return start & known, transition & known[:, None] & known, stop & known


def _check(scheme: str) -> None:
    if scheme not in SCHEMES:
        raise ParameterError(f"scheme must be one of {', '.join(SCHEMES)}, not {scheme!r}")
