"""Reading sentences of every format: columns, CoNLL-U, word/tag, CRFsuite, raw text."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data import (
    Sequences,
    read_sequences,
    sniff_sequences,
    stream_sequences,
)
from linnet.errors import DataError, FormatError, ParameterError

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
REAL = [
    ("conll2000/train.txt.gz", "conll", 8936, 211727, 22),
    ("conll2000/test.txt.gz", "conll", 2012, 47377, 19),
    ("brown/test.txt.gz", "word_tag", 5734, 115685, 277),
    ("timex_de/test.conll.gz", "conll", 6673, 216785, 9),
    ("snips/test.bio.gz", "conll", 700, None, None),
    ("ud_en_ewt/en_ewt-ud-dev.conllu.gz", "conllu", 2001, None, 17),
]
CHUNKED = b"He PRP B-NP\nran VBD B-VP\n\nWho WP B-NP\n"
CONLLU = b"""\
# sent_id = 1
# text = vamonos al mar
1-2\tvamonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tvamos\tir\tVERB\tV\t_\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\tP\t_\t1\tobj\t_\t_
2.1\tx\tx\t_\t_\t_\t_\t_\t0:y\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\tA\t_\t5\tcase\t_\t_
4\tel\tel\tDET\tD\t_\t5\tdet\t_\t_
5\tmar\tmar\tNOUN\tN\t_\t1\tobl\t_\t_
5.1\tz\tz\t_\t_\t_\t_\t_\t0:y\t_

# sent_id = 2
1\tAy\tay\tINTJ\tI\t_\t0\troot\t_\t_

"""


def read(data: bytes | str, **options: object) -> Sequences:
    raw = data.encode() if isinstance(data, str) else data
    return read_sequences(io.BytesIO(raw), **options)  # type: ignore[arg-type]


@pytest.mark.spec("D-06", "D-07")
@pytest.mark.parametrize(("name", "format", "rows", "tokens", "labels"), REAL)
def test_real_data_sets_are_found_out_by_themselves(
    data_dir: Callable[[str], Path],
    name: str,
    format: str,
    rows: int,
    tokens: int | None,
    labels: int | None,
) -> None:
    folder, file = name.split("/")
    found = read_sequences(data_dir(folder) / file)
    assert (found.format, len(found)) == (format, rows)
    assert tokens in (None, found.n_tokens)
    assert labels in (None, len(found.tag_ids()[0]))


@pytest.mark.spec("D-07")
def test_brown_has_its_known_size(data_dir: Callable[[str], Path]) -> None:
    parts = [read_sequences(data_dir("brown") / f"{part}.txt.gz") for part in ("train", "test")]
    assert sum(map(len, parts)) == 57340
    assert sum(part.n_tokens for part in parts) == 1161192


@pytest.mark.spec("D-06", "W-19")
def test_the_german_sample_has_five_columns() -> None:
    names = ("word", "lemma", "pos", "chunk", "entity")
    found = read(GERMAN, format="conll", columns=names, tag="chunk")
    assert (len(found), found.n_tokens, tuple(found.columns)) == (1, 13, names)
    assert found.sentences("lemma")[0][7] == "Angehörige|Angehöriger"
    assert found.tags is not None
    assert found.tags[0][:3] == ["0", "I-VC", "I-NC"]
    assert list(found.inputs) == ["word", "lemma", "pos", "entity"]
    assert (
        read(GERMAN.encode("latin-1"), format="conll", encoding="latin-1").sentences()[0][1]
        == "führte"
    )


def test_a_column_file_gives_words_tags_offsets_and_lines() -> None:
    found = read(CHUNKED)
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
    found = read(data, format="conll")
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
        read(data, format="conll")
    assert caught.value.line == line


def test_comments_before_a_sentence_are_found_and_a_number_sign_stays_a_word() -> None:
    data = b"# id 7\nNo O\n# B-X\n1 I-X\n\n# id 8 or so\nYes O\nSir O\n"
    found = read(data, format="conll")
    assert found.sentences() == [["No", "#", "1"], ["Yes", "Sir"]]
    assert found.notes is not None
    assert found.notes.texts.to_list() == ["# id 7", "# id 8 or so"]
    with pytest.raises(FormatError, match="comments='#'"):
        read(b"a b\n\n% note\nc d e\n", format="conll")
    assert len(read(b"% a note\na b\n\n% note\nc d\n", format="conll", comments="%")) == 2


def test_columns_are_chosen_by_place_or_name() -> None:
    assert read(CHUNKED, tag=1).tags == [["PRP", "VBD"], ["WP"]]
    assert read(CHUNKED, tag=None).tags is None
    assert list(read(CHUNKED, labels=False).columns) == ["word", "1"]
    assert read(CHUNKED, columns=["w", "p", "c"], word="p", tag="w").tags == [
        ["He", "ran"],
        ["Who"],
    ]
    assert read(b"He\nran\n\nWho\n", format="conll").tag is None
    every = read(CHUNKED, tag=None)
    assert every.with_tag_column("2").tags == read(CHUNKED).tags
    with pytest.raises(DataError, match="no column 'x'"):
        every.with_tag_column("x")
    for options in ({"tag": 3}, {"word": "x"}, {"columns": ["a", "b"]}, {"word": -4}):
        with pytest.raises(FormatError, match="column"):
            read(CHUNKED, **options)
    with pytest.raises(ParameterError, match="both"):
        read(CHUNKED, tag=0)


def test_conll_u_skips_ranges_and_empty_nodes_and_knows_both_tag_sets() -> None:
    found = read(CONLLU)
    assert (found.format, found.sentences()) == (
        "conllu",
        [["vamos", "nos", "a", "el", "mar"], ["Ay"]],
    )
    assert found.tags == [["VERB", "PRON", "ADP", "DET", "NOUN"], ["INTJ"]]
    assert read(CONLLU, tag="xpos").tags == [["V", "P", "A", "D", "N"], ["I"]]
    assert found.lines.tolist() == [4, 14]
    blind = CONLLU.replace(b"VERB", b"_").replace(b"INTJ", b"_")
    assert read(blind, format="conllu").tags is not None
    none = b"1\tAy\tay\t_\t_\t_\t_\t_\t_\t_\n"
    assert read(none, format="conllu").tags is None
    with pytest.raises(FormatError, match="token's number"):
        read(none.replace(b"1\t", b"one\t"), format="conllu")


@pytest.mark.spec("D-07")
def test_the_lectures_sentence_has_five_tagged_tokens_and_one_untagged() -> None:
    line = "Secretariat/NNP is/BEZ expected/VBN to/TO race/VB tomorrow"
    found = read(line, format="word_tag")
    assert found.sentences() == [["Secretariat", "is", "expected", "to", "race", "tomorrow"]]
    assert found.tags == [["NNP", "BEZ", "VBN", "TO", "VB", ""]]


@pytest.mark.spec("D-07")
def test_the_last_slash_separates_and_one_at_an_end_does_not() -> None:
    found = read("1/2/cd / a/ /b //in\n\n x/y", format="word_tag")
    assert found.sentences() == [["1/2", "/", "a/", "/b", "/"], ["x"]]
    assert found.tags == [["cd", "", "", "", "in"], ["y"]]
    assert found.lines.tolist() == [1, 3]
    assert read("a b\n", format="word_tag").tags is None
    assert read("a_x b_y", format="word_tag", delimiter="_").tags == [["x", "y"]]


def test_crfsuite_lines_give_attributes_with_values_and_escapes() -> None:
    data = (
        rb"B-NP	w[0]=He	bias	len:2.5" b"\n" rb"O	w=\:	a\\b:-1e2	bias" b"\n\nO\n"
    )
    found = read(data, format="crfsuite")
    assert found.tags == [["B-NP", "O"], ["O"]]
    assert found.features() == [
        [{"w[0]=He": 1.0, "bias": 1.0, "len": 2.5}, {"w=:": 1.0, "a\\b": -100.0, "bias": 1.0}],
        [{}],
    ]
    assert found.take([1]).features() == [[{}]]
    assert found.take([0]).features() == found.features()[:1]
    with pytest.raises(DataError, match="no words"):
        found.sentences()


@pytest.mark.parametrize(
    ("cell", "column"),
    [("w=:", 3), ("a:b", 3), ("x:inf", 3), ("x:1e999", 3), ("a:1:2", 3), ("x:1_0", 3)],
)
def test_a_wrong_value_of_a_crfsuite_attribute_is_pointed_at(cell: str, column: int) -> None:
    with pytest.raises(FormatError, match="finite number") as caught:
        read(f"O\tok\n\nO\t{cell}\tb\n", format="crfsuite")
    assert (caught.value.line, caught.value.column) == (3, column)


def test_an_empty_label_or_attribute_is_an_error_unless_labels_are_not_wanted() -> None:
    with pytest.raises(FormatError, match="label"):
        read("\ta\n", format="crfsuite")
    assert read("\ta\n", format="crfsuite", labels=False).features() == [[{"a": 1.0}]]
    with pytest.raises(FormatError, match="attribute is empty"):
        read("O\ta\t\tb\n", format="crfsuite")


def test_raw_text_knows_the_characters_of_its_tokens() -> None:
    text = "Größe  ist 🙂 gut!\n\nja\n"
    for tokens in ("whitespace", "unicode"):
        found = read(text, format="text", tokens=tokens)
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
        found = read("\n".join(["x", *lines]), format="text", tokens=tokens)
        assert found.texts is not None
        assert found.characters is not None
        sentence = np.repeat(np.arange(len(found)), np.diff(found.offset)).tolist()
        rows = zip(found.characters.tolist(), found.words, sentence, strict=True)
        assert all(found.texts[at][start:end] == word for (start, end), word, at in rows)


@pytest.mark.parametrize("block_bytes", [1, 7, 64, 10**6])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_a_stream_yields_the_same_sentences_as_the_whole_file(
    block_bytes: int, ending: bytes
) -> None:
    data = b"-DOCSTART- O\n\n" + b"a O\nb B-X\n\n\nc O\n\nd O\ne O\nf O\n" * 5
    data = data.replace(b"\n", ending)
    whole = read(data, format="conll")
    blocks = list(
        stream_sequences(
            io.BytesIO(data), format="conll", columns=["w", "t"], block_bytes=block_bytes
        )
    )
    assert [row for block in blocks for row in block.sentences()] == whole.sentences()
    assert [row for block in blocks for row in block.tags or []] == whole.tags
    assert [line for block in blocks for line in block.lines.tolist()] == whole.lines.tolist()


def test_a_pipe_is_answered_sentence_by_sentence() -> None:
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as source, os.fdopen(write_end, "wb", buffering=0) as pipe:
        blocks = stream_sequences(source, format="conll")
        pipe.write(b"a\tO\nb\tO\n\nc\t")
        assert next(blocks).sentences() == [["a", "b"]]
        threading.Timer(0.05, lambda: (pipe.write(b"O\n"), pipe.close())).start()
        last = next(blocks)
        assert (last.sentences(), last.lines.tolist()) == ([["c"]], [4])


def test_sentences_can_be_taken_in_any_order() -> None:
    found = read(CHUNKED)
    taken = found.take([1, 0, 1])
    assert taken.sentences() == [["Who"], ["He", "ran"], ["Who"]]
    assert taken.lines.tolist() == [4, 1, 4]
    assert found.take(slice(0, 0)).sentences() == []


@pytest.mark.parametrize(
    ("data", "name", "format"),
    [
        (CHUNKED + b"No DT O\n\nOh UH O\n", "a.txt", "conll"),
        (CONLLU, "a.txt", "conllu"),
        (b"a/b c/d e/f\ng/h i/j k/l\nm/n o/p q/r\n", "a.txt", "word_tag"),
        (b"O\tw=a\tp=b\nO\tw=b\n\nO\tw=c\tp=d\nB-X\tw=d\tp=e\tBOS=1\n", "a.txt", "crfsuite"),
        (b'{"text": "a", "spans": []}\n', "a.jsonl", "spans"),
        (b"a O\n", "a.conll", "conll"),
        (b"text,label\na b,x\n", "a.csv", None),
        (b"pos\ta b\nneg\tc d\n", "a.tsv", None),
        (b"+1 1:2 3:4\n-1 2:1\n", "a", None),
        (b'{"text": "a", "label": "b"}\n', "a.jsonl", None),
        (b"one sentence\nand another\n", "a.txt", None),
        (b"PAR1\x15\x04", "a.parquet", None),
    ],
)
def test_a_caller_can_ask_which_sequence_format_a_file_has(
    data: bytes, name: str, format: str | None
) -> None:
    found = sniff_sequences(data, name)
    assert (None if found is None else found.format) == format


def test_what_is_no_other_format_is_read_as_text_or_columns() -> None:
    assert read("one sentence\nand another\n").sentences() == [
        ["one", "sentence"],
        ["and", "another"],
    ]
    assert read("He\tPRP\nran\tVBD\n").tags == [["PRP", "VBD"]]
    assert read('{"text": "a b"}\n').tags is None


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"", "empty"), (b"\n\n", "no"), (b"a\xff b\n", "not utf-8"), (b"PAR1aaaa", "Parquet")],
)
def test_what_cannot_be_read_is_an_error_with_a_remedy(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(data, format="conll")


def test_wrong_options_are_refused() -> None:
    for options in (
        {"format": "csv"},
        {"tokens": "words"},
        {"cut": "never"},
        {"comments": ""},
        {"delimiter": "::"},
        {"format": "conll", "delimiter": ","},
        {"errors": "ignore"},
        {"encoding": "rot13"},
    ):
        with pytest.raises(ParameterError):
            read(CHUNKED, **options)
    with pytest.raises(ParameterError, match="block_bytes"):
        next(stream_sequences(io.BytesIO(CHUNKED), block_bytes=0))


@settings(max_examples=150)
@given(
    st.binary(max_size=60),
    st.sampled_from(["conll", "conllu", "crfsuite", "spans", "text", "word_tag"]),
)
def test_any_bytes_are_read_or_refused_never_crashed_on(data: bytes, format: str) -> None:
    for errors in ("strict", "replace"):
        try:
            found = read(data, format=format, errors=errors)
        except FormatError:
            continue
        assert found.offset[-1] == found.n_tokens
        assert (np.diff(found.offset) >= 0).all()


def test_reading_sequences_loads_no_heavy_package() -> None:
    code = (
        "import io, sys; from linnet.data import read_sequences; "
        "read_sequences(io.BytesIO(b'a b\\n')); "
        "print(*{'scipy', 'sklearn', 'pyarrow', 'pandas', 'rich'} & sys.modules.keys())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.strip() == ""
