"""``linnet evaluate``: how good a model is on labelled data, and a closer look at its mistakes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from warnings import warn

from linnet.cli.console import (
    count,
    file_size,
    print_json,
    progress,
    shown,
    size,
    stdout_console,
)
from linnet.cli.hints import check_places
from linnet.cli.options import (
    DATA,
    FOREIGN,
    JSON,
    MODEL,
    OUTPUT,
    QUIET,
    THREADS,
    Options,
    Reading,
    asked_for,
    option,
)
from linnet.errors import DataError, DataWarning

__all__ = ["EPILOG", "Look", "command"]

EPILOG = (
    "Examples: [bold]linnet evaluate reviews.linnet test.csv[/bold] · "
    "[bold]linnet evaluate reviews.linnet test.parquet --label stars --text body[/bold] · "
    "[bold]linnet evaluate reviews.linnet test.csv --groups source --mistakes 10[/bold] · "
    "[bold]linnet evaluate tagger.linnet test.conll --confusion --cell B-NP,I-NP[/bold] · "
    "[bold]linnet evaluate reviews.linnet test.tsv --json | jq .accuracy[/bold]"
)


class Look(Options):
    """What is asked for beyond the report."""

    groups: str | None = option(
        "--groups COLUMN",
        "Compare groups of rows: a column such as the source, or [bold]length[/bold].",
        OUTPUT,
    )
    mistakes: int = option("--mistakes N", "List the N surest mistakes, and why.", OUTPUT, 0, min=0)
    abstention: bool = option(
        "--abstention", "Show what answering only if sure would gain.", OUTPUT, False
    )
    suspects: bool = option("--suspects", "List rows whose given label looks wrong.", OUTPUT, False)
    confusion: bool = option(
        "--confusion", "List what is taken for what, and where.", OUTPUT, False
    )
    cell: str | None = option(
        "--cell TRUTH,GUESS", "Show the examples of one such confusion.", OUTPUT
    )


def command(
    model: str = MODEL,
    data: str = DATA,
    *,
    reading: Reading,
    look: Look,
    threads: int | None = THREADS,
    learner: str | None = FOREIGN,
    json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Measure a model on labelled data.

    Accuracy with its 95 % interval, precision, recall and F1 of every label, what is taken for
    what, and whether the probabilities can be trusted. Of a tagger: chunks, tokens, unknown words.
    """
    from linnet.cli.kinds import open_model

    check_places("evaluate", model, [data])
    kind = open_model(model, threads)
    kind.refuse("evaluate", asked_for(reading))
    with progress(None, quiet) as step:
        step(f"reading {size(file_size(data))}", 0)
        examples = kind.read(data, reading.settings(), quiet or json)
        if examples.y is None:
            raise DataError(examples.no_labels("labels to compare with"))
        _check_labels(data, examples.y, kind.model.classes_)
        step(f"answering {count(len(examples))} {kind.unit}", 0)
        measured = kind.measure(examples)
        closer = None
        if look != Look():
            from linnet.cli.closer import look_at

            step("looking closer", 0)
            closer = look_at(measured, look)
    if json:
        print_json(measured.to_dict() | ({} if closer is None else closer.to_dict()))
        return
    measured.print(stdout_console())
    if closer is not None:
        from linnet.cli.closer import print_closer

        print_closer(closer, stdout_console())


def _check_labels(data: str, gold: list[Any], classes: Any) -> None:
    """Warn of labels none of which the model knows: it was trained for something else."""
    rows = (row if isinstance(row, (list, tuple)) else [row] for row in gold)
    labels = {str(label) for row in rows for label in row}
    known = [str(label) for label in classes.tolist()]
    if labels and labels.isdisjoint(known):
        warn(
            f"{shown(data)}: none of its labels is one of the model's; it has {_some(labels)}, the "
            f"model has {_some(known)}; is it the right file, and --label the right column?",
            DataWarning,
            stacklevel=2,
        )


def _some(labels: Iterable[str]) -> str:
    first = sorted(labels)[:3]
    return ", ".join(map(repr, first))
