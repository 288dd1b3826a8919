"""What a file holds, found out from its name and its first block.

The content decides, helped by the suffix. Nothing is decided silently: every step is a sentence in
``decisions``, and every step can be overruled.
"""

from __future__ import annotations

import re

from linnet.data._roles import has_header
from linnet.data._sequences import sequence_file
from linnet.data._sniff_tables import (
    Sniffed,
    Wishes,
    looks_like_csv,
    quoted_table,
    quoted_tabs,
    sniff_objects,
    sniff_table,
)
from linnet.data.formats import bare_suffix, check_format, format_of_suffix
from linnet.data.formats.blocks import refuse_foreign
from linnet.errors import FormatError, ParameterError

__all__ = ["Sniffed", "Wishes", "by_content", "sample_lines", "sniff"]

_SAMPLE_BYTES = 1 << 20
_SAMPLE_LINES = 1000
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_SVMLIGHT = re.compile(rf"{_NUMBER}(?:[ \t]+(?:qid:\d+|\d+:{_NUMBER}))*[ \t]*(?:#.*)?")
_VW = re.compile(
    rf"(?:{_NUMBER}(?: +{_NUMBER}){{0,2}} +(?:'?[^\s|]+)?)?"  # label, importance, base, tag
    rf"\|(?:[^\s|:]+(?::{_NUMBER})?)?(?:[ \t|].*)?"
)
_MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
}


def sniff(first_block: bytes, name: str, wishes: Wishes | None = None) -> Sniffed:
    """Find out what a file holds.

    Parameters
    ----------
    first_block : bytes
        The start of the file, unpacked: whole lines, as many as there are at hand.
    name : str
        The file's name; its suffix counts, that of a compression does not.
    wishes : Wishes, optional
        What is already decided.

    Returns
    -------
    Sniffed

    Raises
    ------
    FormatError
        When the block is empty, is no text, or belongs to a sequence file.

    Examples
    --------
    >>> found = sniff(b"text,category\\nMy card is lost,card_lost\\n", "bank.csv")
    >>> found.format, found.header, found.text, found.label
    ('csv', True, 'text', 'category')
    """
    wishes = wishes or Wishes()
    if wishes.format is not None:
        check_format(wishes.format)
    if wishes.delimiter is not None and (
        len(wishes.delimiter) != 1 or not wishes.delimiter.isascii() or wishes.delimiter in '"\n\r'
    ):
        raise ParameterError(f"the delimiter must be one ASCII character, not {wishes.delimiter!r}")
    if not first_block:
        raise FormatError("the file is empty", file=name)
    for magic, format in _MAGIC.items():
        if first_block.startswith(magic):
            return Sniffed(format, decisions=(f"{format}: the file starts with {magic.decode()}",))
    refuse_foreign(first_block, name)
    sample = _sample(first_block)
    lines = sample_lines(sample)
    format, why = _format(lines, name, wishes)
    if format in ("csv", "tsv"):
        return sniff_table(sample, name, format, why, wishes)
    if format == "jsonl":
        return sniff_objects(lines, name, why, wishes)
    if format == "labelled":
        return Sniffed(format, "\t", False, ("1", "2"), "2", "1", (why, *_labelled(wishes, name)))
    return Sniffed(format, decisions=(why,))


def _labelled(wishes: Wishes, name: str) -> tuple[str, ...]:
    for wish, place in ((wishes.label, "1"), (wishes.text, "2")):
        if wish is not None and str(wish) != place:
            raise FormatError(
                "lines of label<TAB>text have the label in column 1 and the text in column 2; for "
                f"column {wish!r} pass format='tsv'",
                file=name,
            )
    return ("label is column 1, text is all that follows the first tab",)


def sample_lines(block: bytes) -> list[str]:
    """Return the first lines of a block without their endings."""
    lines = _sample(block).decode("utf-8", "replace").split("\n")[:_SAMPLE_LINES]
    return [line.removesuffix("\r") for line in lines]


def _sample(block: bytes) -> bytes:
    """Return whole lines of about a megabyte, and two lines at least."""
    if len(block) <= _SAMPLE_BYTES:
        return block
    cut = block.rfind(b"\n", 0, _SAMPLE_BYTES) + 1
    if block.count(b"\n", 0, cut) < 2:
        cut = block.find(b"\n", block.find(b"\n") + 1) + 1
    return block[: cut or len(block)]


def _format(lines: list[str], name: str, wishes: Wishes) -> tuple[str, str]:
    """Return the format and the reason for it."""
    if wishes.format is not None:
        return wishes.format, f"{wishes.format}: as asked for"
    suffix, by_suffix = bare_suffix(name), format_of_suffix(name)
    if by_suffix in ("parquet", "arrow"):
        raise FormatError(f"not a {by_suffix} file, though its name ends in {suffix}", file=name)
    if by_suffix not in (None, "text", "labelled", "tsv"):
        return str(by_suffix), f"{by_suffix}: the name ends in {suffix}"
    filled = [line for line in lines if line.strip()]
    if not filled:
        return "text", "plain text: nothing but blank lines so far"
    content = by_content(filled)
    if content is not None:
        return content
    trouble = sequence_file(lines, suffix)
    if trouble is not None:
        raise FormatError(
            f"this looks like a sequence file ({trouble}), which is input for a tagger, not for "
            "classification; if each line is an example of its own, pass the format",
            file=name,
        )
    return _by_separator(filled, lines, suffix, wishes)


def by_content(filled: list[str]) -> tuple[str, str] | None:
    """Return a format whose lines are unmistakable."""
    all_of = f"each of the first {len(filled)} lines" if len(filled) > 1 else "the first line"
    if all(line.lstrip().startswith("{") for line in filled):
        return "jsonl", f"jsonl: {all_of} starts with {{"
    if all("#label#:" in line for line in filled):
        return "amazon", f"bags of features: {all_of} has #label#:"
    if all(line.startswith("__label__") for line in filled):
        return "fasttext", f"fastText: {all_of} starts with __label__"
    pairs = sum(":" in line for line in filled)
    rows = [line for line in filled if not line.startswith("#")]
    if pairs * 2 > len(filled) and all(map(_SVMLIGHT.fullmatch, rows)):
        return "svmlight", f"svmlight: {all_of} is a number and index:value pairs"
    if all(map(_VW.fullmatch, filled)):
        return "vw", f"Vowpal Wabbit: {all_of} has features after a |"
    return None


def _by_separator(
    filled: list[str], lines: list[str], suffix: str, wishes: Wishes
) -> tuple[str, str]:
    if wishes.delimiter is not None:
        format = "tsv" if wishes.delimiter == "\t" else "csv"
        return format, f"separated by {wishes.delimiter!r}: as asked for"
    tabs = [line.count("\t") for line in filled]
    if min(tabs) >= 1 and (len(filled) > 1 or suffix in (".tsv", ".tab")):
        return _by_tabs(tabs, filled, lines, wishes)
    if max(tabs) >= 1 and quoted_table(lines):
        return "tsv", "tab-separated: all rows have the same number of cells, some of them quoted"
    if suffix in (".tsv", ".tab") and max(tabs) >= 1:
        return "tsv", f"tab-separated: the name ends in {suffix}"
    if suffix != ".txt" and looks_like_csv(filled):
        return "csv", "comma-separated: the first line is a header and all lines fit it"
    return "text", "plain text: one example a line, no separator common to all lines"


def _by_tabs(
    tabs: list[int], filled: list[str], lines: list[str], wishes: Wishes
) -> tuple[str, str]:
    """Decide between label<TAB>text lines and a table."""
    number = len(filled)
    many = f"each of the first {number} lines" if number > 1 else "the first line"
    one = set(tabs) == {1}
    count = "one tab" if one else f"{tabs[0]} tabs" if len(set(tabs)) == 1 else "a tab"
    why = f"tab-separated: {many} has {count}"
    open_choice = all(
        wish is None for wish in (wishes.text, wishes.label, wishes.header, wishes.quoting)
    )
    rows = [line.split("\t", 1) for line in filled]
    if not open_choice or has_header(rows)[0] or quoted_tabs("\n".join(lines)):
        return "tsv", why
    labels = [label for label, _ in rows]
    repeat = len(set(labels)) <= len(labels) / 2 or number < 20
    short = sum(map(len, labels)) <= 50 * number and all(labels)
    longer = sum(map(len, labels)) <= sum(len(text) for _, text in rows)
    if repeat and short and longer and (one or len(set(tabs)) > 1):
        kinds = "one label" if len(set(labels)) == 1 else f"{len(set(labels))} distinct labels"
        return "labelled", f"{why}; label<TAB>text: {kinds} before it"
    return "tsv", why
