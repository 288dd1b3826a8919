"""Finding out what a file holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from linnet.data.examples import read_examples
from linnet.data.recognise import Wishes, sniff
from linnet.errors import FormatError, ParameterError

REAL = [
    ("imdb/train.tsv.gz", "labelled", 25000, 2),
    ("newsgroups20/test.tsv.gz", "labelled", 7532, 20),
    ("snips/train.tsv", "labelled", 13784, 7),
    ("wikipedia_titles/titles-en-test.labeled", "labelled", 2823, 2),
    ("banking77/train.csv", "csv", 10003, 77),
    ("banking77/test.csv", "csv", 3080, 77),
    ("amazon_books/negative.review.gz", "amazon", 1000, 1),
    ("a9a/a9a.t.gz", "svmlight", 16281, 2),
]
SEQUENCES = [
    "conll2000/test.txt.gz",
    "brown/test.txt.gz",
    "timex_de/test.conll.gz",
    "snips/test.bio.gz",
    "ud_en_ewt/en_ewt-ud-dev.conllu.gz",
]


@pytest.mark.spec("D-02", "D-05", "D-10")
@pytest.mark.parametrize(("name", "format", "rows", "classes"), REAL, ids=[row[0] for row in REAL])
def test_real_data_sets_are_found_out_by_themselves(
    data_dir: Callable[[str], Path], name: str, format: str, rows: int, classes: int
) -> None:
    folder, file = name.split("/")
    found = read_examples(data_dir(folder) / file)
    assert found.y is not None
    assert (found.format, len(found), len(set(found.y))) == (format, rows, classes)


@pytest.mark.parametrize("name", SEQUENCES)
@pytest.mark.parametrize("disguise", [False, True])
def test_a_sequence_file_is_refused_with_or_without_its_suffix(
    data_dir: Callable[[str], Path], tmp_path: Path, name: str, disguise: bool
) -> None:
    folder, file = name.split("/")
    path = data_dir(folder) / file
    if disguise:
        (tmp_path / "data.gz").symlink_to(path)
        path = tmp_path / "data.gz"
    with pytest.raises(FormatError, match=r"sequence file .* not for\s+classification"):
        read_examples(path)


@pytest.mark.parametrize(
    ("block", "name", "format", "text", "label"),
    [
        (b"text,category\nA b,x\n", "a.csv", "csv", "text", "category"),
        (b"id;Sentiment;review\n1;pos;a b\n", "a.csv", "csv", "review", "Sentiment"),
        (b"label\ttext\npos\ta b\n", "a.tsv", "tsv", "text", "label"),
        (b"pos\ta b\nneg\tc d\n", "a.tsv", "labelled", "2", "1"),
        (b"pos\ta b\nneg\tc d\n", "<stdin>", "labelled", "2", "1"),
        (b"pos\ta\tb\nneg\tc d\n", "a", "labelled", "2", "1"),
        (b"a long text, this\tpos\nanother text here\tneg\n", "a.tsv", "tsv", "1", "2"),
        (b"7\tpos\ta b c\n8\tneg\tc d e\n9\tneg\tf\n", "a.tsv", "tsv", "3", "2"),
        (b'{"label": 1, "text": "a"}\n', "<stdin>", "jsonl", "text", "label"),
        (b'{"stars": 1, "body": "a b"}\n', "a.jsonl", "jsonl", "body", "stars"),
        (b'{"label": 1, "features": {"a": 1}}\n', "a.jsonl", "jsonl", "features", "label"),
        (b"__label__a b c\n__label__b d\n", "a.txt", "fasttext", None, None),
        (b"+1 1:2 3:4.5\n-1 2:1 # c\n# c\n", "a", "svmlight", None, None),
        (b"1 |a b c:2 |d e\n-1 2 tag|a b\n", "a", "vw", None, None),
        (b"| a b\n| c\n", "a", "vw", None, None),
        (b"good:2 #label#:pos\n", "a", "amazon", None, None),
        (b"a plain text, really\nand another\n", "a.txt", "text", None, None),
        (b"good\n\nbad\n", "<stdin>", "text", None, None),
        (b"one line\twith a tab\n", "<stdin>", "text", None, None),
        (b"text,label\nfine,pos\n", "<stdin>", "csv", "text", "label"),
        (b"well, yes\nwell, no\n", "<stdin>", "text", None, None),
        (b"5|a text\n6|more\n", "a.txt", "text", None, None),
        (b"\n\n", "<stdin>", "text", None, None),
        (b"PAR1\x15\x04", "a.bin", "parquet", None, None),
    ],
)
def test_a_format_is_found_by_content_and_suffix(
    block: bytes, name: str, format: str, text: str | None, label: str | None
) -> None:
    found = sniff(block, name)
    assert (found.format, found.text, found.label) == (format, text, label)
    assert found.decisions
    crlf = sniff(block.replace(b"\n", b"\r\n"), name)
    assert (crlf.format, crlf.text, crlf.label) == (format, text, label)


def test_a_header_is_known_by_a_label_that_occurs_nowhere_else() -> None:
    rows = b"".join(b"some text number %d,%s\n" % (i, b"ab"[i % 2 :][:1]) for i in range(20))
    assert sniff(b"words,kind\n" + rows, "a.csv").columns == ("words", "kind")
    assert sniff(rows, "a.csv").columns == ("1", "2")
    assert sniff(rows, "a.csv").label == "2"


def test_a_first_label_named_like_a_column_is_no_header_when_it_recurs() -> None:
    found = sniff(b"topic\tone two\nother\tthree\ntopic\tfour\n", "a.tsv")
    assert (found.format, found.header) == ("labelled", False)
    found = sniff(b"question\tWho are you\nanswer\tNobody\n", "a.tsv")
    assert (found.format, found.header) == ("labelled", False)


def test_decisions_say_what_and_why() -> None:
    found = sniff(b"pos\ta b\nneg\tc d\n", "a.tsv")
    assert "each of the first 2 lines has one tab" in found.decisions[0]
    found = sniff(b"".join(b"%d,some text %d\n" % (i % 2, i) for i in range(40)), "a.csv")
    assert "label is column 1: 2 distinct values in 40 rows" in found.decisions
    assert "text is column 2: longest values" in found.decisions


def test_quotes_in_tab_files_are_literal_unless_they_are_evidently_quoting() -> None:
    literal = sniff(b'pos\t"Jaws" is fine\nneg\t"Dull"\n', "a.tsv")
    assert (literal.format, literal.quoting) == ("labelled", False)
    for cell in (b'"he said ""no"""', b'"two\nlines"', b'"a\ttab"'):
        for name in ("a.tsv", "<stdin>"):
            found = sniff(b"pos\t" + cell + b"\nneg\tdull\n", name)
            assert (found.format, found.quoting) == ("tsv", True)
    across = sniff(b'pos\t"Jaws\nneg\tdull"\n', "a.tsv")
    assert (across.format, across.quoting) == ("labelled", False)


def test_columns_of_symbols_without_text_are_left_to_the_user() -> None:
    block = b"".join(b"=,+,k,e,%s\n" % label for label in (b"T", b"E", b"J"))
    with pytest.raises(FormatError, match="none of the 5 columns looks like text"):
        sniff(block, "a.csv")
    assert sniff(block, "a.csv", Wishes(text=3, label=5)).label == "5"


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (b"", "the file is empty"),
        (b"\x1f\x8b\x08", "gzip-compressed data; let its name end in .gz"),
        (b"PK\x03\x04", "zip archive"),
        (b"\xff\xfea\x00", "encoding='utf-16'"),
        (b"a\x00b\x00\n\x00", "NUL bytes"),
    ],
)
def test_what_is_no_text_is_refused_with_a_remedy(block: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        sniff(block, "a.txt")


def test_a_wish_that_cannot_be_met_says_what_is_there() -> None:
    block = b"text,category\na b,x\n"
    with pytest.raises(FormatError, match="'text', 'category'; did you mean 'category'"):
        sniff(block, "a.csv", Wishes(label="categry"))
    with pytest.raises(FormatError, match="did you mean 'text'"):
        sniff(block, "a.csv", Wishes(text="Text"))
    with pytest.raises(FormatError, match="no column 3 for the text: the file has 2"):
        sniff(block, "a.csv", Wishes(text=3))
    with pytest.raises(ParameterError, match="no format 'xml'; choose one of amazon, arrow"):
        sniff(block, "a.csv", Wishes(format="xml"))
    with pytest.raises(ParameterError, match="delimiter must be one"):
        sniff(block, "a.csv", Wishes(delimiter="::"))
    with pytest.raises(FormatError, match="two columns 'text'"):
        sniff(b"text,text\na,b\n", "a.csv")
    with pytest.raises(FormatError, match="JSON array"):
        sniff(b'[{"text": 1}]', "a.json")
    with pytest.raises(FormatError, match="not a parquet file"):
        sniff(b"a b\n", "a.parquet")


def test_words_above_numbers_are_a_header_whatever_they_look_like() -> None:
    from linnet.data.roles import has_header

    rows = [["sepal length (cm)", "kind"], *([f"{n}.5", "a"] for n in range(12))]
    assert has_header(rows) == (
        True, "the first row is a header: below 'sepal length (cm)' there are numbers"
    )  # fmt: skip
    assert not has_header([["?", "kind"], *rows[1:]])[0], "what is missing names nothing"
    assert not has_header(rows[1:])[0]
