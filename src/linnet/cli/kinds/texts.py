"""Texts, bags of named features and vectors, in any of the flat formats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from linnet.cli.kinds.answers import Keys
from linnet.cli.kinds.flat import Flat, FlatTrainer, standard_input
from linnet.cli.kinds.kind import EVERY, Inspected, largest, typed
from linnet.cli.kinds.labelled import Labelled, tell
from linnet.cli.kinds.text_files import TextData, one_row
from linnet.cli.kinds.trainer import learner_for
from linnet.cli.shared.console import say, shown
from linnet.errors import ParameterError
from linnet.model.checks import check_kind

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from linnet.cli.kinds import Recognised
    from linnet.cli.predict import Asked
    from linnet.cli.training import Training

__all__ = ["LearnerTexts", "Texts"]

_DEFAULT = "svm"


class TextTrainer(FlatTrainer):
    """Reads files of any flat format and fits a text classifier."""

    def __init__(self, settings: Training, reading: dict[str, Any]) -> None:
        import linnet

        self.name, self._reading = settings.learner or _DEFAULT, reading
        learner = None  # the default, which leaves the choice of features open
        if settings.learner is not None or settings.learner_settings:
            learner = learner_for("texts", self.name, settings.learner_settings)
        features: dict[str, Any] = {}
        if settings.features is not None:
            features = {"features": settings.features}
        self.estimator = linnet.TextClassifier(
            learner,
            class_weight=settings.class_weight,
            n_threads=settings.threads,
            random_state=settings.seed,
            **features,
            **settings.parameters,
        )

    def read(self, data: str, source: Any = None) -> Labelled:
        """Read a file of any flat format."""
        return TextData(data, self._reading, source)

    def fit_cached(self, data: str, folder: Path, quiet: bool) -> Any:
        """Return a model of a file of texts, whose features are kept in a folder."""
        from linnet.stream.exact import fit_cached

        if data == "-":
            raise ParameterError("--cache reads the data twice; name a file, not -")
        tell_all = partial(say, quiet=quiet)
        return fit_cached(self.estimator, data, folder, reading=self._reading, tell=tell_all).model_


class Texts(Flat):
    """Texts, bags and vectors, and models with a weight for every feature."""

    data_name = model_name = "a classifier of texts"
    unit = "examples"
    contents = "linnet.cli.kinds.text_files"
    takes: ClassVar = {
        "train": EVERY["train"]
        | {
            "--features", "--ngrams", "--tokenizer", "--min-df", "--hashing", "--class-weight",
            "--abstain", "--dtype", "--max-features", "--prune", "--cache",
        },
        "predict": EVERY["predict"] | {"--top", "--proba", "--abstain", "--safe-csv", "--text"},
        "evaluate": EVERY["evaluate"] | {"--text"},
        "explain": {"--label", "--html"},
        "inspect": {"--features"},
    }  # fmt: skip

    def trainer(
        self, settings: Training, reading: dict[str, Any], file: Recognised, quiet: bool
    ) -> FlatTrainer:
        """Return who reads texts and learns from them."""
        return TextTrainer(settings, reading)

    def read(self, data: str, reading: dict[str, Any], quiet: bool) -> Labelled:
        """Read labelled examples of the kind the model was trained on."""
        examples = TextData(data, reading)
        check_kind(self.model, self.name, examples.examples, shown(data))
        tell(data, examples.decisions, quiet)
        return examples

    def read_alone(
        self, file: Recognised, reading: dict[str, Any], quiet: bool, like: Any = None
    ) -> Labelled:
        """Read labelled examples that no model has seen."""
        examples = TextData(file.data, reading, file.source)
        tell(file.data, examples.decisions, quiet)
        return examples

    def blocks(self, files: Sequence[str], reading: dict[str, Any], asked: Asked) -> Iterator[Any]:
        """Yield X and what identifies its rows, block by block through all files."""
        if asked.string:
            yield asked.string, Keys(range(1, len(asked.string) + 1))
            return
        from linnet.data.examples import stream_examples

        for data in files:
            source = standard_input() if data == "-" else data
            if source is None:
                continue
            first = True
            for block in stream_examples(source, labels=False, nulls="empty", **reading):
                check_kind(self.model, self.name, block, shown(data))
                if first and block.format != "text" and reading["format"] is None:
                    tell(data, block.decisions, asked.quiet)
                first = False
                key = data if len(files) > 1 else None
                yield block.X, Keys(block.lines, key, block.ids)

    def example(self, words: list[str], stdin: Callable[[], str]) -> Any:
        """Return the text, or the bag or vector that a line of its kind of file holds."""
        line = typed(words, stdin)
        return line if self.model.kind == "text" else one_row(line, self.model.kind)

    def render(self, explanation: Any, console: Console, top: int) -> None:
        """Print what every word adds to the score."""
        from linnet.explain.text import render

        render(explanation, console, top)

    def inspect(self, top: int, pattern: str | None) -> Inspected:
        """Return each label's features of largest weight, or of those like the pattern."""
        model = self.model
        facts = {
            "multilabel": bool(model.multilabel),
            "n_features": model.n_features,
            "classes": [str(label) for label in model.classes_],
        }
        if pattern is None:
            return Inspected(facts, model.top_features(top) if top else {})
        names = ((j, model.feature_name(j)) for j in range(model.n_features))
        columns = {j: name for j, name in names if fnmatchcase(name, pattern)}
        if not columns:
            return Inspected(facts, {})
        strongest = {}
        for k, label in enumerate(model.classes_.tolist()):
            weights = model.weights_of(k)[list(columns)].tolist()
            strongest[label] = largest(zip(columns.values(), weights, strict=True), top)
        return Inspected(facts, strongest)


class LearnerTexts(Texts):
    """Texts of a model that keeps its learner: neighbours, kernels."""

    model_name = "a model that keeps its learner"
    takes: ClassVar = {**Texts.takes, "inspect": set()}

    def render(self, explanation: Any, console: Console, top: int) -> None:
        """Print neighbours or support vectors."""
        from linnet.explain.rows import render_row

        render_row(explanation, console, top)

    def inspect(self, top: int, pattern: str | None) -> Inspected:
        """Return what the learner knows."""
        from linnet.cli.kinds.rows import inspect_learner

        return inspect_learner(self.model, top)
