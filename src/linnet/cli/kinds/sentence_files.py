"""Files of sentences: telling them from others, reading them, and what a sentence looks like.

Nothing here is slow to import, as ``linnet predict`` needs it.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any
from warnings import warn

from linnet.cli.kinds import head_as_utf8, opened
from linnet.cli.kinds.labelled import Labelled, shortened, tell
from linnet.cli.shared.console import say, shown
from linnet.data.formats import SEQUENCE_FORMATS
from linnet.data.formats.common import Plan
from linnet.data.recognise import sniff_sequences
from linnet.data.sequences import read_sequences
from linnet.errors import DataError, DataWarning, LinnetError, ParameterError

if TYPE_CHECKING:
    from linnet.data.sequences import Sequences

__all__ = [
    "SentenceData",
    "column",
    "for_model",
    "like_training",
    "open_sequences",
    "read_tagged",
    "tell_about",
]

_AROUND = 6  # words on each side of a token
_COMMENT = re.compile(r"#\s*([^=]*?)\s*=\s*(.*)")
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


def read_tagged(
    data: str,
    source: Any,
    sniffed: Plan | None,
    reading: dict[str, Any],
    quiet: bool,
    model: Any = None,
) -> Sequences:
    """Read sentences with tags, for a model if there is one; what was found out is said."""
    if sniffed is None:
        raise DataError("standard input is empty; there is nothing to measure on")
    word, tag = column(reading["text"], 0), column(reading["label"], -1)
    for place in (word, tag):
        if sniffed.width and isinstance(place, int) and not -sniffed.width <= place < sniffed.width:
            number = place + 1 if place >= 0 else place
            raise DataError(
                f"{shown(data)} has no column {number}; its columns are 1 to {sniffed.width}"
            )
    sequences = read_sequences(
        source,
        format=sniffed.format,
        word=word,  # type: ignore[arg-type]  # has a default
        tag=tag,
        delimiter=sniffed.delimiter,
        encoding=reading["encoding"],
        errors=reading["errors"],
    )
    tell_about(data, sniffed, sequences, quiet)
    if sequences.tags is None:
        raise DataError(f"{shown(data)} has no tags; {_where_tags_stand(sniffed)}")
    return for_model(sequences, model, data)


def for_model(sequences: Sequences, model: Any, data: str, check: bool = True) -> Sequences:
    """Return sentences that a model can take, with words to show.

    With `check` a warning says that a model of attributes, which its user must make, knows none of
    those of the file.
    """
    if not getattr(getattr(model, "reader", None), "takes_attributes", False):
        if sequences.word is None:
            raise DataError(
                f"{shown(data)} holds features of tokens but no words; such files are for models "
                "of CRFsuite's, and for linnet.CRF in Python"
            )
        return sequences
    sequences = sequences.with_words()
    if check and sequences.n_tokens and not model.reader.complete(sequences).rows.index.size:
        example = model.reader.feature_name(0)
        warn(
            f"{shown(data)}: none of its attributes is one of the model's, such as {example!r}; "
            "its tokens need the attributes that the model was trained with, as CRFsuite's lines "
            "have them, or columns of a .conll file",
            DataWarning,
            stacklevel=2,
        )
    return sequences


def _where_tags_stand(sniffed: Plan) -> str:
    if sniffed.width == 1:
        return "its lines hold one column, the words; add a column of tags"
    if sniffed.format == "word_tag":
        return (
            f"no token is a word, {sniffed.delimiter} and a tag; another mark is named with "
            "--delimiter"
        )
    if sniffed.format == "text":
        return "it is plain text; write words and tags as columns, or as word/tag"
    if sniffed.format == "spans":
        return 'its lines have no "spans"'
    return "name their column with --label"


def tell_about(data: str, sniffed: Plan, sequences: Sequences, quiet: bool) -> None:
    """Say what was found out about a file; its format was, even if it was then asked for."""
    tell(data, (*sniffed.decisions[:1], *sequences.decisions[1:]), quiet)


class SentenceData(Labelled):
    """Sentences of one file with their tags."""

    decisions = ()  # said when they were read

    def __init__(self, data: str, sequences: Sequences) -> None:
        self.X, self.y, self.lines, self._data = sequences, sequences.tags, sequences.lines, data

    def no_labels(self, what: str = "labels") -> str:
        """Say that the file has no tags, and what to do."""
        return f"{shown(self._data)} has no tags; name their column with --label"

    def take(self, rows: Any) -> SentenceData:
        """Return some of the sentences."""
        return SentenceData(self._data, self.X.take(rows))

    def hold_out(self, share: float, seed: int, quiet: bool) -> tuple[Any, Any]:
        """Return the sentences to train on and those held out; copies are told of."""
        from linnet.data.copies import Copies, in_words

        n = Copies.of(self.X).n
        if n:
            say(in_words(n, len(self.X), "sentences"), quiet)
        return super().hold_out(share, seed, quiet)

    @cached_property
    def words(self) -> list[list[str]]:
        """The words of every sentence."""
        words: list[list[str]] = self.X.sentences()
        return words

    def place(self, row: int, token: int | None = None) -> dict[str, Any]:
        """Return the line of the sentence, the number of the token in it, from 1, and its word."""
        if token is None:
            return super().place(row)
        return {**super().place(row), "token": token + 1, "word": self.words[row][token]}

    def snippet(self, row: int, token: int | None = None) -> str:
        """Return the words around a token, itself in brackets."""
        words = list(self.words[row])
        if token is None:
            return shortened(" ".join(words))
        from linnet.explain.text import visible

        first, last = max(0, token - _AROUND), token + _AROUND + 1
        words[token] = f"[{words[token]}]"
        ends = ("… " if first else "", " …" if last < len(words) else "")
        return visible(ends[0] + " ".join(words[first:last]) + ends[1])

    def groups(self, name: str) -> list[Any]:
        """Return the group of each sentence by length or comment, or of each token by column."""
        if name == "length":
            from linnet.evaluate import length_groups

            return length_groups(self.words)
        if name in self.X.columns:
            return list(self.X.sentences(name))
        groups = self._comments(name)
        if groups is None:
            listed = ", ".join(self.X.columns)
            raise DataError(
                f"there is no column {name!r} and no comment '# {name} = …'; there are {listed}"
            )
        return groups

    def whole_groups(self, name: str) -> list[str]:
        """Return the group of each sentence by a comment above it."""
        groups = self._comments(name)
        if groups is None:
            raise DataError(
                f"{shown(self._data)} has no comment '# {name} = …' above its sentences"
            )
        return groups

    def _comments(self, name: str) -> list[str] | None:
        """Return the value of a comment such as ``# genre = news`` above each sentence.

        A sentence without one has that of the sentence before; None if no sentence has one.
        """
        notes, values = self.X.notes, {}
        if notes is None:
            return None
        for row, text in zip(notes.sentence.tolist(), notes.texts.to_list(), strict=True):
            match = _COMMENT.match(text)
            if match and match[1] == name:
                values[row] = match[2].strip()
        if not values:
            return None
        groups, last = [], "(none)"
        for row in range(len(self.X)):
            last = values.get(row, last)
            groups.append(last)
        return groups
