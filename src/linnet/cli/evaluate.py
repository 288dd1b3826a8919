"""``linnet evaluate``: how good a model is on labelled data, and a closer look at its mistakes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from warnings import warn

from linnet.cli.shared.console import print_json, progress, shown, stdout_console
from linnet.cli.shared.hints import check_places
from linnet.cli.shared.options import (
    CLUSTER,
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
    lasting,
    option,
)
from linnet.cli.shared.watching import watched_count, watched_file
from linnet.errors import DataError, DataWarning, ParameterError

if TYPE_CHECKING:
    from linnet.stream.parts import Part

__all__ = ["EPILOG", "EvaluateWork", "Look", "command"]

EPILOG = (
    "Examples: [bold]linnet evaluate reviews.linnet test.csv[/bold] · "
    "[bold]linnet evaluate reviews.linnet test.parquet --label stars --text body[/bold] · "
    "[bold]linnet evaluate reviews.linnet test.csv --groups source --mistakes 10[/bold] · "
    "[bold]linnet evaluate tagger.linnet test.conll --confusion --cell B-NP,I-NP[/bold] · "
    "[bold]linnet evaluate reviews.linnet test.tsv --json | jq .accuracy[/bold] · "
    "[bold]linnet evaluate reviews.linnet 'test/*.parquet' --cluster local:4[/bold]"
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
    cluster: str | None = CLUSTER,
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

    if cluster is not None:
        _on_cluster(cluster, model, data, reading, look, threads, learner, json)
        return
    check_places("evaluate", model, [data])
    kind = open_model(model, threads)
    kind.refuse("evaluate", asked_for(reading))
    with progress(None, quiet) as step, watched_file(step, data):
        examples = kind.read(data, reading.settings(), quiet or json)
    if examples.y is None:
        raise DataError(examples.no_labels("labels to compare with"))
    _check_labels(data, examples.y, kind.model.classes_)
    with watched_count(len(examples), kind.unit, quiet) as told:
        measured = kind.measure(examples, told)
    closer = None
    with progress(None, quiet) as step:
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


def _on_cluster(
    cluster: str,
    model: str,
    data: str,
    reading: Reading,
    look: Look,
    threads: int | None,
    learner: str | None,
    json: bool,
) -> None:
    """Measure a model on the files that a name or a pattern stands for, each read by a worker."""
    from linnet.cli.kinds import open_model
    from linnet.cli.kinds.kind import joined_answers
    from linnet.scale.cluster import cluster_client
    from linnet.scale.parts import finished_parts
    from linnet.stream.parts import Part
    from linnet.stream.sources import files_of

    if look != Look():
        raise ParameterError("a closer look needs the data here; leave it or --cluster out")
    files = files_of(data)
    check_places("evaluate", model, files)
    kind = open_model(model, threads)
    kind.refuse("evaluate", asked_for(reading))
    work = EvaluateWork(os.path.abspath(model), reading, threads, learner)
    pieces = {}
    with cluster_client(cluster) as client:
        for part, _, answers in finished_parts([Part(file, ()) for file in files], work, client):
            pieces[part.source] = answers
    joined = joined_answers([pieces[file] for file in files])
    _check_labels(data, joined[0], kind.model.classes_)
    measured = kind.measured(None, joined)
    if json:
        print_json(measured.to_dict())
    else:
        measured.print(stdout_console())


@dataclass(frozen=True)
class EvaluateWork:
    """What a worker of a cluster does with one file; it opens the model once."""

    model: str
    reading: Reading
    threads: int | None
    learner: str | None

    def __call__(self, part: Part) -> tuple[Any, ...]:
        """Return the truth and what the model says."""
        from linnet.cli.kinds import kind_of
        from linnet.learn.shared.known import imported_class
        from linnet.scale.loading import loaded_model

        if self.learner is not None:
            imported_class(self.learner)
        kind = kind_of(loaded_model(self.model, self.threads or 1), self.model)
        with lasting(self.reading):
            examples = kind.read(part.source, self.reading.settings(), True)
        if examples.y is None:
            raise DataError(examples.no_labels("labels to compare with"))
        return kind.answers(examples)


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
