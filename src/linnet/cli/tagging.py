"""What the verbs share for sequences: telling such files from others, reading and measuring them.

Nothing here is slow to import, as ``linnet predict`` needs it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linnet.cli.helpers import say, shown
from linnet.data.files import open_bytes
from linnet.data.formats import SEQUENCE_FORMATS
from linnet.data.formats.blocks import Prefixed
from linnet.data.formats.common import Plan
from linnet.data.recognise import sniff_sequences
from linnet.data.sequences import read_sequences
from linnet.errors import DataError, LinnetError, ParameterError

if TYPE_CHECKING:
    from linnet.data.sequences import Sequences
    from linnet.evaluate.chunks import SequenceReport

__all__ = [
    "column",
    "head_as_utf8",
    "like_training",
    "open_sequences",
    "opened",
    "read_tagged",
    "refuse",
    "report_on_tags",
    "say_decisions",
]

_HEAD = 1 << 17
_LIKE_OTHERS = ("text",)  # a format that examples have too


def column(wish: str | None, default: int | str | None) -> int | str | None:
    """Return the column an option names: a name, or a number from 1, negative from the end.

    Examples
    --------
    >>> column("2", 0), column("-1", 0), column("upos", 0), column(None, 0)
    (1, -1, 'upos', 0)
    """
    if wish is None:
        return default
    try:
        number = int(wish)
    except ValueError:
        return wish
    if number == 0:
        raise ParameterError("columns are numbered from 1; -1 is the last one")
    return number - 1 if number > 0 else number


def open_sequences(
    data: str, reading: dict[str, Any], *, assume: bool = False
) -> tuple[Any, Plan | None]:
    """Return what to read the data from, and what its sequences look like if it holds any.

    Parameters
    ----------
    data : str
        A file; ``-`` is standard input, whose start is read and given back by what is returned.
    reading : dict
        What the command line says: format, delimiter and encoding, where they are given.
    assume : bool
        Whether the data is known to be sequences. Then only an empty standard input holds none.
    """
    format = reading.get("format")
    if (
        format is not None
        and not assume
        and (format not in SEQUENCE_FORMATS or format in _LIKE_OTHERS)
    ):
        return data, None
    source, head = opened(data)
    if not head and data == "-":
        return source, None
    try:
        whole = head_as_utf8(head, reading.get("encoding") or "utf-8")
    except LookupError:
        return source, None
    try:
        mark = reading.get("delimiter")
        return source, sniff_sequences(
            whole, shown(data), format=format, delimiter=mark, assume=assume
        )
    except LinnetError:
        if assume or format is not None:
            raise
        return source, None  # those who read it say better what is wrong


def like_training(reading: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    """Return how to read ``word/tag`` for a model: by default with the mark it was trained with."""
    if reading.get("format") != "word_tag":
        return reading
    return {**reading, "delimiter": reading.get("delimiter") or record.get("delimiter")}


def head_as_utf8(head: bytes, encoding: str) -> bytes:
    """Return the whole lines of a file's first bytes in UTF-8.

    Raises
    ------
    LookupError
        When there is no such encoding.
    """
    text = head.decode(encoding, "ignore").removeprefix("\ufeff").encode("utf-8", "ignore")
    return text if len(head) < _HEAD else text[: text.rfind(b"\n") + 1] or text


def opened(data: str) -> tuple[Any, bytes]:
    """Return a source that gives all of the data, and its first bytes.

    What cannot be read twice, such as standard input or a named pipe, is opened once.
    """
    if data != "-" and Path(data).is_file():
        with open_bytes(data) as file:
            return data, file.read(_HEAD)
    file = sys.stdin.buffer if data == "-" else open_bytes(data)
    head = file.read1(_HEAD) if hasattr(file, "read1") else file.read(_HEAD)
    return Prefixed(head, file, shown(data), own=data != "-"), head


def read_tagged(
    data: str, source: Any, found: Plan, reading: dict[str, Any], quiet: bool
) -> Sequences:
    """Read sentences with tags; what was found out about the file is said."""
    word, tag = column(reading["text"], 0), column(reading["label"], -1)
    for place in (word, tag):
        if found.width and isinstance(place, int) and not -found.width <= place < found.width:
            number = place + 1 if place >= 0 else place
            raise DataError(
                f"{shown(data)} has no column {number}; its columns are 1 to {found.width}"
            )
    sequences = read_sequences(
        source,
        format=found.format,
        word=word,  # type: ignore[arg-type]  # has a default
        tag=tag,
        delimiter=found.delimiter,
        encoding=reading["encoding"],
        errors=reading["errors"],
    )
    say_decisions(data, found, sequences, quiet)
    if sequences.word is None:
        raise DataError(
            f"{shown(data)} holds features of tokens but no words; use linnet.CRF in Python"
        )
    if sequences.tags is None:
        raise DataError(f"{shown(data)} has no tags; {_where_tags_stand(found)}")
    return sequences


def _where_tags_stand(found: Plan) -> str:
    if found.width == 1:
        return "its lines hold one column, the words; add a column of tags"
    if found.format == "word_tag":
        return (
            f"no token is a word, {found.delimiter} and a tag; another mark is named with "
            "--delimiter"
        )
    if found.format == "text":
        return "it is plain text; write words and tags as columns, or as word/tag"
    if found.format == "spans":
        return 'its lines have no "spans"'
    return "name their column with --label"


def say_decisions(data: str, found: Plan, sequences: Sequences, quiet: bool) -> None:
    """Say what was found out about a file; its format was, even if it was then asked for."""
    for decision in (*found.decisions[:1], *sequences.decisions[1:]):
        say(f"{shown(data)}: {decision}", quiet)


def refuse(options: dict[str, Any], kind: str) -> None:
    """Refuse options that mean nothing for this kind of model."""
    given = [name for name, value in options.items() if value not in (None, False)]
    if given:
        raise ParameterError(f"{given[0]} means nothing for {kind}; leave it out")


def report_on_tags(
    model: Any, sequences: Sequences, guess: list[list[str]] | None = None
) -> SequenceReport:
    """Predict, unless the tags are known already, and compare."""
    from linnet.evaluate.chunks import evaluate_sequences

    return evaluate_sequences(
        sequences.tags or [],
        model.predict(sequences) if guess is None else guess,
        words=sequences.sentences(),
        known=model.known_words,
    )
