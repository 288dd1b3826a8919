"""What texts and rows share: one label a row, or several, and the learners that give them."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from linnet.cli.kinds.answers import Keys, ParquetAnswers, TextAnswers, answer
from linnet.cli.kinds.kind import Kind, Measured, plain_labels
from linnet.cli.kinds.labelled import Labelled
from linnet.cli.kinds.trainer import Trainer
from linnet.cli.shared.console import choose, count, shown
from linnet.data.formats import bare_suffix
from linnet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from linnet.cli.predict import Asked

__all__ = ["Flat", "FlatTrainer", "no_labels", "standard_input"]

_FORMATS = {
    ".csv": "csv", ".json": "jsonl", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
    ".pq": "parquet",
}  # fmt: skip


class Flat(Kind):
    """Texts, bags, vectors and rows: one answer a row."""

    def answer_format(self, asked: Asked) -> str:
        """Return the format that was asked for, else that of the output's name."""
        format = asked.format or _FORMATS.get(bare_suffix(asked.output), "tsv")
        choose(format, ("tsv", "csv", "jsonl", "parquet"), "--format")
        if format == "parquet" and asked.output == "-" and sys.stdout.isatty():
            raise ParameterError("Parquet is not for a terminal; name a file with --output")
        if asked.safe_csv and format != "csv":
            raise ParameterError("--safe-csv is for CSV; let the name of the output end in .csv")
        return format

    def write_answers(
        self, blocks: Iterator[Any], format: str | None, asked: Asked, out: BinaryIO
    ) -> None:
        """Write labels and probabilities of every block."""
        if asked.abstain is not None:
            self.model.abstain = asked.abstain
        classes = plain_labels(self.model.classes_)
        writer: Any
        if format == "parquet":
            writer = ParquetAnswers(out, classes)
        else:
            writer = TextAnswers(out, classes, format or "tsv", asked.safe_csv)
        for X, keys in blocks:
            writer.write(answer(self.model, X, keys, top=asked.top, table=asked.proba))
        writer.close()

    def answers(self, data: Labelled) -> tuple[Any, ...]:
        """Return true labels, answers and probabilities; 1 and "1" are the same label."""
        truth = _spelled(self.model, data.y or [])
        answers = answer(self.model, data.X, Keys(range(len(truth))), table=True)
        return truth, answers.labels, answers.table

    def measured(self, data: Any, answers: tuple[Any, ...]) -> Measured:
        """Compare answers with the truth."""
        return FlatMeasured(self.model, data, *answers)


class FlatMeasured(Measured):
    """One label, or several, a row."""

    def __init__(
        self, model: Any, data: Labelled, truth: list[Any], guess: list[Any], table: Any
    ) -> None:
        from linnet.evaluate import evaluate

        self.model, self.data = model, data
        self.report = evaluate(truth, guess, table, self.classes)
        self.truth, self.guess, self._table = truth, guess, table
        if self.several:
            self.truth, self.guess = list(map(frozenset, truth)), list(map(frozenset, self.guess))

    def probabilities(self) -> Any | None:
        """Return the probability of every label."""
        return self._table

    def headline(self) -> str:
        """Return accuracy, interval and number of examples as one phrase."""
        from linnet.cli.shared.report import headline

        return headline(self.report)

    def figures(self) -> dict[str, Any]:
        """Return accuracy, its interval and F1."""
        report = self.report
        interval = list(report.interval)
        accuracy = {"n": report.n, "accuracy": report.accuracy, "interval": interval}
        return {**accuracy, "macro_f1": report.macro_f1}

    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as plain values."""
        values: dict[str, Any] = self.report.to_dict()
        return values

    def print(self, console: Console) -> None:
        """Print the whole report."""
        from linnet.cli.shared.report import print_report

        print_report(self.report, console)


class FlatTrainer(Trainer):
    """Trains a classifier."""

    def facts(self, model: Any, n: int) -> dict[str, Any]:
        """Return what the model was trained on, as plain values."""
        kind = {"text": "texts", "row": "rows"}.get(model.kind, "examples")
        labels = len(model.classes_)
        return {"examples": n, "kind": kind, "labels": labels, "learner": self.name}

    def sentence(self, facts: dict[str, Any]) -> str:
        """Return what the model was trained on, in words."""
        return f"{count(facts['examples'])} examples with {count(facts['labels'])} labels"


def _spelled(model: Any, y: list[Any]) -> list[Any]:
    """Return the truth, spelled as the model spells it."""
    spelled = {str(label): label for label in plain_labels(model.classes_)}
    if model.multilabel:
        rows = [row if isinstance(row, list) else [row] for row in y]
        return [[spelled.get(str(label), label) for label in row] for row in rows]
    if any(isinstance(row, list) for row in y):
        raise DataError(
            "the data has several labels a row, the model gives one; "
            "train it on rows with several labels"
        )
    return [spelled.get(str(label), label) for label in y]


def no_labels(data: str, format: str | None, column: str | None, what: str = "labels") -> str:
    """Say that a file has no labels, and what to do.

    Parameters
    ----------
    data : str
    format : str or None
        The format of examples, or None for rows of values.
    column : str or None
        What ``--label`` said.
    what : str

    Examples
    --------
    >>> print(no_labels("a.csv", "csv", None))
    a.csv has no labels; name their column with --label
    >>> print(no_labels("a.txt", "text", "1"))
    a.txt has no labels: it is plain text, which has no column '1'; write label<TAB>text lines ...
    """
    start = f"{shown(data)} has no {what}"
    if format in (None, "csv", "tsv", "jsonl", "parquet", "arrow"):
        return f"{start}; name their column with --label"
    asked = "no columns" if column is None else f"no column {column!r}"
    if format == "text":
        remedy = "write label<TAB>text lines or a table, or name another --format"
        return f"{start}: it is plain text, which has {asked}; {remedy}"
    return f"{start}: it is in the format {format}, which has {asked}; put one on every line"


def standard_input() -> BinaryIO | str | None:
    """Return standard input, or None when nothing comes from it: no text, no answer."""
    try:
        raw = io.FileIO(os.dup(sys.stdin.fileno()))
    except io.UnsupportedOperation:  # replaced by an object in memory
        return "-"
    raw.name = "<stdin>"
    file = io.BufferedReader(raw)
    return file if file.peek(1) else None
