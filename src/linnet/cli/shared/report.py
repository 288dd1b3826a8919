"""Reports for people: figures, tables of labels, chunks or tags, confusions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from linnet.cli.shared.console import count, escaped, grid, name_cell
from linnet.evaluate import Calibration, Report
from linnet.evaluate.chunks import SequenceReport, Vocabulary
from linnet.evaluate.spans import ChunkScore, SpanScores

__all__ = [
    "headline",
    "print_report",
    "print_sequence_report",
    "print_span_scores",
    "sequence_headline",
]

_MATRIX_UP_TO = 8  # classes; with more only the largest confusions are shown
_ROWS = 50  # classes, tags or types listed at most
_BAR = 20


def headline(report: Report) -> str:
    """Return accuracy, interval and number of examples as one phrase."""
    low, high = report.interval
    return (
        f"accuracy {100 * report.accuracy:.2f} % "
        f"(95 % interval {100 * low:.2f} to {100 * high:.2f}, {count(report.n)} examples)"
    )


def print_report(report: Report, console: Console) -> None:
    """Print everything there is to say."""
    console.print(headline(report), style="bold")
    console.print(
        f"F1: macro {report.macro_f1:.4f}, micro {report.micro_f1:.4f}, "
        f"weighted {report.weighted_f1:.4f}"
    )
    if report.hamming_loss is not None:
        console.print(f"share of wrong label decisions {report.hamming_loss:.4f}")
    if report.abstained:
        answered = report.answered_accuracy
        console.print(
            f"no answer for {100 * report.abstained:.2f} %"
            + ("" if answered is None else f"; accuracy of the others {100 * answered:.2f} %")
        )
    if report.unseen:
        names = ", ".join(escaped(str(label)) for label in report.unseen[:10])
        console.print(f"labels the model never saw, always wrong: {names}", style="yellow")
    console.print(_class_table(report))
    if report.confusion is not None:
        _print_confusions(report, console)
    if report.calibration is not None:
        _print_calibration(report.calibration, console)


def _listed(
    what: str,
    headings: Sequence[str],
    rows: Iterable[tuple[Any, Sequence[str], int]],
    many: str,
) -> Table:
    """Return a table of (name, cells, size); of many rows the largest, and how many there are."""
    rows = list(rows)
    table = grid([what], headings)
    ranked = sorted(rows, key=lambda row: -row[2])
    for name, cells, _ in rows if len(rows) <= _ROWS else ranked[:_ROWS]:
        table.add_row(name_cell(name), *cells)
    if len(rows) > _ROWS:
        table.add_row(f"{len(rows) - _ROWS} rarer {many}: see --json", *[""] * len(headings))
    return table


def _class_table(report: Report) -> Table:
    rows = (
        (label, [*(f"{f:.4f}" for f in (s.precision, s.recall, s.f1)), count(s.support)], s.support)
        for label, s in report.classes.items()
    )
    return _listed("label", ("precision", "recall", "F1", "support"), rows, "labels")


def _confusion_table(worst: Iterable[tuple[Any, Any, int]]) -> Table:
    table = grid(["truth", "taken for"], ["times"], title="the most frequent confusions")
    for truth, guess, times in worst:
        table.add_row(name_cell(truth), name_cell(guess), count(times))
    return table


def _print_confusions(report: Report, console: Console) -> None:
    labels = list(report.classes)
    if report.confusion is None or not 1 < len(labels) <= _MATRIX_UP_TO:
        if report.confusions():
            console.print(_confusion_table(report.confusions()))
        return
    table = grid([""], title="truth (rows) and prediction (columns)")
    for label in labels:
        table.add_column(name_cell(label), justify="right")
    for label, row in zip(labels, report.confusion.tolist(), strict=True):
        table.add_row(name_cell(label), *(count(cell) if cell else "·" for cell in row))
    console.print(table)


def _print_calibration(calibration: Calibration, console: Console) -> None:
    console.print(
        f"calibration: expected error {calibration.error:.4f}, Brier {calibration.brier:.4f}, "
        f"log loss {calibration.log_loss:.4f}"
    )
    table = grid([], ["said", "right", "rows"], ["share right; | marks the promise"])
    for part in calibration.bins:
        shares = f"{part.confidence:.3f}", f"{part.accuracy:.3f}"
        table.add_row(*shares, count(part.n), _bar(part.accuracy, part.confidence))
    console.print(table)


def _bar(filled: float, mark: float) -> str:
    """Draw a share as a bar with a mark where it was promised to end.

    Examples
    --------
    >>> _bar(0.5, 0.75)
    '██████████     |     '
    """
    cells = ["█" if i < round(filled * _BAR) else " " for i in range(_BAR + 1)]
    cells[round(mark * _BAR)] = "|"
    return "".join(cells)


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
    chunks = report.chunk_types
    console.print(_tag_table(report) if chunks is None else _chunk_table("chunk", chunks))
    if report.confusions:
        console.print(_confusion_table(report.confusions))


def print_span_scores(scores: SpanScores, console: Console) -> None:
    """Print the scores of chunks by length, and what goes wrong with those not found."""
    table = _chunk_table("tokens", scores.lengths)
    table.title = "chunks by length"
    console.print(table)
    wrong = scores.mistakes
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


def _chunk_table(what: str, scores: dict[str, ChunkScore]) -> Table:
    rows = (
        (
            kind or "(no type)",
            [*_shares(score), count(score.gold), count(score.guessed)],
            score.gold,
        )
        for kind, score in scores.items()
    )
    headings = ("precision", "recall", "F1", "gold", "found")
    return _listed(what, headings, rows, "types")


def _tag_table(report: SequenceReport) -> Table:
    rows = ((tag, [*_shares(s), count(s.support)], s.support) for tag, s in report.tags.items())
    return _listed("tag", ("precision", "recall", "F1", "support"), rows, "tags")


def _shares(score: Any) -> list[str]:
    return [f"{100 * figure:.2f}" for figure in (score.precision, score.recall, score.f1)]
