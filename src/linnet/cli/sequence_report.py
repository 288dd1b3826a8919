"""A report on tagged sentences for people: figures, a table of chunks or tags, confusions."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from linnet.cli.helpers import count
from linnet.data.terminal import escaped
from linnet.evaluate.chunks import ChunkScore, SequenceReport, Vocabulary
from linnet.evaluate.spans import SpanScores

__all__ = ["print_sequence_report", "print_span_scores", "sequence_headline"]

_ROWS = 50  # tags or types listed at most


def sequence_headline(report: SequenceReport) -> str:
    """Return the one figure that counts, its basis, and the number of tokens as one phrase."""
    low, high = report.interval
    tokens = (
        f"token accuracy {100 * report.accuracy:.2f} % (95 % interval {100 * low:.2f} to "
        f"{100 * high:.2f}, {count(report.n_tokens)} tokens, {count(report.n_sentences)} sentences)"
    )
    return tokens if report.chunks is None else f"{_chunk_phrase(report.chunks)}; {tokens}"


def print_sequence_report(report: SequenceReport, console: Console) -> None:
    """Print everything there is to say."""
    console.print(sequence_headline(report), style="bold")
    low, high = report.sentence_interval
    console.print(
        f"sentences without a mistake {100 * report.sentence_accuracy:.2f} % "
        f"({100 * low:.2f} to {100 * high:.2f})"
    )
    if report.vocabulary is not None:
        console.print(_vocabulary_phrase(report.vocabulary))
    if report.chunks is not None:
        console.print(
            f"{count(report.chunks.gold)} chunks, {count(report.chunks.guessed)} found, "
            f"{count(report.chunks.correct)} of them right"
        )
    console.print(_tag_table(report) if report.chunk_types is None else _chunk_table(report))
    if report.confusions:
        table = Table(box=SIMPLE_HEAD, title="the most frequent confusions")
        table.add_column("truth", overflow="fold")
        table.add_column("taken for", overflow="fold")
        table.add_column("times", justify="right", no_wrap=True)
        for truth, guess, times in report.confusions:
            table.add_row(_name(truth), _name(guess), count(times))
        console.print(table)


def print_span_scores(found: SpanScores, console: Console) -> None:
    """Print the scores of chunks by length, and what goes wrong with those not found."""
    table = _score_table("tokens", found.lengths)
    table.title = "chunks by length"
    console.print(table)
    wrong = found.mistakes
    console.print(
        f"chunks not found: {count(wrong['type'])} of another type, {count(wrong['boundary'])} "
        f"with other bounds, {count(wrong['missed'])} missed; {count(wrong['invented'])} invented"
    )


def _chunk_phrase(score: ChunkScore) -> str:
    return (
        f"chunk F1 {100 * score.f1:.2f} (precision {100 * score.precision:.2f}, "
        f"recall {100 * score.recall:.2f})"
    )


def _vocabulary_phrase(part: Vocabulary) -> str:
    phrases = [f"words not seen in training: {100 * part.oov_rate:.2f} %"]
    if part.oov_error is not None:
        phrases.append(f"error on them {100 * part.oov_error:.2f} %")
    if part.known_error is not None:
        phrases.append(f"on all others {100 * part.known_error:.2f} %")
    return ", ".join(phrases)


def _chunk_table(report: SequenceReport) -> Table:
    rows = list((report.chunk_types or {}).items())
    ranked = sorted(rows, key=lambda item: -item[1].gold)
    table = _score_table("chunk", dict(rows if len(rows) <= _ROWS else ranked[:_ROWS]))
    if len(rows) > _ROWS:
        table.add_row(f"{len(rows) - _ROWS} rarer types: see --json", *[""] * 5)
    return table


def _score_table(what: str, scores: dict[str, ChunkScore]) -> Table:
    table = Table(box=SIMPLE_HEAD)
    table.add_column(what, overflow="fold")
    for heading in ("precision", "recall", "F1", "gold", "found"):
        table.add_column(heading, justify="right", no_wrap=True)
    for kind, score in scores.items():
        figures = (score.precision, score.recall, score.f1)
        table.add_row(
            _name(kind or "(no type)"),
            *(f"{100 * figure:.2f}" for figure in figures),
            count(score.gold),
            count(score.guessed),
        )
    return table


def _tag_table(report: SequenceReport) -> Table:
    table = Table(box=SIMPLE_HEAD)
    table.add_column("tag", overflow="fold")
    for heading in ("precision", "recall", "F1", "support"):
        table.add_column(heading, justify="right", no_wrap=True)
    rows = list(report.tags.items())
    ranked = sorted(rows, key=lambda item: -item[1].support)
    for tag, score in rows if len(rows) <= _ROWS else ranked[:_ROWS]:
        figures = (score.precision, score.recall, score.f1)
        cells = (f"{100 * figure:.2f}" for figure in figures)
        table.add_row(_name(tag), *cells, count(score.support))
    if len(rows) > _ROWS:
        table.add_row(f"{len(rows) - _ROWS} rarer tags: see --json", *[""] * 4)
    return table


def _name(label: str) -> Text:
    return Text(escaped(label))
