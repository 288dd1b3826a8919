"""``linnet train --stream``: from files of any size to a model file, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from linnet.cli.shared.console import (
    count,
    escaped,
    file_size,
    parse_size,
    print_json,
    progress,
    say,
    shown,
    size,
)
from linnet.cli.shared.options import (
    INPUT,
    LEARNER,
    OUTPUT,
    Options,
    Reading,
    asked_for,
    changed,
    option,
)
from linnet.cli.shared.outputs import check_outputs, keep_inputs
from linnet.cli.shared.recipe import recipe_of
from linnet.cli.shared.watching import Interruptible
from linnet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from linnet.cli.training import Training
    from linnet.stream.run import Progress

__all__ = ["Streaming", "train_stream"]

_DEFAULT = "maxent"
_TAGGER = "perceptron"
#: What needs all examples at once, what is for sentences, what a model to continue has already.
_WHOLE = {
    "--holdout", "--min-df", "--max-features", "--prune", "--ignore", "--class-weight", "--column",
}  # fmt: skip
_OF_SENTENCES = {"--features", "--constraints"}
_OF_THE_MODEL = {"--ngrams", "--tokenizer", "--hashing"}
_UNITS = {"text": "examples", "sequence": "tokens"}


class Streaming(Options):
    """How files are learned that need not fit into memory."""

    stream: bool = option("--stream", "Learn block by block; DATA may be a pattern.", INPUT, False)
    start: str | None = option(
        "--continue MODEL", "Go on from a trained model, block by block.", LEARNER
    )
    new_labels: bool = option(
        "--new-labels", "With --continue: learn labels the model does not have.", LEARNER, False
    )
    passes: int = option("--passes N", "Streams: how often all is read.", LEARNER, 1, min=1)
    memory: str | None = option("--memory SIZE", "Streams: keep within it.", LEARNER)
    skip_bad: int = option("--skip-bad N", "Streams: leave out N bad rows.", INPUT, 0, min=0)
    vocabulary: bool = option(
        "--vocabulary", "Streams: find the words in a pass before the others.", LEARNER, False
    )
    resume: bool = option("--resume", "Streams: go on where a run was interrupted.", OUTPUT, False)

    def __post_init__(self) -> None:
        if self.memory is not None:
            parse_size(self.memory)
        asked = [name for name in asked_for(self) if name != "--stream"]
        if asked and not self.active:
            raise ParameterError(f"{asked[0]} is for streams; add --stream")
        if self.new_labels and self.start is None:
            raise ParameterError("--new-labels is for --continue MODEL; a new model learns all")

    @property
    def active(self) -> bool:
        """Whether anything is learned block by block."""
        return self.stream or self.start is not None


def train_stream(
    data: str,
    output: Path,
    training: Training,
    reading: Reading,
    streaming: Streaming,
    *,
    json: bool,
    quiet: bool,
) -> None:
    """Train on a stream, measure and say what came out."""
    import linnet
    from linnet.stream.sources import files_of

    files = files_of(data)
    read = [*files, training.valid, streaming.start]
    keep_inputs([output, _aside(output)], read)
    check_outputs([output], read, devices=False, force=training.force)
    estimator, settings = _learning(files, training, reading, streaming, quiet or json)
    began = perf_counter()
    asked = Interruptible()
    with (
        asked.listening() if training.keep else nullcontext(),
        _shown_progress(quiet or json, asked) as tell,
    ):
        linnet.fit_stream(
            estimator, files, passes=streaming.passes, memory=streaming.memory,
            skip_bad=streaming.skip_bad, checkpoint=_aside(output), resume=streaming.resume,
            vocabulary=streaming.vocabulary, keep_checkpoint=True, progress=tell, **settings,
        )  # fmt: skip
    learned = perf_counter()
    model = estimator.model_
    _remember(model, reading)
    model.record_["recipe"] = {
        **recipe_of(data, training, reading, streaming),
        **asked.interrupted,
    }
    model.save(output, dtype=training.dtype)
    Path(_aside(output)).unlink(missing_ok=True)
    seconds = {"learn": learned - began, "write": perf_counter() - learned}
    measured = None
    if training.valid is not None:
        measured = _measured(output, training.valid, reading, quiet or json)
    summary = {
        "model": str(output), "bytes": file_size(output), "files": len(files),
        "examples": model.record_["progressive"]["examples"], "kind": _UNITS[model.kind],
        "labels": len(model.classes_), "learner": model.record_["learner"],
        "record": model.record_,
        "seconds": {name: round(value, 4) for name, value in seconds.items()},
    }  # fmt: skip
    if measured is not None:
        summary["held_out"] = measured.figures()
    if json:
        print_json(summary)
    elif not quiet:
        _print(summary, measured)


def _aside(output: Path) -> str:
    """Return the file that a run is put aside in."""
    return f"{output}.checkpoint"


def _learning(
    files: list[str], training: Training, reading: Reading, streaming: Streaming, quiet: bool
) -> tuple[Any, dict[str, Any]]:
    """Return who learns from the files, and how they are read and begun with."""
    from linnet.cli.kinds import recognise
    from linnet.cli.kinds.rows import Rows
    from linnet.cli.kinds.sentences import Sentences

    if files[0] != "-":
        file = recognise(files[0], reading.settings(), ignore=training.ignore)
        if isinstance(file.kind, Rows):
            raise DataError(f"{files[0]} holds rows of values, which are learned without --stream")
        if isinstance(file.kind, Sentences):
            return _tagger(file, training, reading, streaming, quiet)
    _refuse(training, (_WHOLE - {"--min-df"} if streaming.vocabulary else _WHOLE) | _OF_SENTENCES)
    settings = {name: value for name, value in reading.settings().items() if value is not None}
    estimator, start = _classifier(training, streaming)
    return estimator, {**settings, "start": start, "new_labels": streaming.new_labels}


def _classifier(training: Training, streaming: Streaming) -> tuple[Any, Any]:
    """Return a classifier of texts, and the model that it goes on from."""
    import linnet
    from linnet.cli.kinds.trainer import learner_for

    name, start = training.learner, None
    if streaming.start is None:
        name = name or _DEFAULT
    else:
        start = linnet.load(streaming.start)
        _refuse(training, _OF_THE_MODEL, "is settled by the model to continue")
        if name is None and training.learner_settings:
            raise ParameterError("--set needs the learner that it is for; add --learner")
    estimator = linnet.TextClassifier(
        None if name is None else learner_for("texts", name, training.learner_settings),
        n_threads=training.threads,
        random_state=training.seed,
        **training.parameters,
    )
    return estimator, start


def _tagger(
    file: Any, training: Training, reading: Reading, streaming: Streaming, quiet: bool
) -> tuple[Any, dict[str, Any]]:
    """Return a tagger, and how its files are read."""
    from linnet.cli.kinds.sentence_files import column

    _refuse(training, _WHOLE - {"--min-df"})
    if streaming.start is not None:
        raise ParameterError("--continue is for classifiers of texts; train the tagger anew")
    file.kind.refuse("train", asked_for(training))
    chosen = changed(training, learner=training.learner or _TAGGER)
    asked, plan = reading.settings(), file.plan
    settings = {
        "format": plan.format, "delimiter": plan.delimiter,
        "word": column(asked["text"], 0), "tag": column(asked["label"], -1),
        "encoding": asked["encoding"], "errors": asked["errors"],
    }  # fmt: skip
    return file.kind.trainer(chosen, asked, file, quiet).estimator, settings


def _remember(model: Any, reading: Reading) -> None:
    """Let a tagger know which columns it was trained on."""
    if model.kind == "sequence":
        for name in ("text", "label"):
            if reading.settings()[name] is not None:
                model.record_[f"{name}_column"] = reading.settings()[name]


def _refuse(training: Training, names: set[str], why: str = "needs all examples at once") -> None:
    for name in asked_for(training):
        if name in names:
            raise ParameterError(f"{name} {why}; leave it out")


@contextmanager
def _shown_progress(quiet: bool, asked: Interruptible) -> Iterator[Callable[[Progress], bool]]:
    """Show a bar of the bytes with what the learner foresees, on a terminal; Ctrl-C may end it."""
    with progress(1.0, quiet) as step:
        before = 0.0

        def tell(now: Progress) -> bool:
            nonlocal before
            share = 0.0 if now.total is None else now.done / max(1, now.total)
            step(_line(now), share - before)
            before = share
            return asked.goes_on(f"{count(now.examples)} examples")

        yield tell


def _line(now: Progress) -> str:
    """Return where a run is, in one line."""
    parts = [f"pass {now.pass_number} of {now.passes}"] if now.passes > 1 else []
    parts += [
        f"{count(now.examples)} examples",
        f"{count(round(now.rate))} a second",
        f"foreseen {100 * now.accuracy:.1f} %",
        f"loss {now.loss:.3f}",
    ]
    parts += [] if now.left is None else [f"{now.left:.0f} s left"]
    parts += [f"{count(now.skipped)} bad rows"] if now.skipped else []
    return ", ".join(parts)


def _measured(output: Path, valid: str, reading: Reading, quiet: bool) -> Any:
    """Return what the model file says about a labelled file, which is read as a whole."""
    from linnet.cli.kinds import open_model

    kind = open_model(str(output))
    examples = kind.read(valid, reading.settings(), quiet)
    if examples.y is None:
        raise DataError(f"{shown(valid)} has no labels to measure with")
    return kind.measure(examples)


def _print(summary: dict[str, Any], measured: Any) -> None:
    record = summary["record"]
    passes = record["passes"]
    times = "one pass" if passes == 1 else f"{count(passes)} passes"
    print(
        f"trained on {count(summary['examples'])} {summary['kind']} with "
        f"{count(summary['labels'])} labels in {times}, {record['learner']}, "
        f"{count(record['n_features'])} features"
    )
    foreseen = record["progressive"]
    ends = foreseen["curve"][-2:]  # the last stretch may be what was left over, a few examples
    last = sum(n for n, *_ in ends)
    accuracy = sum(n * share for n, share, _ in ends) / max(1, last)
    print(
        f"foreseen before they were learned: accuracy {100 * foreseen['accuracy']:.2f} % of "
        f"{count(foreseen['examples'])} {summary['kind']}, {100 * accuracy:.2f} % of the "
        f"last {count(last)}"
    )
    if record.get("skipped"):
        say(f"{count(record['skipped'])} bad rows were left out")
    if measured is not None:
        print(f"held out: {measured.headline()}")
    parts = ", ".join(f"{name} {value:.2f} s" for name, value in summary["seconds"].items())
    print(escaped(f"written to {summary['model']} ({size(summary['bytes'])}); {parts}"))
