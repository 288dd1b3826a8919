"""What ``linnet train`` trains, one class for each kind of data; here texts, bags and vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from linnet.cli.helpers import no_labels
from linnet.cli.learners import apply_settings, flat_learner

if TYPE_CHECKING:
    from linnet.cli.training import Settings

__all__ = ["Loaded", "Task", "TextTask"]

_DEFAULT = "svm"


@dataclass(frozen=True)
class Loaded:
    """Examples of a file, their labels if it has any, and what was found out about it."""

    X: Any
    y: list[Any] | None
    decisions: tuple[str, ...]
    format: str | None = None


class Task:
    """How the files of one kind of data are read, and which classifier learns from them."""

    name: str

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier

    def read(self, data: str, source: Any) -> Loaded:
        """Read a file of examples."""
        raise NotImplementedError

    def finish(self, model: Any) -> None:
        """Let the model remember what belongs to its file."""

    def no_labels(self, data: str, examples: Loaded) -> str:
        """Say that a file has no labels, and what to do."""
        raise NotImplementedError


class TextTask(Task):
    """Texts, bags and vectors of any of the flat formats."""

    def __init__(self, settings: Settings) -> None:
        import linnet

        self.name = settings.learner or _DEFAULT
        super().__init__(
            linnet.TextClassifier(
                _learner(self.name, settings.learner_settings),
                class_weight=settings.class_weight,
                n_threads=settings.threads,
                random_state=settings.seed,
                **settings.parameters,
            )
        )
        self._reading = settings.reading

    def read(self, data: str, source: Any) -> Loaded:
        """Read a file of any flat format."""
        from linnet.data.examples import read_examples

        found = read_examples(source, **self._reading)
        return Loaded(found.X, found.y, found.decisions, found.format)

    def no_labels(self, data: str, examples: Loaded) -> str:
        """Say that a file has no labels, and what to do."""
        return no_labels(data, examples.format, self._reading["label"])


def _learner(name: str, settings: dict[str, Any]) -> Any:
    """Return the learner of that name; None stands for the one that suits texts best."""
    if name.lower() == _DEFAULT:
        if not settings:
            return None
        from linnet.model.fitting import default_learner

        return apply_settings(default_learner(), settings)
    return apply_settings(flat_learner(name, rows=False), settings)
