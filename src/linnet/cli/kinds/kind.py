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

from linnet.cli.console import say, shown
from linnet.errors import ParameterError

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from linnet.cli.kinds import Recognised
    from linnet.cli.predict import Asked
    from linnet.cli.train import Training
    from linnet.learn.shared.known import Kind as KindName

__all__ = [
    "EVERY",
    "Inspected",
    "Kind",
    "Labelled",
    "Measured",
    "Trainer",
    "apply_settings",
    "joined_answers",
    "largest",
    "learner_for",
    "plain_labels",
    "shortened",
    "tell",
    "typed",
]

_SNIPPET = 160  # characters of an example
_BLOCK = 10_000  # examples that are answered before it is told
_SURE = ("", "by its name", "as asked for")
_FACTS = ("numbers", "not read", "rows of values")  # followed by columns, not by a reason
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


class Labelled(ABC):
    """The examples of one file, with labels if it has any.

    Attributes
    ----------
    X : the examples, as a model takes them
    y : list of labels, of lists of labels or of lists of tags; None without any
    lines : array of shape (n,)
        Where each example starts in its file.
    decisions : tuple of str
        What was found out about the file.
    """

    X: Any
    y: list[Any] | None
    lines: Any
    decisions: Sequence[str]

    def __len__(self) -> int:
        return len(self.y or [])

    @abstractmethod
    def no_labels(self, what: str = "labels") -> str:
        """Say that the file has no labels, and what to do."""

    @abstractmethod
    def take(self, rows: Any) -> Labelled:
        """Return some of the examples."""

    @property
    def whole(self) -> Any:
        """Examples and labels as :func:`linnet.compare` takes them."""
        return self.X

    def hold_out(self, share: float, seed: int, quiet: bool) -> tuple[Any, Any]:
        """Return the rows to train on and those held out, copies on one side."""
        from linnet.data.copies import Copies
        from linnet.data.splits import hold_out

        return hold_out(Copies.of(self.X), share, seed)

    def place(self, row: int, token: int | None = None) -> dict[str, Any]:
        """Return where an example, or a token of it, stands."""
        return {"line": int(self.lines[row])}

    @abstractmethod
    def snippet(self, row: int, token: int | None = None) -> str:
        """Return an example for people, in one line and not too long."""

    @abstractmethod
    def groups(self, name: str) -> list[Any]:
        """Return the group of each example, or of each token."""

    @abstractmethod
    def whole_groups(self, name: str) -> list[str]:
        """Return the group of each example, by which data are cut into parts."""


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


class Trainer(ABC):
    """How the files of one kind are read, and who learns from them.

    Attributes
    ----------
    name : str
        Of the learner.
    estimator : TextClassifier, RowClassifier or SequenceTagger
    """

    name: str
    estimator: Any
    _reading: dict[str, Any]  # what the command line says about files

    @abstractmethod
    def read(self, data: str, source: Any = None) -> Labelled:
        """Read a labelled file; `source` is what was opened of it."""

    def fit(self, data: Labelled) -> Any:
        """Return a model that remembers how its files are read."""
        return self.estimator.fit(data.X, data.y).model_

    def fit_cached(self, data: str, folder: Path, quiet: bool) -> Any:
        """Return a model of a file that may be larger than memory; features go to a folder."""
        raise ParameterError(f"--cache is for texts, and {data} holds none; leave it out")

    def fit_on_cluster(self, files: list[str], cluster: str) -> Any:
        """Return a model of files that the workers of a cluster read."""
        from linnet.scale.cluster import cluster_client
        from linnet.scale.training import fit

        reading = {name: value for name, value in self._reading.items() if value is not None}
        with cluster_client(cluster) as client:
            return fit(self.estimator, files, client=client, **reading).model_

    @abstractmethod
    def facts(self, model: Any, n: int) -> dict[str, Any]:
        """Return what the model was trained on, as plain values."""

    @abstractmethod
    def sentence(self, facts: dict[str, Any]) -> str:
        """Return what the model was trained on, in words."""


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


def learner_for(kind: KindName, name: str, settings: dict[str, Any]) -> Any:
    """Return a new learner by its name, with what suits such data and then with `settings`.

    Examples
    --------
    >>> learner_for("rows", "memory", {}).feature_weights
    'gain_ratio'
    >>> learner_for("texts", "memory", {"k": 3})
    MemoryBased(k=3, metric='cosine', neighbors='examples', vote='inverse_linear')
    """
    from linnet.learn.shared.known import suited_learner

    return apply_settings(suited_learner(name, kind), settings)


def apply_settings(learner: Any, settings: dict[str, Any]) -> Any:
    """Give the learner its parameters; the error for an unknown one lists those it has."""
    known = learner.get_params(deep=False)
    for name in settings:
        if name not in known and not (name.startswith("solver__") and "solver" in known):
            names = ", ".join(sorted(known))
            raise ParameterError(
                f"--set {name}: {type(learner).__name__} has no such parameter; it has {names}"
            )
    return learner.set_params(**settings)


def largest(weights: Iterable[tuple[str, float]], top: int) -> list[tuple[str, float]]:
    """Return the features whose weights are the largest in size."""
    return sorted(weights, key=lambda pair: -abs(pair[1]))[:top]


def typed(words: list[str], stdin: Callable[[], str]) -> str:
    """Return what was typed in one line; - stands for standard input."""
    return stdin() if words == ["-"] else " ".join(words)


def tell(data: str, decisions: Sequence[str], quiet: bool) -> None:
    """Say in one line what was found out about a file; ``linnet data show`` says why, too."""
    if decisions:
        say(f"{shown(data)}: {', '.join(map(_without_reason, decisions))}", quiet)


def _without_reason(decision: str) -> str:
    """Return what was decided, and why only where a column was guessed.

    Examples
    --------
    >>> _without_reason("label is column 1: by its name"), _without_reason("numbers: column age")
    ('label is column 1', 'numbers: column age')
    >>> _without_reason("the class is column c13: the last one")
    'the class is column c13: the last one'
    """
    what, _, why = decision.partition(": ")
    guessed = "column" in what and why not in _SURE
    return decision if guessed or what.startswith(_FACTS) else what


def shortened(text: str) -> str:
    """Return a text in one line and not too long."""
    from linnet.explain.text import visible

    words = " ".join(visible(text).split())
    return words if len(words) <= _SNIPPET else words[: _SNIPPET - 1] + "…"
