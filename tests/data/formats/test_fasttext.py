"""fastText's lines."""

from __future__ import annotations

from ..reading import pairs, read


def test_fasttext_lines_have_one_label_or_several_or_none() -> None:
    assert pairs(read("__label__a x y\r\n\n__label__b \n")) == [("a", "x y"), ("b", "")]
    raw = "__label__a __label__b x __label__c\n__label__a y\nz\n"
    found = read(raw, format="fasttext")
    assert pairs(found) == [(["a", "b"], "x __label__c"), (["a"], "y"), ([], "z")]
    assert read("x\ny\n", format="fasttext").y is None
    assert pairs(read("__label__a \t __label__b  x\n")) == [(["a", "b"], " x")]
