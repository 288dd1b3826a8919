"""``linnet evaluate``: how good a model is on labelled data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from linnet.cli.console import (
    DelimiterOption,
    EncodingOption,
    ErrorsOption,
    FormatOption,
    JsonOption,
    LabelOption,
    LineOption,
    ModelArgument,
    QuietOption,
    TextOption,
    ThreadsOption,
    check_kind,
    choose,
    load_model,
    no_labels,
    print_json,
    say,
    shown,
    stdout_console,
)
from linnet.errors import DataError

if TYPE_CHECKING:
    from linnet.cli.answers import Answers
    from linnet.cli.closer import Closer, Look
    from linnet.evaluate import Report, SequenceReport, SpanScores

__all__ = ["EPILOG", "command", "report_on"]

EPILOG = (
    "Examples: [bold]linnet evaluate reviews.linnet test.csv[/bold] · "
    "[bold]linnet evaluate reviews.linnet test.parquet --label stars --text body[/bold] · "
    "[bold]linnet evaluate reviews.linnet test.csv --groups source --mistakes 10[/bold] · "
    "[bold]linnet evaluate tagger.linnet test.conll --confusion --cell B-NP,I-NP[/bold] · "
    "[bold]linnet evaluate reviews.linnet test.tsv --json | jq .accuracy[/bold]"
)


def command(
    model: ModelArgument,
    data: Annotated[str, typer.Argument(metavar="DATA", help="Labelled file; - is stdin.")],
    text: TextOption = None,
    label: LabelOption = None,
    format: FormatOption = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = "utf-8",
    errors: ErrorsOption = "strict",
    max_line: LineOption = "64MB",
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
    confusion: Annotated[
        bool, typer.Option("--confusion", help="List what is taken for what, and where.")
    ] = False,
    cell: Annotated[
        str | None,
        typer.Option(
            "--cell", metavar="TRUTH,GUESS", help="Show the examples of one such confusion."
        ),
    ] = None,
    threads: ThreadsOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Measure a model on labelled data.

    Accuracy with its 95 % interval, precision, recall and F1 of every label, what is taken for
    what, and whether the probabilities can be trusted. Of a tagger: chunks, tokens, unknown words.
    """
    from linnet.cli.closer import Look

    look = Look(groups, mistakes, abstention, suspects, confusion, cell)
    loaded = load_model(model, threads, sequences=True)
    reading: dict[str, Any] = {
        "format": format,
        "text": text,
        "label": label,
        "delimiter": delimiter,
        "encoding": encoding,
        "errors": choose(errors, ("strict", "replace"), "--errors"),
    }
    if loaded.kind == "sequence":
        _evaluate_tags(loaded, data, reading, look, json=json, quiet=quiet)
    elif loaded.kind == "row":
        _evaluate_rows(loaded, data, reading, look, json=json)
    else:
        _evaluate_examples(loaded, model, data, reading, look, json=json, quiet=quiet)


def _evaluate_examples(
    model: Any,
    name: str,
    data: str,
    reading: dict[str, Any],
    look: Look,
    *,
    json: bool,
    quiet: bool,
) -> None:
    """Measure a classifier on texts, bags or vectors."""
    from linnet.cli.subjects import ExampleSubject
    from linnet.data.examples import read_examples

    examples = read_examples(data, **reading)
    check_kind(model, name, examples, shown(data))
    for decision in examples.decisions:
        say(f"{shown(data)}: {decision}", quiet or json)
    truth, answers = _judged(model, examples.X, _labels(examples.y, data, examples.format, reading))
    closer = None
    if look:
        closer = look.at(ExampleSubject(model, truth, answers, examples, data, reading))
    _print(_compared(model, truth, answers), closer, json=json)


def _evaluate_rows(
    model: Any, data: str, reading: dict[str, Any], look: Look, *, json: bool
) -> None:
    """Measure a classifier on rows of values."""
    from linnet.cli.rows import read_model_rows
    from linnet.cli.subjects import RowSubject
    from linnet.cli.tagging import refuse

    refuse({"--text": reading["text"]}, "a classifier of rows")
    found = read_model_rows(model, data, reading, label=reading["label"])
    truth, answers = _judged(model, found.table, _labels(found.labels, data, None, reading))
    closer = None
    if look:
        closer = look.at(RowSubject(model, truth, answers, found, data, reading))
    _print(_compared(model, truth, answers), closer, json=json)


def _labels(
    y: list[Any] | None, data: str, format: str | None, reading: dict[str, Any]
) -> list[Any]:
    if y is None:
        what = "labels to compare with"
        raise DataError(no_labels(data, format, reading["label"], what))
    return y


def _print(report: Report, closer: Closer | None, *, json: bool) -> None:
    """Print what there is to say."""
    if json:
        print_json(report.to_dict() | ({} if closer is None else closer.to_dict()))
        return
    from linnet.cli.report import print_report

    print_report(report, stdout_console())
    if closer is not None:
        from linnet.cli.closer_printing import print_closer

        print_closer(closer, stdout_console())


def _evaluate_tags(
    model: Any, data: str, reading: dict[str, Any], look: Look, *, json: bool, quiet: bool
) -> None:
    """Measure a tagger on sentences with tags."""
    from linnet.cli.subjects import TagSubject
    from linnet.cli.tagging import like_training, open_sequences, read_tagged, report_on_tags
    from linnet.evaluate import span_scores

    for name in ("text", "label"):
        reading[name] = reading[name] or model.record_.get(f"{name}_column")
    source, found = open_sequences(data, like_training(reading, model.record_), assume=True)
    if found is None:
        raise DataError("standard input is empty; there is nothing to measure on")
    sequences = read_tagged(data, source, found, reading, quiet or json)
    guess = model.predict(sequences)
    report = report_on_tags(model, sequences, guess)
    spans = None if report.chunks is None else span_scores(sequences.tags or [], guess)
    closer = look.at(TagSubject(model, sequences, guess)) if look else None
    if json:
        more = {} if closer is None else closer.to_dict()
        print_json(report.to_dict() | _chunk_figures(report, spans) | more)
        return
    from linnet.cli.sequence_report import print_sequence_report, print_span_scores

    print_sequence_report(report, stdout_console())
    if spans is not None:
        print_span_scores(spans, stdout_console())
    if closer is not None:
        from linnet.cli.closer_printing import print_closer

        print_closer(closer, stdout_console())


def _chunk_figures(report: SequenceReport, spans: SpanScores | None) -> dict[str, Any]:
    """Return the scores of chunks, by length too, as JSON has them."""
    if report.chunks is None or spans is None:
        return {}
    found = spans.to_dict()
    answer = {f"chunk_{name}": found[name] for name in ("lengths", "mistakes")}
    chunks = report.chunks
    figures = {name: getattr(chunks, name) for name in ("f1", "precision", "recall")}
    return answer | {f"chunk_{name}": value for name, value in figures.items()}


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
