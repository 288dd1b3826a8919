"""What ``linnet train`` does with sequences: hold out, fit, save, measure, report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linnet.cli.helpers import (
    count,
    file_size,
    print_json,
    progress,
    say,
    shown,
    size,
)
from linnet.cli.learners import apply_settings
from linnet.cli.tagging import open_sequences, read_tagged, refuse, report_on_tags
from linnet.cli.training import Settings, Stages, short
from linnet.data.terminal import escaped
from linnet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from linnet.data.formats.common import Plan
    from linnet.data.sequences import Sequences
    from linnet.evaluate.chunks import SequenceReport

__all__ = ["LEARNERS", "run"]

#: Names on the command line, and of the classes.
LEARNERS = {
    "crf": "CRF",
    "hmm": "HMM",
    "local": "LocalTagger",
    "memm": "MEMM",
    "mira": "StructuredMIRA",
    "perceptron": "StructuredPerceptron",
    "svm": "StructuredSVM",
}
_CHOSEN = ("learner", "C", "features", "n_features", "iterations", "optimality")


def run(
    settings: Settings,
    source: Any,
    found: Plan,
    *,
    features: str | None,
    constraints: str | None,
    json: bool,
    quiet: bool,
) -> None:
    """Train a tagger as the settings say, write it and report."""
    tagger = _tagger(settings, features, constraints)
    with progress(None, quiet) as step:
        stages = Stages(step)
        with stages("read"):
            data = read_tagged(settings.data, source, found, settings.reading, quiet or json)
            train, held_out = _parts(settings, data, quiet or json)
        with stages("fit"):
            model = tagger.fit(train).model_
        stages.divide("fit", "features", tagger.seconds_["features"])
        for name in ("text", "label"):  # for reading other files in the same way
            if settings.reading[name] is not None:
                model.record_[f"{name}_column"] = settings.reading[name]
        if settings.reading["delimiter"] is not None:
            model.record_["delimiter"] = found.delimiter
        with stages("write"):
            model.save(settings.output, dtype=settings.dtype)
        report = None
        if held_out is not None:
            from linnet.model.file import load

            with stages("measure"):
                report = report_on_tags(load(settings.output), held_out)
    summary = _summary(settings, model, len(train), report, stages.seconds)
    if json:
        print_json(summary)
    elif not quiet:
        _print(summary, report)


def _tagger(settings: Settings, features: str | None, constraints: str | None) -> Any:
    import linnet

    others = ("ngrams", "tokenizer", "hashing", "abstain")
    given = {f"--{name}": settings.parameters.get(name) for name in others}
    given |= {"--class-weight": settings.class_weight, "--max-features": settings.max_features}
    refuse(given, "sequences")
    chosen: dict[str, Any] = {"n_threads": settings.threads}
    if features is not None:
        chosen["features"] = features
    if constraints is not None:
        chosen["constraints"] = None if constraints == "none" else constraints
    if "min_df" in settings.parameters:
        chosen["min_count"] = settings.parameters["min_df"]
    return linnet.SequenceTagger(_learner(settings), **chosen)


def _learner(settings: Settings) -> Any:
    """Return the learner of that name with the seed and the strength of the command line."""
    import linnet
    from linnet.public import public_homes

    wanted = (settings.learner or "crf").lower()
    able = {name: cls for name, cls in LEARNERS.items() if cls in public_homes()}
    if wanted not in able:
        raise ParameterError(
            f"there is no learner {settings.learner!r} for sequences; there are "
            f"{', '.join(sorted(able))}"
        )
    learner = getattr(linnet, able[wanted])()
    known = learner.get_params(deep=False)
    if "random_state" in known:
        learner.set_params(random_state=settings.seed)
    strength = settings.parameters.get("C")
    if strength is not None:
        if strength == "auto":
            raise ParameterError("-C must be a number for sequences; auto is for texts")
        if "C" not in known:
            raise ParameterError(f"the learner {wanted} has no C; leave -C out")
        learner.set_params(C=strength)
    return apply_settings(learner, settings.learner_settings)


def _parts(settings: Settings, data: Sequences, quiet: bool) -> tuple[Sequences, Sequences | None]:
    """Return what to train on and what to measure on."""
    if settings.valid is not None:
        source, found = open_sequences(settings.valid, settings.reading, assume=True)
        if found is None:
            raise DataError("standard input is empty; there is nothing to measure on")
        return data, read_tagged(settings.valid, source, found, settings.reading, quiet)
    if not settings.holdout:
        return data, None
    from linnet.data.copies import Copies, in_words
    from linnet.data.splits import hold_out

    copies = Copies.of(data)
    if copies.n:
        say(in_words(copies.n, len(data), "sentences"), quiet)
    rest, held = hold_out(copies, settings.holdout, settings.seed)
    if not len(rest) or not len(held):
        raise DataError(
            f"{shown(settings.data)} has {len(data)} sentences, too few to hold "
            f"{settings.holdout:g} of them out; drop --holdout or use --valid"
        )
    return data.take(rest), data.take(held)


def _summary(
    settings: Settings,
    model: Any,
    n: int,
    report: SequenceReport | None,
    seconds: dict[str, float],
) -> dict[str, Any]:
    summary: dict[str, Any] = {
        "model": str(settings.output),
        "bytes": file_size(settings.output),
        "sentences": n,
        "tokens": model.record_["tokens"],
        "labels": len(model.classes_),
        "learner": model.record_["learner"],
        "scheme": model.scheme,
        "record": model.record_,
        "seconds": {name: round(value, 4) for name, value in seconds.items()},
    }
    if report is not None:
        held_out = {"tokens": report.n_tokens, "accuracy": report.accuracy}
        if report.chunks is not None:
            held_out["chunk_f1"] = report.chunks.f1
        summary["held_out"] = held_out
    return summary


def _print(summary: dict[str, Any], report: SequenceReport | None) -> None:
    from linnet.cli.sequence_report import sequence_headline

    record = summary["record"]
    print(
        f"trained on {count(summary['sentences'])} sentences, {count(summary['tokens'])} tokens, "
        f"{count(summary['labels'])} tags"
        + (f" in {summary['scheme']}" if summary["scheme"] else "")
    )
    chosen = [f"{name} {short(record[name])}" for name in _CHOSEN if record.get(name) is not None]
    print(escaped(", ".join(chosen)))
    if report is not None:
        print(f"held out: {sequence_headline(report)}")
    parts = ", ".join(f"{name} {value:.2f} s" for name, value in summary["seconds"].items())
    print(escaped(f"written to {summary['model']} ({size(summary['bytes'])}); {parts}"))
