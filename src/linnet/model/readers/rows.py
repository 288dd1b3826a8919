"""From rows of attribute values to what a learner takes: the rows themselves, or vectors.

A symbol becomes an indicator ``column=value`` (SPEC M-72), a number stays a number. Beside symbols
numbers are divided by their range in training, as :class:`linnet.MemoryBased` does, so that a
column of prices does not drown the indicators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.formats.common import Plan
from linnet.data.rows import ROW_FORMATS, RowTable
from linnet.errors import DataError, ParameterError
from linnet.learn.shared.attribute_columns import columns_of
from linnet.learn.shared.attributes import Attributes
from linnet.learn.shared.declaration import declaration_of
from linnet.learn.shared.reasons import values_text
from linnet.stored import Array, Each, Sizes, Text, Texts, check, fields_of

__all__ = [
    "RowReader", "RowVectors", "as_table", "plan_from", "plan_to", "takes_numbers", "takes_rows",
]  # fmt: skip

Arrays = dict[str, NDArray[Any]]
_LISTED = 20


def takes_rows(learner: Any) -> bool:
    """Tell whether a learner compares attribute values itself, and needs no vectors.

    Examples
    --------
    >>> import linnet
    >>> takes_rows(linnet.DecisionTree()), takes_rows(linnet.MemoryBased(metric="cosine"))
    (True, False)
    """
    return bool(learner.__sklearn_tags__().input_tags.categorical)


def takes_numbers(learner: Any) -> bool:
    """Tell whether a learner is about densities of numbers, where indicators make no sense."""
    return declaration_of(learner).reads == "numbers"


def as_table(X: Any, names: list[str] | None = None) -> RowTable:
    """Return rows in any form as a table; with `names`, those columns in that order.

    Columns of data frames, dictionaries and tables are found by their names, those of plain rows
    by their places.

    Examples
    --------
    >>> as_table([["sunny", 21.0], ["rain", 12.0]]).names
    ['x0', 'x1']
    >>> as_table([{"b": 1, "a": "x", "c": 2}], ["a", "b"]).row(0)
    ['x', 1]
    """
    if hasattr(X, "rows") and hasattr(X, "names") and isinstance(X.rows, list):
        X = RowTable(list(X.names), [list(column) for column in zip(*X.rows, strict=True)])
    if isinstance(X, (str, bytes, Mapping)):
        raise DataError("X must hold many rows, this is a single one; pass a list of rows.")
    if hasattr(X, "columns") and hasattr(X, "shape"):
        present, columns = columns_of(X, None)
        if names is not None:
            absent = [name for name in names if name not in present]
            if absent:
                raise DataError(f"X has no column {absent[0]!r}; it has {', '.join(present)}.")
            columns, present = [columns[present.index(name)] for name in names], names
        return RowTable(present, list(columns))
    if isinstance(X, Sequence) and len(X) and isinstance(X[0], str):
        raise DataError("Each row must be a list of values; for texts use TextClassifier.")
    return RowTable(*columns_of(X, names))


@dataclass
class RowReader:
    """Rows of attribute values.

    Attributes
    ----------
    names, kinds : lists of str
        The columns, and what they hold: "symbolic" or "numeric".
    vectors : RowVectors or None
        How rows become vectors, for learners that need them.
    reading : dict or None
        How the file was read that the model was trained on.
    """

    names: list[str]
    kinds: list[str] = field(default_factory=list)
    vectors: RowVectors | None = None
    reading: dict[str, Any] | None = None
    kind = "row"

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return len(self.names)

    @property
    def width(self) -> int:
        """The number of features that a learner sees."""
        return len(self.names) if self.vectors is None else self.vectors.width

    def feature_name(self, column: int) -> str:
        """Return the name of a feature that the learner sees."""
        return self.names[column] if self.vectors is None else self.vectors.names()[column]

    def inputs(self, X: Any, threads: int | None) -> Any:
        """Return rows as the learner takes them: a table, or a matrix."""
        table = as_table(X, self.names)
        return table if self.vectors is None else self.vectors.matrix(table)

    def one(self, example: Any) -> RowTable:
        """Return one row, given as values, a dictionary or a data frame of one row, as a table."""
        if isinstance(example, RowTable) or (
            hasattr(example, "columns") and hasattr(example, "shape")
        ):
            table = as_table(example, self.names)
            if len(table) != 1:
                raise DataError(f"explain takes one row, got {len(table)}.")
            return table
        if isinstance(example, str):
            raise DataError("A row is a list of values, not a string.")
        return as_table([example], self.names)

    def shown(self, batch: RowTable, example: Any) -> str:
        """Return a row for people."""
        return values_text(batch.names, batch.row(0))

    def card(self) -> list[tuple[str, str]]:
        """Return what is looked at, for people."""
        lines = []
        for kind, word in (("symbolic", "symbols"), ("numeric", "numbers")):
            names = [name for name, k in zip(self.names, self.kinds, strict=True) if k == kind]
            listed = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
            lines += [(word, listed)] if names else []
        return lines

    def to_file(self) -> tuple[dict[str, Any], Arrays]:
        """Return what a file holds of the reader."""
        from linnet.model.file.plain import Encoder

        config: dict[str, Any] = {"names": self.names, "kinds": self.kinds, "vectors": None}
        config["reading"] = self.reading
        if self.vectors is None:
            return config, {}
        encoder = Encoder()
        config["vectors"] = encoder.encode("vectors", self.vectors.attributes)
        return config, encoder.arrays | {"divisor": self.vectors.divisor}

    @classmethod
    def from_file(cls, config: Mapping[str, Any], arrays: Arrays) -> RowReader:
        """Return the reader of a file, after checking it."""
        names, kinds, reading = config["names"], config["kinds"], config["reading"]
        sizes: Sizes = {}
        Texts("J").check("names", names, sizes)
        Each(Text(("symbolic", "numeric")), "J").check("kinds", kinds, sizes)
        if not names or len(set(names)) != len(names):
            raise DataError("rows need columns with different names")
        if reading is not None:
            plan_from(reading, names)
        return cls(names, kinds, _stored_vectors(config["vectors"], arrays, names), reading)


def _stored_vectors(node: Any, arrays: Arrays, names: list[str]) -> RowVectors | None:
    from linnet.model.file.plain import decode

    if node is None:
        return None
    attributes, divisor = decode(node, arrays), arrays["divisor"]
    if not isinstance(attributes, Attributes) or attributes.names != names:
        raise DataError("the columns of vectors are not those of the rows")
    check(vars(attributes), fields_of(Attributes), {"J": len(names)})
    attributes.check()
    Array("f8", "J", low=1e-100).check("divisor", divisor, {"J": len(names)})
    return RowVectors(attributes, divisor)


def plan_to(plan: Plan) -> dict[str, Any]:
    """Return how a file was read, ready for JSON."""
    return {
        "format": plan.format,
        "mark": plan.delimiter,
        "quoting": plan.quoting,
        "names": plan.columns,
        "label": plan.label,
        "ignored": plan.ignored,
    }


def plan_from(reading: dict[str, Any], names: list[str]) -> Plan:
    """Return how files are read, after checking that it gives the columns of the model."""
    texts = [reading[key] for key in ("format", "mark", "label")]
    texts += [*reading["names"], *reading["ignored"]]
    if not all(isinstance(text, str) for text in texts) or type(reading["quoting"]) is not bool:
        raise DataError("how files are read is not described by texts")
    plan = Plan(
        "<training file>",
        reading["format"],
        reading["mark"],
        header=reading["format"] == "table",
        columns=tuple(reading["names"]),
        label=reading["label"],
        quoting=reading["quoting"],
        ignored=tuple(reading["ignored"]),
    )
    if plan.format not in ROW_FORMATS or plan.delimiter not in (",", ";", "\t", " "):
        raise DataError(f"there is no format {plan.format!r} of rows with {plan.delimiter!r}")
    if plan.used != names:
        raise DataError("the columns of files are not those of the model")
    return plan


@dataclass(frozen=True)
class RowVectors:
    """Attribute values as vectors.

    Attributes
    ----------
    attributes : Attributes
        The columns, and the values of the symbolic ones.
    divisor : array of shape (columns,)
        By which numbers are divided; 1 when there are only numbers.

    Examples
    --------
    >>> rows = as_table([["a", 2.0], ["b", 6.0]])
    >>> vectors = RowVectors.fit(rows, None)
    >>> vectors.names(), vectors.matrix(rows).toarray().tolist()
    (['x0=a', 'x0=b', 'x1'], [[1.0, 0.0, 0.5], [0.0, 1.0, 1.5]])
    """

    attributes: Attributes
    divisor: NDArray[np.float64]

    @classmethod
    def fit(cls, table: RowTable, kinds: Any) -> RowVectors:
        """Learn the columns of training rows."""
        attributes = Attributes.fit(table, kinds)
        divisor = np.ones(len(attributes.names))
        if "symbolic" in attributes.kinds:
            read = attributes.transform(table)
            for j, column in enumerate(read.columns):
                spread = np.ptp(column[~np.isnan(column)]) if column.dtype.kind == "f" else 0.0
                divisor[j] = spread or 1.0
        return cls(attributes, divisor)

    @property
    def width(self) -> int:
        """The number of features."""
        return sum(map(len, self._parts()))

    def names(self) -> list[str]:
        """Return the name of each feature."""
        return [name for part in self._parts() for name in part]

    def _parts(self) -> list[list[str]]:
        known = self.attributes
        return [
            [name] if kind == "numeric" else [f"{name}={value}" for value in values]
            for name, kind, values in zip(known.names, known.kinds, known.values, strict=True)
        ]

    def require_numbers(self, learner: str) -> None:
        """Refuse symbolic columns for a learner that is about numbers."""
        for name, kind in zip(self.attributes.names, self.attributes.kinds, strict=True):
            if kind == "symbolic":
                raise ParameterError(
                    f"{learner} takes numbers, and column {name} holds symbols; leave the column "
                    "out, or use MemoryBased, DecisionTree, KernelSVM or a linear learner."
                )

    def matrix(self, table: RowTable) -> Any:
        """Return the vectors of rows as a sparse matrix; values not seen in training are 0."""
        from scipy.sparse import csr_matrix

        read = self.attributes.transform(table)
        rows, index, value, first = [], [], [], 0
        for j, (name, column) in enumerate(zip(self.attributes.names, read.columns, strict=True)):
            if column.dtype.kind == "f":
                if np.isnan(column).any():
                    row = int(np.flatnonzero(np.isnan(column))[0])
                    raise DataError(
                        f"Input X contains NaN: column {name}, row {row} is missing, and a vector "
                        "needs all its numbers; fill it, or use MemoryBased or DecisionTree."
                    )
                there = np.flatnonzero(column)
                index.append(np.full(len(there), first))
                value.append(column[there] / self.divisor[j])
                first += 1
            else:
                there = np.flatnonzero(column >= 0)
                index.append(first + column[there])
                value.append(np.ones(len(there)))
                first += len(self.attributes.values[j])
            rows.append(there)
        cells = (np.concatenate(value), (np.concatenate(rows), np.concatenate(index)))
        return csr_matrix(cells, shape=(read.n_rows, first))
