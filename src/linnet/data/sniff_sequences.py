"""What a file of sequences holds, found out from its name and its first block."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from linnet.data._sequences import sequence_format
from linnet.data.formats import bare_suffix, format_of_suffix
from linnet.data.formats.blocks import refuse_foreign
from linnet.data.formats.conll import CONLLU
from linnet.data.sniff import by_content, sample_lines
from linnet.errors import FormatError, ParameterError

__all__ = ["SEQUENCE_FORMATS", "SniffedSequences", "check_sequence_format", "sniff_sequences"]

SEQUENCE_FORMATS = ("conll", "conllu", "crfsuite", "spans", "text", "word_tag")

_TABLES = (b"PAR1", b"ARROW1")
_COMMENT = "# "


@dataclass(frozen=True)
class SniffedSequences:
    """What was found out.

    Attributes
    ----------
    format : str
        One of ``SEQUENCE_FORMATS``.
    delimiter : str
        Between columns, or between a word and its tag.
    width : int
        Number of columns of a column file, else 0.
    comments : str or None
        What comments before a sentence start with.
    tagged : bool
        Whether JSON lines have spans.
    decisions : tuple of str
    """

    format: str
    delimiter: str = "\t"
    width: int = 0
    comments: str | None = None
    tagged: bool = False
    decisions: tuple[str, ...] = ()


def sniff_sequences(
    first_block: bytes,
    name: str,
    *,
    format: str | None = None,
    delimiter: str | None = None,
    comments: str | None = None,
    assume: bool = False,
) -> SniffedSequences | None:
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
    >>> found = sniff_sequences(block, "a")
    >>> found.format, found.delimiter, found.width
    ('conll', ' ', 3)
    >>> sniff_sequences(b"pos\\ta fine film\\nneg\\ta bore\\n", "a") is None
    True
    """
    if format is not None:
        check_sequence_format(format)
    if not first_block:
        raise FormatError("the file is empty", file=name)
    if first_block.startswith(_TABLES):
        if not assume and format is None:
            return None
        raise FormatError("this is a Parquet or Arrow file; convert it to JSON lines", file=name)
    refuse_foreign(first_block, name)
    lines = sample_lines(first_block)
    chosen = _format(lines, name, format, assume)
    if chosen is None:
        return None
    format, why = chosen
    if format in ("conll", "conllu"):
        return _columns(lines, format, why, delimiter, comments, name)
    tagged = format == "spans" and any('"spans"' in line for line in lines)
    default = {"word_tag": "/", "text": " "}.get(format, "\t")
    mark = delimiter if delimiter is not None and format == "word_tag" else default
    return SniffedSequences(format, mark, tagged=tagged, decisions=(why,))


def check_sequence_format(name: str) -> str:
    """Return the name of a sequence format if there is one of that name."""
    if name not in SEQUENCE_FORMATS:
        formats = ", ".join(SEQUENCE_FORMATS)
        raise ParameterError(f"there is no sequence format {name!r}; choose one of {formats}")
    return name


def _format(
    lines: list[str], name: str, format: str | None, assume: bool
) -> tuple[str, str] | None:
    """Return the format and the reason for it."""
    if format is not None:
        return format, f"{format}: as asked for"
    suffix = bare_suffix(name)
    filled = [line for line in lines if line.strip()]
    found = sequence_format(lines, suffix)
    flat = by_content(filled) if filled else None
    by_suffix = format_of_suffix(name) not in (None, "text", "labelled", "tsv", "jsonl")
    if not assume and (by_suffix or (flat is not None and flat[0] != "jsonl")):
        found = None
    if found is not None:
        return found[0], f"{found[0]}: {found[1]}"
    if not assume:
        return None
    if filled and all(line.lstrip().startswith("{") for line in filled):
        return "spans", "spans: each line starts with {"
    tabs = {line.count("\t") for line in filled}
    if len(tabs) == 1 and tabs != {0}:
        return "conll", f"conll: each line has {tabs.pop() + 1} columns between tabs"
    return "text", "text: one sentence a line, no other format fits"


def _columns(
    lines: list[str],
    format: str,
    why: str,
    delimiter: str | None,
    comments: str | None,
    name: str,
) -> SniffedSequences:
    """Find out separator, number of columns and comments of a column file."""
    if delimiter not in (None, "\t", " "):
        message = f"columns stand between tabs ('\\t') or white space (' '), not {delimiter!r}"
        raise ParameterError(message)
    if format == "conllu":
        return SniffedSequences(format, "\t", len(CONLLU), comments or "#", decisions=(why,))
    decisions = [why]
    rows = [line for line in lines if line.strip() and not line.startswith("-DOCSTART-")]
    plain = [row for row in rows if not row.startswith(comments or _COMMENT)] or rows
    if not plain:
        raise FormatError("there is no token among the first lines", file=name)
    mark = delimiter or ("\t" if "\t" in plain[0] else " ")
    width = _width(plain[0], mark)
    if comments is None:
        heads = [row for place, row in enumerate(lines) if _heads_sentence(lines, place)]
        odd = Counter(_width(row, mark) != width for row in heads if row.startswith(_COMMENT))
        if odd[True]:
            comments = _COMMENT
            decisions.append("lines before a sentence that start with '# ' are comments")
    between = "tabs" if mark == "\t" else "white space"
    decisions.append(f"{width} column{'s' * (width != 1)} between {between}")
    return SniffedSequences(format, mark, width, comments, decisions=tuple(decisions))


def _heads_sentence(lines: list[str], place: int) -> bool:
    before = lines[place - 1] if place else ""
    return not before.strip() or before.startswith(_COMMENT)


def _width(line: str, mark: str) -> int:
    return len(line.rstrip(" ").split("\t")) if mark == "\t" else len(line.split())
