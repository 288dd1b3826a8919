"""``linnet train``: from a labelled file to a model file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from linnet.cli.shared.console import (
    count,
    file_size,
    print_json,
    progress,
    shown,
    size,
    tell_user,
)
from linnet.cli.shared.hints import check_data
from linnet.cli.shared.options import (
    DATA,
    JSON,
    QUIET,
    Reading,
    asked_for,
)
from linnet.cli.shared.outputs import check_outputs
from linnet.cli.shared.recipe import check_same_data, recipe_of
from linnet.cli.shared.watching import watched_file, watched_fit
from linnet.cli.streaming import Streaming, train_stream
from linnet.cli.training import Training
from linnet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from linnet.cli.kinds import Recognised
    from linnet.cli.kinds.kind import Measured
    from linnet.cli.kinds.labelled import Labelled
    from linnet.cli.kinds.trainer import Trainer

__all__ = ["EPILOG", "command"]

EPILOG = (
    "Examples: [bold]linnet train reviews.csv -o reviews.linnet[/bold] · "
    "[bold]linnet train intents.jsonl --learner maxent --ngrams char:2-5[/bold] · "
    "[bold]linnet train news.jsonl --column title=words --column source=category[/bold] · "
    "[bold]linnet train big.parquet --hashing 20 --dtype float16 --holdout 0.1[/bold] · "
    "[bold]linnet train 'part-*.jsonl.gz' --stream -o parts.linnet[/bold] · "
    "[bold]linnet train chunks.conll -o chunker.linnet --learner crf -C 1[/bold] · "
    "[bold]linnet train dimin.train --learner memory --set k=3 --set metric=mvdm[/bold] · "
    "[bold]linnet train --config run.toml -C 2[/bold]"
)
_HOLDOUT_FOR_COST = 0.1
_CHOSEN = ("learner", "C", "columns", "features", "n_features", "iterations", "optimality")


def command(
    data: str = DATA,
    *,
    training: Training,
    reading: Reading,
    streaming: Streaming,
    json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Train a model on a labelled file: a classifier of texts or of rows, a tagger of sequences.

    Rows hold attribute values, symbols and numbers. Format, columns, separator and compression
    are found out and reported, and the format decides which of these it is. The model file holds
    everything needed to predict.
    """
    from linnet.cli.kinds import files_beside, recognise
    from linnet.cli.kinds.labelled import tell

    if training.output is None:
        if training.cluster is None:
            check_data(data)  # before a name is made of it
        if data == "-":
            raise ParameterError(
                "data from standard input has no name; name the model with --output"
            )
    output = training.output or _beside(data)
    if streaming.active:
        train_stream(data, output, training, reading, streaming, json=json, quiet=quiet)
        return
    if training.valid is not None and training.cluster is None:
        check_data(training.valid)
    read = (data, training.valid, training.features, *files_beside(data))
    check_outputs([output], read, devices=False, force=training.force)
    files = [data]
    if training.cluster is not None:
        from linnet.stream.sources import files_of

        files = files_of(data)
    check_data(files[0])
    file = recognise(files[0], reading.settings(), ignore=training.ignore, columns=training.columns)
    file.kind.refuse("train", asked_for(training))
    trainer = file.kind.trainer(training, reading.settings(), file, quiet or json)
    with progress(None, quiet) as step:
        stages = Stages(step)
        recipe = recipe_of(data, training, reading)
        check_same_data(training.config, recipe)
        if training.cluster is not None:
            with stages("read"):
                held_out = _other(trainer, training)
            with stages("fit"), watched_fit(step, training.keep) as fit:
                model = trainer.fit_on_cluster(files, training.cluster)
                n = model.record_.get("examples", model.record_.get("sentences"))
        elif training.cache is None:
            with stages("read"), watched_file(step, data):
                examples = trainer.read(data, file.source)
                tell(data, examples.decisions, quiet or json)
                if examples.y is None:
                    raise DataError(examples.no_labels())
                train, held_out = _parts(file, trainer, examples, training, quiet or json)
            with stages("fit"), watched_fit(step, training.keep) as fit:
                model, n = trainer.fit(train), len(train)
        else:
            with stages("read"):
                held_out = _other(trainer, training)
            with stages("fit"), watched_fit(step, training.keep) as fit:
                model = trainer.fit_cached(data, training.cache, quiet or json)
                n = model.record_["examples"]
        if "choosing" in trainer.estimator.seconds_:
            stages.divide("fit", "choosing", trainer.estimator.seconds_["choosing"])
        stages.divide("fit", "features", trainer.estimator.seconds_.get("features", 0.0))
        recipe |= fit.interrupted
        model.record_["recipe"] = recipe
        with stages("write"):
            fewer = {} if training.max_features is None else {"max_features": training.max_features}
            model.save(output, dtype=training.dtype, **fewer)
        measured = []
        if held_out is not None:
            with stages("measure"):
                measured = _measured(file, model, output, held_out, training)
    summary = _summary(output, trainer.facts(model, n), model, measured, stages.seconds)
    if json:
        print_json(summary)
    elif not quiet:
        _print(summary, trainer, measured)


def _beside(data: str) -> Path:
    """Return the stem of the data's name in the current folder with the suffix .linnet."""
    path = Path(data)
    if path.suffix in (".gz", ".zst"):
        path = path.with_suffix("")
    return Path(path.stem + ".linnet")


@dataclass
class Stages:
    """Seconds of each stage, and a progress display on a terminal."""

    step: Any
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Measure and show a stage while it runs."""
        self.step(name, 0)
        began = perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - began
        self.step(name, 1)

    def divide(self, name: str, part: str, seconds: float) -> None:
        """Count a part of a stage as a stage of its own."""
        whole = self.seconds.pop(name)
        self.seconds[part] = min(seconds, whole)
        self.seconds[name] = whole - self.seconds[part]


def _parts(
    file: Recognised, trainer: Trainer, examples: Labelled, training: Training, quiet: bool
) -> tuple[Labelled, Labelled | None]:
    """Return what to train on and what to measure on."""
    if training.valid is not None:
        return examples, _other(trainer, training)
    share = training.holdout
    if share is None:
        shrinks = training.shrinks and file.kind.measures_shrinking
        share = _HOLDOUT_FOR_COST if shrinks else 0.0
    if not share:
        return examples, None
    kept, held = examples.hold_out(share, training.seed, quiet)
    if not len(kept) or not len(held):
        raise DataError(
            f"{shown(file.data)} has {len(examples)} {file.kind.unit}, too few to hold {share:g} "
            "of them out; drop --holdout or measure on another file with --valid"
        )
    return examples.take(kept), examples.take(held)


def _other(trainer: Trainer, training: Training) -> Labelled | None:
    """Return the file to measure on, if one was named."""
    if training.valid is None:
        return None
    other = trainer.read(training.valid)
    if other.y is None:
        raise DataError(f"{training.valid} has no labels to measure with")
    return other


def _measured(
    file: Recognised, model: Any, output: Path, held_out: Labelled, training: Training
) -> list[Measured]:
    """Return what the file says about held-out data, and the model as trained if it says more."""
    from linnet.cli.kinds import kind_of, open_model

    measured = [open_model(str(output)).measure(held_out)]
    if training.shrinks and file.kind.measures_shrinking:
        measured.append(kind_of(model).measure(held_out))
    return measured


def _summary(
    output: Path,
    facts: dict[str, Any],
    model: Any,
    measured: list[Measured],
    seconds: dict[str, float],
) -> dict[str, Any]:
    summary: dict[str, Any] = {
        "model": str(output),
        "bytes": file_size(output),
        **facts,
        "record": model.record_,
        "seconds": {name: round(value, 4) for name, value in seconds.items()},
    }
    if measured:
        summary["held_out"] = measured[0].figures()
    if len(measured) > 1:
        summary["held_out"]["accuracy_before_shrinking"] = measured[1].report.accuracy
    return summary


def _print(summary: dict[str, Any], trainer: Trainer, measured: list[Measured]) -> None:
    from linnet.cli.kinds import copies_in_words

    record = summary["record"]
    tell_user(f"trained on {trainer.sentence(summary)}")
    if record.get("copies"):
        tell_user(copies_in_words(record["copies"], record["examples"], summary["kind"]))
    chosen = [f"{name} {_short(record[name])}" for name in _CHOSEN if record.get(name) is not None]
    tell_user(", ".join(chosen))
    if record.get("choice"):
        _print_choice(record)
    if record.get("weights"):
        tell_user(f"weights kept: {record['weights']}, all of {record['least_weight']:.2g} or more")
    if record.get("held_out"):
        tell_user(f"while training: {_inner(record['held_out'], record['held_out_accuracy'])}")
    if measured:
        tell_user(f"held out: {measured[0].headline()}")
    if len(measured) > 1:
        now, before = (one.report.accuracy for one in measured)
        cost = 100 * (before - now)
        tell_user(f"the smaller file costs {cost:.2f} points: {100 * before:.2f} % before")
    parts = ", ".join(f"{name} {value:.2f} s" for name, value in summary["seconds"].items())
    tell_user(f"written to {summary['model']} ({size(summary['bytes'])}); {parts}")


def _print_choice(record: dict[str, Any]) -> None:
    """Say which features were taken, why, and what was tried beside them."""
    from linnet.model.card import tried

    tell_user(f"features: {record['choice']}")
    for line in tried(record["tried"]):
        tell_user(f"  tried {line}")
    tell_user(f"  the most frequent label alone: {100 * record['majority']:.2f} %")


def _inner(n: int, accuracy: float) -> str:
    """Say how well the learner did on the examples that tuned C and the probabilities."""
    from linnet.evaluate import wilson_interval

    low, high = wilson_interval(min(round(accuracy * n), n), n)
    return (
        f"accuracy {100 * accuracy:.2f} % (95 % interval {100 * low:.2f} to {100 * high:.2f}) "
        f"on {count(n)} examples held out for tuning"
    )


def _short(value: Any) -> str:
    """Return a value of the training record for people."""
    if isinstance(value, float):
        return f"{value:.4g}"
    return count(value) if isinstance(value, int) else str(value)
