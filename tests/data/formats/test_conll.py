"""Columns of tokens."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.errors import DataError, FormatError, ParameterError

from ..reading import read_sentences

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


CHUNKED = b"He PRP B-NP\nran VBD B-VP\n\nWho WP B-NP\n"


@pytest.mark.spec("D-06", "W-19")
def test_the_german_sample_has_five_columns() -> None:
    names = ("word", "lemma", "pos", "chunk", "entity")
    found = read_sentences(GERMAN, format="conll", columns=names, tag="chunk")
    assert (len(found), found.n_tokens, tuple(found.columns)) == (1, 13, names)
    assert found.sentences("lemma")[0][7] == "Angehörige|Angehöriger"
    assert found.tags is not None
    assert found.tags[0][:3] == ["0", "I-VC", "I-NC"]
    assert list(found.inputs) == ["word", "lemma", "pos", "entity"]
    assert (
        read_sentences(GERMAN.encode("latin-1"), format="conll", encoding="latin-1").sentences()[0][
            1
        ]
        == "führte"
    )


def test_a_column_file_gives_words_tags_offsets_and_lines() -> None:
    found = read_sentences(CHUNKED)
    assert (found.format, list(found.columns)) == ("conll", ["word", "1", "tag"])
    assert found.sentences() == [["He", "ran"], ["Who"]]
    assert found.tags == [["B-NP", "B-VP"], ["B-NP"]]
    assert found.offset.tolist() == [0, 2, 3]
    assert found.lines.tolist() == [1, 4]
    labels, ids = found.tag_ids()
    assert (labels, ids.tolist(), ids.dtype) == (["B-NP", "B-VP"], [0, 1, 0], np.int32)


@pytest.mark.parametrize(
    "data",
    [
        CHUNKED.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + CHUNKED,
        CHUNKED.replace(b" ", b"   "),
        CHUNKED.replace(b" ", b"\t"),
        b"\n\n" + CHUNKED.replace(b"\n\n", b"\n \t \n\n\n") + b"\n\n\n",
        b"-DOCSTART- -X- O\n\n" + CHUNKED,
        CHUNKED.removesuffix(b"\n"),
        CHUNKED.replace(b"\n", b" \n"),
    ],
)
def test_line_ends_marks_blank_lines_and_document_starts_change_nothing(data: bytes) -> None:
    found = read_sentences(data, format="conll")
    assert found.sentences() == [["He", "ran"], ["Who"]]
    assert found.tags == [["B-NP", "B-VP"], ["B-NP"]]


@pytest.mark.spec("D-06")
@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"a b c\n\nd e\n", 3),
        (b"a\tb\nc\n", 2),
        (b"a\tb\n\n\nc\td\te\n", 4),
        (b"a\tb\nc\t\n", 2),
        (b"a\tb\n\tc\n", 2),
    ],
)
def test_a_ragged_or_empty_cell_is_pointed_at(data: bytes, line: int) -> None:
    with pytest.raises(FormatError) as caught:
        read_sentences(data, format="conll")
    assert caught.value.line == line


def test_comments_before_a_sentence_are_found_and_a_number_sign_stays_a_word() -> None:
    data = b"# id 7\nNo O\n# B-X\n1 I-X\n\n# id 8 or so\nYes O\nSir O\n"
    found = read_sentences(data, format="conll")
    assert found.sentences() == [["No", "#", "1"], ["Yes", "Sir"]]
    assert found.notes is not None
    assert found.notes.texts.to_list() == ["# id 7", "# id 8 or so"]
    with pytest.raises(FormatError, match="comments='#'"):
        read_sentences(b"a b\n\n% note\nc d e\n", format="conll")
    assert len(read_sentences(b"% a note\na b\n\n% note\nc d\n", format="conll", comments="%")) == 2


def test_columns_are_chosen_by_place_or_name() -> None:
    assert read_sentences(CHUNKED, tag=1).tags == [["PRP", "VBD"], ["WP"]]
    assert read_sentences(CHUNKED, tag=None).tags is None
    assert list(read_sentences(CHUNKED, labels=False).columns) == ["word", "1"]
    assert read_sentences(CHUNKED, columns=["w", "p", "c"], word="p", tag="w").tags == [
        ["He", "ran"],
        ["Who"],
    ]
    assert read_sentences(b"He\nran\n\nWho\n", format="conll").tag is None
    every = read_sentences(CHUNKED, tag=None)
    assert every.with_tag_column("2").tags == read_sentences(CHUNKED).tags
    with pytest.raises(DataError, match="no column 'x'"):
        every.with_tag_column("x")
    for options in ({"tag": 3}, {"word": "x"}, {"columns": ["a", "b"]}, {"word": -4}):
        with pytest.raises(FormatError, match="column"):
            read_sentences(CHUNKED, **options)
    with pytest.raises(ParameterError, match="both"):
        read_sentences(CHUNKED, tag=0)
