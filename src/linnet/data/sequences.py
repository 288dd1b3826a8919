"""Reading sentences of tokens with tags, in any of the sequence formats.

:func:`read_sequences` reads a whole file, :func:`stream_sequences` the same file in blocks of whole
sentences and bounded memory. What a file holds is found out from its start
(:mod:`linnet.data.recognise`), unless it is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Literal

from linnet.data.files import Source, source_name
from linnet.data.formats import format_module
from linnet.data.formats.blocks import sentence_blocks, text_blocks
from linnet.data.formats.common import Plan, at_least_one, takes_what
from linnet.data.formats.conll import DOCSTART
from linnet.data.formats.running_text import TOKENS
from linnet.data.formats.sequence_common import Attributes, Notes, Sequences
from linnet.data.hidden import leaving_out
from linnet.data.limits import longest_line
from linnet.data.recognise import sniff_sequences
from linnet.errors import FormatError, ParameterError

__all__ = ["Attributes", "Notes", "Sequences", "read_sequences", "stream_sequences"]

_BLOCK = 1 << 22
_BLANK_LINE_ENDS_SENTENCE = ("conll", "conllu", "crfsuite")
_DEFAULT_TOKENS: dict[str, Literal["whitespace", "unicode"]] = {
    "spans": "unicode",
    "text": "whitespace",
}


def stream_sequences(
    source: Source,
    *,
    format: str | None = None,
    word: int | str = 0,
    tag: int | str | None = -1,
    columns: Sequence[str] | None = None,
    delimiter: str | None = None,
    comments: str | None = None,
    tokens: Literal["whitespace", "unicode"] | None = None,
    cut: Literal["split", "error"] = "split",
    encoding: str = "utf-8",
    errors: Literal["strict", "replace"] = "strict",
    labels: bool = True,
    block_bytes: int | None = _BLOCK,
) -> Iterator[Sequences]:
    """Read a file in blocks of whole sentences, in memory that does not grow with the file.

    Takes what :func:`read_sequences` takes. The first block decides what the file holds. From a
    pipe, sentences are yielded as soon as they have arrived: after the blank line that ends them,
    or after their line.

    Parameters
    ----------
    block_bytes : int, optional
        About how many bytes make a block; None makes one block of the whole file.

    Examples
    --------
    >>> import io
    >>> lines = io.BytesIO(b"He\\tO\\nran\\tO\\n\\n" * 1000)
    >>> sum(len(block) for block in stream_sequences(lines, block_bytes=4096))
    1000
    """
    _check_options(delimiter, comments, tokens, cut, block_bytes)
    name = source_name(source)
    lines = text_blocks(source, block_bytes, encoding, errors, eager=block_bytes is not None)
    first = _opening(lines, name, block_bytes is None)
    plan = sniff_sequences(
        first[1],
        name,
        format=format,
        delimiter=delimiter,
        comments=comments,
        assume=True,
    )
    assert plan is not None  # as a file of sequences is assumed
    if plan.width:
        plan = _with_roles(plan, word, tag, columns)
    tokens = tokens or _DEFAULT_TOKENS.get(plan.format, "whitespace")
    plan = replace(plan, labels=labels, tokens=tokens, cut=cut)
    blocks: Any = chain([first], lines)
    if plan.format in _BLANK_LINE_ENDS_SENTENCE and block_bytes is not None:
        blocks = sentence_blocks(blocks, name)
    sentences = leaving_out(format_module(plan.format, sentences=True), blocks, plan)
    yield from at_least_one(sentences, name, "no sentence, only blank lines")


def _check_options(
    delimiter: str | None,
    comments: str | None,
    tokens: str | None,
    cut: str,
    block_bytes: int | None,
) -> None:
    if block_bytes is not None and block_bytes < 1:
        raise ParameterError(f"block_bytes must be at least 1, got {block_bytes}")
    if tokens is not None and tokens not in TOKENS:
        raise ParameterError(f"tokens must be one of {', '.join(TOKENS)}, not {tokens!r}")
    if cut not in ("split", "error"):
        raise ParameterError(f"cut must be 'split' or 'error', not {cut!r}")
    if comments == "":
        raise ParameterError("comments must not be empty; None means that there are none")
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii()):
        raise ParameterError(f"the delimiter must be one ASCII character, not {delimiter!r}")


@takes_what(stream_sequences)
def read_sequences(source: Source, **options: Any) -> Sequences:
    """Read the sentences of a file.

    Parameters
    ----------
    source : path or file
        Plain, ``.gz`` or ``.zst``; ``-`` is standard input; or an open file.
    format : str, optional
        One of ``SEQUENCE_FORMATS``; found out by default.
    word, tag : int or str
        The columns of words and of tags in a column file, by place from 0 (negative from the end)
        or by name. In CoNLL-U the defaults mean FORM and UPOS; ``tag="xpos"`` takes the other.
        With ``tag=None`` all columns are input; a file of one column has no tags.
    columns : sequence of str, optional
        Names of all columns of a CoNLL file. By default "word", "tag", and the place for others.
    delimiter : str, optional
        Between columns: a tab, or " " for any white space. Between word and tag: one character,
        by default a slash.
    comments : str, optional
        What a comment line before a sentence starts with.
    tokens : {"whitespace", "unicode"}, optional
        How raw text is cut into tokens: at white space (default for plain text), or at Unicode's
        word boundaries (default for JSON lines with spans).
    cut : {"split", "error"}
        Whether a token cut by a span is split or an error.
    encoding : str
    errors : {"strict", "replace"}
        Whether bytes that do not decode are an error or become U+FFFD.
    labels : bool
        False leaves tags unread: the file may have them, the sentences do not.

    Returns
    -------
    Sequences

    Raises
    ------
    FormatError
        With file and line, for whatever does not follow the format.

    Examples
    --------
    >>> import io
    >>> sentences = read_sequences(io.BytesIO(b"He PRP B-NP\\nran VBD B-VP\\n\\nWho WP B-NP\\n"))
    >>> sentences.format, len(sentences), sentences.n_tokens, sentences.sentences(), sentences.tags
    ('conll', 2, 3, [['He', 'ran'], ['Who']], [['B-NP', 'B-VP'], ['B-NP']])
    """
    return next(stream_sequences(source, block_bytes=None, **options))


def _opening(lines: Iterator[tuple[int, bytes]], name: str, whole: bool) -> tuple[int, bytes]:
    """Return the first blocks as one: as many as it takes to have a token among them."""
    block = b""
    for _, more in lines:
        block += more
        rows = (row for row in more.split(b"\n") if row.strip())
        if any(not row.startswith((b"# ", DOCSTART)) for row in rows):
            break
        if len(block) > longest_line() and not whole:
            raise FormatError(
                f"there is no sentence in the first {len(block):,} bytes, only blank lines and "
                "comments",
                file=name,
            )
    return 1, block


def _with_roles(
    plan: Plan, word: int | str, tag: int | str | None, columns: Sequence[str] | None
) -> Plan:
    """Return the plan with the names of the columns, and which of them are words and tags."""
    width = plan.width
    if plan.format == "conllu":
        names: tuple[str, ...] | None = plan.columns
        word, tag = "form" if word == 0 else word, "upos" if tag == -1 else tag
    else:
        names = None if columns is None else tuple(columns)
    if names is not None and (len(names) != width or len(set(names)) != width):
        message = f"the file has {width} columns, which need as many different names"
        raise FormatError(f"{message}; got {', '.join(names) or 'none'}", file=plan.file)
    word_place = _place(word, names, width, plan.file, "word")
    tag_place = None
    if tag is not None and not (width == 1 and tag == -1):
        tag_place = _place(tag, names, width, plan.file, "tag")
    if word_place == tag_place:
        raise ParameterError(f"column {word_place} cannot be both the word and the tag")
    if names is None:
        special = {tag_place: "tag", word_place: "word"}
        names = tuple(special.get(place, str(place)) for place in range(width))
    plan = replace(plan, columns=names, text=names[word_place])
    if tag_place is None:
        return plan
    said = f"words are column {plan.text}, tags are column {names[tag_place]}"
    return replace(plan, label=names[tag_place], decisions=(*plan.decisions, said))


def _place(wish: int | str, names: tuple[str, ...] | None, width: int, file: str, role: str) -> int:
    if isinstance(wish, str):
        if names is None or wish not in names:
            known = f"the names are {', '.join(names)}" if names else "pass the names as columns"
            raise FormatError(f"there is no column {wish!r} for the {role}; {known}", file=file)
        return names.index(wish)
    if not -width <= wish < width:
        message = f"there is no column {wish} for the {role}: columns are 0 to {width - 1}"
        raise FormatError(message, file=file)
    return wish % width
