"""CRF++ template files."""

from __future__ import annotations

import io

import pytest

from linnet.data.crfpp import Cell, boundary, parse_template, read_template
from linnet.errors import DataError, FormatError

BASENP = b"""\
# Unigram
U00:%x[-2,0]
U01:%x[-1,0]
U02:%x[0,0]
U05:%x[-1,0]/%x[0,0]
U20:%x[-2,1]/%x[-1,1]/%x[0,1]

# Bigram
B
"""
WORDS = [["He", "reckons", "."], ["PRP", "VBZ", "."]]


def test_the_usual_chunking_template_is_read() -> None:
    template = read_template(io.BytesIO(BASENP))
    assert [macro.kind for macro in template.macros] == ["U"] * 5 + ["B"]
    assert [macro.line for macro in template.macros] == [2, 3, 4, 5, 6, 9]
    assert template.macros[3].parts == ("U05:", Cell(-1, 0), "/", Cell(0, 0))
    assert template.bigrams[0].parts == ("B",)
    assert (template.width, template.reach) == (2, (-2, 0))


def test_features_see_the_boundaries_as_in_crfpp() -> None:
    features = read_template(io.BytesIO(BASENP)).features(WORDS)
    assert features[0] == ["U00:_B-2", "U01:_B-1", "U02:He", "U05:_B-1/He", "U20:_B-2/_B-1/PRP"]
    assert features[2] == ["U00:He", "U01:reckons", "U02:.", "U05:reckons/.", "U20:PRP/VBZ/."]
    right = parse_template("U:%x[+1,0] %x[ 2 , 0 ]").features(WORDS)
    assert right == [["U:reckons ."], ["U:. _B+1"], ["U:_B+1 _B+2"]]


def test_boundaries_count_away_from_the_sentence() -> None:
    assert [boundary(row, 3) for row in (-3, -1, 3, 5)] == ["_B-3", "_B-1", "_B+1", "_B+3"]


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("U0:%x[0,0]\nX1:%x[0,0]", 2, 1),
        ("\n\nU0:%x[0]", 3, 4),
        ("U0:%x[0,-1]", 1, 4),
        ("U0:a%y[0,0]", 1, 5),
        ("U0:%x[0,0]%", 1, 11),
        ("U0:%x[9,0]", 1, 4),
        ("U0:%x[a,0]", 1, 4),
    ],
)
def test_a_wrong_line_is_pointed_at(text: str, line: int, column: int) -> None:
    with pytest.raises(FormatError) as caught:
        parse_template(text, "t.txt")
    assert (caught.value.file, caught.value.line, caught.value.column) == ("t.txt", line, column)


def test_a_template_without_a_macro_and_a_missing_column_are_errors() -> None:
    with pytest.raises(FormatError, match="no line that starts with U or B"):
        parse_template("# nothing\n")
    with pytest.raises(DataError, match="line 1 of the template asks for column 2"):
        parse_template("U0:%x[0,2]").features(WORDS)


def test_windows_line_ends_and_a_byte_order_mark_are_harmless() -> None:
    plain = read_template(io.BytesIO(BASENP)).macros
    assert (
        read_template(io.BytesIO(b"\xef\xbb\xbf" + BASENP.replace(b"\n", b"\r\n"))).macros == plain
    )
