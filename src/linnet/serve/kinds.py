"""What a model reads and what it answers, as JSON and as Arrow columns.

There are two kinds of questions, as there are two structures: a label for each example (texts,
bags, vectors, rows), in :mod:`linnet.serve.labels`, and a tag for each token, in
:mod:`linnet.serve.tags`. All that serves a model is written against `Kind`.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from linnet.serve.forms import FORMS, Form, Options

__all__ = ["Asked", "Kind", "encoded"]


@dataclass(frozen=True)
class Asked:
    """What is wanted beside the answer itself; see the options of a kind."""

    top: int | None = None
    probabilities: bool = False
    abstain: float | None = None
    nbest: int | None = None
    constraints: str | None = "model"


encoded = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Kind(ABC):
    """What the service asks of a model.

    Attributes
    ----------
    model : Model
    labels : list of labels or tags, as plain values
    forms : tuple of Form
        In which examples may be given.
    verb : str
        Where it answers: predict or tag.
    options : Options
        What may be wanted there, as JSON Schema.
    """

    verb: ClassVar[str]
    options: ClassVar[Options]

    def __init__(self, model: Any) -> None:
        self.model = model
        self.labels: list[Any] = model.classes_.tolist()
        self.forms: tuple[Form, ...] = FORMS[model.kind]

    @abstractmethod
    def lane(self, form: Form, asked: Asked) -> Any:
        """Return what two requests must agree on to be answered together."""

    @abstractmethod
    def ask(self, form: Form, examples: Any, asked: Asked) -> Any:
        """Ask the model about examples; what is returned is cut up by :meth:`answers`."""

    @abstractmethod
    def answers(self, result: Any, first: int, last: int, asked: Asked) -> list[dict[str, Any]]:
        """Return the answers to some of the examples as plain values."""

    def spelled(self, result: Any, first: int, last: int, asked: Asked) -> list[str]:
        """Return the answers as JSON."""
        return list(map(encoded, self.answers(result, first, last, asked)))

    @abstractmethod
    def counts(self, result: Any) -> dict[str, int]:
        """Return how often each label or tag was predicted."""

    @abstractmethod
    def columns(self, result: Any, asked: Asked) -> dict[str, Any]:
        """Return the answers as columns that Arrow takes."""

    def explain(self, example: Any, label: Any, top: int | None) -> dict[str, Any]:
        """Return why an example is answered as it is, as plain values."""
        known = {} if label is None else {"label": self.model.decision.number_of(label)}
        known = {name: self.labels[k] for name, k in known.items()}
        plain: dict[str, Any] = self.model.explain(example, **known).to_dict(top)
        return plain
