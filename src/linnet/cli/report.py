"""Reports for people: figures, tables of labels, chunks or tags, confusions, and a closer look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from linnet.cli.closer import Closer, curve_points, place_of
from linnet.cli.console import count, escaped, grid, name_cell
from linnet.evaluate import AbstentionCurve, Audit, Calibration, Cell, Mistake, Report, Suspect
from linnet.evaluate.chunks import ChunkScore, SequenceReport, Vocabulary
from linnet.evaluate.spans import SpanScores

if TYPE_CHECKING:
    from linnet.cli.kinds.kind import Measured

__all__ = [
    "headline",
    "print_closer",
    "print_report",
    "print_sequence_report",
    "print_span_scores",
    "sequence_headline",
]

_MATRIX_UP_TO = 8  # classes; with more only the largest confusions are shown
_ROWS = 50  # classes, tags or types listed at most
_BAR = 20
_GROUPS = 30  # listed at most
_SUSPECTS = 20
_CELLS = 25
_EXAMPLES = 20  # of one cell
_PLACES = 4  # of each cell, among all
_ACCURACIES = (0.9, 0.95, 0.99)


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


def print_closer(closer: Closer, console: Console) -> None:
    """Print everything that was asked for."""
    measured = closer.measured
    if closer.audit is not None:
        _print_audit(closer.audit, measured.tokens, console)
    if closer.look.confusion:
        _print_cells(closer.cells or [], measured, console)
    cell = closer.cell()
    if cell is not None:
        _print_cell(cell, measured, console)
    if closer.abstention is not None:
        _print_abstention(closer.abstention, measured.tokens, console)
    if closer.mistakes is not None:
        _print_mistakes(closer.mistakes, measured, console)
    if closer.suspects is not None:
        _print_suspects(closer.suspects, measured, console)


def _print_audit(audit: Audit, tokens: bool, console: Console) -> None:
    figures = ["tokens" if tokens else "rows", "accuracy", "95 % interval"]
    table = grid(["group"], figures, ["most predicted"], title="by group")
    for name, score in list(audit.groups.items())[:_GROUPS]:
        low, high = score.interval
        label, share = max(score.shares.items(), key=lambda item: item[1], default=("", 0.0))
        table.add_row(
            name_cell(name),
            count(score.n),
            f"{100 * score.accuracy:.2f}",
            f"{100 * low:.2f} to {100 * high:.2f}",
            Text.assemble(name_cell(label), f" {100 * share:.0f} %"),
        )
    if len(audit.groups) > _GROUPS:
        table.add_row(f"{len(audit.groups) - _GROUPS} smaller groups: see --json", *[""] * 4)
    console.print(table)
    for what, part in (
        ("predicted label by group", audit.predictions),
        ("true label by group", audit.truth),
        ("mistakes by group, given the true label", audit.mistakes),
    ):
        console.print(
            f"{what}: Cramér's V {part.cramers_v:.3f}, "
            f"{part.mutual_information:.4f} bits, p = {part.p:.4g}"
        )
    console.print()


def _print_cells(cells: list[Cell], measured: Measured, console: Console) -> None:
    wrong = [cell for cell in cells if cell.truth != cell.guess]
    if not wrong:
        console.print("nothing is taken for anything else", style="bold")
        return
    title = "what is taken for what, and where"
    table = grid(["truth", "taken for"], ["times"], ["the surest"], title=title)
    for cell in wrong[:_CELLS]:
        places = "; ".join(_where(measured, row) for row in cell.rows[:_PLACES])
        more = "; …" if cell.count > _PLACES else ""
        table.add_row(
            name_cell(cell.truth), name_cell(cell.guess), count(cell.count), Text(places + more)
        )
    if len(wrong) > _CELLS:
        table.add_row(f"{len(wrong) - _CELLS} rarer ones: see --json", *[""] * 3)
    console.print(table)


def _print_cell(cell: Cell, measured: Measured, console: Console) -> None:
    head = Text().append(name_cell(cell.truth)).append(" taken for ").append(name_cell(cell.guess))
    console.print(head.append(f": {count(cell.count)}"), style="bold")
    for row in cell.rows[:_EXAMPLES]:
        console.print(Text(f"{_where(measured, row)}: "), end="")
        console.print(Text(measured.data.snippet(*place_of(row))), style="dim")
    if cell.count > _EXAMPLES:
        console.print(f"{cell.count - _EXAMPLES} more: see --json")
    console.print()


def _print_mistakes(mistakes: list[Mistake], measured: Measured, console: Console) -> None:
    console.print("the surest mistakes" if mistakes else "no mistakes", style="bold")
    for mistake in mistakes:
        truth = mistake.truth_probability
        head = Text(f"{_where(measured, (mistake.row, mistake.token))}: ")
        head.append(name_cell(mistake.truth)).append(" taken for ").append(name_cell(mistake.guess))
        head.append(f" at {mistake.probability:.3f}")
        head.append("" if truth is None else f", the truth at {truth:.3f}")
        console.print(head)
        console.print(Text(f"  {measured.data.snippet(mistake.row, mistake.token)}"), style="dim")
        why = ", ".join(f"{escaped(name)} {value:+.3f}" for name, value in mistake.features)
        if why:
            console.print(Text(f"  because of {why}"))
        for reason in mistake.reasons:
            console.print(Text(f"  because of {escaped(reason)}"))
    console.print()


def _print_suspects(suspects: list[Suspect], measured: Measured, console: Console) -> None:
    if not suspects:
        console.print("no label looks wrong", style="bold")
        return
    title = f"labels that look wrong: {count(len(suspects))}"
    table = grid([], ["line"], ["given", "rather", "text"], title=title)
    for one in suspects[:_SUSPECTS]:
        given = Text.assemble(name_cell(one.given), f" {one.probability:.3f}")
        rather = Text.assemble(name_cell(one.suggested), f" {one.suggested_probability:.3f}")
        line = str(measured.data.place(one.row)["line"])
        table.add_row(line, given, rather, Text(measured.data.snippet(one.row, one.token)))
    console.print(table)
    if len(suspects) > _SUSPECTS:
        console.print(f"{len(suspects) - _SUSPECTS} more: see --json")


def _print_abstention(curve: AbstentionCurve, tokens: bool, console: Console) -> None:
    answered = "tokens answered" if tokens else "answered"
    table = grid([], [answered, "threshold", "accuracy"], title="answering only if sure")
    for coverage, threshold, share in curve_points(curve):
        table.add_row(f"{100 * coverage:.1f} %", f"{threshold:.4f}", f"{100 * share:.2f}")
    console.print(table)
    for goal in _ACCURACIES:
        at = curve.threshold_for(goal)
        if curve.accuracy[-1] < goal and at is not None:
            coverage = float(curve.coverage[curve.threshold == at][0])
            how = "a probability of at least" if tokens else "--abstain"
            console.print(
                f"for an accuracy of {100 * goal:.0f} %: {how} {_down(at)} answers "
                f"{100 * coverage:.1f} %"
            )
    console.print()


def _down(threshold: float) -> str:
    """Return a threshold that still answers the row it was taken from.

    Examples
    --------
    >>> _down(0.9999999), _down(0.75)
    ('0.999999', '0.75')
    """
    return f"{np.floor(threshold * 1e6) / 1e6:.6g}"


def _where(measured: Measured, row: Any) -> str:
    """Return the place of a row or token in words."""
    at = measured.data.place(*place_of(row))
    if "token" not in at:
        return f"line {at['line']}"
    return f"line {at['line']}, token {at['token']} {escaped(at['word'])}"
