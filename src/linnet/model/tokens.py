"""From what users pass as sentences to columns of tokens. NumPy is all it needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn
from linnet.data.formats.running_text import token_spans
from linnet.data.formats.sequence_common import Sequences
from linnet.errors import DataError
from linnet.text.token_lists import plain_columns

__all__ = ["Tokens", "given_tags", "read_tags", "read_tokens", "tokens_of_text"]

Ints = NDArray[np.int64]

_SPACE = re.compile(r"\s")


@dataclass(frozen=True)
class Tokens:
    """The tokens of all sentences, one below the other.

    ``columns[0]`` are the words, a list of str or a TextColumn as all columns; sentence s has the
    rows ``offset[s]`` to ``offset[s + 1] - 1``.
    """

    columns: tuple[TextColumn | list[str], ...]
    offset: Ints

    @property
    def n_tokens(self) -> int:
        """The number of tokens of all sentences."""
        return int(self.offset[-1])

    def cut(self, rows: Sequence[Any]) -> list[list[Any]]:
        """Cut a list with one entry a token into one list a sentence."""
        rows = rows if isinstance(rows, list) else list(rows)
        return [rows[first:last] for first, last in pairwise(self.offset.tolist())]

    def strings(self, column: int) -> list[str]:
        """Return a column as a list of str."""
        found = self.columns[column]
        return found if isinstance(found, list) else found.to_list()

    def words(self) -> list[list[str]]:
        """Return the words of each sentence."""
        return self.cut(self.strings(0))

    def first(self, n_columns: int) -> Tokens:
        """Return the tokens with their first columns only."""
        return Tokens(self.columns[:n_columns], self.offset)


def read_tokens(sentences: Any) -> Tokens:
    """Return the tokens of sentences.

    Parameters
    ----------
    sentences : Sequences, Tokens, or list of lists
        A token is a word, or a tuple of a word and what else is known of it, such as its part of
        speech. Of a file all columns but the tags count, the words first; of CoNLL-U only the
        words, as its other columns are annotation.

    Examples
    --------
    >>> tokens = read_tokens([[("He", "PRP"), ("ran", "VBD")], []])
    >>> list(tokens.columns), tokens.offset.tolist()
    ([['He', 'ran'], ['PRP', 'VBD']], [0, 2, 2])
    """
    if isinstance(sentences, Tokens):
        return sentences
    if isinstance(sentences, Sequences):
        if sentences.format == "conllu":
            return Tokens((sentences.words,), sentences.offset)
        others = [c for name, c in sentences.inputs.items() if name != sentences.word]
        return Tokens((sentences.words, *others), sentences.offset)
    if isinstance(sentences, (str, bytes)) or not isinstance(sentences, Iterable):
        raise DataError(
            f"Expected a list of sentences, each a list of words; got {type(sentences).__name__}."
        )
    if (found := plain_columns(sentences)) is not None:
        if not found.visible:
            _refuse_spaces(found.columns[0], found.offset)
        return Tokens(tuple(found.columns), found.offset)
    lists = [_checked(number, sentence) for number, sentence in enumerate(sentences)]
    offset = np.zeros(len(lists) + 1, np.int64)
    np.cumsum([len(sentence) for sentence in lists], out=offset[1:])
    rows = list(chain.from_iterable(lists))
    width = _checked_width(rows, offset)
    parts = [rows] if width < 0 else [[token[c] for token in rows] for c in range(width)]
    _refuse_spaces(parts[0], offset)
    return Tokens(tuple(parts), offset)


def _checked(number: int, sentence: Any) -> Sequence[Any]:
    if isinstance(sentence, (str, bytes)) or not isinstance(sentence, Sequence):
        hint = "; split it into words first" if isinstance(sentence, str) else ""
        raise DataError(
            f"Sentence {number} must be a list of words, got {type(sentence).__name__}{hint}."
        )
    return sentence


def _checked_width(rows: list[Any], offset: Ints) -> int:
    """Return the number of columns of all tokens, -1 when they are words."""
    widths = [_width(token) for token in rows] or [-1]
    if len(set(widths)) == 1 and widths[0]:
        return widths[0]
    wrong = next(row for row, width in enumerate(widths) if not width or width != widths[0])
    number = int(np.searchsorted(offset, wrong, side="right")) - 1
    raise DataError(
        f"Token {wrong - offset[number]} of sentence {number} is {rows[wrong]!r}; a token must be "
        "a word, or a tuple of str with as many columns as all other tokens have."
    )


def _width(token: Any) -> int:
    """Return -1 for a word, the number of columns of a tuple, and 0 for what is no token."""
    if isinstance(token, str):
        return -1
    whole = isinstance(token, (tuple, list)) and all(isinstance(cell, str) for cell in token)
    return len(token) if whole else 0


def _refuse_spaces(words: list[str], offset: Ints) -> None:
    """Refuse words that no file of tokens could hold."""
    if not _SPACE.search("".join(words)) and all(words):
        return
    row = next(row for row, word in enumerate(words) if not word or _SPACE.search(word))
    number = int(np.searchsorted(offset, row, side="right")) - 1
    what = "holds white space; make it several words" if words[row] else "is empty; drop it"
    raise DataError(f"Word {row - offset[number]} of sentence {number}, {words[row]!r}, {what}.")


def read_tags(tags: Any, tokens: Tokens) -> list[list[str]]:
    """Return the tags of each sentence after checking that they are texts, one a token.

    Examples
    --------
    >>> read_tags([["PRP", "VBD"]], read_tokens([["He", "ran"]]))
    [['PRP', 'VBD']]
    """
    if isinstance(tags, (str, bytes)) or not isinstance(tags, Iterable):
        raise DataError(f"tags must be a list of lists of str, got {type(tags).__name__}.")
    lists = [row if isinstance(row, str) else list(row) for row in tags]
    lengths = np.diff(tokens.offset).tolist()
    if len(lists) != len(lengths):
        raise DataError(f"There are {len(lengths)} sentences and tags for {len(lists)}.")
    for number, (row, length) in enumerate(zip(lists, lengths, strict=True)):
        if isinstance(row, str) or len(row) != length:
            raise DataError(f"Sentence {number} has {length} tokens and {len(row)} tags.")
        for tag in row:
            if not isinstance(tag, str) or not tag or _SPACE.search(tag):
                raise DataError(
                    f"Sentence {number} has the tag {tag!r}; a tag must be a text without white "
                    "space, and not empty."
                )
    return [list(map(str, row)) for row in lists]


def tokens_of_text(text: str) -> tuple[Tokens, list[tuple[int, int]]]:
    """Return raw text as tokens, a sentence a line, and where each token starts and ends.

    Examples
    --------
    >>> tokens, spans = tokens_of_text("Oh, Ma!\\nGo")
    >>> tokens.words(), spans[-1]
    ([['Oh', ',', 'Ma', '!'], ['Go']], (8, 10))
    """
    if not isinstance(text, str):
        raise DataError(f"Expected a text, got {type(text).__name__}.")
    spans: list[tuple[int, int]] = []
    counts, at = [0], 0
    for line in text.split("\n"):
        found = [(at + start, at + end) for start, end in token_spans(line, "unicode")]
        spans += found
        counts.append(len(found))
        at += len(line) + 1
    words = TextColumn.from_strings([text[start:end] for start, end in spans])
    return Tokens((words,), np.cumsum(counts, dtype=np.int64)), spans


def given_tags(sentences: Any, tags: Any) -> Any:
    """Return the tags, or those of Sequences when none are given."""
    found = getattr(sentences, "tags", None) if tags is None else tags
    if found is None:
        raise DataError("There are no tags; pass them, a list for each sentence.")
    return found
