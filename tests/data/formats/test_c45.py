"""Files of attribute values: C4.5 and TiMBL lines in and out (SPEC D-11)."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from linnet.data import read_attributes, write_attributes
from linnet.errors import DataError, FormatError

ROWS = [["sunny", "21"], ["rain", None], ["fog", "3"]]
LABELS = ["go", "stay", "stay"]


@pytest.mark.spec("D-11")
@pytest.mark.parametrize("separator", ["comma", "columns"])
def test_what_is_written_is_read_again(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "weather.train.gz"
    write_attributes(path, ROWS, LABELS, separator=separator)  # type: ignore[arg-type]
    data = read_attributes(path)
    assert (data.rows, data.labels, data.names) == (ROWS, LABELS, ["x0", "x1"])


def test_leading_columns_are_skipped_and_question_marks_may_be_values() -> None:
    data = read_attributes(io.StringIO("0 join ? as N\n\n1 is it of V\n"), skip=1, missing=None)
    assert data.rows == [["join", "?", "as"], ["is", "it", "of"]]
    assert data.labels == ["N", "V"]


def test_a_names_file_gives_names_kinds_and_classes(tmp_path: Path) -> None:
    (tmp_path / "golf.names").write_text(
        "go, stay.   | classes\n\noutlook: sunny, rain.\nlabel: ignore.\ndegrees: continuous.\n"
    )
    (tmp_path / "golf.data").write_text("| a comment\nsunny, a, 21.5, go.\nrain, b, ?, stay\n")
    data = read_attributes(tmp_path / "golf.data")
    assert data.names == ["outlook", "degrees"]
    assert data.rows == [["sunny", 21.5], ["rain", None]]
    assert data.labels == ["go", "stay"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a,b,c\na,b\n", 2),
        ("a b c\n\na b c d\n", 3),
        ("alone\n", 1),
        ("a,,c\n", 1),
    ],
)
def test_rows_that_do_not_fit_are_named_by_file_and_line(
    tmp_path: Path, text: str, line: int
) -> None:
    path = tmp_path / "broken.train"
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        read_attributes(path)
    assert (caught.value.file, caught.value.line) == (str(path), line)


@pytest.mark.parametrize(
    ("names", "data"),
    [
        ("go, stay.\noutlook: sunny.\n", "rain, go\n"),
        ("go, stay.\ndegrees: continuous.\n", "warm, go\n"),
        ("go, stay.\ndegrees: continuous.\n", "3, come\n"),
        ("go, stay.\ndegrees: continuous.\n", "3, 4, go\n"),
        ("go, stay.\ndegrees\n", "3, go\n"),
        ("go.\nd: a.\nd: b.\n", "a, b, go\n"),
        ("", "3, go\n"),
    ],
)
def test_what_the_names_file_does_not_allow_is_refused(
    tmp_path: Path, names: str, data: str
) -> None:
    (tmp_path / "x.names").write_text(names)
    (tmp_path / "x.data").write_text(data)
    with pytest.raises(FormatError):
        read_attributes(tmp_path / "x.data")


def test_an_empty_file_has_no_example() -> None:
    with pytest.raises(FormatError, match="no example"):
        read_attributes(io.StringIO("\n"))


@pytest.mark.parametrize(
    ("rows", "labels", "separator"),
    [
        ([["a,b"]], ["y"], "comma"),
        ([["a b"]], ["y"], "columns"),
        ([["a"], ["a", "b"]], ["y", "y"], "comma"),
        ([["a"]], ["y", "y"], "comma"),
        ([[""]], ["y"], "comma"),
    ],
)
def test_what_the_format_cannot_hold_is_not_written(
    tmp_path: Path, rows: list[list[str]], labels: list[str], separator: str
) -> None:
    path = tmp_path / "out"
    with pytest.raises(DataError):
        write_attributes(path, rows, labels, separator=separator)  # type: ignore[arg-type]
    assert not path.exists()


def test_plain_lines_and_lines_that_need_a_closer_look_give_the_same_rows() -> None:
    plain = "a,1,x\nb,?,y\nc d,2,x\n".replace(" ", "_")
    for other in (plain.replace(",", " , "), f"| a comment\n{plain}\n\n", plain.rstrip("\n")):
        data, same = read_attributes(io.StringIO(plain)), read_attributes(io.StringIO(other))
        assert (data.rows, data.labels) == (same.rows, same.labels)
    with pytest.raises(FormatError, match="value 2 is empty") as caught:
        read_attributes(io.StringIO("a,1,x\nb,,y\n"))
    assert caught.value.line == 2
