"""Why a model decides as it does: the learner's own reasons, or those of its weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scipy.sparse import csr_matrix

from linnet.errors import ParameterError
from linnet.learn.shared.reasons import Reasons
from linnet.model.fitting.linear_form import linear_parts

if TYPE_CHECKING:
    from linnet.model.model import Model

__all__ = ["reasons_of"]


def reasons_of(model: Model, inputs: Any, k: int, other: int) -> Reasons:
    """Return what speaks for class k of one example, and against another where that matters."""
    reasons: Reasons | None = model.learner_._reasons(inputs, k, other, model)
    return _linear_reasons(model, inputs, k) if reasons is None else reasons


def _linear_reasons(model: Model, inputs: Any, k: int) -> Reasons:
    """Return what each feature adds to the score of class k."""
    try:
        weights, intercept = linear_parts(model.learner_)
    except ParameterError as error:
        raise ParameterError(f"There is no explanation for this learner: {error}") from None
    row = csr_matrix(inputs)
    column, sign = (k, 1.0) if weights.shape[1] > 1 else (0, 1.0 if k == 1 else -1.0)
    parts = sorted(
        (
            (model.feature_name(j), v, sign * weights[j, column], sign * v * weights[j, column])
            for j, v in zip(row.indices.tolist(), row.data.tolist(), strict=True)
        ),
        key=lambda part: -abs(part[3]),
    )
    base = sign * float(intercept[column])
    score = base + sum(part[3] for part in parts)
    return Reasons(
        "what each feature adds to the score",
        ("feature", "value", "weight", "contribution"),
        tuple((n, float(v), float(w), float(c)) for n, v, w, c in parts),
        f"with the intercept {base:+.4g} they sum to the score {score:.4g}",
    )
