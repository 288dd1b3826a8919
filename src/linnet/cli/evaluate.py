"""``linnet evaluate``: how good a model is on labelled data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from linnet.cli.console import (
    EncodingOption,
    ErrorsOption,
    FormatOption,
    JsonOption,
    LabelOption,
    ModelArgument,
    QuietOption,
    TextOption,
    ThreadsOption,
    check_kind,
    choose,
    load_model,
    print_json,
    say,
    shown,
    stdout_console,
)
from linnet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

    from linnet.cli.answers import Answers
    from linnet.cli.closer import Closer
    from linnet.evaluate import Report

__all__ = ["EPILOG", "command", "report_on"]

EPILOG = (
    "Examples: [bold]linnet evaluate reviews.linnet test.csv[/bold] · "
    "[bold]linnet evaluate reviews.linnet test.parquet --label stars --text body[/bold] · "
    "[bold]linnet evaluate reviews.linnet test.csv --groups source --mistakes 10[/bold] · "
    "[bold]linnet evaluate reviews.linnet test.tsv --json | jq .accuracy[/bold]"
)


def command(
    model: ModelArgument,
    data: Annotated[str, typer.Argument(metavar="DATA", help="Labelled file; - is stdin.")],
    text: TextOption = None,
    label: LabelOption = None,
    format: FormatOption = None,
    encoding: EncodingOption = "utf-8",
    errors: ErrorsOption = "strict",
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Compare groups of rows: a column such as the source, or [bold]length[/bold].",
        ),
    ] = None,
    mistakes: Annotated[
        int, typer.Option(metavar="N", min=0, help="List the N surest mistakes, and why.")
    ] = 0,
    abstention: Annotated[
        bool, typer.Option("--abstention", help="Show what answering only if sure would gain.")
    ] = False,
    suspects: Annotated[
        bool, typer.Option("--suspects", help="List rows whose given label looks wrong.")
    ] = False,
    threads: ThreadsOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Measure a model on labelled data.

    Accuracy with its 95 % interval, precision, recall and F1 of every label, what is taken for
    what, and whether the probabilities can be trusted. Of a tagger: chunks, tokens, unknown words.
    """
    from linnet.cli.closer import Look
    from linnet.data.examples import read_examples

    look = Look(groups, mistakes, abstention, suspects)
    loaded = load_model(model, threads, sequences=True)
    reading: dict[str, Any] = {
        "format": format,
        "text": text,
        "label": label,
        "encoding": encoding,
        "errors": choose(errors, ("strict", "replace"), "--errors"),
    }
    if loaded.kind in ("sequence", "row") or loaded.multilabel:
        look.refuse()
    if loaded.kind == "sequence":
        _evaluate_tags(loaded, data, reading, json=json, quiet=quiet)
        return
    if loaded.kind == "row":
        from linnet.cli.rows import read_model_rows
        from linnet.cli.tagging import refuse

        refuse({"--text": text}, "a classifier of rows")
        found = read_model_rows(loaded, data, reading, label=label)
        _report(loaded, found.table, found.labels, data, json=json)
        return
    examples = read_examples(data, **reading)
    check_kind(loaded, model, examples, shown(data))
    for decision in examples.decisions:
        say(f"{shown(data)}: {decision}", quiet or json)
    closer = look.reader(data, examples, reading) if look else None
    _report(loaded, examples.X, examples.y, data, json=json, look=closer)


def _report(
    model: Any,
    X: Any,
    y: list[Any] | None,
    data: str,
    *,
    json: bool,
    look: Callable[..., Closer] | None = None,
) -> None:
    """Compare with the labels and print what there is to say."""
    if y is None:
        raise DataError(
            f"{shown(data)} has no labels to compare with; name their column with --label"
        )
    truth, answers = _judged(model, X, y)
    report = _compared(model, truth, answers)
    closer = None if look is None else look(model, truth, answers)
    if json:
        print_json(report.to_dict() | ({} if closer is None else closer.to_dict()))
        return
    from linnet.cli.report import print_report

    print_report(report, stdout_console())
    if closer is not None:
        closer.print(stdout_console())


def _evaluate_tags(
    model: Any, data: str, reading: dict[str, Any], *, json: bool, quiet: bool
) -> None:
    """Measure a tagger on sentences with tags."""
    from linnet.cli.tagging import open_sequences, read_tagged, report_on_tags
    from linnet.evaluate import span_scores

    for name in ("text", "label"):
        reading[name] = reading[name] or model.record_.get(f"{name}_column")
    source, found = open_sequences(data, reading["format"], reading["encoding"], assume=True)
    if found is None:
        raise DataError("standard input is empty; there is nothing to measure on")
    sequences = read_tagged(data, source, found, reading, quiet or json)
    guess = model.predict(sequences)
    report = report_on_tags(model, sequences, guess)
    spans = None if report.chunks is None else span_scores(sequences.tags or [], guess)
    if json:
        answer = report.to_dict()
        if report.chunks is not None and spans is not None:
            found_spans = spans.to_dict()
            answer |= {f"chunk_{name}": found_spans[name] for name in ("lengths", "mistakes")}
            answer |= {"chunk_f1": report.chunks.f1, "chunk_precision": report.chunks.precision}
            answer["chunk_recall"] = report.chunks.recall
        print_json(answer)
        return
    from linnet.cli.sequence_report import print_sequence_report, print_span_scores

    print_sequence_report(report, stdout_console())
    if spans is not None:
        print_span_scores(spans, stdout_console())


def report_on(model: Any, X: Any, y: list[Any]) -> Report:
    """Predict and compare; labels that are spelled the same are the same (1 and "1")."""
    return _compared(model, *_judged(model, X, y))


def _compared(model: Any, truth: list[Any], answers: Answers) -> Report:
    from linnet.cli.answers import plain_labels
    from linnet.evaluate import evaluate

    return evaluate(truth, answers.labels, answers.table, plain_labels(model.classes_))


def _judged(model: Any, X: Any, y: list[Any]) -> tuple[list[Any], Answers]:
    """Return the truth, spelled as the model spells it, and what the model says."""
    from linnet.cli.answers import Keys, answer, plain_labels

    spelled = {str(label): label for label in plain_labels(model.classes_)}
    truth: list[Any]
    if model.multilabel:
        rows = [row if isinstance(row, list) else [row] for row in y]
        truth = [[spelled.get(str(label), label) for label in row] for row in rows]
    elif any(isinstance(row, list) for row in y):
        raise DataError(
            "the data has several labels a row, the model gives one; "
            "train it on rows with several labels"
        )
    else:
        truth = [spelled.get(str(label), label) for label in y]
    return truth, answer(model, X, Keys(range(len(y))), table=True)
