"""What the tests of kernel machines share: noisy examples, and all dual variables of a model."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["TIGHT", "cloud", "full_dual"]

TIGHT = 1e-8


def cloud(rows: int = 80, classes: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    scores = X @ rng.normal(size=(4, classes)) + rng.gumbel(size=(rows, classes))
    y = scores.argmax(axis=1)
    y[:classes] = np.arange(classes)
    return X, y


def full_dual(model: Any, rows: int) -> np.ndarray:
    out = np.zeros((model.dual_coef_.shape[0], rows))
    out[:, model.support_] = model.dual_coef_
    return out
