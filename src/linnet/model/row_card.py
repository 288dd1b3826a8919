"""A model that keeps its learner, described in a page that people can read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linnet.errors import ParameterError
from linnet.learn.kernel_base import KernelClassifier
from linnet.learn.memory import MemoryBased
from linnet.learn.tree import DecisionTree
from linnet.model.linear import linear_parts

if TYPE_CHECKING:
    from linnet.model.row_model import RowModel

__all__ = ["card", "feature_weights", "rules", "top_features"]

_LISTED = 20
_HIDDEN = ("feature_weights",)  # shown as a table of their own


def card(model: RowModel) -> str:
    """Return what the model predicts, from what, and how it was trained.

    Examples
    --------
    >>> import linnet
    >>> model = linnet.RowClassifier().fit([["a", 1.0], ["b", 2.0]], ["x", "y"]).model_
    >>> print(card(model).splitlines()[0])
    A classifier of rows: 2 labels, 2 columns
    """
    what = {"row": "rows", "text": "texts", "bag": "bags of features", "vector": "vectors"}
    unit = "columns" if model.kind == "row" else "features"
    labels = [str(label) for label in model.classes_.tolist()]
    lines = [
        f"A classifier of {what[model.kind]}: {len(labels)} labels, {model.n_features:,} {unit}",
        f"labels         {_listed(labels)}",
    ]
    for kind, word in (("symbolic", "symbols"), ("numeric", "numbers")):
        names = [n for n, own in zip(model.names, model.kinds, strict=True) if own == kind]
        lines += [f"{word:<14} {_listed(names)}"] if names else []
    lines += _learner(model)
    if model.abstain is not None:
        lines.append(f"abstains       below a probability of {model.abstain:g}")
    for name, value in model.record_.items():
        if name not in _HIDDEN:
            shown = f"{value:.6g}" if isinstance(value, float) else str(value)
            lines.append(f"{name.replace('_', ' '):<14} {shown}")
    return "\n".join(lines)


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")


def _learner(model: RowModel) -> list[str]:
    learner = model.learner_
    changed = {
        name: value
        for name, value in learner.get_params(deep=False).items()
        if value is not None and name not in ("n_threads", "random_state", "kinds")
    }
    if isinstance(learner, MemoryBased):
        chosen = ("k", "metric", "neighbors", "vote", "search")
        lines = [f"neighbours     {', '.join(f'{n} {changed[n]}' for n in chosen)}"]
        weights = learner.feature_weights
        named = weights if isinstance(weights, str) else "given"
        return [*lines, f"weights        {named}"]
    if isinstance(learner, DecisionTree):
        size = f"{len(learner.parent_):,} nodes, {learner.n_leaves_:,} leaves"
        return [f"tree           {size}, depth {int(learner.depth_.max())}"]
    if isinstance(learner, KernelClassifier):
        kernel = learner.kernel if isinstance(learner.kernel, str) else "a function"
        total = int(model.record_.get("examples", 0))
        share = f" of {total:,} examples" if total else ""
        lines = [f"kernel         {kernel}"]
        if hasattr(learner, "gamma_"):
            lines[0] += f", gamma {learner.gamma_:.6g}"
        return [*lines, f"support        {len(learner.support_):,}{share}"]
    return []


def feature_weights(model: RowModel) -> list[tuple[str, float, float, float, float]]:
    """Return name, used weight, gain ratio, information gain and χ² of each column.

    Empty where the learner is not memory-based, or compares vectors.
    """
    table = model.record_.get("feature_weights")
    if not isinstance(model.learner_, MemoryBased) or not isinstance(table, dict):
        return []
    used = model.learner_.feature_weights_.tolist()
    others = [table.get(name, []) for name in ("gain_ratio", "information_gain", "chi2")]
    if any(not isinstance(own, list) or len(own) != len(model.names) for own in others):
        return []
    return list(zip(model.names, used, *others, strict=True))


def rules(model: RowModel) -> list[str]:
    """Return the rules of a decision tree; empty for other learners."""
    return model.learner_.rules() if isinstance(model.learner_, DecisionTree) else []


def top_features(model: RowModel, n: int) -> dict[Any, list[tuple[str, float]]]:
    """Return the n features of largest weight for each label of a linear learner."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
        raise ParameterError(f"n must be an integer, not negative; got {n!r}.")
    if getattr(model.learner_, "coef_", None) is None or model.vectors is None:
        name = type(model.learner_).__name__
        raise ParameterError(f"{name} has no weight for each feature; use card() or explain().")
    weights, _ = linear_parts(model.learner_)
    names = model.vectors.names()
    found = {}
    for k, label in enumerate(model.classes_.tolist()):
        own = weights[:, k] if weights.shape[1] > 1 else weights[:, 0] * (1 if k else -1)
        best = np.argsort(-own, kind="stable")[:n].tolist()
        found[label] = [(names[j], float(own[j])) for j in best]
    return found
