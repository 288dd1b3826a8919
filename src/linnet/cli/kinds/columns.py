"""Rows of several columns: texts, categories and numbers in one classifier."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from linnet.cli.kinds.answers import Keys
from linnet.cli.kinds.flat import FlatTrainer
from linnet.cli.kinds.kind import EVERY, typed
from linnet.cli.kinds.labelled import Labelled, shortened, tell
from linnet.cli.kinds.text_files import TextData
from linnet.cli.kinds.texts import Texts, TextTrainer
from linnet.errors import DataError, ParameterError
from linnet.model.readers.column_values import column_kinds

if TYPE_CHECKING:
    from linnet.cli.kinds import Recognised
    from linnet.cli.predict import Asked
    from linnet.cli.training import Training

__all__ = ["Columns"]

_NO_TEXT = "--text names the only column that is read; name it by --column"


class ColumnData(TextData):
    """Rows of one file."""

    def take(self, rows: Any) -> ColumnData:
        """Return some of the rows."""
        part = super().take([])
        part.X, part.y = self.X.take(rows), [(self.y or [])[i] for i in rows]
        return part  # type: ignore[return-value]

    def snippet(self, row: int, token: int | None = None) -> str:
        """Return names and values."""
        from linnet.learn.shared.reasons import values_text

        return shortened(values_text(self.X.names, self.X.row(row)))

    def groups(self, name: str) -> list[Any]:
        """Return the group of each row: a column that is looked at, or another of the file."""
        if name not in self.X.names:
            return self.whole_groups(name)
        from linnet.cli.kinds.rows import column_groups

        return column_groups(self.X[name])

    def whole_groups(self, name: str) -> list[str]:
        """Return the values of a column, each a group of its own."""
        if name in self.X.names:
            return ["?" if value is None else str(value) for value in self.X[name]]
        return super().whole_groups(name)


class ColumnTrainer(TextTrainer):
    """Reads tables and fits a text classifier of some of their columns."""

    def __init__(self, settings: Training, reading: dict[str, Any]) -> None:
        super().__init__(settings, reading)
        if reading["text"] is not None:
            raise ParameterError(_NO_TEXT)
        self._columns = settings.columns
        self._reading = {**reading, "columns": column_kinds(settings.columns)}

    def read(self, data: str, source: Any = None) -> Labelled:
        """Read a table; the model knows columns that are asked for by number by their names."""
        rows = ColumnData(data, self._reading, source)
        named = zip(rows.X.names, self._columns.values(), strict=True)
        self.estimator.set_params(columns=dict(named))
        return rows


class Columns(Texts):
    """Rows of several columns."""

    data_name = model_name = "a classifier of columns"
    takes: ClassVar = {
        **Texts.takes,
        "train": EVERY["train"] - {"--ignore", "--cluster"}
        | {
            "--column", "--min-df", "--hashing", "--class-weight", "--abstain", "--dtype",
            "--max-features", "--prune",
        },
        "predict": Texts.takes["predict"] - {"--text"},
        "evaluate": Texts.takes["evaluate"] - {"--text"},
    }  # fmt: skip

    def trainer(
        self, settings: Training, reading: dict[str, Any], file: Recognised, quiet: bool
    ) -> FlatTrainer:
        """Return who reads tables and learns from them."""
        return ColumnTrainer(settings, reading)

    def read(self, data: str, reading: dict[str, Any], quiet: bool) -> Labelled:
        """Read the columns that the model looks at, with labels."""
        rows = ColumnData(data, {**reading, "columns": self.model.reader.holds})
        tell(data, rows.decisions, quiet)
        return rows

    def read_alone(
        self, file: Recognised, reading: dict[str, Any], quiet: bool, like: Any = None
    ) -> Labelled:
        """Read labelled rows that no model has seen."""
        if reading["text"] is not None:
            raise ParameterError(_NO_TEXT)
        columns = column_kinds(reading["columns"])
        rows = ColumnData(file.data, {**reading, "columns": columns}, file.source)
        tell(file.data, rows.decisions, quiet)
        return rows

    def blocks(self, files: Sequence[str], reading: dict[str, Any], asked: Asked) -> Iterator[Any]:
        """Yield tables and what identifies their rows, block by block through all files."""
        if asked.string:
            rows = [_object(text) for text in asked.string]
            yield rows, Keys(range(1, len(rows) + 1))
            return
        yield from super().blocks(files, {**reading, "columns": self.model.reader.holds}, asked)

    def pool(
        self, files: Sequence[str], reading: dict[str, Any], asked: Asked
    ) -> tuple[Any, list[dict[str, Any]]]:
        """Return all rows of some files, and what identifies each."""
        rows: list[dict[str, Any]] = []
        keys: list[dict[str, Any]] = []
        for table, identified in self.blocks(files, reading, asked):
            for row in table.rows():
                cells = (None if value != value else value for value in row)
                rows.append(dict(zip(table.names, cells, strict=True)))
            keys += identified
        return rows, keys

    def example(self, words: list[str], stdin: Callable[[], str]) -> Any:
        """Return the row of a JSON object."""
        return _object(typed(words, stdin))


def _object(text: str) -> Mapping[str, Any]:
    """Return the row that is typed as a JSON object."""
    try:
        row = json.loads(text)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise DataError(
            'a row of several columns is typed as a JSON object, such as {"title": "Rates rise", '
            f'"price": 3}}; got {text!r:.60}'
        )
    return row
