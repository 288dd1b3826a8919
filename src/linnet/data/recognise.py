"""What a file holds, found out from its name and its first block.

The content decides, helped by the suffix. Every format says of lines whether they are its own, and
is asked in one order: those whose lines are unmistakable, those of sentences, tables, plain text.
Nothing is decided silently: every step is a sentence in the plan's ``decisions``, and every step
can be overruled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

from linnet.data.formats import (
    bare_suffix,
    check_format,
    check_sequence_format,
    format_module,
    format_of_suffix,
    sequence_format_of_suffix,
)
from linnet.data.formats.blocks import refuse_foreign
from linnet.data.formats.common import Plan, Wishes
from linnet.errors import FormatError, ParameterError

__all__ = ["Sample", "Wishes", "sniff", "sniff_sequences"]

_SAMPLE_BYTES = 1 << 20
_SAMPLE_LINES = 1000
_MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
}
_UNMISTAKABLE = {
    "jsonl": "jsonl",
    "amazon": "bags of features",
    "fasttext": "fastText",
    "svmlight": "svmlight",
    "vw": "Vowpal Wabbit",
}


@dataclass(frozen=True)
class Sample:
    """The start of a file, as the formats are asked about it.

    Attributes
    ----------
    name : str
        The file's name; its suffix counts, that of a compression does not.
    first_block : bytes
        Unpacked, whole lines, as many as there are at hand.
    """

    name: str
    first_block: bytes

    @cached_property
    def block(self) -> bytes:
        """Whole lines of about a megabyte, and two lines at least."""
        block = self.first_block
        if len(block) <= _SAMPLE_BYTES:
            return block
        cut = block.rfind(b"\n", 0, _SAMPLE_BYTES) + 1
        if block.count(b"\n", 0, cut) < 2:
            cut = block.find(b"\n", block.find(b"\n") + 1) + 1
        return block[: cut or len(block)]

    @cached_property
    def lines(self) -> list[str]:
        """The first lines, without their endings."""
        lines = self.block.decode("utf-8", "replace").split("\n")[:_SAMPLE_LINES]
        return [line.removesuffix("\r") for line in lines]

    @cached_property
    def filled(self) -> list[str]:
        """Those of the lines that are not blank."""
        return [line for line in self.lines if line.strip()]

    @cached_property
    def content(self) -> tuple[str, str] | None:
        """The format of examples whose lines are unmistakable, and the reason for it."""
        number = len(self.filled)
        all_of = f"each of the first {number} lines" if number > 1 else "the first line"
        for format, title in _UNMISTAKABLE.items():
            why = format_module(format).recognise(self.filled) if number else None
            if why is not None:
                return format, f"{title}: {all_of} {why}"
        return None

    @cached_property
    def sentences(self) -> tuple[str, str] | None:
        """The format of sentences that the lines have, and the reason for it."""
        by_suffix = sequence_format_of_suffix(self.name)
        if by_suffix is not None:
            return by_suffix, f"the name ends in {bare_suffix(self.name)}"
        body = [line for line in self.lines if not line.startswith(("# ", "-DOCSTART-"))]
        filled = [line for line in body if line.strip()]
        if not filled:
            return None
        runs = groupby(body, lambda line: bool(line.strip()))
        groups = [len(list(run)) for is_filled, run in runs if is_filled]
        evidence: dict[str, tuple[object, ...]] = {
            "conllu": (filled,),
            "crfsuite": (filled, groups),
            "conll": (filled, groups),
            "word_tag": (filled,),
        }
        if len(body) == len(filled):  # no blank line
            del evidence["conllu"]
        if format_module("jsonl").recognise(filled) is not None:
            evidence = {"spans": (filled[0],)}
        for format, lines in evidence.items():
            why = format_module(format, sentences=True).recognise(*lines)
            if why is not None:
                return format, why
        return None


def sniff(first_block: bytes, name: str, wishes: Wishes | None = None) -> Plan:
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
    Plan

    Raises
    ------
    FormatError
        When the block is empty, is no text, or belongs to a sequence file.

    Examples
    --------
    >>> plan = sniff(b"text,category\\nMy card is lost,card_lost\\n", "bank.csv")
    >>> plan.format, plan.header, plan.text, plan.label
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
            why = f"{format}: the file starts with {magic.decode()}"
            return Plan(name, format, decisions=(why,))
    refuse_foreign(first_block, name)
    sample = Sample(name, first_block)
    format, why = _format(sample, wishes)
    plan = Plan(name, format, decisions=(why,))
    if format in ("csv", "tsv"):
        plan = format_module(format).plan_table(sample.block, plan, wishes)
    elif format == "jsonl":
        plan = format_module(format).plan_objects(sample.lines, plan, wishes)
    elif format == "labelled":
        _check_labelled(wishes, name)
        said = (why, "label is column 1, text is all that follows the first tab")
        columns = {"columns": ("1", "2"), "text": "2", "label": "1"}
        plan = replace(plan, delimiter="\t", decisions=said, **columns)  # type: ignore[arg-type]
    return plan


def _check_labelled(wishes: Wishes, name: str) -> None:
    for wish, place in ((wishes.label, "1"), (wishes.text, "2")):
        if wish is not None and str(wish) != place:
            raise FormatError(
                "lines of label<TAB>text have the label in column 1 and the text in column 2; for "
                f"column {wish!r} pass format='tsv'",
                file=name,
            )


def _format(sample: Sample, wishes: Wishes) -> tuple[str, str]:
    """Return the format of examples and the reason for it."""
    if wishes.format is not None:
        return wishes.format, f"{wishes.format}: as asked for"
    suffix, by_suffix = bare_suffix(sample.name), format_of_suffix(sample.name)
    if by_suffix in ("parquet", "arrow"):
        message = f"not a {by_suffix} file, though its name ends in {suffix}"
        raise FormatError(message, file=sample.name)
    if by_suffix not in (None, "text", "labelled", "tsv"):
        return str(by_suffix), f"{by_suffix}: the name ends in {suffix}"
    if not sample.filled:
        return "text", "plain text: nothing but blank lines so far"
    if sample.content is not None:
        return sample.content
    if sample.sentences is not None:
        raise FormatError(
            f"this looks like a sequence file ({sample.sentences[1]}), which is input for a "
            "tagger, not for classification; if each line is an example of its own, pass the "
            "format",
            file=sample.name,
        )
    return format_module("csv").recognise(sample.filled, sample.lines, suffix, wishes)  # type: ignore[no-any-return]


def sniff_sequences(
    first_block: bytes,
    name: str,
    *,
    format: str | None = None,
    delimiter: str | None = None,
    comments: str | None = None,
    assume: bool = False,
) -> Plan | None:
    """Find out which of the sequence formats a file has, if any.

    Parameters
    ----------
    first_block : bytes
        The start of the file, unpacked: whole lines.
    name : str
        The file's name; its suffix counts, that of a compression does not.
    format, delimiter, comments : str, optional
        What is already decided.
    assume : bool
        Whether it is known to be a file of sequences: what is none of the others is then plain
        text, one sentence a line, and not None.

    Examples
    --------
    >>> block = b"He PRP B-NP\\nran VBD B-VP\\n\\nI PRP B-NP\\nsat VBD B-VP\\n"
    >>> plan = sniff_sequences(block, "a")
    >>> plan.format, plan.delimiter, plan.width
    ('conll', ' ', 3)
    >>> sniff_sequences(b"pos\\ta fine film\\nneg\\ta bore\\n", "a") is None
    True
    """
    if format is not None:
        check_sequence_format(format)
    if not first_block:
        raise FormatError("the file is empty", file=name)
    if first_block.startswith(tuple(_MAGIC)):
        if not assume and format is None:
            return None
        raise FormatError("this is a Parquet or Arrow file; convert it to JSON lines", file=name)
    refuse_foreign(first_block, name)
    sample = Sample(name, first_block)
    why = f"{format}: as asked for"
    if format is None:
        chosen = _sequence_format(sample, assume)
        if chosen is None:
            return None
        format, why = chosen
    plan = Plan(name, format, delimiter, text="word", comments=comments, decisions=(why,))
    if format in ("conll", "conllu") and delimiter not in (None, "\t", " "):
        message = f"columns stand between tabs ('\\t') or white space (' '), not {delimiter!r}"
        raise ParameterError(message)
    if format == "conll":
        return format_module(format, sentences=True).plan_columns(sample.lines, plan)  # type: ignore[no-any-return]
    if format == "conllu":
        columns = format_module(format, sentences=True).CONLLU
        return replace(plan, delimiter="\t", columns=columns, comments=comments or "#")
    tagged = format == "spans" and any('"spans"' in line for line in sample.lines)
    mark = {"word_tag": delimiter or "/", "text": " "}.get(format, "\t")
    return replace(plan, delimiter=mark, label="tag" if tagged else None)


def _sequence_format(sample: Sample, assume: bool) -> tuple[str, str] | None:
    """Return the format of sentences and the reason for it; None when there are none."""
    flat_name = format_of_suffix(sample.name) not in (None, "text", "labelled", "tsv", "jsonl")
    flat = flat_name or (sample.content is not None and sample.content[0] != "jsonl")
    if sample.sentences is not None and (assume or not flat):
        format, why = sample.sentences
        return format, f"{format}: {why}"
    if not assume:
        return None
    filled = sample.filled
    if filled and format_module("jsonl").recognise(filled) is not None:
        return "spans", "spans: each line starts with {"
    tabs = {line.count("\t") for line in filled}
    if len(tabs) == 1 and tabs != {0}:
        return "conll", f"conll: each line has {tabs.pop() + 1} columns between tabs"
    return "text", "text: one sentence a line, no other format fits"
