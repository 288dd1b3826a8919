"""Rows of attribute values, symbols and numbers.

What was found out about the training file is in the model, and files are read alike ever after.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from linnet.cli.kinds.answers import Keys
from linnet.cli.kinds.flat import Flat, FlatTrainer, no_labels, standard_input
from linnet.cli.kinds.kind import EVERY, Inspected, typed
from linnet.cli.kinds.labelled import Labelled, shortened, tell
from linnet.cli.kinds.row_files import model_plan, read_like_training, rows_of_strings
from linnet.cli.kinds.text_files import refuse_stdin
from linnet.cli.kinds.trainer import learner_for
from linnet.cli.shared.console import count, file_size, grid, name_cell, shown
from linnet.data.formats.common import Plan
from linnet.data.formats.rows import declared_kinds, rows_by_plan
from linnet.data.rows import RowFile, numbers_of
from linnet.data.watching import tell_read, watch_reading
from linnet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from linnet.cli.kinds import Recognised
    from linnet.cli.predict import Asked
    from linnet.cli.training import Training

__all__ = ["Rows", "column_groups", "inspect_learner"]

_DEFAULT = "memory"
_BLOCK = 1 << 14  # rows answered at a time
_FEW = 8  # numbers of a column that are groups of their own
_WEIGHTS = ("weight", "gain_ratio", "information_gain", "chi2")


class RowData(Labelled):
    """Rows of one file, read as a plan says or like the training file of a model."""

    def __init__(
        self,
        data: str,
        file: RowFile,
        decisions: Sequence[str],
        *,
        plan: Plan | None = None,
        model: Any = None,
        reading: dict[str, Any] | None = None,
    ) -> None:
        self.X, self.y, self.lines, self.decisions = file.table, file.labels, file.lines, decisions
        self._data, self._plan, self._model, self._reading = data, plan, model, reading or {}

    def no_labels(self, what: str = "labels") -> str:
        """Say that the file has no class, and what to do."""
        if self._plan is not None:
            return f"{shown(self._data)} has no class in column {self._plan.label}; see --label"
        return no_labels(self._data, None, None, what)

    @property
    def whole(self) -> Any:
        """The rows and their classes."""
        return self.X, self.y

    def take(self, rows: Any) -> RowData:
        """Return some of the rows."""
        part = copy(self)
        part.X, part.y = self.X.take(rows), [(self.y or [])[i] for i in rows]
        return part

    def snippet(self, row: int, token: int | None = None) -> str:
        """Return names and values."""
        from linnet.learn.shared.reasons import values_text

        return shortened(values_text(self.X.names, self.X.row(row)))

    def groups(self, name: str) -> list[Any]:
        """Return the values of a column; numbers in four ranges."""
        if name in self.X.names:
            return column_groups(self.X[name])
        labels = None
        if model_plan(self._model).header:
            refuse_stdin(self._data)
            labels = read_like_training(self._model, self._data, self._reading, label=name).labels
        if labels is None:
            listed = ", ".join(self.X.names)
            raise DataError(f"there is no column {name!r} to make groups of; there are {listed}")
        return list(labels)

    def whole_groups(self, name: str) -> list[str]:
        """Return the values of a column, each a group of its own."""
        if name not in self.X.names:
            listed = ", ".join(self.X.names)
            raise DataError(f"there is no column {name!r} to make groups of; there are {listed}")
        return ["?" if value is None else str(value) for value in self.X[name]]


def column_groups(column: Any) -> list[Any]:
    """Return values as groups: text as it is, numbers in up to four ranges, ? where missing."""
    if not isinstance(column, np.ndarray):
        return ["?" if value is None else value for value in column]
    values = np.asarray(column, np.float64)
    there = values[~np.isnan(values)]
    if len(set(there.tolist())) <= _FEW:
        return ["?" if value != value else f"{value:g}" for value in values.tolist()]
    edges = np.quantile(there, [0.25, 0.5, 0.75])
    part = np.searchsorted(edges, values, side="left")
    bounds = {k: there[np.searchsorted(edges, there, side="left") == k] for k in range(4)}
    names = {k: f"{some.min():g} to {some.max():g}" for k, some in bounds.items() if len(some)}
    pairs = zip(values.tolist(), part.tolist(), strict=True)
    return ["?" if value != value else names[k] for value, k in pairs]


def _kinds_of(file: RowFile, source: Any, plan: Plan, wish: Any = None) -> dict[str, str]:
    """Return what each column holds: as asked for, as a names file says, or as it looks."""
    declared = declared_kinds(source, plan) or {}
    kinds = {}
    for name, column in zip(file.table.names, file.table.values, strict=True):
        kind = wish.get(name) if isinstance(wish, dict) else wish
        looks = "symbolic" if numbers_of(column) is None else "numeric"
        kinds[name] = kind or declared.get(name) or looks
    return kinds


def _read_file(
    data: str,
    source: Any,
    plan: Plan,
    reading: dict[str, Any],
    kinds: dict[str, str] | None,
    wish: Any = None,
) -> RowData:
    """Read a file of rows; without `kinds` it decides itself what its columns hold."""
    source = data if source is None else source
    file = rows_by_plan(source, plan, encoding=reading["encoding"], errors=reading["errors"])
    decisions = list(file.decisions)
    if kinds is None:
        kinds = _kinds_of(file, source, plan, wish)
        numbers = [name for name, kind in kinds.items() if kind == "numeric"]
        if numbers:
            decisions.append(f"numbers: column {', '.join(numbers)}")
    return RowData(data, file.with_numbers(kinds), decisions, plan=plan)


class RowTrainer(FlatTrainer):
    """Reads files like the first one, which decides what the columns hold."""

    def __init__(self, settings: Training, reading: dict[str, Any], plan: Plan) -> None:
        import linnet

        chosen = dict(settings.learner_settings)
        self._wish = _checked_kinds(chosen.pop("kinds", None))
        self.name = settings.learner or _DEFAULT
        self.estimator = linnet.RowClassifier(
            learner_for("rows", self.name, chosen),
            class_weight=settings.class_weight,
            n_threads=settings.threads,
            random_state=settings.seed,
            **settings.parameters,
        )
        self._plan, self._reading = plan, reading
        self._kinds: dict[str, str] | None = None

    def read(self, data: str, source: Any = None) -> Labelled:
        """Read a file; the first one decides what the columns hold."""
        file = _read_file(data, source, self._plan, self._reading, self._kinds, self._wish)
        self._kinds = file.X.kinds
        return file

    def fit(self, data: Labelled) -> Any:
        """Return a model that remembers how its files are read."""
        from linnet.model.readers.rows import plan_to

        model = super().fit(data)
        model.reading = plan_to(self._plan)
        return model


def _checked_kinds(wish: Any) -> Any:
    named = list(wish.values()) if isinstance(wish, dict) else [] if wish is None else [wish]
    if any(kind not in ("symbolic", "numeric") for kind in named):
        raise ParameterError(
            'kinds is symbolic or numeric, or such as {"c3": "symbolic"} for some columns; '
            f"got {wish!r}"
        )
    return wish


class Rows(Flat):
    """Rows of attribute values; their models keep their learner."""

    data_name = "rows of values"
    model_name = "a classifier of rows"
    unit = "examples"
    contents = "linnet.cli.kinds.row_files"
    takes: ClassVar = {
        "train": EVERY["train"] | {"--class-weight", "--abstain"},
        "predict": EVERY["predict"] | {"--top", "--proba", "--abstain", "--safe-csv"},
        "evaluate": EVERY["evaluate"],
        "explain": {"--label", "--html"},
        "inspect": set(),
    }

    def trainer(
        self, settings: Training, reading: dict[str, Any], file: Recognised, quiet: bool
    ) -> FlatTrainer:
        """Return who reads rows and learns from them."""
        return RowTrainer(settings, reading, file.plan)

    def read(self, data: str, reading: dict[str, Any], quiet: bool) -> Labelled:
        """Read rows with their class, like the training file."""
        file = read_like_training(self.model, data, reading, label=reading["label"])
        return RowData(data, file, file.decisions, model=self.model, reading=reading)

    def read_alone(
        self, file: Recognised, reading: dict[str, Any], quiet: bool, like: Any = None
    ) -> Labelled:
        """Read rows with their class that no model has seen; what is a symbol in others is one."""
        same = isinstance(like, RowData) and like.X.names == file.plan.used
        kinds = like.X.kinds if same else None
        rows = _read_file(file.data, file.source, file.plan, reading, kinds)
        tell(file.data, rows.decisions, quiet)
        return rows

    def blocks(self, files: Sequence[str], reading: dict[str, Any], asked: Asked) -> Iterator[Any]:
        """Yield tables of rows and what identifies them; a class in the file is not looked at."""
        if asked.string:
            table = rows_of_strings(self.model, asked.string).table
            yield table, Keys(range(1, len(asked.string) + 1))
            return
        for data in files:
            source = standard_input() if data == "-" else data
            if source is None:
                continue
            with watch_reading(None):  # what counts is how many rows are answered
                file = read_like_training(self.model, source, reading)
            key = data if len(files) > 1 else None
            for first in range(0, len(file), _BLOCK):
                part = range(first, min(first + _BLOCK, len(file)))
                yield file.table.take(part), Keys(file.lines[part.start : part.stop], key)
                tell_read(data, file_size(data) * part.stop // len(file))

    def example(self, words: list[str], stdin: Callable[[], str]) -> Any:
        """Return a row: a line like those of the training file, or a word for each column."""
        whole = len(words) == len(self.model.names) > 1
        mark = (self.model.reading or {}).get("mark", ",")
        return rows_of_strings(
            self.model, [mark.join(words) if whole else typed(words, stdin)]
        ).table

    def render(self, explanation: Any, console: Console, top: int) -> None:
        """Print neighbours, support vectors, tests or terms."""
        from linnet.explain.rows import render_row

        render_row(explanation, console, top)

    def inspect(self, top: int, pattern: str | None) -> Inspected:
        """Return what the learner knows."""
        return inspect_learner(self.model, top)


@dataclass(frozen=True)
class _LearnerInside(Inspected):
    """Feature weights, rules or support vectors of a learner that a model keeps."""

    def print(self, console: Console, top: int) -> None:
        """Print weights and rules."""
        if self.facts["weights"]:
            table = grid(["column"], ["weight used", "gain ratio", "information gain", "χ²"])
            for row in self.facts["weights"]:
                column, *numbers = row.values()
                table.add_row(name_cell(column), *(f"{value:.6g}" for value in numbers))
            console.print(table)
        rules = self.facts["rules"]
        for rule in rules[: 3 * top]:
            console.print(name_cell(rule), soft_wrap=True)
        if len(rules) > 3 * top:
            console.print(f"… {count(len(rules) - 3 * top)} more rules; see --top and --json")


def inspect_learner(model: Any, top: int) -> Inspected:
    """Look inside the learner that a model keeps."""
    from linnet.model.card import feature_weights, rules

    support = getattr(model.learner_, "support_", None)
    columns = zip(model.names, model.kinds, strict=True)
    weights = [dict(zip(("column", *_WEIGHTS), row, strict=True)) for row in feature_weights(model)]
    facts = {
        "classes": [str(label) for label in model.classes_],
        "columns": [{"name": name, "kind": kind} for name, kind in columns],
        "weights": weights,
        "rules": rules(model),
        "support_vectors": None if support is None else len(support),
    }
    try:
        return _LearnerInside(facts, model.top_features(top))
    except ParameterError:  # no linear learner
        return _LearnerInside(facts, {})
