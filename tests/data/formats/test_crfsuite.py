"""CRFsuite's lines."""

from __future__ import annotations

import pytest

from linnet.errors import DataError, FormatError

from ..reading import read_sentences


def test_crfsuite_lines_give_attributes_with_values_and_escapes() -> None:
    data = (
        rb"B-NP	w[0]=He	bias	len:2.5" b"\n" rb"O	w=\:	a\\b:-1e2	bias" b"\n\nO\n"
    )
    found = read_sentences(data, format="crfsuite")
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
        read_sentences(f"O\tok\n\nO\t{cell}\tb\n", format="crfsuite")
    assert (caught.value.line, caught.value.column) == (3, column)


def test_an_empty_label_or_attribute_is_an_error_unless_labels_are_not_wanted() -> None:
    with pytest.raises(FormatError, match="label"):
        read_sentences("\ta\n", format="crfsuite")
    assert read_sentences("\ta\n", format="crfsuite", labels=False).features() == [[{"a": 1.0}]]
    with pytest.raises(FormatError, match="attribute is empty"):
        read_sentences("O\ta\t\tb\n", format="crfsuite")
