"""Why a learner decides as it does about one example (SPEC C-27): one function for each family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from linnet.data.rows import RowTable
from linnet.errors import ParameterError
from linnet.explain.rows import RowExplanation
from linnet.learn.decision import ranking
from linnet.learn.density import GaussianBayes, ParzenWindows
from linnet.learn.kernel_base import KernelClassifier
from linnet.learn.memory import MemoryBased
from linnet.learn.naive_bayes import GaussianNB
from linnet.learn.tree import DecisionTree
from linnet.model.reasons import Reasons, linear_reasons, path_reasons, values_text
from linnet.model.reasons.density import gaussian_reasons, window_reasons
from linnet.model.reasons.kernel import kernel_reasons
from linnet.model.reasons.memory import neighbour_reasons

if TYPE_CHECKING:
    from linnet.model.row_model import RowModel

__all__ = ["explain"]


def explain(model: RowModel, example: Any, label: Any = None) -> RowExplanation:
    """Explain the label of one example; by default the label that it gets."""
    batch = model.one(example)
    inputs = model.inputs(batch)
    verdict = model.judge(batch)
    p, classes = verdict.probability, model.classes_.tolist()
    order = ranking(verdict.scores, verdict.best, len(classes))[0].tolist()
    k = order[0] if label is None else _class_number(classes, label)
    other = order[0] if order[0] != k else order[1]
    found = _reasons(model, inputs, k, other)
    return RowExplanation(
        example=_spelled(batch, example),
        label=classes[k],
        probability=float(p[0, k]),
        runner_up=classes[other],
        title=found.title,
        headings=found.headings,
        reasons=found.rows,
        note=found.note,
    )


def _reasons(model: RowModel, inputs: Any, k: int, other: int) -> Reasons:
    learner = model.learner_
    if isinstance(learner, MemoryBased):
        return neighbour_reasons(model, inputs, k)
    if isinstance(learner, DecisionTree):
        return path_reasons(learner, inputs)
    if isinstance(learner, KernelClassifier):
        return kernel_reasons(model, inputs, k, other)
    if isinstance(learner, ParzenWindows):
        return window_reasons(learner, inputs)
    if isinstance(learner, (GaussianBayes, GaussianNB)):
        return gaussian_reasons(model, inputs, k, other)
    return linear_reasons(model, inputs, k)


def _class_number(classes: list[Any], label: Any) -> int:
    for k, known in enumerate(classes):
        if known == label or str(known) == label:
            return k
    listed = ", ".join(repr(known) for known in classes[:10])
    raise ParameterError(f"The model has no label {label!r}; it has {listed}.")


def _spelled(batch: Any, example: Any) -> str:
    if isinstance(batch, RowTable):
        return values_text(batch.names, batch.row(0))
    if isinstance(example, Mapping):
        return " ".join(f"{name}:{value:g}" for name, value in example.items())
    return str(example)
