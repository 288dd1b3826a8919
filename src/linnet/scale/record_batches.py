"""A model as one function on Arrow record batches, which every engine of data knows how to call.

It is given a batch (or a table) and returns one with as many rows in the same order: the columns
that came in, and beside them the answers. A text that is missing has no answer, and keeps its row.
The function can be pickled; what a worker receives is the name of the model file, which it maps
into memory once, whatever the number of batches.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from linnet.data.rows import RowTable
from linnet.errors import DataError, ParameterError
from linnet.model.model import Model
from linnet.model.readers.column_values import table_of
from linnet.scale.loading import loaded_model

__all__ = ["ArrowFunction", "arrow_function"]

_ROWS = 1 << 13  # examples answered at a time
_SPAN = pa.struct(
    [("start", pa.int64()), ("end", pa.int64()), ("text", pa.string()), ("label", pa.string())]
)


def arrow_function(
    model: str | os.PathLike[str] | Model,
    column: str = "text",
    *,
    score: Any = None,
    answers: dict[str, str] | None = None,
    keep: bool | list[str] = True,
    n_threads: int | None = 1,
) -> ArrowFunction:
    """Return a function from record batches to record batches with the model's answers.

    Parameters
    ----------
    model : path or Model
        A file is loaded once by each process that calls the function, and shares its memory with
        others on the machine.
    column : str
        Of a classifier of texts, the strings. Of a tagger, lists of words, which get ``tags``, or
        strings, which get ``spans``. A classifier of rows takes the columns it was trained on.
    score : label, optional
        The probability of this label in a column ``score``: what a filter compares.
    answers : dict, optional
        Other names for the new columns, such as ``{"label": "quality"}``.
    keep : bool or list of str
        Which columns of the input are in the output, all by default.
    n_threads : int, optional
        One by default, as engines run a function on every core; None uses all cores.

    Returns
    -------
    ArrowFunction
        Its ``schema(input_schema)`` is the schema of the output, for engines that ask beforehand.

    Examples
    --------
    >>> import linnet, pyarrow as pa
    >>> from linnet.scale import arrow_function
    >>> clf = linnet.TextClassifier(ngrams=1).fit(["up", "down"] * 9, ["+", "-"] * 9)
    >>> judge = arrow_function(clf.model_, score="+", keep=["id"])
    >>> answered = judge(pa.table({"id": [7, 8, 9], "text": ["go up", None, "down"]}))
    >>> answered.column_names, answered["label"].to_pylist()
    (['id', 'label', 'probability', 'score'], ['+', None, '-'])
    """
    return ArrowFunction(model, column, score, dict(answers or {}), keep, n_threads)


class ArrowFunction:
    """A model as a function on record batches and tables; see :func:`arrow_function`."""

    def __init__(
        self,
        model: str | os.PathLike[str] | Model,
        column: str,
        score: Any,
        answers: dict[str, str],
        keep: bool | list[str],
        n_threads: int | None,
    ) -> None:
        self._file = os.path.abspath(model) if isinstance(model, (str, os.PathLike)) else None
        self._model = None if self._file else model
        self.column, self.score, self.answers = column, score, answers
        self.keep, self.n_threads = keep, n_threads
        self._check()

    @property
    def model(self) -> Any:
        """The model, loaded when it is first asked for in a process."""
        if self._file is None:
            return self._model
        return loaded_model(self._file, self.n_threads)

    def __repr__(self) -> str:
        return f"arrow_function({self._file or self._model!r}, {self.column!r})"

    def __call__(self, batch: Any) -> Any:
        """Return the rows with their answers, as a batch for a batch and a table for a table."""
        names = batch.schema.names
        columns = self._answer(batch)
        kept = [name for name in self._kept(names) if name not in columns]
        arrays = [batch.column(name) for name in kept] + list(columns.values())
        whole = pa.table if isinstance(batch, pa.Table) else pa.record_batch
        return whole(arrays, names=[*kept, *columns])

    def schema(self, schema: pa.Schema) -> pa.Schema:
        """Return the schema of the output for that of an input."""
        types = self._types(schema)
        kept = [schema.field(n) for n in self._kept(schema.names) if n not in types]
        return pa.schema([*kept, *(pa.field(name, kind) for name, kind in types.items())])

    def _check(self) -> None:
        model = self.model
        if not hasattr(model, "reader"):
            raise ParameterError(
                "the model must be a classifier of texts or rows, or a tagger; pass a file of "
                f"linnet train or the model_ of a fitted one, got {type(model).__name__}"
            )
        if self.score is not None and self.score not in _labels(model):
            raise ParameterError(
                f"there is no label {self.score!r} to score; there are "
                f"{', '.join(map(str, _labels(model)[:20]))}"
            )
        if self.score is not None and model.kind == "sequence":
            raise ParameterError("score is for classifiers; a tagger gives tags or spans")
        wrong = set(self.answers) - {"label", "labels", "probability", "score", "tags", "spans"}
        if wrong:
            raise ParameterError(
                f"answers renames label, labels, probability, score, tags and spans; got "
                f"{', '.join(sorted(wrong))}"
            )

    def _kept(self, names: list[str]) -> list[str]:
        if isinstance(self.keep, bool):
            return list(names) if self.keep else []
        missing = [name for name in self.keep if name not in names]
        if missing:
            raise DataError(f"the batch has no column {missing[0]!r}; it has {', '.join(names)}")
        return list(self.keep)

    def _types(self, schema: pa.Schema) -> dict[str, pa.DataType]:
        """Return the new columns and their types."""
        model = self.model
        if model.kind == "sequence":
            raw = _is_string(self._field(schema).type)
            types = {"spans": pa.list_(_SPAN)} if raw else {"tags": pa.list_(pa.string())}
        else:
            label = pa.array(_labels(model)).type
            types = {"label": label, "probability": pa.float64()}
            if model.multilabel:
                types = {"labels": pa.list_(label)}
            if self.score is not None:
                types["score"] = pa.float64()
        return {self.answers.get(name, name): kind for name, kind in types.items()}

    def _field(self, schema: pa.Schema) -> pa.Field:
        if self.column not in schema.names:
            listed = ", ".join(schema.names)
            raise DataError(f"the batch has no column {self.column!r}; it has {listed}")
        return schema.field(self.column)

    def _answer(self, batch: Any) -> dict[str, Any]:
        model, types = self.model, self._types(batch.schema)
        if model.kind in ("row", "columns"):
            there = np.ones(batch.num_rows, bool)
            if model.kind == "row":
                table = _table_of(batch, model.reader.names)
            else:
                table = table_of(batch, model.reader.holds)
            parts = [self._judge(table.take(rows)) for rows in _blocks(len(table))]
        else:
            examples = _plain(batch.column(self._field(batch.schema).name))
            there = np.asarray(examples.is_valid())
            examples = examples.drop_null()
            _require(examples, model, self.column)
            ask = self._tag if model.kind == "sequence" else self._judge
            blocks = _blocks(len(examples))
            parts = [ask(examples.slice(rows.start, len(rows))) for rows in blocks]
        arrays = {}
        for number, (name, kind) in enumerate(types.items()):
            values = [value for part in parts for value in part[number]]
            arrays[name] = _spread(values, there, kind)
        return arrays

    def _judge(self, examples: Any) -> list[list[Any]]:
        model = self.model
        verdict = model.judge(examples)
        if model.multilabel:
            columns = [verdict.labels.tolist()]
        else:
            silent = zip(verdict.labels.tolist(), verdict.abstained.tolist(), strict=True)
            columns = [[None if no else label for label, no in silent], verdict.sure.tolist()]
        if self.score is not None:
            columns.append(verdict.probability[:, _labels(model).index(self.score)].tolist())
        return columns

    def _tag(self, examples: Any) -> list[list[Any]]:
        model = self.model
        if not _is_string(examples.type):
            return [model.predict(examples.to_pylist())]
        return [[_spans(model, text) for text in examples.to_pylist()]]


def _labels(model: Any) -> list[Any]:
    labels: list[Any] = model.classes_.tolist()
    return labels


def _is_string(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _plain(column: Any) -> Any:
    """Return a column as one array of a type that the core reads: no chunks, views or codes."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # none, or too large for one
        column = pa.concat_arrays([part.cast(pa.large_string()) for part in column.chunks])
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column.cast(pa.string()) if pa.types.is_string_view(column.type) else column


def _require(examples: Any, model: Any, column: str) -> None:
    """Refuse a column of a type that the model does not read."""
    kind = examples.type
    words = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    if model.kind == "text" and not _is_string(kind):
        raise DataError(f"the column {column!r} holds {kind}, the model reads texts")
    if model.kind == "sequence" and not (
        _is_string(kind) or (words and _is_string(kind.value_type))
    ):
        raise DataError(
            f"the column {column!r} holds {kind}, the model reads lists of words or texts"
        )
    if model.kind not in ("text", "sequence"):
        raise DataError("the model reads bags or vectors, which record batches do not hold")


def _blocks(n: int) -> Iterator[range]:
    return (range(first, min(first + _ROWS, n)) for first in range(0, n, _ROWS))


def _table_of(batch: Any, names: list[str]) -> RowTable:
    """Return the columns that a classifier of rows reads: numbers with NaN, and lists of text."""
    missing = [name for name in names if name not in batch.schema.names]
    if missing:
        raise DataError(
            f"the batch has no column {missing[0]!r}; it has {', '.join(batch.schema.names)}"
        )
    columns = []
    for name in names:
        column = _plain(batch.column(name))
        if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
            columns.append(column.cast(pa.float64()).to_numpy(zero_copy_only=False))
        else:
            columns.append(column.to_pylist())
    return RowTable(names, columns)


def _spread(values: list[Any], there: Any, kind: pa.DataType) -> pa.Array:
    """Return the answers with a null at each row that had no example."""
    if there.all():
        return pa.array(values, kind)
    answers = iter(values)
    return pa.array([next(answers) if known else None for known in there.tolist()], kind)


def _spans(model: Any, text: str) -> list[dict[str, Any]]:
    found = model.entities(text)
    return [{"start": a, "end": b, "text": part, "label": label} for a, b, label, part in found]
