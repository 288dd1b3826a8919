"""What ``linnet train`` does: read, hold out, fit, save, measure, report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from linnet.cli.evaluate import report_on
from linnet.cli.helpers import count, file_size, print_json, progress, say, shown, size
from linnet.cli.tasks import Loaded, Task
from linnet.data.copies import in_words
from linnet.data.terminal import escaped
from linnet.errors import DataError, ParameterError
from linnet.evaluate import Report, wilson_interval

__all__ = [
    "Settings",
    "Stages",
    "parse_ngrams",
    "parse_strength",
    "run",
    "short",
]

_HOLDOUT_FOR_COST = 0.1
_CHOSEN = ("learner", "C", "columns", "n_features", "iterations", "optimality")


@dataclass(frozen=True)
class Settings:
    """Everything the command line decided."""

    data: str
    output: Path
    learner: str | None
    reading: dict[str, Any]
    parameters: dict[str, Any]
    learner_settings: dict[str, Any]
    class_weight: str | None
    dtype: str
    max_features: int | None
    valid: str | None
    holdout: float | None
    seed: int
    threads: int | None

    @property
    def shrinks(self) -> bool:
        """Whether the file holds less than the model, so that there is a cost to measure."""
        return self.dtype == "float16" or self.max_features is not None


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


def parse_ngrams(text: str | None, tokenizer: str | None) -> dict[str, Any]:
    """Return the parameters that ``--ngrams`` and ``--tokenizer`` stand for.

    Examples
    --------
    >>> parse_ngrams("1,2", None), parse_ngrams("char:2-5", None), parse_ngrams("3", "unicode")
    ({'ngrams': (1, 2)}, {'ngrams': (2, 5), 'tokenizer': 'char_wb'},
     {'ngrams': (1, 3), 'tokenizer': 'unicode'})
    """
    found: dict[str, Any] = {}
    if text is not None:
        kind, _, span = text.rpartition(":")
        parts = span.replace("-", ",").split(",")
        if kind not in ("", "word", "char") or not all(p.strip().isdecimal() for p in parts):
            raise ParameterError(f"--ngrams must look like 1,2 or 3 or char:2-5, got {text!r}")
        numbers = [int(part) for part in parts]
        low, high = (1, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[-1])
        if len(numbers) > 2 or not 1 <= low <= high:
            raise ParameterError(f"--ngrams must be two growing numbers from 1, got {text!r}")
        found["ngrams"] = (low, high)
        if kind == "char":
            if tokenizer not in (None, "char", "char_wb"):
                raise ParameterError(f"--ngrams char: and --tokenizer {tokenizer} contradict")
            found["tokenizer"] = "char_wb"
    if tokenizer is not None:
        found["tokenizer"] = tokenizer
    return found


def parse_strength(text: str | None) -> float | str | None:
    """Return the value of ``-C``: a number above 0, ``auto``, or None when it was not given.

    Examples
    --------
    >>> parse_strength("auto"), parse_strength("0.5"), parse_strength(None)
    ('auto', 0.5, None)
    """
    if text is None or text == "auto":
        return text
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise ParameterError(f"-C must be auto or a number above 0, got {text!r}")
    return value


def run(settings: Settings, source: Any, task: Task, *, json: bool, quiet: bool) -> None:
    """Train on the source as the settings say, write the model and report."""
    with progress(None, quiet) as step:
        stages = Stages(step)
        with stages("read"):
            examples = task.read(settings.data, source)
        for decision in examples.decisions:
            say(f"{shown(settings.data)}: {decision}", quiet or json)
        if examples.y is None:
            raise DataError(task.no_labels(settings.data, examples))
        train, held_out = _parts(settings, examples, task)
        with stages("fit"):
            model = task.classifier.fit(*train).model_
        stages.divide("fit", "features", task.classifier.seconds_.get("features", 0.0))
        task.finish(model)
        with stages("write"):
            model.save(settings.output, dtype=settings.dtype, max_features=settings.max_features)
        full = stored = None
        if held_out is not None:
            with stages("measure"):
                full, stored = _measure(settings, model, held_out)
    summary = _summary(settings, model, task.name, len(train[1]), full, stored, stages.seconds)
    if json:
        print_json(summary)
    elif not quiet:
        _print(summary, stored)


def _parts(
    settings: Settings, examples: Loaded, task: Task
) -> tuple[tuple[Any, Any], tuple[Any, Any] | None]:
    """Return what to train on and what to measure on."""
    X, y = examples.X, examples.y or []
    if settings.valid is not None:
        other = task.read(settings.valid, settings.valid)
        if other.y is None:
            raise DataError(f"{settings.valid} has no labels to measure with")
        return (X, y), (other.X, other.y)
    share = settings.holdout
    if share is None:
        share = _HOLDOUT_FOR_COST if settings.shrinks else 0.0
    if not share:
        return (X, y), None
    from linnet.data.copies import Copies
    from linnet.data.splits import hold_out

    kept, held = hold_out(Copies.of(X), share, settings.seed)
    if not len(kept) or not len(held):
        raise DataError(
            f"{shown(settings.data)} has {len(y)} examples, too few to hold {share:g} of them out; "
            "drop --holdout or measure on another file with --valid"
        )
    return _rows(X, y, kept), _rows(X, y, held)


def _rows(X: Any, y: Any, rows: Any) -> tuple[Any, list[Any]]:
    if isinstance(X, list):
        part = [X[i] for i in rows]
    else:
        part = X.take(rows) if hasattr(X, "names") else X[rows]  # a table of rows, or texts
    return part, [y[i] for i in rows]


def _measure(settings: Settings, model: Any, held_out: tuple[Any, Any]) -> tuple[Report, Report]:
    """Return the reports on held-out data: of the model as trained, and of the file."""
    from linnet.model.file import load

    stored = report_on(load(settings.output), *held_out)
    full = report_on(model, *held_out) if settings.shrinks else stored
    return full, stored


def _summary(
    settings: Settings,
    model: Any,
    learner: str,
    n: int,
    full: Report | None,
    stored: Report | None,
    seconds: dict[str, float],
) -> dict[str, Any]:
    summary: dict[str, Any] = {
        "model": str(settings.output),
        "bytes": file_size(settings.output),
        "examples": n,
        "kind": {"text": "texts", "row": "rows"}.get(model.kind, "examples"),
        "labels": len(model.classes_),
        "learner": learner,
        "record": model.record_,
        "seconds": {name: round(value, 4) for name, value in seconds.items()},
    }
    if stored is not None and full is not None:
        summary["held_out"] = {
            "n": stored.n,
            "accuracy": stored.accuracy,
            "interval": list(stored.interval),
            "macro_f1": stored.macro_f1,
        }
        if settings.shrinks:
            summary["held_out"]["accuracy_before_shrinking"] = full.accuracy
    return summary


def _print(summary: dict[str, Any], stored: Report | None) -> None:
    from linnet.cli.report import headline

    record = summary["record"]
    print(
        f"trained on {count(summary['examples'])} examples with {count(summary['labels'])} labels"
    )
    if record.get("copies"):
        print(in_words(record["copies"], record["examples"], summary["kind"]))
    chosen = [f"{name} {short(record[name])}" for name in _CHOSEN if record.get(name) is not None]
    print(escaped(", ".join(chosen)))
    if record.get("held_out"):
        print(f"while training: {_inner(record['held_out'], record['held_out_accuracy'])}")
    if stored is not None:
        print(f"held out: {headline(stored)}")
        before = summary["held_out"].get("accuracy_before_shrinking")
        if before is not None:
            cost = 100 * (before - stored.accuracy)
            print(f"the smaller file costs {cost:.2f} points: {100 * before:.2f} % before")
    parts = ", ".join(f"{name} {value:.2f} s" for name, value in summary["seconds"].items())
    print(escaped(f"written to {summary['model']} ({size(summary['bytes'])}); {parts}"))


def _inner(n: int, accuracy: float) -> str:
    """Say how well the learner did on the examples that tuned C and the probabilities."""
    low, high = wilson_interval(min(round(accuracy * n), n), n)
    return (
        f"accuracy {100 * accuracy:.2f} % (95 % interval {100 * low:.2f} to {100 * high:.2f}) "
        f"on {count(n)} examples held out for tuning"
    )


def short(value: Any) -> str:
    """Return a value of the training record for people."""
    if isinstance(value, float):
        return f"{value:.4g}"
    return count(value) if isinstance(value, int) else str(value)
