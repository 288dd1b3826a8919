"""From what users pass as sentences to columns of tokens, and to the features of those.

NumPy and the core are all that is imported here, so a saved tagger starts fast.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.columns import TextColumn
from linnet.data.formats.running_text import token_spans
from linnet.data.formats.sequence_common import Sequences
from linnet.errors import DataError
from linnet.text.names import Names
from linnet.text.packed_names import pack_names, unpack_names
from linnet.text.texts import plain_columns
from linnet.text.token_extractor import TokenExtractor
from linnet.threads import thread_count

__all__ = ["TokenReader", "Tokens", "given_tags", "read_tags", "read_tokens", "tokens_of_text"]

Arrays = dict[str, NDArray[Any]]
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
        cells = self.columns[column]
        return cells if isinstance(cells, list) else cells.to_list()

    def words(self) -> list[list[str]]:
        """Return the words of each sentence."""
        return self.cut(self.strings(0))

    def first(self, n_columns: int) -> Tokens:
        """Return the tokens with their first columns only."""
        return replace(self, columns=self.columns[:n_columns])


@dataclass(frozen=True)
class _ListedTokens(Tokens):
    """Tokens of plain lists, where words are strings already."""

    sentences: Any

    def words(self) -> list[list[str]]:
        """Return the words of each sentence."""
        return [[t if isinstance(t, str) else t[0] for t in words] for words in self.sentences]


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
    >>> [list(column) for column in tokens.columns], tokens.offset.tolist()
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
    if (plain := plain_columns(sentences)) is not None:
        if not plain.visible:
            _refuse_spaces(plain.columns[0].to_list(), plain.offset)
        return _ListedTokens(tuple(plain.columns), plain.offset, sentences)
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
        places = [(at + start, at + end) for start, end in token_spans(line, "unicode")]
        spans += places
        counts.append(len(places))
        at += len(line) + 1
    words = TextColumn.from_strings([text[start:end] for start, end in spans])
    return Tokens((words,), np.cumsum(counts, dtype=np.int64)), spans


def given_tags(sentences: Any, tags: Any) -> Any:
    """Return the tags, or those of Sequences when none are given."""
    labels = getattr(sentences, "tags", None) if tags is None else tags
    if labels is None:
        raise DataError("There are no tags; pass them, a list for each sentence.")
    return labels


@dataclass
class TokenReader:
    """Sentences.

    Attributes
    ----------
    extractor : TokenExtractor or None
        What makes features of tokens; None when the learner reads words.
    words : Names
        The words of the training data.
    column_models : tuple of Model
        Taggers that supply the columns after the words where a sentence has words only.
    """

    extractor: TokenExtractor | None
    words: Names
    column_models: tuple[Any, ...] = ()
    kind = "sequence"
    keys = ("features",)

    @property
    def n_columns(self) -> int:
        """The number of columns that features look at: 1 means words alone."""
        return 1 if self.extractor is None else self.extractor.n_columns

    @cached_property
    def known_words(self) -> frozenset[str]:
        """The words of the training data; all others are out of vocabulary."""
        return frozenset(self.words.tolist())

    def feature_name(self, column: int) -> str:
        """Return the name of a feature."""
        if self.extractor is None:
            raise DataError("The learner of this model reads words, which it makes no features of.")
        return self.extractor.names[column]

    def complete(self, sentences: Any) -> Tokens:
        """Return tokens with all columns the model looks at, those that are missing predicted."""
        tokens = read_tokens(sentences)
        have, need = len(tokens.columns), self.n_columns
        if have >= need:
            return tokens.first(need)
        if have > 1 or not self.column_models:
            raise DataError(
                f"This model looks at {need} columns of each token (the word comes first), but "
                f"the sentences have {have}; pass tuples, or a file with all columns."
            )
        more = [
            TextColumn.from_strings([tag for row in model.predict(tokens) for tag in row])
            for model in self.column_models
        ]
        return replace(tokens, columns=(*tokens.columns, *more))

    def rows(self, tokens: Tokens, threads: int | None) -> Any:
        """Return the features of tokens; or the words, for a learner that reads those."""
        if self.extractor is None:
            return tokens.words()
        return self.extractor.rows(tokens.columns, tokens.offset, thread_count(threads))

    def one(self, example: Any) -> Tokens:
        """Return one sentence, raw text or a list of words or tuples, as tokens."""
        if isinstance(example, Tokens):
            return example
        return tokens_of_text(example)[0] if isinstance(example, str) else read_tokens([example])

    def card(self) -> list[tuple[str, str]]:
        """Return what is looked at, for people."""
        columns = "words" if self.n_columns == 1 else f"words and {self.n_columns - 1} more columns"
        if self.column_models:
            columns += ", predicted where there are words only"
        return [("reads", columns), ("known words", f"{len(self.words):,}")]

    def to_file(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the reader, but for its taggers of columns."""
        arrays: Arrays = {"words_packed": pack_names(self.words)}
        if self.extractor is None:
            return {"features": None}, arrays
        config, more = self.extractor.to_file()
        return {"features": config}, arrays | {f"features.{name}": a for name, a in more.items()}

    @classmethod
    def from_file(cls, config: dict[str, Any], arrays: Arrays) -> TokenReader:
        """Return the reader of a file, after checking it."""
        extractor, features = None, config["features"]
        if features is not None:
            inner = {name[9:]: a for name, a in arrays.items() if name.startswith("features.")}
            extractor = TokenExtractor.from_file(features, inner)
        return cls(extractor, unpack_names(arrays, "words"))
