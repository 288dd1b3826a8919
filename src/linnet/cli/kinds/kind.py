"""What the verbs ask of a kind of data: read, fit, answer, report, inspect.

Texts, rows and sentences each have a `Kind`, and labelled data, measurements and a trainer of
their own; a verb knows these classes and no others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

from linnet.errors import ParameterError

if TYPE_CHECKING:
    from rich.console import Console

    from linnet.cli.kinds import Recognised
    from linnet.cli.kinds.labelled import Labelled
    from linnet.cli.kinds.trainer import Trainer
    from linnet.cli.predict import Asked
    from linnet.cli.training import Training

__all__ = [
    "EVERY",
    "Inspected",
    "Kind",
    "Measured",
    "joined_answers",
    "largest",
    "plain_labels",
    "typed",
]

_BLOCK = 10_000  # examples that are answered before it is told
#: Options of a verb that mean something whatever the kind.
EVERY = {
    "train": {
        "--output", "--learner", "--set", "--ignore", "-C", "--valid", "--holdout", "--seed",
        "--threads", "--keep", "--force", "--cluster", "--config",
    },
    "predict": {
        "--string", "--json", "--format", "--output", "--force", "--threads", "--quiet", "--from",
        "--delimiter", "--encoding", "--errors", "--max-line", "--learner", "--resume",
        "--skip-bad", "--cluster",
    },
    "evaluate": {
        "--format", "--label", "--delimiter", "--encoding", "--errors", "--max-line",
    },
}  # fmt: skip


def joined_answers(parts: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Return the columns of several parts one after the other; a column may be None in all.

    Examples
    --------
    >>> joined_answers([(["a"], None), (["b", "a"], None)])
    (['a', 'b', 'a'], None)
    """
    import numpy as np

    def joined(column: tuple[Any, ...]) -> Any:
        if column[0] is None:
            return None
        return np.concatenate(column) if isinstance(column[0], np.ndarray) else list(chain(*column))

    return tuple(joined(column) for column in zip(*parts, strict=True))


class Measured(ABC):
    """Labelled data and what a model says about them.

    Attributes
    ----------
    model : the model
    data : Labelled
    report : Report or SequenceReport
    truth, guess : lists of labels, of sets of labels, or of lists of tags
    """

    model: Any
    data: Labelled
    report: Any
    truth: list[Any]
    guess: list[Any]
    tokens = False

    @property
    def classes(self) -> list[Any]:
        """The labels of the model."""
        return plain_labels(self.model.classes_)

    @property
    def several(self) -> bool:
        """Whether a row may have several labels."""
        return bool(getattr(self.model, "multilabel", False))

    @abstractmethod
    def probabilities(self) -> Any | None:
        """Return the probability of every label; None if the model has none."""

    @abstractmethod
    def headline(self) -> str:
        """Return the figures that count, in one phrase."""

    @abstractmethod
    def figures(self) -> dict[str, Any]:
        """Return the figures that count."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the whole report as plain values."""

    @abstractmethod
    def print(self, console: Console) -> None:
        """Print the whole report."""


@dataclass(frozen=True)
class Inspected:
    """What is inside a model: plain values, and each label's strongest features."""

    facts: dict[str, Any]
    strongest: dict[Any, list[tuple[str, float]]]
    labels: str = "labels"

    def print(self, console: Console, top: int) -> None:
        """Print what there is beside features."""


class Kind(ABC):
    """What the verbs ask of texts, rows and sentences alike; with a model, about that model.

    Attributes
    ----------
    model, name
        The model and the name of its file.
    data_name, model_name : str
        What messages call such data, and a model of it.
    unit : str
        What an example is called, many of them.
    contents : str
        The module that shows and converts such files: summarise, print_summary, convert.
    takes : dict of sets of str
        Of each verb, the options that mean something for this kind among those that do not for
        every kind.
    measures_shrinking : bool
        Whether a smaller file is always measured against the model as it was trained.
    """

    data_name: ClassVar[str]
    model_name: ClassVar[str]
    unit: ClassVar[str]
    contents: ClassVar[str]
    takes: ClassVar[dict[str, set[str]]]
    measures_shrinking: ClassVar[bool] = True

    def __init__(self, model: Any = None, name: str = "") -> None:
        self.model, self.name = model, name

    def refuse(self, verb: str, options: Mapping[str, Any]) -> None:
        """Refuse options that mean nothing for this kind."""
        name = self.data_name if verb == "train" else self.model_name
        for option, value in options.items():
            if value not in (None, False) and option not in self.takes[verb]:
                raise ParameterError(f"{option} means nothing for {name}; leave it out")

    @abstractmethod
    def trainer(
        self, settings: Training, reading: dict[str, Any], file: Recognised, quiet: bool
    ) -> Trainer:
        """Return who reads and learns as the command line says."""

    @abstractmethod
    def read(self, data: str, reading: dict[str, Any], quiet: bool) -> Labelled:
        """Read labelled data for the model and say what was found out."""

    @abstractmethod
    def read_alone(
        self, file: Recognised, reading: dict[str, Any], quiet: bool, like: Any = None
    ) -> Labelled:
        """Read labelled data for no model, or like others, and say what was found out."""

    def measure(
        self, data: Labelled, told: Callable[[int], None] = lambda n_answered: None
    ) -> Measured:
        """Compare what the model says with the truth; `told` hears how many are answered."""
        n = len(data)
        if n <= _BLOCK:
            answers = self.answers(data)
        else:
            parts = []
            for first in range(0, n, _BLOCK):
                parts.append(self.answers(data.take(range(first, min(first + _BLOCK, n)))))
                told(min(first + _BLOCK, n))
            answers = joined_answers(parts)
        told(n)
        return self.measured(data, answers)

    @abstractmethod
    def answers(self, data: Labelled) -> tuple[Any, ...]:
        """Return columns with a value for each example: the truth, what the model says, more."""

    @abstractmethod
    def measured(self, data: Any, answers: tuple[Any, ...]) -> Measured:
        """Compare such columns; without the data (None) there is no closer look at them."""

    @abstractmethod
    def blocks(self, files: Sequence[str], reading: dict[str, Any], asked: Asked) -> Iterator[Any]:
        """Yield what is to be answered, block by block."""

    def pool(
        self, files: Sequence[str], reading: dict[str, Any], asked: Asked
    ) -> tuple[Any, list[dict[str, Any]]]:
        """Return all examples of some files, and what identifies each."""
        from linnet.data.rows import RowTable

        parts: list[Any] = []
        keys: list[dict[str, Any]] = []
        for part, identified in self.blocks(files, reading, asked):
            parts.append(list(part.rows()) if isinstance(part, RowTable) else part)
            keys += identified
        if parts and hasattr(parts[0], "tocsr"):  # vectors
            from scipy.sparse import vstack

            return vstack(parts, "csr"), keys
        return [example for part in parts for example in part], keys

    @abstractmethod
    def answer_format(self, asked: Asked) -> str | None:
        """Return the format of answers, if it does not depend on the input's."""

    @abstractmethod
    def write_answers(
        self, blocks: Iterator[Any], format: str | None, asked: Asked, out: BinaryIO
    ) -> None:
        """Write the model's answers to blocks, each as soon as it is there."""

    @abstractmethod
    def example(self, words: list[str], stdin: Callable[[], str]) -> Any:
        """Return one example as the model explains it: the words, or for - standard input."""

    @abstractmethod
    def render(self, explanation: Any, console: Console, top: int) -> None:
        """Print an explanation."""

    @abstractmethod
    def inspect(self, top: int, pattern: str | None) -> Inspected:
        """Look inside the model; with a pattern only at features like it."""


def plain_labels(labels: Any) -> list[Any]:
    """Return labels as Python's own strings and numbers."""
    return [v.item() if hasattr(v, "item") else v for v in labels.tolist()]


def largest(weights: Iterable[tuple[str, float]], top: int) -> list[tuple[str, float]]:
    """Return the features whose weights are the largest in size."""
    return sorted(weights, key=lambda pair: -abs(pair[1]))[:top]


def typed(words: list[str], stdin: Callable[[], str]) -> str:
    """Return what was typed in one line; - stands for standard input."""
    return stdin() if words == ["-"] else " ".join(words)
