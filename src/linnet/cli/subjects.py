"""Labelled data that a model has answered, of any kind: what a closer look asks of it.

Texts, bags and vectors, rows of values, and sentences differ in where an example stands, how it is
shown, and what groups it can be put into; everything else is one path.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from linnet.cli.answers import Answers, plain_labels
from linnet.cli.groups import comment_groups, example_groups, refuse_stdin
from linnet.errors import DataError, ParameterError
from linnet.evaluate import length_groups
from linnet.explain.text import visible

__all__ = ["ExampleSubject", "RowSubject", "Subject", "TagSubject"]

_SNIPPET = 160  # characters of a text
_AROUND = 6  # words on each side of a token


class Subject:
    """The truth about some examples, and what a model says about them.

    Attributes
    ----------
    model : Model
    X : the examples, as the model takes them
    truth, guess : lists of labels, of sets of labels, or of lists of tags
    lines : array of shape (n,)
        Where each example starts in its file.
    """

    model: Any
    X: Any
    truth: list[Any]
    guess: list[Any]
    lines: Any

    @property
    def classes(self) -> list[Any]:
        """The labels of the model."""
        return plain_labels(self.model.classes_)

    @property
    def several(self) -> bool:
        """Whether a row may have several labels."""
        return bool(getattr(self.model, "multilabel", False))

    def probabilities(self) -> Any | None:
        """Return the probability of every label; None if the model has none."""
        raise NotImplementedError

    def place(self, row: int, token: int | None = None) -> dict[str, Any]:
        """Return where an example, or a token of it, stands."""
        return {"line": int(self.lines[row])}

    def snippet(self, row: int, token: int | None = None) -> str:
        """Return an example for people, in one line and not too long."""
        raise NotImplementedError

    def groups(self, name: str) -> list[Any]:
        """Return the group of each example, or of each token."""
        raise NotImplementedError


class _Answered(Subject):
    """One label, or several, a row."""

    def __init__(self, model: Any, X: Any, truth: list[Any], answers: Answers, lines: Any) -> None:
        self.model, self.X, self.lines, self._answers = model, X, lines, answers
        self.truth, self.guess = truth, answers.labels
        if self.several:
            self.truth, self.guess = list(map(frozenset, truth)), list(map(frozenset, self.guess))

    def probabilities(self) -> Any | None:
        """Return the probability of every label."""
        return self._answers.table


class ExampleSubject(_Answered):
    """Texts, bags of features or vectors."""

    def __init__(
        self,
        model: Any,
        truth: list[Any],
        answers: Answers,
        examples: Any,
        data: str,
        reading: dict[str, Any],
    ) -> None:
        super().__init__(model, examples.X, truth, answers, examples.lines)
        self._kind, self._data, self._reading = examples.kind, data, reading

    def snippet(self, row: int, token: int | None = None) -> str:
        """Return the start of a text, or features with their values."""
        example = self.X[row]
        if isinstance(example, dict):
            example = " ".join(f"{name}:{value:g}" for name, value in example.items())
        elif not isinstance(example, str):  # a sparse row
            pairs = zip(example.indices.tolist(), example.data.tolist(), strict=True)
            example = " ".join(f"{column + 1}:{value:g}" for column, value in pairs)
        return _short(example)

    def groups(self, name: str) -> list[Any]:
        """Return the group of each row: of its length, or a column of the file read once more."""
        if name == "length":
            if self._kind != "text":
                raise ParameterError("--groups length needs texts; name a column instead")
            return length_groups(self.X)
        return example_groups(self._data, self._reading, name, len(self.truth))


class RowSubject(_Answered):
    """Rows of attribute values."""

    def __init__(
        self,
        model: Any,
        truth: list[Any],
        answers: Answers,
        found: Any,
        data: str,
        reading: dict[str, Any],
    ) -> None:
        super().__init__(model, found.table, truth, answers, found.lines)
        self._data, self._reading = data, reading

    def snippet(self, row: int, token: int | None = None) -> str:
        """Return names and values."""
        from linnet.model.row_reader import values_text

        return _short(values_text(self.X.names, self.X.row(row)))

    def groups(self, name: str) -> list[Any]:
        """Return the values of a column; numbers in four ranges."""
        if name in self.X.names:
            return _column_groups(self.X[name])
        from linnet.cli.rows import model_plan, read_model_rows

        found = None
        if model_plan(self.model).header:
            refuse_stdin(self._data)
            found = read_model_rows(self.model, self._data, self._reading, label=name).labels
        if found is None:
            listed = ", ".join(self.X.names)
            raise DataError(f"there is no column {name!r} to make groups of; there are {listed}")
        return list(found)


class TagSubject(Subject):
    """Sentences with a tag for every token."""

    def __init__(self, model: Any, sequences: Any, guess: list[list[str]]) -> None:
        self.model, self.X, self.lines = model, sequences, sequences.lines
        self.truth, self.guess = sequences.tags or [], guess

    @cached_property
    def _tables(self) -> Any:
        return self.model.predict_marginals(self.X)

    def probabilities(self) -> Any | None:
        """Return the marginals of every sentence; None if the model has none."""
        return self._tables if self.model.probabilistic else None

    def place(self, row: int, token: int | None = None) -> dict[str, Any]:
        """Return the line of the sentence, the number of the token in it, from 1, and its word."""
        if token is None:
            return super().place(row)
        return {**super().place(row), "token": token + 1, "word": self._words[row][token]}

    def snippet(self, row: int, token: int | None = None) -> str:
        """Return the words around a token, itself in brackets."""
        words = list(self._words[row])
        if token is None:
            return _short(" ".join(words))
        first, last = max(0, token - _AROUND), token + _AROUND + 1
        words[token] = f"[{words[token]}]"
        ends = ("… " if first else "", " …" if last < len(words) else "")
        return visible(ends[0] + " ".join(words[first:last]) + ends[1])

    def groups(self, name: str) -> list[Any]:
        """Return the group of each sentence by length or comment, or of each token by column."""
        if name == "length":
            return length_groups(self._words)
        if name in self.X.columns:
            return list(self.X.sentences(name))
        found = comment_groups(self.X, name)
        if found is None:
            listed = ", ".join(self.X.columns)
            raise DataError(
                f"there is no column {name!r} and no comment '# {name} = …'; there are {listed}"
            )
        return found

    @cached_property
    def _words(self) -> list[list[str]]:
        words: list[list[str]] = self.X.sentences()
        return words


def _column_groups(column: Any) -> list[Any]:
    """Return values as groups: text as it is, numbers in up to four ranges, ? where missing."""
    if not isinstance(column, np.ndarray):
        return ["?" if value is None else value for value in column]
    values = np.asarray(column, np.float64)
    there = values[~np.isnan(values)]
    if len(set(there.tolist())) <= 8:
        return ["?" if value != value else f"{value:g}" for value in values.tolist()]
    edges = np.quantile(there, [0.25, 0.5, 0.75])
    part = np.searchsorted(edges, values, side="left")
    bounds = {k: there[np.searchsorted(edges, there, side="left") == k] for k in range(4)}
    names = {k: f"{own.min():g} to {own.max():g}" for k, own in bounds.items() if len(own)}
    pairs = zip(values.tolist(), part.tolist(), strict=True)
    return ["?" if value != value else names[k] for value, k in pairs]


def _short(text: str) -> str:
    words = " ".join(visible(text).split())
    return words if len(words) <= _SNIPPET else words[: _SNIPPET - 1] + "…"
