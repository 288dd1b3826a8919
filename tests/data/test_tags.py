"""Chunks as tags: reading, writing, telling schemes apart, repairing, constraining."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data.tags import (
    SCHEMES,
    Chunk,
    Scheme,
    allowed_transitions,
    are_chunk_tags,
    convert,
    detect_scheme,
    encode,
    illegal,
    repair,
    spans,
    split_tag,
)
from linnet.errors import DataError, ParameterError

GERMAN = """\
So so ADV 0 0
führte führen VVFIN I-VC 0
die d ART I-NC 0
Vergewaltigung Vergewaltigung NN I-NC 0
deutscher deutsch ADJA B-NC I-MISC
Frauen Frau NN I-NC 0
durch durch APPR I-PC 0
Angehörige Angehörige|Angehöriger NN I-NC 0
der d ART B-NC 0
Roten Rote NN I-NC I-ORG
Armee Armee NN I-NC I-ORG
nicht nicht PTKNEG 0 0
allein allein ADV 0 0
"""
CHUNK_COLUMN, ENTITY_COLUMN = ([line.split()[at] for line in GERMAN.splitlines()] for at in (3, 4))

tags_of = st.lists(
    st.sampled_from([f"{mark}-{kind}" for mark in "BIESLU" for kind in "XY"] + ["O", "B", "I"]),
    max_size=12,
)


@st.composite
def sentences(draw: st.DrawFn) -> tuple[list[Chunk], int]:
    """Chunks and the number of tokens of a sentence."""
    chunks, at = [], 0
    for gap, length, kind in draw(
        st.lists(st.tuples(st.integers(0, 2), st.integers(1, 3), st.sampled_from("XY")), max_size=5)
    ):
        chunks.append((at + gap, at + gap + length, kind))
        at += gap + length
    return chunks, at + draw(st.integers(0, 2))


@pytest.mark.spec("M-109", "W-19", "A-53")
def test_the_german_sample_has_the_lectures_chunks_and_entities() -> None:
    assert spans(CHUNK_COLUMN, zero_as_outside=True) == [
        (1, 2, "VC"),
        (2, 4, "NC"),
        (4, 6, "NC"),
        (6, 7, "PC"),
        (7, 8, "NC"),
        (8, 11, "NC"),
    ]
    assert spans(ENTITY_COLUMN, zero_as_outside=True) == [(4, 5, "MISC"), (9, 11, "ORG")]


@pytest.mark.spec("W-19", "A-53")
def test_the_german_sample_is_iob1_and_converts_to_the_slides_iob2() -> None:
    assert detect_scheme([CHUNK_COLUMN], zero_as_outside=True) == "IOB1"
    assert detect_scheme([ENTITY_COLUMN], zero_as_outside=True) == "IOB1"
    chunks = convert(CHUNK_COLUMN, "IOB2", zero_as_outside=True)
    assert " ".join(chunks) == "O B-VC B-NC I-NC B-NC I-NC B-PC B-NC B-NC I-NC I-NC O O"
    entities = convert(ENTITY_COLUMN, "IOB2", zero_as_outside=True)
    assert " ".join(entities) == "O O O O B-MISC O O O O B-ORG I-ORG O O"
    back = ["0" if tag == "O" else tag for tag in convert(chunks, "IOB1")]
    assert back == CHUNK_COLUMN


@pytest.mark.spec("A-53")
def test_the_digit_zero_is_outside_only_when_asked_for() -> None:
    with pytest.raises(DataError, match="zero_as_outside"):
        spans(["0"])
    assert not are_chunk_tags(["0", "B-X"])


@pytest.mark.spec("M-109")
@pytest.mark.parametrize("scheme", SCHEMES)
@settings(max_examples=100)
@given(sentence=sentences())
def test_decoding_what_was_encoded_gives_the_chunks_back(
    scheme: Scheme, sentence: tuple[list[Chunk], int]
) -> None:
    chunks, length = sentence
    tags = encode(chunks, length, scheme)
    assert spans(tags) == chunks
    assert illegal(tags, scheme) == []
    assert repair(tags, scheme) == tags


@pytest.mark.spec("M-109")
@settings(max_examples=200)
@given(tags=tags_of, to=st.sampled_from(SCHEMES))
def test_chunks_are_invariant_under_conversion_of_any_tags(tags: list[str], to: Scheme) -> None:
    assert spans(convert(tags, to)) == spans(tags)


@settings(max_examples=100)
@given(st.lists(sentences(), min_size=1, max_size=4))
def test_the_scheme_found_is_one_in_which_legal_tags_are_legal(
    corpus: list[tuple[list[Chunk], int]],
) -> None:
    for scheme in SCHEMES:
        tags = [encode(chunks, length, scheme) for chunks, length in corpus]
        found = detect_scheme(tags)
        assert all(illegal(row, found) == [] for row in tags)


@pytest.mark.parametrize(
    ("tags", "chunks"),
    [
        ("I-X I-X", [(0, 2, "X")]),
        ("O I-X", [(1, 2, "X")]),
        ("B-X I-Y", [(0, 1, "X"), (1, 2, "Y")]),
        ("B-X B-X", [(0, 1, "X"), (1, 2, "X")]),
        ("I-X B-X I-X", [(0, 1, "X"), (1, 3, "X")]),
        ("I-X I-Y I-X", [(0, 1, "X"), (1, 2, "Y"), (2, 3, "X")]),
        ("E-X E-X", [(0, 1, "X"), (1, 2, "X")]),
        ("B-X E-X I-X", [(0, 2, "X"), (2, 3, "X")]),
        ("S-X I-X", [(0, 1, "X"), (1, 2, "X")]),
        ("B-X O E-X", [(0, 1, "X"), (2, 3, "X")]),
        ("B I O B", [(0, 2, ""), (3, 4, "")]),
        ("B-a-b I-a-b", [(0, 2, "a-b")]),
        ("", []),
    ],
)
def test_illegal_sequences_are_read_as_the_scorer_of_conll_reads_them(
    tags: str, chunks: list[Chunk]
) -> None:
    assert spans(tags.split()) == chunks


@pytest.mark.parametrize("scheme", SCHEMES)
def test_allowed_transitions_admit_exactly_the_legal_sequences(scheme: Scheme) -> None:
    marks = {"BIOES": "BIES", "BILOU": "BILU"}.get(scheme, "BI")
    labels = ["O", *(f"{mark}-{kind}" for kind in "XY" for mark in marks)]
    start, transition, stop = allowed_transitions(labels, scheme)
    assert start.dtype == transition.dtype == stop.dtype == np.bool_
    for length in (1, 2, 3):
        for places in product(range(len(labels)), repeat=length):
            steps = pairwise(places)
            allowed = (
                start[places[0]] and stop[places[-1]] and all(transition[a, b] for a, b in steps)
            )
            assert allowed == (illegal([labels[place] for place in places], scheme) == [])


def test_a_mark_that_the_scheme_does_not_have_is_never_allowed() -> None:
    start, transition, stop = allowed_transitions(["O", "S-X", "B-X"], "IOB2")
    assert start.tolist() == stop.tolist() == [True, False, True]
    assert not transition[1].any()
    assert not transition[:, 1].any()


@pytest.mark.parametrize("tag", ["NN", "", "B-", "X-Y", "b-NP", "-X"])
def test_what_is_no_chunk_tag_is_refused_by_name(tag: str) -> None:
    with pytest.raises(DataError, match="is not a chunk tag"):
        split_tag(tag)
    assert not are_chunk_tags([tag, "B-X"])


def test_chunks_that_overlap_or_lie_outside_cannot_be_encoded() -> None:
    for chunks in ([(0, 2, "X"), (1, 3, "Y")], [(2, 5, "X")], [(1, 1, "X")], [(-1, 1, "X")]):
        with pytest.raises(DataError, match="overlaps"):
            encode(chunks, 4)


def test_two_schemes_at_once_and_unknown_schemes_are_refused() -> None:
    with pytest.raises(DataError, match="two schemes"):
        detect_scheme([["S-X", "U-X"]])
    with pytest.raises(ParameterError, match="IOB1, IOB2"):
        encode([], 1, "IOB3")  # type: ignore[arg-type]
